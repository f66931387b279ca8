//! `guard`: a hook that keeps its history across processes, and a proxy that forwards all but forbidden calls.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use crate::Place;

const RULES: &str = "- verify before refund\n- {call: refund, at_most: 1, same: order}\n- send_email after refund\n";

impl Place {
    fn with_rules() -> Self {
        Self::new().with("rules.yaml", RULES)
    }

    /// Starts a hook that reads its event.
    fn hook(&self, event: &str) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rightcall"));
        command.args(["guard", "--hook", "rules.yaml"]);
        command.current_dir(self.0.path());
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(event.as_bytes()).unwrap();
        child
    }

    /// The hook's answer, exit code and messages.
    fn answer(&self, event: &str) -> (String, i32, String) {
        answer(self.hook(event))
    }
}

fn answer(child: Child) -> (String, i32, String) {
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (text(output.stdout), code, text(output.stderr))
}

fn event(kind: &str, id: &str, name: &str, order: u32) -> String {
    let response = r#"[{"type":"text","text":"done"}]"#;
    format!(
        r#"{{"session_id":"s-1","hook_event_name":"{kind}","tool_name":"{name}","tool_input":{{"order":{order}}},"tool_use_id":"{id}","tool_response":{response}}}"#
    )
}

const STOP: &str = r#"{"session_id":"s-1","hook_event_name":"Stop","stop_hook_active":false}"#;
const DENIED: &str = r#""permissionDecision":"deny""#;

#[test]
fn hook_keeps_its_history_across_processes() {
    let place = Place::with_rules();
    let (refused, code, _) = place.answer(&event("PreToolUse", "1", "refund", 7));
    assert_eq!(
        (refused.as_str(), code),
        (
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"`refund` may not be called now: it breaks the rule \"verify before refund\"."}}"#,
            0
        )
    );
    for (kind, id, name) in [
        ("PreToolUse", "2", "verify"),
        ("PostToolUse", "2", "verify"),
        ("PreToolUse", "3", "refund"),
        ("PostToolUse", "3", "refund"),
    ] {
        let (said, code, problems) = place.answer(&event(kind, id, name, 7));
        assert_eq!(
            (said.as_str(), code, problems.as_str()),
            ("", 0, ""),
            "{kind}"
        );
    }
    // The reminder of an open rule is sent once.
    let reminder = r#"{"decision":"block","reason":"The rule \"send_email after refund\" does not hold yet."}"#;
    assert_eq!(place.answer(STOP).0, reminder);
    assert_eq!(place.answer(STOP).0, "");
    // Other sessions are independent.
    let other = event("PreToolUse", "4", "refund", 8).replace("s-1", "../other");
    assert!(place.answer(&other).0.contains(DENIED));
    assert!(!place.path("other.json").exists());
}

#[test]
fn exactly_one_of_two_concurrent_hooks_admits_its_call() {
    let place = Place::with_rules();
    for order in 0..20 {
        place.answer(&event("PreToolUse", &format!("v{order}"), "verify", order));
        let ids = ["a", "b"].map(|id| format!("{id}{order}"));
        let hooks = ids.map(|id| place.hook(&event("PreToolUse", &id, "refund", order)));
        let answers = hooks.map(|hook| answer(hook).0);
        let denied = answers.iter().filter(|it| it.contains(DENIED)).count();
        assert_eq!(denied, 1, "{order}: {answers:?}");
    }
}

#[test]
fn hook_refuses_arguments_that_violate_the_schema() {
    let place = Place::with_rules()
        .with("rules.yaml", "schema: tools.json\n")
        .with(
            "tools.json",
            r#"[{"name": "refund", "input_schema": {"type": "object", "properties": {"order": {"type": "string"}}}}]"#,
        );
    let (said, code, _) = place.answer(&event("PreToolUse", "1", "refund", 7));
    assert_eq!(code, 0);
    assert!(
        said.contains("arguments.order is 7, the schema asks for a string"),
        "{said}"
    );
    assert_eq!(place.answer(&event("PreToolUse", "2", "verify", 7)).0, "");
}

