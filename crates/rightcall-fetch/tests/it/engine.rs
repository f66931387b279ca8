//! Behavior common to all services: busy services, broken pages, kills, secrets. Tested with Langfuse.

use std::fs;
use std::io::Read as _;

use rightcall_fetch::{FetchError, FetchQuestion};
use rightcall_formats::{Input, Limits, ReadOptions};
use serde_json::json;

use crate::server::{Asked, Reply, Server};
use crate::{Place, since};

/// Pages of `sizes` traces each, named `t1`, `t2` and so on.
pub(crate) fn pages(asked: &Asked, sizes: &[usize]) -> Reply {
    if let Some(id) = asked.path.strip_prefix("/api/public/traces/") {
        return Reply::json(&json!({"id": id, "observations": []}));
    }
    let page: usize = asked.query("page").unwrap().parse().unwrap();
    let before: usize = sizes[..page - 1].iter().sum();
    let ids = (1..=sizes.get(page - 1).copied().unwrap_or(0))
        .map(|at| json!({"id": format!("t{}", before + at)}));
    let ids: Vec<_> = ids.collect();
    Reply::json(
        &json!({"data": ids, "meta": {"page": page, "limit": 50, "totalItems": 9, "totalPages": sizes.len()}}),
    )
}

pub(crate) fn place(url: &str) -> Place {
    Place::new(&[
        ("LANGFUSE_BASE_URL", url),
        ("LANGFUSE_PUBLIC_KEY", "pk-public"),
        ("LANGFUSE_SECRET_KEY", "sk-secret"),
    ])
}

/// The ids of the written traces, in order.
fn ids(place: &Place) -> Vec<String> {
    let id = |line: &String| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        value["id"].as_str().unwrap().to_owned()
    };
    place.lines().iter().map(id).collect()
}

pub(crate) fn ask(place: &Place) -> Result<rightcall_fetch::Fetched, FetchError> {
    place.fetch("langfuse", &FetchQuestion::default())
}

#[test]
fn busy_service_is_retried_after_its_delay_or_with_growing_delays() {
    let server = Server::new(|asked, before| match before {
        0 => Reply::of(429, "slow down").with("Retry-After", "7"),
        1 => Reply::of(429, "slow down").with("X-RateLimit-Reset", "11"),
        2 => Reply::of(500, "oops"),
        3 => Reply::of(503, "oops"),
        _ => pages(asked, &[1]),
    });
    let place = place(&server.url);
    assert_eq!(ask(&place).unwrap().traces, 1);
    assert_eq!(place.waits(), [7, 11, 4, 8]);
    assert_eq!(place.files(), ["traces.jsonl"]);
}

#[test]
fn exhausted_rate_limit_delays_the_next_request() {
    let server = Server::new(|asked, before| {
        let remaining = if before == 0 { "0" } else { "5" };
        let reply = pages(asked, &[1]).with("X-RateLimit-Remaining", remaining);
        reply.with("X-RateLimit-Reset", "20")
    });
    let place = place(&server.url);
    assert_eq!(ask(&place).unwrap().traces, 1);
    assert_eq!(place.waits(), [20]);
}

#[test]
fn busy_service_fails_after_all_attempts_or_at_once_for_long_delays() {
    let server = Server::new(|_, _| Reply::of(502, "bad gateway"));
    let place_of = place(&server.url);
    let error = ask(&place_of).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("/api/public/traces answered 502: bad gateway"),
        "{error}"
    );
    assert_eq!(place_of.waits(), [1, 2, 4, 8, 16, 32]);
    let server = Server::new(|_, _| Reply::of(429, "").with("Retry-After", "86400"));
    let place_of = place(&server.url);
    let error = ask(&place_of).unwrap_err();
    assert!(error.to_string().contains("86400 seconds"), "{error}");
    assert!(place_of.waits().is_empty());
}

