//! How likely a value is in a format.

/// How likely a value is in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Recognition {
    /// It is in the format.
    Certain,
    /// The value is ambiguous, and reading it in this format does no harm.
    Possible,
    /// Some marks of the format are present.
    Near {
        /// The marks present.
        has: Vec<&'static str>,
        /// The missing marks.
        lacks: Vec<&'static str>,
    },
    /// No mark of the format is present.
    No,
}

impl Recognition {
    /// `Certain` or `No`.
    pub(crate) fn certain_if(is_certain: bool) -> Self {
        if is_certain { Self::Certain } else { Self::No }
    }

    /// `Certain` if all marks are present.
    pub(crate) fn by_marks(marks: &[(&'static str, bool)]) -> Self {
        let those = |wanted: bool| {
            marks
                .iter()
                .filter(|(_, is_there)| *is_there == wanted)
                .map(|(mark, _)| *mark)
                .collect::<Vec<_>>()
        };
        match (those(true), those(false)) {
            (_, lacks) if lacks.is_empty() => Self::Certain,
            (has, _) if has.is_empty() => Self::No,
            (has, lacks) => Self::Near { has, lacks },
        }
    }
}
