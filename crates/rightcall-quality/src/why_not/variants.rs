//! The variants of a call of the run: the call with edits towards a call of the expectation.

use rightcall_core::call::Call;
use rightcall_core::value::{JsonText, Text, Value};

use super::change::{AddedCall, RunEdit, edit_call};

/// A call of the run after some edits.
#[derive(Clone, Debug)]
pub(super) struct Variant<'j> {
    pub(super) call: Call<'j>,
    pub(super) edits: Vec<RunEdit>,
}

impl<'j> Variant<'j> {
    /// The unchanged call.
    pub(super) fn unchanged(call: &Call<'j>) -> Self {
        Self {
            call: call.clone(),
            edits: Vec::new(),
        }
    }

    /// The call after some of these edits, selected by the bits of `chosen`.
    pub(super) fn chosen(call: &Call<'j>, edits: &[RunEdit], chosen: u64) -> Self {
        let chosen = edits
            .iter()
            .enumerate()
            .filter(|(index, _)| chosen >> index & 1 == 1);
        let mut variant = Self::unchanged(call);
        for (_, edit) in chosen {
            edit_call(&mut variant.call, edit);
            variant.edits.push(edit.clone());
        }
        variant
    }
}

/// The edits that make a call of the run equal a named one: a new name, then arguments set in the
/// order of the named call, then arguments removed.
pub(super) fn edits_towards(index: usize, call: &Call<'_>, named: &AddedCall) -> Vec<RunEdit> {
    let mut edits = Vec::new();
    if call.name != named.name {
        edits.push(RunEdit::Rename {
            call: index,
            from: call.name.clone().into_owned(),
            to: named.name.clone(),
        });
    }
    let (Some(Value::Object(found)), Some(wanted)) = (call.arguments.to_value(), named.object())
    else {
        return edits;
    };
    let text = |value: &Value<'_>| JsonText::from_value(value).into_string();
    for (key, value) in &wanted {
        let (value, before) = (text(value), found.get(key).map(text));
        if before.as_ref() != Some(&value) {
            edits.push(RunEdit::SetArgument {
                call: index,
                key: key.clone().into_owned(),
                value,
                before,
            });
        }
    }
    let others = found.iter().filter(|(key, _)| wanted.get(key).is_none());
    edits.extend(others.map(|(key, value)| RunEdit::RemoveArgument {
        call: index,
        key: key.clone().into_owned(),
        before: text(value),
    }));
    edits
}

/// With at most this many edits of a call, all combinations are tried.
pub(super) const COMBINED: usize = 6;

/// All variants of a call towards these named calls, the fewest edits first; and true if none was
/// left out.
pub(super) fn all_variants<'j>(
    index: usize,
    call: &Call<'j>,
    named: &[AddedCall],
) -> (Vec<Variant<'j>>, bool) {
    let mut variants = vec![Variant::unchanged(call)];
    let mut is_complete = true;
    for named in named {
        let edits = edits_towards(index, call, named);
        is_complete &= edits.len() <= COMBINED;
        let renames = edits
            .iter()
            .any(|edit| matches!(edit, RunEdit::Rename { .. }));
        for chosen in chosen_of(edits.len()) {
            // Arguments of another tool are useful only with its name.
            if renames && chosen & 1 == 0 {
                continue;
            }
            let variant = Variant::chosen(call, &edits, chosen);
            if variants.iter().all(|known| known.edits != variant.edits) {
                variants.push(variant);
            }
        }
    }
    variants.sort_by_key(|variant| variant.edits.len());
    (variants, is_complete)
}

/// Sets of edits as bits, the smallest first: all sets of a few edits, otherwise single edits and
/// all together.
pub(super) fn chosen_of(edits: usize) -> Vec<u64> {
    let all = all_of(edits);
    let mut chosen: Vec<u64> = if edits <= COMBINED {
        (1..=all).collect()
    } else {
        let single = (0..edits.min(MOST)).map(|index| 1 << index);
        single.chain([all]).collect()
    };
    chosen.sort_by_key(|chosen| chosen.count_ones());
    chosen
}

/// Maximum number of edits of one call.
pub(super) const MOST: usize = 63;

/// The set of all edits, as bits.
pub(super) fn all_of(edits: usize) -> u64 {
    (1 << edits.min(MOST)) - 1
}

/// A text that is equal for calls that every evaluator treats as equal.
pub(super) fn identity(call: &Call<'_>) -> String {
    let value = call.arguments.to_value();
    let value = value.map_or_else(String::new, |it| JsonText::from_value(&it).into_string());
    let output = call.metadata().output.as_deref().unwrap_or_default();
    let id = call.metadata().tool_id.as_ref().map(Text::to_display);
    format!(
        "{}\n{value}\n{output}\n{}",
        call.name.to_display(),
        id.unwrap_or_default()
    )
}
