//! Compares two files of runs without expectations: shows calls that only one of them has.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rightcall_core::call::{Call, Case, Trajectory};
use rightcall_core::value::{ValueEquality, on_one_line};
use rightcall_core::{Ask, Difference, Evaluator};
use rightcall_formats::{ReadOptions, case_text, read_case};
use rightcall_results::{ToolSums, tools_of};
use serde::Serialize;

use crate::list_length::ListLength;
use crate::text::{
    FAINT, HEAD, and_more, count, cut_end, cut_middle, left, paint, paragraph, printable, right,
    screen_columns, widest, wrap,
};
use crate::tools::{ToolCounts, Tools};

/// The runs of a file, sorted by key.
#[derive(Debug, Default)]
pub struct FileCalls {
    /// The file.
    pub name: String,
    /// Each run as the JSON text of a case.
    runs: BTreeMap<String, String>,
}

impl FileCalls {
    /// An empty list of runs.
    pub fn new(name: String) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// Adds a run under a key. A repeated key is ignored.
    pub fn add(&mut self, key: String, case: &Case<'_>) {
        self.runs.entry(key).or_insert_with(|| case_text(case));
    }
}

/// A comparison of the calls in two files, run by run.
#[derive(Debug, Serialize)]
pub struct CallComparison {
    before: String,
    after: String,
    /// Number of runs in each file, and in both.
    runs: [usize; 3],
    /// The runs with different calls.
    different: Vec<DifferentRun>,
    only_before: Vec<String>,
    only_after: Vec<String>,
    tools: Vec<ToolChange>,
}

/// A run with different calls.
#[derive(Debug, Serialize)]
struct DifferentRun {
    run: String,
    /// The position of the first call that differs, from 1.
    call: usize,
    /// The difference as text.
    difference: String,
}

/// A tool in both files.
#[derive(Debug, Serialize)]
struct ToolChange {
    tool: String,
    before: u64,
    after: u64,
    same: u64,
    other_arguments: u64,
    only_before: u64,
    only_after: u64,
}

impl ToolChange {
    fn new(tool: &ToolCounts) -> Self {
        Self {
            tool: tool.name.clone(),
            before: tool.expected,
            after: tool.called,
            same: tool.right.unwrap_or_default(),
            other_arguments: tool.other_arguments.unwrap_or_default(),
            only_before: tool.missed,
            only_after: tool.extra,
        }
    }

    fn numbers(&self) -> [u64; 6] {
        [
            self.before,
            self.after,
            self.same,
            self.other_arguments,
            self.only_before,
            self.only_after,
        ]
    }
}

/// The column heads of the table of tools.
const LONG_HEADS: [&str; 6] = [
    "before",
    "after",
    "same",
    "other arguments",
    "only before",
    "only after",
];

/// The column heads on a narrow screen, and their legend.
const SHORT_HEADS: [&str; 6] = ["before", "after", "same", "other", "gone", "new"];
const SHORT_LEGEND: &str = "other: with other arguments; gone: called only before; new: only after";

/// Minimum width of a tool's name, in columns.
const TOOL: usize = 20;

/// Maximum number of runs and tools to list.
const SHOWN: usize = 20;

impl CallComparison {
    /// Compares the runs that both files have; `None` if they share none.
    pub fn new(before: &FileCalls, after: &FileCalls) -> Option<Self> {
        let (mut different, mut sums, mut shared) = (Vec::new(), ToolSums::default(), 0);
        for (key, text) in &before.runs {
            let Some(other) = after.runs.get(key) else {
                continue;
            };
            shared += 1;
            let [was, is] = [text, other].map(|text| read_case(text, &ReadOptions::default()));
            let (was, is) = (was.unwrap_or_default(), is.unwrap_or_default());
            let (was, is) = (calls_of(&was), calls_of(&is));
            // Treat the calls of the first run as expected, and the calls of the second as actual.
            sums.add(&tools_of(&pair_of(was, is)), usize::MAX);
            if let Some((call, difference)) = first_difference(was, is) {
                different.push(DifferentRun {
                    run: key.clone(),
                    call: call + 1,
                    difference,
                });
            }
        }
        let alone = |one: &FileCalls, other: &FileCalls| -> Vec<String> {
            let keys = one.runs.keys().filter(|key| !other.runs.contains_key(*key));
            keys.cloned().collect()
        };
        (shared > 0).then(|| Self {
            before: before.name.clone(),
            after: after.name.clone(),
            runs: [before.runs.len(), after.runs.len(), shared],
            different,
            only_before: alone(before, after),
            only_after: alone(after, before),
            tools: Tools::new(&sums.finish())
                .counts()
                .iter()
                .map(ToolChange::new)
                .collect(),
        })
    }

