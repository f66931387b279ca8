//! Escapes control characters in untrusted text.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Stdout, Write};

/// True for a character that can manipulate a terminal or a page: control characters, and invisible
/// or text-reversing format characters.
fn can_manipulate(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{13430}'..='\u{1343F}' | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E007F}')
        // The last two code points of each plane are noncharacters.
        || u32::from(character) & 0xFFFE == 0xFFFE
}

/// True for a zero-width joiner or non-joiner that belongs to the text between these characters: in
/// emoji, and in scripts that need it, such as Persian and Hindi. Elsewhere it only hides that two
/// texts differ.
fn is_joiner_of_text(before: Option<char>, character: char, after: Option<char>) -> bool {
    let is_emoji = |it| matches!(it, '\u{2190}'..='\u{21FF}' | '\u{2600}'..='\u{27BF}' | '\u{2B00}'..='\u{2BFF}' | '\u{FE0F}' | '\u{1F000}'..='\u{1FAFF}');
    let is_letter = |it| matches!(it, '\u{620}'..='\u{8FF}' | '\u{900}'..='\u{DFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}');
    let Some((before, after)) = before.zip(after) else {
        return false;
    };
    match character {
        '\u{200C}' => is_letter(before) && is_letter(after),
        '\u{200D}' => is_letter(before) && is_letter(after) || is_emoji(before) && is_emoji(after),
        _ => false,
    }
}

/// The text on one line, with control characters escaped: `\u{1b}`.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = None;
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\r' | '\t' => out.push(' '),
            _ if can_manipulate(character)
                && !is_joiner_of_text(before, character, characters.peek().copied()) =>
            {
                out.extend(character.escape_unicode());
            }
            _ => out.push(character),
        }
        before = Some(character);
    }
    out
}

/// Text for a terminal. Escapes everything that could manipulate it, except style sequences of the
/// form `ESC [ … m`.
pub fn screen_text(text: &str) -> Cow<'_, str> {
    shown(text, style_length)
}

/// Text for a page. Escapes everything that could reverse or hide text.
pub fn page_text(text: &str) -> Cow<'_, str> {
    shown(text, |_| None)
}

/// Escapes control characters except line ends, tabs, and sequences for which `allowed` returns a
/// length.
fn shown(text: &str, allowed: fn(&str) -> Option<usize>) -> Cow<'_, str> {
    let is_plain = |character: char| matches!(character, '\n' | '\t') || !can_manipulate(character);
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(character) = rest.chars().next() {
        let is_kept =
            is_plain(character) || is_joiner_of_text(before, character, rest.chars().nth(1));
        let length = allowed(rest).or_else(|| is_kept.then(|| character.len_utf8()));
        before = Some(character);
        match length {
            Some(length) => out.push_str(&rest[..length]),
            None => out.extend(character.escape_unicode()),
        }
        rest = &rest[length.unwrap_or(character.len_utf8())..];
    }
    Cow::Owned(out)
}

/// The length of the style sequence at the start of the text.
fn style_length(text: &str) -> Option<usize> {
    let style = text.strip_prefix("\u{1b}[")?;
    let end = style.find(|character: char| !character.is_ascii_digit() && character != ';')?;
    style[end..]
        .starts_with('m')
        .then_some("\u{1b}[".len() + end + 1)
}

/// Standard output for results: raw bytes for programs, escaped text for a terminal.
#[derive(Debug)]
pub(crate) struct ResultsOut<W = Stdout> {
    out: W,
    is_terminal: bool,
    /// The first bytes of a character that is not complete yet.
    partial: Vec<u8>,
}

impl ResultsOut {
    pub(crate) fn new() -> Self {
        let out = io::stdout();
        Self {
            is_terminal: out.is_terminal(),
            out,
            partial: Vec::new(),
        }
    }
}

/// The number of bytes that form complete characters.
fn complete_length(bytes: &[u8]) -> usize {
    match str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        // Pass invalid UTF-8 on, so that it is shown as such.
        _ => bytes.len(),
    }
}

