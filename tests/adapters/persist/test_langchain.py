"""LangChain's objects: what comes back, what is rebuilt from its parts, and what is refused while there is time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_classic.chains import ConversationChain, LLMChain
from langchain_classic.memory import (
    CombinedMemory,
    ConversationBufferMemory,
    ConversationBufferWindowMemory,
    ConversationSummaryBufferMemory,
    ConversationSummaryMemory,
    ConversationTokenBufferMemory,
    ReadOnlySharedMemory,
    SimpleMemory,
)
from langchain_classic.memory.buffer import ConversationStringBufferMemory
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel, FakeListLLM, GenericFakeChatModel
from langchain_core.load import dumpd
from langchain_core.load.serializable import Serializable
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate
from langchain_core.runnables import RunnableLambda, RunnableParallel
from pydantic import PrivateAttr, SecretStr

import takeback.adapters.persist as persist
from support import persist_files
from takeback.adapters.persist.dumping import Dumper

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainDeprecationWarning")

PROMPT: Any = ChatPromptTemplate.from_messages([("system", "Be {mood}."), ("human", "{question}")])
MESSAGES = [
    SystemMessage("Be brief."),
    HumanMessage([{"type": "text", "text": "grüße"}, {"type": "image_url", "image_url": {"url": "data:,"}}]),
    AIMessage(
        "", tool_calls=[{"name": "add", "args": {"b": 1, "a": 2}, "id": "1"}], response_metadata={"lc": 1, "x": 2}
    ),
    ToolMessage("3", tool_call_id="1", additional_kwargs={"lc": 1, "type": "secret", "id": ["KEY"]}),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.json.gz"


def model(*answers: str) -> FakeListLLM:
    return FakeListLLM(responses=list(answers) or ["Hi!", "You said hello."])


def history() -> InMemoryChatMessageHistory:
    return InMemoryChatMessageHistory(messages=list(MESSAGES))


OBJECTS: list[Any] = [
    *MESSAGES,
    MESSAGES,
    {"messages": MESSAGES, "step": 3},
    Document(page_content="text", metadata={"lc": 1, "type": "constructor", "id": ["os", "system"]}),
    PROMPT,
    PROMPT | StrOutputParser(),
    RunnableParallel(one=PROMPT, two=PROMPT | StrOutputParser()),
]


@pytest.mark.parametrize("number", range(len(OBJECTS)))
def test_what_langchain_can_bring_back_comes_back_in_langchains_own_layout(number: int, path: Path) -> None:
    persist.snapshot(OBJECTS[number], path)
    assert Dumper().dump(OBJECTS[number]) == dumpd(OBJECTS[number])
    assert persist.restore(path) == OBJECTS[number]
    persist_files.persist_accepts(path)


def test_what_persist_wrote_of_them_comes_back(path: Path) -> None:
    for each in OBJECTS:
        persist_files.write(path, dumpd(each))
        assert persist.restore(path) == each


def test_a_state_that_is_langchains_own_string_comes_back(path: Path) -> None:
    text = persist_files.compact(dumpd(PROMPT))
    for hashed in (text, persist_files.compact(text)):
        whole = {"metadata": persist_files.metadata(hashed), "agent_state": text}
        persist_files.put(path, persist_files.compact(whole))
        assert persist.verify_snapshot(path) is True
        assert persist.restore(path) == PROMPT


def test_a_text_that_looks_like_langchains_stays_a_text(path: Path) -> None:
    text = persist_files.compact(dumpd(PROMPT))
    persist.snapshot(text, path)
    assert persist.restore(path) == text
    for theirs in ('["lc"]', '{"lc":2}', '{"lc":1', 'about "lc"'):
        assert persist.restore(persist_files.write(path, theirs)) == theirs


MEMORIES: dict[str, Any] = {
    "history": history,
    "buffer": lambda: ConversationBufferMemory(chat_memory=history(), return_messages=True, memory_key="past"),
    "window": lambda: ConversationBufferWindowMemory(chat_memory=history(), k=3, ai_prefix="Bot"),
    "text": lambda: ConversationStringBufferMemory(buffer="\nHuman: hello\nAI: hi"),
    "token": lambda: ConversationTokenBufferMemory(llm=model(), chat_memory=history(), max_token_limit=10),
    "summary": lambda: ConversationSummaryMemory(llm=model(), chat_memory=history(), buffer="They met."),
    "summary and buffer": lambda: ConversationSummaryBufferMemory(
        llm=model(), chat_memory=history(), moving_summary_buffer="They met."
    ),
    "simple": lambda: SimpleMemory(memories={"name": "Bob", "tags": ["a"]}),
    "combined": lambda: CombinedMemory(
        memories=[
            ConversationBufferMemory(chat_memory=history(), input_key="input"),
            SimpleMemory(memories={"name": "Bob"}),
        ]
    ),
    "read only": lambda: ReadOnlySharedMemory(memory=ConversationBufferMemory(chat_memory=history())),
}


@pytest.mark.parametrize("name", MEMORIES)
def test_memories_and_histories_are_rebuilt_from_their_parts(name: str, path: Path) -> None:
    persist.allow(FakeListLLM)
    memory = MEMORIES[name]()
    persist.snapshot({"memory": memory}, path)
    found = persist.restore(path)["memory"]
    assert type(found) is type(memory)
    assert found == memory
    if name != "history":
        assert found.load_memory_variables({}) == memory.load_memory_variables({})


def chain(**more: Any) -> ConversationChain:
    made = ConversationChain(llm=model(), **more)
    made.predict(input="Hello, how are you?")
    return made


def test_a_conversation_goes_on_where_it_was(path: Path) -> None:
    persist.allow(FakeListLLM)
    made = chain(memory=ConversationBufferWindowMemory(k=2), verbose=False, tags=["a"])
    persist.snapshot(made, path)
    found = persist.restore(path)
    assert found == made
    assert found is not made
    assert found.predict(input="What did we talk about?") == "You said hello."
    assert len(found.memory.chat_memory.messages) == 4
    assert len(made.memory.chat_memory.messages) == 2


def test_chains_of_langchain_with_a_model_of_ones_own(path: Path) -> None:
    persist.allow(FakeListLLM, FakeListChatModel)
    with_memory = LLMChain(
        llm=model("yes"), prompt=PromptTemplate.from_template("Is {input} so?\n{history}"), memory=MEMORIES["text"]()
    )
    persist.snapshot(with_memory, path)
    assert persist.restore(path).predict(input="it") == "yes"
    persist.snapshot(PROMPT | FakeListChatModel(responses=["yes"]) | StrOutputParser(), path)
    assert persist.restore(path).invoke({"mood": "kind", "question": "?"}) == "yes"
    bound = FakeListChatModel(responses=["yes"]).bind(stop=["no"])
    persist.snapshot(bound, path)
    assert persist.restore(path).kwargs == {"stop": ["no"]}
    assert persist.restore(path).invoke("?").content == "yes"


def test_a_model_that_cannot_come_back_is_refused_before_anything_is_written(path: Path) -> None:
    persist.snapshot(1, path)
    with pytest.raises(persist.PersistConfigurationError, match=r"agent\.llm is a FakeListLLM") as caught:
        persist.snapshot(chain(), path)
    assert "persist.allow(FakeListLLM)" in caught.value.hints[0]
    assert "leave_out=['llm']" in caught.value.hints[1]
    assert persist.restore(path) == 1


def test_a_model_that_was_left_out_is_supplied(path: Path) -> None:
    made = chain()
    persist.snapshot(made, path, leave_out=["llm"])
    with pytest.raises(persist.PersistConfigurationError, match="without this .*FakeListLLM") as caught:
        persist.restore(path)
    assert caught.value.hints == ("supply it: restore(…, supply={'llm': …})",)
    asked: list[str] = []

    class Listening(FakeListLLM):
        def _call(self, prompt: str, *arguments: Any, **options: Any) -> str:
            asked.append(prompt)
            return super()._call(prompt, *arguments, **options)

    other = Listening(responses=["Again!"])
    found = persist.restore(path, supply={"llm": other})
    assert found.llm is other
    assert found.predict(input="What did we talk about?") == "Again!"
    assert "Hello, how are you?" in asked[0]


def test_what_is_in_the_file_can_be_supplied_otherwise(path: Path) -> None:
    persist.allow(FakeListLLM)
    persist.snapshot(chain(), path)
    other = model("Other")
    assert persist.restore(path, supply={"llm": other}).llm is other
    with pytest.raises(persist.PersistConfigurationError, match="supply names what is not in .*: lm"):
        persist.restore(path, supply={"lm": other})
    with pytest.raises(persist.PersistConfigurationError, match="leave_out names what is not in the agent: lm"):
        persist.snapshot(chain(), path, leave_out=["lm"])


def test_places_inside_lists_and_dicts_have_names_too(path: Path) -> None:
    memory = ConversationTokenBufferMemory(llm=model(), chat_memory=history())
    agent = {"team": [chain(), {"memory": memory}], "handle": object()}
    names = ["['team'][0].llm", "['team'][1]['memory'].llm", "['handle']"]
    with pytest.raises(persist.PersistConfigurationError) as caught:
        persist.snapshot(agent, path)
    assert names[0] in caught.value.hints[1]
    persist.snapshot(agent, path, leave_out=names)
    other = model("Other")
    found = persist.restore(path, supply=dict.fromkeys(names, other))
    assert found["team"][0].llm is found["team"][1]["memory"].llm is found["handle"] is other


def test_a_class_that_was_allowed_here_is_not_allowed_elsewhere(path: Path) -> None:
    persist.allow(FakeListLLM)
    persist.snapshot(chain(), path)
    from takeback.adapters.persist import known

    known._allowed.clear()
    with pytest.raises(persist.PersistConfigurationError, match=r"FakeListLLM is not allowed") as caught:
        persist.restore(path)
    assert "allowed_objects=[FakeListLLM]" in caught.value.hints[0]
    assert persist.restore(path, allowed_objects=[FakeListLLM]) == persist.restore(path, allowed_objects=(FakeListLLM,))
    for wrong in ([str], ["FakeListLLM"], [model()]):
        with pytest.raises(persist.PersistConfigurationError, match="cannot be allowed"):
            persist.restore(path, allowed_objects=wrong)  # type: ignore[arg-type]


class Keyed(Serializable):
    """Stands for a provider's model: LangChain writes it, and hides its keys."""

    name: str
    api_key: SecretStr
    token: str = "none"

    @property
    def lc_secrets(self) -> dict[str, str]:
        return {"api_key": "MY_KEY", "token": "MY_TOKEN"}

    @classmethod
    def is_lc_serializable(cls) -> bool:
        return True


