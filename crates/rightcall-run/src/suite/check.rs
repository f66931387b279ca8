//! A suite against its tables: the first place that does not fit, and what to write there.

use rightcall_formats::yaml::{self, Node, Yaml};

use super::fault::{Checked, Fault, each};
use super::keys::{EVALUATOR, EXPECT, Measure, Shape, Takes};
use crate::names::did_you_mean;
use rightcall_results::Bound;

pub(super) fn check(node: &Node, takes: &Takes) -> Checked<()> {
    let unexpected = || Fault::expected(node, &describe(takes)).help(what_to_write(takes));
    match (takes, &node.value) {
        (Takes::Text(_) | Takes::Texts(_), Yaml::Text(text)) if !text.is_empty() => Ok(()),
        (Takes::Texts(what), Yaml::List(items)) if !items.is_empty() => {
            all(items, &Takes::Text(what))
        }
        (Takes::Choice(choices), Yaml::Text(text)) if choices.contains(&text.as_str()) => Ok(()),
        (Takes::Choice(choices), Yaml::Text(text)) => {
            Err(unexpected().and(&did_you_mean(text, choices.iter().copied())))
        }
        (Takes::Threshold, Yaml::Number(number))
            if number
                .parse()
                .is_ok_and(|it: f64| (0.0..=1.0).contains(&it)) =>
        {
            Ok(())
        }
        (Takes::Weight, Yaml::Number(number))
            if number
                .parse()
                .is_ok_and(|it: f64| it >= 0.0 && it.is_finite()) =>
        {
            Ok(())
        }
        (Takes::Number, Yaml::Number(number)) if number.parse::<u32>().is_ok() => Ok(()),
        (Takes::Object(shape), Yaml::Map(members)) if !members.is_empty() => object(node, shape),
        (Takes::Map(inner, _), Yaml::Map(members)) if !members.is_empty() => {
            members.iter().try_for_each(|(key, value)| {
                check(value, inner).map_err(|fault| fault.under(&key.name))
            })
        }
        (Takes::List(inner, _), Yaml::List(items)) if !items.is_empty() => all(items, inner),
        (Takes::ListOrNone(inner, _), Yaml::List(items)) => all(items, inner),
        (Takes::Value | Takes::Values, Yaml::Text(_) | Yaml::Number(_) | Yaml::Bool(_))
        | (Takes::Evaluator, Yaml::Text(_))
        | (Takes::Demand, _) => Ok(()),
        (Takes::Values, Yaml::List(items)) if !items.is_empty() => all(items, &Takes::Value),
        (Takes::BoundOr(_, shape), Yaml::Map(_)) => check(node, &Takes::Object(shape)),
        (Takes::Bound(measure) | Takes::BoundOr(measure, _), _) => bound(node, *measure).map(drop),
        (Takes::Evaluator, Yaml::Map(_)) => evaluator(node),
        (Takes::Expectation, _) => expectation(node),
        _ => Err(unexpected()),
    }
}

fn all(items: &[Node], takes: &Takes) -> Checked<()> {
    each(items, |item| check(item, takes)).map(drop)
}

/// An object, each key of which is known.
fn object(node: &Node, shape: &Shape) -> Checked<()> {
    for (key, value) in node.members() {
        let takes = match (shape.key(&key.name), shape.others) {
            (Some(known), _) => &known.takes,
            (None, Some(others)) if (others.is_one)(&key.name) => &others.takes,
            _ => return Err(unknown(key, shape)),
        };
        check(value, takes).map_err(|fault| fault.under(&key.name))?;
    }
    Ok(())
}

fn unknown(key: &yaml::Key, shape: &Shape) -> Fault {
    let near = did_you_mean(&key.name, shape.names());
    Fault::at(
        key.line,
        format!("{} has no `{}`{near}", shape.name, key.name),
    )
    .help(known(shape))
    .under(&key.name)
}

/// An evaluator, as far as the tables know it; its settings, the threshold among them, are its own to check.
fn evaluator(node: &Node) -> Checked<()> {
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
        return Err(Fault::at(node.line, "`evaluator` is missing").help(help));
    }
    Ok(())
}

/// The parts of an expectation that belong to the suite; what is demanded is read as in a case.
fn expectation(node: &Node) -> Checked<()> {
    if is_rule(node) {
        return object(node, &EXPECT);
    }
    if !matches!(node.value, Yaml::List(_)) {
        return Err(Fault::expected(node, &describe(&Takes::Expectation)).help(EXPECT_HELP));
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
            let fault = Fault::expected(
                item,
                "an object with `calls`, `order`, `counts`, `outputs` or `constraints`, as beside it",
            );
            Err(fault.help(EXPECT_HELP).under(&number.to_string()))
        }
        _ => rules().try_for_each(|(number, rule)| {
            object(rule, &EXPECT).map_err(|fault| fault.under(&number.to_string()))
        }),
    }
}