#[test]
fn rejected_credentials_are_reported_once_and_never_shown() {
    let body = json!({"message": "Invalid credentials sk-secret of pk-public. Basic cGstcHVibGljOnNrLXNlY3JldA== \u{1b}[31mred", "error": "x"});
    let server = Server::new(move |_, _| Reply::of(401, body.to_string()));
    let place = place(&server.url);
    let error = ask(&place).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("refuses the credentials (401): Invalid credentials …"),
        "{text}"
    );
    assert!(
        !text.contains("sk-secret") && !text.contains("cGstc"),
        "{text}"
    );
    assert_eq!(
        error.help().unwrap(),
        "they come from LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"
    );
    assert_eq!(server.asked().len(), 1);
    assert!(place.waits().is_empty());
}

#[test]
fn broken_page_is_an_error_and_complete_pages_are_kept() {
    let server = Server::new(|asked, before| {
        // The third page is invalid JSON on the first request.
        let is_third = asked.query("page") == Some("3");
        if is_third && before < 6 {
            Reply::of(200, "{\"data\": [{\"id\"")
        } else {
            pages(asked, &[2, 1, 1])
        }
    });
    let place = place(&server.url);
    let error = ask(&place).unwrap_err();
    assert!(matches!(error, FetchError::Answer { .. }), "{error}");
    assert!(error.to_string().contains("EOF while parsing"), "{error}");
    assert_eq!(
        place.files(),
        ["traces.jsonl.part", "traces.jsonl.part.json"]
    );
    let asked_before = server.asked().len();
    let fetched = ask(&place).unwrap();
    assert_eq!((fetched.traces, fetched.before), (4, 3));
    assert_eq!(ids(&place), ["t1", "t2", "t3", "t4"]);
    // The third page and its one trace.
    assert_eq!(server.asked().len() - asked_before, 2);
    assert_eq!(place.files(), ["traces.jsonl"]);
}

#[test]
fn truncated_response_is_retried() {
    let server = Server::new(|asked, before| match before {
        1 => pages(asked, &[1]).cut_after(5),
        _ => pages(asked, &[1]),
    });
    let place = place(&server.url);
    assert_eq!(ask(&place).unwrap().traces, 1);
    assert_eq!(
        (ids(&place), place.waits()),
        (vec!["t1".to_owned()], vec![1])
    );
}

/// After a kill at any time, the file is one of these: the recorded pages and any part of the next one.
#[test]
fn bytes_after_the_recorded_pages_are_cut_off_after_a_kill() {
    let server = Server::new(|asked, before| {
        if before == 3 {
            Reply::of(400, "stop")
        } else {
            pages(asked, &[2, 2])
        }
    });
    let place = place(&server.url);
    ask(&place).unwrap_err();
    let part = place.folder.path().join("traces.jsonl.part");
    let whole = fs::read(&part).unwrap();
    let state = fs::read(place.folder.path().join("traces.jsonl.part.json")).unwrap();
    let next = b"{\"id\":\"t3\",\"observations\":[]}\n{\"id\":\"t4\"";
    for end in 0..=next.len() {
        fs::write(&part, [&whole, &next[..end]].concat()).unwrap();
        fs::write(place.folder.path().join("traces.jsonl.part.json"), &state).unwrap();
        ask(&place).unwrap();
        assert_eq!(ids(&place), ["t1", "t2", "t3", "t4"], "{end}");
    }
    // A partial file shorter than its recorded state is not accepted as complete.
    fs::write(&part, &whole[..whole.len() - 1]).unwrap();
    fs::write(place.folder.path().join("traces.jsonl.part.json"), &state).unwrap();
    let error = ask(&place).unwrap_err();
    assert!(matches!(error, FetchError::OtherPart { .. }), "{error}");
    place
        .fetch_anew("langfuse", &FetchQuestion::default(), true)
        .unwrap();
    assert_eq!(ids(&place), ["t1", "t2", "t3", "t4"]);
}

