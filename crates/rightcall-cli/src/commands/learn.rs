//! `rightcall learn`: what good runs have in common, as rules.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use rightcall::value::{Syntax, Value, decode_with};
use rightcall::{LearnedRule, learn_rules};
use rightcall_report::count;
use rightcall_run::{OutputFile, OutputFiles, OutputKind, Plan, each_case};

use crate::arguments::{ChoiceArguments, InputArguments};
use crate::exit::Exit;
use crate::messages::{Trouble, note, to_file, warning};
use crate::problems::ProblemCounter;

#[derive(Debug, Args)]
pub(crate) struct LearnArguments {
    /// Files with good runs, in any format; `-` is standard input
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
    /// Propose rules
    #[arg(long, required = true)]
    rules: bool,
    /// The share of the runs that must keep a rule, of those that it says something about
    #[arg(long, value_name = "SHARE", value_parser = parse_share, default_value = "1")]
    support: f64,
    /// Write to a file, which appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    choice: ChoiceArguments,
    #[command(flatten)]
    input: InputArguments,
}

/// Rules as a kind of output.
const LEARNED: OutputKind<'static> = OutputKind {
    name: Cow::Borrowed("file of rules"),
    is_earlier: &|existing| existing.head_has(HEAD),
};

/// The first line of a file, by which it is known again.
const HEAD: &str = "# Rules that these runs keep.";

pub(crate) fn learn(arguments: &LearnArguments) -> Result<Exit, Trouble> {
    let mut output = match &arguments.output {
        Some(path) => OutputFiles::new(&arguments.files).create(path, &LEARNED)?,
        None => OutputFile::stdout(),
    };
    let limits = arguments.input.limits();
    let plan = Plan {
        selection: arguments.choice.selection(),
        ..Plan::new(arguments.files.clone(), arguments.input.reading(), limits)
    };
    let (mut runs, mut left_out) = (Vec::new(), 0);
    let mut problems = ProblemCounter::default();
    each_case(&plan, &mut problems, &mut |case| match &case.actual {
        // What such a run lacks might break a rule.
        Some(run) if case.incomplete.is_none() => {
            let calls = run.calls.iter().map(rightcall::call::Call::asked);
            runs.push(calls.collect::<Vec<_>>());
        }
        _ => left_out += 1,
    })?;
    problems.finish();
    let learned = learn_rules(&runs, arguments.support);
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
    Ok(Exit::wrong_if(runs.is_empty()))
}

/// A rule as an item of a list in YAML, with the number of runs that keep it.
fn line(learned: &LearnedRule) -> String {
    let rule = decode_with(&learned.rule, Syntax::PYTHON).unwrap_or(Value::Null);
    let rule = yaml(&rule);
    let (held, applied) = (learned.held, learned.applied);
    let mut line = format!("- {rule:<56}  # {held} of ");
    _ = writeln!(line, "{}", count(applied as u64, "run"));
    line
}

/// A value in YAML, on one line.
fn yaml(value: &Value<'_>) -> String {
    match value {
        Value::String(text) => yaml_text(&text.to_display()),
        Value::List(items) => {
            let items: Vec<_> = items.iter().map(yaml).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(object) => {
            let members = object.iter();
            let members = members.map(|(key, value)| {
                let key = yaml_text(&key.to_display());
                format!("{key}: {}", yaml(value))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => rightcall::value::JsonText::from_value(other).into_string(),
    }
}

/// A text in YAML: as it is, if that reads as a text everywhere.
fn yaml_text(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b' ');
    let starts_well = text.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_word = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if starts_well && !is_word && text.bytes().all(is_plain) && !text.ends_with(' ') {
        return text.to_owned();
    }
    let mut writer = rightcall::value::JsonWriter::new();
    writer.str(text);
    writer.finish().into_string()
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|it| *it > 0.0 && *it <= 1.0);
    share.ok_or_else(|| "expected a number above 0 and up to 1, such as 0.95".to_owned())
}
