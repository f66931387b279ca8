//! Tests of `matcher`.

use proptest::prelude::*;

use super::*;
use crate::call::Arguments;
use crate::matching::{ArgumentMode, ItemArguments, ItemName};
use crate::value::{Syntax, Text, ValueEquality, decode_with};

fn item<'c>(name: &'c str, arguments: Option<&'c str>) -> Item<'c> {
    let arguments = arguments.map_or(ItemArguments::Absent, |json| {
        ItemArguments::Tree(decode_with(json, Syntax::PYTHON).unwrap())
    });
    Item::new(ItemName::Text(name.into()), arguments)
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
    fn symbols_agree_with_comparisons(
        calls in prop::collection::vec((prop::sample::select(vec!["a", "b"]), prop::sample::select(vec![None, Some("{}"), Some("null"), Some(r#"{"x":1}"#), Some(r#"{"x":1.0}"#), Some(r#"{"x":true}"#), Some("[]")])), 0..8),
        split in 0_usize..8,
    ) {
        let items: Vec<Item<'_>> = calls.iter().map(|(name, arguments)| item(name, *arguments)).collect();
        let (expected, actual) = items.split_at(split.min(items.len()));
        let texts: Vec<_> = calls.iter().map(|(_, arguments)| arguments.map_or_else(Arguments::default, Arguments::json)).collect();
        let lazy_items: Vec<Item<'_>> = items.iter().zip(&texts).map(|(item, arguments)| as_text(item, arguments)).collect();
        let (lazy_expected, lazy_actual) = lazy_items.split_at(expected.len());
        for equality in [ValueEquality::Python, ValueEquality::JavaScript, ValueEquality::JavaScriptListsAsObjects, ValueEquality::Json, ValueEquality::Strict] {
            let rules = Rules::from_arguments(ArgumentRule::Equal, equality);
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

/// Rules without symbols, of each kind.
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
        ArgumentRule::EqualTexts,
        ArgumentRule::Paths(path("x")),
        ArgumentRule::PresentPaths(path("x")),
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
    fn shortcuts_agree_with_comparisons(
        calls in prop::collection::vec((prop::sample::select(vec!["a", "b"]), 0..ARGUMENTS.len(), 0..5_usize, any::<bool>()), 1..12),
        split in 0_usize..12,
    ) {
        let texts: Vec<_> = ARGUMENTS.iter().map(|json| if json.is_empty() { Arguments::default() } else { Arguments::json(json) }).collect();
        let items = calls.iter().map(|&(name, arguments, more, is_lazy)| {
            let tree = item(name, Some(ARGUMENTS[arguments]).filter(|json| !json.is_empty()));
            let item = if is_lazy { as_text(&tree, &texts[arguments]) } else { tree };
            let item = if more == 1 { item.with_output(Some(ItemOutput::from_json("7"))) } else { item };
            let keys: Option<Vec<_>> = (more > 2).then(|| ["x", "y"][..more - 3].iter().map(|key| Text::new(key)).collect());
            item.with_keys(keys.map(Into::into))
        });
        let items: Vec<_> = items.collect();
        let (expected, actual) = items.split_at(split.min(items.len()));
        for arguments in compared_rules() {
            for equality in [ValueEquality::Python, ValueEquality::JavaScript, ValueEquality::Json] {
                for missing in [MissingArguments::Wildcard, MissingArguments::Compared] {
                    let rules = Rules { missing, outputs: OutputRule::Equal, ..Rules::from_arguments(arguments.clone(), equality) };
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
fn comparisons_without_shortcuts_count_up_to_a_limit() {
    let texts: Vec<_> = (0..200)
        .map(|number| format!(r#"{{"q":"{number:03}"}}"#))
        .collect();
    let calls: Vec<_> = texts.iter().map(|json| item("a", Some(json))).collect();
    let compared = |rule: &ArgumentRule, calls: &[Item<'_>], limit: u64| {
        let rules = Rules::from_arguments(rule.clone(), ValueEquality::Json);
        let matcher = Matcher::new(&rules, calls, calls, HashKey::default()).at_most(limit);
        (0..200).try_for_each(|e| (0..200).try_for_each(|a| matcher.grade(e, a).map(drop)))
    };
    let fuzzy = ArgumentRule::Fuzzy {
        threshold: 0.8,
        partial_credit: true,
        equal_is_alike: false,
    };
    assert_eq!(
        compared(&fuzzy, &calls, 39_999),
        Err(EvaluationError::TooManyComparisons { limit: 39_999 })
    );
    assert_eq!(compared(&fuzzy, &calls, 40_000), Ok(()));
    // Once there are many calls, only one pair is compared of each group of repeated calls.
    let repeated: Vec<_> = (0..200).map(|number| calls[number % 10].clone()).collect();
    assert_eq!(compared(&fuzzy, &repeated, MANY + 100), Ok(()));
}

#[test]
fn nan_equals_no_value_and_the_text_nan_equals_itself() {
    let rules = Rules::from_arguments(ArgumentRule::Equal, ValueEquality::Python);
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
fn missing_expected_arguments_match_any_if_the_rules_allow() {
    let (expected, actual) = ([item("a", None)], [item("a", Some("{}")), item("a", None)]);
    let compared = Rules::from_arguments(ArgumentRule::Equal, ValueEquality::Json);
    let missing = Rules {
        missing: MissingArguments::Wildcard,
        ..compared.clone()
    };
    let grades = |rules: &Rules| {
        let matcher = Matcher::new(rules, &expected, &actual, HashKey::default());
        [matcher.grade(0, 0).unwrap(), matcher.grade(0, 1).unwrap()]
    };
    assert_eq!(grades(&compared), [Grade::NameOnly, Grade::Full]);
    assert_eq!(grades(&missing), [Grade::Full, Grade::Full]);
}
