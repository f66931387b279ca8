//! One case in memory.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use rightcall::call::Case;
use rightcall::value::JsonWriter;
use rightcall::{Ask, ConfigError, Edition, Evaluator, Outcome, find};
use rightcall_formats::{ReadOptions, read_case};
use rightcall_report::{Explained, ExplainedResult, explain_screen};
use rightcall_results::result_json;
use rightcall_run::{Configured, EvaluatorArgument};

use crate::answer::Fault;
use crate::sides::{readable, run_text};

/// What an evaluator, an argument of `-e`, makes of a case: the members of a result line.
pub(crate) fn evaluation(evaluator: &str, case: &str, explained: bool) -> Result<String, Fault> {
    let configured = configured(evaluator)?;
    let text = readable(case)?;
    let case = read(&text)?;
    let evaluation = configured.evaluator.evaluate(
        &case,
        Ask {
            details: true,
            explanation: explained,
            ..Ask::OUTCOME
        },
    );
    Ok(result_json(
        &configured.head().members(),
        &evaluation.into(),
    ))
}

/// The same for people, as JSON text of a string.
pub(crate) fn screen(evaluator: &str, case: &str) -> Result<String, Fault> {
    let configured = configured(evaluator)?;
    let text = readable(case)?;
    let case = read(&text)?;
    let evaluation = configured.evaluator.evaluate(
        &case,
        Ask {
            explanation: true,
            ..Ask::OUTCOME
        },
    );
    let result = ExplainedResult {
        edition: None,
        ..ExplainedResult::new(&configured, Cow::Borrowed(&case), evaluation, None)
    };
    let explained = Explained {
        case: &case,
        label: "",
        place: "",
        trials: &[],
        results: &[result],
        full: false,
    };
    let screen = explain_screen(&explained);
    // The title names a case of a file.
    let text = screen.split_once("\n\n").map_or(&*screen, |(_, text)| text);
    let mut writer = JsonWriter::new();
    writer.str(text);
    Ok(writer.finish().as_str().to_owned())
}

fn configured(evaluator: &str) -> Result<Configured, Fault> {
    Ok(Configured::new(EvaluatorArgument::parse(evaluator)?, None)?)
}

fn read(case: &str) -> Result<Case<'_>, Fault> {
    Ok(read_case(case, &ReadOptions::default())?)
}

/// The calls of a value in any shape, as the text of a canonical case of them alone.
pub(crate) fn calls(raw: &str) -> Result<String, Fault> {
    let text = format!("{{\"actual\":{raw}}}");
    let text = readable(&text)?;
    Ok(run_text(&read(&text)?))
}

/// What the last call asked for, and its evaluator.
type Known = ([String; 3], Rc<Evaluator>);

thread_local! {
    /// Calls of a drop-in ask for the same evaluator again and again.
    static LAST: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// The evaluator that an original's constructor makes of its arguments.
fn constructed(id: &str, edition: &str, config: &str) -> Result<Rc<Evaluator>, Fault> {
    let asked = [id, edition, config];
    let known = LAST.with_borrow(|last| {
        let known = last.as_ref().filter(|(known, _)| *known == asked);
        known.map(|(_, evaluator)| Rc::clone(evaluator))
    });
    if let Some(evaluator) = known {
        return Ok(evaluator);
    }
    let Some(edition) = Edition::parse(edition) else {
        return Err(no_such_edition(id, edition)?);
    };
    let evaluator = Rc::new(Evaluator::from_config(id, config, edition)?);
    LAST.set(Some((asked.map(str::to_owned), Rc::clone(&evaluator))));
    Ok(evaluator)
}

#[cold]
fn no_such_edition(id: &str, edition: &str) -> Result<Fault, ConfigError> {
    let (entry, edition) = (find(id)?, edition.to_owned());
    let available: Vec<_> = entry
        .editions
        .iter()
        .map(|edition| format!("`{edition}`"))
        .collect();
    Ok(ConfigError::NoSuchEdition {
        evaluator: entry.id,
        edition,
        available: available.join(" and "),
    }
    .into())
}

/// The original's whole result, and the universal alignment if it is wanted.
pub(crate) fn original(
    [id, edition, config]: [&str; 3],
    [expected, actual]: [&str; 2],
    explained: bool,
) -> Result<String, Fault> {
    let evaluator = constructed(id, edition, config)?;
    let evaluation = evaluator.evaluate_native(
        expected,
        actual,
        Ask {
            result: true,
            explanation: explained,
            ..Ask::OUTCOME
        },
    );
    let Some(result) = &evaluation.result else {
        return Err(match &evaluation.outcome {
            Outcome::NotApplicable(reason) => Fault::evaluation(reason),
            Outcome::Failed(error) => Fault::evaluation(error),
            Outcome::Scored(_) => Fault::evaluation("the evaluator has no original"),
        });
    };
    let mut writer = JsonWriter::new();
    writer.begin_object().key("result").raw(result.as_str());
    if let Some(explanation) = &evaluation.explanation {
        writer.key("alignment").raw(explanation.to_json().as_str());
    }
    writer.end_object();
    Ok(writer.finish().as_str().to_owned())
}
