//! Evaluators that a suite could add: its own evaluators with one changed setting, and native ones
//! from mild to strict.

use rightcall_core::value::{JsonText, Object, Syntax, Text, Value, decode_with};
use rightcall_core::{Ask, Edition, Setting, SettingKind};
use rightcall_formats::{ReadOptions, read_case};
use rightcall_quality::strength::CandidateName;
use rightcall_results::{GateSubject, Statistic};

use crate::{Configured, EvaluatorArgument, Gate, yaml_line};

/// An evaluator that the suite could add.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) evaluator: Configured,
    /// Its entries under `evaluators:` and `gates:`, in YAML.
    pub(super) name: CandidateName,
}

/// Native evaluators, from mild to strict.
const NATIVE: [&str; 9] = [
    r#"{"evaluator":"constraints","max_repeats":0,"threshold":1}"#,
    r#"{"evaluator":"trajectory","match":{"args":"ignore"},"mode":"superset","threshold":1}"#,
    r#"{"evaluator":"trajectory","match":{"args":"subset"},"mode":"superset","threshold":1}"#,
    r#"{"evaluator":"trajectory","mode":"superset","threshold":1}"#,
    r#"{"evaluator":"trajectory","mode":"in_order","threshold":1}"#,
    r#"{"evaluator":"trajectory","match":{"args":"ignore"},"mode":"unordered","threshold":1}"#,
    r#"{"evaluator":"trajectory","mode":"unordered","threshold":1}"#,
    r#"{"evaluator":"trajectory","mode":"strict","threshold":1}"#,
    r#"{"evaluator":"fitness"}"#,
];

/// The settings to try on the evaluators of the suite: the compared parts, and how strictly they
/// are compared.
const TRIED: [&str; 8] = [
    "arg", "param", "strict", "mode", "match", "order", "extra", "exact",
];

/// All candidates: first the evaluators of the suite with a changed setting.
pub(super) fn candidates(
    suite: &[Configured],
    gates: &[Gate],
    edition: Option<Edition>,
) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let own = suite.iter().flat_map(changes);
    let native = NATIVE
        .iter()
        .filter_map(|it| EvaluatorArgument::parse(it).ok());
    for mut asked in own.chain(native) {
        // Skip changes that the evaluator rejects.
        let Ok(evaluator) = Configured::new(asked.clone(), edition) else {
            continue;
        };
        asked.name = name(&evaluator, suite);
        let entry = entry(&asked);
        let is_known = |it: &Candidate| it.name.evaluator == entry;
        if evaluator.is_decisive() && !candidates.iter().any(is_known) {
            let gate = needs_gate(gates).then(|| gate(asked.name.as_deref().unwrap_or(&asked.id)));
            candidates.push(Candidate {
                evaluator,
                name: CandidateName::new(entry, gate),
            });
        }
    }
    candidates
}

/// True if gates decide, and none of them covers all verdicts.
fn needs_gate(gates: &[Gate]) -> bool {
    let is_of_all = |it: &Gate| {
        matches!(it.subject, GateSubject::Passed(_))
            && it.statistic == Statistic::PassRate
            && it.only.is_everything()
            && it.by.is_none()
            && !it.wanted.holds(0.0)
    };
    gates.iter().any(|it| !it.implied) && !gates.iter().any(is_of_all)
}

/// The gate that lets an evaluator decide.
fn gate(label: &str) -> String {
    let rate = Object::new(vec![(Text::new("pass_rate"), Value::from(">= 100%"))]);
    yaml_line(&Value::Object(Object::new(vec![(
        Text::from(label.to_owned()),
        Value::Object(rate),
    )])))
}

/// True if the evaluator's score depends on arguments.
fn compares_arguments(configured: &Configured) -> bool {
    let score = |argument: u8| {
        let text = format!(
            r#"{{"expected":[{{"name":"f","args":{{"a":1}}}}],"actual":[{{"name":"f","args":{{"a":{argument}}}}}]}}"#
        );
        let case = read_case(&text, &ReadOptions::default()).ok()?;
        configured.evaluate(&case, Ask::OUTCOME).score()
    };
    score(1) != score(2)
}

