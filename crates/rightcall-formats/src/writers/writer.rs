//! A writer for a format, and the frame of its files.

use rightcall_core::call::Case;

use super::lacks::Lack;

/// A format that cases are written in.
pub struct Writer {
    /// The name of the format, also used for reading it.
    pub name: &'static str,
    /// The written data, in a few words.
    pub summary: &'static str,
    /// The requirements for a case to be written in the format, in a few words; other cases are left out.
    pub needs: &'static str,
    /// Parts that the format cannot hold.
    pub lacks: &'static [Lack],
    /// The text around the cases.
    pub(super) frame: Frame,
    /// The text of a case, on one line and without a line end; `None` if the format cannot hold the case.
    pub(super) write: fn(&Case<'_>) -> Option<WrittenCase>,
}

/// The text around the cases of a file.
pub(super) struct Frame {
    /// Before the first case.
    pub(super) opening: &'static str,
    /// Between two cases.
    pub(super) between: &'static str,
    /// After the last case, and before the shared parts.
    pub(super) shared: &'static str,
    /// At the end.
    pub(super) closing: &'static str,
}

impl Frame {
    /// One case a line.
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
    /// A part written once for all cases with this key: its key and its text.
    pub(super) shared: Option<(String, String)>,
}

impl From<String> for WrittenCase {
    fn from(text: String) -> Self {
        Self { text, shared: None }
    }
}

impl Writer {
    /// The case in this format; `None` if it lacks a part that the format [needs](Self::needs).
    pub fn write(&self, case: &Case<'_>) -> Option<WrittenCase> {
        (self.write)(case)
    }

    /// The number of lost parts of a case, by lack.
    pub fn lost<'w>(&'w self, case: &'w Case<'_>) -> impl Iterator<Item = u64> + 'w {
        self.lacks.iter().map(|lack| lack.count(case))
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
