//! Checks a suite against its tables: reports the first invalid value and suggests a valid one.

use rightcall_core::expectation::BLOCKS;
use rightcall_core::nearest;
use rightcall_formats::yaml::{self, Key, Yaml, YamlNode};
use rightcall_formats::{ReadOptions, read_case};

use super::fault::{Checked, SuiteError, each};
use super::keys::{EVALUATOR, EXPECT, Measure, ObjectType, ValueType};
use crate::names::did_you_mean;
use rightcall_results::Bound;

pub(super) fn check(node: &YamlNode, takes: &ValueType) -> Checked<()> {
    let unexpected = || SuiteError::expected(node, &describe(takes)).help(what_to_write(takes));
    match (takes, &node.value) {
        (ValueType::Text(_) | ValueType::Texts(_), Yaml::Text(text)) if !text.is_empty() => Ok(()),
        (ValueType::Texts(what), Yaml::List(items)) if !items.is_empty() => {
            all(items, &ValueType::Text(what))
        }
        (ValueType::Choice(choices), Yaml::Text(text)) if choices.contains(&text.as_str()) => {
            Ok(())
        }
        (ValueType::Choice(choices), Yaml::Text(text)) => {
            Err(unexpected().and(&did_you_mean(text, choices.iter().copied())))
        }
        (ValueType::Threshold, Yaml::Number(number)) if is_up_to(number, 1.0) => Ok(()),
        (ValueType::Weight, Yaml::Number(number)) if is_up_to(number, f64::MAX) => Ok(()),
        (ValueType::Number, Yaml::Number(number)) if number.parse::<u32>().is_ok() => Ok(()),
        (ValueType::Object(shape), Yaml::Map(members)) if !members.is_empty() => {
            object(node, shape)
        }
        (ValueType::Map(inner, _), Yaml::Map(members)) if !members.is_empty() => {
            members.iter().try_for_each(|(key, value)| {
                check(value, inner).map_err(|fault| fault.under(&key.name))
            })
        }
        (ValueType::List(inner, _), Yaml::List(items)) if !items.is_empty() => all(items, inner),
        (ValueType::ListOrNone(inner, _), Yaml::List(items)) => all(items, inner),
        (ValueType::Value | ValueType::Values, Yaml::Text(_) | Yaml::Number(_) | Yaml::Bool(_))
        | (ValueType::Evaluator, Yaml::Text(_))
        | (ValueType::ExpectationPart, _) => Ok(()),
        (ValueType::Values, Yaml::List(items)) if !items.is_empty() => {
            all(items, &ValueType::Value)
        }
        (ValueType::BoundOr(_, shape), Yaml::Map(_)) => check(node, &ValueType::Object(shape)),
        (ValueType::Bound(measure) | ValueType::BoundOr(measure, _), _) => {
            bound(node, *measure).map(drop)
        }
        (ValueType::Evaluator, Yaml::Map(_)) => evaluator(node),
        (ValueType::Expectation, _) => expectation(node),
        _ => Err(unexpected()),
    }
}

/// Whether a number is from 0 to `highest`, inclusive.
fn is_up_to(number: &str, highest: f64) -> bool {
    number
        .parse()
        .is_ok_and(|number: f64| (0.0..=highest).contains(&number))
}

fn all(items: &[YamlNode], takes: &ValueType) -> Checked<()> {
    each(items, |item| check(item, takes)).map(drop)
}

/// Checks an object: all keys must be known.
fn object(node: &YamlNode, shape: &ObjectType) -> Checked<()> {
    for (key, value) in node.members() {
        let takes = match (shape.key(&key.name), shape.others) {
            (Some(known), _) => &known.takes,
            (None, Some(others)) if (others.is_allowed)(&key.name) => &others.takes,
            _ => return Err(unknown(key, shape)),
        };
        check(value, takes).map_err(|fault| fault.under(&key.name))?;
    }
    Ok(())
}

