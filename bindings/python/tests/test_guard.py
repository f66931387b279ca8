"""A guard decides before each call: in threads, in tasks, across processes."""

from __future__ import annotations

import asyncio
import functools
import json
import pickle
import random
import threading
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import rightcall
from rightcall import Guard

ONCE = [{"call": "refund", "at_most": 1, "same": "order", "why": "We pay once."}]


def test_a_refused_call_is_not_part_of_the_run() -> None:
    guard = Guard(["verify before refund", {"call": "refund", "at_most": 1, "same": "order"}])
    refused = guard.admit("refund", {"order": 7})
    assert not refused and refused.call is None and not refused.stopped
    assert refused.sentence == '`refund` may not be called now: it breaks the rule "verify before refund".'
    assert [it.rule for it in refused.refusals] == ["verify before refund"]
    verified = guard.admit("verify", '{"order": 7}')
    assert verified.call == 0
    guard.result(0, {"ok": True}, failed=False)
    refunded = guard.admit("refund", {"order": 7})
    assert refunded.call == 1
    guard.result(1)
    again = guard.admit("refund", {"order": 7})
    assert again.refusals[0].calls == (1, 2)
    assert guard.verdicts() == [("verify before refund", "satisfied"), ("at most 1 refund, same order", "satisfied_so_far")]
    whole = guard.finish()
    assert whole.score == 1.0 and whole.passed and whole.evaluator == "constraints"
    assert [check["held"] for check in whole.details["checks"]] == [True, True]
    with pytest.raises(rightcall.ArgumentError, match="the run is finished"):
        guard.admit("verify", {})


def test_a_call_that_the_schema_of_its_tool_forbids_is_refused(tmp_path: Path) -> None:
    tools = [{"name": "refund", "input_schema": {"type": "object", "properties": {"amount": {"type": "number"}}}}]
    guard = Guard({"schema": tools})
    (refusal,) = guard.admit("refund", {"amount": "7"}).refusals
    assert refusal.sentence == '`refund` may not be called now: arguments.amount is "7", the schema asks for a number.'
    assert [(it.pointer, it.sentence) for it in refusal.violations] == [
        ("/amount", 'arguments.amount is "7", the schema asks for a number')
    ]
    assert guard.admit("refund", {"amount": 7}).allowed and guard.admit("another", {"amount": "7"}).allowed
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    (tmp_path / "rules.yaml").write_text("schema: tools.json\n")
    restored = pickle.loads(pickle.dumps(Guard.from_file(tmp_path / "rules.yaml")))
    assert not restored.admit("refund", {"amount": "7"}).allowed
    run = {"expected": {}, "actual": [{"name": "refund", "args": {"amount": "7"}}]}
    judged = rightcall.evaluate("constraints", **run, schema=tools)
    assert judged.score == 0.0 and judged.details["checks"][0]["actual"] == [0]
    with pytest.raises(rightcall.ConfigError, match="no file `nowhere.json`"):
        Guard({"schema": "nowhere.json"})


def test_a_run_that_insists_is_stopped() -> None:
    seen: list[tuple[str, Any, bool]] = []
    guard = Guard(["never refund"], on_decision=lambda name, args, it: seen.append((name, args, it.stopped)))
    for stopped in (False, False, True):
        assert guard.admit("refund", {"order": 7}).stopped is stopped
    assert guard.stopped == (
        "The run is stopped: `refund` was refused 3 times with the same arguments. Do not call any more tools."
    )
    assert guard.admit("find", {}).stopped
    assert seen[2:] == [("refund", {"order": 7}, True), ("find", {}, True)]


@pytest.mark.parametrize(("mode", "says"), [("warn", True), ("observe", False)])
def test_other_modes_let_calls_pass(mode: Any, says: bool) -> None:
    guard = Guard(["never refund"], mode=mode)
    decision = guard.admit("refund", {})
    assert decision.allowed and bool(decision.sentence) is says
    assert guard.mode == mode and guard.finish().passed is False


def test_may_asks_and_open_says_what_must_still_happen() -> None:
    guard = Guard([{"call": "refund", "needs_after": "send_email", "why": "Customers want to know."}, "never delete"])
    assert [it.rule for it in guard.may("delete")] == ["never delete"]
    guard.observe("refund", {"order": 7})
    assert [(it.rule, it.why) for it in guard.open()] == [("send_email after refund", "Customers want to know.")]
    assert guard.reminder() == 'The rule "send_email after refund" does not hold yet. Reason: Customers want to know.'
    assert guard.reminder() is None


