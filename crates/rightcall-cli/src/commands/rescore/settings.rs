//! The settings to score rollouts with: suites and evaluators.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rightcall_run::{Observer, Plan, Problem, Suite, SuiteOptions, SuiteReading};

use super::RescoreArguments;
use crate::arguments::{configured, names_suite};
use crate::messages::Trouble;
use crate::problems::ProblemCounter;
use crate::scoring::threads;

/// A setting with its plan for scoring the rollouts.
pub(super) struct RescoreSetting {
    pub(super) name: String,
    pub(super) plan: Plan,
}

/// The settings of `--with`, in order.
pub(super) fn read(arguments: &RescoreArguments) -> Result<Vec<RescoreSetting>, Trouble> {
    let standard_input = |path: &PathBuf| path.as_os_str() == "-";
    if arguments.with.len() > 1 && arguments.rollouts.iter().any(standard_input) {
        return Err(Trouble::with_help(
            "standard input can be read once, and each setting reads the rollouts",
            "write the rollouts to a file first",
        ));
    }
    if arguments.prove.is_some() && arguments.with.len() > 1 {
        return Err(Trouble::with_help(
            "--prove compares the scores of one setting",
            "name one setting: `rightcall rescore ROLLOUTS --with SETTING --prove RESULTS`",
        ));
    }
    let settings = arguments.with.iter();
    let settings = settings.map(|text| setting(text, arguments));
    let settings: Vec<RescoreSetting> = settings.collect::<Result<_, _>>()?;
    let mut names = HashSet::new();
    if let Some(repeated) = settings.iter().find(|it| !names.insert(&it.name)) {
        return Err(Trouble::with_help(
            format!("--with {}: the setting is there twice", repeated.name),
            "name each setting once",
        ));
    }
    Ok(settings)
}

fn setting(text: &str, arguments: &RescoreArguments) -> Result<RescoreSetting, Trouble> {
    let path = Path::new(text);
    let is_suite = path.exists() || names_suite(path);
    let plan = if is_suite && !text.starts_with('{') {
        suite_plan(path, arguments)?
    } else {
        Plan {
            evaluators: configured(&[text.to_owned()], arguments.edition)?,
            ..plan(&SuiteReading::default(), arguments)
        }
    };
    // An evaluator may have a `name=`. The name of a suite is its path.
    let named = match &plan.evaluators[..] {
        [one] if !is_suite => one.name.clone(),
        _ => None,
    };
    let name = named.unwrap_or_else(|| text.to_owned());
    Ok(RescoreSetting { name, plan })
}

/// A plan that reads the rollouts, without evaluators yet.
fn plan(reading: &SuiteReading, arguments: &RescoreArguments) -> Plan {
    let input = &arguments.input;
    let (reading, _) = input.readings_with(reading, reading.join, false);
    Plan {
        threads: threads(arguments.threads),
        counts_repeats: true,
        ..Plan::new(arguments.rollouts.clone(), reading, input.limits())
    }
}

/// A plan that scores the rollouts with the evaluators of a suite. The suite's cases, traces and
/// gates are ignored.
fn suite_plan(path: &Path, arguments: &RescoreArguments) -> Result<Plan, Trouble> {
    let options = SuiteOptions {
        edition: arguments.edition,
        profile: None,
        limits: arguments.input.limits(),
        settings_alone: true,
    };
    let suite = Suite::read(path, &options)?;
    let reading = SuiteReading::of(&suite);
    Ok(Plan {
        evaluators: suite.evaluators,
        redaction: suite.redaction,
        expected: suite.expected,
        case_rule: Some(suite.case_rule),
        identity: suite.identity,
        ..plan(&reading, arguments)
    })
}

/// Reports unreadable records once, although each setting reads them again.
#[derive(Default)]
pub(super) struct OnceObserver {
    problems: ProblemCounter,
    known: HashSet<String>,
}

impl OnceObserver {
    /// The number of problems.
    pub(super) fn count(&self) -> u64 {
        self.problems.count()
    }

    /// Reports the number of problems that were not printed.
    pub(super) fn finish(&self) {
        self.problems.finish();
    }
}

impl Observer for OnceObserver {
    fn problem(&mut self, problem: &Problem) {
        if self.known.insert(problem.to_string()) {
            self.problems.problem(problem);
        }
    }
}
