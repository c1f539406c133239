"""takeback against its peers: the same work on the same tree in the same run, printed as ratios.

Figures from two runs or two machines are not comparable; ratios of one run are. One module a question, each runnable by
itself (`python -m bench.turn`); peers are run by `bench.shadow_git` and its neighbours exactly as their users run them.
"""
