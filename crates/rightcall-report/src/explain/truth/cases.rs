//! Generates small cases of every kind, and settings of every evaluator, from bytes.

use rightcall_reference::choices::Choices;

type Draw = fn(&mut Choices<'_>) -> String;

/// A case as JSON: some parts of an expectation, and usually a run.
pub(super) fn case(choices: &mut Choices<'_>) -> String {
    // Without calls, orders and outputs are judged separately.
    let mut parts = Vec::new();
    if !choices.rarely(8) {
        parts.push(format!("\"calls\":[{}]", choices.list(6, expected_call)));
    }
    let (order, counts): (Draw, Draw) = (|choices| name(choices).to_owned(), count);
    for (key, (open, close), times, draw) in [
        ("order", ('[', ']'), 4, order),
        ("outputs", ('[', ']'), 4, output),
        ("counts", ('{', '}'), 3, counts),
        ("constraints", ('{', '}'), 3, |choices: &mut Choices<'_>| {
            constraints(choices)
        }),
    ] {
        if choices.rarely(times) {
            let most = if key == "constraints" { 1 } else { 4 };
            let mut items = Vec::new();
            for _ in 0..choices.below(most + 1) {
                items.push(draw(choices));
            }
            // Repeated names are not separate counts.
            if key == "counts" {
                items.sort();
                items.dedup_by_key(|item| item.split(':').next().map(ToOwned::to_owned));
            }
            parts.push(format!("\"{key}\":{open}{}{close}", items.join(",")));
        }
    }
    let mut groups = 0;
    let actual = choices.list(7, |choices| actual_call(choices, &mut groups));
    let actual = if choices.rarely(24) {
        String::new()
    } else {
        format!(",\"actual\":[{actual}]")
    };
    format!(
        "{{\"id\":\"a\",\"expected\":{{{}}}{actual}}}",
        parts.join(",")
    )
}

