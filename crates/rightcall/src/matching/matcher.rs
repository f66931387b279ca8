//! The five choices put together: what any two calls of a case are to each other.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::names::Interner;
use super::{ArgumentRule, Item, ItemArguments, ItemOutput, NameRule, Unasked};
use crate::alignment::{Comparison, Grade, Symbols};
use crate::call::ArgumentSource;
use crate::evaluation::EvaluationError;
use crate::value::{Digest, HashKey, Value, ValueEquality};

/// How outputs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputRule {
    /// Not at all.
    Ignored,
    /// As values.
    Equal,
}

/// The choices of a matcher.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) names: NameRule,
    pub(crate) arguments: ArgumentRule,
    pub(crate) unasked: Unasked,
    pub(crate) outputs: OutputRule,
    pub(crate) equality: ValueEquality,
    /// The original raises an error when absent or null arguments are compared.
    pub(crate) null_arguments_raise: bool,
}

impl Rules {
    /// Names alone.
    pub(crate) fn of_names(names: NameRule) -> Self {
        Self {
            names,
            arguments: ArgumentRule::Ignored,
            unasked: Unasked::Compared,
            outputs: OutputRule::Ignored,
            equality: ValueEquality::Json,
            null_arguments_raise: false,
        }
    }

    /// Exact names with a rule for arguments.
    pub(crate) fn of_arguments(arguments: ArgumentRule, equality: ValueEquality) -> Self {
        Self { arguments, equality, ..Self::of_names(NameRule::Exact) }
    }
}

/// Compares the calls of one case.
pub(crate) struct Matcher<'m, 'c> {
    rules: &'m Rules,
    expected: Side<'m, 'c>,
    actual: Side<'m, 'c>,
    names: Symbols,
    calls: CallSymbols,
    key: HashKey,
}

/// Symbols for whole calls.
enum CallSymbols {
    /// Calls have to be compared.
    None,
    /// The same as for names.
    Names,
    /// Their own.
    Own(Symbols),
}

/// One side's calls, their arguments decoded as far as they were asked for.
struct Side<'m, 'c> {
    items: &'m [Item<'c>],
    trees: Vec<OnceCell<Option<Cow<'m, Value<'c>>>>>,
}

impl<'m, 'c> Side<'m, 'c> {
    fn new(items: &'m [Item<'c>]) -> Self {
        Self { items, trees: Vec::new() }
    }

    /// Room for decoded arguments, for rules that want them.
    fn with_trees(mut self) -> Self {
        self.trees.resize_with(self.items.len(), OnceCell::new);
        self
    }

    fn tree(&self, index: usize) -> Option<&Value<'c>> {
        self.trees.get(index)?.get_or_init(|| self.items[index].arguments.to_tree()).as_deref()
    }
}

