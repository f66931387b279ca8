//! Combines the five rules into a matcher that grades any pair of a case's calls.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use super::arguments::{ArgumentRule, MissingArguments, at_path};
use super::classes::CallSymbols;
use super::glob::Glob;
use super::item::{ArgumentsRef, Item, ItemOutput};
use super::item_list::ItemList;
use super::json_text::have_same_json_text;
use super::names::NameRule;
use super::rules::{OutputRule, Rules};
use super::shortcuts::{MANY, Shortcuts};
use crate::alignment::{Comparison, Grade, Symbols};
use crate::call::MAX_COMPARISONS;
use crate::outcome::EvaluationError;
use crate::value::{Fingerprinter, HashKey, Object, Text, Value, quick_equal};

/// Compares the calls of one case.
pub(crate) struct Matcher<'m, 'c> {
    rules: &'m Rules,
    expected: DecodedCalls<'m, 'c>,
    actual: DecodedCalls<'m, 'c>,
    names: Symbols<'m>,
    calls: CallSymbols,
    key: HashKey,
    /// Number of compared pairs of arguments, and its limit.
    compared: Cell<u64>,
    most_comparisons: u64,
    shortcuts: OnceCell<Box<Shortcuts>>,
    /// The expected names as patterns, if they are patterns.
    globs: Option<Box<[Glob]>>,
}

/// The calls of one side, with arguments decoded on demand.
struct DecodedCalls<'m, 'c> {
    items: &'m [Item<'c>],
    trees: OnceCell<Vec<Tree<'m, 'c>>>,
}

type Tree<'m, 'c> = OnceCell<Option<Cow<'m, Value<'c>>>>;

impl<'m, 'c> DecodedCalls<'m, 'c> {
    fn new(items: &'m [Item<'c>]) -> Self {
        Self {
            items,
            trees: OnceCell::new(),
        }
    }

    fn tree(&self, index: usize) -> Option<&Value<'c>> {
        let trees = self
            .trees
            .get_or_init(|| vec![OnceCell::new(); self.items.len()]);
        trees[index]
            .get_or_init(|| self.items[index].arguments().to_tree())
            .as_deref()
    }
}

impl<'c> DecodedCalls<'_, 'c> {
    /// The calls with objects as arguments, and their indices.
    fn objects(&self) -> Vec<(usize, &Object<'c>)> {
        let object = |index| Some((index, self.tree(index)?.as_object()?));
        (0..self.items.len()).filter_map(object).collect()
    }
}

impl<'m, 'c> Matcher<'m, 'c> {
    /// A matcher of two lists. It interns names at once, and hashes arguments at once if that decides all comparisons.
    pub(crate) fn new(
        rules: &'m Rules,
        expected: impl Into<ItemList<'m, 'c>>,
        actual: impl Into<ItemList<'m, 'c>>,
        key: HashKey,
    ) -> Self {
        let (expected, actual) = (expected.into(), actual.into());
        let names = rules.names.symbols(expected, actual, key);
        let calls = CallSymbols::new(rules, &names, expected.items, actual.items, key);
        Self {
            rules,
            expected: DecodedCalls::new(expected.items),
            actual: DecodedCalls::new(actual.items),
            names,
            calls,
            key,
            compared: Cell::new(0),
            most_comparisons: MAX_COMPARISONS,
            shortcuts: OnceCell::new(),
            globs: matches!(rules.names, NameRule::Globs).then(|| {
                let names = expected.items.iter().map(|item| item.name().to_text());
                names.map(|name| Glob::new(&name)).collect()
            }),
        }
    }

    /// Limits the number of compared pairs of arguments.
    pub(crate) fn at_most(self, comparisons: u64) -> Self {
        Self {
            most_comparisons: comparisons,
            ..self
        }
    }

    /// The rules.
    pub(crate) fn rules(&self) -> &Rules {
        self.rules
    }