#[test]
fn hook_stops_a_run_after_repeated_refusals_and_reloads_rules() {
    let place = Place::with_rules();
    for id in 0..3 {
        let (said, ..) = place.answer(&event("PreToolUse", &id.to_string(), "refund", 7));
        let stops = said.contains(r#""continue":false,"stopReason":"#);
        assert_eq!(stops, id == 2, "{said}");
    }
    let place = Place::with_rules();
    place.answer(&event("PreToolUse", "1", "verify", 7));
    let place = place.with("rules.yaml", "- no refund after verify\n");
    let (said, ..) = place.answer(&event("PreToolUse", "2", "refund", 7));
    assert!(said.contains("no refund after verify"), "{said}");
}

#[test]
fn broken_hook_blocks_calls_but_not_the_end() {
    let place = Place::with_rules().with("rules.yaml", "- first login\n- verify befor refund\n");
    let (_, code, said) = place.answer(&event("PreToolUse", "1", "refund", 7));
    assert_eq!(code, 2);
    assert!(said.contains("rules.yaml:2"), "{said}");
    assert!(
        said.contains("did you mean `verify before refund`"),
        "{said}"
    );
    let place = Place::with_rules();
    assert_eq!(place.answer("{}").1, 2);
    place.answer(&event("PreToolUse", "1", "verify", 7));
    let place = place.with(".rightcall/guard/s-1.json", "{");
    let (_, code, said) = place.answer(&event("PreToolUse", "1", "refund", 7));
    assert_eq!(code, 2);
    assert!(
        said.contains("delete the file to begin the session anew"),
        "{said}"
    );
    assert_eq!(place.answer(STOP).1, 1);
}

#[test]
fn hook_enforces_expected_calls() {
    let place = Place::with_rules().with("rules.yaml", "expected: [verify, refund]\n");
    let (said, ..) = place.answer(&event("PreToolUse", "1", "refund", 7));
    assert!(
        said.contains("not expected here. Expected next: `verify`."),
        "{said}"
    );
    assert_eq!(place.answer(&event("PreToolUse", "2", "verify", 7)).0, "");
    let (reminder, ..) = place.answer(STOP);
    assert!(reminder.contains("Expected next: `refund`."), "{reminder}");
}

#[test]
fn guard_reports_missing_rules_and_commands() {
    let place = Place::with_rules().with("suite.yaml", "cases: a\nevaluators: [trajectory]\n");
    place.check("guard rules.yaml", &[], 2, &["--hook"]);
    place.check(
        "guard --hook",
        &[],
        2,
        &["suite.yaml:1", "the suite has no rules"],
    );
    place.check(
        "guard rules.yaml -- ./none",
        &[],
        2,
        &["./none: cannot be started"],
    );
}

/// A server that logs its requests to a file and answers them.
#[cfg(unix)]
const SERVER: &str = r#"
while IFS= read -r line; do
  printf '%s\n' "$line" >> seen.txt
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    '['*) printf '[{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}]\n' "$id" ;;
    *failing*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}\n' "$id" ;;
    *'"method":"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}\n' "$id" ;;
    *'"method":"ping"'*) printf '{"id":1,"jsonrpc":"2.0","method":"sampling/createMessage","params":{"x":  1}}\n' ;;
  esac
done
"#;

/// The lines that the client received, the lines that the server received, and the messages.
#[cfg(unix)]
fn proxied(rules: &str, lines: &[&str]) -> (Vec<String>, Vec<String>, String) {
    let place = Place::new()
        .with("rules.yaml", rules)
        .with("server.sh", SERVER);
    let mut command = place.command();
    command.args(["guard", "rules.yaml", "--", "sh", "server.sh"]);
    let said = crate::said(command.write_stdin(lines.join("\n") + "\n"));
    assert_eq!(said.code, 0, "{}", said.stderr);
    let list = |text: &str| text.lines().map(str::to_owned).collect();
    let seen = std::fs::read_to_string(place.path("seen.txt")).unwrap_or_default();
    (list(&said.stdout), list(&seen), said.stderr)
}

