//! `fetch`, from a service on this machine to a score. The tests of `rightcall-fetch` cover the requests to each service.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::{Place, Said, said};

/// Answers one-line requests with a status and a body, or not at all.
fn serve(mut answer: impl FnMut(&str) -> Option<(u16, String)> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        let mut unanswered: Vec<TcpStream> = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(&stream)
                .lines()
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty());
            let asked = lines.next().unwrap_or_default();
            lines.for_each(drop);
            let Some((status, body)) = answer(&asked) else {
                unanswered.push(stream);
                continue;
            };
            let length = body.len();
            let reply = format!(
                "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nRetry-After: 0\r\nConnection: close\r\n\r\n{body}"
            );
            _ = stream.write_all(reply.as_bytes());
        }
    });
    url
}

/// Two traces of Langfuse, one a page: `t1` calls find, `t2` calls find and refund.
fn langfuse(asked: &str) -> (u16, String) {
    let observation = |id: &str, tool: &str, at: u8| {
        format!(
            r#"{{"id":"{id}-{at}","traceId":"{id}","parentObservationId":null,"type":"TOOL","name":"{tool}","startTime":"2026-11-21T00:00:0{at}.000Z","endTime":"2026-11-21T00:00:0{at}.500Z","input":{{"id":7}},"output":"done","level":"DEFAULT","metadata":{{}}}}"#
        )
    };
    let trace = |id: &str, tools: &[&str]| {
        let steps = (1..).zip(tools).map(|(at, tool)| observation(id, tool, at));
        let steps = steps.collect::<Vec<_>>().join(",");
        (
            200,
            format!(
                r#"{{"id":"{id}","timestamp":"2026-11-21T00:00:00.000Z","observations":[{steps}]}}"#
            ),
        )
    };
    if asked.contains("/traces/t1 ") {
        return trace("t1", &["find"]);
    }
    if asked.contains("/traces/t2 ") {
        return trace("t2", &["find", "refund"]);
    }
    let page = if asked.contains("page=2") { 2 } else { 1 };
    let body = format!(
        r#"{{"data":[{{"id":"t{page}"}}],"meta":{{"page":{page},"limit":50,"totalItems":2,"totalPages":2}}}}"#
    );
    (200, body)
}

const EXPECTED: &str =
    "{\"id\":\"t1\",\"expected\":[\"find\"]}\n{\"id\":\"t2\",\"expected\":[\"find\",\"pay\"]}\n";

fn command(place: &Place, url: &str, line: &str) -> assert_cmd::Command {
    let mut command = place.command();
    command
        .env("LANGFUSE_BASE_URL", url)
        .env("LANGFUSE_PUBLIC_KEY", "pk")
        .env("LANGFUSE_SECRET_KEY", "sk-secret")
        .args(line.split_whitespace());
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        command.env_remove(variable);
    }
    command
}

fn fetch(place: &Place, url: &str, line: &str) -> Said {
    said(&mut command(place, url, line))
}

const FETCH: &str = "fetch langfuse --since 2026-11-20 -o traces.jsonl";

/// The fetched traces score 1 and 0.5.
fn check_scores(place: &Place) {
    let seen = place.check("inspect traces.jsonl", &[], 0, &[]);
    let first = "traces.jsonl · Langfuse traces · 2 trajectories, 3 calls\n";
    assert!(seen.stdout.starts_with(first), "{}", seen.stdout);
    let line = "score expected.jsonl --traces traces.jsonl -e trajectory,match.args=ignore --format jsonl --no-details";
    let scores = place.check(line, &[], 0, &[]).stdout;
    let wanted = [
        r#""case":"t1","evaluator":"trajectory","score":1.0"#,
        r#""case":"t2","evaluator":"trajectory","score":0.5"#,
    ];
    for wanted in wanted {
        assert!(scores.contains(wanted), "{scores}");
    }
}

#[test]
fn fetched_file_is_read_and_scored_like_any_other() {
    let mut is_busy = true;
    let url = serve(move |asked| {
        if std::mem::take(&mut is_busy) {
            return Some((503, "later".to_owned()));
        }
        Some(langfuse(asked))
    });
    let place = Place::new().with("expected.jsonl", EXPECTED);
    let said = fetch(&place, &url, FETCH);
    assert_eq!(
        (said.code, said.stderr.as_str()),
        (
            0,
            "waiting for 0 s: it answered 503\n1 page, 1 trace\n2 pages, 2 traces\nwrote traces.jsonl: 2 traces; format langfuse\n"
        )
    );
    check_scores(&place);
    let quiet = fetch(&place, &url, "fetch langfuse -o again.jsonl --quiet");
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    assert_eq!(place.read("again.jsonl"), place.read("traces.jsonl"));
}