    /// An expected call.
    pub(crate) fn expected_item(&self, index: usize) -> &Item<'c> {
        &self.expected.items[index]
    }

    /// An actual call.
    pub(crate) fn actual_item(&self, index: usize) -> &Item<'c> {
        &self.actual.items[index]
    }

    /// The arguments of an expected call, for rules that compare arguments.
    pub(crate) fn expected_arguments(&self, index: usize) -> Option<&Value<'c>> {
        self.expected
            .tree(index)
            .filter(|_| self.rules.arguments != ArgumentRule::Ignored)
    }

    /// The arguments of an actual call, for rules that compare arguments.
    pub(crate) fn actual_arguments(&self, index: usize) -> Option<&Value<'c>> {
        self.actual
            .tree(index)
            .filter(|_| self.rules.arguments != ArgumentRule::Ignored)
    }

    /// True if the two calls have the same name, or if the expected name is a pattern that matches the actual one.
    pub(crate) fn same_name(&self, expected: usize, actual: usize) -> bool {
        self.names.same(expected, actual) && self.fits(expected, actual)
    }

    /// The paths of [`ArgumentRule::Paths`] if they have no effect: calls with the same name are compared, but no path names an argument of
    /// any call. All these calls would be equal, so a single misspelt path would make every run pass.
    pub(crate) fn idle_paths(&self) -> Option<&'m [Vec<Text<'static>>]> {
        let ArgumentRule::Paths(paths) = &self.rules.arguments else {
            return None;
        };
        let is_named =
            |arguments: &Object<'_>| paths.iter().any(|path| at_path(arguments, path).is_some());
        let (expected, actual) = (self.expected.objects(), self.actual.objects());
        let mut all = expected.iter().chain(&actual);
        if all.any(|(_, arguments)| is_named(arguments)) {
            return None;
        }
        let compares = |&(left, of_left): &(usize, &Object<'_>)| {
            actual.iter().any(|&(right, of_right)| {
                !(of_left.is_empty() && of_right.is_empty()) && self.same_name(left, right)
            })
        };
        expected.iter().any(compares).then_some(paths)
    }

    /// The first distinct argument names of both sides, at most this many.
    pub(crate) fn argument_names(&self, most: usize) -> Vec<Text<'c>> {
        let mut names = Vec::new();
        for calls in [&self.expected, &self.actual] {
            for (_, arguments) in calls.objects() {
                for (name, _) in arguments {
                    if names.len() == most {
                        return names;
                    }
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                }
            }
        }
        names
    }

    fn fits(&self, expected: usize, actual: usize) -> bool {
        self.globs.as_ref().is_none_or(|globs| {
            let glob = &globs[expected];
            glob.is_empty() || glob.fits_name(&self.actual.items[actual].name().to_text())
        })
    }

    /// The grade of two calls with the same name and no symbols: cached from calls like them, or compared.
    fn compared_grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError> {
        if !self.fits(expected, actual) {
            return Ok(Grade::Unlike);
        }
        let compared = self.compared.get();
        let kept = if compared < MANY {
            None
        } else {
            let find = || Shortcuts::new(self.expected.items, self.actual.items, self.key);
            let shortcuts = self.shortcuts.get_or_init(|| Box::new(find()));
            shortcuts.grade(expected, actual)
        };
        if let Some(grade) = kept.and_then(Cell::get) {
            return Ok(grade);
        }
        if compared >= self.most_comparisons {
            return Err(EvaluationError::TooManyComparisons {
                limit: self.most_comparisons,
            });
        }
        self.compared.set(compared + 1);
        let mut grade = self.arguments_grade(expected, actual)?;
        if self.rules.outputs != OutputRule::Ignored && !self.outputs_agree(expected, actual) {
            grade = Grade::NameOnly;
        }
        if let Some(kept) = kept {
            kept.set(Some(grade));
        }
        Ok(grade)
    }

    fn arguments_grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError> {
        let rules = self.rules;
        if rules.arguments == ArgumentRule::Ignored {
            return Ok(Grade::Full);
        }
        let (left, right) = (&self.expected.items[expected], &self.actual.items[actual]);
        if rules.missing == MissingArguments::Wildcard {
            match (left.arguments(), right.arguments()) {
                (ArgumentsRef::Absent, _) => return Ok(Grade::Full),
                (_, ArgumentsRef::Absent) => return Ok(Grade::NameOnly),
                _ => {}
            }
        }
        if rules.null_arguments_raise && (left.is_null() || right.is_null()) {
            return Err(EvaluationError::Raised(
                "arguments that are null or missing cannot be compared".to_owned(),
            ));
        }
        if self.known_equal(left.arguments(), right.arguments()) {
            return Ok(Grade::Full);
        }
        let name = left.name().to_text();
        let keys = left.more().keys.as_deref();
        rules.arguments.grade(
            &name,
            keys,
            self.expected.tree(expected),
            self.actual.tree(actual),
            rules.equality,
        )
    }

    /// True if fingerprints or quick equality show that two arguments are equal, and the rule grades equal arguments as full. Decodes no
    /// arguments.
    fn known_equal(&self, left: ArgumentsRef<'_, '_>, right: ArgumentsRef<'_, '_>) -> bool {
        let (ArgumentsRef::Lazy(left), ArgumentsRef::Lazy(right)) = (left, right) else {
            return false;
        };
        let equal_is_full = matches!(
            self.rules.arguments,
            ArgumentRule::Equal
                | ArgumentRule::Subset
                | ArgumentRule::Superset
                | ArgumentRule::OwnKeys
                | ArgumentRule::DeepSubset
                | ArgumentRule::Overlap
        );
        if !equal_is_full {
            return false;
        }
        let fingerprints = left
            .fingerprint()
            .zip(right.fingerprint())
            .filter(|_| Fingerprinter::tells(self.rules.equality));
        if fingerprints.is_some_and(|(left, right)| left != right) {
            return false;
        }
        let (Some(left), Some(right)) = (left.compared_json(), right.compared_json()) else {
            return false;
        };
        quick_equal(left, right, self.rules.equality) == Some(true)
    }

    fn outputs_agree(&self, expected: usize, actual: usize) -> bool {
        let outputs = (
            &self.expected.items[expected].more().output,
            &self.actual.items[actual].more().output,
        );
        if self.rules.outputs == OutputRule::StatedJsonText {
            return match outputs {
                (ItemOutput::Absent, _) => true,
                (ItemOutput::Tree(left), ItemOutput::Tree(right)) => {
                    have_same_json_text(left, right)
                }
                _ => false,
            };
        }
        match outputs {
            (ItemOutput::Absent, ItemOutput::Absent) => true,
            (ItemOutput::Text(left), ItemOutput::Text(right)) => left == right,
            (ItemOutput::Tree(left), ItemOutput::Tree(right)) => {
                self.rules.equality.equal(left, right)
            }
            _ => false,
        }
    }
}

impl Comparison for Matcher<'_, '_> {
    fn expected(&self) -> usize {
        self.expected.items.len()
    }

    fn actual(&self) -> usize {
        self.actual.items.len()
    }

    fn names(&self) -> &Symbols<'_> {
        &self.names
    }

    fn calls(&self) -> Option<&Symbols<'_>> {
        match &self.calls {
            CallSymbols::None => None,
            CallSymbols::Names => Some(&self.names),
            CallSymbols::Own(symbols) => Some(symbols),
        }
    }

    fn has_partial(&self) -> bool {
        self.rules.arguments.has_partial()
    }

    fn grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError> {
        if !self.names.same(expected, actual) {
            return Ok(Grade::Unlike);
        }
        if let Some(calls) = self.calls() {
            return Ok(if calls.same(expected, actual) {
                Grade::Full
            } else {
                Grade::NameOnly
            });
        }
        self.compared_grade(expected, actual)
    }

    fn most_comparisons(&self) -> u64 {
        self.most_comparisons
    }
}

#[cfg(test)]
mod tests;