#[cfg(unix)]
fn tool_call(id: u32, name: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{{"order":7}}}}}}"#
    )
}

#[cfg(unix)]
#[test]
fn a_proxy_answers_refused_calls_itself() {
    let (refund, again) = (tool_call(1, "refund"), tool_call(4, "refund"));
    let (heard, seen, said) = proxied(RULES, &[&refund, &tool_call(2, "verify"), &again]);
    let refusal = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`refund` may not be called now: it breaks the rule \"verify before refund\"."}],"isError":true}}"#;
    assert!(heard.contains(&refusal.to_owned()), "{heard:?}");
    assert_eq!(seen, [tool_call(2, "verify"), again]);
    assert_eq!(heard.len(), 3);
    assert!(
        said.contains("the rule \"send_email after refund\" does not hold"),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn proxy_forwards_other_messages_unchanged() {
    let lines = [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{ "x": 1.50 }}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"role":"assistant"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","future":[1e400]}"#,
    ];
    let (heard, seen, _) = proxied(RULES, &lines);
    assert_eq!(seen, lines);
    // A request from the server to the client.
    let asked = r#"{"id":1,"jsonrpc":"2.0","method":"sampling/createMessage","params":{"x":  1}}"#;
    assert_eq!(heard, [asked]);
}

#[cfg(unix)]
#[test]
fn calls_in_a_batch_are_parallel() {
    let verify = tool_call(10, "verify");
    let batch = format!("[{verify}, {}]", tool_call(11, "refund"));
    let (heard, seen, _) = proxied(RULES, &[&batch]);
    assert_eq!(seen, [format!("[{verify}]")]);
    assert!(
        heard
            .iter()
            .any(|it| it.starts_with(r#"[{"jsonrpc":"2.0","id":11,"result""#))
    );
    assert!(
        heard
            .iter()
            .any(|it| it.starts_with(r#"[{"jsonrpc":"2.0","id":10,"result""#))
    );
}

#[cfg(unix)]
#[test]
fn proxy_rejects_ambiguous_messages() {
    let twice = r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"verify","name":"refund"}}"#;
    let escaped =
        r#"{"jsonrpc":"2.0","id":6,"method":"tools\/call","params":{"name":"re\u0066und"}}"#;
    let silent = r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"refund"}}"#;
    let (heard, seen, _) = proxied("- never refund\n", &[twice, escaped, silent, "{", "7"]);
    assert_eq!(seen, <[&str; 0]>::default(), "{heard:?}");
    assert_eq!(heard.len(), 5);
    assert!(heard[0].contains("-32700"), "{heard:?}");
    assert!(
        heard[1].contains("\"id\":6,") && heard[1].contains("isError"),
        "{heard:?}"
    );
}

/// A client that sends the second call only after the answer to the first.
#[cfg(unix)]
#[test]
fn proxy_records_results_of_calls() {
    use std::io::{BufRead, BufReader};
    let rules = "- {call: refund, needs_before: {name: failing, failed: false}}\n";
    let place = Place::new()
        .with("rules.yaml", rules)
        .with("server.sh", SERVER);
    let mut command = Command::new(env!("CARGO_BIN_EXE_rightcall"));
    command.args(["guard", "rules.yaml", "--", "sh", "server.sh"]);
    let pipes = command.current_dir(place.0.path()).stdin(Stdio::piped());
    let mut child = pipes.stdout(Stdio::piped()).spawn().unwrap();
    let (mut asks, hears) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut heard = BufReader::new(hears).lines();
    for (id, name, wanted) in [
        (1, "failing", "\"no\""),
        (2, "refund", "may not be called now"),
    ] {
        writeln!(asks, "{}", tool_call(id, name)).unwrap();
        let line = heard.next().unwrap().unwrap();
        assert!(line.contains(wanted), "{line}");
    }
    drop(asks);
    assert!(child.wait().unwrap().success());
}
