//! `--fix`: applies the fixes of findings. Each file is replaced as a whole.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rightcall_quality::{Finding, fixed};
use rightcall_run::OutputFile;

use super::read::ReadRecord;
use crate::messages::{Trouble, note, warning};

/// Applies the fixes of the findings, and removes the fixed findings from the list.
pub(super) fn fix(records: &[ReadRecord], findings: &mut Vec<Finding>) -> Result<(), Trouble> {
    let mut files: Vec<&PathBuf> = records.iter().map(|it| &it.file).collect();
    files.dedup();
    for file in files {
        let records = records.iter().filter(|it| it.file == *file);
        let mut changes = Vec::new();
        for record in records {
            let of_record = |it: &&Finding| {
                it.fix.is_some()
                    && it.record_line == record.line
                    && Path::new(&*it.place.file) == file
            };
            let with_fix: Vec<_> = findings.iter().filter(of_record).collect();
            if let Some(text) = fixed(&record.text, &with_fix) {
                changes.push((record, text, with_fix.len()));
            }
        }
        if changes.is_empty() {
            continue;
        }
        match rewritten(file, &changes)? {
            Some(bytes) => {
                let mut output = OutputFile::replacing(file)?;
                output.write_all(&bytes)?;
                output.commit()?;
                let number: usize = changes.iter().map(|(_, _, number)| number).sum();
                note(&format!("{}: {number} fixed", file.display()));
                findings.retain(|it| it.fix.is_none() || Path::new(&*it.place.file) != file);
            }
            None => warning(
                &format!(
                    "{}: not fixed, as its records are not in the file as they are read",
                    file.display()
                ),
                Some("`rightcall convert` writes JSON Lines, which can be fixed"),
            ),
        }
    }
    Ok(())
}

/// The contents of the file with changed records. `None` if the file does not contain them byte for byte, as in YAML or a compressed file.
fn rewritten(
    file: &Path,
    changes: &[(&ReadRecord, String, usize)],
) -> Result<Option<Vec<u8>>, Trouble> {
    let bytes = fs::read(file)?;
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for (record, text, _) in changes {
        let start = record.offset as usize;
        let end = start + record.text.len();
        let (Some(kept), Some(there)) = (bytes.get(at..start), bytes.get(start..end)) else {
            return Ok(None);
        };
        if there != record.text.as_bytes() {
            return Ok(None);
        }
        out.extend_from_slice(kept);
        out.extend_from_slice(text.as_bytes());
        at = end;
    }
    out.extend_from_slice(&bytes[at..]);
    Ok(Some(out))
}
