//! Words in keys and kinds.

/// True if the text contains one of the lower-case words, ignoring case.
pub(crate) fn says_any(text: &str, words: &[&str]) -> bool {
    let text = text.as_bytes();
    words.iter().any(|word| {
        text.windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    })
}

/// The words of a key in lower case: `notCalled` and `not-called` have two.
pub(crate) fn words_of(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_after_lower = false;
    for letter in key.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && is_after_lower {
            words.push(String::new());
        }
        is_after_lower = letter.is_lowercase();
        let word = words.last_mut().expect("one word at least");
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

/// True for a key with one of these words.
pub(crate) fn has_word(key: &str, among: &[&str]) -> bool {
    words_of(key)
        .iter()
        .any(|word| among.contains(&word.as_str()))
}

/// True for a key of calls that are not simply expected: forbidden, optional or alternative ones.
pub(crate) fn is_condition(key: &str) -> bool {
    const WORDS: [&str; 27] = [
        "allowed",
        "alternative",
        "alternatives",
        "any",
        "anyof",
        "avoid",
        "banned",
        "blocked",
        "disallow",
        "disallowed",
        "either",
        "exclude",
        "excluded",
        "forbid",
        "forbidden",
        "negative",
        "never",
        "no",
        "not",
        "oneof",
        "optional",
        "permitted",
        "prohibited",
        "undesired",
        "unexpected",
        "unwanted",
        "without",
    ];
    has_word(key, &WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_found_by_their_words() {
        for key in [
            "forbidden_tools",
            "notCalled",
            "must-not-call",
            "anyOf",
            "optional",
            "tools_not_to_call",
        ] {
            assert!(is_condition(key), "{key}");
        }
        for key in [
            "tool_calls",
            "notes",
            "many_calls",
            "expectedTools",
            "company",
        ] {
            assert!(!is_condition(key), "{key}");
        }
    }
}
