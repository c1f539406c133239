"""Effects put into a directory: staged beside their places, then moved in, so that no reader ever sees half a file.

Promises: nothing visible changes before everything is staged, checked against its id and on the disk; nothing outside
the root is touched, whatever links stand or appear in the way; what somebody changed since it was planned is left alone
and raised as a Conflict; a second try after a failure, or after the process was killed, ends in the planned state.
A replaced file keeps its owner and group, a new one takes its directory's. Extended attributes and hard links are not
kept.

It begins in `takeback.sources.workspace.place.files`. Nothing is loaded from here, because every save looks for what a dead
process left behind (`sweeping`), and few need the rest.
"""
