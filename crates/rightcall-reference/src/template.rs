//! Generates texts from templates, so that the cases of an evaluator are data.
//!
//! | in a template | generates |
//! | --- | --- |
//! | `(a\|b\|c)` | an alternative, all equally often; `(9:a\|b)` generates `a` nine times as often |
//! | `*3(a)` | 0 to 3 times `a`, separated by commas |
//! | `~(a)` | `a` as a JSON string |
//! | `@x(a)` | `a`, which `$x` repeats from here on |
//! | `$x` | the text of `@x`, or the shared part `x` |
//!
//! Line breaks and indentation are dropped, and so is a comma after an opening brace or bracket: all members of an object can be optional.

use std::collections::BTreeMap;

use crate::choices::Choices;
use crate::parts::part;

/// Fills the templates in turn. Texts that one of them repeats are also available to the next ones.
///
/// # Panics
/// If a template names an unknown part, or a group lacks its closing parenthesis.
pub fn fill<const N: usize>(choices: &mut Choices<'_>, templates: [&str; N]) -> [String; N] {
    let mut repeated = BTreeMap::new();
    templates.map(|template| {
        let mut filling = Filling {
            choices,
            repeated: &mut repeated,
            text: String::new(),
        };
        filling.alternative(template);
        filling.text
    })
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

struct Filling<'f, 'b> {
    choices: &'f mut Choices<'b>,
    repeated: &'f mut BTreeMap<String, String>,
    text: String,
}

impl Filling<'_, '_> {
    fn fill(&mut self, template: &str) {
        let mut rest = template;
        while let Some(at) = rest.find(['(', '*', '~', '@', '$']) {
            self.push(&rest[..at]);
            rest = &rest[at..];
            let sign = &rest[..1];
            let word = match sign {
                "(" => "",
                _ => word(&rest[1..]),
            };
            let after = &rest[if sign == "(" { 0 } else { 1 + word.len() }..];
            if sign == "$" {
                self.named(word);
                rest = after;
            } else if after.starts_with('(') {
                let group = group(after);
                self.group(sign, word, group);
                rest = &after[group.len() + 2..];
            } else {
                // Without a group, the sign is text.
                self.push(sign);
                rest = &rest[1..];
            }
        }
        self.push(rest);
    }

    fn group(&mut self, sign: &str, word: &str, group: &str) {
        match sign {
            "*" => {
                let most: usize = word.parse().expect("the number of items");
                for item in 0..self.choices.below(most + 1) {
                    self.push(if item > 0 { "," } else { "" });
                    self.alternative(group);
                }
            }
            "~" => {
                let text = quoted(&self.group_text(group));
                self.push(&text);
            }
            "@" => {
                let text = self.group_text(group);
                self.push(&text);
                self.repeated.insert(word.to_owned(), text);
            }
            _ => self.alternative(group),
        }
    }

    fn named(&mut self, name: &str) {
        match self.repeated.get(name).cloned() {
            Some(text) => self.push(&text),
            None => self.alternative(part(name)),
        }
    }

    /// The text of a group, which isn't appended yet.
    fn group_text(&mut self, group: &str) -> String {
        let before = std::mem::take(&mut self.text);
        self.alternative(group);
        std::mem::replace(&mut self.text, before)
    }

    fn alternative(&mut self, group: &str) {
        let alternatives: Vec<(usize, &str)> =
            alternatives(group).into_iter().map(weighted).collect();
        let all = alternatives.iter().map(|(weight, _)| weight).sum();
        let mut place = match alternatives.len() {
            1 => 0,
            _ => self.choices.below(all),
        };
        for (weight, alternative) in alternatives {
            if place < weight {
                return self.fill(alternative);
            }
            place -= weight;
        }
    }

    fn push(&mut self, text: &str) {
        for (place, line) in text.split('\n').enumerate() {
            let line = if place == 0 { line } else { line.trim_start() };
            let opened = self.text.ends_with(['{', '[']);
            let line = if opened {
                line.strip_prefix(',').unwrap_or(line)
            } else {
                line
            };
            self.text.push_str(line);
        }
    }
}

/// The name or number at the start of a text.
fn word(text: &str) -> &str {
    let end = text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    &text[..end.unwrap_or(text.len())]
}

/// The inside of the group at the start of a text.
fn group(text: &str) -> &str {
    let mut depth = 0;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return &text[1..place],
            ')' => depth -= 1,
            _ => {}
        }
    }
    panic!("a group does not end: {text}")
}

/// The parts of a group, at the bars outside inner groups.
fn alternatives(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (place, letter) in group.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' if depth == 0 => {
                parts.push(&group[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[start..]);
    parts
}

/// An alternative without its weight, and the weight.
fn weighted(alternative: &str) -> (usize, &str) {
    let given = alternative
        .trim_start()
        .split_once(':')
        .and_then(|(weight, rest)| Some((weight.parse().ok()?, rest)));
    given.unwrap_or((1, alternative))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(bytes: &[u8], template: &str) -> String {
        let [text] = fill(&mut Choices::new(bytes), [template]);
        text
    }

    #[test]
    fn a_template_is_filled_by_choices() {
        assert_eq!(filled(&[1], "(a|b)"), "b");
        assert_eq!(filled(&[2, 0], "(2:a|(b|c))"), "b");
        assert_eq!(filled(&[2, 1, 0], "[*3((a|b))]"), "[b,a]");
        assert_eq!(filled(&[1], "~({\"a\":(1|2)})"), r#""{\"a\":2}""#);
        assert_eq!(filled(&[1], "@x(a|b)-$x"), "b-b");
        assert_eq!(filled(&[0, 1], "{(|,a)\n    (|,b)}"), "{b}");
        assert_eq!(filled(&[], r#"{"a*":"~"}"#), r#"{"a*":"~"}"#);
    }
}
