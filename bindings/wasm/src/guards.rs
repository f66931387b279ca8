//! Guards of running agents, kept from one request to the next.

use std::cell::RefCell;

use rightcall_core::call::Call;
use rightcall_core::monitor::{Guard, GuardMode, GuardOptions, ResultOfCall};
use rightcall_core::value::JsonText;
use rightcall_formats::read_call;
use rightcall_results::result_json;

use crate::answer::Fault;

thread_local! {
    /// The guards by number; `None` after the page released it.
    static GUARDS: RefCell<Vec<Option<Guard>>> = const { RefCell::new(Vec::new()) };
}

/// Makes a guard for rules (settings of `constraints`, or a list of rules), and returns its number.
pub(crate) fn make(mode: &str, max_refusals: &str, rules: &str) -> Result<String, Fault> {
    let mode = GuardMode::parse(mode);
    let mode = mode.ok_or_else(|| Fault::of("`mode` takes block, warn or observe"))?;
    let max_refusals = max_refusals.parse();
    let max_refusals =
        max_refusals.map_err(|_| Fault::of("`maxRefusals` takes a whole number of 0 or more"))?;
    Ok(keep(Guard::new(
        rules,
        GuardOptions { mode, max_refusals },
    )?))
}

/// Restores a guard from a snapshot, and returns its number.
pub(crate) fn restore(snapshot: &str) -> Result<String, Fault> {
    Ok(keep(Guard::restore(snapshot).map_err(Fault::of)?))
}

fn keep(guard: Guard) -> String {
    GUARDS.with_borrow_mut(|guards| {
        guards.push(Some(guard));
        (guards.len() - 1).to_string()
    })
}

/// Sends a command to the guard with this number. For `result`, `detail` is the index of a call and
/// whether it failed. `json` is a call or an output.
pub(crate) fn ask(command: &str, number: &str, detail: &str, json: &str) -> Result<String, Fault> {
    GUARDS.with_borrow_mut(|guards| {
        let slot = number.parse().ok().and_then(|it: usize| guards.get_mut(it));
        let slot = slot.ok_or_else(|| Fault::of("there is no such guard"))?;
        if command == "free" {
            *slot = None;
            return Ok("null".to_owned());
        }
        let guard = slot.as_mut();
        let guard = guard.ok_or_else(|| Fault::of("the guard was freed"))?;
        answer(guard, command, detail, json)
    })
}

fn answer(guard: &mut Guard, command: &str, detail: &str, json: &str) -> Result<String, Fault> {
    let text = |text: Option<&str>| JsonText::from_type(&text).into_string();
    Ok(match command {
        "admit" => with_call(json, |call| {
            guard.admit(call).map(|it| JsonText::from_type(&it))
        })?,
        "may" => with_call(json, |call| {
            let refusals = guard.monitor().may(call);
            refusals.map(|it| JsonText::from_type(&it))
        })?,
        "observe" => with_call(json, |call| {
            guard.observe(call).map(|it| JsonText::from_type(&it))
        })?,
        "result" => {
            let (call, failed) = detail.split_once(' ').unwrap_or((detail, ""));
            let call = call
                .parse()
                .map_err(|_| Fault::of("`call` takes the index of a call"))?;
            let result = ResultOfCall {
                output: Some(json).filter(|json| !json.is_empty()),
                failed: failed.parse().ok(),
            };
            guard.result(call, result).map_err(Fault::of)?;
            "null".to_owned()
        }
        "verdicts" => guard.monitor().verdicts_json().into_string(),
        "next" => guard.monitor().next_json().into_string(),
        "open" => JsonText::from_type(&guard.monitor().open()).into_string(),
        "reminder" => text(guard.reminder().as_deref()),
        "stopped" => text(guard.stopped()),
        "snapshot" => text(Some(guard.snapshot().as_str())),
        "finish" => {
            let evaluation = guard.finish().map_err(Fault::of)?;
            result_json("\"evaluator\":\"constraints\"", &evaluation.into())
        }
        _ => return Err(Fault::of(format!("a guard does not answer `{command}`"))),
    })
}

/// The answer to a question about a call.
fn with_call<E: std::fmt::Display>(
    json: &str,
    ask: impl FnOnce(&Call<'_>) -> Result<JsonText, E>,
) -> Result<String, Fault> {
    let answer = read_call(json, ask)?;
    Ok(answer.map_err(Fault::of)?.into_string())
}
