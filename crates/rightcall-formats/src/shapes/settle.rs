//! The sides of a case that were not canonical, read as what they look like or as what they are said to be.

use std::mem;

use rightcall::call::{Case, Expectation, Native, Shape, Trajectory};
use rightcall::value::{Reader, Syntax, Text};

use super::recognise::{self, by_keys, leaves_arguments_open, pair};
use super::{calls, graphs, messages, spans};
use crate::case::{CaseSide, Draft, Fault, Result, Within, Wording, expectation, run, shortened};
use crate::format::{CallDialect, Carrier, Format, Reading, ShapeSides};

/// Makes the case of a draft whole: sides that were not canonical are read as what they look like, or as what they are said to be.
pub(crate) fn settle(draft: &mut Draft<'_>, format: Option<&Format>) -> Result<()> {
    let (expected, actual) = (mem::take(&mut draft.expected), mem::take(&mut draft.actual));
    match format.map(|format| format.reading) {
        Some(Reading::Shape(sides)) => of_shape(&mut draft.case, &expected, &actual, sides, true),
        // Readers of traces write canonical cases.
        Some(Reading::Cases | Reading::Messages(_) | Reading::Traces(..)) => {
            canonical(&mut draft.case, expected, actual)
        }
        None => recognised(&mut draft.case, expected, actual),
    }
}

fn canonical<'a>(case: &mut Case<'a>, expected: CaseSide<'a>, actual: CaseSide<'a>) -> Result<()> {
    if let CaseSide::Foreign { raw } = expected {
        case.expected = expected_by(recognise::expected(raw).filter(|it| it.is_canonical()), raw)
            .within("expected")?;
    }
    if let CaseSide::Foreign { raw } = actual {
        case.actual = Some(
            actual_by(recognise::actual(raw).filter(|it| it.is_canonical()), raw)
                .within("actual")?,
        );
    }
    Ok(())
}

fn recognised<'a>(case: &mut Case<'a>, expected: CaseSide<'a>, actual: CaseSide<'a>) -> Result<()> {
    if matches!((&expected, &actual), (CaseSide::Missing, CaseSide::Missing)) {
        return match by_keys(&case.meta) {
            Some((sides, keeps_native)) => of_shape(case, &expected, &actual, sides, keeps_native),
            None if case.meta.is_empty() => Ok(()),
            None => Err(without_sides(case)),
        };
    }
    let expected_carrier = expected.carrier(recognise::expected);
    let actual_carrier = actual.carrier(recognise::actual);
    let deepeval = Carrier::Calls(CallDialect::DeepEval);
    let leaves_open = |side: &CaseSide<'_>| side.raw().is_some_and(leaves_arguments_open);
    let shape = match (expected_carrier, actual_carrier) {
        (Some(carrier), None) if carrier == deepeval && leaves_open(&actual) => {
            pair(Some(carrier), Some(carrier))
        }
        (None, Some(carrier)) if carrier == deepeval && leaves_open(&expected) => {
            pair(Some(carrier), Some(carrier))
        }
        // An empty list on one side takes the form of the other.
        (Some(carrier), None) if actual.is_empty_list() => {
            pair(Some(carrier), Some(carrier.counterpart()))
        }
        (None, Some(carrier)) if expected.is_empty_list() => pair(Some(carrier), Some(carrier)),
        (expected, actual) => pair(expected, actual),
    };
    // No original knows blocks and matchers.
    let shape = shape.filter(|_| case.expected.tree.is_none());
    if let (Some(shape), Some(expected), Some(actual)) = (shape, expected.raw(), actual.raw()) {
        case.native = Some(Native {
            shape,
            expected,
            actual,
            settings: Vec::new(),
        });
    }
    if let CaseSide::Foreign { raw } = expected {
        case.expected = expected_by(expected_carrier, raw).within("expected")?;
    }
    if let CaseSide::Foreign { raw } = actual {
        case.actual = Some(actual_by(actual_carrier, raw).within("actual")?);
    }
    Ok(())
}

fn of_shape<'a>(
    case: &mut Case<'a>,
    expected: &CaseSide<'a>,
    actual: &CaseSide<'a>,
    sides: &ShapeSides,
    keeps_native: bool,
) -> Result<()> {
    let shape = sides.shape;
    let taken = |case: &mut Case<'a>, keys, own: &'static str, side: &CaseSide<'a>| {
        let found =
            take(&mut case.meta, keys).map(|(key, raw)| (key.to_display().into_owned(), raw));
        found
            .or_else(|| side.raw().map(|raw| (own.to_owned(), raw)))
            .unzip()
    };
    let (expected_key, expected) = taken(case, sides.expected, "expected", expected);
    let (actual_key, actual) = taken(case, sides.actual, "actual", actual);
    let actual = actual.filter(|&raw| raw != "null");
    // What agentevals judges of graphs is the order of their nodes, not messages.
    let is_graph = |side: Option<&str>| {
        shape == Shape::AgentEvals
            && side.is_some_and(|raw| raw.starts_with('{') && graphs::is_graph(raw))
    };
    let (expected_carrier, actual_carrier) = if is_graph(expected) || is_graph(actual) {
        (Carrier::Graph, Carrier::Graph)
    } else {
        sides.carriers
    };
    let keeps_native = keeps_native && expected_carrier != Carrier::Graph;
    if let (true, Some(expected), Some(actual)) = (keeps_native, expected, actual) {
        case.native = Some(Native {
            shape,
            expected,
            actual,
            settings: stated(&case.meta, sides)?,
        });
    }
    if let Some(raw) = expected.filter(|&raw| raw != "null") {
        case.expected =
            expected_by(Some(expected_carrier), raw).within(&expected_key.unwrap_or_default())?;
    }
    if let Some(raw) = actual {
        case.actual =
            Some(actual_by(Some(actual_carrier), raw).within(&actual_key.unwrap_or_default())?);
    }
    if matches!(shape, Shape::Axion | Shape::DeepEval) {
        let input = take(&mut case.meta, &["query"]).map(|(_, raw)| raw);
        let output = take(&mut case.meta, &["actual_output", "actualOutput"]).map(|(_, raw)| raw);
        case.input = case.input.or(input);
        case.output = case.output.or(output.filter(|&raw| raw != "null"));
    }
    Ok(())
}

