//! Reads the non-canonical sides of a case, in the given format or in a recognized one.

use std::mem;

use rightcall_core::call::{Case, Expectation, Native, Shape, Trajectory};
use rightcall_core::value::{MAX_DEPTH, Reader, Syntax, Text};

use super::recognise::{self, by_keys, leaves_arguments_open, pair};
use super::{calls, graphs, spans};
use crate::case::{
    CaseSide, Draft, Fault, Result, Within, Wording, expectation, is_member, near, object_with,
    run, shortened, unknown_member,
};
use crate::format::{CallDialect, Carrier, Format, Reading, ShapeSides, SideReader, SideRun};
use crate::node::Node;
use crate::trace::likely_calls_under;
use crate::trace::unread::SILENT;

/// Completes the case of a draft: reads non-canonical sides, in the given format or in a recognized one.
pub(crate) fn settle(
    draft: &mut Draft<'_>,
    format: Option<&Format>,
    sides: &dyn SideReader,
) -> Result<()> {
    let (expected, actual) = (mem::take(&mut draft.expected), mem::take(&mut draft.actual));
    let run_key = draft.run_key.take().unwrap_or(Text::new("actual"));
    let mut settling = Settling {
        case: &mut draft.case,
        run_key: &run_key.to_display(),
        sides,
        gap: None,
        lacks_run: false,
    };
    match format.map(|format| format.reading) {
        Some(Reading::Shape(sides)) => settling.of_shape(&expected, &actual, sides, true),
        // Trace readers write canonical cases.
        Some(Reading::Cases | Reading::Messages(_) | Reading::Traces(..) | Reading::Mapped(_)) => {
            settling.canonical(&expected, &actual)
        }
        None => settling.recognised(&expected, &actual),
    }?;
    settling.refuse_gap()
}

/// Reads the sides of a case.
struct Settling<'s, 'a> {
    case: &'s mut Case<'a>,
    /// The key of the run.
    run_key: &'s str,
    sides: &'s dyn SideReader,
    /// The unread part of the expected side.
    gap: Option<String>,
    /// True if that side shows nothing of the agent's run.
    lacks_run: bool,
}

