//! Each service: the requests it receives, and that its responses are read correctly.
//!
//! Every service holds three traces, `t1` to `t3`, two per page. Each looks up its number, and the second also makes a refund.

use rightcall_fetch::{FetchError, FetchQuestion};
use serde_json::{Value, json};

use crate::server::{Asked, Reply, Server};
use crate::{Place, calls, filtered, since, until};

/// The calls of the three traces.
fn wanted() -> Vec<Vec<String>> {
    let look = |number: u64| format!("find_order({{\"id\":{number}}})");
    vec![
        vec![look(1)],
        vec![look(2), "refund({\"id\":2})".to_owned()],
        vec![look(3)],
    ]
}

/// The tools that a trace calls, in order.
fn tools(number: u64) -> &'static [&'static str] {
    if number == 2 {
        &["find_order", "refund"]
    } else {
        &["find_order"]
    }
}

/// The number of a trace called `t7`.
fn number(id: &str) -> u64 {
    id.trim_start_matches('t').parse().unwrap()
}

fn asked_for(asked: &Asked, path: &str) -> bool {
    asked.path == path
}

/// The time of a trace's step, in seconds of a day.
fn time(number: u64, step: u64) -> String {
    format!("2026-11-21T0{number}:00:{step:02}.000Z")
}

fn bounded(filters: &[(&str, &str)]) -> FetchQuestion {
    FetchQuestion {
        since: Some(since()),
        until: Some(until()),
        ..filtered(filters)
    }
}

fn langfuse(asked: &Asked) -> Reply {
    let observation = |number: u64, step: usize, tool: &str| {
        json!({"id": format!("o{number}{step}"), "traceId": format!("t{number}"), "parentObservationId": null, "type": "TOOL", "name": tool,
            "startTime": time(number, step as u64), "endTime": time(number, step as u64 + 1), "completionStartTime": null,
            "model": null, "modelParameters": {}, "input": {"id": number}, "output": "done", "version": null, "metadata": {},
            "usage": {"input": 0, "output": 0, "total": 0, "unit": null}, "level": "DEFAULT", "statusMessage": null, "promptId": null,
            "usageDetails": {}, "costDetails": {}, "environment": "default"})
    };
    let trace = |number: u64| {
        json!({"id": format!("t{number}"), "timestamp": time(number, 0), "name": "support", "input": null, "output": null, "sessionId": "s",
            "release": null, "version": null, "userId": null, "metadata": {}, "tags": ["shop"], "public": false, "environment": "default",
            "htmlPath": "/x", "latency": 1.5, "totalCost": 0.0})
    };
    if let Some(id) = asked.path.strip_prefix("/api/public/traces/") {
        let number = number(id);
        let mut whole = trace(number);
        let steps = tools(number).iter().enumerate();
        whole["observations"] = steps
            .map(|(step, tool)| observation(number, step, tool))
            .collect();
        whole["scores"] = json!([]);
        // Pretty-printed, which the API doesn't forbid.
        return Reply::of(200, serde_json::to_string_pretty(&whole).unwrap());
    }
    let page: u64 = asked.query("page").unwrap().parse().unwrap();
    let listed: Vec<Value> = [[1, 2].as_slice(), &[3]][page as usize - 1]
        .iter()
        .map(|number| {
            let mut listed = trace(*number);
            listed["observations"] = json!([format!("o{number}0")]);
            listed["scores"] = json!([]);
            listed
        })
        .collect();
    Reply::json(
        &json!({"data": listed, "meta": {"page": page, "limit": 50, "totalItems": 3, "totalPages": 2}}),
    )
}

