"""Agents' sessions seen from their hooks: `voices` speak as each agent does, `sessions` work and are heard, `model` knows
what must have been recorded."""