def test_of_two_parallel_calls_exactly_one_is_admitted() -> None:
    for seed in range(500):
        guard = Guard(ONCE)
        barrier = threading.Barrier(2)
        admitted: list[bool] = []

        def call(order: random.Random, barrier: threading.Barrier = barrier, guard: Guard = guard) -> None:
            barrier.wait()
            for _ in range(order.randrange(50)):
                pass
            admitted.append(bool(guard.admit("refund", {"order": 7}, group="one message")))

        threads = [threading.Thread(target=call, args=(random.Random(2 * seed + it),)) for it in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(admitted) == [False, True], seed


def test_of_two_tasks_exactly_one_is_admitted() -> None:
    async def both(seed: int) -> list[str]:
        guard, order = Guard(ONCE), random.Random(seed)

        @guard.tool
        async def refund(order: int) -> str:
            await asyncio.sleep(0)
            return "paid"

        async def later(steps: int) -> str:
            for _ in range(steps):
                await asyncio.sleep(0)
            return await refund(order=7)

        return sorted(await asyncio.gather(later(order.randrange(5)), later(order.randrange(5))))

    for seed in range(500):
        refused, paid = asyncio.run(both(seed))
        assert refused.startswith("`refund` may not be called now") and paid == "paid"


def test_a_guard_goes_on_where_it_was_pickled() -> None:
    guard = Guard([*ONCE, {"call": {"name": "a", "failed": True}, "never": True}])
    guard.admit("refund", {"order": 7})
    guard.admit("refund", {"order": 7})
    pending = guard.admit("a", None)
    again = pickle.loads(pickle.dumps(guard))
    assert again.verdicts() == guard.verdicts() and again.snapshot() == guard.snapshot()
    again.result(pending.call, None, failed=True)
    assert [verdict for _, verdict in again.verdicts()] == ["satisfied_so_far", "violated"]
    assert not again.admit("refund", {"order": 7}).stopped
    assert again.admit("refund", {"order": 7}).stopped


def test_tools_of_a_table_ask_first() -> None:
    ran: list[Any] = []

    def refund(order: int, *, note: str = "", context: object = None) -> str:
        ran.append((order, note))
        return "paid"

    async def find(order: int) -> dict[str, int]:
        if order < 0:
            raise KeyError(order)
        return {"order": order}

    guard = Guard(["find before refund", {"call": {"name": "refund", "args": {"note": "free"}}, "never": True}])
    tools = guard.tools({"refund": refund, "find": find}, ignore=["context"])
    assert tools["refund"](7).startswith("`refund` may not be called now")
    with pytest.raises(KeyError):
        asyncio.run(tools["find"](-1))
    assert asyncio.run(tools["find"](order=7)) == {"order": 7}
    assert tools["refund"](7, context=object()) == "paid"
    assert "never refund" in tools["refund"](7, note="free")
    assert ran == [(7, "")]
    with pytest.raises(rightcall.RunStopped, match="refused 3 times"):
        for _ in range(3):
            tools["refund"](7, note="free")


def test_rules_may_be_any_mapping_and_ignored_names_any_iterable() -> None:
    settings = MappingProxyType({"rules": ["never refund"], "max_calls": 1})
    assert len(Guard(settings).verdicts()) == 2

    def find(order: int, context: object = None) -> str:
        return "found"

    guard = Guard([])
    tools = guard.tools({"find": find, "search": find}, ignore=iter(["context"]))
    assert [tools[name](7, context=object()) for name in tools] == ["found", "found"]
    decorate = guard.tool(ignore=iter(["context"]))
    assert [decorate(find)(7, context=object()) for _ in range(2)] == ["found", "found"]


def test_calls_of_one_step_are_parallel() -> None:
    guard = Guard(["verify before refund"])
    with guard.step("message 1"):
        assert guard.admit("verify", {})
        assert not guard.admit("refund", {})
    assert guard.admit("refund", {})


def test_rules_come_from_files(tmp_path: Path) -> None:
    rules, suite, wrong = tmp_path / "rules.yaml", tmp_path / "suite.yaml", tmp_path / "wrong.yaml"
    rules.write_text("- never refund\n")
    suite.write_text("traces: a.jsonl\nevaluators:\n  - {evaluator: constraints, name: r, rules: [never refund], max_calls: 1}\n")
    wrong.write_text("- never refund\n- {call: refund, neds: verify}\n")
    assert [rule for rule, _ in Guard.from_file(rules).verdicts()] == ["never refund"]
    assert len(Guard.from_file(str(suite), mode="warn").verdicts()) == 2
    with pytest.raises(rightcall.SuiteError) as raised:
        Guard.from_file(wrong)
    assert "did you mean `needs`" in str(raised.value) and raised.value.file == str(wrong)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(rightcall.ConfigError, match="did you mean `verify before refund`"):
        Guard(["verify befor refund"])
    with pytest.raises(rightcall.ArgumentError, match="mode: expected block, warn or observe"):
        Guard([], mode="deny")  # type: ignore[arg-type]
    with pytest.raises(rightcall.UnsuitedType, match="/?args"):
        Guard([]).admit("a", {"k": object()})
    with pytest.raises(rightcall.ArgumentError, match="there is no call 3"):
        Guard([]).result(3, 1)


def test_expected_calls_are_watched() -> None:
    guard = Guard({"expected": [{"name": "find", "args": {"order": {"$var": "o"}}}, {"name": "refund", "args": {"order": {"$var": "o"}}}]})
    assert guard.next() == [{"name": "find", "args": {"order": {"$var": "o"}}}]
    assert guard.admit("refund", {"order": 7}).sentence.endswith("it is not expected here. Expected next: `find`.")
    assert guard.admit("find", {"order": 7})
    assert guard.next() == [{"name": "refund", "args": {"order": 7}}]
    assert guard.verdicts() == [("the expected calls", "open")]
    assert not guard.admit("refund", {"order": 8})
    assert guard.admit("refund", {"order": 7})
    assert guard.verdicts() == [("the expected calls", "satisfied_so_far")]


def test_what_is_no_rule_no_tool_or_no_argument_is_an_error() -> None:
    for rules, found in (("verify before refund", "a text"), (None, "None"), (7, "an object of class int")):
        with pytest.raises(rightcall.ArgumentTypeError, match=f"rules: expected a list of rules or settings of `constraints`, found {found}"):
            Guard(rules)  # type: ignore[arg-type]
    guard = Guard(["verify before refund"])
    for args in ([1], 7, "[1]", "7"):
        for ask in (guard.admit, guard.may, guard.observe):
            with pytest.raises(rightcall.ArgumentTypeError, match="args: expected a dict or its JSON text, found a"):
                ask("verify", args)
    # A model may write arguments that are no JSON.
    assert guard.may("refund", '{"order": ') and not guard.may("verify", '{"order": ')
    with pytest.raises(rightcall.ArgumentTypeError, match="table: expected a dict of tools by name, found an object of class list"):
        guard.tools([len])  # type: ignore[arg-type]
    guard.finish()
    with pytest.raises(rightcall.ArgumentError, match="the run is finished: make a new guard for the next run"):
        guard.admit("verify")
    with pytest.raises(rightcall.ArgumentError, match="not a snapshot of a guard"):
        Guard.restore("{}")


def test_rules_see_the_default_values_of_a_tool() -> None:
    guard = Guard([{"call": "refund", "at_most": 1, "same": "order"}])
    ran: list[Any] = []

    @guard.tool
    def refund(order: int = 3, *notes: str, tags: object = ("new",), lock: object = threading.Lock(), **more: Any) -> str:
        ran.append((order, notes, more))
        return "paid"

    assert refund() == "paid"
    assert all(again.startswith("`refund` may not be called now") for again in (refund(), refund(3)))
    assert refund(4, "a", other=1) == "paid"
    assert ran == [(3, (), {}), (4, ("a",), {"other": 1})]
    seen: list[Any] = []
    guard = Guard(["never refund"], on_decision=lambda _, args, __: seen.append(args))
    guard.tools({"refund": refund})["refund"](4, "a", other=1, tags=None)
    assert seen == [{"order": 4, "notes": ["a"], "tags": None, "other": 1}]
    with pytest.raises(TypeError, match="missing a required argument"):
        guard.tools({"refund": lambda order: order})["refund"]()


def test_methods_are_tools() -> None:
    guard = Guard([{"call": "*", "at_most": 1, "same": "order"}])

    class Tools:
        @guard.tool
        def verify(self, order: int) -> str:
            return f"verified {order}"

        @guard.tool
        async def find(self, order: int = 4) -> str:
            return f"found {order}"

        @guard.tool
        @classmethod
        def refund(cls, order: int) -> str:
            return f"{cls.__name__} {order}"

        @staticmethod
        @guard.tool
        def close(order: int) -> str:
            return f"closed {order}"

        @guard.tool
        @staticmethod
        def open(order: int) -> str:
            return f"opened {order}"

    tools = Tools()
    assert tools.verify(3) == "verified 3"
    assert asyncio.run(tools.find()) == "found 4"
    assert (tools.refund(5), Tools.close(6), tools.open(7)) == ("Tools 5", "closed 6", "opened 7")
    assert "may not be called now" in tools.verify(3)
    assert asyncio.run(tools.find()).startswith("`find` may not")
    bound = guard.tools({"verify": Tools().verify})["verify"]
    assert "may not be called now" in bound(3)


def test_a_tool_without_a_name_needs_one() -> None:
    guard = Guard([{"call": "refund", "at_most": 1, "same": "order"}])
    pay = functools.partial(lambda order, by: f"paid {order} by {by}", by="card")
    with pytest.raises(rightcall.ArgumentTypeError, match="expected a function with a name, found an object of class partial"):
        guard.tool(pay)
    with pytest.raises(rightcall.ArgumentTypeError, match="function: expected a tool, which is a function, found an int"):
        guard.tool(7)  # type: ignore[type-var]
    refund = guard.tool(name="refund")(pay)
    assert refund(3) == "paid 3 by card" and "may not be called" in refund(3)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda guard: guard.admit({"name": "refund", "args": {}}), 'found a dict\n  help: write guard.admit(call["name"], call["args"])'),
        (lambda guard: guard.may(b"refund"), "name: expected the name of a tool, found bytes"),
        (lambda guard: guard.observe(None), "name: expected the name of a tool, found None"),
        (lambda guard: guard.admit("refund", b"{}"), "args: expected a dict or its JSON text, found bytes"),
        (lambda guard: guard.admit("refund", {}, group=7), "group: expected the text of an id, found an int"),
        (lambda guard: guard.result("0", 1), "call: expected a decision or the index of a call, found a str"),
        (lambda guard: guard.result(None, 1), "call: expected a decision or the index of a call, found None"),
        (lambda guard: guard.result(-1), "call: expected the index of a call, found -1"),
        (lambda guard: guard.result(rightcall.Decision(None)), "found a refused one, which has no result"),
        (lambda guard: guard.result(0, failed="no"), "failed: expected True, False or None, found a str"),
        (lambda _: Guard([], max_refusals="3"), "max_refusals: expected a whole number, found a str"),  # type: ignore[arg-type]
        (lambda _: Guard([], max_refusals=-1), "max_refusals: expected a whole number of 0 or more, found -1"),
        (lambda _: Guard.restore(7), "snapshot: expected the text of `Guard.snapshot`, found an int"),  # type: ignore[arg-type]
    ],
)
def test_wrong_types_are_named(ask: Any, message: str) -> None:
    guard = Guard([])
    guard.observe("refund")
    with pytest.raises(rightcall.RightcallError) as raised:
        ask(guard)
    assert message in str(raised.value) and isinstance(raised.value, (TypeError, ValueError))


def test_a_result_takes_the_decision() -> None:
    guard = Guard([{"call": {"name": "find", "output": 7}, "never": True}])
    decision = guard.admit("find", {})
    if decision:
        guard.result(decision, 7, failed=False)
    assert guard.verdicts()[0][1] == "violated"


@pytest.mark.parametrize("args", [{}, '{"order', "", {"Order": 7}, {"order": None}, {"order": float("nan")}, "[]x"])
def test_the_schema_closes_the_way_around_a_rule_with_same(args: Any) -> None:
    schema = [{"name": "refund", "input_schema": {"type": "object", "required": ["order"], "properties": {"order": {"type": "integer"}}}}]
    guard = Guard({"schema": schema, "rules": [{"call": "refund", "at_most": 1, "same": "order"}]})
    assert not guard.admit("refund", args)
    assert guard.admit("refund", {"order": 7}) and not guard.admit("refund", {"order": 7})
