"""Agent frameworks with models that say what they are told to, and remember what they were asked."""
