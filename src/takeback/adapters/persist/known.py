"""Classes that LangChain writes but cannot read back, and that are rebuilt here from their parts: the memories that are
made of messages, message histories, and the chains of langchain-classic.

They are named here, never by a file. Their fields are their constructor's arguments, so one way serves all of them.
What a caller allowed by `allow` joins them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from takeback.adapters.persist.errors import PersistConfigurationError, PersistUnavailableError

_CLASSIC = {
    "ConversationChain": "langchain_classic.chains.conversation.base",
    "LLMChain": "langchain_classic.chains.llm",
    "CombinedMemory": "langchain_classic.memory.combined",
    "ConversationBufferMemory": "langchain_classic.memory.buffer",
    "ConversationBufferWindowMemory": "langchain_classic.memory.buffer_window",
    "ConversationStringBufferMemory": "langchain_classic.memory.buffer",
    "ConversationSummaryBufferMemory": "langchain_classic.memory.summary_buffer",
    "ConversationSummaryMemory": "langchain_classic.memory.summary",
    "ConversationTokenBufferMemory": "langchain_classic.memory.token_buffer",
    "ReadOnlySharedMemory": "langchain_classic.memory.readonly",
    "SimpleMemory": "langchain_classic.memory.simple",
    "InMemoryChatMessageHistory": "langchain_core.chat_history",
}
_BY_ID = {(*module.split("."), name): (module, name) for name, module in _CLASSIC.items()}

Id = tuple[str, ...]
Allowed = dict[Id, type]

_allowed: Allowed = {}


def allow(*classes: type) -> None:
    """Let objects of these classes come back in this process, built by their constructor from their fields.

    For models and other parts that LangChain cannot bring back: pydantic models whose fields are plain data, messages
    or other classes that may come back. Both processes say it, the one that takes the snapshot and the one that restores.
    """
    _allowed.update(ids_of(classes))


def ids_of(classes: Iterable[Any]) -> Allowed:
    """Classes by the name that they have in a file."""
    found: Allowed = {}
    for each in classes:
        if not isinstance(each, type) or not hasattr(each, "model_fields"):
            raise PersistConfigurationError(
                f"{each!r} cannot be allowed: it is no class of LangChain's or pydantic's",
                hints=["name classes, such as allowed_objects=[ChatOpenAI]"],
            )
        found[id_of(each)] = each
    return found


def id_of(cls: type) -> Id:
    lc_id = getattr(cls, "lc_id", None)
    return tuple(lc_id()) if callable(lc_id) else (*cls.__module__.split("."), cls.__name__)


def is_allowed(cls: type) -> bool:
    """Whether the caller allowed this very class."""
    return _allowed.get(id_of(cls)) is cls


def is_classic(cls: type) -> bool:
    """Whether this very class is one of the table; a subclass may hold more than is known of."""
    module = _CLASSIC.get(cls.__name__)
    return module is not None and getattr(sys.modules.get(module), cls.__name__, None) is cls


def allowed(id: Id) -> type | None:
    """The class that the caller allowed under this name."""
    return _allowed.get(id)


def classic(id: Id) -> type | None:
    """The class of the table that has this name."""
    if id not in _BY_ID:
        return None
    module, name = _BY_ID[id]
    try:
        cls: type = getattr(import_module(module), name)
    except ImportError as error:
        package = module.partition(".")[0].replace("_", "-")
        raise PersistUnavailableError(
            f"a {name} cannot be rebuilt: {package} is not installed", hints=[f"pip install {package}"]
        ) from error
    return cls
