"""What the adapters for agent frameworks share: values whose only home is a timeline.

A framework hands over its memory piece by piece and asks for it again; it keeps none. So the latest snapshot is the value:
whoever moves the timeline, here or in another process, changes what is read next.
"""

from takeback.adapters.remembering.part import Remembered
from takeback.adapters.remembering.plain import plain
from takeback.adapters.remembering.room import Room, Where, missing
from takeback.adapters.remembering.threads import finished

__all__ = ["Remembered", "Room", "Where", "finished", "missing", "plain"]
