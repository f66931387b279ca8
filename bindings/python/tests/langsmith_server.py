"""A local fake of the LangSmith server that stores posted data."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_ID = "00000000-0000-4000-8000-000000000001"
_DATASET = {"id": _ID, "name": "refunds", "created_at": "2026-01-01T00:00:00Z", "tenant_id": _ID}
_SESSION = {"id": _ID, "name": "session", "start_time": "2026-01-01T00:00:00Z", "tenant_id": _ID, "reference_dataset_id": _ID}
_ANSWERS = {
    "/info": {
        "batch_ingest_config": {
            "use_multipart_endpoint": True,
            "scale_up_nthreads_limit": 1,
            "scale_up_qsize_trigger": 1000,
            "size_limit": 100,
            "size_limit_bytes": 20_000_000,
        }
    },
    "/settings": {"id": _ID, "display_name": "tests", "created_at": "2026-01-01T00:00:00Z"},
    "/datasets": _DATASET,
    "/sessions": _SESSION,
}

#: Data that differ between any two runs.
_ACCIDENTS = [
    (re.compile(r"\d{8}T\d{12}Z"), "moment "),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "id"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(\+00:00|Z)?"), "moment"),
    (re.compile(r"refunds-[0-9a-f]{8}|TestSuiteResult:[0-9a-f]{8}"), "experiment"),
    (re.compile(r"127\.0\.0\.1:\d+"), "server"),
]


class Langsmith:
    """The posted data: pairs of a kind and its JSON."""

    def __init__(self) -> None:
        self.posted: list[tuple[str, Any]] = []
        self.url = ""

    def keep(self, path: str, kind: str, body: bytes) -> None:
        if not body:
            return
        if not kind.startswith("multipart/"):
            self.posted.append((path.replace("POST /feedback", "feedback.alone"), json.loads(body)))
            return
        message = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
        for part in message.get_payload():
            assert not isinstance(part, str)
            name = str(part.get_param("name", header="content-disposition"))
            self.posted.append((name, json.loads(part.get_payload(decode=True))))  # type: ignore[arg-type]

    def told(self) -> list[str]:
        """The posted data without ids, times and the like, in an order that does not depend on threads."""
        runs: dict[str, dict[str, Any]] = {}
        texts = []
        for what, told in self.posted:
            kind, _, rest = what.partition(".")
            if kind in ("post", "patch"):
                # A run may be posted at once or in two parts; feedback may be posted alone or together with runs.
                run, _, member = rest.partition(".")
                parts = {member: told} if member else {key: value for key, value in told.items() if value is not None}
                runs.setdefault(run, {}).update(parts)
            else:
                texts.append(f"{kind} {json.dumps(told, sort_keys=True)}")
        texts += (f"run {json.dumps(run, sort_keys=True)}" for run in runs.values())
        return sorted(map(_without_accidents, texts))

    def feedback(self) -> list[tuple[str, Any]]:
        """The key and the score of each feedback."""
        return sorted((told["key"], told["score"]) for what, told in self.posted if what.startswith("feedback."))


def _without_accidents(text: str) -> str:
    for pattern, instead in _ACCIDENTS:
        text = pattern.sub(instead, text)
    return text


@contextmanager
def langsmith() -> Iterator[Langsmith]:
    kept = Langsmith()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def reply(self) -> None:
            path = self.path.split("?")[0]
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            kept.keep(f"{self.command} {path}", self.headers.get("Content-Type") or "", body)
            answer: Any = _ANSWERS.get("/" + path.split("/")[1], {})
            if self.command == "GET" and path in ("/datasets", "/sessions"):
                answer = [answer]
            is_missing = self.command == "GET" and path.startswith("/examples/")
            data = json.dumps(answer).encode()
            self.send_response(404 if is_missing else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_PUT = reply

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
