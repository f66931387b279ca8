//! The table in `docs/rewards.md` of the evaluators whose rewards errors can raise.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use rightcall_core::EVALUATORS;

use super::{GameableProperty, Reward, RewardMetric, RewardWeights};
use crate::{Configured, EvaluatorArgument};

const PAGE: &str = "../../docs/rewards.md";
const START: &str = "<!-- table: drawn by the tests -->\n";
const END: &str = "<!-- end of table -->\n";

/// The entry of a metric in the table.
fn answers(reward: &Reward) -> String {
    let lacks = reward.audit();
    if lacks.iter().any(|it| it.before.is_none()) {
        return ["does not apply"; 3].join(" | ");
    }
    let cells = GameableProperty::ALL.map(|property| {
        let found = lacks.iter().find(|it| it.property == property);
        found.map_or_else(|| "yes".to_owned(), |it| format!("no: {}", it.fault))
    });
    cells.join(" | ")
}

fn of_metric(metric: RewardMetric) -> Reward {
    Reward::new(metric, 0.0, 0.0).unwrap()
}

#[test]
fn the_page_says_which_metrics_errors_can_raise() {
    let credit = of_metric(RewardMetric::Credit(RewardWeights::default()));
    assert_eq!(answers(&credit), "yes | yes | yes");
    // Metrics with the same answers share a row.
    let mut rows = vec![(vec!["credit"], answers(&credit))];
    let mut ids = BTreeSet::new();
    for entry in EVALUATORS {
        // Required settings come from the example.
        let settings = ["{}", entry.page.example.settings];
        let made = settings.iter().find_map(|settings| {
            let asked = EvaluatorArgument {
                id: entry.id.to_owned(),
                name: None,
                settings: (*settings).to_owned(),
            };
            Configured::new(asked, None).ok()
        });
        let configured = made.unwrap_or_else(|| panic!("{} has settings", entry.id));
        let reward = of_metric(RewardMetric::Evaluator(Arc::new(configured)));
        let answers = answers(&reward);
        match rows.iter_mut().find(|(_, known)| *known == answers) {
            Some((names, _)) => names.push(entry.id),
            None => rows.push((vec![entry.id], answers)),
        }
        ids.insert(entry.id);
    }
    assert_eq!(ids.len(), EVALUATORS.len());
    let line = |(names, answers): &(Vec<&str>, String)| {
        format!("| `{}` | {answers} |\n", names.join("`, `"))
    };
    let lines: String = rows.iter().map(line).collect();
    let drawn = format!("| metrics | (a) | (b) | (c) |\n| --- | --- | --- | --- |\n{lines}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(START).unwrap();
    let (shown, after) = rest.split_once(END).unwrap();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, format!("{before}{START}{drawn}{END}{after}")).unwrap();
    } else {
        assert_eq!(shown, drawn, "UPDATE_DOCS=1 draws the table anew");
    }
}