def test_secrets_are_never_written_and_come_from_the_caller(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "from the environment")
    persist.allow(Keyed)
    persist.snapshot({"model": Keyed(name="m", api_key=SecretStr("sk-1"), token="sk-2")}, path)
    assert "sk-" not in persist_files.text_of(path)
    found = persist.restore(path, {"MY_KEY": "new", "MY_TOKEN": "other"})["model"]
    assert (found.api_key.get_secret_value(), found.token) == ("new", "other")
    with pytest.raises(persist.PersistConfigurationError, match=r"agent\['model'\]") as caught:
        persist.restore(path)
    assert caught.value.hints == ("it needs secrets: restore(…, secrets_map={'MY_KEY': …, 'MY_TOKEN': …})",)


def test_a_secret_that_no_class_declares_is_refused(path: Path) -> None:
    class Careless(FakeListLLM):
        key: SecretStr = SecretStr("sk-1")

    persist.allow(Careless)
    with pytest.raises(persist.PersistConfigurationError, match=r"agent\.key is a SecretStr"):
        persist.snapshot(Careless(responses=[]), path)


class Forgetful(Serializable):
    """Its private part is not in what LangChain writes."""

    name: str
    _seen: int = PrivateAttr(default=0)

    @classmethod
    def is_lc_serializable(cls) -> bool:
        return True


