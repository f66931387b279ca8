//! The data that a recipe needs from a case, derived from its rules, and the lists built from it.

use super::sides::{MoreOfSides, Reading, Sides, Turns};
use super::{Align, Order, Recipe};
use crate::call::{Call, Case, Trajectory, groups};
use crate::matching::{
    ArgumentRule, Item, ItemOutput, Items, Matcher, MissingArguments, NameRule, NullMembers,
    OutputRule,
};
use crate::outcome::{NotApplicable, Outcome};
use crate::prepared::PreparedCase;
use crate::value::{Text, Value, python};

/// A field of a call that not every case has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Arguments,
    Output,
    Turn,
}

impl Field {
    /// Its key in cases.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Arguments => "args",
            Self::Output => "output",
            Self::Turn => "turn",
        }
    }

    fn is_in(self, call: &Call<'_>) -> bool {
        match self {
            Self::Arguments => !call.arguments.is_absent(),
            Self::Output => call.metadata().output.is_some(),
            Self::Turn => call.metadata().turn.is_some(),
        }
    }

    /// Checks that all calls have the field; otherwise returns `why` of the index and name of the first that lacks it.
    fn require_all(
        self,
        calls: &[Call<'_>],
        why: impl FnOnce(usize, String, &'static str) -> NotApplicable,
    ) -> Result<(), Outcome> {
        match calls.iter().position(|call| !self.is_in(call)) {
            None => Ok(()),
            Some(index) => Err(why(index, calls[index].name.to_string(), self.name()).into()),
        }
    }
}

/// Requires that each expected call specifies a field that the evaluator compares.
pub(crate) fn require_expected(calls: &[Call<'_>], field: Field) -> Result<(), Outcome> {
    field.require_all(calls, |index, name, field| NotApplicable::ExpectedOpen {
        index,
        name,
        field,
    })
}

/// Requires that each actual call has a recorded field.
pub(crate) fn require_recorded(calls: &[Call<'_>], field: Field) -> Result<(), Outcome> {
    field.require_all(calls, |index, name, field| NotApplicable::NotRecorded {
        index,
        name,
        field,
    })
}

/// Requires that some argument exists at the compared paths; otherwise nothing would be compared.
pub(crate) fn require_named(matcher: &Matcher<'_, '_>) -> Result<(), Outcome> {
    let Some(paths) = matcher.idle_paths() else {
        return Ok(());
    };
    let quoted = |names: &mut dyn Iterator<Item = String>| {
        let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let parts = |path: &Vec<Text<'_>>| path.iter().map(Text::to_string).collect::<Vec<_>>();
    let paths = quoted(&mut paths.iter().map(|path| parts(path).join(".")));
    let names = matcher.argument_names(NAMES_SHOWN + 1);
    let shown = names.len().min(NAMES_SHOWN);
    let mut arguments = quoted(&mut names[..shown].iter().map(Text::to_string));
    if shown < names.len() {
        arguments.push_str(", …");
    }
    Err(NotApplicable::NothingNamed { paths, arguments }.into())
}

/// Maximum number of argument names in a reason.
const NAMES_SHOWN: usize = 8;

/// The run of a case.
pub(crate) fn trajectory<'c>(case: &'c Case<'c>) -> Result<&'c Trajectory<'c>, Outcome> {
    case.actual.as_ref().ok_or(NotApplicable::NoRun.into())
}

/// The outcome of a case without this part of an expectation.
pub(crate) fn not_expected(what: &'static str) -> Outcome {
    NotApplicable::NotExpected { what }.into()
}

/// The outcome of a case with an empty part of an expectation.
pub(crate) fn nothing_expected(what: &'static str) -> Outcome {
    NotApplicable::NothingExpected { what }.into()
}

/// The calls that a case expects, and its run.
#[inline]
pub(crate) fn calls_and_run<'c>(
    case: &'c Case<'c>,
) -> Result<(&'c [Call<'c>], &'c Trajectory<'c>), Outcome> {
    Ok((expected_calls(case)?, trajectory(case)?))
}

/// The calls that a case expects.
pub(crate) fn expected_calls<'c>(case: &'c Case<'c>) -> Result<&'c [Call<'c>], Outcome> {
    let calls = case.expected.calls.as_deref();
    calls.ok_or_else(|| not_expected("calls"))
}

/// The order in a case: names only.
pub(crate) fn expected_order<'c>(case: &'c Case<'c>) -> Option<Items<'c>> {
    let order = case.expected.order.as_ref()?;
    let item = |name: &'c Text<'c>| Item::from_name(name.reborrow());
    Some(Items::Own(order.iter().map(item).collect()))
}

impl Recipe {
    /// The calls of a case, checked to have all fields that the rules compare.
    ///
    /// # Errors
    /// The case lacks some of them.
    #[inline]
    pub(crate) fn sides<'c>(&self, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let (expected, run) = calls_and_run(prepared.case())?;
        let rules = &self.rules;
        if rules.arguments != ArgumentRule::Ignored {
            if rules.missing == MissingArguments::Compared {
                require_expected(expected, Field::Arguments)?;
            }
            require_recorded(&run.calls, Field::Arguments)?;
        }
        if rules.outputs == OutputRule::Equal {
            require_expected(expected, Field::Output)?;
            require_recorded(&run.calls, Field::Output)?;
        }
        Ok(self.sides_of(prepared, expected, run))
    }

    /// The calls of a case, with the fields that the recipe uses.
    #[inline]
    pub(crate) fn sides_of<'c>(
        &self,
        prepared: &'c PreparedCase<'c>,
        expected: &'c [Call<'c>],
        run: &'c Trajectory<'c>,
    ) -> Sides<'c> {
        let sides = Sides::new(
            self.items(expected, prepared.expected_items()),
            self.items(&run.calls, prepared.actual_items()),
        );
        let by_turn = matches!(self.align, Align::ByTurn(_));
        if self.order != Order::GroupsFree && !by_turn {
            return sides;
        }
        let mut more = MoreOfSides::default();
        if self.order == Order::GroupsFree {
            more.groups = groups(&run.calls);
        }
        if by_turn {
            let turns =
                |calls| Turns::from_calls(calls, |a, b| a.metadata().turn == b.metadata().turn);
            more.turns = Some([turns(expected), turns(&run.calls)]);
        }
        sides.with(more)
    }

    /// The calls as items, with tool ids and outputs if the rules use them.
    #[inline]
    pub(crate) fn items<'c>(&self, calls: &'c [Call<'c>], prepared: Items<'c>) -> Items<'c> {
        let with_ids = matches!(self.rules.names, NameRule::IdElseSanitised)
            && calls.iter().any(|call| call.metadata().tool_id.is_some());
        let with_outputs = self.rules.outputs != OutputRule::Ignored;
        let without_nulls = self.rules.nulls == NullMembers::Absent;
        if !with_ids && !with_outputs && !without_nulls {
            return prepared;
        }
        let item = |(call, prepared): (&'c Call<'c>, &Item<'c>)| {
            let tool_id = call.metadata().tool_id.as_ref().filter(|_| with_ids);
            let output = call.metadata().output.as_deref().filter(|_| with_outputs);
            let item = prepared
                .clone()
                .with_tool_id(tool_id.map(Text::reborrow))
                .with_output(output.map(ItemOutput::from_json));
            if without_nulls {
                item.without_nulls()
            } else {
                item
            }
        };
        Items::Own(calls.iter().zip(prepared.as_slice()).map(item).collect())
    }

    /// Sorts the lists if the recipe requires it.
    #[inline]
    pub(super) fn put_in_order(&self, sides: &mut Sides<'_>) {
        if self.order == Order::Sorted {
            let places = [&mut sides.expected, &mut sides.actual].map(sort);
            sides.more.get_or_insert_default().places = Some(places);
        }
    }
}

/// Sorts calls by name, then by keys and texts of arguments; returns their original indices.
fn sort(items: &mut Items<'_>) -> Vec<usize> {
    let key = |item: &Item<'_>| {
        let mut texts = vec![item.name().to_text().into_owned()];
        if let Some(Value::Object(object)) = item.arguments().to_tree().as_deref() {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            for (key, value) in entries {
                texts.extend([key.clone().into_owned(), python::str(value)]);
            }
        }
        texts
    };
    let mut places: Vec<usize> = (0..items.len()).collect();
    places.sort_by_cached_key(|&index| key(&items.as_slice()[index]));
    *items = Items::Own(
        places
            .iter()
            .map(|&index| items.as_slice()[index].clone())
            .collect(),
    );
    places
}