impl<W: Write> Write for ResultsOut<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.out.write(bytes);
        }
        self.partial.extend_from_slice(bytes);
        let ready: Vec<u8> = self
            .partial
            .drain(..complete_length(&self.partial))
            .collect();
        self.out
            .write_all(page_text(&String::from_utf8_lossy(&ready)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_control_character_is_left_in_any_text(text in "(\\PC|\\x1b\\[?[0-9;]*[a-zA-Z]?|[\u{61c}\u{202a}-\u{202e}\u{80}-\u{9f}\0-\x1f])*") {
            let line = printable(&text);
            let can_manipulate = |it: char| can_manipulate(it) && !matches!(it, '\u{200c}' | '\u{200d}');
            prop_assert!(!line.chars().any(can_manipulate), "{:?}", line);
            prop_assert_eq!(&printable(&line), &line);
            let page = page_text(&text).into_owned();
            prop_assert!(!page.chars().any(|it| can_manipulate(it) && !matches!(it, '\n' | '\t')), "{:?}", page);
            // Screens differ from pages only in their styles.
            let screen = screen_text(&text).into_owned();
            let mut rest = screen.as_str();
            while let Some(escape) = rest.find('\u{1b}') {
                let length = style_length(&rest[escape..]);
                prop_assert!(length.is_some(), "{:?}", screen);
                rest = &rest[escape + length.unwrap_or(1)..];
            }
            prop_assert!(!screen.chars().any(|it| can_manipulate(it) && !matches!(it, '\n' | '\t' | '\u{1b}')), "{:?}", screen);
        }
    }

    #[test]
    fn foreign_text_cannot_control_the_terminal() {
        assert_eq!(
            printable("a\u{1b}[31mb\nc\u{202e}d"),
            "a\\u{1b}[31mb c\\u{202e}d"
        );
        for character in "\0\u{7}\u{8}\u{7f}\u{85}\u{9b}\u{ad}\u{61c}\u{180e}\u{200b}\u{200f}\u{2028}\u{2060}\u{2066}\u{206f}\u{feff}\u{fff9}\u{fffe}\u{1fffe}\u{e0041}".chars() {
            assert!(printable(&character.to_string()).starts_with("\\u{"), "{character:?}");
        }
        let kept = "é漢字🙂 \u{a0}\u{600}\u{fe0f}";
        assert_eq!(printable(kept), kept);
    }

    #[test]
    fn joiners_in_scripts_and_emoji_are_kept() {
        for kept in [
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👩\u{200d}💻",
            "🏳\u{fe0f}\u{200d}🌈",
        ] {
            assert_eq!(printable(kept), kept);
            assert_eq!(page_text(kept), kept);
        }
        for (hidden, seen) in [
            ("pass\u{200d}word", "pass\\u{200d}word"),
            ("é\u{200c}é", "é\\u{200c}é"),
            ("\u{200d}👩", "\\u{200d}👩"),
            ("👩\u{200d}", "👩\\u{200d}"),
            ("م\u{200c}\u{200c}م", "م\\u{200c}\\u{200c}م"),
            ("👩\u{200c}💻", "👩\\u{200c}💻"),
        ] {
            assert_eq!(printable(hidden), seen);
            assert_eq!(page_text(hidden), seen);
        }
    }

    #[test]
    fn screen_keeps_only_its_own_styles() {
        let own = "\u{1b}[1mhead\u{1b}[0m\n\ttext \u{1b}[38;5;9mred\u{1b}[m\n";
        assert_eq!(screen_text(own), own);
        for (foreign, seen) in [
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("\u{1b}[2J\u{1b}[1mx", "\\u{1b}[2J\u{1b}[1mx"),
            ("\u{1b}[", "\\u{1b}["),
            ("\u{1b}[1\u{9b}m", "\\u{1b}[1\\u{9b}m"),
            ("a\rb\u{61c}", "a\\u{d}b\\u{61c}"),
        ] {
            assert_eq!(screen_text(foreign), seen);
        }
    }

    #[test]
    fn results_are_escaped_for_terminals_only() {
        let text = "id,\u{1b}[1mé\u{202e}\n🙂\u{9b}";
        for (is_terminal, wanted) in [(false, text), (true, "id,\\u{1b}[1mé\\u{202e}\n🙂\\u{9b}")]
        {
            let mut out = ResultsOut {
                out: Vec::new(),
                is_terminal,
                partial: Vec::new(),
            };
            text.as_bytes()
                .iter()
                .for_each(|byte| out.write_all(&[*byte]).unwrap());
            assert_eq!(String::from_utf8(out.out).unwrap(), wanted);
        }
    }

    #[test]
    fn multi_byte_characters_are_not_split() {
        assert_eq!(complete_length("aé".as_bytes()), 3);
        assert_eq!(complete_length(&"aé".as_bytes()[..2]), 1);
        assert_eq!(complete_length(b"a\xff"), 2);
    }
}
