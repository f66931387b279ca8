//! Writes `docs/performance.md` from the raw results alone: the same results produce the same page.

use super::comparisons::{
    NPM_PACKAGE, SPARK_PART, long, npm_package, objects, packages, sizes, spark, start, texts,
};
use super::goals::{Bound, GOALS, Unit, Verdict};
use super::machine::Machine;
use super::markdown::{number, section, table};
use super::plan::BY_THE_CLOCK;
use super::record::{Medians, PartResults};
use super::trees;

const METHOD: &str = include_str!("../../bench/method.md");

/// The page for the results of some parts.
///
/// # Errors
/// The parts were measured on different machines or with different versions.
pub(crate) fn page(results: &[(&'static str, PartResults)]) -> Result<String, String> {
    let mut medians = Medians::default();
    // These parts are compared internally, and use the input of another part.
    let others = results
        .iter()
        .filter(|(name, _)| ![NPM_PACKAGE, SPARK_PART].contains(name));
    others.for_each(|(_, results)| medians.extend(results.medians()));
    let load = results
        .iter()
        .find(|(name, _)| *name == BY_THE_CLOCK)
        .map(|(_, results)| results.machine.load);
    let sections = [
        METHOD.trim_end().to_owned(),
        machine(results)?,
        goals_section(&medians, load),
        packages(&medians),
        texts(&medians),
        trees::section_of(&medians),
        long(&medians),
        sizes(&medians),
        objects(&medians),
        start(&medians),
        npm_package(results),
        spark(results),
    ];
    let sections: Vec<&str> = sections
        .iter()
        .map(String::as_str)
        .filter(|section| !section.is_empty())
        .collect();
    Ok(sections.join("\n\n") + "\n")
}

fn machine(results: &[(&'static str, PartResults)]) -> Result<String, String> {
    let Some((_, first)) = results.first() else {
        return Ok(String::new());
    };
    let same = |one: &Machine, other: &Machine| {
        (&one.processor, one.cores, one.memory, &one.system)
            == (&other.processor, other.cores, other.memory, &other.system)
    };
    let mut versions: Vec<&(String, String)> = Vec::new();
    for (name, results) in results {
        let machine = &results.machine;
        let differs = |(program, version): &&(String, String)| {
            versions
                .iter()
                .any(|(known, other)| known == program && other != version)
        };
        if !same(&first.machine, machine)
            || machine.versions.iter().any(|version| differs(&version))
        {
            return Err(format!(
                "part {name} was measured on another machine or with other versions: measure it again"
            ));
        }
        versions.extend(
            machine
                .versions
                .iter()
                .filter(|version| !versions.contains(version))
                .collect::<Vec<_>>(),
        );
    }
    let Machine {
        processor,
        cores,
        memory,
        system,
        ..
    } = &first.machine;
    let mut dates: Vec<&str> = results
        .iter()
        .map(|(_, results)| results.machine.date.as_str())
        .collect();
    dates.sort_unstable();
    dates.dedup();
    let loads = results.iter().map(|(_, results)| results.machine.load);
    let versions: Vec<String> = versions
        .iter()
        .map(|(program, version)| format!("{program} {version}"))
        .collect();
    let repetitions = results
        .iter()
        .map(|(_, results)| results.repetitions())
        .min()
        .unwrap_or(0);
    Ok(format!(
        "Measured {}: {processor}, {cores} cores, {memory} GiB, {system}. {}. Runs of each job: {repetitions}. Processes that \
wanted to run when a part began: at most {:.1}.",
        dates.join(" and "),
        versions.join(", "),
        loads.fold(0.0, f64::max),
    ))
}

fn goals_section(medians: &Medians, load: Option<f64>) -> String {
    let (mut held, mut missed) = (0, 0);
    let rows = GOALS.each_ref().map(|goal| {
        let measured = goal.measured(medians);
        let verdict = match goal.verdict(measured, load) {
            Verdict::Held => {
                held += 1;
                "held"
            }
            Verdict::Missed => {
                missed += 1;
                "**missed**"
            }
            Verdict::NotMeasured => "not measured",
            Verdict::NotJudged => "not judged: the machine was busy",
        };
        let figure = measured.map(|figure| in_unit(figure, goal.unit));
        vec![
            goal.what.to_owned(),
            figure.unwrap_or_default(),
            bound_text(goal.must, goal.unit),
            verdict.to_owned(),
        ]
    });
    let text = format!(
        "{held} held, {missed} missed. *Four scores* and *the bare parse* are explained above."
    );
    section(
        "Goals",
        &text,
        &[table(&["goal", "measured", "must", ""], &rows)],
    )
}

fn in_unit(figure: f64, unit: Unit) -> String {
    match unit {
        Unit::Times => number(figure) + "×",
        Unit::Share => format!("{figure:.2}"),
        Unit::Megabytes => format!("{:.1} MB", figure / 1e6),
        Unit::Bytes => format!("{figure:.1} bytes"),
        Unit::Milliseconds => format!("{:.1} ms", figure * 1e3),
    }
}

fn bound_text(bound: Bound, unit: Unit) -> String {
    match bound {
        Bound::AtLeast(figure) => format!("≥ {}", in_unit(figure, unit)),
        Bound::AtMost(figure) => format!("≤ {}", in_unit(figure, unit)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::{OURS, PARSE};
    use super::super::record::Run;
    use super::*;

    fn run(job: &str, cases: u64, cpu: f64) -> Run {
        Run {
            job: job.to_owned(),
            input: "w1".to_owned(),
            bytes: 200_000_000,
            cases,
            cpu,
            wall: cpu,
            process_cpu: cpu,
            peak: 6_400_000,
        }
    }

    fn results(processor: &str, runs: &[Run]) -> PartResults {
        let machine = Machine {
            processor: processor.to_owned(),
            cores: 2,
            memory: 8,
            system: "linux".to_owned(),
            date: "2026-01-02".to_owned(),
            load: 0.0,
            versions: vec![("rustc".to_owned(), "1.2.3".to_owned())],
        };
        PartResults {
            machine,
            runs: runs.to_vec(),
        }
    }

    #[test]
    fn figures_are_medians_and_ratios_are_of_cases() {
        let runs = [
            run(OURS, 100_000, 1.0),
            run(PARSE, 100_000, 2.0),
            run("uipath-order", 20_000, 4.0),
            run(OURS, 100_000, 9.0),
            run(OURS, 100_000, 0.9),
        ];
        let page = page(&[("w1", results("one", &runs))]).unwrap();
        for line in [
            "| W1: four scores / the bare parse | 0.50 | ≤ 1.00 | held |",
            "| W2: four scores / the bare parse |  | ≤ 0.90 | not measured |",
            "| uipath-order | 6.40 | 200 | 20.0× |  |  |  |  |",
        ] {
            assert!(page.lines().any(|found| found == line), "{line}\n{page}");
        }
    }

    #[test]
    fn figures_of_two_machines_are_not_put_on_one_page() {
        let of = |processor| results(processor, &[run(OURS, 1, 1.0)]);
        assert!(page(&[("w1", of("one")), ("w2", of("one"))]).is_ok());
        assert!(
            page(&[("w1", of("one")), ("w2", of("other"))])
                .unwrap_err()
                .contains("w2")
        );
    }
}
