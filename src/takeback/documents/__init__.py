"""Python values as canonical, typed bytes, split into blobs that grown and repeated values share.

The format is written down where it is implemented: `takeback.documents.blobs` (a blob), `tags` (its body), `values` and
`mutables` (what has a name of its own), `splitting` (where long things are cut).
"""

from takeback.documents.blobs import Links, Reads, Writes, links
from takeback.documents.comparing import compare
from takeback.documents.decoding import get
from takeback.documents.document import Document, capture, ready, types_in
from takeback.documents.encoding import Put, put
from takeback.documents.grafting import can_change
from takeback.documents.holes import Hole, Record
from takeback.documents.known import Known, default_name, register
from takeback.documents.memory import Nowhere
from takeback.documents.paths import holes_in
from takeback.documents.recalling import Recall
from takeback.documents.standing import Standing

__all__ = [
    "Document",
    "Hole",
    "Known",
    "Links",
    "Nowhere",
    "Put",
    "Reads",
    "Recall",
    "Record",
    "Standing",
    "Writes",
    "can_change",
    "capture",
    "compare",
    "default_name",
    "get",
    "holes_in",
    "links",
    "put",
    "ready",
    "register",
    "types_in",
]
