"""Line diff: the lines that two texts have in common, in bounded effort. Differences that are shown, and merges, both use it.

A difference of few lines is found exactly (`shortest_edit`, Myers' algorithm, as in git). A larger one is first cut at anchors: lines, or
runs of lines, that each text has once (`anchors`, as in patience diff). What has no anchors is cut after long runs of equal
lines. Effort is counted in steps, never in seconds. Where it ends, the rest differs as a whole: more lines are then reported
as different than need be, and none fewer.
"""