/// The settings of the original's call that a case states. They stay among its other entries too, to choose and group cases by.
fn stated<'a>(
    meta: &[(Text<'a>, &'a str)],
    sides: &ShapeSides,
) -> Result<Vec<(&'static str, &'a str)>> {
    let mut settings = Vec::new();
    for (key, raw) in meta.iter().filter(|_| !sides.settings.is_empty()) {
        let key = key.to_display();
        let Some(name) = sides
            .settings
            .iter()
            .copied()
            .find(|name| name.eq_ignore_ascii_case(&key))
        else {
            continue;
        };
        if key != name {
            let fault = Fault::new(format!("`{name}`"), format!("`{}`", shortened(&key)));
            return Err(fault
                .help("the original reads this name in no other spelling")
                .under(&key));
        }
        if *raw != "null" {
            settings.push((name, *raw));
        }
    }
    Ok(settings)
}

/// Takes the value of the last of these keys out of the other entries.
fn take<'a>(meta: &mut Vec<(Text<'a>, &'a str)>, keys: &[&str]) -> Option<(Text<'a>, &'a str)> {
    let at = meta
        .iter()
        .rposition(|(key, _)| keys.iter().any(|name| key == name))?;
    Some(meta.remove(at))
}

#[cold]
fn without_sides(case: &Case<'_>) -> Fault {
    let keys: Vec<_> = case
        .meta
        .iter()
        .take(6)
        .map(|(key, _)| format!("`{}`", shortened(&key.to_display())))
        .collect();
    let fault = Fault::new(
        "a case with `expected` or `actual`",
        format!("an object with {}", keys.join(", ")),
    );
    match case
        .near_keys
        .iter()
        .find(|(_, meant)| matches!(*meant, "expected" | "actual"))
    {
        Some((_, meant)) => fault.help(format!("did you mean `{meant}`?")),
        None => {
            fault.help("if its calls stand under other keys, name its format with --input-format")
        }
    }
}

/// What is expected, by what carries it; where nothing is known to, calls in any words.
fn expected_by(carrier: Option<Carrier>, raw: &str) -> Result<Expectation<'_>> {
    let reader = &mut Reader::new(raw, Syntax::PYTHON);
    match carrier {
        Some(Carrier::Criteria) => match expectation(reader, true) {
            Ok((expected, Wording::Criteria)) => Ok(expected),
            Err(slip) if slip.is_slip() => Err(slip),
            // What else is wrong in criteria is for the preset to say.
            _ => Ok(Expectation::default()),
        },
        Some(carrier) => Ok(Expectation::from_calls(carried(carrier, raw, true)?.calls)),
        None => Ok(expectation(reader, true)?.0),
    }
}

fn actual_by(carrier: Option<Carrier>, raw: &str) -> Result<Trajectory<'_>> {
    match carrier {
        Some(carrier) => carried(carrier, raw, false),
        None => run(&mut Reader::new(raw, Syntax::PYTHON), true),
    }
}

fn carried(carrier: Carrier, raw: &str, is_expected: bool) -> Result<Trajectory<'_>> {
    let only_calls = |calls| Trajectory {
        calls,
        spans: Vec::new(),
    };
    match carrier {
        Carrier::Criteria => Ok(Trajectory::default()),
        Carrier::Spans => spans::trajectory(raw),
        Carrier::Messages => messages::calls(raw, is_expected).map(only_calls),
        Carrier::Graph => graphs::calls(raw).map(only_calls),
        Carrier::Invocations => calls::of_invocations(raw, is_expected).map(only_calls),
        Carrier::Calls(dialect) => calls::of_list(raw, dialect, is_expected).map(only_calls),
    }
}

impl<'a> CaseSide<'a> {
    fn raw(&self) -> Option<&'a str> {
        match self {
            Self::Missing => None,
            Self::Read { raw, .. } | Self::Foreign { raw } => Some(raw),
        }
    }

    fn is_empty_list(&self) -> bool {
        self.raw()
            .is_some_and(|raw| raw.starts_with('[') && raw[1..].trim_start() == "]")
    }

    /// What carries the calls of this side, as far as one can tell.
    fn carrier(&self, guess: impl FnOnce(&str) -> Option<Carrier>) -> Option<Carrier> {
        match self {
            Self::Read {
                wording: Wording::Criteria,
                ..
            } => Some(Carrier::Criteria),
            Self::Read { .. } | Self::Missing => None,
            Self::Foreign { raw } => guess(raw),
        }
    }
}