impl<'m, 'c> Matcher<'m, 'c> {
    /// A matcher of two lists. Names are interned at once; arguments are hashed at once where that decides everything.
    pub(crate) fn new(rules: &'m Rules, expected: &'m [Item<'c>], actual: &'m [Item<'c>], key: HashKey) -> Self {
        let names = rules.names.symbols(expected, actual, key);
        let calls = call_symbols(rules, &names, expected, actual, key);
        let looks_at_trees = rules.arguments != ArgumentRule::Ignored;
        let side = |items| if looks_at_trees { Side::new(items).with_trees() } else { Side::new(items) };
        Self { rules, expected: side(expected), actual: side(actual), names, calls, key }
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
        self.expected.tree(index)
    }

    /// The arguments of an actual call, for rules that look at arguments.
    pub(crate) fn actual_arguments(&self, index: usize) -> Option<&Value<'c>> {
        self.actual.tree(index)
    }

    fn arguments_grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError> {
        let rules = self.rules;
        if rules.arguments == ArgumentRule::Ignored {
            return Ok(Grade::Full);
        }
        let (left, right) = (&self.expected.items[expected], &self.actual.items[actual]);
        if rules.unasked == Unasked::Nothing {
            match (&left.arguments, &right.arguments) {
                (ItemArguments::Absent, _) => return Ok(Grade::Full),
                (_, ItemArguments::Absent) => return Ok(Grade::NameOnly),
                _ => {}
            }
        }
        if rules.null_arguments_raise && (left.is_null() || right.is_null()) {
            return Err(EvaluationError::Raised("arguments that are null or missing cannot be compared".to_owned()));
        }
        if self.known_equal(&left.arguments, &right.arguments) {
            return Ok(Grade::Full);
        }
        let name = left.name.to_text();
        rules.arguments.grade(&name, self.expected.tree(expected), self.actual.tree(actual), rules.equality)
    }

    /// True where digests show that two arguments are equal and the rule then grades them full, without decoding them.
    fn known_equal(&self, left: &ItemArguments<'_>, right: &ItemArguments<'_>) -> bool {
        let (ItemArguments::Lazy(left), ItemArguments::Lazy(right)) = (left, right) else { return false };
        let equality = self.rules.equality;
        let equal_is_full = matches!(
            self.rules.arguments,
            ArgumentRule::Equal
                | ArgumentRule::Subset
                | ArgumentRule::Superset
                | ArgumentRule::DeepSubset
                | ArgumentRule::Overlap
        );
        equal_is_full
            && match (left.digest(equality, self.key), right.digest(equality, self.key)) {
                (Some(left), Some(right)) => left.equals(right),
                _ => false,
            }
    }

    fn outputs_equal(&self, expected: usize, actual: usize) -> bool {
        match (&self.expected.items[expected].output, &self.actual.items[actual].output) {
            (ItemOutput::Absent, ItemOutput::Absent) => true,
            (ItemOutput::Text(left), ItemOutput::Text(right)) => left == right,
            (ItemOutput::Tree(left), ItemOutput::Tree(right)) => self.rules.equality.equal(left, right),
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

    fn names(&self) -> &Symbols {
        &self.names
    }

    fn calls(&self) -> Option<&Symbols> {
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
            return Ok(if calls.same(expected, actual) { Grade::Full } else { Grade::NameOnly });
        }
        let grade = self.arguments_grade(expected, actual)?;
        if self.rules.outputs == OutputRule::Equal && !self.outputs_equal(expected, actual) {
            return Ok(Grade::NameOnly);
        }
        Ok(grade)
    }
}

impl Item<'_> {
    fn is_null(&self) -> bool {
        match &self.arguments {
            ItemArguments::Absent => true,
            ItemArguments::Tree(tree) => tree.is_null(),
            ItemArguments::Lazy(arguments) => matches!(arguments.source(), ArgumentSource::Json("null")),
        }
    }

    /// A number for arguments and output; equal numbers, equal values. `None` for what equals nothing.
    fn call_key(&self, rules: &Rules, key: HashKey) -> Option<[u128; 2]> {
        let arguments = match rules.arguments {
            ArgumentRule::Ignored => 0,
            _ => match &self.arguments {
                ItemArguments::Absent => 1,
                ItemArguments::Tree(tree) => Digest::of_value(tree, rules.equality, key).key()?,
                ItemArguments::Lazy(arguments) => match arguments.digest(rules.equality, key) {
                    Some(digest) => digest.key()?,
                    None => self.arguments.to_tree().map(|tree| Digest::of_value(&tree, rules.equality, key))?.key()?,
                },
            },
        };
        let output = match (&rules.outputs, &self.output) {
            (OutputRule::Ignored, _) => 0,
            (OutputRule::Equal, ItemOutput::Absent) => 1,
            (OutputRule::Equal, ItemOutput::Text(text)) => {
                Digest::of_value(&Value::String(text.reborrow()), rules.equality, key).key()?
            }
            (OutputRule::Equal, ItemOutput::Tree(tree)) => Digest::of_value(tree, rules.equality, key).key()?,
        };
        Some([arguments, output])
    }
}

/// Symbols for whole calls, where the rules amount to an equivalence and no comparison can raise an error.
fn call_symbols(rules: &Rules, names: &Symbols, expected: &[Item<'_>], actual: &[Item<'_>], key: HashKey) -> CallSymbols {
    let ignores_outputs = rules.outputs == OutputRule::Ignored;
    if rules.arguments == ArgumentRule::Ignored && ignores_outputs {
        return CallSymbols::Names;
    }
    let is_equivalence = rules.arguments == ArgumentRule::Ignored || rules.arguments.is_equality();
    let has_absent = || expected.iter().any(|item| matches!(item.arguments, ItemArguments::Absent));
    let can_raise = || expected.iter().chain(actual).any(|item| !item.is_blank && item.is_null());
    if !is_equivalence || rules.unasked == Unasked::Nothing && has_absent() || rules.null_arguments_raise && can_raise() {
        return CallSymbols::None;
    }
    let mut interner = Interner::new(key, expected.len() + actual.len());
    let mut intern = |name: u32, values: Option<[u128; 2]>| match values {
        Some(values) if name != Symbols::NONE => interner.intern((name, values)),
        _ => Symbols::NONE,
    };
    let need_no_hash = if ignores_outputs { names_of_one_text(names, expected, actual) } else { Vec::new() };
    let values = |item: &Item<'_>, name: u32| match need_no_hash.get(name as usize) {
        Some(true) => Some(SAME_TEXT),
        _ => item.call_key(rules, key),
    };
    let expected_symbols = expected.iter().zip(&names.expected).map(|(item, &[first, second])| {
        if first == second {
            return [intern(first, values(item, first)); 2];
        }
        let values = item.call_key(rules, key);
        [intern(first, values), intern(second, values)]
    });
    let expected_symbols: Vec<_> = expected_symbols.collect();
    let actual_symbols = actual.iter().zip(&names.actual).map(|(item, &name)| intern(name, values(item, name)));
    let actual_symbols: Vec<_> = actual_symbols.collect();
    CallSymbols::Own(Symbols { expected: expected_symbols, actual: actual_symbols, count: interner.len() })
}

/// Stands for the arguments of the only two calls of a name, where these are the same text; no digest is as small.
const SAME_TEXT: [u128; 2] = [2, 0];

