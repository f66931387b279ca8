//! Explanations read back from the JSON text that they were kept as.

use std::borrow::Cow;

use super::{
    Costs, Difference, ExpectedList, ExplainedCheck, ExplainedPair, Explanation, Side, Term,
};
use crate::alignment::Grade;
use crate::tally::Tally;
use crate::value::{JsonText, JsonWriter, Kind, Reader, Syntax, SyntaxError};

type Result<T> = std::result::Result<T, SyntaxError>;

impl Explanation {
    /// Reads what [`Explanation::to_json`] wrote. Members that it does not know are passed over, and those that are missing are
    /// empty, so that what an older or newer version kept can be read.
    ///
    /// # Errors
    /// The first place that is no JSON, or not of the kind that stands there.
    pub fn from_json(text: &str) -> Result<Self> {
        let mut reader = Reader::new(text, Syntax::PYTHON);
        let mut explanation = Self::default();
        let mut counts = Vec::new();
        members(&mut reader, |key, reader| {
            match key {
                "list" => explanation.list = ExpectedList::of_name(&string(reader)?),
                "costs" => explanation.costs = costs(reader)?,
                "pairs" => explanation.pairs = items(reader, pair)?,
                "missed" => explanation.missed = indices(reader)?,
                "extra" => explanation.extra = indices(reader)?,
                "duplicates" => explanation.duplicates = sided(reader)?,
                "not_examined" => explanation.not_examined = sided(reader)?,
                "checks" => explanation.checks = items(reader, check)?,
                "counts" => counts = indices(reader)?,
                "tally" => explanation.tally = tally(reader)?,
                "arithmetic" => explanation.arithmetic = items(reader, term)?,
                _ => _ = reader.raw()?,
            }
            Ok(())
        })?;
        reader.end()?;
        for index in counts {
            if let Some(check) = explanation.checks.get_mut(index) {
                check.is_count = true;
            }
        }
        Ok(explanation)
    }
}

impl ExpectedList {
    const NAMES: [(Self, &'static str); 4] = [
        (Self::Calls, "calls"),
        (Self::Order, "order"),
        (Self::Outputs, "outputs"),
        (Self::Settings, "settings"),
    ];

    /// What the list is called in JSON.
    pub(super) fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(list, _)| *list == self)
            .map_or("calls", |(_, name)| name)
    }

    fn of_name(name: &str) -> Self {
        Self::NAMES
            .iter()
            .find(|(_, known)| *known == name)
            .map_or(Self::default(), |(list, _)| *list)
    }
}

/// Gives each member of an object to `each`, which reads its value.
fn members<'a>(
    reader: &mut Reader<'a>,
    mut each: impl FnMut(&str, &mut Reader<'a>) -> Result<()>,
) -> Result<()> {
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        each(&key.to_display(), reader)?;
    }
    Ok(())
}

fn items<'a, T>(
    reader: &mut Reader<'a>,
    item: impl Fn(&mut Reader<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut first = reader.enter_list()?;
    let mut found = Vec::new();
    while reader.next_item(&mut first)? {
        found.push(item(reader)?);
    }
    Ok(found)
}

fn string(reader: &mut Reader<'_>) -> Result<String> {
    Ok(reader.string()?.to_display().into_owned())
}

/// A number; NaN for anything else, such as the `null` that stands for a number which is not finite.
fn float(reader: &mut Reader<'_>) -> Result<f64> {
    Ok(reader.raw()?.parse().unwrap_or(f64::NAN))
}

fn index(reader: &mut Reader<'_>) -> Result<usize> {
    // A negative number or a fraction is nothing that was written here; as any other index out of range it stands for no call.
    Ok(float(reader)? as usize)
}

fn indices(reader: &mut Reader<'_>) -> Result<Vec<usize>> {
    items(reader, index)
}

fn sided(reader: &mut Reader<'_>) -> Result<Vec<(Side, usize)>> {
    let mut found = Vec::new();
    members(reader, |key, reader| {
        let side = if key == "expected" {
            Side::Expected
        } else {
            Side::Actual
        };
        found.extend(indices(reader)?.into_iter().map(|index| (side, index)));
        Ok(())
    })?;
    Ok(found)
}

fn costs(reader: &mut Reader<'_>) -> Result<Costs> {
    let mut costs = Costs::default();
    members(reader, |key, reader| {
        match key {
            "missed" => costs.missed = reader.bool()?,
            "extra" => costs.extra = reader.bool()?,
            _ => _ = reader.raw()?,
        }
        Ok(())
    })?;
    Ok(costs)
}

fn pair(reader: &mut Reader<'_>) -> Result<ExplainedPair> {
    let mut pair = ExplainedPair::new(0, 0);
    let (mut grade, mut share) = (String::new(), 0.0);
    members(reader, |key, reader| {
        match key {
            "expected" => pair.expected = index(reader)?,
            "actual" => pair.actual = index(reader)?,
            "grade" => grade = string(reader)?,
            "share" => share = float(reader)?,
            "counted" => pair.counted = reader.bool()?,
            "differences" => pair.differences = items(reader, difference)?,
            "more_differences" => pair.more_differences = index(reader)?,
            _ => _ = reader.raw()?,
        }
        Ok(())
    })?;
    pair.grade = match grade.as_str() {
        "full" => Grade::Full,
        "partial" => Grade::Partial(share),
        "name_only" => Grade::NameOnly,
        _ => Grade::Unlike,
    };
    Ok(pair)
}

