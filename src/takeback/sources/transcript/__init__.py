"""An agent's conversation, as the file in which the agent keeps it.

`source` captures the file and puts it back as a session that the agent can resume, `segments` is how it is stored, and
`agents` says where each agent keeps its sessions.
"""
