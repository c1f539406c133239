"""``takeback hook AGENT``: what a coding agent calls at every prompt, tool call and stop.

`agents` says how each agent speaks, `reading` makes an `event.Event` of what it says, `recording` saves, and `receiving`
holds the promise to the agent: an answer in time, in its own form, and never an error.
"""