#[test]
fn compressed_file_is_complete_after_a_kill() {
    let unpacked = |name: &str, bytes: &[u8]| {
        let mut text = String::new();
        if name.ends_with("gz") {
            flate2::read::MultiGzDecoder::new(bytes)
                .read_to_string(&mut text)
                .unwrap();
        } else {
            text = String::from_utf8(zstd::decode_all(bytes).unwrap()).unwrap();
        }
        text
    };
    let mut read = Vec::new();
    for name in ["traces.jsonl", "traces.jsonl.gz", "traces.jsonl.ZST"] {
        let server = Server::new(|asked, before| {
            if before == 4 {
                Reply::of(400, "stop")
            } else {
                pages(asked, &[1, 0, 2])
            }
        });
        let place = Place {
            name,
            ..place(&server.url)
        };
        ask(&place).unwrap_err();
        let part = place.folder.path().join(format!("{name}.part"));
        let whole = fs::read(&part).unwrap();
        // Part of the next page was written, but its state was not.
        fs::write(&part, [&whole[..], &whole[..7]].concat()).unwrap();
        let fetched = ask(&place).unwrap();
        assert_eq!((fetched.traces, fetched.before), (3, 1));
        assert_eq!(place.files(), [name]);
        let bytes = fs::read(place.output()).unwrap();
        assert_eq!(bytes.starts_with(b"{"), name == "traces.jsonl");
        let mut input =
            Input::open(&place.output(), Limits::default(), &ReadOptions::default()).unwrap();
        assert_eq!(input.format().unwrap().unwrap().name, "langfuse");
        read.push(match name {
            "traces.jsonl" => String::from_utf8(bytes).unwrap(),
            _ => unpacked(name, &bytes),
        });
    }
    assert_eq!(read[0].lines().count(), 3);
    assert!(read.iter().all(|text| *text == read[0]));
}

#[test]
fn part_file_belongs_to_its_query_and_keeps_its_time_range() {
    let server = Server::new(|asked, before| {
        if before == 3 {
            Reply::of(400, "stop")
        } else {
            pages(asked, &[1, 1])
        }
    });
    let place = place(&server.url);
    let week = |at: i64| {
        let mut since = since();
        since.text = "7d".to_owned();
        since.at += at;
        FetchQuestion {
            since: Some(since),
            ..FetchQuestion::default()
        }
    };
    // Requests: the list, the trace, the list, then the interruption.
    place.fetch("langfuse", &week(0)).unwrap_err();
    let error = ask(&place).unwrap_err();
    assert!(error.to_string().contains("another question"), "{error}");
    place.fetch("langfuse", &week(60_000)).unwrap();
    let lists = server
        .asked()
        .into_iter()
        .filter(|asked| asked.path == "/api/public/traces");
    let times: Vec<_> = lists
        .map(|asked| asked.query("fromTimestamp").unwrap().to_owned())
        .collect();
    assert!(
        times.iter().all(|time| time == "2026-11-21T00:00:00Z"),
        "{times:?}"
    );
    assert_eq!(ids(&place), ["t1", "t2"]);
}

#[test]
fn limit_counts_traces_and_no_more_are_requested() {
    let server = Server::new(|asked, _| pages(asked, &[2, 2, 2]));
    let place = place(&server.url);
    let question = FetchQuestion {
        limit: std::num::NonZeroUsize::new(3),
        ..FetchQuestion::default()
    };
    assert_eq!(place.fetch("langfuse", &question).unwrap().traces, 3);
    assert_eq!(ids(&place), ["t1", "t2", "t3"]);
    assert_eq!(server.asked().len(), 5);
}

#[test]
fn shifting_pages_give_no_duplicate_traces() {
    let server = Server::new(|asked, _| {
        if asked.query("page") == Some("2") {
            let listed = json!([{"id": "t2"}, {"id": "t3"}]);
            return Reply::json(
                &json!({"data": listed, "meta": {"page": 2, "limit": 50, "totalItems": 3, "totalPages": 2}}),
            );
        }
        pages(asked, &[2, 2])
    });
    let place = place(&server.url);
    assert_eq!(ask(&place).unwrap().traces, 3);
    assert_eq!(ids(&place), ["t1", "t2", "t3"]);
}

