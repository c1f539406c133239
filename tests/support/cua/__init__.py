"""The real ComputerAgent of cua-agent, run without any network, in an environment of its own (`scripts/cua`)."""
