//! Cells of CSV, for programs or safe for spreadsheets.

use std::borrow::Cow;

/// How to write the cells of CSV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cells {
    /// Unchanged, for programs.
    #[default]
    Exact,
    /// With `'` before text that a spreadsheet would take for a formula. Numbers are never prefixed.
    Safe,
}

impl Cells {
    /// The cell to write.
    pub fn cell(self, text: &str) -> Cow<'_, str> {
        // A spreadsheet set to Japanese accepts full-width signs at the start of a formula.
        let is_formula =
            text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
        if self == Self::Safe && is_formula && text.parse::<f64>().is_err() {
            Cow::Owned(format!("'{text}"))
        } else {
            Cow::Borrowed(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_defused_and_numbers_are_not() {
        for formula in [
            "=1+1",
            "+1+1",
            "-cmd|' /C calc'!A0",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "=",
            "＝1",
            "-",
        ] {
            assert_eq!(Cells::Safe.cell(formula), format!("'{formula}"));
            assert_eq!(Cells::Exact.cell(formula), formula);
        }
        for harmless in ["", "a=1", "-1", "-0.5e-7", "'=1", " =1"] {
            assert_eq!(Cells::Safe.cell(harmless), harmless);
        }
    }
}
