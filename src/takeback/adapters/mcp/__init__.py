"""`takeback mcp`: takeback's verbs as tools of the Model Context Protocol, for an agent that wants to look back.

`tools` is what they do, `bounds` how much they say, and `server`, the only one that imports the SDK, how they are called.
"""
