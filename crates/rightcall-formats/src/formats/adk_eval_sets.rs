//! Eval sets of Google's Agent Development Kit, in the current form and the older list.

use rightcall_core::call::Call;
use rightcall_core::value::Text;

use super::adk_sessions::run_of;
use crate::case::{calls_text, described};
use crate::error::CaseError;
use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::messages::{dialects::gemini, text_of};
use crate::node::Node;
use crate::trace::unread::look_over;
use crate::trace::{CaseScope, Conversation, Report, Scope, Trace, TraceCall};

pub(super) static ENTRY: Format = Format {
    name: "adk-eval-sets",
    title: "Google ADK eval sets",
    summary: "`eval_cases`, or lists with `expected_tool_use`: expectations, mostly without runs",
    reads: &[
        ("expectations", "`intermediate_data.tool_uses`, `invocation_events` or `parts` of each invocation; `expected_tool_use`"),
        ("calls", "none: they come from the traces that the cases are joined with"),
        ("ids", "`eval_id`, `case_id`; `name` of an older set"),
        ("order", "an invocation is a turn"),
        ("runs", "the events of `agent_data.turns`, in cases of Agent Engine; such a case expects nothing"),
        ("agents", "`author` of `invocation_events`, where cases are divided by agents"),
    ],
    lacks: &["runs"],
    notes: "What `adk eval` reads and what the web interface of the kit saves. Each eval case, in the old form each entry of the list, is a case
that expects calls and has no run: give the run with `--traces`, as sessions or as spans. A case without invocations, such as one for a
simulated user, has no expectation. In the form between, a list of sets with
`data`, a set is a case and its entries are the turns. `read: {scope: turn}` makes a case of each invocation.",
    extensions: &["json", "evalset.json", "test.json"],
    example: r#"{"eval_set_id":"s","eval_cases":[{"eval_id":"e","conversation":[{"invocation_id":"i","user_content":{"role":"user","parts":[{"text":"q"}]},"intermediate_data":{"tool_uses":[{"name":"find_order","args":{"id":7}}]}}]}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            let cases = record.any(CASES).filter(|it| it.is_list());
            let is_set = cases.is_some_and(|it| {
                it.items().is_empty() || it.items().iter().any(|case| case.has_any(OF_CASES))
            });
            Recognition::certain_if(is_set || is_older_set(record) || record.has(EXPECTED_USES))
        },
        |scope| Box::new(EachValue(scope, read)),
    ),
};

const CASES: &[&str] = &["eval_cases", "evalCases"];

/// Keys of eval cases; those of other tools may be under `eval_cases` too.
const OF_CASES: &[&str] = &[
    "conversation",
    "conversation_scenario",
    "conversationScenario",
    "agent_data",
    "agentData",
];

const EXPECTED_USES: &str = "expected_tool_use";
const USER: &[&str] = &["user_content", "userContent"];
const DATA: &[&str] = &["intermediate_data", "intermediateData"];

/// Members of the data that are read, and those that hold no calls of the agent.
const READ_DATA: &[&str] = &[
    "tool_uses",
    "toolUses",
    "invocation_events",
    "invocationEvents",
    "parts",
    "tool_responses",
    "toolResponses",
];

/// Members of a case that are read, or that hold the state of a session.
const READ_CASE: &[&str] = &[
    "conversation",
    "session_input",
    "sessionInput",
    "final_session_state",
    "finalSessionState",
    "conversation_scenario",
    "conversationScenario",
];

/// `{"name", "data": [{"query", "expected_tool_use"}…]}`: the turns of one case, as in files of the older form.
fn is_older_set(record: &Node<'_>) -> bool {
    record.holds("data", |turn| turn.has(EXPECTED_USES))
}

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    let is_older = is_older_set(value);
    if let Some(cases) = value.any(CASES).filter(|_| !is_older) {
        for case in cases.items() {
            match self::case(case, scope) {
                Ok(trace) => found.trace(place.line, trace),
                Err(error) => found.error(place.line, error),
            }
        }
        return;
    }
    match older_case(value, is_older, scope) {
        Ok(trace) => found.trace(place.line, trace),
        Err(error) => found.error(place.line, error),
    }
}

