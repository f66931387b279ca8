//! `constraints`: this project's evaluator of conditions that don't pair calls.

use crate::call::{Call, Case};
use crate::constraint::{
    CONSTRAINTS, Constraint, Judgement, SETTINGS_WITH_SCHEMA, Verdict, VerdictScore, constraints,
    constraints_with_schema,
};
use crate::evaluation::{Ask, Evaluation};
use crate::expectation::written;
use crate::explanation::{ExplainedCheck, Explanation};
use crate::outcome::NotApplicable;
use crate::presets::prelude::*;
use crate::recipe::{Source, evaluation, not_expected, trajectory};
use crate::scoring::Scored;
use crate::tally::Tally;

pub(crate) static ENTRY: Entry = Entry {
    id: ID,
    aliases: &[],
    summary: "Conditions on a run: rules with arguments, counts, required and forbidden tools, order, budgets, loops, times.",
    page: Page {
        measures: "How many of your conditions a run keeps. They are about counts: how often tools are called, alone or in relation to each \
other. About tools: required, forbidden, one before another. About budgets: the most calls, failed calls and repeats, loops, times. About \
arguments: rules such as *verify before refund, for the same order*, and the schema of a tool. A run passes if every \
condition that could be judged holds.",
        formula: "`score = conditions held / conditions that could be judged`. With `score: all_or_nothing`: 1 if all hold, else 0. A \
repeat has the name and the arguments, as JSON values, of an earlier call; one that follows on a failed one counts for `max_retries`, any \
other for `max_repeats`. What is known to be broken is broken, even where more was not recorded.",
        use_when: "No exact list of calls can be written down, but rules can: never refund twice, verify first, at most ten calls.",
        not_when: "You know which calls you expect: `trajectory` and the published metrics pair them and say what differs.",
        limits: "Arguments count for rules, loops, repeats and schemas alone. A call of a tool that `schema` lacks is not judged by it; \
the explanation lists such tools. An argument that a schema does not list is forbidden, unless the schema allows others. A pattern counts the calls of all tools that fit it together.",
        not_applicable: "Neither the settings nor the case states a condition; there is no run; too little was recorded \
to judge any condition; or no called tool is among those of `schema`. A condition on data that was not recorded (times, errors, arguments) is left out of the score, never broken.",
        editions: "",
        departures: &[],
        source: "This project; there is no original.",
        related: &["uipath/tool-call-count", "trajectory"],
        example: Example {
            settings: r#"{"counts":{"find_*":"1..3"},"forbidden":["delete_*"],"order":["find_order before refund"],"max_repeats":0,"max_run_seconds":30}"#,
            expected: r#"{"constraints":{"counts":{"refund":"<= 1"}}}"#,
            actual: r#"[{"name":"refund","args":{"id":7}},{"name":"find_order","args":{"id":7}},{"name":"find_order","args":{"id":7}}]"#,
            result: r#"{"score":0.6,"held":3,"broken":2,"not_recorded":1,"checks":[{"label":"find_*","wanted":"1..3","found":"2","held":true,"actual":[1,2]},{"label":"delete_* is forbidden","wanted":"= 0","found":"0","held":true,"actual":[]},{"label":"find_order before refund","wanted":"find_order first","found":"1 of 1 too early","held":false,"actual":[0]},{"label":"repeats of the same call","wanted":"<= 0","found":"1","held":false,"actual":[2]},{"label":"whole run","wanted":"<= 30 s","found":"`start` was not recorded","held":null,"actual":[]},{"label":"refund","wanted":"<= 1","found":"1","held":true,"actual":[0]}]}"#,
        },
    },
    settings: &SETTINGS,
    editions: &[Edition::Package],
    needs: "conditions in the settings or the case; of the actual calls what each condition looks at",
    shape: None,
    build,
};

const ID: &str = "constraints";

const FOLDS: [(&str, VerdictScore); 2] = [
    ("proportional", VerdictScore::Proportional),
    ("all_or_nothing", VerdictScore::AllOrNothing),
];
const SCORE: Choice<VerdictScore> = Choice::new(
    "score",
    &FOLDS,
    &Choice::names_of(&FOLDS),
    "\"proportional\"",
    "The share of the conditions that hold, or 1 only if all do.",
);

static SETTINGS: [Setting; SETTINGS_WITH_SCHEMA.len() + 1] = {
    let mut settings = [SCORE.setting; SETTINGS_WITH_SCHEMA.len() + 1];
    let mut index = 0;
    while index < SETTINGS_WITH_SCHEMA.len() {
        settings[index] = SETTINGS_WITH_SCHEMA[index];
        index += 1;
    }
    settings
};

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let fold = SCORE.read(settings)?;
    let from_settings = constraints_with_schema(settings)?;
    Ok(Box::new(Constraints {
        from_settings,
        fold,
    }))
}

#[derive(Debug)]
struct Constraints {
    from_settings: Vec<Constraint>,
    fold: VerdictScore,
}