fn unknown(key: &yaml::Key, shape: &ObjectType) -> SuiteError {
    // Cases that were learned, in place of rules.
    if shape.name == "`expect`" && matches!(&*key.name, "id" | "input" | "expected") {
        let help = "a file of cases is scored with the runs: `rightcall score CASES --traces RUNS`";
        let message = format!("`{}` belongs to a case, not to a rule", key.name);
        return SuiteError::at(key.line, message)
            .help(help)
            .under(&key.name);
    }
    let near = did_you_mean(&key.name, shape.names());
    SuiteError::at(
        key.line,
        format!("{} has no `{}`{near}", shape.name, key.name),
    )
    .help(known(shape))
    .under(&key.name)
}

/// Checks the keys of an evaluator that the tables define. The evaluator checks its own settings, including the threshold.
fn evaluator(node: &YamlNode) -> Checked<()> {
    for (key, value) in node.members() {
        if let Some(known) = EVALUATOR
            .key(&key.name)
            .filter(|known| known.name != "threshold")
        {
            check(value, &known.takes).map_err(|fault| fault.under(&key.name))?;
        }
    }
    if node.member("evaluator").is_none() {
        let help = "write `evaluator: ID`; `rightcall evaluators` lists them";
        return Err(SuiteError::at(node.line, "`evaluator` is missing").help(help));
    }
    Ok(())
}

/// Checks the parts of an expectation that only suites have; the rest is parsed as in a case.
fn expectation(node: &YamlNode) -> Checked<()> {
    if is_side(node) {
        return Ok(());
    }
    if is_rule(node) {
        return object(node, &EXPECT);
    }
    if !matches!(node.value, Yaml::List(_)) {
        return Err(
            SuiteError::expected(node, &describe(&ValueType::Expectation)).help(EXPECT_HELP),
        );
    }
    let rules = || {
        node.items()
            .iter()
            .enumerate()
            .filter(|(_, item)| is_rule(item))
    };
    match node.items().iter().position(|item| !is_rule(item)) {
        Some(number) if rules().next().is_some() => {
            let item = &node.items()[number];
            let fault = SuiteError::expected(
                item,
                "an object with `calls`, `order`, `counts`, `outputs` or `constraints`, as next to it",
            );
            Err(fault.help(EXPECT_HELP).under(&number.to_string()))
        }
        _ => rules().try_for_each(|(number, rule)| {
            object(rule, &EXPECT).map_err(|fault| fault.under(&number.to_string()))
        }),
    }
}

const EXPECT_HELP: &str = "write a list of calls, `{order: [find_order, refund]}`, or a list of such objects with a `when:` each";

/// Keys of an expectation with a filter.
const OF_RULE: [&str; 6] = ["when", "calls", "order", "counts", "outputs", "constraints"];

/// True for an expectation as in a case, without keys of suites: calls, messages or spans.
pub(super) fn is_side(node: &YamlNode) -> bool {
    let states_rule = |node: &YamlNode| {
        let mut keys = node.members().iter().map(|(key, _)| key.name.as_str());
        !node.members().is_empty() && keys.all(|key| OF_RULE.contains(&key))
    };
    let is_structure = matches!(node.value, Yaml::List(_) | Yaml::Map(_));
    let is_read = || {
        let case = format!("{{\"expected\":{}}}", node.to_json());
        read_case(&case, &ReadOptions::default()).is_ok()
    };
    is_structure && !states_rule(node) && !node.items().iter().any(states_rule) && is_read()
}

/// True for `{when, calls, order, …}`, false for a call or a block of calls.
pub(super) fn is_rule(node: &YamlNode) -> bool {
    let is_block = |(key, _): &(Key, YamlNode)| {
        let name = key.name.as_str();
        !OF_RULE.contains(&name) && !nearest(name, BLOCKS).is_empty()
    };
    matches!(node.value, Yaml::Map(_))
        && node.member("name").is_none()
        && !node.members().iter().any(is_block)
        && !node.members().is_empty()
}