impl<'a> Settling<'_, 'a> {
    fn canonical(&mut self, expected: &CaseSide<'a>, actual: &CaseSide<'a>) -> Result<()> {
        let canonical = |carrier: Option<Carrier>| carrier.filter(|it| it.is_canonical());
        if let CaseSide::Foreign { raw } = expected {
            let carrier = canonical(recognise::expected(raw));
            self.take_expected(carrier, raw).within("expected")?;
        }
        if let CaseSide::Foreign { raw } = actual {
            let carrier = canonical(recognise::actual(raw));
            self.take_actual(carrier, raw).within(self.run_key)?;
        }
        Ok(())
    }

    fn recognised(&mut self, expected: &CaseSide<'a>, actual: &CaseSide<'a>) -> Result<()> {
        if matches!((expected, actual), (CaseSide::Missing, CaseSide::Missing)) {
            return match by_keys(&self.case.meta) {
                Some((sides, keeps_native)) => self.of_shape(expected, actual, sides, keeps_native),
                None if self.case.meta.is_empty() => Ok(()),
                None => Err(without_sides(self.case)),
            };
        }
        let actual_carrier = actual.carrier(recognise::actual);
        let is_of_uipath = actual_carrier == Some(Carrier::Spans);
        let expected_carrier = expected.carrier(recognise::expected).filter(|carrier| {
            *carrier != Carrier::Criteria || others_are_ignored(expected, is_of_uipath)
        });
        let deepeval = Carrier::Calls(CallDialect::DeepEval);
        let leaves_open = |side: &CaseSide<'_>| side.raw().is_some_and(leaves_arguments_open);
        let shape = match (expected_carrier, actual_carrier) {
            (Some(carrier), None) if carrier == deepeval && leaves_open(actual) => {
                pair(Some(carrier), Some(carrier))
            }
            (None, Some(carrier)) if carrier == deepeval && leaves_open(expected) => {
                pair(Some(carrier), Some(carrier))
            }
            // An empty list takes the form of the other side.
            (Some(carrier), None) if actual.is_empty_list() => {
                pair(Some(carrier), Some(carrier.counterpart()))
            }
            (None, Some(carrier)) if expected.is_empty_list() => pair(Some(carrier), Some(carrier)),
            (expected, actual) => pair(expected, actual),
        };
        let mut is_native = true;
        if let CaseSide::Foreign { raw } = expected {
            is_native &= self
                .take_expected(expected_carrier, raw)
                .within("expected")?;
        }
        if let CaseSide::Foreign { raw } = actual {
            is_native &= self.take_actual(actual_carrier, raw).within(self.run_key)?;
        }
        // No original tool supports blocks and matchers. Beside an empty list, the shape of messages without a run is a guess.
        let is_guess = self.lacks_run && actual.is_empty_list()
            || self.case.actual.is_none() && expected.is_empty_list();
        let is_native = is_native && self.case.expected.tree.is_none() && !is_guess;
        let shape = shape.filter(|_| is_native);
        if let (Some(shape), Some(expected), Some(actual)) = (shape, expected.raw(), actual.raw()) {
            self.case.native = Some(Native {
                shape,
                expected,
                actual,
                settings: Vec::new(),
            });
        }
        Ok(())
    }

    fn of_shape(
        &mut self,
        expected: &CaseSide<'a>,
        actual: &CaseSide<'a>,
        sides: &ShapeSides,
        keeps_native: bool,
    ) -> Result<()> {
        let shape = sides.shape;
        let (expected_key, expected) = self.take_side(sides.expected, "expected", expected);
        let (actual_key, actual) = self.take_side(sides.actual, "actual", actual);
        let actual = actual.filter(|&raw| raw != "null");
        // For graphs, agentevals scores the order of nodes, not messages.
        let is_graph = |side: Option<&str>| {
            shape == Shape::AgentEvals
                && side.is_some_and(|raw| raw.starts_with('{') && graphs::is_graph(raw))
        };
        let (expected_carrier, actual_carrier) = if is_graph(expected) || is_graph(actual) {
            (Carrier::Graph, Carrier::Graph)
        } else {
            sides.carriers
        };
        let mut is_native = keeps_native && expected_carrier != Carrier::Graph;
        if let Some(raw) = expected.filter(|&raw| raw != "null") {
            is_native &= self
                .take_expected(Some(expected_carrier), raw)
                .within(&expected_key)?;
        }
        if let Some(raw) = actual {
            is_native &= self
                .take_actual(Some(actual_carrier), raw)
                .within(&actual_key)?;
            // An empty list of messages shows no run, unlike an empty list of calls.
            if actual_carrier == Carrier::Messages && is_empty(raw) {
                self.case.actual = None;
                self.case.incomplete = Some(SILENT.into());
            }
        }
        if let (true, Some(expected), Some(actual)) = (is_native, expected, actual) {
            self.case.native = Some(Native {
                shape,
                expected,
                actual,
                settings: stated(&self.case.meta, sides)?,
            });
        }
        if matches!(shape, Shape::Axion | Shape::DeepEval) {
            let case = &mut *self.case;
            let input = take(&mut case.meta, &["query"]).map(|(_, raw)| raw);
            let output =
                take(&mut case.meta, &["actual_output", "actualOutput"]).map(|(_, raw)| raw);
            case.input = case.input.or(input);
            case.output = case.output.or(output.filter(|&raw| raw != "null"));
        }
        self.look_over(sides)
    }

    /// Records misspelled keys of a missing side. Calls under other keys are an error if the run is missing.
    fn look_over(&mut self, sides: &ShapeSides) -> Result<()> {
        let case = &mut *self.case;
        let missing = [
            (case.expected.is_empty(), sides.expected),
            (
                case.actual.is_none() && case.incomplete.is_none(),
                sides.actual,
            ),
        ];
        for keys in missing
            .into_iter()
            .filter_map(|(lacks, keys)| lacks.then_some(keys))
        {
            let near = case.meta.iter().filter_map(|(key, _)| {
                near(&key.to_display(), keys).map(|meant| (key.clone(), meant))
            });
            case.near_keys.extend(near);
        }
        if missing[1].0 {
            refuse_calls(&case.meta)?;
        }
        Ok(())
    }

    /// The key and the text of a side, under one of the shape's own keys or under the canonical one.
    fn take_side(
        &mut self,
        keys: &[&str],
        own: &str,
        side: &CaseSide<'a>,
    ) -> (String, Option<&'a str>) {
        match take(&mut self.case.meta, keys) {
            Some((key, raw)) => (key.to_display().into_owned(), Some(raw)),
            None => (own.to_owned(), side.raw()),
        }
    }

    /// Reads the expectation; true if the original tool would see the same calls.
    fn take_expected(&mut self, carrier: Option<Carrier>, raw: &'a str) -> Result<bool> {
        let read = || expectation(&mut Reader::new(raw, Syntax::PYTHON), true);
        let side = match carrier {
            Some(Carrier::Criteria) => {
                match read() {
                    Ok((expected, Wording::Criteria)) => self.case.expected = expected,
                    Err(slip) if slip.is_slip() => return Err(slip),
                    // Other errors in criteria are for the preset to report.
                    _ => {}
                }
                return Ok(true);
            }
            Some(carrier) => self.carried(carrier, raw, true)?,
            None => {
                if let Some(side) = self.sides.read_known(raw, true)? {
                    side.into()
                } else {
                    let (expected, wording) = read()?;
                    if let (Wording::Criteria, Some((key, _))) = (wording, others(raw).first()) {
                        return Err(unknown_member(key));
                    }
                    self.case.expected = expected;
                    return Ok(true);
                }
            }
        };
        if side.incomplete.is_some() {
            self.gap = side.incomplete;
            self.lacks_run = side.run.is_none();
        } else {
            self.case.expected = Expectation::from_calls(side.run.unwrap_or_default().calls);
        }
        Ok(side.is_native)
    }

    /// An expectation must be read completely, except by the tool with that shape.
    fn refuse_gap(self) -> Result<()> {
        match self.gap {
            Some(gap) if self.case.native.is_none() => {
                let fault = Fault::new("all calls that are expected", gap).help(
                    "write them: [{\"name\": \"find_order\", \"args\": {\"id\": 7}}], or [] if there are none",
                );
                Err(fault).within("expected")
            }
            _ => Ok(()),
        }
    }

    /// Reads the run; true if the original tool would see the same calls.
    fn take_actual(&mut self, carrier: Option<Carrier>, raw: &'a str) -> Result<bool> {
        let side = match carrier {
            Some(carrier) => self.carried(carrier, raw, false)?,
            None => match self.sides.read_known(raw, false)? {
                Some(side) => side.into(),
                None => Side::native(run(&mut Reader::new(raw, Syntax::PYTHON), true)?),
            },
        };
        self.case.actual = side.run;
        self.case.incomplete = self
            .case
            .incomplete
            .take()
            .or(side.incomplete.map(Text::from));
        Ok(side.is_native)
    }

    /// Reads a side in this form.
    fn carried(&self, carrier: Carrier, raw: &'a str, is_expected: bool) -> Result<Side<'a>> {
        let only_calls = |calls| {
            Side::native(Trajectory {
                calls,
                spans: Vec::new(),
            })
        };
        match carrier {
            Carrier::Criteria => Ok(Side::native(Trajectory::default())),
            Carrier::Spans => match spans::read(raw)? {
                Some(found) if found.are_of_openinference => {
                    let side = self.sides.read_spans(raw, is_expected)?;
                    let run = side.run.map(|read| Trajectory {
                        calls: read.calls,
                        spans: found.run.spans,
                    });
                    Ok(Side {
                        run,
                        incomplete: side.incomplete,
                        is_native: true,
                    })
                }
                Some(found) => Ok(Side::native(found.run)),
                None => Ok(self.sides.read_spans(raw, is_expected)?.into()),
            },
            Carrier::Messages => Ok(self.sides.read(raw, is_expected)?.into()),
            Carrier::Graph => graphs::calls(raw).map(only_calls),
            Carrier::Invocations => match calls::of_invocations(raw, is_expected)? {
                Some(calls) => Ok(only_calls(calls)),
                None => Ok(self.sides.read(raw, is_expected)?.into()),
            },
            Carrier::Calls(dialect) => calls::of_list(raw, dialect, is_expected).map(only_calls),
        }
    }
}