fn difference(reader: &mut Reader<'_>) -> Result<Difference> {
    let mut difference = Difference {
        pointer: String::new(),
        expected: None,
        found: None,
    };
    members(reader, |key, reader| {
        match key {
            "pointer" => difference.pointer = string(reader)?,
            "expected" => difference.expected = Some(json(reader)?),
            "found" => difference.found = Some(json(reader)?),
            _ => _ = reader.raw()?,
        }
        Ok(())
    })?;
    Ok(difference)
}

fn json(reader: &mut Reader<'_>) -> Result<JsonText> {
    let mut writer = JsonWriter::new();
    writer.raw(reader.raw()?);
    Ok(writer.finish())
}

fn check(reader: &mut Reader<'_>) -> Result<ExplainedCheck> {
    let mut check = ExplainedCheck {
        label: String::new(),
        is_count: false,
        wanted: String::new(),
        found: String::new(),
        held: None,
        actual: Vec::new(),
    };
    members(reader, |key, reader| {
        match key {
            "label" => check.label = string(reader)?,
            "wanted" => check.wanted = string(reader)?,
            "found" => check.found = string(reader)?,
            "held" if reader.peek()? == Kind::Bool => check.held = Some(reader.bool()?),
            "actual" => check.actual = indices(reader)?,
            _ => _ = reader.raw()?,
        }
        Ok(())
    })?;
    Ok(check)
}

fn tally(reader: &mut Reader<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    members(reader, |key, reader| {
        match key {
            "expected" => tally.expected = index(reader)?,
            "actual" => tally.actual = index(reader)?,
            "full" => tally.full = index(reader)?,
            "partial" => tally.partial = index(reader)?,
            "name_only" => tally.name_only = index(reader)?,
            "missed" => tally.missed = index(reader)?,
            "extra" => tally.extra = index(reader)?,
            "credit" => tally.credit = float(reader)?,
            _ => _ = reader.raw()?,
        }
        Ok(())
    })?;
    Ok(tally)
}

fn term(reader: &mut Reader<'_>) -> Result<Term> {
    let mut term = Term {
        label: Cow::Borrowed(""),
        formula: String::new(),
        value: 0.0,
    };
    members(reader, |key, reader| {
        match key {
            "label" => term.label = Cow::Owned(string(reader)?),
            "formula" => term.formula = string(reader)?,
            "value" => term.value = float(reader)?,
            _ => _ = reader.raw()?,
        }
        Ok(())
    })?;
    Ok(term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_is_read_back_as_it_was_written() {
        let mut value = JsonWriter::new();
        value.raw(r#"{"n":1.10,"big":123456789012345678901234567890,"s":"\ud800"}"#);
        let value = value.finish();
        let difference = Difference {
            pointer: "/a~1b".into(),
            expected: Some(value),
            found: None,
        };
        let pair = |grade, counted| ExplainedPair {
            grade,
            counted,
            differences: vec![difference.clone()],
            more_differences: usize::from(!counted),
            ..ExplainedPair::new(2, 1)
        };
        let explanation = Explanation {
            pairs: vec![
                pair(Grade::Full, true),
                pair(Grade::Partial(0.25), true),
                pair(Grade::NameOnly, false),
            ],
            missed: vec![0, 3],
            extra: vec![4],
            duplicates: vec![(Side::Expected, 1), (Side::Actual, 2)],
            not_examined: vec![(Side::Actual, 5)],
            checks: [Some(true), Some(false), None]
                .map(|held| ExplainedCheck {
                    label: "a \"b\"".into(),
                    is_count: held.is_some(),
                    wanted: "= 1".into(),
                    found: "3".into(),
                    held,
                    actual: vec![1, 2],
                })
                .into(),
            tally: Tally {
                expected: 4,
                actual: 6,
                full: 1,
                partial: 1,
                name_only: 1,
                credit: 1.25,
                missed: 2,
                extra: 1,
            },
            arithmetic: vec![Term {
                label: "recall".into(),
                formula: "1 / 3".into(),
                value: 1.0 / 3.0,
            }],
            list: ExpectedList::Outputs,
            costs: Costs::MISSED,
        };
        let json = explanation.to_json();
        let read = Explanation::from_json(json.as_str()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{explanation:?}"));
        assert_eq!(read.to_json(), json);
    }

    #[test]
    fn what_is_not_known_is_passed_over_and_what_is_no_explanation_is_an_error() {
        let read =
            Explanation::from_json(r#"{"new":[{"a":1}],"pairs":[{"expected":1,"more":null}]}"#)
                .unwrap();
        assert_eq!((read.pairs.len(), read.pairs[0].expected), (1, 1));
        assert!(Explanation::from_json(r#"{"pairs":7}"#).is_err());
        assert!(Explanation::from_json("[]").is_err());
    }
}
