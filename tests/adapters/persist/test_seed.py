"""The sample of Persist's README, in two processes.

Its line `import persist` is the only one of takeback's concern. Two others are LangChain's: chains moved to
langchain_classic, and `predict` takes its input by name (given without, it fails in every version). `ConversationChain(...)`
needs a model; here it is a fake that writes down what it is asked, which each process allows to come back.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("langchain_classic")

BEFORE = """
import json, warnings
warnings.simplefilter("ignore")
from langchain_core.language_models import FakeListLLM

class FakeModel(FakeListLLM):
    def _call(self, prompt, *arguments, **options):
        with open("asked.jsonl", "a") as out:
            out.write(json.dumps(prompt) + "\\n")
        return super()._call(prompt, *arguments, **options)

import takeback.adapters.persist
takeback.adapters.persist.allow(FakeModel)
model = FakeModel(responses=["I am well.", "You asked how I am."])
"""

BASIC = """
import persist
from langchain.chains import ConversationChain

# Create and use an agent
agent = ConversationChain(...)
agent.predict("Hello, how are you?")

# Save snapshot
persist.snapshot(agent, "agent_snapshot.json.gz",
                agent_id="conversation_agent",
                description="After greeting interaction")

# Later, restore the agent
restored_agent = persist.restore("agent_snapshot.json.gz")

# Continue using the restored agent
response = restored_agent.predict("What did we talk about?")
"""

ADVANCED = """
import persist

# Get snapshot metadata
metadata = persist.get_metadata("agent_snapshot.json.gz")
print(f"Agent: {metadata['agent_id']}")
print(f"Created: {metadata['timestamp']}")
print(f"Size: {metadata['uncompressed_size']} bytes")

# Verify snapshot integrity
if persist.verify_snapshot("agent_snapshot.json.gz"):
    print("Snapshot is valid")

# Manage snapshots
if persist.snapshot_exists("old_snapshot.json.gz"):
    persist.delete_snapshot("old_snapshot.json.gz")
"""


def with_the_import_changed(sample: str) -> str:
    return sample.replace("import persist\n", "import takeback.adapters.persist as persist\n")


def as_langchain_is_today(sample: str) -> str:
    return (
        sample.replace("from langchain.chains", "from langchain_classic.chains")
        .replace("ConversationChain(...)", "ConversationChain(llm=model)")
        .replace('predict("', 'predict(input="')
    )


def run(script: str, directory: Path) -> str:
    done = subprocess.run([sys.executable, "-c", script], cwd=directory, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_sample_runs_in_two_processes_and_the_conversation_goes_on(tmp_path: Path) -> None:
    sample = as_langchain_is_today(with_the_import_changed(BASIC))
    saving, marker, restoring = sample.partition("# Later, restore the agent")
    imports = "".join(line + "\n" for line in sample.splitlines() if line.startswith(("import", "from")))
    run(BEFORE + saving, tmp_path)
    run(BEFORE + imports + marker + restoring + "assert response == 'You asked how I am.'", tmp_path)
    asked = [json.loads(line) for line in (tmp_path / "asked.jsonl").read_text().splitlines()]
    assert len(asked) == 2
    assert "Human: Hello, how are you?\nAI: I am well." in asked[1]
    (tmp_path / "old_snapshot.json.gz").write_bytes(b"")
    said = run(with_the_import_changed(ADVANCED), tmp_path).splitlines()
    assert said[0] == "Agent: conversation_agent"
    assert said[1].startswith("Created: 20")
    assert int(said[2].split()[1]) > 1000
    assert said[3] == "Snapshot is valid"
    assert not (tmp_path / "old_snapshot.json.gz").exists()


def test_plain_data_needs_no_langchain_and_a_langchain_file_names_the_extra(tmp_path: Path) -> None:
    run(
        "import takeback.adapters.persist as persist\n"
        "from langchain_core.messages import HumanMessage\n"
        "persist.snapshot([HumanMessage('hi')], 'messages.json.gz')",
        tmp_path,
    )
    said = run(
        "import sys\n"
        "for name in ('langchain_core', 'langchain_classic', 'pydantic'): sys.modules[name] = None\n"
        "import takeback.adapters.persist as persist\n"
        "persist.snapshot({'a': [1, {'lc': 1}]}, 'plain.json.zst')\n"
        "assert persist.restore('plain.json.zst') == {'a': [1, {'lc': 1}]}\n"
        "assert persist.verify_snapshot('messages.json.gz') and persist.get_metadata('messages.json.gz')\n"
        "try: persist.restore('messages.json.gz')\n"
        "except persist.PersistUnavailableError as error: print(error)\n",
        tmp_path,
    )
    assert "pip install 'takeback[langchain]'" in said
