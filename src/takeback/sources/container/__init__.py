"""A container: its files, volumes and settings, captured from a running one and put back as the same one."""
