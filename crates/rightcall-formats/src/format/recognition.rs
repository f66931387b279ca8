//! How a value looks to a format.

/// How a value looks to a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Recognition {
    /// It is one of the format.
    Certain,
    /// Nothing in it decides, and reading it as the format does no harm.
    Possible,
    /// Some marks of the format are there.
    Near {
        /// Which.
        has: Vec<&'static str>,
        /// Which are not.
        lacks: Vec<&'static str>,
    },
    /// Nothing of the format is there.
    No,
}

impl Recognition {
    /// Certain, or nothing of the format at all.
    pub(crate) fn certain_if(is_certain: bool) -> Self {
        if is_certain { Self::Certain } else { Self::No }
    }

    /// Certain where all marks are there.
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
