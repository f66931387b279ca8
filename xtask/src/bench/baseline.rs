//! The committed figures that new ones are compared with: ratios to the bare parse, and instruction counts. Unlike times, both are
//! comparable across machines.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files::{read_json, write};

/// Figures by kind and name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Baseline {
    /// CPU time as a multiple of that of the bare parse.
    #[serde(default)]
    pub(crate) ratios: BTreeMap<String, f64>,
    /// Instructions per case, in thousands.
    #[serde(default)]
    pub(crate) instructions: BTreeMap<String, f64>,
}

impl Baseline {
    /// Reads the file; empty if it does not exist.
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        if file.exists() {
            read_json(file)
        } else {
            Ok(Self::default())
        }
    }

    /// Updates the measured figures and keeps the rest.
    pub(crate) fn save(mut self, measured: Self, file: &Path) -> Result<(), String> {
        let rounded = |(name, figure): (String, f64)| (name, (figure * 1e3).round() / 1e3);
        self.ratios.extend(measured.ratios.into_iter().map(rounded));
        self.instructions
            .extend(measured.instructions.into_iter().map(rounded));
        let text = serde_json::to_string_pretty(&self).map_err(|error| error.to_string())?;
        write(file, text + "\n")
    }
}

/// Differences in times up to this share are noise.
pub(crate) const TIME_NOISE: f64 = 0.1;
/// The same for instruction counts, which vary because each process uses new hash keys.
pub(crate) const COUNT_NOISE: f64 = 0.01;

/// A table of figures next to the baseline's, and the changes larger than `noise`.
pub(crate) fn compare(
    what: &str,
    known: &BTreeMap<String, f64>,
    measured: &BTreeMap<String, f64>,
    noise: f64,
) -> String {
    let mut text = format!(
        "{what:<40} {:>12} {:>12} {:>8}\n",
        "baseline", "now", "change"
    );
    for (name, now) in measured {
        let row = match known.get(name) {
            None => format!("{name:<40} {:>12} {now:>12.3} {:>8}  new", "", ""),
            Some(before) => {
                let change = now / before - 1.0;
                let verdict = match change {
                    more if more > noise => "  worse",
                    less if less < -noise => "  better",
                    _ => "",
                };
                format!(
                    "{name:<40} {before:>12.3} {now:>12.3} {:>7.1}%{verdict}",
                    change * 100.0
                )
            }
        };
        text += row.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(of: &[(&str, f64)]) -> BTreeMap<String, f64> {
        of.iter()
            .map(|(name, figure)| ((*name).to_owned(), *figure))
            .collect()
    }

    #[test]
    fn only_what_exceeds_the_noise_is_worse_or_better() {
        let known = figures(&[("a", 1.0), ("b", 1.0), ("c", 1.0), ("unmeasured", 1.0)]);
        let measured = figures(&[("a", 1.2), ("b", 0.8), ("c", 1.05), ("d", 2.0)]);
        let table = compare("ratio", &known, &measured, TIME_NOISE);
        let endings: Vec<&str> = table
            .lines()
            .skip(1)
            .map(|line| line.rsplit("  ").next().unwrap_or_default().trim())
            .collect();
        assert_eq!(endings, ["worse", "better", "5.0%", "new"], "{table}");
    }

    #[test]
    fn saving_keeps_what_was_not_measured() {
        let file =
            std::env::temp_dir().join(format!("rightcall-baseline-{}.json", std::process::id()));
        let known = Baseline {
            ratios: figures(&[("a", 1.0), ("b", 2.0)]),
            instructions: figures(&[("a", 3.0)]),
        };
        known
            .save(
                Baseline {
                    ratios: figures(&[("a", 0.123_456)]),
                    ..Baseline::default()
                },
                &file,
            )
            .unwrap();
        let read = Baseline::read(&file);
        crate::files::remove(&file).unwrap();
        let wanted = Baseline {
            ratios: figures(&[("a", 0.123), ("b", 2.0)]),
            instructions: figures(&[("a", 3.0)]),
        };
        assert_eq!(read, Ok(wanted));
    }
}
