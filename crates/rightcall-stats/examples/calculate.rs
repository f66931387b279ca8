//! Computes the statistic on each line of standard input: `mcnemar 5 15`, `holm 0.01 0.04`, `auc 0.1 0.9 | 0 1`. The check
//! against other packages uses it.

use std::io::{self, BufRead, Write};

use rightcall_stats::{
    TrialCounts, auc, cases_needed, holm, kappa, kendall, mcnemar, mean_interval, pass_at,
    pass_hat, pearson, sign_flip, spearman, standardised,
};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (name, numbers) = line.split_once(' ').unwrap_or((&line, ""));
        let numbers: Vec<Vec<f64>> = numbers
            .split('|')
            .map(|list| {
                list.split_whitespace()
                    .filter_map(|it| it.parse().ok())
                    .collect()
            })
            .collect();
        let found: Vec<String> = calculate(name, &numbers)
            .iter()
            .map(f64::to_string)
            .collect();
        writeln!(out, "{}", found.join(" "))?;
    }
    Ok(())
}

fn calculate(name: &str, numbers: &[Vec<f64>]) -> Vec<f64> {
    let first = &numbers[0];
    let two = |of: fn(&[f64], &[f64]) -> Option<f64>| of(first, &numbers[1]).into_iter().collect();
    let whole = |at: usize| first[at] as u64;
    let trials = || TrialCounts {
        trials: whole(1),
        passed: whole(2),
    };
    match name {
        "mcnemar" => vec![mcnemar(whole(0), whole(1))],
        "sign_flip" => vec![sign_flip(first)],
        "holm" => holm(first),
        "standardised" => standardised(first).into_iter().collect(),
        "interval" => mean_interval(first, 0.95)
            .map(|it| vec![it.estimate, it.low, it.high])
            .unwrap_or_default(),
        "auc" => two(|scores, positive| auc(scores, &yes(positive))),
        "pearson" => two(pearson),
        "spearman" => two(spearman),
        "kendall" => two(kendall),
        "kappa" => two(|one, other| kappa(&yes(one), &yes(other))),
        "pass_at" => pass_at(whole(0), trials()).into_iter().collect(),
        "pass_hat" => pass_hat(whole(0), trials()).into_iter().collect(),
        "cases_needed" => cases_needed(first[0], first[1], 0.05, 0.8)
            .into_iter()
            .map(|it| it as f64)
            .collect(),
        _ => Vec::new(),
    }
}

/// Which of these numbers are 1.
fn yes(numbers: &[f64]) -> Vec<bool> {
    numbers.iter().map(|it| *it == 1.0).collect()
}
