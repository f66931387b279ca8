//! The engine and the reference on the same case.

use rightcall::value::{Syntax, Value, decode_with};
use rightcall::{Ask, Edition, Evaluation, EvaluationError, Evaluator, Outcome};

use crate::choices::{Choices, quoted};
use crate::{Reference, score};

/// The evaluators that the reference knows.
pub const EVALUATORS: [&str; 13] = [
    "uipath/tool-call-count",
    "uipath/tool-call-order",
    "uipath/tool-call-args",
    "uipath/tool-call-output",
    "axion/tool-correctness",
    "tpmjs/tool-call-accuracy-score",
    "evalite/tool-call-accuracy",
    "deepeval/tool-correctness",
    "ragas/tool-call-accuracy",
    "ragas/tool-call-f1",
    "agentevals/trajectory-match",
    "adk/trajectory",
    "tau2/action-check",
];

/// A case in an original's own shape, all parts as JSON text.
#[derive(Clone, Debug)]
pub struct Case {
    /// The evaluator.
    pub evaluator: &'static str,
    /// What the original's constructor takes.
    pub config: String,
    /// The expected side.
    pub expected: String,
    /// The actual side.
    pub actual: String,
}

impl Case {
    /// The case that these bytes choose.
    pub fn from_bytes(evaluator: &'static str, bytes: &[u8]) -> Self {
        let choices = &mut Choices::new(bytes);
        let (system, metric) = evaluator.split_once('/').unwrap_or((evaluator, ""));
        let (config, expected, actual) = match system {
            "uipath" => uipath(metric, choices),
            "axion" => axion(choices),
            "tpmjs" => tpmjs(choices),
            "evalite" => evalite(choices),
            "deepeval" => deepeval(choices),
            "ragas" => ragas(choices),
            "agentevals" => agentevals(choices),
            "adk" => adk(choices),
            _ => tau2(choices),
        };
        Self {
            evaluator,
            config,
            expected,
            actual,
        }
    }

    /// What the reference makes of it.
    pub fn reference(&self) -> Reference {
        let sides = [&self.config, &self.expected, &self.actual]
            .map(|text| decode_with(text, Syntax::PYTHON));
        let [Ok(config), Ok(expected), Ok(actual)] = sides else {
            return Reference::Unknown;
        };
        score(self.evaluator, &config, &expected, &actual)
    }

    /// What the engine makes of it.
    ///
    /// # Errors
    /// Where the engine contradicts itself.
    pub fn engine(&self) -> Result<Reference, String> {
        let Ok(evaluator) = Evaluator::from_config(self.evaluator, &self.config, Edition::Package)
        else {
            return Ok(Reference::Raised);
        };
        let evaluation = evaluator.evaluate_native(&self.expected, &self.actual, Ask::ALL);
        let bare = evaluator.evaluate_native(&self.expected, &self.actual, Ask::OUTCOME);
        if evaluation.outcome != bare.outcome {
            return Err(format!(
                "what is asked changes the outcome: {:?}, {:?}",
                evaluation.outcome, bare.outcome
            ));
        }
        Ok(match &evaluation.outcome {
            Outcome::Scored(score) if result_score(&evaluation) != Some(score.get()) => {
                return Err(format!(
                    "the score is {score:?}, the result {:?}",
                    evaluation.result
                ));
            }
            Outcome::Scored(score) => Reference::Score(score.get()),
            Outcome::Failed(EvaluationError::NotFinite) => Reference::Score(f64::NAN),
            Outcome::Failed(EvaluationError::ErrorResult(_)) => Reference::ErrorResult,
            Outcome::Failed(_) => Reference::Raised,
            Outcome::NotApplicable(_) => Reference::Unknown,
        })
    }