/// The members of an object that aren't part of the expectation.
fn others(raw: &str) -> Vec<(Text<'static>, String)> {
    let Ok(node) = Node::parse(raw, MAX_DEPTH) else {
        return Vec::new();
    };
    let others = node.entries().iter().filter(|(key, _)| !is_member(key));
    others
        .map(|(key, value)| (key.clone().into_owned(), value.raw().to_owned()))
        .collect()
}

/// True if unknown keys next to criteria may be ignored, as UiPath does: they contain no call, and the run isn't in the shape of another
/// tool.
fn others_are_ignored(expected: &CaseSide<'_>, is_of_uipath: bool) -> bool {
    let others = expected.raw().map(others).unwrap_or_default();
    let holds_calls =
        |(key, raw): &(Text<'static>, String)| likely_calls_under(key, raw, |_| false) > 0;
    others.is_empty() || is_of_uipath && !others.iter().any(holds_calls)
}

/// The result of reading a side.
struct Side<'a> {
    run: Option<Trajectory<'a>>,
    incomplete: Option<String>,
    /// True if the original tool sees the same calls.
    is_native: bool,
}

impl<'a> Side<'a> {
    fn native(run: Trajectory<'a>) -> Self {
        Self {
            run: Some(run),
            incomplete: None,
            is_native: true,
        }
    }
}

