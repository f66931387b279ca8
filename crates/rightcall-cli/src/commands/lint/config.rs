//! `.rightcall/lint.yaml`: rules that a project ignores.

use std::path::Path;

use rightcall_formats::read_text;
use rightcall_formats::yaml;
use rightcall_quality::LintRule;

use super::parse_rule;
use crate::messages::Trouble;

const FILE: &str = ".rightcall/lint.yaml";

/// The maximum size of the settings file, in bytes.
const MAX_SIZE: usize = 1 << 20;

/// The rules that the project ignores; empty if it has no such file.
pub(super) fn read() -> Result<Vec<&'static LintRule>, Trouble> {
    let path = Path::new(FILE);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = read_text(path, MAX_SIZE)?;
    codes(&text)?
        .iter()
        .map(|(line, code)| {
            parse_rule(code)
                .map_err(|error| Trouble::new(format!("{FILE}:{line}: `{code}`: {error}")))
        })
        .collect()
}

/// The codes under `ignore:`, each with its line.
fn codes(text: &str) -> Result<Vec<(u64, String)>, Trouble> {
    let help = "write `ignore: [CODE, …]`; `rightcall lint --rule` lists the codes";
    let wrong = |line: u64, expected: &str, found: &str| {
        Trouble::with_help(
            format!("{FILE}:{line}: expected {expected}, found {found}"),
            help,
        )
    };
    let (documents, error) = yaml::documents(text);
    if let Some(error) = error {
        return Err(wrong(error.line, error.expected, &error.found));
    }
    let mut codes = Vec::new();
    for document in &documents {
        if document.members().is_empty() {
            return Err(wrong(
                document.line,
                "the key `ignore`",
                &document.describe(),
            ));
        }
        for (key, value) in document.members() {
            if key.name != "ignore" {
                return Err(wrong(
                    key.line,
                    "the key `ignore`",
                    &format!("`{}`", key.name),
                ));
            }
            for item in value.items() {
                match item.text() {
                    Some(code) => codes.push((item.line, code.to_owned())),
                    None => return Err(wrong(item.line, "the code of a rule", &item.describe())),
                }
            }
        }
    }
    Ok(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_with_their_lines() {
        let read = codes("ignore:\n  - duplicate-call\n  - two-truths\n").unwrap();
        assert_eq!(
            read,
            [
                (2, "duplicate-call".to_owned()),
                (3, "two-truths".to_owned())
            ]
        );
        assert_eq!(codes("ignore: two-truths").unwrap().len(), 1);
        for wrong in ["ignored: [a]", "ignore: [1]", "a", "ignore: ["] {
            assert!(codes(wrong).is_err(), "{wrong}");
        }
    }
}