    /// Compares the two; what the reference does not know is at least evaluated.
    ///
    /// # Errors
    /// What each says, where they differ.
    pub fn check(&self) -> Result<Reference, String> {
        let reference = self.reference();
        let engine = self
            .engine()
            .map_err(|error| format!("{error}: {self:#?}"))?;
        match (reference, engine) {
            (Reference::Unknown, _) => Ok(reference),
            (Reference::Score(left), Reference::Score(right))
                if left.is_nan() && right.is_nan() =>
            {
                Ok(reference)
            }
            _ if reference == engine => Ok(reference),
            _ => Err(format!(
                "the reference says {reference:?}, the engine {engine:?}: {self:#?}"
            )),
        }
    }
}

fn result_score(evaluation: &Evaluation) -> Option<f64> {
    match evaluation
        .result
        .as_ref()?
        .to_value()
        .as_object()?
        .get_str("score")?
    {
        Value::Bool(score) => Some(f64::from(u8::from(*score))),
        score => score.as_f64(),
    }
}

type Parts = (String, String, String);

const FLAGS: &[&str] = &["true", "false"];
const LENIENT_FLAGS: &[&str] = &[
    "true", "false", "1", "0.0", "\"Yes\"", "\"oFF\"", "\" 1\"", "\"\"", "null", "2", "[]",
];

fn uipath(metric: &str, choices: &mut Choices<'_>) -> Parts {
    let criteria: fn(&mut Choices<'_>) -> String = match metric {
        "tool-call-count" => counts,
        "tool-call-order" => order,
        "tool-call-args" => |choices| wanted(choices, &["tool_calls", "toolCalls"], "args", object),
        _ => |choices| wanted(choices, &["tool_outputs", "toolOutputs"], "output", output),
    };
    let mut config = vec![format!("\"strict\":{}", choices.one(FLAGS))];
    if choices.rarely(8) {
        config.push(format!("\"strict\":{}", choices.one(LENIENT_FLAGS)));
    }
    if choices.rarely(16) {
        config.push(format!("\"subset\":{}", choices.one(LENIENT_FLAGS)));
    }
    if choices.rarely(16) {
        config.push(format!("\"name\":{}", choices.value()));
    }
    if choices.rarely(8) {
        config.push(format!(
            "\"default_evaluation_criteria\":{}",
            criteria(choices)
        ));
    }
    if choices.rarely(16) {
        config.push(format!(
            "\"defaultEvaluationCriteria\":{}",
            if choices.rarely(2) {
                criteria(choices)
            } else {
                choices.value()
            }
        ));
    }
    let expected = if choices.rarely(16) {
        choices.one(&["null", "{}", "[]"]).to_owned()
    } else {
        criteria(choices)
    };
    let spans = choices.list(5, span);
    (
        format!("{{{}}}", config.join(",")),
        expected,
        format!("[{spans}]"),
    )
}