#[test]
fn deleted_trace_is_counted() {
    let server = Server::new(|asked, _| {
        if asked.path.ends_with("/t2") {
            return Reply::of(404, "gone");
        }
        pages(asked, &[3])
    });
    let place = place(&server.url);
    let fetched = ask(&place).unwrap();
    assert_eq!((fetched.traces, fetched.without_records), (2, 1));
    assert_eq!(ids(&place), ["t1", "t3"]);
}

#[test]
fn empty_fetch_writes_no_file() {
    let server = Server::new(|asked, _| pages(asked, &[0]));
    let place = place(&server.url);
    assert_eq!(ask(&place).unwrap().records, 0);
    assert!(place.files().is_empty());
}

#[test]
fn unreachable_service_is_an_immediate_error() {
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let place = place(&format!("http://{free}"));
    let error = ask(&place).unwrap_err();
    assert!(matches!(error, FetchError::NoAnswer { .. }), "{error}");
    assert!(place.waits().is_empty());
}

#[test]
fn secrets_are_sent_only_to_their_own_host() {
    let elsewhere = Server::new(|asked, _| pages(asked, &[1]));
    let url = elsewhere.url.clone();
    let home = Server::new(move |asked, before| match before {
        0 => Reply::of(302, "").with("Location", "/other?page=1"),
        1 => Reply::of(307, "").with("Location", format!("{url}/api/public/traces?page=1")),
        _ => pages(asked, &[1]),
    });
    let place_of = place(&home.url);
    assert_eq!(ask(&place_of).unwrap().traces, 1);
    assert!(home.asked()[1].header("authorization").is_some());
    assert_eq!(elsewhere.asked().len(), 1);
    assert_eq!(elsewhere.asked()[0].header("authorization"), None);
    // A request body is not sent to another host either.
    let url = elsewhere.url.clone();
    let home = Server::new(move |_, _| Reply::of(308, "").with("Location", format!("{url}/x")));
    let place_of = Place::new(&[
        ("MLFLOW_TRACKING_URI", &home.url),
        ("MLFLOW_EXPERIMENT_ID", "1"),
    ]);
    let error = place_of
        .fetch("mlflow", &FetchQuestion::default())
        .unwrap_err();
    assert!(
        error.to_string().contains("where nothing is sent"),
        "{error}"
    );
    // A redirect loop ends with an error.
    let home = Server::new(|asked, _| Reply::of(302, "").with("Location", asked.path.clone()));
    let error = ask(&place(&home.url)).unwrap_err();
    assert!(error.to_string().contains("leads elsewhere"), "{error}");
}

#[test]
fn invalid_addresses_and_addresses_with_passwords_are_errors() {
    for (address, wanted) in [
        ("cloud.langfuse.com", "no address of the web"),
        ("https://", "no address of the web"),
        ("https://host/?key=1", "no address of the web"),
        ("https://user:hidden@host", "holds a user or a password"),
    ] {
        let error = ask(&place(address)).unwrap_err();
        assert!(error.to_string().contains(wanted), "{address}: {error}");
        assert!(!error.to_string().contains("hidden"), "{error}");
    }
}

#[test]
fn concurrent_fetches_do_not_share_a_file() {
    let server = Server::new(|asked, _| pages(asked, &[1]));
    let place = place(&server.url);
    let part = fs::File::create(place.folder.path().join("traces.jsonl.part")).unwrap();
    part.lock().unwrap();
    let error = ask(&place).unwrap_err();
    assert!(error.to_string().contains("another process"), "{error}");
    part.unlock().unwrap();
    assert_eq!(ask(&place).unwrap().traces, 1);
}

#[test]
fn failed_first_fetch_leaves_no_part_file() {
    let server = Server::new(|asked, before| match before {
        0 => Reply::of(400, "no such environment"),
        _ => pages(asked, &[1]),
    });
    let place = place(&server.url);
    let question = crate::filtered(&[("environment", "x")]);
    let error = place.fetch("langfuse", &question).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("answered 400: no such environment"),
        "{error}"
    );
    assert!(place.files().is_empty());
    assert_eq!(ask(&place).unwrap().traces, 1);
}
