//! The documentation of every evaluator is complete, and its examples have the printed results.

use std::collections::HashSet;

use rightcall_core::value::{ValueEquality, decode};
use rightcall_core::{Ask, EVALUATORS, Evaluator, SettingKind, find};
use rightcall_formats::{FORMATS, ReadOptions, read_case};

#[test]
fn the_example_of_each_page_gives_the_printed_result() {
    for entry in EVALUATORS {
        let example = &entry.page.example;
        let line = format!(
            r#"{{"id":"example","expected":{},"actual":{}}}"#,
            example.expected, example.actual
        );
        let case = read_case(&line, &ReadOptions::default()).unwrap();
        let evaluator = Evaluator::new(entry.id, example.settings, None).unwrap();
        let evaluation = evaluator.evaluate(&case, Ask::ALL);
        let result = evaluation
            .result
            .unwrap_or_else(|| panic!("{}: {:?}", entry.id, evaluation.outcome));
        let same = ValueEquality::Json.equal(&result.to_value(), &decode(example.result).unwrap());
        assert!(same, "{}:\n{result}\n{}", entry.id, example.result);
    }
}

#[test]
fn names_are_unique_and_lead_to_their_evaluator() {
    let mut seen = HashSet::new();
    for entry in EVALUATORS {
        for name in std::iter::once(&entry.id).chain(entry.aliases) {
            assert!(seen.insert(*name), "{name} stands twice");
            assert_eq!(find(name).unwrap().id, entry.id);
        }
        for related in entry.page.related {
            assert!(
                find(related).is_ok_and(|it| it.id == *related && it.id != entry.id),
                "{}: {related}",
                entry.id
            );
        }
    }
}

#[test]
fn every_part_of_a_page_and_every_setting_is_written() {
    for entry in EVALUATORS {
        let page = &entry.page;
        for text in [
            page.measures,
            page.formula,
            page.use_when,
            page.not_when,
            page.limits,
            page.not_applicable,
            page.source,
            entry.needs,
        ] {
            assert!(text.len() > 20, "{}: {text:?}", entry.id);
        }
        assert_eq!(
            page.editions.is_empty(),
            entry.editions.len() == 1,
            "{}",
            entry.id
        );
        let mut settings = entry.settings.to_vec();
        while let Some(setting) = settings.pop() {
            assert!(
                decode(setting.default).is_ok(),
                "{}: default of {}",
                entry.id,
                setting.name
            );
            assert!(
                setting.doc.ends_with('.'),
                "{}: {} is not documented",
                entry.id,
                setting.name
            );
            if let SettingKind::Object(inner) = setting.kind {
                settings.extend(inner);
            }
        }
    }
}

#[test]
fn whatever_differs_from_a_package_says_why() {
    for entry in EVALUATORS {
        // The others belong to this project.
        let has_package = !matches!(entry.id, "trajectory" | "constraints" | "fitness");
        assert_eq!(
            !entry.page.departures.is_empty(),
            has_package,
            "{}",
            entry.id
        );
        for it in entry.page.departures {
            for text in [it.point, it.package, it.here, it.reason] {
                assert!(
                    text.len() > 5 && !text.contains(['|', '\n']),
                    "{}: {text:?}",
                    entry.id
                );
            }
        }
    }
}

#[test]
fn every_default_is_accepted_as_a_setting() {
    for entry in EVALUATORS {
        let given: Vec<_> = entry
            .settings
            .iter()
            .filter(|setting| setting.default != "null")
            .collect();
        let given: Vec<_> = given
            .iter()
            .filter(|setting| !matches!(setting.name, "align" | "score"))
            .collect();
        let members: Vec<_> = given
            .iter()
            .map(|setting| format!("\"{}\":{}", setting.name, setting.default))
            .collect();
        let settings = format!("{{{}}}", members.join(","));
        assert!(
            Evaluator::new(entry.id, &settings, None).is_ok(),
            "{} {settings}",
            entry.id
        );
    }
}

#[test]
fn a_misspelt_name_gets_the_nearest() {
    let message = find("uipath/tool-call-ordr").unwrap_err().to_string();
    assert!(
        message.contains("did you mean `uipath/tool-call-order`"),
        "{message}"
    );
    assert_eq!(
        find("nothing-like-it-at-all").unwrap_err().to_string(),
        "no evaluator is called `nothing-like-it-at-all`"
    );
}

#[test]
fn what_is_asked_for_comes_out_the_same_whatever_else_is_asked_for() {
    for entry in EVALUATORS {
        let example = &entry.page.example;
        let line = format!(
            r#"{{"id":"example","expected":{},"actual":{}}}"#,
            example.expected, example.actual
        );
        let case = read_case(&line, &ReadOptions::default()).unwrap();
        let evaluator = Evaluator::new(entry.id, example.settings, None).unwrap();
        let all = evaluator.evaluate(&case, Ask::ALL);
        let alone = |ask: Ask| evaluator.evaluate(&case, ask);
        assert_eq!(alone(Ask::OUTCOME).outcome, all.outcome, "{}", entry.id);
        assert_eq!(
            alone(Ask {
                details: true,
                ..Ask::OUTCOME
            })
            .details,
            all.details,
            "{}",
            entry.id
        );
        assert_eq!(
            alone(Ask {
                result: true,
                ..Ask::OUTCOME
            })
            .result,
            all.result,
            "{}",
            entry.id
        );
        let explanation = alone(Ask {
            explanation: true,
            ..Ask::OUTCOME
        })
        .explanation;
        assert_eq!(
            explanation.map(|it| it.to_json()),
            all.explanation.map(|it| it.to_json()),
            "{}",
            entry.id
        );
    }
}

#[test]
fn the_page_of_formats_lists_them_all_in_their_order() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let page = std::fs::read_to_string(format!("{root}/formats.md")).unwrap();
    let rows = page.lines().filter_map(|line| {
        let (name, _) = line.strip_prefix("| `")?.split_once("` | ")?;
        FORMATS
            .iter()
            .find(|format| format.name == name)
            .map(|format| format.name)
    });
    let of = |holds_traces: bool| {
        FORMATS
            .iter()
            .filter(move |format| format.holds_traces() == holds_traces)
    };
    let names: Vec<_> = of(true)
        .chain(of(false))
        .map(|format| format.name)
        .collect();
    assert_eq!(rows.collect::<Vec<_>>(), names, "docs/formats.md");
}