fn span(choices: &mut Choices<'_>) -> String {
    const NAMES: &[&str] = &[
        "\"\"",
        "null",
        "12",
        "true",
        "1.0",
        "[]",
        "\"12\"",
        "\"  a  b \"",
        "\"a!\"",
        "\"工具\"",
    ];
    const IDS: &[&str] = &[
        "\"a\"", "\"b\"", "null", "\"\"", "0", "\"0\"", "true", "\"True\"", "1.0",
    ];
    if choices.rarely(16) {
        return choices
            .one(&["{}", r#"{"attributes":null}"#, r#"{"attributes":{}}"#])
            .to_owned();
    }
    let name = if choices.rarely(6) {
        choices.one(NAMES)
    } else {
        choices.name()
    };
    let mut attributes = vec![format!("\"tool.name\":{name}")];
    if choices.rarely(3) {
        attributes.push(format!("\"tool.id\":{}", choices.one(IDS)));
    }
    if choices.rarely(10) {
        attributes.push(format!(
            "\"tool.synthesized\":{}",
            choices.one(&["true", "false", "\"false\"", "0", "null"])
        ));
    }
    if !choices.rarely(6) {
        let value = choices.object();
        let value = if choices.rarely(3) {
            choices.value()
        } else {
            value
        };
        attributes.push(format!(
            "\"input.value\":{}",
            if choices.rarely(2) {
                quoted(&value)
            } else {
                value
            }
        ));
    }
    if !choices.rarely(6) {
        let value = output(choices);
        let value = if choices.rarely(3) {
            choices.value()
        } else {
            value
        };
        attributes.push(format!(
            "\"output.value\":{}",
            if choices.rarely(2) {
                quoted(&value)
            } else {
                value
            }
        ));
    }
    format!(
        r#"{{"name":"s","start_time":0,"end_time":1,"attributes":{{{}}}}}"#,
        attributes.join(",")
    )
}

fn object(choices: &mut Choices<'_>) -> String {
    choices.object()
}

fn output(choices: &mut Choices<'_>) -> String {
    const TEXTS: &[&str] = &[
        "\"x\"",
        "\"1\"",
        "\"\"",
        "\"None\"",
        "\"True\"",
        "\"[1]\"",
        "\"{'a': 1}\"",
        "\"\\ud83d\"",
    ];
    choices.one(TEXTS).to_owned()
}

fn counts(choices: &mut Choices<'_>) -> String {
    const OPERATORS: &[&str] = &[
        "\"=\"", "\">=\"", "\"<=\"", "\">\"", "\"<\"", "\"==\"", "\"!=\"", "\"~\"",
    ];
    const ODD: &[&str] = &[
        "-1",
        "1.0",
        "1.5",
        "true",
        "null",
        "\" +1_0.0 \"",
        "\"1\"",
        "\"x\"",
        "\"1.\"",
        "\"1__0\"",
        "\"_1\"",
        "\"-0\"",
        "\"\"",
        "\"1e0\"",
        "\"00\"",
        "1e400",
        "99999999999999999999",
        "[]",
    ];
    let entries = choices.list(4, |choices| {
        let key = choices.name();
        let operator = if choices.rarely(40) {
            "1"
        } else {
            choices.one(OPERATORS)
        };
        let count = if choices.rarely(8) {
            choices.one(ODD)
        } else {
            choices.one(&["1", "0", "2", "3"])
        };
        format!(
            "{key}:[{operator},{count}{}]",
            if choices.rarely(64) { ",1" } else { "" }
        )
    });
    format!(
        "{{{}:{{{entries}}}}}",
        choices.one(&["\"tool_calls_count\"", "\"toolCallsCount\""])
    )
}

fn order(choices: &mut Choices<'_>) -> String {
    let keys = choices.list(6, |choices| {
        if choices.rarely(40) {
            choices.value()
        } else {
            choices.name().to_owned()
        }
    });
    format!(
        "{{{}:[{keys}]}}",
        choices.one(&["\"tool_calls_order\"", "\"toolCallsOrder\""])
    )
}

fn wanted(
    choices: &mut Choices<'_>,
    keys: &[&str; 2],
    field: &str,
    value: fn(&mut Choices<'_>) -> String,
) -> String {
    let items = choices.list(4, |choices| {
        let name = choices.name();
        let id = if choices.rarely(4) {
            format!(
                ",\"id\":{}",
                choices.one(&["\"a\"", "\"b\"", "null", "\"\"", "\"0\"", "1"])
            )
        } else {
            String::new()
        };
        let value = if choices.rarely(40) {
            choices.value()
        } else {
            value(choices)
        };
        format!("{{\"name\":{name},\"{field}\":{value}{id}}}")
    });
    format!("{{\"{}\":[{items}]}}", choices.one(keys))
}

fn axion(choices: &mut Choices<'_>) -> Parts {
    let config = choices.entries(&[
        ("check_parameters", FLAGS),
        ("strict_order", FLAGS),
        (
            "parameter_matching_strategy",
            &["\"subset\"", "\"fuzzy\"", "\"exact\"", "\"other\""],
        ),
        ("fuzzy_threshold", &["0.5", "0.75", "1", "0", "-1", "0.9"]),
        (
            "scoring",
            &["\"precision\"", "\"f1\"", "\"recall\"", "\"other\""],
        ),
        ("threshold", &["0", "null", "1"]),
    ]);
    let side = |choices: &mut Choices<'_>| {
        if choices.rarely(20) {
            return choices
                .one(&[
                    "null",
                    "{}",
                    "[null]",
                    "[{\"name\":\"a\"}]",
                    "[{\"args\":{}}]",
                ])
                .to_owned();
        }
        let calls = choices.list(5, |choices| {
            let extra = if choices.rarely(40) {
                choices.one(&[",\"id\":\"x\"", ",\"tags\":[]", ",\"other\":1"])
            } else {
                ""
            };
            let args = if choices.rarely(60) {
                choices.value()
            } else {
                choices.object()
            };
            format!("{{\"name\":{},\"args\":{args}{extra}}}", choices.name())
        });
        format!("[{calls}]")
    };
    (config, side(choices), side(choices))
}

fn tpmjs(choices: &mut Choices<'_>) -> Parts {
    let side = |choices: &mut Choices<'_>| items(choices, "tool", "args", Choices::value);
    ("{}".to_owned(), side(choices), side(choices))
}

/// A list as JavaScript gets it: nothing is sure.
fn items<'b>(
    choices: &mut Choices<'b>,
    name: &str,
    arguments: &str,
    odd_name: fn(&mut Choices<'b>) -> String,
) -> String {
    if choices.rarely(24) {
        return choices.one(&["null", "[]", "[null]"]).to_owned();
    }
    let calls = choices.list(5, |choices| {
        if choices.rarely(24) {
            return choices.value();
        }
        let mut fields = Vec::new();
        if !choices.rarely(16) {
            let odd = choices.rarely(16);
            fields.push(format!(
                "\"{name}\":{}",
                if odd {
                    odd_name(choices)
                } else {
                    choices.name().to_owned()
                }
            ));
        }
        if !choices.rarely(10) {
            let odd = choices.rarely(6);
            fields.push(format!(
                "\"{arguments}\":{}",
                if odd {
                    choices.value()
                } else {
                    choices.object()
                }
            ));
        }
        format!("{{{}}}", fields.join(","))
    });
    format!("[{calls}]")
}

/// Names that are lists, objects or infinite are left out: `tests/it/regressions.rs` tells where they lead.
fn scalar(choices: &mut Choices<'_>) -> String {
    choices
        .one(&[
            "1",
            "1.0",
            "true",
            "null",
            "0",
            "-0.0",
            "false",
            "\"1\"",
            "9007199254740993",
            "9007199254740992",
        ])
        .to_owned()
}

fn evalite(choices: &mut Choices<'_>) -> Parts {
    const WEIGHTS: &[&str] = &["0", "1", "0.3", "null", "true", "-1", "1e400"];
    let mode = choices.one(&["\"exact\"", "\"flexible\"", "null", "\"\""]);
    let weights = choices.entries(&[
        ("nameOnly", WEIGHTS),
        ("extraPenalty", WEIGHTS),
        ("wrongPenalty", WEIGHTS),
        ("exact", WEIGHTS),
    ]);
    let config = if choices.rarely(3) {
        format!("{{\"mode\":{mode}}}")
    } else {
        format!("{{\"mode\":{mode},\"weights\":{weights}}}")
    };
    let side = |choices: &mut Choices<'_>| items(choices, "toolName", "input", scalar);
    (config, side(choices), side(choices))
}

fn deepeval(choices: &mut Choices<'_>) -> Parts {
    let config = choices.entries(&[
        (
            "evaluation_params",
            &[
                "[\"input_parameters\"]",
                "[\"input_parameters\",\"output\"]",
                "[\"output\"]",
                "[]",
                "[\"other\"]",
            ],
        ),
        ("should_consider_ordering", FLAGS),
        ("should_exact_match", FLAGS),
        ("strict_mode", FLAGS),
        ("threshold", &["0.5", "1", "0"]),
    ]);
    let side = |choices: &mut Choices<'_>| {
        let calls = choices.list(5, |choices| {
            let mut fields = vec![format!("\"name\":{}", choices.name())];
            if !choices.rarely(6) {
                let key = choices.one(&["input_parameters", "inputParameters"]);
                let value = if choices.rarely(12) {
                    "null".to_owned()
                } else {
                    choices.object()
                };
                fields.push(format!("\"{key}\":{value}"));
            }
            if choices.rarely(3) {
                fields.push(format!("\"output\":{}", choices.value()));
            }
            if choices.rarely(6) {
                fields.push(format!(
                    "\"type\":{}",
                    choices.one(&["\"MCP\"", "\"FUNCTION\"", "\"MCP\"", "\"x\""])
                ));
            }
            format!("{{{}}}", fields.join(","))
        });
        format!("[{calls}]")
    };
    (config, side(choices), side(choices))
}

fn ragas(choices: &mut Choices<'_>) -> Parts {
    let config = choices
        .one(&["{\"strict_order\":true}", "{\"strict_order\":false}", "{}"])
        .to_owned();
    let calls = |choices: &mut Choices<'_>, most: usize| {
        choices.list(most, |choices| {
            let args = if choices.rarely(60) {
                choices.value()
            } else {
                choices.object()
            };
            format!("{{\"name\":{},\"args\":{args}}}", choices.name())
        })
    };
    let reference = if choices.rarely(24) {
        "null".to_owned()
    } else {
        format!("[{}]", calls(choices, 5))
    };
    let messages = choices.list(5, |choices| {
        let kind = choices.one(&["ai", "ai", "ai", "human", "tool"]);
        let tool_calls = match (kind, choices.rarely(10)) {
            ("ai", false) => format!(",\"tool_calls\":[{}]", calls(choices, 3)),
            ("ai", true) => choices.one(&["", ",\"tool_calls\":null"]).to_owned(),
            _ => String::new(),
        };
        format!("{{\"type\":\"{kind}\",\"content\":\"\"{tool_calls}}}")
    });
    (
        config,
        format!("{{\"reference_tool_calls\":{reference}}}"),
        format!("[{messages}]"),
    )
}

