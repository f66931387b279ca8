//! Instruction counts by valgrind. Other programs do not affect them, so small changes are visible.

use std::process::Command;

use super::job::{Input, Job, Program, Workshop};
use super::plan::{base, explained};
use crate::process::{failure, output, succeed};

/// Parts of the workloads, small enough for a simulated processor to finish in seconds.
pub(crate) fn jobs() -> Vec<Job> {
    let slices = [
        Input::cases("w1", 1_000),
        Input::cases("w2", 20),
        Input::long("w3", 1, 4_000),
        Input::cases("w4", 50),
        Input::cases("w5", 10),
        Input::long("wl", 1, 1_000),
    ];
    slices
        .iter()
        .flat_map(|input| base(input).into_iter().chain([explained(input)]))
        .collect()
}

/// Checks that valgrind is installed; the error says how to install it.
pub(crate) fn installed() -> Result<(), String> {
    let help = "`apt-get install valgrind`, or your system's package of that name";
    succeed(Command::new("valgrind").arg("--version"))
        .map_err(|_| format!("counting instructions needs valgrind: {help}"))
}

/// The instructions of a job per case, in thousands, including its start.
pub(crate) fn count(workshop: &Workshop, job: &Job) -> Result<f64, String> {
    let file = workshop.path(&job.input);
    let mut command = Command::new("valgrind");
    command.args([
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
    ]);
    match &job.program {
        Program::Rightcall(arguments) => command
            .arg(workshop.rightcall())
            .arg("score")
            .arg(file)
            .args(arguments),
        Program::Bench(name) => command.arg(workshop.bench()).arg(name).arg(file),
        _ => {
            return Err(format!(
                "{}: instructions are counted of our own programs only",
                job.name
            ));
        }
    };
    let output = output(&mut command)?;
    if !output.status.success() {
        return Err(failure(&command, &output));
    }
    let report = String::from_utf8_lossy(&output.stderr);
    let instructions =
        total(&report).ok_or_else(|| format!("valgrind reports no instructions:\n{report}"))?;
    Ok(instructions as f64 / job.input.count() as f64 / 1e3)
}

/// The total in a report; its line is `==PID== I   refs:      1,234,567`.
fn total(report: &str) -> Option<u64> {
    let line = report
        .lines()
        .find(|line| line.contains(" I ") && line.contains("refs:"))?;
    line.rsplit(' ').next()?.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn the_total_is_read_from_the_report() {
        let report = "==7== Cachegrind, a cache profiler\n==7==\n==7== I   refs:      1,234,567\n";
        assert_eq!(total(report), Some(1_234_567));
        assert_eq!(total("==7== nothing"), None);
    }
}