#[test]
fn langfuse_traces_have_their_observations() {
    let server = Server::new(|asked, _| langfuse(asked));
    let place = Place::new(&[
        ("LANGFUSE_HOST", &format!("{}/", server.url)),
        ("LANGFUSE_PUBLIC_KEY", "pk-1"),
        ("LANGFUSE_SECRET_KEY", "sk-2"),
    ]);
    let question = bounded(&[("tag", "shop"), ("tag", "new"), ("session", "s 1")]);
    let fetched = place.fetch("langfuse", &question).unwrap();
    assert_eq!((fetched.traces, fetched.records, fetched.pages), (3, 3, 2));
    assert_eq!(calls(&place.output()), ("langfuse", wanted()));
    let asked = server.asked();
    let first = &asked[0];
    assert_eq!(
        (first.method.as_str(), first.path.as_str()),
        ("GET", "/api/public/traces")
    );
    // `pk-1:sk-2`.
    assert_eq!(first.header("authorization"), Some("Basic cGstMTpzay0y"));
    for (key, value) in [
        ("page", "1"),
        ("fields", "core"),
        ("orderBy", "timestamp.asc"),
        ("fromTimestamp", "2026-11-21T00:00:00Z"),
        ("toTimestamp", "2026-11-22T00:00:00Z"),
        ("sessionId", "s 1"),
    ] {
        assert_eq!(first.query(key), Some(value), "{key}");
    }
    let tags = first.query.iter().filter(|(key, _)| key == "tags");
    assert_eq!(
        tags.map(|(_, tag)| tag.as_str()).collect::<Vec<_>>(),
        ["shop", "new"]
    );
    // Two lists and three traces.
    assert_eq!(asked.len(), 5);
}

fn langsmith(asked: &Asked) -> Reply {
    if asked_for(asked, "/sessions") {
        assert_eq!(asked.query("name"), Some("shop"));
        return Reply::json(&json!([{"id": "5e55", "name": "shop", "tenant_id": "x"}]));
    }
    let body = asked.json();
    assert_eq!(body["session"], json!(["5e55"]));
    let cursor = body["cursor"].as_str();
    if body["is_root"] == true {
        let (ids, next) = match cursor {
            None => (vec!["t1", "t2"], json!("more roots")),
            Some("more roots") => (vec!["t3"], Value::Null),
            other => panic!("{other:?}"),
        };
        let runs: Vec<_> = ids
            .iter()
            .map(|id| json!({"id": id, "trace_id": id}))
            .collect();
        return Reply::json(
            &json!({"runs": runs, "cursors": {"next": next, "prev": null}, "parsed_query": null}),
        );
    }
    let filter = body["filter"].as_str().unwrap();
    let list = filter
        .strip_prefix("in(trace_id, ")
        .unwrap()
        .strip_suffix(')')
        .unwrap();
    let ids: Vec<String> = serde_json::from_str(list).unwrap();
    let mut runs = Vec::new();
    for id in &ids {
        let number = number(id);
        runs.push(json!({"id": id, "trace_id": id, "parent_run_id": null, "dotted_order": id, "run_type": "chain", "name": "agent",
            "start_time": time(number, 0), "end_time": time(number, 9), "inputs": {}, "outputs": {}, "error": null, "status": "success",
            "session_id": "5e55", "extra": {}, "tags": []}));
        for (step, tool) in tools(number).iter().enumerate() {
            runs.push(json!({"id": format!("{id}-{step}"), "trace_id": id, "parent_run_id": id, "dotted_order": format!("{id}.{step}"),
                "run_type": "tool", "name": tool, "start_time": time(number, 1 + step as u64), "end_time": time(number, 2 + step as u64),
                "inputs": {"id": number}, "outputs": {"output": "done"}, "error": null, "status": "success", "session_id": "5e55",
                "extra": {}, "tags": []}));
        }
    }
    // One run per response: the runs of a page of traces span several responses.
    let at: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
    let next = (at + 1 < runs.len()).then(|| (at + 1).to_string());
    Reply::json(&json!({"runs": [runs[at]], "cursors": {"next": next}, "parsed_query": null}))
}

#[test]
fn langsmith_traces_have_all_their_runs() {
    let server = Server::new(|asked, _| langsmith(asked));
    let place = Place::new(&[
        ("LANGSMITH_ENDPOINT", &server.url),
        ("LANGSMITH_API_KEY", "ls-key"),
        ("LANGSMITH_PROJECT", "shop"),
        ("LANGSMITH_WORKSPACE_ID", "w1"),
    ]);
    let question = bounded(&[
        ("tag", "shop"),
        ("metadata.user", "u1"),
        ("where", "gt(latency, 5)"),
    ]);
    let fetched = place.fetch("langsmith", &question).unwrap();
    assert_eq!((fetched.traces, fetched.records, fetched.pages), (3, 7, 2));
    assert_eq!(calls(&place.output()), ("langsmith", wanted()));
    let asked = server.asked();
    assert_eq!(asked[0].header("x-api-key"), Some("ls-key"));
    assert_eq!(asked[0].header("x-tenant-id"), Some("w1"));
    let roots = asked[1].json();
    assert_eq!(roots["start_time"], "2026-11-21T00:00:00Z");
    assert_eq!(
        roots["filter"],
        "and(gte(start_time, \"2026-11-21T00:00:00Z\"), lt(start_time, \"2026-11-22T00:00:00Z\"), has(tags, \"shop\"), \
         and(eq(metadata_key, \"user\"), eq(metadata_value, \"u1\")), gt(latency, 5))"
    );
}