fn agentevals(choices: &mut Choices<'_>) -> Parts {
    const MODES: &[&str] = &["\"unordered\"", "\"subset\"", "\"superset\"", "\"strict\""];
    const ARGS: &[&str] = &["\"ignore\"", "\"subset\"", "\"superset\"", "\"exact\""];
    let mut config = vec![format!("\"trajectory_match_mode\":{}", choices.one(MODES))];
    if choices.rarely(2) {
        config.push(format!("\"tool_args_match_mode\":{}", choices.one(ARGS)));
    }
    if choices.rarely(3) {
        const OVERRIDES: &[&str] = &[
            "\"ignore\"",
            "\"subset\"",
            "\"superset\"",
            "\"exact\"",
            "\"other\"",
            "[\"a\"]",
            "[\"a.b\",\"b\"]",
            "[]",
            "null",
            "0",
            "{}",
            "\"\"",
        ];
        let overrides = choices.list(2, |choices| {
            format!("{}:{}", choices.name(), choices.one(OVERRIDES))
        });
        config.push(format!("\"tool_args_match_overrides\":{{{overrides}}}"));
    }
    let side = |choices: &mut Choices<'_>| {
        let messages = choices.list(3, |choices| {
            let role = choices.one(&["assistant", "assistant", "assistant", "user", "tool", "ai"]);
            let role = if choices.rarely(50) { "nobody" } else { role };
            if choices.rarely(8) || !matches!(role, "assistant" | "ai") {
                return format!("{{\"role\":\"{role}\",\"content\":\"x\"}}");
            }
            let calls = choices.list(4, |choices| {
                let args = if choices.rarely(60) {
                    choices.value()
                } else {
                    choices.object()
                };
                let name = choices.name();
                if choices.rarely(2) {
                    format!(
                        "{{\"function\":{{\"name\":{name},\"arguments\":{}}}}}",
                        quoted(&args)
                    )
                } else {
                    format!("{{\"name\":{name},\"args\":{args}}}")
                }
            });
            format!("{{\"role\":\"{role}\",\"content\":\"\",\"tool_calls\":[{calls}]}}")
        });
        if choices.rarely(8) {
            format!("{{\"messages\":[{messages}]}}")
        } else {
            format!("[{messages}]")
        }
    };
    (
        format!("{{{}}}", config.join(",")),
        side(choices),
        side(choices),
    )
}

