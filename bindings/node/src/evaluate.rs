//! Evaluates one case in memory.

use std::borrow::Cow;

use napi_derive::napi;
use rightcall_core::call::Case;
use rightcall_core::value::{JsonText, JsonWriter};
use rightcall_core::{Ask, ConfigError, Edition, Evaluator, Outcome, find};
use rightcall_formats::{ReadOptions, read_case, refuse_near_keys};
use rightcall_report::{Explained, ExplainedResult, explain_screen};
use rightcall_results::result_json;
use rightcall_run::{Configured, EvaluatorArgument};

use crate::answer::{Fault, answer};

/// An evaluator with its settings, ready to judge.
#[napi]
pub struct CompiledEvaluator {
    configured: Configured,
}

#[napi]
impl CompiledEvaluator {
    /// Evaluates one case, `{"expected", "actual", …}`; answers with the evaluation.
    #[napi(catch_unwind)]
    pub fn evaluate(&self, case: String, explained: bool) -> String {
        answer("evaluate", || self.evaluation(&case, explained))
    }

    /// Evaluates one case; answers with the evaluation as text.
    #[napi(catch_unwind)]
    pub fn explain(&self, case: String) -> String {
        answer("explain", || self.screen(&case))
    }
}

impl CompiledEvaluator {
    /// The evaluator for an argument of `-e`.
    pub(crate) fn parse(argument: &str) -> Result<Self, Fault> {
        let argument = EvaluatorArgument::parse(argument)?;
        Ok(Self {
            configured: Configured::new(argument, None)?,
        })
    }

    /// Reads a case. Settings in it are an error: they would have no effect.
    fn read<'c>(&self, case: &'c str) -> Result<Case<'c>, Fault> {
        let case = read_case(case, &ReadOptions::default())?;
        refuse_near_keys(&case)?;
        let id = self.configured.evaluator.id();
        let settings = find(id)?.settings.iter().map(|it| it.name);
        let mut settings = settings.chain(["edition", "threshold", "explain"]);
        match settings.find(|name| case.meta.iter().any(|(key, _)| *key == **name)) {
            None => Ok(case),
            Some("explain") => Err(Fault::config(
                "`explain` is an option, not a part of a case: evaluate(evaluator, case, { explain: true })",
            )),
            Some(name) => Err(Fault::config(format!(
                "`{name}` is a setting, not a part of a case: evaluate({{ evaluator: \"{id}\", {name}: … }}, case)"
            ))),
        }
    }

    /// The members of a result line.
    fn evaluation(&self, case: &str, explained: bool) -> Result<String, Fault> {
        let case = self.read(case)?;
        let evaluation = self.configured.evaluator.evaluate(
            &case,
            Ask {
                details: true,
                explanation: explained,
                ..Ask::OUTCOME
            },
        );
        Ok(result_json(
            &self.configured.head().members(),
            &evaluation.into(),
        ))
    }

    /// The evaluation as text, encoded as a JSON string.
    fn screen(&self, case: &str) -> Result<String, Fault> {
        let case = self.read(case)?;
        let evaluation = self.configured.evaluator.evaluate(&case, Ask::EXPLANATION);
        let result = ExplainedResult {
            edition: None,
            ..ExplainedResult::new(&self.configured, Cow::Borrowed(&case), evaluation, None)
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
        // Drop the title, which names a case of a file.
        let text = screen.split_once("\n\n").map_or(&*screen, |(_, text)| text);
        Ok(JsonText::from_type(text).into_string())
    }
}

/// The evaluator that an original's constructor creates from its arguments.
fn constructed(id: &str, edition: &str, config: &str) -> Result<Evaluator, Fault> {
    let Some(edition) = Edition::parse(edition) else {
        return Err(no_such_edition(id, edition)?);
    };
    Ok(Evaluator::from_config(id, config, edition)?)
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

/// The original's result in full, and the alignment if requested.
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
    let explanation = evaluation.explanation.as_ref();
    writer.optional("alignment", explanation.map(|it| it.to_json()));
    writer.end_object();
    Ok(writer.finish().into_string())
}