impl From<SideRun> for Side<'_> {
    fn from(side: SideRun) -> Self {
        // Tools that take messages support those of OpenAI, LangChain and Anthropic. Spans without calls are the same to them.
        let name = side.format.map(|format| format.name);
        let is_known = matches!(name, None | Some("openai-chat" | "langchain" | "anthropic"));
        let is_native = is_known || side.run.is_none() && name == Some("flat-spans");
        Self {
            run: side.run,
            incomplete: side.incomplete,
            is_native,
        }
    }
}

/// The settings of the original tool's call in a case. They also stay among the other entries, for selecting and grouping cases.
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

/// Refuses calls outside the sides of a case without a run: they are the run, in a place that isn't read.
fn refuse_calls(meta: &[(Text<'_>, &str)]) -> Result<()> {
    for (key, raw) in meta {
        if likely_calls_under(key, raw, |_| false) > 0 {
            let key = key.to_display();
            let fault = Fault::new("the run of the case", format!("calls under `{key}`"));
            return Err(
                fault.help("write the calls, or the messages that hold them, under `actual`")
            );
        }
    }
    Ok(())
}

/// Removes and returns the value of the last of these keys.
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
    let fault = Fault::new("a case with `expected` or `actual`", object_with(&keys));
    match case
        .near_keys
        .iter()
        .find(|(_, meant)| matches!(*meant, "expected" | "actual"))
    {
        Some((_, meant)) => fault.help(format!("did you mean `{meant}`?")),
        None => {
            fault.help("if its calls are under other keys, choose its format with --input-format, or draft a map with `rightcall map FILE`")
        }
    }
}

/// True for the text of an empty list.
fn is_empty(raw: &str) -> bool {
    raw.starts_with('[') && raw[1..].trim_start() == "]"
}

impl<'a> CaseSide<'a> {
    fn raw(&self) -> Option<&'a str> {
        match self {
            Self::Missing => None,
            Self::Read { raw, .. } | Self::Foreign { raw } => Some(raw),
        }
    }

    fn is_empty_list(&self) -> bool {
        self.raw().is_some_and(is_empty)
    }

    /// The form of this side, if it can be determined.
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