fn phoenix(asked: &Asked) -> Reply {
    assert_eq!(asked.path, "/v1/projects/my%20shop/spans");
    let span = |id: &str, step: Option<usize>| {
        let number = number(id);
        let name = step.map_or("agent", |step| tools(number)[step]);
        let at = step.map_or(0, |step| 1 + step as u64);
        json!({"id": "U3", "name": name, "context": {"trace_id": id, "span_id": format!("{id}-{at}")},
            "span_kind": if step.is_some() { "TOOL" } else { "AGENT" }, "parent_id": step.map(|_| format!("{id}-0")),
            "start_time": time(number, at), "end_time": time(number, at + 1), "status_code": "OK", "status_message": "",
            "attributes": {"input.value": format!("{{\"id\":{number}}}"), "output.value": "done"}, "events": []})
    };
    let cursor = asked.query("cursor");
    if asked.query("parent_id") == Some("null") {
        let (ids, next) = match cursor {
            None => (vec!["t1", "t2"], json!("roots 2")),
            Some("roots 2") => (vec!["t3"], Value::Null),
            other => panic!("{other:?}"),
        };
        let roots: Vec<_> = ids.iter().map(|id| span(id, None)).collect();
        return Reply::json(&json!({"data": roots, "next_cursor": next}));
    }
    let ids = asked.query.iter().filter(|(key, _)| key == "trace_id");
    let mut spans = Vec::new();
    for (_, id) in ids {
        spans.push(span(id, None));
        spans.extend((0..tools(number(id)).len()).map(|step| span(id, Some(step))));
    }
    let at: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
    let end = spans.len().min(at + 2);
    let next = (end < spans.len()).then(|| end.to_string());
    Reply::json(&json!({"data": spans[at..end], "next_cursor": next}))
}

#[test]
fn phoenix_traces_have_all_their_spans() {
    let server = Server::new(|asked, _| phoenix(asked));
    let place = Place::new(&[
        (
            "PHOENIX_COLLECTOR_ENDPOINT",
            &format!("{}/v1/traces", server.url),
        ),
        ("PHOENIX_API_KEY", "px"),
        ("PHOENIX_PROJECT_NAME", "another"),
    ]);
    let question = FetchQuestion {
        project: Some("my shop".to_owned()),
        ..bounded(&[("session", "s1"), ("attribute.llm.model", "m")])
    };
    let fetched = place.fetch("phoenix", &question).unwrap();
    assert_eq!((fetched.traces, fetched.records, fetched.pages), (3, 7, 2));
    assert_eq!(calls(&place.output()), ("flat-spans", wanted()));
    let first = &server.asked()[0];
    assert_eq!(first.header("authorization"), Some("Bearer px"));
    assert_eq!(first.query("start_time"), Some("2026-11-21T00:00:00Z"));
    assert_eq!(first.query("end_time"), Some("2026-11-22T00:00:00Z"));
    let attributes = first.query.iter().filter(|(key, _)| key == "attribute");
    let attributes: Vec<_> = attributes.map(|(_, value)| value.as_str()).collect();
    assert_eq!(attributes, ["session.id:\"s1\"", "llm.model:m"]);
}

#[test]
fn old_phoenix_is_an_error() {
    let child =
        json!({"name": "x", "context": {"trace_id": "t9", "span_id": "s"}, "parent_id": "p"});
    let server =
        Server::new(move |_, _| Reply::json(&json!({"data": [child], "next_cursor": null})));
    let place = Place::new(&[("PHOENIX_HOST", &server.url)]);
    let error = place
        .fetch("phoenix", &FetchQuestion::default())
        .unwrap_err();
    assert!(
        error.to_string().contains("Phoenix 13.15 or later"),
        "{error}"
    );
}

