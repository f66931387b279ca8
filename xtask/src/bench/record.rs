//! Raw results, one file for each part: a part can be measured again, and the page is written from all files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::machine::Machine;
use crate::files::write;

/// One run of one job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    /// The job's name. The same job may run on several inputs.
    pub(crate) job: String,
    /// The input.
    pub(crate) input: String,
    /// The size of the input in bytes.
    pub(crate) bytes: u64,
    /// The number of scored cases.
    pub(crate) cases: u64,
    /// CPU time in seconds: of the whole process, or as a peer reports it, without imports.
    pub(crate) cpu: f64,
    /// Wall time in seconds, measured in the same way.
    pub(crate) wall: f64,
    /// CPU time of the whole process, in seconds.
    pub(crate) process_cpu: f64,
    /// Peak resident memory, in bytes.
    pub(crate) peak: u64,
}

/// All runs of one part, with the machine.
#[derive(Clone, Debug)]
pub(crate) struct PartResults {
    /// The machine that they ran on.
    pub(crate) machine: Machine,
    /// The runs, in job order.
    pub(crate) runs: Vec<Run>,
}

impl PartResults {
    /// Reads the results of a part; `None` if it was never measured.
    pub(crate) fn read(file: &Path) -> Result<Option<Self>, String> {
        let Ok(text) = fs::read_to_string(file) else {
            return Ok(None);
        };
        let fault = |error: serde_json::Error| {
            format!("{}: {error}; measure this part again", file.display())
        };
        let mut lines = text.lines();
        let machine = serde_json::from_str(lines.next().unwrap_or_default()).map_err(fault)?;
        let runs = lines
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()
            .map_err(fault)?;
        Ok(Some(Self { machine, runs }))
    }

    /// Writes the results; the machine comes first.
    pub(crate) fn write(&self, file: &Path) -> Result<(), String> {
        let line = |text: serde_json::Result<String>| {
            text.map(|text| text + "\n")
                .map_err(|error| error.to_string())
        };
        let mut text = line(serde_json::to_string(&self.machine))?;
        for run in &self.runs {
            text += &line(serde_json::to_string(run))?;
        }
        write(file, text)
    }

    /// The minimum number of runs of a job.
    pub(crate) fn repetitions(&self) -> usize {
        self.by_job().values().map(Vec::len).min().unwrap_or(0)
    }

    /// The medians over the runs, for each job and input.
    pub(crate) fn medians(&self) -> Medians {
        Medians(
            self.by_job()
                .into_iter()
                .map(|(key, runs)| (key, Median::of(&runs)))
                .collect(),
        )
    }

    fn by_job(&self) -> BTreeMap<(String, String), Vec<&Run>> {
        let mut by_job: BTreeMap<_, Vec<&Run>> = BTreeMap::new();
        for run in &self.runs {
            by_job
                .entry((run.input.clone(), run.job.clone()))
                .or_default()
                .push(run);
        }
        by_job
    }
}

/// The median of each figure over the runs of one job on one input.
#[derive(Clone, Debug)]
pub(crate) struct Median {
    pub(crate) bytes: u64,
    pub(crate) cases: u64,
    pub(crate) cpu: f64,
    pub(crate) wall: f64,
    pub(crate) process_cpu: f64,
    pub(crate) peak: f64,
}

impl Median {
    fn of(runs: &[&Run]) -> Self {
        let of = |figure: fn(&Run) -> f64| median(runs.iter().map(|run| figure(run)).collect());
        Self {
            bytes: runs[0].bytes,
            cases: runs[0].cases,
            cpu: of(|run| run.cpu),
            wall: of(|run| run.wall),
            process_cpu: of(|run| run.process_cpu),
            peak: of(|run| run.peak as f64),
        }
    }

    /// CPU time per case, in seconds.
    pub(crate) fn cpu_per_case(&self) -> f64 {
        self.cpu / self.cases as f64
    }
}

/// Medians by input and job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Medians(BTreeMap<(String, String), Median>);

impl Medians {
    /// The median of a job on an input.
    pub(crate) fn get(&self, input: &str, job: &str) -> Option<&Median> {
        self.0.get(&(input.to_owned(), job.to_owned()))
    }

    /// Adds the medians of another part.
    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

/// The median of a non-empty list of figures. For an even number, the mean of the two in the middle.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    let (low, high) = (figures[(figures.len() - 1) / 2], figures[figures.len() / 2]);
    f64::midpoint(low, high)
}
