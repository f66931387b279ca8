//! How well evaluators predict a field of the cases.

use std::fmt::Write as _;

use rightcall_stats::{ComparisonSettings, Interval, Prediction};

use super::words::NAME;
use crate::text::{FAINT, HEAD, cut_end, left, name_cell, or_dash, paint, right};

/// How well evaluators predict a field of the cases.
pub(crate) fn prediction_screen(
    name: &str,
    field: &str,
    predictions: &[Prediction],
    rules: ComparisonSettings,
) -> String {
    let mut out = String::new();
    let is_binary = predictions.iter().all(|it| it.is_binary);
    _ = writeln!(
        out,
        "\n  {}",
        paint(
            HEAD,
            &format!("{} against {}", cut_end(name, 40), cut_end(field, 40))
        )
    );
    let mut head = vec![left("evaluator", NAME), "cases".to_owned()];
    head.extend(is_binary.then(|| left("AUC", 20)));
    head.push(left("Spearman", 22));
    head.push(
        if is_binary {
            "point-biserial"
        } else {
            "Pearson"
        }
        .to_owned(),
    );
    _ = writeln!(out, "{}", paint(HEAD, &format!("  {}", head.join("  "))));
    let plain = |it: Interval| format!("{:.3}  {:.3} … {:.3}", it.estimate, it.low, it.high);
    let signed = |it: Interval| format!("{:+.3}  {:+.3} … {:+.3}", it.estimate, it.low, it.high);
    for found in predictions {
        let mut cells = vec![
            name_cell(&found.label, NAME, "  "),
            right(&found.cases.to_string(), 5),
        ];
        cells.extend(is_binary.then(|| left(&or_dash(found.auc.map(plain)), 20)));
        cells.push(left(&or_dash(found.spearman.map(signed)), 22));
        cells.push(or_dash(found.pearson.map(signed)));
        _ = writeln!(out, "  {}", cells.join("  "));
    }
    let confidence = 100.0 * rules.confidence;
    let area = if is_binary {
        "; an AUC of 0.5 is chance"
    } else {
        ""
    };
    _ = writeln!(
        out,
        "  {}",
        paint(
            FAINT,
            &format!("intervals of {confidence:.0} % draw cases with all their trials{area}")
        )
    );
    out
}
