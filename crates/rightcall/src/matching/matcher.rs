//! The five choices put together: what any two calls of a case are to each other.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use super::arguments::{ArgumentRule, Unasked};
use super::classes::CallSymbols;
use super::item::{ArgumentsOf, Item, ItemOutput};
use super::item_list::ItemList;
use super::rules::{OutputRule, Rules};
use super::shortcuts::{MANY, Shortcuts};
use crate::alignment::{Comparison, Grade, Symbols};
use crate::call::MAX_COMPARISONS;
use crate::outcome::EvaluationError;
use crate::value::{Digester, Fingerprinter, HashKey, Value, quick_equal};

/// Compares the calls of one case.
pub(crate) struct Matcher<'m, 'c> {
    rules: &'m Rules,
    expected: Side<'m, 'c>,
    actual: Side<'m, 'c>,
    names: Symbols<'m>,
    calls: CallSymbols,
    key: HashKey,
    /// How many pairs of arguments have been compared, and how many may be.
    compared: Cell<u64>,
    most_comparisons: u64,
    shortcuts: OnceCell<Option<Box<Shortcuts>>>,
}

/// One side's calls, their arguments decoded as far as they were asked for.
struct Side<'m, 'c> {
    items: &'m [Item<'c>],
    trees: OnceCell<Vec<Tree<'m, 'c>>>,
}

type Tree<'m, 'c> = OnceCell<Option<Cow<'m, Value<'c>>>>;

