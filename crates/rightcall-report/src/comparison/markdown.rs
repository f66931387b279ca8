//! A comparison as Markdown, for a pull request.

use std::fmt::Write as _;

use rightcall_stats::{ChangeVerdict, MeanChange, MovedCase};

use super::causes::counted_noun;
use super::matrix::Matrix;
use super::pair::changes_shown;
use super::report::ComparisonReport;
use super::words::{
    change_numbers, changes_of, interval_name, needed_told, score_before, size, verdict_words,
};
use crate::gate_words::{failed_gates, gates_verdict};
use crate::markup::{cell, code};
use crate::text::count;

/// Maximum number of cases listed in each direction.
const CASES: usize = 20;

impl ComparisonReport<'_> {
    /// The comparison as Markdown, for a pull request or a job summary.
    pub fn markdown(&self) -> String {
        let (failed, gates) = self.gates_failed();
        let sign = match (gates, failed, self.worst()) {
            _ if self.has_failed_run() => "❌ ",
            (_, 1.., _) | (0, _, Some(ChangeVerdict::Worse)) => "❌ ",
            (1.., 0, _) => "✅ ",
            _ => "",
        };
        let names: Vec<_> = self.runs.iter().map(|run| code(&run.name)).collect();
        let title = match &names[..] {
            [before, after] => format!("{before} against {after}"),
            [first, others @ ..] => format!("{first} against {}", others.join(", ")),
            [] => String::new(),
        };
        let mut out = format!("## {sign}{}rightcall: {title}\n", self.headline());
        failed_gates(&mut out, self.failed_run_gates());
        self.gate_rows(&mut out);
        self.moved_rows(&mut out);
        self.case_rows(&mut out);
        let mut rest = String::new();
        let sizes: Vec<_> = self.runs.iter().map(size).collect();
        if let Some((_, _, comparison)) = self.pair() {
            let shared = count(comparison.shared as u64, "case");
            _ = writeln!(
                rest,
                "\n{shared} in both ({} before, {} after).",
                sizes[0], sizes[1]
            );
            self.changes(&mut rest);
            self.cause_rows(&mut rest);
            for note in &self.notes {
                _ = writeln!(rest, "\n> {}", code(note));
            }
            _ = writeln!(
                out,
                "\n<details><summary>Changes by evaluator</summary>\n{rest}\n</details>"
            );
        } else {
            let shared = count(self.first().shared as u64, "case");
            _ = writeln!(
                out,
                "\n{shared} that all have; the best of each column is bold."
            );
            self.matrix(&mut out);
            self.changes_of_all(&mut out);
            for note in &self.notes {
                _ = writeln!(out, "\n> {}", code(note));
            }
        }
        let about: Vec<_> = self
            .about
            .iter()
            .map(|about| format!(" · {}", code(about)))
            .collect();
        _ = writeln!(
            out,
            "\n<sub>rightcall {}{}</sub>",
            env!("CARGO_PKG_VERSION"),
            about.concat()
        );
        out
    }

    /// The numbers of failed gates and of all gates: the last run's gates and those on changes.
    pub(super) fn gates_failed(&self) -> (usize, usize) {
        let run = self.run_gates.iter().map(|(_, gate)| gate.held);
        let held = run.chain(self.gates.iter().map(|gate| gate.result.held));
        held.fold((0, 0), |(failed, all), held| {
            (failed + usize::from(!held), all + 1)
        })
    }

    /// `2 of 3 gates failed · 3 cases worse than main, 1 better · `; empty for more than two runs.
    fn headline(&self) -> String {
        let (failed, all) = self.gates_failed();
        let gates = gates_verdict(failed, all).map(|verdict| verdict + " · ");
        let gates = gates.unwrap_or_default();
        let Some((before, _, _)) = self.pair() else {
            return gates;
        };
        let [worse, better] = MovedCase::by_direction(self.moved()).map(|it| it.len());
        let worse = match (worse, gates.is_empty()) {
            (0, true) => "No case".to_owned(),
            (0, false) => "no case".to_owned(),
            (worse, _) => count(worse as u64, "case"),
        };
        let before = code(&before.name);
        format!("{gates}{worse} worse than {before}, {better} better · ")
    }

    /// The most important verdict.
    fn worst(&self) -> Option<ChangeVerdict> {
        let changes = self.comparisons.iter().flat_map(|it| &it.measures);
        let verdicts = changes.flat_map(|it| [&it.score, &it.passed]).flatten();
        let mut verdicts = verdicts.map(|it| it.verdict);
        verdicts.find(|it| *it == ChangeVerdict::Worse)
    }

    fn changes(&self, out: &mut String) {
        let interval = interval_name(self.options.settings.confidence);
        _ = writeln!(
            out,
            "\n| evaluator | | cases | before | after | change | {interval} | |\n| --- | --- | ---: | ---: | ---: | ---: | --- | --- |"
        );
        for measure in self.first().rows() {
            for (what, change, is_share) in changes_of(measure) {
                let label = cell(&measure.label);
                _ = writeln!(out, "| {label} | {what} {}", change_cells(change, is_share));
            }
        }
        if let Some(told) = needed_told(self.first(), self.options.settings) {
            _ = writeln!(out, "\n{told}.");
        }
    }

    fn matrix(&self, out: &mut String) {
        let matrix = Matrix::new(
            &self.runs,
            &self.comparisons,
            self.options.settings.confidence,
        );
        let heads: Vec<_> = matrix.columns.iter().map(|it| cell(it)).collect();
        let rules = " ---: |".repeat(heads.len());
        _ = writeln!(out, "\n| | {} |\n| --- |{rules}", heads.join(" | "));
        for row in &matrix.rows {
            let cells = row.cells.iter().map(|it| {
                let mark = if it.is_best { "**" } else { "" };
                format!("{mark}{}{mark}", it.text())
            });
            let cells: Vec<_> = cells.collect();
            _ = writeln!(out, "| {} | {} |", cell(&row.name), cells.join(" | "));
        }
    }

    /// For more than two runs: each one against the first.
    fn changes_of_all(&self, out: &mut String) {
        let interval = interval_name(self.options.settings.confidence);
        _ = writeln!(
            out,
            "\n| against {} | evaluator | cases | before | after | change | {interval} | |\n| --- | --- | ---: | ---: | ---: | ---: | --- | --- |",
            cell(&self.runs[0].name)
        );
        for (run, comparison) in self.runs[1..].iter().zip(&self.comparisons) {
            for measure in &comparison.measures {
                if let Some(change) = &measure.score {
                    let (name, label) = (cell(&run.name), cell(&measure.label));
                    _ = writeln!(out, "| {name} | {label} {}", change_cells(change, false));
                }
            }
        }
    }

    /// The number of cases with each cause.
    fn cause_rows(&self, out: &mut String) {
        let causes = self.causes();
        if causes.is_empty() {
            return;
        }
        let counted = counted_noun([&self.runs[0], &self.runs[1]]);
        _ = writeln!(
            out,
            "\n| {counted} with the cause | before | after |\n| --- | ---: | ---: |"
        );
        let listed = self.options.listed.or(CASES);
        for it in causes.iter().take(listed) {
            _ = writeln!(
                out,
                "| {} | {} | {} |",
                cell(&it.cause),
                it.before,
                it.after
            );
        }
        if let Some(more) = causes.len().checked_sub(listed).filter(|it| *it > 0) {
            _ = writeln!(out, "\n… and {more} more");
        }
    }

    /// All cases of a suite with several runs.
    fn case_rows(&self, out: &mut String) {
        let cases = self.cases_in_runs();
        if cases.is_empty() {
            return;
        }
        let names: Vec<_> = self.own.iter().map(|run| cell(&run.scores.name)).collect();
        let all = count(cases.len() as u64, "case");
        _ = writeln!(out, "\n<details><summary>{all} of all runs</summary>");
        let rules = " ---: |".repeat(names.len());
        _ = writeln!(out, "\n| case | {} |\n| --- |{rules}", names.join(" | "));
        let listed = self.options.listed.or(CASES);
        for case in cases.iter().take(listed) {
            let cells = case.cells.iter().map(|it| match it {
                Some(it) if it.has_failed() => format!("❌ {}", it.text()),
                Some(it) => it.text(),
                None => "not in this run".to_owned(),
            });
            let cells: Vec<_> = cells.collect();
            _ = writeln!(out, "| {} | {} |", cell(case.key), cells.join(" | "));
        }
        if let Some(more) = cases.len().checked_sub(listed).filter(|it| *it > 0) {
            _ = writeln!(out, "\n… and {more} more");
        }
        out.push_str("\n</details>\n");
    }

    fn gate_rows(&self, out: &mut String) {
        let gates = self.all_gates();
        if gates.is_empty() {
            return;
        }
        out.push_str("\n| gate | found | |\n| --- | ---: | --- |\n");
        for (label, found, held) in gates {
            let verdict = if held { "✅ holds" } else { "❌ failed" };
            _ = writeln!(out, "| {} | {found} | {verdict} |", cell(&label));
        }
    }

    fn moved_rows(&self, out: &mut String) {
        let listed = self.options.listed.or(CASES);
        for (what, cases) in self.moved_by_direction() {
            let number = count(cases.len() as u64, "case");
            let is_open = what == "worse";
            let title = format!("{number} that got {what}");
            _ = if is_open {
                writeln!(out, "\n{title}:")
            } else {
                writeln!(out, "\n<details><summary>{title}</summary>")
            };
            _ = writeln!(
                out,
                "\n| case | before | after | what changed |\n| --- | ---: | ---: | --- |"
            );
            for case in cases.iter().take(listed) {
                let changes = self.changes_of(case);
                let (shown, more) = changes_shown(&changes, self.options.listed);
                let told: Vec<_> = shown.iter().map(|it| cell(it)).chain(more).collect();
                let told = told.join("<br>");
                let (was, is) = (score_before(case), case.after);
                _ = writeln!(out, "| {} | {was} | {is:.3} | {told} |", cell(&case.key));
            }
            if let Some(more) = cases.len().checked_sub(listed).filter(|it| *it > 0) {
                _ = writeln!(out, "\n… and {more} more");
            }
            if !is_open {
                out.push_str("\n</details>\n");
            }
        }
    }
}

fn change_cells(change: &MeanChange, is_share: bool) -> String {
    let numbers = change_numbers(change, is_share);
    let (_, verdict) = verdict_words(change, false);
    format!(
        "| {} | {} | {} | {} | {} | {verdict} |",
        change.cases, numbers.before, numbers.after, numbers.change, numbers.interval
    )
}
