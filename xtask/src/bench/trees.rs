//! Expectations in blocks, compared with optimal alignments by other implementations.

use super::job::{Input, Job, Program};
use super::markdown::{number, section, table, times};
use super::record::{Median, Medians};
use crate::alignments::Aligner;

/// Trees of 5 to 15 leaves and runs of 5 to 30 calls.
pub(crate) fn mixed_trees() -> Input {
    Input::cases("trees-mixed", 2_000)
}

/// Inputs with large expectations (many calls or markings), and their names in the table.
pub(crate) fn large_trees() -> [(Input, &'static str); 3] {
    [
        ("trees-parallel-calls", "20 calls in parallel"),
        (
            "trees-parallel-branches",
            "three branches of ten calls in parallel",
        ),
        (
            "trees-sequence",
            "2,000 calls in sequence, beside 2,000 others",
        ),
    ]
    .map(|(workload, what)| (Input::cases(workload, 1), what))
}

/// Our jobs on trees: the nearest run, and the same with its calls made concrete.
pub(crate) const OUR_ALIGNMENTS: &str = "rightcall";
const OUR_RESOLUTIONS: &str = "rightcall, the calls made concrete";
/// The other implementations.
pub(crate) const PM4PY: &str = "pm4py";
pub(crate) const PROCESS_MINING: &str = "process_mining";

/// Our job and others, then only ours on increasing sizes.
pub(super) fn jobs() -> Vec<Job> {
    let resolved = |input: &Input| Job::new(OUR_RESOLUTIONS, input, Program::Bench("resolve"));
    let input = mixed_trees();
    let mut jobs = vec![
        Job::new(OUR_ALIGNMENTS, &input, Program::Bench("align")),
        resolved(&input),
    ];
    for (name, aligner) in [
        (PROCESS_MINING, Aligner::ProcessMining),
        (PM4PY, Aligner::Pm4py),
    ] {
        jobs.push(Job::new(name, &input, Program::Alignments(aligner)));
    }
    jobs.extend(large_trees().iter().map(|(input, _)| resolved(input)));
    jobs
}

/// The section of the page.
pub(super) fn section_of(medians: &Medians) -> String {
    let input = mixed_trees().id();
    let time = |job: &str| medians.get(&input, job).map(Median::cpu_per_case);
    let ours = time(OUR_ALIGNMENTS);
    let rows: Vec<Vec<String>> = jobs()
        .iter()
        .filter(|job| job.input == mixed_trees())
        .filter_map(|Job { name, .. }| {
            let own = time(name)?;
            let ratio = ours
                .filter(|_| name != OUR_ALIGNMENTS)
                .map(|ours| own / ours);
            Some(vec![name.clone(), number(own * 1e6), times(ratio)])
        })
        .collect();
    let growth: Vec<Vec<String>> = large_trees()
        .iter()
        .filter_map(|(input, what)| {
            let own = medians.get(&input.id(), OUR_RESOLUTIONS)?.cpu_per_case();
            Some(vec![(*what).to_owned(), number(own * 1e3)])
        })
        .collect();
    let text = "Trees of 5 to 15 names under all blocks, beside runs of 5 to 30 calls, half of them disturbed: what it takes to find \
the nearest accepted run and its pairs, which is an optimal alignment. Ours takes a little more to make the calls of that run concrete \
and to say what was chosen. The others take the same process trees as Petri nets; trees and nets are made twenty at a time, before \
their time begins. All find the same costs.";
    section(
        "Expectations in blocks",
        text,
        &[
            table(&["", "µs an expectation", "× ours"], &rows),
            table(&["ours, growing", "ms"], &growth),
        ],
    )
}
