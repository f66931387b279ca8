"""Input files of the benchmarks. Some hundred records are made from a fixed seed, and repeated with new ids."""
import json
import random
from pathlib import Path

VERBS = ["get", "list", "search", "create", "update", "delete", "send", "fetch", "book", "cancel"]
NOUNS = ["user", "order", "invoice", "flight", "ticket", "report", "document", "calendar", "payment", "record"]
KEYS = ["user_id", "limit", "date", "status", "region", "amount", "page", "verbose", "city"]
WORDS = """the customer asked for a refund because order was delayed in transit and agent should check shipping status before issuing
credit note to account owner then send email with summary of next steps including expected date amount reference number Zürich""".split()

dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Maker:
    """Makes cases: `kind` says what calls hold, `calls` how many are expected, out of `tools` tools."""

    def __init__(self, kind, calls, tools=100):
        self.kind, self.calls, self.tools = kind, calls, tools
        self.random = random.Random(kind)

    def words(self, count):
        return " ".join(self.random.choices(WORDS, k=count))

    def value(self, key):
        made = {
            "limit": lambda: self.random.randint(1, 499), "page": lambda: self.random.randint(1, 499),
            "amount": lambda: self.random.randint(100, 500_000) / 100, "verbose": lambda: self.random.random() < 0.5,
            "date": lambda: f"2026-{self.random.randint(1, 12):02}-{self.random.randint(1, 28):02}",
            "user_id": lambda: f"usr_{self.random.getrandbits(32):08x}",
        }  # fmt: skip
        return made.get(key, lambda: self.words(self.random.randint(3, 6)))()

    def row(self):
        price = {"amount": self.random.randint(100, 99_900) / 100, "currency": "EUR", "tax": self.random.randint(0, 24)}
        texts = {"title": self.words(6), "tags": self.random.choices(WORDS, k=3), "note": None if self.random.random() < 0.3 else self.words(9)}
        return {"id": f"rec_{self.random.getrandbits(32):08x}", **texts, "price": price, "active": self.random.random() < 0.5}

    def args(self):
        if self.kind == "names":
            return {}
        if self.kind == "texts":
            return {"subject": self.words(self.random.randint(8, 80)), "body": self.words(self.random.randint(8, 80))}
        if self.kind == "documents":
            return {"kind": "batch", "rows": [self.row() for _ in range(85)], "total": 85}
        return {key: self.value(key) for key in ["query", *self.random.sample(KEYS, 2)]}

    def call(self):
        tool = self.random.randrange(self.tools)
        return {"name": f"{VERBS[tool % 10]}_{NOUNS[tool // 10]}", "args": self.args()}

    def changed(self, call):
        """The call with another name, or with another value."""
        if self.random.random() < 0.3:
            return self.call()
        args = dict(call["args"])
        if self.kind == "documents":
            return {**call, "args": {**args, "rows": [*args["rows"][:-1], self.row()]}}
        key = self.random.choice(list(args))
        return {**call, "args": {**args, key: self.value(key)}}

    def edited(self, call):
        """The call with words of its texts replaced."""
        rate = self.random.choice([0, 0.05, 0.2, 0.6])

        def edit(text):
            return " ".join(self.words(self.random.randint(0, 2)) if self.random.random() < rate else word for word in text.split(" "))

        return {**call, "args": {key: edit(text) for key, text in call["args"].items()}}

    def derived(self, expected):
        """Most calls are kept, some with their keys in another order; others are changed, left out, or followed by another call."""
        actual = []
        for call in expected:
            what = self.random.random()
            if what < 0.23:
                actual.append({**call, "args": dict(self.random.sample(sorted(call["args"].items()), len(call["args"])))})
            elif what < 0.7:
                actual.append(call)
            elif what < 0.88:
                actual.append(self.changed(call))
            elif what > 0.94:
                actual += [call, self.call()]
        for at in range(1, len(actual)):
            if self.random.random() < 0.1:
                actual[at - 1 : at + 1] = actual[at], actual[at - 1]
        return actual

    def case(self):
        """The text of a case behind its id."""
        count = self.random.randint(self.calls // 2, self.calls * 3 // 2) if self.kind == "varied" else self.calls
        expected = [self.call() for _ in range(count)]
        if self.kind == "names":
            actual = [self.call() for _ in range(count)]
        elif self.kind == "texts":
            actual = [self.edited(call) for call in expected]
        else:
            actual = self.derived(expected)
        return dumps({"expected": expected, "actual": messages(actual) if self.kind == "messages" else actual})[1:]


def messages(calls):
    """The calls as messages of the chat API."""
    made = [{"role": "user", "content": "please check my order"}]
    for at, call in enumerate(calls):
        function = {"name": call["name"], "arguments": dumps(call["args"])}
        made.append({"role": "assistant", "content": None, "tool_calls": [{"id": f"call_{at}", "type": "function", "function": function}]})
        made.append({"role": "tool", "tool_call_id": f"call_{at}", "content": "done"})
    return made


def cases(count, maker, templates):
    made = [maker.case() for _ in range(min(templates, count))]
    return (f'{{"id":"c{number}",{made[number % len(made)]}\n' for number in range(count))


def runs(count):
    """Runs of about 20 calls, in 192 orders."""
    maker = Maker("runs", 1)

    def run():
        either = maker.random.choice
        order = [*range(8), *either([[8, 9], [9, 8]]), either([10, 11]), *either([[], [12]]), *either([[13, 14], [14, 13]])]
        order += [15] * either([1, 2, 3]) + [either([16, 17]), 18, 19, 20, 21, *either([[], [22]])]
        return dumps({"actual": [{"name": f"tool_{tool}", "args": {**maker.args(), "text": maker.words(12)}} for tool in order]})[1:]

    made = [run() for _ in range(min(1_000, count))]
    return (f'{{"id":"r{number}",{made[number % len(made)]}\n' for number in range(count))


def trace(maker, trace_id):
    """The spans of an agent that asks a model four times and runs three tools; each request holds the history."""
    def span(name, parent, **attributes):
        values = [{"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in attributes.items()]
        times = {"startTimeUnixNano": "1760000000000000000", "endTimeUnixNano": "1760000000900000000"}
        return {"traceId": trace_id, "spanId": f"{maker.random.getrandbits(64):016x}", **parent, "name": name, "kind": 1, **times, "attributes": values, "status": {}}

    agent = span("invoke_agent shop", {}, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="shop")
    parent = {"parentSpanId": agent["spanId"]}
    history, spans = [{"role": "user", "parts": [{"type": "text", "content": maker.words(30)}]}], []
    for step in range(4):
        call = {"type": "tool_call", "id": f"call_{maker.random.getrandbits(64):x}", "name": maker.call()["name"], "arguments": maker.args()}
        answer = {"role": "assistant", "parts": [call if step < 3 else {"type": "text", "content": maker.words(25)}]}
        model = {"gen_ai__provider__name": "openai", "gen_ai__request__model": "gpt-4o-mini", "gen_ai__response__id": maker.words(2)}
        contents = {"gen_ai__input__messages": dumps(history), "gen_ai__output__messages": dumps([{**answer, "finish_reason": "stop"}])}
        spans.append(span("chat gpt-4o-mini", parent, gen_ai__operation__name="chat", **model, **contents))
        if step < 3:
            result = {"status": maker.words(2), "steps": [maker.words(12), maker.words(12)]}
            tool = {"gen_ai__tool__name": call["name"], "gen_ai__tool__call__id": call["id"], "gen_ai__tool__call__arguments": dumps(call["arguments"])}
            spans.append(span("execute_tool", parent, gen_ai__operation__name="execute_tool", **tool, gen_ai__tool__call__result=dumps(result)))
            history += [answer, {"role": "tool", "parts": [{"type": "tool_call_response", "id": call["id"], "response": result}]}]
    return [*spans, agent]


def spans(count, document=False):
    """Export requests of 64 spans, of eight traces at a time: the spans of a trace are in several requests."""
    maker, running, order, started = Maker("spans", 1), [], [], 0
    while len(order) < 1024:
        while len(running) < 8 and started < 128:
            running.append(trace(maker, f"{started:024x}@@@@@@@@"))
            started += 1
        at = maker.random.randrange(len(running))
        order.append(running[at].pop(0))
        running = [left for left in running if left]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop-agent"}}]}
    batches = [order[at : at + 64] for at in range(0, 1024, 64)]
    requests = [dumps({"resource": resource, "scopeSpans": [{"scope": {"name": "shop"}, "spans": batch}]}) for batch in batches]
    before, between, after = ('{"resourceSpans":[', ",", "]}\n") if document else ("", "", "")
    yield before
    for number in range(max(1, count // 128)):
        for at, request in enumerate(requests):
            request = request.replace("@@@@@@@@", f"{number:08x}")
            yield (between if number + at else "") + request if document else f'{{"resourceSpans":[{request}]}}\n'
    yield after


NAMES = ["find", "look", "pay", "refund", "mail", "note", "close", "book"]


def tree(source, leaves):
    """A random expectation in blocks, and a function that makes runs of names that it accepts."""
    if leaves == 1:
        name = source.choice(NAMES)
        return name, lambda: [name]
    kind = source.choice(["sequence", "sequence", "any_order", "one_of", "sequence", "sequence", "any_order", "one_of", "optional", "repeat"])
    parts, left = [], leaves - 1 if kind in ("optional", "repeat") else leaves
    while left > 0:
        part = left if kind in ("optional", "repeat") else source.randint(1, min(left, leaves - 1))
        parts.append(tree(source, part))
        left -= part
    accepted = [accept for _, accept in parts]

    def run():
        chosen = {"one_of": lambda: [source.choice(accepted)], "any_order": lambda: source.sample(accepted, len(accepted))}.get(kind, lambda: accepted)()
        rounds = {"optional": source.randint(0, 1), "repeat": source.randint(1, 3)}.get(kind, 1)
        return [name for _ in range(rounds) for accept in chosen for name in accept()]

    return {kind: [element for element, _ in parts]}, run


def trees(count, source=None):
    """Expectations of 5 to 15 names, and runs of 5 to 30 names: half of them accepted, half disturbed."""
    source = source or random.Random(24)
    for number in range(count):
        expected, run = tree(source, source.randint(5, 15))
        names = run()
        for _ in range(source.choice([0, 0, 0, 0, 1, 2, 3, 4])):
            at = source.randint(0, len(names))
            names[at : at + source.randint(0, 1)] = source.choice([[], [source.choice(NAMES)]])
        names = (names + source.choices(NAMES, k=max(0, 5 - len(names))))[: source.randint(5, 30)]
        yield dumps({"id": f"t{number}", "expected": [expected], "actual": names}) + "\n"


RULES = """{"call":"refund","needs_before":"verify","same":"order"} {"call":"refund","at_most":1,"same":"order"}
{"call":{"name":"refund","args":{"amount":{"$not":{"$lte":100}}}},"never":true}""".split()
GUARD = f'{{"expected":[{{"repeat":{dumps([f"t{at}" for at in range(10)])}}}],"rules":["no send after read_secret","first t0",{",".join(RULES)}]}}'

CASES = Path(__file__).resolve().parents[2] / "examples/support-agent/cases.jsonl"

# By name: the number of cases, and the lines of that many cases.
INPUTS = {
    "w1": (100_000, lambda count: cases(count, Maker("varied", 8), 1_000)),
    "w1_50": (50, lambda count: cases(count, Maker("varied", 8), 1_000)),
    "w1_one": (1, lambda count: cases(count, Maker("varied", 8), 1_000)),
    "w1_long": (1_000_000, lambda count: cases(count, Maker("varied", 8), 1_000)),
    "w2": (2_000, lambda count: cases(count, Maker("small", 200), 40)),
    "w3": (1, lambda count: cases(count, Maker("names", 16_000, 20), 1)),
    "w4": (10_000, lambda count: cases(count, Maker("texts", 2, 3), 1_000)),
    "w5": (500, lambda count: cases(count, Maker("documents", 4), 20)),
    "w6": (100_000, lambda count: cases(count, Maker("messages", 5), 1_000)),
    **{f"wl_{calls}": (64_000 // calls, lambda count, calls=calls: cases(count, Maker("small", calls, 20), 16)) for calls in (1_000, 2_000, 4_000)},
    "spans": (110_592, spans),
    "spans_document": (110_592, lambda count: spans(count, document=True)),
    "runs": (100_000, runs),
    "trees": (2_000, trees),
    "guard": (1, lambda _: [GUARD]),
    "suite": (1, lambda _: [f"cases: {CASES}\nevaluators: [{{evaluator: trajectory, threshold: 1}}]\n"]),
}