    /// The comparison as a JSON object.
    #[expect(clippy::missing_panics_doc, reason = "all of it can be written")]
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("it is made of texts and numbers")
    }

    /// The comparison for a terminal.
    pub fn screen(&self, listed: ListLength) -> String {
        let [before, after, shared] = self.runs.map(|runs| count(runs as u64, "run"));
        let name = |name: &str| cut_end(name, screen_columns() / 2 - 12);
        let title = format!(
            "{} ({before}) against {} ({after})",
            name(&self.before),
            name(&self.after)
        );
        let mut out = wrap(&title, screen_columns()).join("\n") + "\n";
        let why =
            "No run has an expectation, so the calls are compared; -e EVALUATOR compares scores.";
        out += &paragraph(why, 0, FAINT);
        for (keys, side) in [(&self.only_before, "before"), (&self.only_after, "after")] {
            if !keys.is_empty() {
                let keys: Vec<_> = keys.iter().map(|key| printable(key)).collect();
                let named = super::trials::listed(&keys[..keys.len().min(5)], keys.len());
                let runs = count(keys.len() as u64, "run");
                _ = writeln!(out, "{runs} only {side}{named}");
            }
        }
        let title = match self.different.len() {
            0 => format!("the calls of {shared} in both files are the same"),
            1 => format!("the calls of 1 run differ, of {shared} in both files"),
            runs => format!("the calls of {runs} runs differ, of {shared} in both files"),
        };
        _ = writeln!(out, "\n  {}", paint(HEAD, &title));
        let shown = listed.or(SHOWN);
        let names = self.different.iter().take(shown);
        let names: Vec<_> = names
            .map(|it| cut_end(&it.run, screen_columns() / 3))
            .collect();
        let columns = widest(&names);
        for (run, name) in self.different.iter().zip(&names) {
            let room = screen_columns().saturating_sub(columns + 8);
            let text = format!("call {}: {}", run.call, run.difference);
            _ = writeln!(
                out,
                "    {}    {}",
                left(name, columns),
                cut_end(&text, room)
            );
        }
        and_more(&mut out, (self.different.len() - names.len()) as u64);
        self.tool_table(&mut out, listed.or(SHOWN));
        out
    }

    fn tool_table(&self, out: &mut String, listed: usize) {
        let shown = &self.tools[..self.tools.len().min(listed)];
        let numbers = |heads: [&str; 6]| heads.iter().map(|it| it.len() + 2).sum::<usize>();
        let is_narrow = screen_columns() < numbers(LONG_HEADS) + TOOL + 2;
        let heads_of_screen = if is_narrow { SHORT_HEADS } else { LONG_HEADS };
        let room = screen_columns() - numbers(heads_of_screen) - 2;
        let names: Vec<_> = shown
            .iter()
            .map(|it| cut_middle(&printable(&it.tool), room))
            .collect();
        let columns = widest(&names).max(4);
        let heads = heads_of_screen.map(|head| format!("  {}", right(head, head.len())));
        let head = format!("  {}{}", left("tool", columns), heads.concat());
        _ = writeln!(out, "\n{}", paint(FAINT, &head));
        for (tool, name) in shown.iter().zip(&names) {
            let cells = tool.numbers().into_iter().zip(heads_of_screen);
            let cells = cells.map(|(number, head)| {
                let number = match number {
                    0 => "–".to_owned(),
                    number => number.to_string(),
                };
                format!("  {}", right(&number, head.len()))
            });
            let cells: Vec<_> = cells.collect();
            _ = writeln!(out, "  {}{}", left(name, columns), cells.concat());
        }
        and_more(out, (self.tools.len() - shown.len()) as u64);
        if is_narrow {
            *out += &paragraph(SHORT_LEGEND, 2, FAINT);
        }
    }
}

fn calls_of<'c, 'a>(case: &'c Case<'a>) -> &'c [Call<'a>] {
    case.actual.as_ref().map_or(&[], |run| &run.calls)
}

