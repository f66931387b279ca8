//! `rightcall learn --rules`: learns rules from good runs.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;

use rightcall_core::value::{Syntax, Value, decode_with};
use rightcall_core::{LearnedRule, learn_rules};
use rightcall_report::count;
use rightcall_run::{OutputKind, each_case, yaml_line};

use super::LearnArguments;
use crate::exit::Exit;
use crate::messages::{Trouble, note, to_file, warning};
use crate::problems::ProblemCounter;

/// The output kind of learned rules.
const LEARNED: OutputKind<'static> = OutputKind {
    name: Cow::Borrowed("file of rules"),
    is_earlier: &|existing| existing.head_has(HEAD),
};

/// The first line of the file. It identifies the file as this kind of output.
const HEAD: &str = "# Rules that these runs keep.";

pub(super) fn learn(arguments: &LearnArguments) -> Result<Exit, Trouble> {
    let mut output = arguments.output(&LEARNED)?;
    let plan = arguments.plan();
    let (mut runs, mut left_out) = (Vec::new(), 0);
    let mut problems = ProblemCounter::default();
    each_case(
        &plan,
        &mut problems,
        &mut |case| match case.complete_run() {
            // Learn only from complete runs: the missing part of another run might break a rule.
            Some(run) => {
                let calls = run.calls.iter().map(rightcall_core::call::Call::asked);
                runs.push(calls.collect::<Vec<_>>());
            }
            None => left_out += 1,
        },
    )?;
    problems.finish();
    let learned = learn_rules(&runs, arguments.support.unwrap_or(1.0));
    if !learned.unnameable.is_empty() {
        let names = learned.unnameable.join(", ");
        let help = "in a rule, `*` and `?` are parts of a pattern";
        warning(&format!("no rule can name {names}"), Some(help));
    }
    let mut text = format!("{HEAD} Read each one: what always happened need not always happen.\n");
    for rule in &learned.rules {
        text += &line(rule);
    }
    output.write_all(text.as_bytes())?;
    output.commit()?;
    let to = to_file(arguments.output.as_deref());
    note(&format!(
        "{} from {}{to}",
        count(learned.rules.len() as u64, "rule"),
        count(runs.len() as u64, "run")
    ));
    if left_out > 0 {
        note(&format!(
            "  {left_out} × run left out: calls may be missing"
        ));
    }
    Ok(Exit::not_judged_if(runs.is_empty()))
}

/// A rule as a YAML list item, with the number of runs that keep it.
fn line(learned: &LearnedRule) -> String {
    let rule = decode_with(&learned.rule, Syntax::PYTHON).unwrap_or(Value::Null);
    let rule = yaml_line(&rule);
    let (held, applied) = (learned.held, learned.applied);
    let mut line = format!("- {rule:<56}  # {held} of ");
    _ = writeln!(line, "{}", count(applied as u64, "run"));
    line
}
