//! Builds commands that a reader can copy and run.

use crate::text::printable;

/// Adds an option with its value, which may start with a dash.
pub fn push_option(words: &mut Vec<String>, option: &str, value: &str) {
    if value.starts_with('-') {
        words.push(format!("{option}={value}"));
    } else {
        words.extend([option.to_owned(), value.to_owned()]);
    }
}

/// Quotes words as one line that a shell splits into the same words.
pub fn command_line(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| shell_word(word)).collect();
    words.join(" ")
}

/// Quotes a word for shells.
fn shell_word(word: &str) -> String {
    if printable(word) != word {
        // Escape bytes, which every shell with `$'…'` supports.
        let escaped = word.bytes().map(|byte| match byte {
            b'\'' | b'\\' => format!("\\{}", char::from(byte)),
            b' '..=b'~' => char::from(byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        });
        return format!("$'{}'", escaped.collect::<String>());
    }
    let plain = |character: char| character.is_alphanumeric() || "-_./,=:@%+".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_something_else() {
        assert_eq!(shell_word("cases/a-1.jsonl"), "cases/a-1.jsonl");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("a'\u{1b}\nü\\"), r"$'a\'\x1b\x0a\xc3\xbc\\'");
    }
}
