//! The keys of a suite: the one place that says what each takes and what it does. What is checked, what messages say and the
//! published schema come from these tables.

/// A key.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    pub(super) doc: &'static str,
}

/// What a key takes.
pub(super) enum Takes {
    /// A text.
    Text(&'static str),
    /// A text, or a list of them.
    Texts(&'static str),
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A number of 0 or more.
    Weight,
    /// A number from 0 to 1.
    Threshold,
    /// A whole number of 0 or more.
    Number,
    /// An object with these keys.
    Object(&'static Shape),
    /// An object with free keys.
    Map(&'static Self, &'static str),
    /// A list that is not empty.
    List(&'static Self, &'static str),
    /// A list, which may be empty.
    ListOrNone(&'static Self, &'static str),
    /// A text, a number, `true` or `false`.
    Value,
    /// One of these, or a list of them.
    Values,
    /// An operator and a number.
    Bound(Measure),
    /// An operator and a number, or an object.
    BoundOr(Measure, &'static Shape),
    /// An evaluator's id, or an object with its settings.
    Evaluator,
    /// What a case demands, with a `when`.
    Expectation,
    /// A part of that, which is read as in a case.
    Demand,
}

/// What a condition measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// A score.
    Score,
    /// A part of the cases.
    Share,
    /// A number of cases.
    Count,
    /// A change of a score or a share.
    Change,
}

/// The keys of an object.
pub(super) struct Shape {
    /// `a suite`, for messages.
    pub(super) name: &'static str,
    pub(super) keys: &'static [&'static [Key]],
    /// What other keys there may be.
    pub(super) others: Option<&'static Others>,
}

/// Keys that have no fixed names.
pub(super) struct Others {
    /// `the evaluators of the suite`, for messages.
    pub(super) name: &'static str,
    /// What they do.
    pub(super) doc: &'static str,
    /// Whether the key is one of them.
    pub(super) is_one: fn(&str) -> bool,
    /// The same as a regular expression, for the schema.
    pub(super) pattern: &'static str,
    pub(super) takes: Takes,
}

impl Shape {
    pub(super) fn all(&self) -> impl Iterator<Item = &'static Key> {
        self.keys.iter().copied().flatten()
    }

    pub(super) fn key(&self, name: &str) -> Option<&'static Key> {
        self.all().find(|key| key.name == name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all()
            .map(|key| key.name)
            .filter(|name| !name.starts_with('$'))
    }
}

pub(super) static SUITE: Shape = Shape {
    name: "a suite",
    keys: &[COMMON, &PROFILES],
    others: None,
};

/// What both a suite and a profile may say.
const COMMON: &[Key] = &[
    Key {
        name: "cases",
        takes: Takes::Texts("a path, a glob or a list of them"),
        doc: "Files of cases: a path, a glob or a list of them, relative to the suite.",
    },
    Key {
        name: "traces",
        takes: Takes::Texts("a path, a glob or a list of them"),
        doc: "Files with the agent's runs, joined to the cases by id.",
    },
    Key {
        name: "evaluators",
        takes: Takes::List(&Takes::Evaluator, "a list of evaluators"),
        doc: "What judges the cases.",
    },
    Key {
        name: "gates",
        takes: Takes::ListOrNone(&Takes::Object(&GATE), "a list of gates"),
        doc: "Conditions on the whole run, which alone decide the exit code; with an empty list nothing decides.",
    },
    Key {
        name: "edition",
        takes: Takes::Choice(EDITIONS),
        doc: "What evaluators follow where document and package differ.",
    },
    Key {
        name: "expect",
        takes: Takes::Expectation,
        doc: "What is expected of every trajectory that has no expectation of its own.",
    },
    Key {
        name: "unmatched",
        takes: Takes::Choice(&["fail", "ignore"]),
        doc: "What becomes of a case without a run: it counts as failed (the default), or is left out.",
    },
    Key {
        name: "join",
        takes: Takes::Text("id, file, order or a key"),
        doc: "By what a run is found: its `id` (the default), the name of its `file`, its place (`order`), or the key of a meta value or of an attribute of spans.",
    },
    Key {
        name: "read",
        takes: Takes::Map(&Takes::Text("one of its values"), "an object of choices"),
        doc: "How traces are read where opinions differ, such as `order: document`; `rightcall formats` lists the choices.",
    },
    Key {
        name: "trials",
        takes: Takes::Object(&TRIALS),
        doc: "How the trials of a case count.",
    },
    Key {
        name: "baseline",
        takes: Takes::Text("a path"),
        doc: "The file with the results that gates on changes compare with; `rightcall run --accept` writes it.",
    },
    Key {
        name: "redact",
        takes: Takes::Texts("a pattern, or a list of them"),
        doc: "What nobody may see: names at any depth, pointers into arguments such as `/card/*` or `TOOL:/card`, or into the case such as `$/meta/email`.",
    },
    Key {
        name: "history",
        takes: Takes::Object(&HISTORY),
        doc: "What the history keeps of a run.",
    },
];

static PROFILES: [Key; 2] = [
    Key {
        name: "profiles",
        takes: Takes::Map(&Takes::Object(&PROFILE), "an object of profiles"),
        doc: "Keys of the suite that are replaced when `--profile NAME` is given.",
    },
    Key {
        name: "$schema",
        takes: Takes::Text("the address of a schema"),
        doc: "The schema, for editors.",
    },
];

static PROFILE: Shape = Shape {
    name: "a profile",
    keys: &[COMMON],
    others: None,
};

const EDITIONS: &[&str] = &["documented", "package"];

pub(super) static EVALUATOR: Shape = Shape {
    name: "an evaluator",
    keys: &[&[
        Key {
            name: "evaluator",
            takes: Takes::Text("the id of an evaluator"),
            doc: "Its id or alias.",
        },
        Key {
            name: "name",
            takes: Takes::Text("a name"),
            doc: "What you call it, in gates and results.",
        },
        Key {
            name: "threshold",
            takes: Takes::Threshold,
            doc: "The score from which a case passes. Without gates, a case below it ends with exit code 1.",
        },
        Key {
            name: "weight",
            takes: Takes::Weight,
            doc: "Its part in the score of a case, 1 unless given; 0 leaves it out of that score.",
        },
        Key {
            name: "edition",
            takes: Takes::Choice(EDITIONS),
            doc: "What it follows where document and package differ.",
        },
    ]],
    others: None,
};

static GATE: Shape = Shape {
    name: "a gate",
    keys: &[&[
        Key {
            name: "tag",
            takes: Takes::Texts("a tag or a list of them"),
            doc: "Only cases with one of these tags count.",
        },
        Key {
            name: "meta",
            takes: Takes::Map(&Takes::Values, "an object of meta keys and values"),
            doc: "Only cases with one of these values under each key count.",
        },
        Key {
            name: "by",
            takes: Takes::Text("`tag` or a meta key"),
            doc: "The condition must hold for each value of a meta key, or for each tag (`by: tag`).",
        },
        Key {
            name: "passed",
            takes: Takes::BoundOr(Measure::Share, &PASSED),
            doc: "The share of the cases that pass. A case passes if every verdict on it does.",
        },
        Key {
            name: "score",
            takes: Takes::Object(&CONDITIONS),
            doc: "Conditions on the weighted scores of the cases.",
        },
    ]],
    others: Some(&Others {
        name: "the evaluators of the suite",
        doc: "Conditions on an evaluator of this suite, by its name or id.",
        is_one: |_| true,
        pattern: ".",
        takes: Takes::Object(&CONDITIONS),
    }),
};

static CONDITIONS: Shape = Shape {
    name: "a condition",
    keys: &[
        &[
            Key {
                name: "mean",
                takes: Takes::Bound(Measure::Score),
                doc: "The mean score.",
            },
            Key {
                name: "min",
                takes: Takes::Bound(Measure::Score),
                doc: "The lowest score.",
            },
            Key {
                name: "max",
                takes: Takes::Bound(Measure::Score),
                doc: "The highest score.",
            },
        ],
        SHARES,
        CHANGES,
        &[
            Key {
                name: "errors",
                takes: Takes::Bound(Measure::Count),
                doc: "The number of cases that ended in an error.",
            },
            Key {
                name: "not_applicable",
                takes: Takes::Bound(Measure::Count),
                doc: "The number of cases to which the evaluator does not apply.",
            },
        ],
    ],
    others: Some(&Others {
        name: "percentiles such as p05",
        doc: "The score below which so many percent of the cases lie.",
        is_one: is_percentile,
        pattern: "^p(0[1-9]|[1-9][0-9])$",
        takes: Takes::Bound(Measure::Score),
    }),
};

const SHARES: &[Key] = &[
    Key {
        name: "pass_rate",
        takes: Takes::Bound(Measure::Share),
        doc: "The share of the cases that pass.",
    },
    Key {
        name: "applicable",
        takes: Takes::Bound(Measure::Share),
        doc: "The share of the cases that can be judged; \">= 90%\" unless given.",
    },
];

const CHANGES: &[Key] = &[
    Key {
        name: "worse",
        takes: Takes::Bound(Measure::Count),
        doc: "The number of cases that got worse since the baseline.",
    },
    Key {
        name: "better",
        takes: Takes::Bound(Measure::Count),
        doc: "The number of cases that got better since the baseline.",
    },
    Key {
        name: "change",
        takes: Takes::Bound(Measure::Change),
        doc: "How much the mean changed since the baseline.",
    },
    Key {
        name: "change_low",
        takes: Takes::Bound(Measure::Change),
        doc: "The lower end of the 95 % interval of that change: what is ruled out to have fallen further.",
    },
    Key {
        name: "change_high",
        takes: Takes::Bound(Measure::Change),
        doc: "The upper end of that interval.",
    },
];

static PASSED: Shape = Shape {
    name: "`passed`",
    keys: &[SHARES, CHANGES],
    others: None,
};

fn is_percentile(name: &str) -> bool {
    matches!(name.as_bytes(), [b'p', tens @ b'0'..=b'9', ones @ b'0'..=b'9'] if (*tens, *ones) != (b'0', b'0'))
}

static TRIALS: Shape = Shape {
    name: "`trials`",
    keys: &[&[
        Key {
            name: "passed",
            takes: Takes::Choice(&["each", "all", "any"]),
            doc: "`each` trial counts as a case (the default), or a case passes if `all` or `any` of its trials do.",
        },
        Key {
            name: "group",
            takes: Takes::Text("a meta key"),
            doc: "The meta key that trials of a case share, unless they share the id.",
        },
    ]],
    others: None,
};

static HISTORY: Shape = Shape {
    name: "`history`",
    keys: &[&[Key {
        name: "max_cases",
        takes: Takes::Number,
        doc: "How many cases of a run are kept, 10000 unless given; of more, the failures and a sample.",
    }]],
    others: None,
};

pub(super) static EXPECT: Shape = Shape {
    name: "`expect`",
    keys: &[&[
        Key {
            name: "when",
            takes: Takes::Object(&WHEN),
            doc: "Which trajectories are meant; all, unless given.",
        },
        Key {
            name: "calls",
            takes: Takes::Demand,
            doc: "The calls, in order.",
        },
        Key {
            name: "order",
            takes: Takes::Demand,
            doc: "Names of tools, in order.",
        },
        Key {
            name: "counts",
            takes: Takes::Demand,
            doc: "How often each tool is called.",
        },
        Key {
            name: "outputs",
            takes: Takes::Demand,
            doc: "What tools return.",
        },
        Key {
            name: "constraints",
            takes: Takes::Demand,
            doc: "Conditions, which the evaluator `constraints` judges.",
        },
    ]],
    others: None,
};

static WHEN: Shape = Shape {
    name: "`when`",
    keys: &[&[
        Key {
            name: "tag",
            takes: Takes::Texts("a tag or a list of them"),
            doc: "Any of these tags.",
        },
        Key {
            name: "agent",
            takes: Takes::Texts("an agent or a list of them"),
            doc: "Any of these agents: the meta value `agent`, or the actor of a call.",
        },
        Key {
            name: "meta",
            takes: Takes::Map(&Takes::Values, "an object of meta keys and values"),
            doc: "One of these values under each key.",
        },
    ]],
    others: None,
};

/// All tables.
#[cfg(test)]
pub(super) static ALL: [&Shape; 10] = [
    &SUITE,
    &PROFILE,
    &EVALUATOR,
    &GATE,
    &CONDITIONS,
    &PASSED,
    &TRIALS,
    &HISTORY,
    &EXPECT,
    &WHEN,
];