fn case(case: &Node<'_>, scope: Scope) -> Result<Trace, CaseError> {
    let id = case.label_at(&["eval_id", "evalId", "case_id", "eval_case_id"]);
    if let Some(run) = recorded_run(case, scope) {
        return Ok(Trace { id, ..run });
    }
    if !case.has_any(OF_CASES) {
        return Err(CaseError::new(
            "an eval case with a `conversation`",
            described(case),
        ));
    }
    let invocations = case.list("conversation");
    let mut expected = Vec::new();
    for (turn, invocation) in (0..).zip(invocations) {
        expected.extend(self::expected(invocation, turn, scope)?);
    }
    let first = invocations.first();
    let asked = first.and_then(|it| it.any(USER));
    let mut trace = expectation(id, asked, &expected);
    let unread = unread(invocations, &expected);
    trace.report.add(&unread);
    look_over(case, READ_CASE, &mut trace);
    // A case for a simulated user has no invocations, and so no expectation.
    trace.expected = trace.expected.filter(|_| !invocations.is_empty());
    Ok(in_parts(trace, &expected, invocations.len(), scope))
}

/// A set of the older form, or a turn of one as a separate record.
fn older_case(value: &Node<'_>, is_set: bool, scope: Scope) -> Result<Trace, CaseError> {
    let (id, turns) = if is_set {
        (value.label_at(&["name"]), value.list("data"))
    } else {
        (None, std::slice::from_ref(value))
    };
    let mut expected = Vec::new();
    for (turn, it) in (0..).zip(turns) {
        expected.extend(uses(it.get(EXPECTED_USES), turn)?);
    }
    let asked = turns.first().and_then(|turn| turn.get("query"));
    let trace = expectation(id, asked, &expected);
    Ok(in_parts(trace, &expected, turns.len(), scope))
}

fn expectation(
    id: Option<Text<'static>>,
    input: Option<&Node<'_>>,
    expected: &[TraceCall],
) -> Trace {
    // Questions with more than text, such as images, are kept whole.
    let text = |input: &Node<'_>| text_of(input.get("parts").unwrap_or(input));
    let input = input.map(|input| text(input).unwrap_or_else(|| input.raw().to_owned()));
    let calls: Vec<_> = expected.iter().map(Call::from).collect();
    Trace {
        id,
        input,
        expected: Some(calls_text(&calls)),
        lacks_run: true,
        ..Trace::default()
    }
}

/// The case, with the turn or the agent of each expected call. Turns without expected calls are parts too.
fn in_parts(mut trace: Trace, expected: &[TraceCall], turns: usize, scope: Scope) -> Trace {
    let is_by_turn = scope.choices.scope == CaseScope::Turn;
    let name_of_turn = |turn: u64| Text::from((turn + 1).to_string());
    if is_by_turn {
        (0..turns as u64).for_each(|turn| trace.add_part(&name_of_turn(turn)));
    }
    let part = |call: &TraceCall| {
        if is_by_turn {
            call.turn.map(name_of_turn)
        } else {
            call.part.clone()
        }
    };
    trace.expected_parts = Some(expected.iter().map(part).collect());
    trace
}

/// The run in a case that records one in place of an expectation, as those of evaluation sets of Agent Engine do.
fn recorded_run(case: &Node<'_>, scope: Scope) -> Option<Trace> {
    let data = case.any(&["agent_data", "agentData"])?;
    let events = data.list("turns").iter().flat_map(|it| it.list("events"));
    Some(run_of(events, case, &["agent_data", "agentData"], scope))
}

/// The expected calls of an invocation.
fn expected(invocation: &Node<'_>, turn: u64, scope: Scope) -> Result<Vec<TraceCall>, CaseError> {
    let Some(data) = invocation.any(DATA) else {
        return uses(invocation.get(EXPECTED_USES), turn);
    };
    if let Some(events) = data.any(&["invocation_events", "invocationEvents"]) {
        return Ok(asked_in(events.items(), turn, scope));
    }
    if data.has("parts") {
        return Ok(asked_in(std::slice::from_ref(data), turn, scope));
    }
    uses(data.any(&["tool_uses", "toolUses"]), turn)
}