fn name(choices: &mut Choices<'_>) -> &'static str {
    choices.one(&["\"a\"", "\"b\"", "\"a\"", "\"b\"", "\"c\"", "\"A\""])
}

/// Arguments that often nearly match.
fn arguments(choices: &mut Choices<'_>) -> String {
    const ARGUMENTS: &[&str] = &[
        "{}",
        r#"{"x":1}"#,
        r#"{"x":1,"y":2}"#,
        r#"{"x":1,"y":3}"#,
        r#"{"x":2,"y":2,"z":3}"#,
        r#"{"x":null}"#,
        r#"{"x":"abcd","y":"efgh"}"#,
        r#"{"x":"abxd","y":"efgh"}"#,
        r#"{"x":{"a":1,"b":2}}"#,
        r#"{"x":{"a":1,"b":3,"c":4}}"#,
        r#"{"x":1.0}"#,
        r#"{"x":"1"}"#,
    ];
    if choices.rarely(6) {
        choices.object()
    } else {
        choices.one(ARGUMENTS).to_owned()
    }
}

fn expected_call(choices: &mut Choices<'_>) -> String {
    let mut fields = vec![format!("\"name\":{}", name(choices))];
    if !choices.rarely(12) {
        fields.push(format!("\"args\":{}", arguments(choices)));
    }
    if !choices.rarely(4) {
        fields.push(format!("\"output\":{}", choices.one(&["\"x\"", "\"y\""])));
    }
    if choices.rarely(6) {
        fields.push(format!(
            "\"compare_args\":{}",
            choices.one(&["[]", "[\"x\"]", "[\"x\",\"y\"]"])
        ));
    }
    fields.push(format!("\"turn\":{}", choices.below(2)));
    format!("{{{}}}", fields.join(","))
}

fn actual_call(choices: &mut Choices<'_>, groups: &mut usize) -> String {
    let mut fields = vec![format!("\"name\":{}", name(choices))];
    if !choices.rarely(24) {
        fields.push(format!("\"args\":{}", arguments(choices)));
    }
    if !choices.rarely(16) {
        fields.push(format!(
            "\"output\":{}",
            choices.one(&["\"x\"", "\"y\"", "\"x\""])
        ));
    }
    if choices.rarely(3) {
        *groups += choices.below(2);
        fields.push(format!("\"group\":\"g{groups}\""));
    }
    if choices.rarely(4) {
        fields.push("\"error\":\"timeout\"".to_owned());
    }
    fields.push(format!("\"turn\":{}", choices.below(2)));
    format!("{{{}}}", fields.join(","))
}

fn output(choices: &mut Choices<'_>) -> String {
    format!(
        "{{\"name\":{},\"output\":{}}}",
        name(choices),
        choices.one(&["\"x\"", "\"y\""])
    )
}

fn count(choices: &mut Choices<'_>) -> String {
    format!(
        "{}:[\"{}\",{}]",
        name(choices),
        choices.one(&["=", ">=", "<=", ">", "<"]),
        choices.below(4)
    )
}

/// Conditions as members of an object.
fn constraints(choices: &mut Choices<'_>) -> String {
    const CONDITIONS: &[&str] = &[
        r#""max_calls":3"#,
        r#""forbidden":["c"]"#,
        r#""required":["a"]"#,
        r#""order":["a before b"]"#,
        r#""max_repeats":0"#,
        r#""max_run_seconds":9"#,
        r#""counts":{"a":"1..2"}"#,
    ];
    let first = choices.below(CONDITIONS.len());
    let all: Vec<_> = (0..=choices.below(3))
        .map(|next| CONDITIONS[(first + next) % CONDITIONS.len()])
        .collect();
    all.join(",")
}

const STRICT: [&str; 2] = ["", r#""strict":true"#];
const INVERSE: [&str; 2] = ["", r#""inverse":true"#];
const EDITIONS: [&str; 2] = ["", r#""edition":"package""#];

/// Makes settings from one choice for each setting.
fn of(choices: &mut Choices<'_>, settings: &[&[&str]]) -> String {
    let chosen: Vec<_> = settings
        .iter()
        .map(|setting| choices.one(setting))
        .filter(|setting| !setting.is_empty())
        .collect();
    format!("{{{}}}", chosen.join(","))
}

/// Every evaluator with a generator for its settings.
pub(super) const SETTINGS: &[(&str, Draw)] = &[
    ("uipath/tool-call-count", |choices| {
        let criteria = [
            "",
            "",
            r#""default_evaluation_criteria":{"tool_calls_count":{"a":["=",1]}}"#,
        ];
        of(choices, &[&STRICT, &EDITIONS, &criteria])
    }),
    ("uipath/tool-call-order", |choices| {
        of(choices, &[&STRICT, &EDITIONS])
    }),
    ("uipath/tool-call-args", |choices| of(choices, &[&STRICT])),
    ("uipath/tool-call-output", |choices| of(choices, &[&STRICT])),
    ("axion/tool-correctness", |choices| {
        let strategies = ["exact", "subset", "fuzzy"]
            .map(|it| format!(r#""check_parameters":true,"parameter_matching_strategy":"{it}""#));
        let strategies: Vec<&str> = strategies.iter().map(String::as_str).chain([""]).collect();
        let scorings = ["", r#""scoring":"precision""#, r#""scoring":"f1""#];
        of(
            choices,
            &[
                &strategies,
                &scorings,
                &["", "", r#""strict_order":true"#],
                &EDITIONS,
            ],
        )
    }),
    ("tpmjs/tool-call-accuracy-score", |choices| {
        of(choices, &[&EDITIONS])
    }),
    ("evalite/tool-call-accuracy", |choices| {
        let weights = [
            "",
            r#""weights":{"nameOnly":0.3,"exact":0.7}"#,
            r#""weights":{"extraPenalty":0.1,"wrongPenalty":0.07}"#,
        ];
        of(
            choices,
            &[&["", r#""mode":"flexible""#], &weights, &EDITIONS],
        )
    }),
    ("deepeval/tool-correctness", |choices| {
        let parameters = [
            "",
            r#""evaluation_params":["input_parameters"]"#,
            r#""evaluation_params":["input_parameters","output"]"#,
        ];
        let modes = [
            "",
            r#""should_consider_ordering":true"#,
            r#""should_exact_match":true"#,
        ];
        of(
            choices,
            &[&parameters, &modes, &["", "", r#""strict_mode":true"#]],
        )
    }),
    ("ragas/tool-call-accuracy", |choices| {
        of(choices, &[&["", r#""strict_order":false"#]])
    }),
    ("ragas/tool-call-f1", |_| "{}".to_owned()),
    ("agentevals/trajectory-match", trajectory_match),
    ("adk/trajectory", |choices| {
        let types = [
            "",
            r#""match_type":"IN_ORDER""#,
            r#""match_type":"ANY_ORDER""#,
        ];
        of(
            choices,
            &[
                &[r#""threshold":0.5"#],
                &types,
                &["", r#""ignore_args":true"#],
            ],
        )
    }),
    ("tau2/action-check", |choices| {
        of(choices, &[&["", r#""strict":false"#, r#""strict":false"#]])
    }),
    ("mastra/tool-call-accuracy", |choices| {
        of(choices, &[&["", r#""strictMode":true"#]])
    }),
    ("mastra/trajectory-accuracy", |choices| {
        let orderings = ["", r#""ordering":"strict""#, r#""ordering":"unordered""#];
        of(
            choices,
            &[&orderings, &["", r#""allowRepeatedSteps":false"#]],
        )
    }),
    ("bfcl/ast-checker", |_| "{}".to_owned()),
    ("promptfoo/tool-used", |choices| of(choices, &[&INVERSE])),
    ("promptfoo/tool-sequence", |choices| {
        of(choices, &[&["", r#""mode":"exact""#], &INVERSE])
    }),
    ("promptfoo/tool-args-match", |choices| {
        let left_out = ["", r#""ignore":["y"]"#, r#""defaults":{"x":1}"#];
        of(choices, &[&["", r#""mode":"exact""#], &INVERSE, &left_out])
    }),
    ("promptfoo/tool-call-f1", |choices| of(choices, &[&INVERSE])),
    ("azure/task-navigation-efficiency", |choices| {
        let modes = [
            "",
            r#""matching_mode":"in_order_match""#,
            r#""matching_mode":"any_order_match""#,
        ];
        let numbers = [
            "",
            r#""score":"precision""#,
            r#""score":"recall""#,
            r#""score":"f1""#,
        ];
        let parameters = ["", r#""parameters":false"#, r#""parameters":true"#];
        of(choices, &[&modes, &numbers, &parameters])
    }),
    ("mlflow/tool-call-correctness", |choices| {
        of(choices, &[&["", r#""should_consider_ordering":true"#]])
    }),
    ("strands/exact-match", |_| "{}".to_owned()),
    ("strands/in-order-match", |_| "{}".to_owned()),
    ("strands/any-order-match", |_| "{}".to_owned()),
    ("strands/tool-called", |choices| {
        of(choices, &[&[r#""tool_name":"a""#, r#""tool_name":"c""#]])
    }),
    ("openevals/trajectory-match", trajectory_match),
    ("vertex/trajectory-exact-match", |_| "{}".to_owned()),
    ("vertex/trajectory-in-order-match", |_| "{}".to_owned()),
    ("vertex/trajectory-any-order-match", |_| "{}".to_owned()),
    ("vertex/trajectory-precision", |_| "{}".to_owned()),
    ("vertex/trajectory-recall", |_| "{}".to_owned()),
    ("vertex/trajectory-single-tool-use", |choices| {
        of(choices, &[&[r#""tool_name":"a""#, r#""tool_name":"c""#]])
    }),
    ("trajectory", trajectory),
    ("constraints", |choices| {
        let own = constraints(choices);
        of(choices, &[&[&own], &["", r#""score":"all_or_nothing""#]])
    }),
    ("mastra/trajectory", |choices| {
        let budgets = ["", r#""maxSteps":2"#, r#""noRedundantCalls":true"#];
        let failures = ["", r#""maxRetriesPerTool":0"#];
        let blacklists = ["", "", r#""blacklistedTools":["c"]"#];
        of(choices, &[&budgets, &failures, &blacklists])
    }),
    ("fitness", |_| "{}".to_owned()),
];

fn trajectory_match(choices: &mut Choices<'_>) -> String {
    let modes = ["strict", "unordered", "subset", "superset"]
        .map(|it| format!(r#""trajectory_match_mode":"{it}""#));
    let args = ["exact", "ignore", "subset", "superset"]
        .map(|it| format!(r#""tool_args_match_mode":"{it}""#));
    let overrides = [
        "",
        "",
        r#""tool_args_match_overrides":{"a":["x"],"b":"superset"}"#,
    ];
    of(
        choices,
        &[
            &modes.each_ref().map(String::as_str),
            &args.each_ref().map(String::as_str),
            &overrides,
        ],
    )
}

fn trajectory(choices: &mut Choices<'_>) -> String {
    const ARGUMENTS: &[&str] = &[
        "exact",
        "fuzzy",
        "overlap",
        "ignore",
        "subset",
        "superset",
        "keys",
        "text",
        "json_text",
        "partial",
    ];
    const ALIGNMENTS: &[&str] = &[
        "assignment",
        "position",
        "first_fit",
        "best_fit",
        "multiset",
        "distinct",
        "once",
        "lcs",
        "subsequence",
        "forward",
        "first_occurrences",
        "by_turn",
        "free",
    ];
    const SCORINGS: &[&str] = &[
        "f1",
        "recall",
        "precision",
        "weighted",
        "all_or_nothing",
        "covers_expected",
        "covers_actual",
    ];
    const MODES: &[&str] = &["strict", "unordered", "subset", "superset", "in_order"];
    let arguments = choices.one(ARGUMENTS);
    let keys = if arguments == "keys" {
        r#","keys":["x.a","y"]"#
    } else {
        ""
    };
    let outputs = choices.one(&["", "", r#","outputs":"exact""#]);
    let how = if choices.rarely(5) {
        format!(r#""mode":"{}""#, choices.one(MODES))
    } else {
        format!(
            r#""align":"{}","score":"{}""#,
            choices.one(ALIGNMENTS),
            choices.one(SCORINGS)
        )
    };
    let others = [
        "",
        "",
        r#","weights":{"name_only":0.3,"extra":0.15}"#,
        r#","parallel":"recorded""#,
        r#","both_empty":0.5"#,
    ];
    format!(
        r#"{{"match":{{"args":"{arguments}"{keys}{outputs}}},{how}{}}}"#,
        choices.one(&others)
    )
}