fn pair_of<'a>(before: &[Call<'a>], after: &[Call<'a>]) -> Case<'a> {
    let mut case = Case::default();
    case.expected.calls = Some(before.to_vec());
    case.actual = Some(Trajectory {
        calls: after.to_vec(),
        ..Trajectory::default()
    });
    case
}

/// The index of the first call that differs, and the difference as text.
fn first_difference(before: &[Call<'_>], after: &[Call<'_>]) -> Option<(usize, String)> {
    let all = before.len().max(after.len());
    let pairs = (0..all).map(|at| (at, before.get(at), after.get(at)));
    let mut different = pairs.filter(|(_, was, is)| match (was, is) {
        (Some(was), Some(is)) => !is_same(was, is),
        _ => true,
    });
    let (at, was, is) = different.next()?;
    let name = |call: &Call<'_>| printable(&call.name.to_display());
    let difference = match (was, is) {
        (Some(was), Some(is)) if was.name == is.name => {
            format!("{}: {}", name(was), argument_changes(was, is))
        }
        (Some(was), Some(is)) => format!("{} → {}", name(was), name(is)),
        (Some(was), None) => format!("{} only before", name(was)),
        (None, Some(is)) => format!("{} only after", name(is)),
        (None, None) => String::new(),
    };
    Some((at, difference))
}

fn is_same(one: &Call<'_>, other: &Call<'_>) -> bool {
    one.name == other.name
        && match (one.arguments.to_value(), other.arguments.to_value()) {
            (Some(one), Some(other)) => ValueEquality::Json.equal(&one, &other),
            (one, other) => one.is_none() && other.is_none(),
        }
}

/// Formats differences of arguments: `amount 30 → 47.88, and 2 more arguments`.
fn argument_changes(before: &Call<'_>, after: &Call<'_>) -> String {
    let differences = differences(before, after);
    let Some(first) = differences.first() else {
        return "arguments differ".to_owned();
    };
    let side = |json: &Option<rightcall_core::value::JsonText>| {
        let json = json.as_ref().map(|it| on_one_line(it.clone()));
        printable(&json.unwrap_or_else(|| "nothing".to_owned()))
    };
    let more = match differences.len() - 1 {
        0 => String::new(),
        more => format!(", and {}", count(more as u64, "more difference")),
    };
    let place = printable(first.pointer.trim_start_matches('/'));
    let (was, is) = (side(&first.expected), side(&first.found));
    format!("{place} {was} → {is}{more}")
        .trim_start()
        .to_owned()
}

/// The differences of the arguments of two calls of one tool, from the evaluator `trajectory`, which compares exactly.
fn differences(before: &Call<'_>, after: &Call<'_>) -> Vec<Difference> {
    let case = pair_of(std::slice::from_ref(before), std::slice::from_ref(after));
    let evaluator = Evaluator::new("trajectory", "{}", None);
    let explanation = evaluator.map(|it| it.evaluate(&case, Ask::EXPLANATION).explanation);
    let pairs = explanation.ok().flatten().map(|it| it.pairs);
    let pair = pairs.into_iter().flatten().next();
    pair.map(|it| it.differences).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(name: &str, runs: &[(&str, &str)]) -> FileCalls {
        let mut file = FileCalls::new(name.to_owned());
        for (key, calls) in runs {
            let text = format!(r#"{{"actual":{calls}}}"#);
            let case = read_case(&text, &ReadOptions::default()).unwrap();
            file.add((*key).to_owned(), &case);
        }
        file
    }

    #[track_caller]
    fn check(before: &str, after: &str, wanted: Option<(usize, &str)>) {
        let (before, after) = (calls("a", &[("r", before)]), calls("b", &[("r", after)]));
        let found = CallComparison::new(&before, &after).unwrap();
        let found = found.different.first();
        let found = found.map(|it| (it.call, it.difference.as_str()));
        assert_eq!(found, wanted);
    }

    #[test]
    fn first_difference_is_reported() {
        let find = r#"{"name":"find","args":{"id":7}}"#;
        let refund = |amount: &str| {
            format!(r#"[{find},{{"name":"refund","args":{{"amount":{amount},"x":{{"y":1}}}}}}]"#)
        };
        check(&refund("30"), &refund("30.0"), None);
        let wanted = "refund: amount 30 → 47.88";
        check(&refund("30"), &refund("47.88"), Some((2, wanted)));
        check(
            &format!("[{find}]"),
            &refund("1"),
            Some((2, "refund only after")),
        );
        check(r#"["a","b"]"#, r#"["a"]"#, Some((2, "b only before")));
        check(r#"["a","b"]"#, r#"["b","a"]"#, Some((1, "a → b")));
        check(
            r#"[{"name":"a","args":{"x":1,"y":2}}]"#,
            r#"[{"name":"a","args":{"x":2}}]"#,
            Some((1, "a: x 1 → 2, and 1 more difference")),
        );
    }

    #[test]
    fn files_without_a_common_run_are_not_compared() {
        let (one, other) = (calls("a", &[("r", "[]")]), calls("b", &[("s", "[]")]));
        assert!(CallComparison::new(&one, &other).is_none());
    }

    #[test]
    fn tools_are_counted_by_file() {
        let before = calls("a", &[("r", r#"["x","y"]"#), ("gone", "[]")]);
        let after = calls("b", &[("r", r#"["x","x"]"#), ("new", "[]")]);
        let found = CallComparison::new(&before, &after).unwrap();
        let tools = found
            .tools
            .iter()
            .map(|it| (it.tool.as_str(), it.numbers()));
        let tools: Vec<_> = tools.collect();
        assert_eq!(
            tools,
            [("x", [1, 2, 1, 0, 0, 1]), ("y", [1, 0, 0, 0, 1, 0])]
        );
        assert_eq!(found.only_before, ["gone"]);
        assert_eq!(found.only_after, ["new"]);
        let screen = found.screen(ListLength::default());
        assert!(screen.contains("call 2: y → x"), "{screen}");
        assert!(screen.contains("1 run only before: gone"), "{screen}");
    }
}