/// The expected calls in a list; none if it is missing.
fn uses(list: Option<&Node<'_>>, turn: u64) -> Result<Vec<TraceCall>, CaseError> {
    let Some(list) = list.filter(|it| !it.is_null()) else {
        return Ok(Vec::new());
    };
    let calls: Vec<_> = list.items().iter().map(|it| call(it, turn)).collect();
    if list.is_list() && calls.iter().all(|call| !call.name.is_empty()) {
        return Ok(calls);
    }
    Err(CaseError::new(
        "a list of expected calls with names",
        described(list),
    ))
}

/// The calls in the contents of events, or in contents themselves.
fn asked_in(events: &[Node<'_>], turn: u64, scope: Scope) -> Vec<TraceCall> {
    let mut conversation = Conversation::new(scope);
    for event in events {
        conversation.set_part(CaseScope::Agent, || event.label_at(&["author"]));
        let content = event.get("content").or(Some(event));
        if let Some(content) = content.filter(|it| it.has("parts")) {
            gemini::message(content, &mut conversation);
        }
    }
    let calls = conversation.finish().calls.into_iter();
    calls
        .map(|call| TraceCall {
            turn: Some(turn),
            group: None,
            output: None,
            error: None,
            ..call
        })
        .collect()
}

/// The calls of the agent elsewhere in the invocations.
fn unread(invocations: &[Node<'_>], expected: &[TraceCall]) -> Report {
    let mut trace = Trace {
        calls: expected.to_vec(),
        ..Trace::default()
    };
    for invocation in invocations {
        look_over(invocation, &[USER, DATA].concat(), &mut trace);
        if let Some(data) = invocation.any(DATA) {
            look_over(data, READ_DATA, &mut trace);
        }
    }
    trace.report
}

fn call(node: &Node<'_>, turn: u64) -> TraceCall {
    TraceCall {
        turn: Some(turn),
        ..TraceCall::from_node(node, &["name", "tool_name"], &["args", "tool_input"], &[])
    }
}

#[cfg(test)]
mod tests {
    use crate::trace::CaseScope;
    use crate::{Input, Limits, ReadOptions};
    use std::io::Write as _;

    /// The cases of a set, by turn or by agent.
    fn cases(text: &str, scope: CaseScope) -> Result<Vec<String>, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let mut options = ReadOptions::default();
        options.choices.scope = scope;
        let mut input = Input::open(file.path(), Limits::default(), &options).unwrap();
        let traces = input.next_traces().unwrap().unwrap().into_iter();
        traces
            .map(|(_, trace)| {
                trace
                    .map(|trace| crate::tests::case_of(&trace))
                    .map_err(|error| error.to_string())
            })
            .collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&[&str]]) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let options = ReadOptions::default();
        let mut input = Input::open(file.path(), Limits::default(), &options).unwrap();
        let block = input.next_block(1 << 20).unwrap().unwrap();
        let found: Vec<Vec<String>> = block
            .records()
            .map(|record| {
                let case = record.content.unwrap().case(&options).unwrap();
                assert!(case.actual.is_none());
                case.expected
                    .calls
                    .unwrap()
                    .iter()
                    .map(|call| format!("{} @{}", call.name, call.metadata().turn.unwrap()))
                    .collect()
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_expected_is_read_in_every_form_and_no_run_is_made_up() {
        check(
            r#"{"eval_set_id":"s","eval_cases":[{"eval_id":"e","conversation":[
                {"intermediate_data":{"tool_uses":[{"id":null,"name":"find","args":{"id":7}},{"name":"look"}]}},
                {"intermediateData":{"invocationEvents":[{"author":"a","content":{"role":"model","parts":[{"functionCall":{"name":"answer","args":{}}}]}}]}}]},
                {"eval_id":"f","conversation":[{"user_content":{}}]}]}"#,
            &[&["find @0", "look @0", "answer @1"], &[]],
        );
        check(
            r#"{"eval_set_id":"s","eval_cases":[{"case_id":"e","conversation":[{"agent_content":{"role":"model","parts":[{"function_call":{"name":"roll","args":{}}}]},
                "intermediate_data":{"role":"model","parts":[{"function_call":{"name":"roll","args":{}}}]}}]}]}"#,
            &[&["roll @0"]],
        );
        check(
            r#"[{"query":"q","expected_tool_use":[{"tool_name":"find","tool_input":{"id":7}}],"reference":"r"},{"query":"p","expected_tool_use":[]}]"#,
            &[&["find @0"], &[]],
        );
        check(
            r#"[{"name":"s","data":[{"query":"q","expected_tool_use":[{"tool_name":"find","tool_input":{}}]},{"query":"p","expected_tool_use":[]},
                {"query":"r","expected_tool_use":[{"tool_name":"look"}]}],"initial_state":{}}]"#,
            &[&["find @0", "look @2"]],
        );
    }

    #[test]
    fn invocations_are_turns_and_authors_agents() {
        let event = |author: &str, name: &str| {
            format!(
                r#"{{"author":"{author}","content":{{"role":"model","parts":[{{"functionCall":{{"name":"{name}","args":{{}}}}}}]}}}}"#
            )
        };
        let (find, refund, look) = (
            event("root", "find"),
            event("billing", "refund"),
            event("root", "look"),
        );
        let set = |first: &str| {
            format!(
                r#"{{"eval_set_id":"s","eval_cases":[{{"eval_id":"e","conversation":[{first},{{"intermediate_data":{{"tool_uses":[]}}}},
                    {{"intermediate_data":{{"invocation_events":[{look}]}}}}]}}]}}"#
            )
        };
        let events = set(&format!(
            r#"{{"user_content":{{"parts":[{{"text":"q"}}]}},"intermediate_data":{{"invocation_events":[{find},{refund}]}}}}"#
        ));
        let call =
            |name: &str, turn: u8| format!(r#"{{"name":"{name}","args":{{}},"turn":{turn}}}"#);
        let case = |part: &str, calls: &str, rest: &str| {
            let id = part.trim_matches('"');
            let key = if part == id { "turn" } else { "agent" };
            format!(r#"{{"id":"e/{id}",{rest}"expected":[{calls}],"meta":{{"{key}":{part}}}}}"#)
        };
        let (find, refund, look) = (call("find", 0), call("refund", 0), call("look", 2));
        assert_eq!(
            cases(&events, CaseScope::Turn).unwrap(),
            [
                case("1", &format!("{find},{refund}"), r#""input":"q","#),
                case("2", "", ""),
                case("3", &look, "")
            ]
        );
        assert_eq!(
            cases(&events, CaseScope::Agent).unwrap(),
            [
                case("\"root\"", &format!("{find},{look}"), r#""input":"q","#),
                case("\"billing\"", &refund, r#""input":"q","#)
            ]
        );
        let uses = set(r#"{"intermediate_data":{"tool_uses":[{"name":"find","args":{}}]}}"#);
        let error = cases(&uses, CaseScope::Agent).unwrap_err();
        assert!(
            error.contains("expected what is expected of each agent"),
            "{error}"
        );
    }

    #[test]
    fn the_question_is_what_the_user_says() {
        for (content, input) in [
            (
                r#"{"role":"user","parts":[{"text":"Where?"}]}"#,
                r#""Where?""#,
            ),
            (
                r#"{"parts":[{"text":"a"},{"inline_data":{}}]}"#,
                r#"{"parts":[{"text":"a"},{"inline_data":{}}]}"#,
            ),
        ] {
            let set = format!(
                r#"{{"eval_set_id":"s","eval_cases":[{{"eval_id":"e","conversation":[{{"user_content":{content}}}]}}]}}"#
            );
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(set.as_bytes()).unwrap();
            let options = ReadOptions::default();
            let mut found = Input::open(file.path(), Limits::default(), &options).unwrap();
            let block = found.next_block(1 << 20).unwrap().unwrap();
            let content = block.records().next().unwrap().content.unwrap();
            assert_eq!(content.case(&options).unwrap().input, Some(input));
        }
    }
}