fn adk(choices: &mut Choices<'_>) -> Parts {
    let mut config = vec!["\"threshold\":0.5".to_owned()];
    if choices.rarely(2) {
        const TYPES: &[&str] = &[
            "\"IN_ORDER\"",
            "\"ANY_ORDER\"",
            "\"EXACT\"",
            "1",
            "2",
            "0",
            "\" any-order\"",
            "\"in order\"",
            "\"x\"",
            "3",
        ];
        config.push(format!("\"match_type\":{}", choices.one(TYPES)));
    }
    if choices.rarely(3) {
        config.push(format!("\"ignore_args\":{}", choices.one(FLAGS)));
    }
    let invocation = |choices: &mut Choices<'_>| {
        if choices.rarely(16) {
            return "{\"intermediate_data\":null}".to_owned();
        }
        let uses = choices.list(4, |choices| {
            let mut fields = Vec::new();
            if !choices.rarely(16) {
                fields.push(format!("\"name\":{}", choices.name()));
            }
            if !choices.rarely(10) {
                let odd = choices.rarely(12);
                fields.push(format!(
                    "\"args\":{}",
                    if odd {
                        choices.one(&["null", "{}", "[]"]).to_owned()
                    } else {
                        choices.object()
                    }
                ));
            }
            format!("{{{}}}", fields.join(","))
        });
        format!("{{\"intermediate_data\":{{\"tool_uses\":[{uses}]}}}}")
    };
    // Mostly as many on both sides.
    let (mut expected, mut actual) = (Vec::new(), Vec::new());
    for _ in 0..=usize::from(choices.rarely(3)) {
        expected.push(invocation(choices));
        actual.push(invocation(choices));
    }
    if choices.rarely(20) {
        actual.push(invocation(choices));
    }
    (
        format!("{{{}}}", config.join(",")),
        format!("[{}]", expected.join(",")),
        format!("[{}]", actual.join(",")),
    )
}

