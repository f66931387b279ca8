"""Concurrency and extras: other threads, an event loop, a progress bar, a plot, an agent's spans."""

from __future__ import annotations

import asyncio
import builtins
import json
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Cases
from test_score import made

import rightcall

#: Enough calls for the assignment to take a while.
MANY = [{"name": "a", "args": {"text": f"{at:05} of many, alike"}} for at in range(90)]
FUZZY: dict[str, Any] = {"match": {"args": "fuzzy"}}


@pytest.fixture
def no_switches() -> Iterator[None]:
    """Makes Python switch threads only if one releases the global lock by itself."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Makes a thread ask for the global lock after 1 ms in place of 5: an unoptimized build works slower between two pauses."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.001)
    yield
    sys.setswitchinterval(before)


def others_go_on(work: Callable[[], Any]) -> bool:
    """True if another Python thread can run during work that calls no Python function.

    A busy machine may not wake the other thread in time, so the work gets several chances.
    """
    return any(another_ran_during(work) for _ in range(20))


def another_ran_during(work: Callable[[], Any]) -> bool:
    ticks, ready, done = [0], threading.Event(), threading.Event()

    def tick() -> None:
        ready.set()
        while not done.is_set():
            ticks[0] += 1
            # Releases the global lock.
            time.sleep(0)

    other = threading.Thread(target=tick)
    other.start()
    ready.wait()
    before = ticks[0]
    work()
    after = ticks[0]
    done.set()
    other.join()
    return after > before


def test_nobody_else_runs_unless_let(no_switches: None) -> None:
    assert not others_go_on(lambda: sum(range(1_000_000)))


def test_evaluate_lets_others_run_while_it_judges(no_switches: None) -> None:
    messages = [{"role": "assistant", "tool_calls": [{"id": str(at), "function": {"name": "a", "arguments": json.dumps(call["args"])}}]} for at, call in enumerate(MANY[1:])]
    for actual in (MANY[1:] * 2, messages, tuple(MANY[1:])):
        assert others_go_on(lambda actual=actual: rightcall.evaluate("trajectory", expected=MANY, actual=actual, **FUZZY))  # type: ignore[misc]
    evaluation = rightcall.evaluate("trajectory", expected=MANY[:40], actual=MANY[1:40], **FUZZY)
    for look in (lambda: evaluation.alignment, lambda: evaluation.sentence, evaluation.explain):
        assert others_go_on(look)


def test_score_and_scan_let_others_run(no_switches: None, tmp_path: Path) -> None:
    case = {"expected": MANY[:40], "actual": MANY[1:40]}
    settings = {"evaluator": "trajectory", **FUZZY}
    assert others_go_on(lambda: rightcall.score([case], evaluators=settings, threads=1))
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({key: [json.dumps(value)] for key, value in case.items()})
    assert others_go_on(lambda: rightcall.score(table, evaluators=settings, threads=1))
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case) + "\n")
    assert others_go_on(lambda: rightcall.score(rightcall.scan(file), evaluators=settings, threads=1))
    assert others_go_on(lambda: list(rightcall.scan(file).results(settings, threads=1)))
    file.write_text((json.dumps(case) + "\n") * 200)
    assert others_go_on(lambda: list(rightcall.scan(file)))


async def test_the_event_loop_goes_on() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(tick())
    evaluations = await asyncio.gather(
        *(rightcall.evaluate_async("trajectory", expected=MANY[:20], actual=MANY[at:20], **FUZZY) for at in range(3))
    )
    other.cancel()
    assert ticks > 0
    alone = [rightcall.evaluate("trajectory", expected=MANY[:20], actual=MANY[at:20], **FUZZY) for at in range(3)]
    assert evaluations == alone
    with pytest.raises(rightcall.ConfigError):
        await rightcall.evaluate_async("trajector", expected=[], actual=[])


async def longest_hold(work: Callable[[], Awaitable[Any]]) -> float:
    """The seconds that other threads worked between two turns of the event loop, at most. CPU time, because the machine may be busy."""

    def others() -> float:
        return time.process_time() - time.thread_time()

    longest = 0.0

    async def tick() -> None:
        nonlocal longest
        last = others()
        while True:
            await asyncio.sleep(0)
            last, before = others(), last
            longest = max(longest, last - before)

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    await work()
    ticking.cancel()
    return longest


@dataclass
class Made:
    name: str
    args: dict[str, Any]


def big_sides() -> dict[str, Any]:
    calls: list[dict[str, Any]] = [{"name": f"tool_{at % 20}", "args": {"id": at, "reason": "late", "notify": True}} for at in range(5000)]
    asked = [{"id": str(at), "type": "function", "function": {"name": call["name"], "arguments": json.dumps(call["args"])}} for at, call in enumerate(calls)]
    return {
        "calls": calls,
        "long arguments": [{**call, "args": {"text": "x" * 2000, "lines": list(range(100))}} for call in calls],
        "objects": [Made(call["name"], call["args"]) for call in calls],
        "one message": [{"role": "assistant", "tool_calls": asked}],
        "many messages": {"messages": [{"role": "assistant", "tool_calls": [one]} for one in asked]},
    }


async def assert_the_loop_goes_on(judge: Callable[[], Awaitable[Any]], alone: Callable[[], Any]) -> None:
    """The event loop waits 10 ms at most, or a tenth of the work alone: an unoptimized build works slower between two pauses."""
    start = time.process_time()
    alone()
    at_most = max(0.010, (time.process_time() - start) / 10)
    # A busy machine may stop the loop's thread alone; it doesn't do so every time.
    holds: list[float] = []
    while min(holds, default=1.0) > at_most and len(holds) < 30:
        holds.append(await longest_hold(judge))
    assert min(holds) <= at_most, holds


@pytest.mark.parametrize("form", big_sides())
async def test_the_event_loop_goes_on_during_a_case_of_5000_calls(form: str, quick_switches: None) -> None:
    side = big_sides()[form]
    expected = side if form != "objects" else big_sides()["calls"]
    name = "axion/tool-correctness"
    await assert_the_loop_goes_on(
        lambda: rightcall.evaluate_async(name, expected=expected, actual=side),
        lambda: rightcall.evaluate(name, expected=expected, actual=side),
    )


async def test_the_event_loop_goes_on_during_10000_cases(cases: Cases, quick_switches: None) -> None:
    many = made(cases, 10_000)
    judge = lambda: rightcall.score(many, evaluators="axion/tool-correctness", threads=1)  # noqa: E731
    await assert_the_loop_goes_on(lambda: asyncio.to_thread(judge), judge)


def test_a_function_is_told_of_progress(cases: Cases, tmp_path: Path) -> None:
    many, told = made(cases, 5000), list[int]()
    rightcall.score(many, evaluators=["trajectory", "axion/tool-correctness"], progress=told.append)
    assert told == [4096, 5000]
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({key: [json.dumps(case[key]) for case in many] for key in ("expected", "actual")})
    told.clear()
    rightcall.score(table, evaluators="trajectory", progress=told.append)
    assert told == [4096, 5000]
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in many[:1000]))
    for work in (
        lambda: rightcall.score(rightcall.scan(file), evaluators="trajectory", progress=told.append),
        lambda: rightcall.score(rightcall.scan(file, progress=told.append), evaluators="trajectory"),
        lambda: list(rightcall.scan(file, progress=told.append)),
        lambda: list(rightcall.scan(file).results("trajectory", progress=told.append)),
    ):
        told.clear()
        work()
        assert told[-1] == 1000 and told == sorted(set(told)) and len(told) > 1


def test_an_error_of_the_function_ends_the_work(cases: Cases) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rightcall.score(made(cases, 10), evaluators="trajectory", progress=stop)
    with pytest.raises(rightcall.ArgumentTypeError, match="progress: expected True, False or a function, found 7"):
        rightcall.score([], evaluators="trajectory", progress=7)  # type: ignore[arg-type]


def test_progress_is_a_bar_of_tqdm(cases: Cases, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    rightcall.score(made(cases, 5000), evaluators="trajectory", progress=True)
    assert "5.00k/5.00k" in capfd.readouterr().err


def test_without_tqdm_or_matplotlib_it_is_said_what_is_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] in ("tqdm", "matplotlib"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    run = rightcall.score([{"expected": ["a"], "actual": ["a"]}], evaluators="trajectory")
    with pytest.raises(ImportError, match="pip install tqdm, or give a function"):
        rightcall.score([], evaluators="trajectory", progress=True)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        run.plot()


def test_a_run_is_plotted(cases: Cases) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    run = rightcall.score([*made(cases, 50), {"id": "none", "expected": ["a"]}], evaluators=["trajectory", {"evaluator": "axion/tool-correctness", "name": "mine"}])
    figure = run.plot()
    first, second = figure.axes
    assert first.get_title(loc="left").startswith("trajectory · mean 0.") and "1 not applicable" in first.get_title(loc="left")
    assert second.get_title(loc="left").startswith("mine · mean ")
    for axes, evaluator in zip((first, second), run.summary["evaluators"], strict=True):
        assert sum(bar.get_height() for bar in axes.patches) == evaluator["scored"]
        assert axes.lines[0].get_xdata()[0] == evaluator["mean"]
    assert len(rightcall.score([{"expected": ["a"]}], evaluators="trajectory").plot().axes) == 1


def test_spans_are_captured_and_judged() -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    from rightcall.opentelemetry import CallCapture

    capture, provider = CallCapture(), trace.TracerProvider()
    provider.add_span_processor(capture)
    tracer = provider.get_tracer("tests")

    def agent(*tools: str) -> None:
        with tracer.start_as_current_span("invoke_agent", attributes={"gen_ai.operation.name": "invoke_agent"}):
            for tool in tools:
                attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "gen_ai.tool.call.arguments": '{"id": 7}'}
                with tracer.start_as_current_span(f"execute_tool {tool}", attributes=attributes):
                    pass

    agent("unseen")
    expected = [{"name": "find", "args": {"id": 7}}, {"name": "refund", "args": {"id": 7}}]
    with capture.run() as whole:
        with capture.run() as first:
            agent("find")
        with capture.run() as second:
            agent("refund")
    agent("unseen")
    assert [run.evaluate("trajectory", expected=expected, mode="exact").score for run in (whole, first, second)] == [1.0, 0.0, 0.0]
    assert whole.evaluate("uipath/tool-call-order", expected=["find", "refund"], edition="package").score == 1.0
    assert first.evaluate("trajectory", expected=[expected[0]]).score == 1.0
    assert rightcall.evaluate("trajectory", expected=[expected[0]], actual=first.spans).score == 1.0
    with pytest.raises(rightcall.CaseError, match="expected one run, found 2 runs"):
        rightcall.evaluate("trajectory", expected=expected, actual=whole.spans)
    assert [len(run.spans) for run in (whole, first, second)] == [4, 2, 2]
    with capture.run() as idle:
        pass
    assert idle.evaluate("trajectory", expected=expected).score is None


def test_a_capture_without_spans_is_no_run_without_calls() -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    sampling = pytest.importorskip("opentelemetry.sdk.trace.sampling")
    from rightcall.opentelemetry import CallCapture

    capture, provider = CallCapture(), trace.TracerProvider(sampler=sampling.ALWAYS_OFF)
    provider.add_span_processor(capture)
    with capture.run() as run:
        with provider.get_tracer("tests").start_as_current_span("execute_tool refund"):
            pass
        with trace.TracerProvider().get_tracer("tests").start_as_current_span("execute_tool refund"):
            pass
    judged = [
        run.evaluate("constraints", forbidden=["refund"]),
        run.evaluate("trajectory", expected=[]),
        rightcall.evaluate("trajectory", expected=[], actual=run.spans),
        rightcall.score([{"expected": [], "actual": run.spans}], evaluators="trajectory")[0],
    ]
    assert [evaluation.outcome for evaluation in judged] == ["not_applicable"] * 4
    assert all("is the capture added to the agent's tracer provider" in (evaluation.reason or "") for evaluation in judged)


def test_a_tree_without_spans_is_no_run_without_calls() -> None:
    tree = SimpleNamespace(roots=[], find=lambda: None)
    evaluation = rightcall.evaluate("trajectory", expected=[], actual=tree)
    assert evaluation.outcome == "not_applicable" and "no span was recorded" in (evaluation.reason or "")
    assert rightcall.score([{"expected": [], "actual": tree}], evaluators="trajectory")[0].score is None