/// The constraints in a case, its counts first.
fn constraints_in_case(case: &Case<'_>) -> Result<Vec<Constraint>, EvaluationError> {
    let unknown = |operator: &dyn std::fmt::Display| {
        EvaluationError::Raised(format!("`{operator}` is no operator"))
    };
    let counts = case.expected.counts.iter().flatten();
    let mut constraints: Vec<_> = counts
        .map(|count| Constraint::from_count(count).ok_or_else(|| unknown(&count.operator)))
        .collect::<Result<_, _>>()?;
    if let Some(json) = case.expected.constraints {
        constraints.extend(parse_constraints(json)?);
    }
    Ok(constraints)
}

/// The constraints in `expected.constraints` of a case.
fn parse_constraints(json: &str) -> Result<Vec<Constraint>, EvaluationError> {
    let raised = |error: ConfigError| EvaluationError::Raised(error.to_string());
    let value = written(json)
        .map_err(|error| EvaluationError::Raised(format!("expected/constraints{error}")))?;
    let object = value
        .as_object()
        .ok_or_else(|| EvaluationError::Raised("`constraints` is not an object".to_owned()))?;
    let settings =
        Settings::strict("expected/constraints", object, &CONSTRAINTS).map_err(raised)?;
    constraints(&settings).map_err(raised)
}

/// Checks `expected.constraints` of a case, given as JSON text.
///
/// # Errors
///
/// The first key or value that makes `constraints` an error on such a case.
pub fn check_constraints(json: &str) -> Result<(), EvaluationError> {
    parse_constraints(json).map(drop)
}

/// Each constraint with its judgement of the run.
type Judgements<'c> = Vec<(&'c Constraint, Judgement)>;

impl Constraints {
    fn score(&self, judged: &Judgements<'_>, case: &Case<'_>) -> Result<Scored, Outcome> {
        let run = trajectory(case)?;
        let verdicts = judged.iter().map(|(_, judgement)| judgement.verdict);
        if verdicts.clone().all(Verdict::is_open) {
            return Err(unjudged(verdicts, case, &run.calls).into());
        }
        let judged = verdicts
            .filter(|verdict| !verdict.is_open())
            .map(|verdict| verdict == Verdict::Held);
        Ok(self.fold.score("every condition holds", judged))
    }
}

/// The reason if no constraint could be judged.
fn unjudged(
    mut verdicts: impl Iterator<Item = Verdict>,
    case: &Case<'_>,
    calls: &[Call<'_>],
) -> NotApplicable {
    if let Some(why) = &case.incomplete {
        let why = why.to_display().into_owned();
        return NotApplicable::RunIncomplete { why };
    }
    let name = |index: usize| {
        let call = calls.get(index);
        call.map(|call| call.name.to_string()).unwrap_or_default()
    };
    let reason = verdicts.find_map(|verdict| match verdict {
        Verdict::NotRecorded { call, field } => Some(NotApplicable::NotRecorded {
            index: call,
            name: name(call),
            field,
        }),
        Verdict::NoSchema { call } => Some(NotApplicable::NoSchema { name: name(call) }),
        _ => None,
    });
    reason.unwrap_or(NotApplicable::NoRun)
}

fn write(judged: &Judgements<'_>, writer: &mut JsonWriter) {
    let number = |is: fn(&Verdict) -> bool| {
        judged
            .iter()
            .filter(|(_, judgement)| is(&judgement.verdict))
            .count()
    };
    writer
        .key("held")
        .count(number(|verdict| *verdict == Verdict::Held));
    writer
        .key("broken")
        .count(number(|verdict| *verdict == Verdict::Broken));
    writer
        .key("not_recorded")
        .count(number(|verdict| verdict.is_open()));
    writer.key("checks").serialize(&explained(judged));
}

fn explained(judged: &Judgements<'_>) -> Vec<ExplainedCheck> {
    judged
        .iter()
        .map(|(constraint, judgement)| constraint.explain(judgement))
        .collect()
}

impl Preset for Constraints {
    fn judges_incomplete_runs(&self) -> bool {
        true
    }

    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let Source::Case(prepared) = source else {
            return Err(EvaluationError::Raised("this evaluator takes cases".to_owned()).into());
        };
        let case = prepared.case();
        let in_case = constraints_in_case(case)?;
        let constraints = self.from_settings.iter().chain(&in_case);
        let run = trajectory(case)?;
        let judge = |constraint| {
            let judgement = Constraint::judge(constraint, &run.calls, case.hash_key)?;
            let is_settled = case.incomplete.is_none() || constraint.is_settled(&judgement);
            Ok((constraint, judgement.if_settled(is_settled)))
        };
        let judged = constraints
            .map(judge)
            .collect::<Result<Judgements<'_>, EvaluationError>>()?;
        if judged.is_empty() {
            return Err(not_expected("constraints"));
        }
        let scored = self.score(&judged, case)?;
        let explain = || {
            scored.explain(Explanation {
                checks: explained(&judged),
                tally: Tally {
                    actual: run.calls.len(),
                    ..Tally::default()
                },
                ..Explanation::default()
            })
        };
        Ok(evaluation(
            scored.score,
            Some(judged.iter().all(|(_, it)| it.verdict != Verdict::Broken)),
            ask,
            Layout::Flat,
            |writer| write(&judged, writer),
            explain,
        ))
    }
}