fn mlflow(asked: &Asked) -> Reply {
    if asked_for(asked, "/api/2.0/mlflow/experiments/get-by-name") {
        assert_eq!(asked.query("experiment_name"), Some("shop"));
        return Reply::json(&json!({"experiment": {"experiment_id": "17", "name": "shop"}}));
    }
    let info = |id: &str| {
        json!({"trace_id": id, "trace_location": {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": "17"}},
            "request_time": "2026-11-21T01:00:00Z", "execution_duration": "1.5s", "state": "OK", "trace_metadata": {}, "tags": {}})
    };
    if asked_for(asked, "/api/3.0/mlflow/traces/search") {
        let body = asked.json();
        let location =
            json!([{"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": "17"}}]);
        assert_eq!(body["locations"], location);
        return Reply::json(&match body["page_token"].as_str() {
            None => json!({"traces": [info("t1"), info("t2")], "next_page_token": "abc="}),
            Some("abc=") => json!({"traces": [info("t3")]}),
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(asked.path, "/ajax-api/3.0/mlflow/get-trace-artifact");
    let number = number(asked.query("request_id").unwrap());
    let spans = tools(number).iter().enumerate().map(|(step, tool)| {
        let start = 1_795_219_200_000_000_000_u64 + step as u64;
        json!({"trace_id": "LZtn+IwjsivNvQKIcaHu+A==", "span_id": format!("pBWlAAF3v{number}{step}="), "parent_span_id": null, "name": tool,
            "start_time_unix_nano": start, "end_time_unix_nano": start + 1, "events": [], "links": [],
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "attributes": {"mlflow.spanType": "\"TOOL\"", "mlflow.spanInputs": format!("{{\"id\": {number}}}"),
                "mlflow.spanOutputs": "\"done\"", "mlflow.spanFunctionName": json!(tool).to_string()}})
    });
    Reply::json(&json!({"spans": spans.collect::<Vec<_>>()}))
}

#[test]
fn mlflow_traces_have_their_spans() {
    let server = Server::new(|asked, _| mlflow(asked));
    let place = Place::new(&[
        ("MLFLOW_TRACKING_URI", &server.url),
        ("MLFLOW_TRACKING_TOKEN", "ml"),
        ("MLFLOW_EXPERIMENT_NAME", "shop"),
    ]);
    let question = bounded(&[
        ("session", "s1"),
        ("tag.team", "a"),
        ("where", "trace.name LIKE 'a%'"),
    ]);
    let fetched = place.fetch("mlflow", &question).unwrap();
    assert_eq!((fetched.traces, fetched.records, fetched.pages), (3, 3, 2));
    assert_eq!(calls(&place.output()), ("mlflow", wanted()));
    let asked = server.asked();
    assert_eq!(asked[0].header("authorization"), Some("Bearer ml"));
    assert_eq!(
        asked[1].json()["filter"],
        "trace.timestamp_ms >= 1795219200000 AND trace.timestamp_ms < 1795305600000 AND metadata.`mlflow.trace.session` = 's1' AND \
         tag.`team` = 'a' AND trace.name LIKE 'a%'"
    );
}

fn braintrust(asked: &Asked) -> Reply {
    if asked_for(asked, "/v1/project") {
        assert_eq!(asked.query("project_name"), Some("shop"));
        return Reply::json(&json!({"objects": [{"id": "1f2e", "name": "shop", "org_id": "o"}]}));
    }
    assert_eq!(asked.path, "/btql");
    let query = asked.json()["query"].as_str().unwrap().to_owned();
    assert!(
        query.starts_with(
            "SELECT * FROM project_logs('1f2e', shape => 'traces') WHERE is_root = true"
        ),
        "{query}"
    );
    let row = |number: u64, step: usize| {
        let tool = step.checked_sub(1).map(|step| tools(number)[step]);
        let (name, kind) = tool.map_or(("agent", "task"), |tool| (tool, "tool"));
        json!({"id": format!("r{number}{step}"), "span_id": format!("s{number}{step}"), "root_span_id": format!("s{number}0"),
            "span_parents": if step == 0 { json!([]) } else { json!([format!("s{number}0")]) }, "is_root": step == 0,
            "span_attributes": {"name": name, "type": kind}, "input": {"id": number}, "output": "done", "error": null,
            "created": time(number, step as u64), "metrics": {"start": 1_795_219_200.5 + step as f64, "end": 1_795_219_200.9 + step as f64},
            "project_id": "1f2e", "log_id": "g", "_xact_id": "1000"})
    };
    let rows = |numbers: &[u64]| -> Vec<Value> {
        let trace = |number: &u64| {
            (0..=tools(*number).len())
                .map(|step| row(*number, step))
                .collect::<Vec<_>>()
        };
        numbers.iter().flat_map(trace).collect()
    };
    // The cursor is in the response or in a header, and is sent even after the last rows.
    match query.split_once(" OFFSET ").map(|(_, cursor)| cursor) {
        None => Reply::json(&json!({"data": rows(&[1, 2]), "schema": {}, "cursor": "c+1"})),
        Some("'c+1'") => Reply::json(&json!({"data": rows(&[3])})).with("x-bt-cursor", "c+2"),
        Some("'c+2'") => Reply::json(&json!({"data": []})).with("x-bt-cursor", "c+2"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn braintrust_logs_are_grouped_by_trace() {
    let server = Server::new(|asked, _| braintrust(asked));
    let place = Place::new(&[
        ("BRAINTRUST_API_URL", &server.url),
        ("BRAINTRUST_API_KEY", "bt"),
    ]);
    let question = FetchQuestion {
        project: Some("shop".to_owned()),
        ..bounded(&[("tag", "new"), ("metadata.user", "u1")])
    };
    let fetched = place.fetch("braintrust", &question).unwrap();
    assert_eq!((fetched.traces, fetched.records, fetched.pages), (3, 7, 3));
    assert_eq!(calls(&place.output()), ("braintrust", wanted()));
    let asked = server.asked();
    assert_eq!(asked[0].header("authorization"), Some("Bearer bt"));
    let query = asked[1].json()["query"].as_str().unwrap().to_owned();
    let filter = "created >= '2026-11-21T00:00:00Z' AND created < '2026-11-22T00:00:00Z' AND tags IN ('new') AND metadata.\"user\" = 'u1'";
    assert!(query.contains(filter), "{query}");
    let unnamed = place
        .fetch("braintrust", &FetchQuestion::default())
        .unwrap_err();
    assert!(unnamed.to_string().contains("none is named"), "{unnamed}");
}

#[test]
fn filter_injection_is_rejected() {
    let variables = [
        ("LANGSMITH_API_KEY", "k"),
        ("BRAINTRUST_API_KEY", "k"),
        ("MLFLOW_TRACKING_URI", "http://127.0.0.1:9"),
    ];
    let place = Place::new(&variables);
    for (service, key, value) in [
        ("langsmith", "name", "a\"), true"),
        ("mlflow", "name", "a' OR 1=1"),
        ("mlflow", "tag.a`b", "x"),
        ("braintrust", "tag", "a\\"),
    ] {
        let question = FetchQuestion {
            project: Some("p".to_owned()),
            ..filtered(&[(key, value)])
        };
        let error = place.fetch(service, &question).unwrap_err();
        assert!(
            matches!(error, FetchError::Usage { .. }),
            "{service} {error}"
        );
    }
}

#[test]
fn missing_or_unknown_filters_and_variables_are_reported() {
    let place = Place::new(&[]);
    for (service, wanted) in [
        ("langfuse", "LANGFUSE_PUBLIC_KEY"),
        ("langsmith", "LANGSMITH_API_KEY"),
        ("mlflow", "MLFLOW_TRACKING_URI"),
        ("braintrust", "BRAINTRUST_API_KEY"),
    ] {
        let error = place.fetch(service, &FetchQuestion::default()).unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
        assert!(error.help().is_some(), "{error}");
    }
    let error = place
        .fetch("langfuse", &filtered(&[("tags", "x")]))
        .unwrap_err();
    assert_eq!(error.to_string(), "Langfuse has no filter `tags`");
    assert!(error.help().unwrap().contains("tag"), "{error}");
    let error = place
        .fetch("phoenix", &filtered(&[("attribute.", "x")]))
        .unwrap_err();
    assert!(error.help().unwrap().contains("attribute.KEY"), "{error}");
    let error = place.fetch("weave", &FetchQuestion::default()).unwrap_err();
    assert!(error.help().unwrap().contains("langsmith"), "{error}");
    assert!(place.files().is_empty());
}
