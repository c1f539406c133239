"""takeback against its peers: the same work on the same trees in the same run, printed as ratios.

Figures from two runs or two machines are not comparable; ratios of one run are. `trees` makes the files, `peers/` drives
each peer exactly as its users do, `work/` has one module a kind of work, `rows` holds what was measured against what is
wanted, and `table`, `picture` and `results` show and keep it. `python -m bench --help` has the options.
"""
