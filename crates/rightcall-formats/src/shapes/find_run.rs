//! The run of a case that is not under `actual`.

use rightcall::call::{Call, Case};
use rightcall::value::{Reader, Syntax, Text};

use crate::case::{CaseSide, Draft, Fault, Result, Wording, run};
use crate::node::Node;
use crate::trace::likely_calls;

/// Takes the run from where other tools have it, in a case without `actual` that expects something: messages or calls under a key
/// that says so, else calls in the output. What holds neither is what the agent answered.
pub(crate) fn find_run(draft: &mut Draft<'_>) -> Result<()> {
    let expects = !matches!(draft.expected, CaseSide::Missing);
    if !matches!(draft.actual, CaseSide::Missing) {
        return Ok(());
    }
    if !expects {
        return refuse_calls_in_output(draft.case.output);
    }
    if let Some(raw) = take_member(&mut draft.case.meta, &RUNS) {
        draft.actual = CaseSide::Foreign { raw };
        return Ok(());
    }
    let is_response = |(key, _): &&(Text<'_>, &str)| *key == *"response";
    let response = draft
        .case
        .meta
        .iter()
        .rfind(is_response)
        .map(|(_, raw)| *raw);
    let Some(raw) = draft
        .case
        .output
        .or(response)
        .filter(|raw| raw.starts_with(['[', '{']))
    else {
        return Ok(());
    };
    draft.actual = match run(&mut Reader::new(raw, Syntax::PYTHON), true) {
        Ok(run) if are_plainly_calls(&run.calls, &draft.case) => {
            draft.case.actual = Some(run);
            CaseSide::Read {
                raw,
                wording: Wording::Canonical,
            }
        }
        _ if is_conversation(raw) || likely_calls(raw) > 0 => CaseSide::Foreign { raw },
        _ => return Ok(()),
    };
    match draft.case.output {
        Some(_) => draft.case.output = None,
        None => _ = take_member(&mut draft.case.meta, &["response"]),
    }
    Ok(())
}

/// Calls in the output of a record without sides are one of them, and nothing says which.
fn refuse_calls_in_output(output: Option<&str>) -> Result<()> {
    match output.map(likely_calls) {
        None | Some(0) => Ok(()),
        Some(_) => Err(Fault::new(
            "a case with `expected` or `actual`",
            "calls under `output`",
        )
        .help("write them under `expected` if they are the right ones, under `actual` if the agent made them")),
    }
}

/// Where the run is in cases of other tools.
const RUNS: [&str; 4] = ["messages", "tool_calls", "toolCalls", "trajectory"];

/// Takes the last member with one of these keys out of the other entries, unless it is null.
pub(crate) fn take_member<'a>(
    meta: &mut Vec<(Text<'a>, &'a str)>,
    keys: &[&str],
) -> Option<&'a str> {
    let is_one =
        |(key, raw): &(Text<'_>, &str)| *raw != "null" && keys.iter().any(|name| *key == **name);
    let place = meta.iter().rposition(is_one)?;
    Some(meta.remove(place).1)
}

/// Calls that can be nothing else: with arguments, or by a name that is expected.
fn are_plainly_calls(calls: &[Call<'_>], case: &Case<'_>) -> bool {
    let expected = || case.expected.calls.iter().flatten();
    let is_call = |call: &Call<'_>| {
        !call.arguments.is_absent() || expected().any(|expected| expected.name == call.name)
    };
    !calls.is_empty() && calls.iter().all(is_call)
}

/// A list of messages, one of them with a role that only conversations have.
fn is_conversation(raw: &str) -> bool {
    let Some(list) = Node::parse_first_items(raw, usize::MAX) else {
        return false;
    };
    let has_role = |item: &Node<'_>| item.str_at("role").is_some();
    !list.items().is_empty() && list.items().iter().all(has_role)
}