const EXPECT_HELP: &str = "write a list of calls, `{order: [find_order, refund]}`, or a list of such objects with a `when:` each";

/// True for `{when, calls, order, …}`, false for a call.
pub(super) fn is_rule(node: &Node) -> bool {
    matches!(node.value, Yaml::Map(_))
        && node.member("name").is_none()
        && !node.members().is_empty()
}

/// An operator and a number that can be meant.
pub(super) fn bound(node: &Node, measure: Measure) -> Checked<Bound> {
    let Some(bound) = node.text().and_then(Bound::parse) else {
        let example = match measure {
            Measure::Score => ">= 0.9",
            Measure::Share => ">= 95%",
            Measure::Count => "<= 3",
            Measure::Change => ">= -0.02",
        };
        let help = format!("write \"{example}\", in quotes; operators are >= > <= < = and !=");
        return Err(Fault::expected(node, "an operator and a number").help(help));
    };
    match measure {
        Measure::Share if !(0.0..=1.0).contains(&bound.number()) => Err(Fault::expected(
            node,
            "a share of the cases, from 0% to 100%",
        )
        .help("write \">= 95%\" or \">= 0.95\"")),
        Measure::Count
            if bound.is_percent() || bound.number() < 0.0 || bound.number().fract() != 0.0 =>
        {
            let help = "write \"= 0\" or \"<= 3\"; for the share of the cases that can be judged there is `applicable`";
            Err(Fault::expected(node, "a number of cases").help(help))
        }
        _ => Ok(bound),
    }
}

/// What an object may hold.
fn known(shape: &Shape) -> String {
    let names: Vec<_> = shape.names().collect();
    let others = shape
        .others
        .map_or_else(String::new, |others| format!(", and {}", others.name));
    format!("there is {}{others}", names.join(", "))
}

fn what_to_write(takes: &Takes) -> String {
    match takes {
        Takes::Text(_) => "write a text, in quotes if it looks like something else",
        Takes::Texts(_) => "write a text, or several in brackets: [a, b]",
        Takes::Choice(_) => "write one of these, or leave the key out",
        Takes::Weight | Takes::Threshold => "write a number such as 1 or 0.5",
        Takes::Number => "write a number such as 10000",
        Takes::Object(shape) if shape.key("mean").is_some() => {
            return format!("write {{mean: \">= 0.9\"}}; {}", known(shape));
        }
        Takes::Object(shape) => return known(shape),
        Takes::Map(..) => "write a line `KEY: VALUE` for each, indented",
        Takes::List(..) | Takes::ListOrNone(..) => "write each on a line of its own, after `- `",
        Takes::Value | Takes::Values => "write a value, or several in brackets: [a, b]",
        Takes::Evaluator => {
            "write `- uipath/tool-call-order`, or `- evaluator: ID` and its settings below"
        }
        Takes::Bound(_) | Takes::BoundOr(..) => "write \">= 0.9\", in quotes",
        Takes::Expectation | Takes::Demand => EXPECT_HELP,
    }
    .to_owned()
}

fn describe(takes: &Takes) -> String {
    match takes {
        Takes::Text(what) | Takes::Texts(what) | Takes::Map(_, what) | Takes::List(_, what) | Takes::ListOrNone(_, what) => {
            (*what).to_owned()
        }
        Takes::Choice(choices) => {
            let quoted: Vec<_> = choices.iter().map(|choice| format!("`{choice}`")).collect();
            match quoted.split_last() {
                Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
                _ => quoted.concat(),
            }
        }
        Takes::Weight => "a number of 0 or more".to_owned(),
        Takes::Threshold => "a number from 0 to 1".to_owned(),
        Takes::Number => "a whole number of 0 or more".to_owned(),
        Takes::Object(shape) => format!("{}, which is an object", shape.name),
        Takes::Value => "a text, a number, true or false".to_owned(),
        Takes::Values => "a text, a number, true or false, or a list of these".to_owned(),
        Takes::Bound(_) | Takes::BoundOr(..) => "an operator and a number".to_owned(),
        Takes::Evaluator => "the id of an evaluator or an object".to_owned(),
        Takes::Expectation | Takes::Demand => {
            "a list of calls, or objects with `calls`, `order`, `counts`, `outputs` or `constraints`".to_owned()
        }
    }
}
