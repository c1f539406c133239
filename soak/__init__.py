"""`make soak`: every campaign of the tests, whole, two at a time, with a record of each in docs/soak.json.

``catalogue`` lists the campaigns, ``runner`` runs them, ``recorder`` is the pytest plugin that notes each finished test, ``progress``
keeps these notes until a campaign is done, ``records`` is docs/soak.json, and ``page`` writes the tables of docs/reliability.md from it.
"""

import sys
from pathlib import Path

if (_TESTS := str(Path(__file__).parents[1] / "tests")) not in sys.path:
    sys.path.insert(0, _TESTS)  # for `support`, which pytest finds by itself