/// Parses an operator and a number in the range of the measure.
pub(super) fn bound(node: &YamlNode, measure: Measure) -> Checked<Bound> {
    let Some(bound) = node.text().and_then(Bound::parse) else {
        let example = match measure {
            Measure::Score => ">= 0.9",
            Measure::Share => ">= 95%",
            Measure::Count => "<= 3",
            Measure::Change => ">= -0.02",
        };
        let help = format!("write \"{example}\", in quotes; operators are >= > <= < = and !=");
        return Err(SuiteError::expected(node, "an operator and a number").help(help));
    };
    match measure {
        Measure::Score if !(0.0..=1.0).contains(&bound.number()) => {
            let help = "write \">= 0.95\" or \">= 95%\"";
            Err(SuiteError::expected(node, "a score from 0 to 1").help(help))
        }
        Measure::Share if !(0.0..=1.0).contains(&bound.number()) => Err(SuiteError::expected(
            node,
            "a share of the cases, from 0% to 100%",
        )
        .help("write \">= 95%\" or \">= 0.95\"")),
        Measure::Count
            if bound.is_percent() || bound.number() < 0.0 || bound.number().fract() != 0.0 =>
        {
            let help = "write \"= 0\" or \"<= 3\"; for the share of the cases that can be judged there is `applicable`";
            Err(SuiteError::expected(node, "a number of cases").help(help))
        }
        _ => Ok(bound),
    }
}

/// The keys that an object may have.
fn known(shape: &ObjectType) -> String {
    let names: Vec<_> = shape.names().collect();
    let others = shape
        .others
        .map_or_else(String::new, |others| format!(", and {}", others.name));
    format!("keys: {}{others}", names.join(", "))
}

fn what_to_write(takes: &ValueType) -> String {
    match takes {
        ValueType::Text(_) => "write a text, in quotes if it looks like something else",
        ValueType::Texts(_) => "write a text, or several in brackets: [a, b]",
        ValueType::Choice(_) => "write one of these, or leave the key out",
        ValueType::Weight | ValueType::Threshold => "write a number such as 1 or 0.5",
        ValueType::Number => "write a number such as 10000",
        ValueType::Object(shape) if shape.key("mean").is_some() => {
            return format!("write {{mean: \">= 0.9\"}}; {}", known(shape));
        }
        ValueType::Object(shape) => return known(shape),
        ValueType::Map(..) => "write a line `KEY: VALUE` for each, indented",
        ValueType::List(..) | ValueType::ListOrNone(..) => {
            "write each on a line of its own, after `- `"
        }
        ValueType::Value | ValueType::Values => "write a value, or several in brackets: [a, b]",
        ValueType::Evaluator => {
            "write `- uipath/tool-call-order`, or `- evaluator: ID` and its settings below"
        }
        ValueType::Bound(_) | ValueType::BoundOr(..) => "write \">= 0.9\", in quotes",
        ValueType::Expectation | ValueType::ExpectationPart => EXPECT_HELP,
    }
    .to_owned()
}

fn describe(takes: &ValueType) -> String {
    match takes {
        ValueType::Text(what) | ValueType::Texts(what) | ValueType::Map(_, what) | ValueType::List(_, what) | ValueType::ListOrNone(_, what) => {
            (*what).to_owned()
        }
        ValueType::Choice(choices) => {
            let quoted: Vec<_> = choices.iter().map(|choice| format!("`{choice}`")).collect();
            match quoted.split_last() {
                Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
                _ => quoted.concat(),
            }
        }
        ValueType::Weight => "a number of 0 or more".to_owned(),
        ValueType::Threshold => "a number from 0 to 1".to_owned(),
        ValueType::Number => "a whole number of 0 or more".to_owned(),
        ValueType::Object(shape) => format!("{}, which is an object", shape.name),
        ValueType::Value => "a text, a number, true or false".to_owned(),
        ValueType::Values => "a text, a number, true or false, or a list of these".to_owned(),
        ValueType::Bound(_) | ValueType::BoundOr(..) => "an operator and a number".to_owned(),
        ValueType::Evaluator => "the id of an evaluator or an object".to_owned(),
        ValueType::Expectation | ValueType::ExpectationPart => {
            "a list of calls, or objects with `calls`, `order`, `counts`, `outputs` or `constraints`".to_owned()
        }
    }
}