impl<'m, 'c> Side<'m, 'c> {
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

/// Pairs among which glances cost less than digests.
const FEW_PAIRS: usize = 1024;

impl<'m, 'c> Matcher<'m, 'c> {
    /// A matcher of two lists. Names are interned at once; arguments are hashed at once where that decides everything.
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
            expected: Side::new(expected.items),
            actual: Side::new(actual.items),
            names,
            calls,
            key,
            compared: Cell::new(0),
            most_comparisons: MAX_COMPARISONS,
            shortcuts: OnceCell::new(),
        }
    }

    /// The same, with so many pairs of arguments compared at most.
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

    /// The arguments of an expected call, for rules that look at arguments.
    pub(crate) fn expected_arguments(&self, index: usize) -> Option<&Value<'c>> {
        self.expected
            .tree(index)
            .filter(|_| self.rules.arguments != ArgumentRule::Ignored)
    }

    /// The arguments of an actual call, for rules that look at arguments.
    pub(crate) fn actual_arguments(&self, index: usize) -> Option<&Value<'c>> {
        self.actual
            .tree(index)
            .filter(|_| self.rules.arguments != ArgumentRule::Ignored)
    }

    /// The grade of two calls of one name that have no symbols: known from others like them, or found by comparing.
    fn compared_grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError> {
        let compared = self.compared.get();
        let shortcuts = if compared < MANY {
            None
        } else {
            let find = || {
                Shortcuts::new(self.rules, self.expected.items, self.actual.items, self.key)
                    .map(Box::new)
            };
            self.shortcuts.get_or_init(find).as_deref()
        };
        if let Some(grade) = shortcuts.and_then(|shortcuts| shortcuts.grade(expected, actual)) {
            return Ok(grade);
        }
        if compared >= self.most_comparisons {
            return Err(EvaluationError::TooManyComparisons {
                limit: self.most_comparisons,
            });
        }
        self.compared.set(compared + 1);
        let mut grade = self.arguments_grade(expected, actual)?;
        if self.rules.outputs == OutputRule::Equal && !self.outputs_equal(expected, actual) {
            grade = Grade::NameOnly;
        }
        if let Some(shortcuts) = shortcuts {
            shortcuts.keep(expected, actual, grade);
        }
        Ok(grade)
    }

    fn arguments_grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError> {
        let rules = self.rules;
        if rules.arguments == ArgumentRule::Ignored {
            return Ok(Grade::Full);
        }
        let (left, right) = (&self.expected.items[expected], &self.actual.items[actual]);
        if rules.unasked == Unasked::Nothing {
            match (left.arguments(), right.arguments()) {
                (ArgumentsOf::Absent, _) => return Ok(Grade::Full),
                (_, ArgumentsOf::Absent) => return Ok(Grade::NameOnly),
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
        let keys = left.keys.as_deref();
        rules.arguments.grade(
            &name,
            keys,
            self.expected.tree(expected),
            self.actual.tree(actual),
            rules.equality,
        )
    }

    /// True where their store, fingerprints, quick equality or digests show that two arguments are equal and the rule then grades them full,
    /// without decoding them.
    fn known_equal(&self, left: ArgumentsOf<'_, '_>, right: ArgumentsOf<'_, '_>) -> bool {
        let (ArgumentsOf::Lazy(left), ArgumentsOf::Lazy(right)) = (left, right) else {
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
        if let Some(same) = left
            .in_store()
            .zip(right.in_store())
            .and_then(|(left, right)| left.is_same(right))
        {
            return same;
        }
        let fingerprints = left
            .fingerprint()
            .zip(right.fingerprint())
            .filter(|_| Fingerprinter::tells(self.rules.equality));
        if fingerprints.is_some_and(|(left, right)| left != right) {
            return false;
        }
        // In long lists each text would be glanced at again and again, where a digest is made once.
        let is_short = || self.expected.items.len() * self.actual.items.len() <= FEW_PAIRS;
        if (fingerprints.is_some() || is_short())
            && let (Some(left), Some(right)) = (left.value_json(), right.value_json())
            && let Some(equal) = quick_equal(left, right, self.rules.equality)
        {
            return equal;
        }
        let mut digester = Digester::new(self.rules.equality, self.key);
        match (left.digest(&mut digester), right.digest(&mut digester)) {
            (Some(left), Some(right)) => left.equals(right),
            _ => false,
        }
    }

    fn outputs_equal(&self, expected: usize, actual: usize) -> bool {
        match (
            &self.expected.items[expected].output,
            &self.actual.items[actual].output,
        ) {
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::{ArgumentStore, Arguments};
    use crate::matching::{ArgumentMode, ItemArguments, ItemName};
    use crate::value::{Syntax, Text, ValueEquality, decode_with};

    fn item<'c>(name: &'c str, arguments: Option<&'c str>) -> Item<'c> {
        let arguments = arguments.map_or(ItemArguments::Absent, |json| {
            ItemArguments::Tree(decode_with(json, Syntax::PYTHON).unwrap())
        });
        Item::new(ItemName::Text(name.into()), arguments)
    }

    /// Arguments that are values elsewhere.
    #[derive(Debug)]
    struct Values(Vec<&'static str>);

    impl ArgumentStore for Values {
        fn same(&self, one: u32, other: u32) -> Option<bool> {
            match (self.json(one), self.json(other)) {
                (one, other) if one == other => Some(true),
                ("{}", _) | (_, "{}") => Some(false),
                _ => None,
            }
        }

        fn json(&self, number: u32) -> &str {
            self.0[number as usize]
        }
    }

    /// The same call with its arguments as text.
    fn as_text<'c>(item: &Item<'c>, arguments: &'c Arguments<'c>) -> Item<'c> {
        let arguments = if arguments.is_absent() {
            ItemArguments::Absent
        } else {
            ItemArguments::Lazy(arguments)
        };
        item.clone().with_arguments(arguments)
    }

    proptest! {
        #[test]
        fn symbols_say_what_comparing_says(
            calls in prop::collection::vec((prop::sample::select(vec!["a", "b"]), prop::sample::select(vec![None, Some("{}"), Some("null"), Some(r#"{"x":1}"#), Some(r#"{"x":1.0}"#), Some(r#"{"x":true}"#), Some("[]")])), 0..8),
            split in 0_usize..8,
        ) {
            let items: Vec<Item<'_>> = calls.iter().map(|(name, arguments)| item(name, *arguments)).collect();
            let (expected, actual) = items.split_at(split.min(items.len()));
            let texts: Vec<_> = calls.iter().map(|(_, arguments)| arguments.map_or_else(Arguments::default, Arguments::json)).collect();
            let lazy_items: Vec<Item<'_>> = items.iter().zip(&texts).map(|(item, arguments)| as_text(item, arguments)).collect();
            let (lazy_expected, lazy_actual) = lazy_items.split_at(expected.len());
            let values = Values(calls.iter().map(|(_, arguments)| arguments.unwrap_or_default()).collect());
            let stored = |number: usize| if values.0[number].is_empty() { Arguments::default() } else { Arguments::stored(&values, number as u32) };
            let stored: Vec<_> = (0..calls.len()).map(stored).collect();
            let stored_items: Vec<Item<'_>> = items.iter().zip(&stored).map(|(item, arguments)| as_text(item, arguments)).collect();
            let (stored_expected, stored_actual) = stored_items.split_at(expected.len());
            for equality in [ValueEquality::Python, ValueEquality::JavaScript, ValueEquality::JavaScriptListsAsObjects, ValueEquality::Json] {
                let rules = Rules::of_arguments(ArgumentRule::Equal, equality);
                let matcher = Matcher::new(&rules, expected, actual, HashKey(3, 4));
                prop_assert!(matcher.calls().is_some());
                let by_text = Matcher::new(&rules, lazy_expected, lazy_actual, HashKey(3, 4));
                let by_store = Matcher::new(&rules, stored_expected, stored_actual, HashKey(3, 4));
                let compared = Matcher { calls: CallSymbols::None, ..Matcher::new(&rules, expected, actual, HashKey(3, 4)) };
                for e in 0..expected.len() {
                    for a in 0..actual.len() {
                        prop_assert_eq!(matcher.grade(e, a), compared.grade(e, a));
                        prop_assert_eq!(by_text.grade(e, a), compared.grade(e, a));
                        prop_assert_eq!(by_store.grade(e, a), compared.grade(e, a));
                    }
                }
            }
        }
    }

    /// Rules that give no symbols, of each kind.
    fn compared_rules() -> Vec<ArgumentRule> {
        let path = |key: &'static str| vec![vec![Text::new(key)]];
        let per_tool = vec![(Text::new("a"), ArgumentMode::Rule(ArgumentRule::Superset))];
        vec![
            ArgumentRule::Equal,
            ArgumentRule::Subset,
            ArgumentRule::Superset,
            ArgumentRule::DeepSubset,
            ArgumentRule::OwnKeys,
            ArgumentRule::Overlap,
            ArgumentRule::AsText,
            ArgumentRule::Paths(path("x")),
            ArgumentRule::Fuzzy {
                threshold: 0.8,
                partial_credit: true,
                equal_is_alike: false,
            },
            ArgumentRule::PerTool(per_tool, Box::new(ArgumentMode::Rule(ArgumentRule::Equal))),
        ]
    }

    const ARGUMENTS: [&str; 17] = [
        "",
        "null",
        "[]",
        "5",
        "{}",
        r#"{"x":1}"#,
        r#"{"x":1.0}"#,
        r#"{"x":true,"y":"1"}"#,
        r#"{"x":"1"}"#,
        r#"{"x":NaN}"#,
        r#"{"x":{}}"#,
        r#"{"x":{"a":1}}"#,
        r#"{"x":{"a":1,"b":2}}"#,
        r#"{"x":[]}"#,
        r#"{"y":"1","x":1}"#,
        r#"{"y":"one","z":"word"}"#,
        r#"{"y":"ones"}"#,
    ];

    proptest! {
        #[test]
        fn shortcuts_find_what_comparing_finds(
            calls in prop::collection::vec((prop::sample::select(vec!["a", "b"]), 0..ARGUMENTS.len(), 0..5_usize, any::<bool>()), 1..12),
            split in 0_usize..12,
        ) {
            let texts: Vec<_> = ARGUMENTS.iter().map(|json| if json.is_empty() { Arguments::default() } else { Arguments::json(json) }).collect();
            let items = calls.iter().map(|&(name, arguments, more, is_lazy)| {
                let tree = item(name, Some(ARGUMENTS[arguments]).filter(|json| !json.is_empty()));
                let item = if is_lazy { as_text(&tree, &texts[arguments]) } else { tree };
                let item = if more == 1 { item.with_output(Some(ItemOutput::of_json("7"))) } else { item };
                let keys: Option<Vec<_>> = (more > 2).then(|| ["x", "y"][..more - 3].iter().map(|key| Text::new(key)).collect());
                item.with_keys(keys.map(Into::into))
            });
            let items: Vec<_> = items.collect();
            let (expected, actual) = items.split_at(split.min(items.len()));
            for arguments in compared_rules() {
                for equality in [ValueEquality::Python, ValueEquality::JavaScript, ValueEquality::Json] {
                    for unasked in [Unasked::Nothing, Unasked::Compared] {
                        let rules = Rules { unasked, outputs: OutputRule::Equal, ..Rules::of_arguments(arguments.clone(), equality) };
                        let matcher = || Matcher { calls: CallSymbols::None, ..Matcher::new(&rules, expected, actual, HashKey(3, 4)) };
                        let (plain, short) = (matcher(), matcher());
                        short.compared.set(MANY);
                        for (e, a) in (0..expected.len()).flat_map(|e| (0..actual.len()).map(move |a| (e, a))) {
                            let wanted = plain.grade(e, a);
                            prop_assert_eq!(&short.grade(e, a), &wanted, "{:?} {:?} {:?}", arguments, expected[e], actual[a]);
                            prop_assert_eq!(&short.grade(e, a), &wanted);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_that_nothing_spares_are_counted_up_to_a_limit() {
        let texts: Vec<_> = (0..200)
            .map(|number| format!(r#"{{"q":"{number:03}"}}"#))
            .collect();
        let calls: Vec<_> = texts.iter().map(|json| item("a", Some(json))).collect();
        let compared = |rule: ArgumentRule, limit: u64| {
            let rules = Rules::of_arguments(rule, ValueEquality::Json);
            let matcher = Matcher::new(&rules, &calls, &calls, HashKey::default()).at_most(limit);
            (0..200).try_for_each(|e| (0..200).try_for_each(|a| matcher.grade(e, a).map(drop)))
        };
        let fuzzy = ArgumentRule::Fuzzy {
            threshold: 0.8,
            partial_credit: true,
            equal_is_alike: false,
        };
        assert_eq!(
            compared(fuzzy.clone(), 39_999),
            Err(EvaluationError::TooManyComparisons { limit: 39_999 })
        );
        assert_eq!(compared(fuzzy, 40_000), Ok(()));
        // Of most pairs a mark tells enough.
        assert_eq!(compared(ArgumentRule::Subset, 6_000), Ok(()));
    }

    #[test]
    fn nan_equals_nothing_and_a_text_that_names_it_equals_itself() {
        let rules = Rules::of_arguments(ArgumentRule::Equal, ValueEquality::Python);
        let grade = |left: &'static str, right: &'static str| {
            let arguments = [left, right].map(Arguments::json);
            let [expected, actual] = arguments
                .each_ref()
                .map(|it| item("a", None).with_arguments(ItemArguments::Lazy(it)));
            Matcher::new(&rules, &[expected], &[actual], HashKey::default())
                .grade(0, 0)
                .unwrap()
        };
        assert_eq!(grade(r#"{"x":"NaN"}"#, r#"{"x":"NaN"}"#), Grade::Full);
        assert_eq!(
            grade(r#"{"x":"NaN","y":1}"#, r#"{"y":1,"x":"\u004eaN"}"#),
            Grade::Full
        );
        assert_eq!(grade(r#"{"x":NaN}"#, r#"{"x":NaN}"#), Grade::NameOnly);
        assert_eq!(grade(r#"{"x":NaN,"x":1}"#, r#"{"x":1}"#), Grade::Full);
    }

    #[test]
    fn unasked_arguments_demand_nothing_where_the_rules_say_so() {
        let (expected, actual) = ([item("a", None)], [item("a", Some("{}")), item("a", None)]);
        let compared = Rules::of_arguments(ArgumentRule::Equal, ValueEquality::Json);
        let unasked = Rules {
            unasked: Unasked::Nothing,
            ..compared.clone()
        };
        let grades = |rules: &Rules| {
            let matcher = Matcher::new(rules, &expected, &actual, HashKey::default());
            [matcher.grade(0, 0).unwrap(), matcher.grade(0, 1).unwrap()]
        };
        assert_eq!(grades(&compared), [Grade::NameOnly, Grade::Full]);
        assert_eq!(grades(&unasked), [Grade::Full, Grade::Full]);
    }
}