fn tau2(choices: &mut Choices<'_>) -> Parts {
    const KEYS: &[&str] = &["null", "[]", "[\"a\"]", "[\"a\",\"b\"]", "[\"none\"]", "7"];
    let config = if choices.rarely(2) {
        format!("{{\"strict\":{}}}", choices.one(FLAGS))
    } else {
        "{}".to_owned()
    };
    let arguments = |choices: &mut Choices<'_>| {
        if choices.rarely(40) {
            choices.value()
        } else {
            choices.object()
        }
    };
    let expected = choices.list(3, |choices| {
        let (name, arguments) = (choices.name(), arguments(choices));
        let keys = if choices.rarely(2) { choices.one(KEYS) } else { "null" };
        format!("{{\"action_id\":\"i\",\"name\":{name},\"arguments\":{arguments},\"compare_args\":{keys}}}")
    });
    let actual = choices.list(4, |choices| {
        let role = choices.one(&["assistant", "assistant", "user", "tool"]);
        let calls = choices.list(3, |choices| {
            let (name, arguments) = (choices.name(), arguments(choices));
            format!("{{\"id\":\"c\",\"name\":{name},\"arguments\":{arguments},\"requestor\":\"{role}\"}}")
        });
        format!("{{\"role\":\"{role}\",\"tool_calls\":[{calls}]}}")
    });
    (config, format!("[{expected}]"), format!("[{actual}]"))
}