class Rounded(Serializable):
    size: int

    def __init__(self, size: int) -> None:
        super().__init__(size=size * 2)

    @classmethod
    def is_lc_serializable(cls) -> bool:
        return True


class Subclassed(ConversationBufferMemory):
    pass


def forgetful() -> Forgetful:
    made = Forgetful(name="x")
    made._seen = 3
    return made


REFUSED: dict[str, tuple[str, Callable[[], Any]]] = {
    "private": (r"agent\._seen .* private", forgetful),
    "changed": ("another value", lambda: Rounded(1)),
    "function": ("RunnableLambda", lambda: RunnableLambda(len)),
    "function in a chain": (r"agent\.last is a RunnableLambda", lambda: PROMPT | len),
    "iterator": (r"agent\.messages is a list_iterator", lambda: GenericFakeChatModel(messages=iter([AIMessage("x")]))),
    "subclass": ("Subclassed", Subclassed),
    "callbacks": (r"agent\.callbacks would not come back", lambda: chain(callbacks=[BaseCallbackHandler()])),
    "tuple": (
        r"agent\.additional_kwargs\['pair'\] is a tuple",
        lambda: HumanMessage("x", additional_kwargs={"pair": (1, 2)}),
    ),
    "bytes": (r"agent\['deep'\]\[0\]\['blob'\] is bytes", lambda: {"deep": [{"blob": b"x"}]}),
    "path": ("PosixPath", lambda: Document(page_content="x", metadata={"path": Path("x")})),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_not_come_back_is_refused_when_it_is_saved(name: str, path: Path) -> None:
    persist.allow(FakeListLLM, GenericFakeChatModel, Forgetful, Rounded)
    says, make = REFUSED[name]
    with pytest.raises(persist.PersistConfigurationError, match=says):
        persist.snapshot(make(), path)
    assert not path.exists()


def test_callbacks_can_be_left_out_and_given_again(path: Path) -> None:
    persist.allow(FakeListLLM)
    handler = BaseCallbackHandler()
    persist.snapshot(chain(callbacks=[handler]), path, leave_out=["callbacks"])
    assert persist.restore(path, supply={"callbacks": [handler]}).callbacks == [handler]
    assert persist.restore(path, supply={"callbacks": None}).callbacks is None


class Nested(Serializable):
    inner: Any

    @classmethod
    def is_lc_serializable(cls) -> bool:
        return True


@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: {"a": inner}, lambda inner: Nested(inner=inner)])
def test_what_is_as_deep_as_allowed_comes_back_and_deeper_is_refused(wrap: Callable[[Any], Any], path: Path) -> None:
    persist.allow(Nested)
    agent: Any = "long " * 200_000  # so that every level is entered
    for _ in range(100):
        agent = wrap(agent)
    persist.snapshot(agent, path)
    assert persist.verify_snapshot(path) is True
    assert persist.restore(path) == agent
    with pytest.raises(persist.PersistConfigurationError, match="100 deep"):
        persist.snapshot(wrap(agent), path)


def test_an_agent_that_holds_itself_is_refused(path: Path) -> None:
    agent: list[Any] = []
    agent.append({"self": agent})
    with pytest.raises(persist.PersistConfigurationError, match="holds itself"):
        persist.snapshot(agent, path)


def test_an_agent_of_persist_that_langchain_wrote_as_a_name_only_says_so(path: Path) -> None:
    persist_files.write(path, dumpd(chain()))
    with pytest.raises(persist.PersistConfigurationError, match="only the name of a .*ConversationChain"):
        persist.restore(path)