/// A distinct name, if the suite already has an evaluator of this kind.
fn name(configured: &Configured, suite: &[Configured]) -> Option<String> {
    let is_same = |it: &Configured| it.evaluator.id() == configured.evaluator.id();
    let is_free = |name: &String| suite.iter().all(|it| it.label() != *name);
    let word = match configured.evaluator.id() {
        "constraints" => "more rules",
        _ if compares_arguments(configured) => "exact calls",
        _ => "exact names",
    };
    let mut names = (1..).map(|number| match number {
        1 => word.to_owned(),
        _ => format!("{word} {number}"),
    });
    suite
        .iter()
        .any(is_same)
        .then(|| names.find(is_free))
        .flatten()
}

/// The evaluator with a threshold of 1, and the same with one more setting changed.
fn changes(configured: &Configured) -> Vec<EvaluatorArgument> {
    let Ok(asked) = EvaluatorArgument::parse(&configured.argument) else {
        return Vec::new();
    };
    let entry = configured.evaluator.entry();
    let own = decode_with(&asked.settings, Syntax::PYTHON).unwrap_or(Value::Null);
    let Value::Object(own) = own else {
        return Vec::new();
    };
    let strict = with(&own, "threshold", &Value::from(1_usize));
    let mut changed = vec![strict.clone()];
    // The native list has these modes, combined with arguments.
    let is_native = |it: &&Setting| entry.id == "trajectory" && it.name == "mode";
    for setting in entry.settings.iter().filter(|it| !is_native(it)) {
        match setting.kind {
            SettingKind::Object(inner) => {
                let before = match own.get_str(setting.name) {
                    Some(Value::Object(before)) => before.clone(),
                    _ => Object::default(),
                };
                for (setting_inside, value) in inner.iter().flat_map(alternatives) {
                    let inside = Value::Object(with(&before, setting_inside, &value));
                    changed.push(with(&strict, setting.name, &inside));
                }
            }
            _ => changed.extend(
                alternatives(setting)
                    .into_iter()
                    .map(|(name, value)| with(&strict, name, &value)),
            ),
        }
    }
    let settings = changed.into_iter().map(|it| EvaluatorArgument {
        settings: JsonText::from_value(&Value::Object(it)).into_string(),
        ..asked.clone()
    });
    settings.collect()
}

/// The values to try for a setting.
fn alternatives(setting: &Setting) -> Vec<(&'static str, Value<'static>)> {
    if !TRIED
        .iter()
        .any(|it| setting.name.to_lowercase().contains(it))
    {
        return Vec::new();
    }
    let mut values: Vec<Value<'static>> = match setting.kind {
        SettingKind::Bool => vec![Value::Bool(true), Value::Bool(false)],
        SettingKind::Choice(choices) => choices.iter().map(|it| Value::from(*it)).collect(),
        _ => Vec::new(),
    };
    // If two values have the same effect, the default is shown.
    values.sort_by_key(|it| JsonText::from_value(it).as_str() != setting.default);
    values.into_iter().map(|it| (setting.name, it)).collect()
}

/// The settings with one of them set.
fn with(settings: &Object<'_>, name: &str, value: &Value<'_>) -> Object<'static> {
    let is_other = |(key, _): &&(Text<'_>, Value<'_>)| {
        rightcall_core::folded(&key.to_display()) != rightcall_core::folded(name)
    };
    let mut all: Vec<_> = settings.iter().filter(is_other).cloned().collect();
    all.push((Text::from(name.to_owned()), value.clone()));
    Object::new(all).into_owned()
}

/// The suite entry for it.
fn entry(asked: &EvaluatorArgument) -> String {
    let settings = decode_with(&asked.settings, Syntax::PYTHON).unwrap_or(Value::Null);
    let name = asked
        .name
        .as_deref()
        .map(|name| (Text::new("name"), Value::from(name)));
    let evaluator = (Text::new("evaluator"), Value::from(asked.id.as_str()));
    let settings = settings
        .as_object()
        .into_iter()
        .flat_map(Object::iter)
        .cloned();
    let all = name
        .into_iter()
        .chain([evaluator])
        .chain(settings)
        .collect();
    yaml_line(&Value::Object(Object::new(all)))
}
