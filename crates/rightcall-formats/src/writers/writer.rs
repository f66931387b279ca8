//! What writes cases in a format, and the file that they are written to.

use rightcall::call::Case;

use super::lacks::Lack;

/// A format that cases are written in.
pub struct Writer {
    /// The name of the format, under which it is read too.
    pub name: &'static str,
    /// What is written, in a few words.
    pub summary: &'static str,
    /// What a case must have to have a place in the format, in a few words; the others are left out.
    pub needs: &'static str,
    /// What the format has no place for.
    pub lacks: &'static [Lack],
    /// What stands around cases.
    pub(super) frame: Frame,
    /// The text of a case, on one line and without its end; `None` for one that the format has no place for.
    pub(super) write: fn(&Case<'_>) -> Option<WrittenCase>,
}

/// What stands around the cases of a file.
pub(super) struct Frame {
    /// Before the first case.
    pub(super) opening: &'static str,
    /// Between two cases.
    pub(super) between: &'static str,
    /// Behind the last case, and before what cases share.
    pub(super) shared: &'static str,
    /// At the end.
    pub(super) closing: &'static str,
}

impl Frame {
    /// A case a line.
    pub(super) const LINES: Self = Self {
        opening: "",
        between: "\n",
        shared: "",
        closing: "\n",
    };
}

/// The text of a case in another format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenCase {
    pub(super) text: String,
    /// What stands once in a file for all cases with this key: its key and its text.
    pub(super) shared: Option<(String, String)>,
}

impl From<String> for WrittenCase {
    fn from(text: String) -> Self {
        Self { text, shared: None }
    }
}

impl Writer {
    /// The case in this format; `None` for one without what the format [needs](Self::needs).
    pub fn write(&self, case: &Case<'_>) -> Option<WrittenCase> {
        (self.write)(case)
    }

    /// How much of a case the format has no place for, by lack.
    pub fn lost<'w>(&'w self, case: &'w Case<'_>) -> impl Iterator<Item = u64> + 'w {
        self.lacks.iter().map(|lack| lack.count(case))
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
