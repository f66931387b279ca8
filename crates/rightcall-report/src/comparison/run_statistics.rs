//! Statistics of each run by itself.

use rightcall_stats::RunScores;

use super::options::ComparisonOptions;
use super::predictions::prediction_screen;
use super::trials::trials_screen;

/// Statistics of each run by itself: its trials, and how well its scores predict a field.
pub fn run_statistics_screen(runs: &[&RunScores], options: &ComparisonOptions) -> String {
    let trials: Vec<_> = runs
        .iter()
        .filter_map(|run| {
            let found = run.trial_statistics(options.pass_mark())?;
            Some((run.name.clone(), found))
        })
        .collect();
    let mut out = if trials.is_empty() {
        String::new()
    } else {
        trials_screen(&trials, &options.pass_mark_text(), options.listed)
    };
    if let Some(field) = &options.against {
        for run in runs {
            let found = run.predictions(options.settings.confidence);
            out += &prediction_screen(&run.name, field, &found, options.settings);
        }
    }
    out
}
