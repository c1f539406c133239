"""Real teams of the real ClawTeam, those who work in them, and what may never be seen of one."""