/// Waits for the request of the second page, leaves it unanswered, and kills the command.
fn kill(place: &Place, url: &str, asked: &Receiver<()>) {
    let program = command(place, url, FETCH);
    let mut child = Command::new(program.get_program());
    child.args(program.get_args()).current_dir(place.path("."));
    child.envs(
        program
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let mut child = child.stderr(Stdio::null()).spawn().unwrap();
    asked.recv().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn killed_fetch_resumes_without_duplicates_or_losses() {
    let (tell, asked) = channel();
    let mut holds_back = 2;
    let url = serve(move |asked| {
        if asked.contains("page=2") && holds_back > 0 {
            holds_back -= 1;
            tell.send(()).unwrap();
            return None;
        }
        Some(langfuse(asked))
    });
    let place = Place::new().with("expected.jsonl", EXPECTED);
    kill(&place, &url, &asked);
    assert!(!place.path("traces.jsonl").exists());
    kill(&place, &url, &asked);
    let other = fetch(
        &place,
        &url,
        "fetch langfuse --since 2026-11-19 -o traces.jsonl",
    );
    assert_eq!(other.code, 2);
    assert!(
        other.stderr.contains("--restart begins anew"),
        "{}",
        other.stderr
    );
    let said = fetch(&place, &url, FETCH);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(
        said.stderr
            .contains("2 traces, 1 of them by an earlier fetch"),
        "{}",
        said.stderr
    );
    assert_eq!(place.read("traces.jsonl").lines().count(), 2);
    assert!(!place.path("traces.jsonl.part").exists());
    check_scores(&place);
}

#[test]
fn service_messages_are_escaped_and_secrets_are_hidden() {
    let body = "{\"message\": \"no \\u001b[31msk-secret\\u001b[0m\\nhere\"}";
    let url = serve(move |_| Some((403, body.to_owned())));
    let place = Place::new();
    let said = fetch(&place, &url, FETCH);
    assert_eq!(said.code, 2);
    let wanted = "refuses the credentials (403): no \\u{1b}[31m…\\u{1b}[0m here\n  help: they come from LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY\n";
    assert!(said.stderr.ends_with(wanted), "{}", said.stderr);
}

#[test]
fn wrong_arguments_and_missing_variables_are_reported() {
    let place = Place::new();
    for (line, wanted) in [
        (
            "fetch langsmith -o x.jsonl",
            "LangSmith needs the variable LANGSMITH_API_KEY, which is not set",
        ),
        (
            "fetch weave -o x.jsonl",
            "[possible values: langfuse, langsmith, phoenix, mlflow, braintrust]",
        ),
        ("fetch langfuse", "--output <FILE>"),
        ("fetch langfuse -o x.jsonl --since soon", "expected a day"),
        (
            "fetch langfuse -o x.jsonl --filter name",
            "expected KEY=VALUE",
        ),
        (
            "fetch langfuse -o x.jsonl --filter nam=x",
            "Langfuse has no filter `nam`",
        ),
        (
            "fetch langfuse -o x.jsonl --project p",
            "belongs to one project",
        ),
    ] {
        let said = said(
            command(&place, "http://127.0.0.1:9", line)
                .env_remove("LANGSMITH_API_KEY")
                .env_remove("LANGCHAIN_API_KEY"),
        );
        assert_eq!(said.code, 2, "{line}");
        assert!(said.stderr.contains(wanted), "{line}\n{}", said.stderr);
    }
    let empty = serve(|_| {
        Some((
            200,
            r#"{"data":[],"meta":{"page":1,"limit":50,"totalItems":0,"totalPages":0}}"#.to_owned(),
        ))
    });
    let said = fetch(&place, &empty, "fetch langfuse -o x.jsonl");
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("no trace matches"), "{}", said.stderr);
    assert!(!place.path("x.jsonl").exists());
}

#[test]
fn page_lists_services_variables_and_filters() {
    let page =
        std::fs::read_to_string(crate::readme::root().join("docs/commands/fetch.md")).unwrap();
    for service in rightcall_fetch::SERVICES {
        assert!(
            page.contains(&format!("## {}\n", service.title)),
            "{}",
            service.name
        );
        let part = page
            .split(&format!("## {}\n", service.title))
            .nth(1)
            .unwrap();
        let part = part.split("\n## ").next().unwrap();
        for (name, _) in service.variables.iter().chain(service.filters) {
            let name = if name.ends_with('.') {
                format!("{name}KEY")
            } else {
                (*name).to_owned()
            };
            assert!(
                part.contains(&format!("`{name}`")),
                "{}: {name}",
                service.name
            );
        }
        assert!(
            part.contains(&format!("[`{}`](../formats.md)", service.format)),
            "{}",
            service.name
        );
    }
}
