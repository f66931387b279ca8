//! Scores cases in memory, with one result each, in order. Names of cases may repeat.

use std::sync::Arc;

use rightcall_core::call::Case;
use rightcall_core::value::{Syntax, decode_with};
use rightcall_formats::{CaseError, Location, RecordContent, in_order, refuse_near_sides};

use crate::judge::Judge;
use crate::judged::JudgedBlock;
use crate::plan::Unread;
use crate::run::Pass;
use crate::{FinishedRun, Observer, Output, Plan, RunError};

/// A case in memory.
#[derive(Clone, Debug)]
pub enum BatchCase {
    /// The JSON text of a case.
    Text(String),
    /// A value that JSON cannot represent.
    Refused {
        /// The id, if the value has one.
        id: Option<String>,
        /// The reason.
        error: CaseError,
    },
}

/// The name of a case without an id, from its position (from 0).
pub fn place_in_batch(place: usize) -> String {
    format!("cases[{place}]")
}

/// Number of cases that a thread takes at a time.
const CHUNK: usize = 128;

/// Scores cases in memory, with one result for each case and evaluator, in order. For a case that cannot be parsed, every evaluator has
/// an error. The inputs of the plan are not read.
///
/// # Errors
/// An output that cannot be written to, or traces that cannot be read.
pub fn run_batch(
    plan: &Plan,
    cases: Vec<BatchCase>,
    outputs: &mut [Box<dyn Output + '_>],
    observer: &mut dyn Observer,
) -> Result<FinishedRun, RunError> {
    let Pass { judge, mut sink } = Pass::new(plan, outputs, observer);
    // Names may repeat, so there is no check for duplicates.
    sink.seen = None;
    let mut cases = cases.into_iter();
    let (mut before, mut bytes) = (0, 0);
    in_order(
        plan.threads,
        || {
            let chunk: Vec<_> = cases.by_ref().take(CHUNK).collect();
            let first = before;
            before += chunk.len();
            bytes += chunk.iter().map(BatchCase::len).sum::<u64>();
            Ok::<_, RunError>((!chunk.is_empty()).then_some((first, bytes, chunk)))
        },
        |(first, bytes, chunk)| judge_chunk(&judge, first, bytes, &chunk),
        |block: JudgedBlock| sink.take(block, true),
    )?;
    sink.finish()
}

impl BatchCase {
    fn len(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::Refused { .. } => 0,
        }
    }
}

fn judge_chunk(judge: &Judge<'_>, first: usize, bytes: u64, chunk: &[BatchCase]) -> JudgedBlock {
    let mut judged = judge.block(&Arc::from("cases"), bytes);
    for (place, case) in (first..).zip(chunk) {
        let line = place as u64 + 1;
        let label = place_in_batch(place);
        let mut near_side = None;
        let mut judge_case = |case: &Case<'_>| {
            // Without the side, the case would only be "not applicable".
            near_side = refuse_near_sides(case).err();
            if near_side.is_some() {
                return;
            }
            case.with_resolved(|case| {
                judge.plan.shown(case, &mut |shown| {
                    judge.judge_named(&mut judged, case, shown, (line, &label));
                });
            });
        };
        let (id, unread) = match case {
            BatchCase::Text(text) => {
                match judge
                    .plan
                    .read(RecordContent::of_text(text), place as u64, &mut judge_case)
                {
                    Ok(()) => match near_side {
                        None => continue,
                        Some(error) => (id_in(text), Unread::Record(error)),
                    },
                    Err(unread) => (id_in(text), unread),
                }
            }
            BatchCase::Refused { id, error } => (id.clone(), Unread::Record(error.clone())),
        };
        let label = id.unwrap_or(label);
        judge.fail(&mut judged, (line, label.clone()), &unread.reason());
        judged.problems.push(unread.in_place(Location {
            file: Arc::from(label),
            line: None,
            pointer: String::new(),
        }));
    }
    judged
}

