//! Rules as sentences: `verify before refund`.

use super::call_pattern::CallPattern;
use super::definition::Rule;
use super::kind::{MakeKind, RuleKind};
use crate::expectation::{ExpectationError, ReadResult};
use crate::settings::nearest;

/// The form of a sentence: its words, with `CALL`, `T` and `n` as placeholders for names and a number.
const FORMS: [(&[&str], MakeKind); 16] = [
    (&["T", "before", "CALL"], |_| RuleKind::NeedsBefore),
    (&["T", "after", "CALL"], |_| RuleKind::NeedsAfter),
    (&["T", "directly", "before", "CALL"], |_| {
        RuleKind::NeedsDirectlyBefore
    }),
    (&["T", "directly", "after", "CALL"], |_| {
        RuleKind::NeedsDirectlyAfter
    }),
    (&["T", "before", "each", "CALL"], |_| {
        RuleKind::NeedsBeforeEach
    }),
    (&["T", "after", "each", "CALL"], |_| {
        RuleKind::NeedsAfterEach
    }),
    (&["CALL", "needs", "T"], |_| RuleKind::Needs),
    (&["CALL", "excludes", "T"], |_| RuleKind::Excludes),
    (&["no", "T", "after", "CALL"], |_| RuleKind::ThenNever),
    (&["no", "T", "directly", "after", "CALL"], |_| {
        RuleKind::ThenNeverDirectly
    }),
    (&["never", "CALL"], |_| RuleKind::Never),
    (&["at", "most", "n", "CALL"], RuleKind::AtMost),
    (&["at", "least", "n", "CALL"], RuleKind::AtLeast),
    (&["exactly", "n", "CALL"], RuleKind::Exactly),
    (&["first", "T"], |_| RuleKind::First),
    (&["last", "T"], |_| RuleKind::Last),
];

const KEYWORDS: [&str; 14] = [
    "before", "after", "directly", "each", "needs", "excludes", "no", "never", "at", "most",
    "least", "exactly", "first", "last",
];

const SENTENCE: &str = "a sentence such as `verify before refund` or `at most 1 refund`";

/// True if a sentence can contain this tool name.
pub(super) fn is_word(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_whitespace) && !KEYWORDS.contains(&name)
}

/// Parses a rule from a sentence.
pub(super) fn read(text: &str) -> ReadResult<Rule> {
    let words: Vec<&str> = words(text).collect();
    parse(&words).ok_or_else(|| no_sentence(text, &words))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ').filter(|word| !word.is_empty())
}

fn parse(words: &[&str]) -> Option<Rule> {
    let mut forms = FORMS.iter();
    forms.find_map(|(form, kind)| read_form(words, form, *kind))
}

fn read_form(words: &[&str], form: &[&str], kind: MakeKind) -> Option<Rule> {
    if words.len() != form.len() {
        return None;
    }
    let (mut call, mut target, mut number) = (None, None, 0);
    for (word, slot) in words.iter().zip(form) {
        match *slot {
            "n" => number = plain_number(word)?,
            "CALL" | "T" if KEYWORDS.contains(word) => return None,
            "CALL" => call = Some(CallPattern::from_name(word)),
            "T" => target = Some(CallPattern::from_name(word)),
            keyword if keyword == *word => {}
            _ => return None,
        }
    }
    Some(Rule::new(kind(number), call, target))
}

fn plain_number(word: &str) -> Option<u64> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| word.parse().unwrap_or(u64::MAX))
}

/// An error that suggests the nearest sentence form with the same number of words.
#[cold]
fn no_sentence(text: &str, given: &[&str]) -> ExpectationError {
    let error = ExpectationError::new(SENTENCE, format!("`{text}`"));
    let has_length = |form: &&[&str]| form.len() == given.len();
    let filled: Vec<String> = FORMS
        .iter()
        .map(|(form, _)| *form)
        .filter(has_length)
        .map(|form| {
            let slots = form.iter().zip(given);
            let word = |(slot, word): (&&str, &&str)| match *slot {
                "CALL" | "T" => (*word).to_owned(),
                "n" if plain_number(word).is_some() => (*word).to_owned(),
                "n" => "1".to_owned(),
                keyword => keyword.to_owned(),
            };
            slots.map(word).collect::<Vec<_>>().join(" ")
        })
        .filter(|sentence| parse(&words(sentence).collect::<Vec<_>>()).is_some())
        .collect();
    match nearest(text, filled.iter().map(String::as_str)).first() {
        Some(sentence) => error.help(format!("did you mean `{sentence}`?")),
        None => error.help(
            "a name with a space, or one that is a word of these sentences, needs an object: {\"call\": …, \"needs_before\": …}",
        ),
    }
}

/// The sentence of a rule with these call names.
pub(super) fn write(kind: RuleKind, call: &str, target: &str) -> String {
    let number = match kind {
        RuleKind::AtMost(number) | RuleKind::AtLeast(number) | RuleKind::Exactly(number) => number,
        _ => 0,
    };
    let form = FORMS.iter().find(|(_, of)| of(number) == kind);
    let words = form.map_or(&[][..], |(form, _)| form).iter();
    let word = |slot: &&str| match *slot {
        "CALL" => call.to_owned(),
        "T" => target.to_owned(),
        "n" => number.to_string(),
        keyword => keyword.to_owned(),
    };
    words.map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_round_trips() {
        for (form, _) in FORMS {
            let text = form.join(" ").replace(" n ", " 3 ").to_lowercase();
            assert_eq!(read(&text).unwrap().label(), text);
        }
    }

    #[test]
    fn invalid_sentences_get_the_nearest_form() {
        for (text, help) in [
            (
                "verify befor refund",
                "did you mean `verify before refund`?",
            ),
            ("at most one refund", "did you mean `at most 1 refund`?"),
            ("Never refund", "did you mean `never refund`?"),
            (
                "no mail directly afer pay",
                "did you mean `no mail directly after pay`?",
            ),
        ] {
            assert_eq!(
                read(text).unwrap_err().help.as_deref(),
                Some(help),
                "{text}"
            );
        }
        for text in [
            "",
            "refund",
            "first first",
            "a b c d e f g",
            "before before before",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