/// True if the arguments are the same JSON text, and equal themselves: a text with `NaN` may not.
fn same_text(expected: &Item<'_>, actual: &Item<'_>) -> bool {
    let (ItemArguments::Lazy(left), ItemArguments::Lazy(right)) = (&expected.arguments, &actual.arguments) else { return false };
    match (left.source(), right.source()) {
        (ArgumentSource::Json(left), ArgumentSource::Json(right)) => left == right && !left.contains("NaN"),
        _ => false,
    }
}

/// For each name, whether just one expected and one actual call have it, with the same text as arguments: these need no hash.
fn names_of_one_text(names: &Symbols, expected: &[Item<'_>], actual: &[Item<'_>]) -> Vec<bool> {
    #[derive(Clone, Default)]
    struct Uses<'u> {
        expected: Option<&'u Item<'u>>,
        actual: Option<&'u Item<'u>>,
        is_repeated: bool,
    }
    let mut uses = vec![Uses::default(); names.count];
    for (item, &[first, second]) in expected.iter().zip(&names.expected) {
        for symbol in [first, second] {
            if let Some(of_name) = uses.get_mut(symbol as usize) {
                // A call under two names is never alone with either.
                of_name.is_repeated |= first != second || of_name.expected.is_some_and(|other| !std::ptr::eq(other, item));
                of_name.expected = Some(item);
            }
        }
    }
    for (item, &symbol) in actual.iter().zip(&names.actual) {
        if let Some(of_name) = uses.get_mut(symbol as usize) {
            of_name.is_repeated |= of_name.actual.is_some();
            of_name.actual = Some(item);
        }
    }
    let is_one_text = |of_name: Uses<'_>| match of_name {
        Uses { expected: Some(expected), actual: Some(actual), is_repeated: false } => same_text(expected, actual),
        _ => false,
    };
    uses.into_iter().map(is_one_text).collect()
}

/// Classes of actual calls that Python holds equal: the same name, arguments and output, whatever their kind.
pub(crate) fn value_classes(items: &[Item<'_>], key: HashKey) -> Vec<u32> {
    let rules = Rules { outputs: OutputRule::Equal, ..Rules::of_arguments(ArgumentRule::Equal, ValueEquality::Python) };
    let mut interner = Interner::new(key, items.len());
    let class = |(index, item): (usize, &Item<'_>)| {
        let values = item.call_key(&rules, key);
        // What equals nothing does not equal itself.
        let apart = if values.is_none() { index } else { 0 };
        interner.intern((item.name.to_text().into_owned(), values, apart))
    };
    items.iter().enumerate().map(class).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::call::Arguments;
    use crate::matching::ItemName;
    use crate::value::decode;

    fn item<'c>(name: &'c str, arguments: Option<&'c str>) -> Item<'c> {
        let arguments = arguments.map_or(ItemArguments::Absent, |json| ItemArguments::Tree(decode(json).unwrap()));
        Item { name: ItemName::Text(name.into()), arguments, ..Item::default() }
    }

    /// The same call with its arguments as text.
    fn as_text<'c>(item: &Item<'c>, arguments: &'c Arguments<'c>) -> Item<'c> {
        let arguments = if arguments.is_absent() { ItemArguments::Absent } else { ItemArguments::Lazy(arguments) };
        Item { arguments, ..item.clone() }
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
            for equality in [ValueEquality::Python, ValueEquality::JavaScript, ValueEquality::JavaScriptListsAsObjects, ValueEquality::Json] {
                let rules = Rules::of_arguments(ArgumentRule::Equal, equality);
                let matcher = Matcher::new(&rules, expected, actual, HashKey(3, 4));
                prop_assert!(matcher.calls().is_some());
                let by_text = Matcher::new(&rules, lazy_expected, lazy_actual, HashKey(3, 4));
                let compared = Matcher { calls: CallSymbols::None, ..Matcher::new(&rules, expected, actual, HashKey(3, 4)) };
                for e in 0..expected.len() {
                    for a in 0..actual.len() {
                        prop_assert_eq!(matcher.grade(e, a), compared.grade(e, a));
                        prop_assert_eq!(by_text.grade(e, a), compared.grade(e, a));
                    }
                }
            }
        }
    }

    #[test]
    fn unasked_arguments_demand_nothing_where_the_rules_say_so() {
        let (expected, actual) = ([item("a", None)], [item("a", Some("{}")), item("a", None)]);
        let compared = Rules::of_arguments(ArgumentRule::Equal, ValueEquality::Json);
        let unasked = Rules { unasked: Unasked::Nothing, ..compared.clone() };
        let grades = |rules: &Rules| {
            let matcher = Matcher::new(rules, &expected, &actual, HashKey::default());
            [matcher.grade(0, 0).unwrap(), matcher.grade(0, 1).unwrap()]
        };
        assert_eq!(grades(&compared), [Grade::NameOnly, Grade::Full]);
        assert_eq!(grades(&unasked), [Grade::Full, Grade::Full]);
    }
}
