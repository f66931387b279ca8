//! The engine for WebAssembly: one case in, its evaluation out, as JSON text.
//!
//! A page asks for room with [`room`], writes its question there, and calls [`answer`], whose length it gets and whose text it finds at
//! [`answered`]. There are no pointers to take, so there is nothing unsafe but the names under which all this is exported. A panic ends
//! the instance, and the page hears of it as of any trap.

mod answer;
#[path = "../../node/src/sides.rs"]
mod sides;

use std::cell::RefCell;

use rightcall::value::JsonWriter;
use rightcall::{Ask, EVALUATORS, Evaluator};
use rightcall_formats::{ReadOptions, read_case};
use rightcall_results::result_json;

use crate::answer::Fault;

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Where a question of so many bytes may be written.
#[expect(unsafe_code, reason = "the page finds it by this name")]
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(bytes, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question, and gives the answer's length in bytes: `{"ok": …}` or `{"error": {"message", …}}`.
///
/// A question is lines of text: the evaluator's id, its settings as JSON, the case as JSON; or nothing, which asks for the evaluators.
#[expect(unsafe_code, reason = "the page finds it by this name")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let told = QUESTION.with_borrow(|question| {
        let answered = String::from_utf8_lossy(question);
        let mut lines = answered.splitn(3, '\n');
        let mut line = || lines.next().unwrap_or_default();
        let (id, settings, case) = (line(), line(), line());
        if id.is_empty() {
            Ok(evaluators())
        } else {
            evaluation(id, settings, case)
        }
    });
    let answer = match told {
        Ok(json) => format!("{{\"ok\":{json}}}"),
        Err(fault) => format!("{{\"error\":{}}}", fault.to_json()),
    };
    ANSWER.with_borrow_mut(|known| {
        *known = answer;
        known.len()
    })
}

/// Where the answer stands.
#[expect(unsafe_code, reason = "the page finds it by this name")]
#[unsafe(no_mangle)]
pub extern "C" fn answered() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// What an evaluator makes of a case, with the alignment.
fn evaluation(id: &str, settings: &str, case: &str) -> Result<String, Fault> {
    let evaluator = Evaluator::new(id, settings, None)?;
    let text = sides::readable(case)?;
    let case = read_case(&text, &ReadOptions::default())?;
    let ask = Ask {
        details: true,
        explanation: true,
        ..Ask::OUTCOME
    };
    let evaluation = evaluator.evaluate(&case, ask);
    let mut name = JsonWriter::new();
    name.str(evaluator.id());
    let members = format!("\"evaluator\":{}", name.finish().as_str());
    // The calls as they were read, for whoever shows them.
    let sides = sides::run_text(&case);
    let result = result_json(&members, &evaluation.into());
    Ok(format!("{{\"result\":{result},\"read\":{sides}}}"))
}

/// The evaluators, with what they are for.
fn evaluators() -> String {
    let mut writer = JsonWriter::new();
    writer.begin_list();
    for entry in EVALUATORS {
        writer
            .begin_object()
            .key("id")
            .str(entry.id)
            .key("summary")
            .str(entry.summary)
            .end_object();
    }
    writer.end_list();
    writer.finish().as_str().to_owned()
}
