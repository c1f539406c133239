"""The real coding agents, run without any network: each against a model on loopback that plays a script."""
