//! Formats recognized by file name, because their contents look like other texts.

use std::path::Path;

/// True for names such as `cases.yaml` and `cases.yml.gz`.
pub(super) fn is_yaml(path: &Path) -> bool {
    has_ending(path, &["yaml", "yml"])
}

/// True for names such as `log.jsonl` and `log.ndjson.gz`.
pub(super) fn is_lines(path: &Path) -> bool {
    has_ending(path, &["jsonl", "ndjson"])
}

/// The cell separator of a table: a comma for `cases.csv` and `cases.csv.gz`, a tab for `cases.tsv`; `None` for other names.
pub(super) fn separator(path: &Path) -> Option<u8> {
    let separators = [("csv", b','), ("tsv", b'\t')];
    separators
        .into_iter()
        .find_map(|(ending, separator)| has_ending(path, &[ending]).then_some(separator))
}

/// True for a file name with one of these extensions, in any case; `.gz` or `.zst` may follow.
pub fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let has = |path: &Path, endings: &[&str]| {
        path.extension().is_some_and(|found| {
            endings
                .iter()
                .any(|ending| found.eq_ignore_ascii_case(ending))
        })
    };
    let unpacked = if has(path, &["gz", "zst", "zstd"]) {
        path.file_stem().map(Path::new)
    } else {
        Some(path)
    };
    unpacked.is_some_and(|path| has(path, endings))
}
