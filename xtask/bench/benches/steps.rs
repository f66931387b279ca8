//! Each step of an evaluation on its own: parse, hash, match, align, score, explain.
//!
//! Arguments keep the hash that was computed first, so only `hash` and `parse` see that work.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use rightcall::call::{ArgumentSource, Call, Case};
use rightcall::value::{Digest, HashKey, Text, ValueEquality};
use rightcall::{Ask, Evaluator, similarity};
use rightcall_bench::{Workload, each_case_of};
use rightcall_formats::{ReadOptions, read_case};

criterion_group! {
    name = steps;
    config = Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1)).sample_size(20);
    targets = parse, hash, matching, align, score, explain
}
criterion_main!(steps);

/// The text of a workload, cut to so many cases of so many calls.
fn text(name: &str, cases: usize, calls: usize) -> String {
    let workload = Workload::named(name).expect("the benches name workloads that there are");
    let mut out = Vec::new();
    Workload {
        cases,
        calls,
        ..workload
    }
    .write(&mut out)
    .expect("a vector takes all that is written");
    String::from_utf8(out).expect("workloads are UTF-8")
}

fn cases(text: &str) -> Vec<Case<'_>> {
    text.lines()
        .map(|line| read_case(line, &ReadOptions::default()).expect("workloads hold cases"))
        .collect()
}

fn calls<'c>(case: &'c Case<'_>) -> impl Iterator<Item = &'c Call<'c>> {
    let expected = case.expected.calls.iter().flatten();
    expected.chain(case.actual.iter().flat_map(|actual| &actual.calls))
}

/// Times evaluators on the cases of a text, asking for `ask`.
fn evaluate(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    text: &str,
    evaluators: &[(&str, &str)],
    ask: Ask,
) {
    let cases = cases(text);
    let evaluators: Vec<Evaluator> = evaluators
        .iter()
        .map(|(id, settings)| {
            Evaluator::new(id, settings, None).expect("the benches' settings are right")
        })
        .collect();
    group.throughput(Throughput::Elements(
        cases.iter().map(|case| calls(case).count() as u64).sum(),
    ));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            for (case, evaluator) in cases
                .iter()
                .flat_map(|case| evaluators.iter().map(move |evaluator| (case, evaluator)))
            {
                black_box(evaluator.evaluate(black_box(case), ask));
            }
        });
    });
}

const FOUR: [(&str, &str); 4] = [
    ("uipath/tool-call-order", r#"{"edition":"package"}"#),
    ("uipath/tool-call-count", r#"{"edition":"package"}"#),
    ("axion/tool-correctness", r#"{"edition":"package"}"#),
    (
        "axion/tool-correctness",
        r#"{"edition":"package","check_parameters":true}"#,
    ),
];

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    for (name, text) in [
        ("small arguments", text("w1", 200, 8)),
        ("documents", text("w5", 4, 4)),
    ] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(cases(black_box(&text))));
        });
    }
}

fn hash(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hash");
    for (name, text) in [
        ("small arguments", text("w1", 200, 8)),
        ("documents", text("w5", 4, 4)),
    ] {
        let cases = cases(&text);
        let arguments: Vec<&str> = cases
            .iter()
            .flat_map(calls)
            .filter_map(|call| match call.arguments.source() {
                ArgumentSource::Json(json) => Some(json),
                _ => None,
            })
            .collect();
        group.throughput(Throughput::Bytes(
            arguments.iter().map(|json| json.len() as u64).sum(),
        ));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for json in &arguments {
                    black_box(
                        Digest::from_text(
                            black_box(json),
                            ValueEquality::Python,
                            HashKey::default(),
                        )
                        .is_ok(),
                    );
                }
            });
        });
    }
}

fn matching(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("match");
    let small = text("w1", 200, 8);
    evaluate(
        &mut group,
        "names",
        &small,
        &[("axion/tool-correctness", "{}")],
        Ask::OUTCOME,
    );
    evaluate(
        &mut group,
        "equal arguments",
        &small,
        &[("axion/tool-correctness", r#"{"check_parameters":true}"#)],
        Ask::OUTCOME,
    );
    let subset = r#"{"check_parameters":true,"parameter_matching_strategy":"subset"}"#;
    evaluate(
        &mut group,
        "arguments among others",
        &small,
        &[("axion/tool-correctness", subset)],
        Ask::OUTCOME,
    );
    let mut pairs = Vec::new();
    each_case_of(text("w4", 50, 2).as_bytes(), |case| {
        for (expected, actual) in case.expected.iter().zip(&case.actual) {
            let body = |args: &serde_json::Value| args["body"].as_str().map(str::to_owned);
            pairs.extend(body(&actual.args).zip(body(&expected.args)));
        }
    })
    .expect("workloads hold cases");
    group.throughput(Throughput::Elements(pairs.len() as u64));
    group.bench_function("likeness of texts", |bencher| {
        bencher.iter(|| {
            pairs
                .iter()
                .map(|(a, b)| similarity::ratio(&Text::new(a), &Text::new(b)))
                .sum::<f64>()
        });
    });
}

fn align(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("align");
    let names = text("w3", 1, 4_000);
    evaluate(
        &mut group,
        "order",
        &names,
        &[("uipath/tool-call-order", r#"{"edition":"package"}"#)],
        Ask::OUTCOME,
    );
    let long = text("wl", 1, 1_000);
    evaluate(
        &mut group,
        "first fit",
        &long,
        &[("axion/tool-correctness", r#"{"check_parameters":true}"#)],
        Ask::OUTCOME,
    );
    evaluate(
        &mut group,
        "multiset",
        &long,
        &[("evalite/tool-call-accuracy", r#"{"mode":"flexible"}"#)],
        Ask::OUTCOME,
    );
    let partly = r#"{"match":{"args":"overlap"},"align":"assignment"}"#;
    evaluate(
        &mut group,
        "assignment",
        &text("wl", 1, 100),
        &[("trajectory", partly)],
        Ask::OUTCOME,
    );
}

fn score(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("score");
    evaluate(
        &mut group,
        "four scores",
        &text("w1", 200, 8),
        &FOUR,
        Ask::OUTCOME,
    );
    evaluate(
        &mut group,
        "four scores, long cases",
        &text("w2", 4, 200),
        &FOUR,
        Ask::OUTCOME,
    );
}

fn explain(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("explain");
    let ask = Ask {
        explanation: true,
        ..Ask::OUTCOME
    };
    evaluate(&mut group, "four scores", &text("w1", 200, 8), &FOUR, ask);
    evaluate(
        &mut group,
        "four scores, long cases",
        &text("w2", 4, 200),
        &FOUR,
        ask,
    );
}