/// The id in a text that is not a valid case, if it is an object with an id.
fn id_in(text: &str) -> Option<String> {
    let value = decode_with(text, Syntax::PYTHON).ok()?;
    let id = value.as_object()?.get_str("id")?;
    id.as_text().map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use std::io;

    use rightcall_formats::{Limits, ReadOptions};
    use rightcall_results::CaseResult;

    use super::*;
    use crate::{Configured, EvaluatorArgument, Problem};

    /// Forwards results to the caller as an output would receive them.
    struct ResultCollector<'h>(&'h mut Vec<(String, Vec<&'static str>)>);

    impl Output for ResultCollector<'_> {
        fn case(&mut self, case: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
            let outcomes = case.evaluations.iter().map(|it| it.outcome.name());
            self.0.push((case.label.clone(), outcomes.collect()));
            Ok(())
        }
    }

    struct Problems(Vec<String>);

    impl Observer for Problems {
        fn problem(&mut self, problem: &Problem) {
            self.0.push(problem.to_string());
        }
    }

    #[test]
    fn results_keep_the_order_of_cases_for_any_number_of_threads() {
        let refused = |id: Option<&str>| BatchCase::Refused {
            id: id.map(str::to_owned),
            error: CaseError {
                pointer: "/actual/0/args/x".to_owned(),
                expected: "a value that JSON can hold".into(),
                found: "a set".to_owned(),
                help: None,
            },
        };
        let kinds = |kind: usize| match kind {
            0 => BatchCase::Text(r#"{"id":"twin","expected":["a"],"actual":["a"]}"#.to_owned()),
            1 => BatchCase::Text(r#"{"expected":["a"],"actual":["b"]}"#.to_owned()),
            2 => BatchCase::Text(r#"{"id":"bad","expected":7,"actual":[]}"#.to_owned()),
            3 => BatchCase::Text("[".to_owned()),
            4 => BatchCase::Text(r#"{"id":"near","expectd":["a"],"actual":["a"]}"#.to_owned()),
            5 => refused(None),
            _ => refused(Some("set")),
        };
        for shift in 0..7 {
            for threads in [1, 3] {
                let cases: Vec<_> = (0..500).map(|place| (place * place + shift) % 7).collect();
                let evaluators = ["trajectory", "uipath/tool-call-order"].map(|id| {
                    Configured::new(EvaluatorArgument::parse(id).unwrap(), None).unwrap()
                });
                let plan = Plan {
                    evaluators: evaluators.into(),
                    threads,
                    ..Plan::new(Vec::new(), ReadOptions::default(), Limits::default())
                };
                let (mut heard, mut problems) = (Vec::new(), Problems(Vec::new()));
                let given = cases.iter().map(|kind| kinds(*kind)).collect();
                let finished = run_batch(
                    &plan,
                    given,
                    &mut [Box::new(ResultCollector(&mut heard))],
                    &mut problems,
                );
                let summary = finished.unwrap().summary;
                let wanted = cases.iter().enumerate().map(|(place, kind)| {
                    let (id, outcome) = [
                        (Some("twin"), "scored"),
                        (None, "scored"),
                        (Some("bad"), "error"),
                        (None, "error"),
                        (Some("near"), "error"),
                        (None, "error"),
                        (Some("set"), "error"),
                    ][*kind];
                    let label = id.map_or_else(|| place_in_batch(place), str::to_owned);
                    (label, vec![outcome; 2])
                });
                assert_eq!(heard, wanted.collect::<Vec<_>>(), "{shift} {threads}");
                let read = cases.iter().filter(|kind| **kind < 2).count();
                assert_eq!(summary.cases, read as u64);
                assert_eq!(summary.unreadable, (cases.len() - read) as u64);
                assert_eq!(problems.0.len(), cases.len() - read);
                assert_eq!(summary.duplicates, 0);
            }
        }
    }
}
