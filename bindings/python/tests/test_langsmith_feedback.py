"""The LangSmith feedback of agentevals' evaluators, with and without the changed import: apart from ids and times, the same data are
posted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from langsmith_server import Langsmith, langsmith

MESSAGES = '''
import importlib, json, os

match, older = (importlib.import_module(module) for module in os.environ["EVALUATORS"].split())

def called(id):
    call = {"id": "c", "type": "function", "function": {"name": "find", "arguments": json.dumps({"id": id})}}
    return [{"role": "user", "content": "go"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
'''

EXPERIMENT = (
    MESSAGES
    + '''
import asyncio, datetime, uuid
from langsmith import Client, aevaluate, evaluate
from langsmith.schemas import Example

now = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
known = {"dataset_id": uuid.UUID(int=1), "created_at": now, "modified_at": now, "outputs": {"messages": called(7)}}
examples = [Example(id=uuid.UUID(int=id), inputs={"id": id}, **known) for id in (7, 8)]
client = Client()
options = {"data": examples, "client": client, "max_concurrency": 0, "experiment_prefix": "refunds"}
lenient = {"trajectory_match_mode": "superset", "tool_args_match_mode": "ignore"}

evaluators = [match.create_trajectory_match_evaluator(), match.create_trajectory_match_evaluator(**lenient)]
evaluate(lambda inputs: {"messages": called(inputs["id"])}, evaluators=evaluators, **options)

async def target(inputs):
    return {"messages": called(inputs["id"])}

asyncio.run(aevaluate(target, evaluators=[match.create_async_trajectory_match_evaluator(), older.trajectory_strict_match_async], **options))
client.flush()
'''
)

TESTS = (
    MESSAGES
    + '''
import pytest
from langsmith import testing

@pytest.mark.langsmith
@pytest.mark.parametrize("id", [7, 8])
def test_refund(id):
    testing.log_inputs({"question": "go"})
    testing.log_outputs({"messages": called(id)})
    testing.log_reference_outputs({"messages": called(7)})
    for settings in ({}, {"trajectory_match_mode": "unordered", "tool_args_match_mode": "ignore"}):
        evaluator = match.create_trajectory_match_evaluator(**settings)
        result = evaluator(outputs=called(id), reference_outputs=called(7))
        assert result["score"] is (id == 7 or bool(settings))
    older.trajectory_strict_match(outputs=called(id), reference_outputs=called(7))
'''
)


PACKAGE = ("agentevals.trajectory.match", "agentevals.trajectory.strict")


def left_by(modules: tuple[str, str], arguments: list[str], folder: Path) -> Langsmith:
    """The data posted by a program with evaluators from two modules; the older functions come from the second one."""
    with langsmith() as server:
        settings = {"LANGSMITH_ENDPOINT": server.url, "LANGSMITH_API_KEY": "none", "LANGSMITH_TRACING": "true"}
        settings |= {"LANGSMITH_TEST_SUITE": "refunds", "LANGSMITH_TEST_TRACKING": "true", "LANGSMITH_DISABLE_RUN_COMPRESSION": "true"}
        environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
        run = [sys.executable, *arguments]
        kept = {"env": environment | settings | {"EVALUATORS": " ".join(modules)}, "cwd": folder, "capture_output": True, "text": True}
        ran = subprocess.run(run, timeout=300, **kept)  # type: ignore[call-overload]
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return server


STRICT = [("trajectory_strict_match", score) for score in (0, 1)]


@pytest.mark.parametrize(
    ("name", "text", "run", "feedback"),
    [
        ("experiment.py", EXPERIMENT, [], [*STRICT * 3, *[("trajectory_superset_match", 1)] * 2]),
        (
            "test_refund.py",
            TESTS,
            "-m pytest -q -p no:cacheprovider -p no:deepeval -p no:xdist".split(),
            [*[("pass", 1)] * 2, *STRICT * 2, *[("trajectory_unordered_match", 1)] * 2],
        ),
    ],
)
def test_the_same_feedback_is_left(tmp_path: Path, name: str, text: str, run: list[str], feedback: list[tuple[str, int]]) -> None:
    pytest.importorskip("langsmith")
    pytest.importorskip("agentevals")
    (tmp_path / name).write_text(text)
    package = left_by(PACKAGE, [*run, name], tmp_path)
    assert package.feedback() == sorted(feedback)
    ours = "rightcall.compat.package.agentevals"
    assert left_by((ours, ours), [*run, name], tmp_path).told() == package.told()
