//! The keys of a suite, each with its type and documentation. Validation, error messages and the published schema all use these
//! tables.

/// A key.
pub(super) struct SuiteKey {
    pub(super) name: &'static str,
    pub(super) takes: ValueType,
    pub(super) doc: &'static str,
}

const fn key(name: &'static str, takes: ValueType, doc: &'static str) -> SuiteKey {
    SuiteKey { name, takes, doc }
}

/// The type of a value.
pub(super) enum ValueType {
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
    /// An object of this type.
    Object(&'static ObjectType),
    /// An object with any keys.
    Map(&'static Self, &'static str),
    /// A list with at least one item.
    List(&'static Self, &'static str),
    /// A list, possibly empty.
    ListOrNone(&'static Self, &'static str),
    /// A text, a number, `true` or `false`.
    Value,
    /// A text, a number, `true` or `false`, or a list of them.
    Values,
    /// An operator and a number.
    Bound(Measure),
    /// An operator and a number, or an object.
    BoundOr(Measure, &'static ObjectType),
    /// An evaluator's id, or an object with its settings.
    Evaluator,
    /// The expectation of a case, plus `when`.
    Expectation,
    /// A part of an expectation, parsed as in a case.
    ExpectationPart,
}

/// The quantity that a condition limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// A score.
    Score,
    /// A share of the cases.
    Share,
    /// A number of cases.
    Count,
    /// A change of a score or of a share.
    Change,
}

/// The type of an object.
pub(super) struct ObjectType {
    /// The name in messages, such as `a suite`.
    pub(super) name: &'static str,
    pub(super) keys: &'static [&'static [SuiteKey]],
    /// Allowed keys without fixed names.
    pub(super) others: Option<&'static OtherKeys>,
}

/// Keys without fixed names.
pub(super) struct OtherKeys {
    /// The name in messages, such as `the evaluators of the suite`.
    pub(super) name: &'static str,
    /// Their documentation.
    pub(super) doc: &'static str,
    /// True if a key is allowed.
    pub(super) is_allowed: fn(&str) -> bool,
    /// The same rule as a regular expression, for the schema.
    pub(super) pattern: &'static str,
    pub(super) takes: ValueType,
}

impl ObjectType {
    pub(super) fn all(&self) -> impl Iterator<Item = &'static SuiteKey> {
        self.keys.iter().copied().flatten()
    }

    pub(super) fn key(&self, name: &str) -> Option<&'static SuiteKey> {
        self.all().find(|key| key.name == name)
    }

    /// The names of the keys, except those for editors such as `$schema`.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all()
            .map(|key| key.name)
            .filter(|name| !name.starts_with('$'))
    }
}

pub(super) static SUITE: ObjectType = ObjectType {
    name: "a suite",
    keys: &[COMMON, &PROFILES],
    others: None,
};

const A_GATE: ValueType = ValueType::Object(&GATE);

const A_PROFILE: ValueType = ValueType::Object(&PROFILE);

/// Keys of both suites and profiles.
const COMMON: &[SuiteKey] = &[
    key(
        "cases",
        ValueType::Texts("a path, a glob or a list of them"),
        "Files of cases: a path, a glob or a list of them, relative to the suite.",
    ),
    key(
        "traces",
        ValueType::Texts("a path, a glob or a list of them"),
        "Files with the agent's runs, joined to the cases by id.",
    ),
    key(
        "evaluators",
        ValueType::List(&ValueType::Evaluator, "a list of evaluators"),
        "The evaluators that score the cases.",
    ),
    key(
        "gates",
        ValueType::ListOrNone(&A_GATE, "a list of gates"),
        "Conditions on the whole run, which alone decide the exit code; with an empty list the run cannot fail.",
    ),
    key(
        "edition",
        ValueType::Choice(EDITIONS),
        "What evaluators follow where document and package differ.",
    ),
    key(
        "expect",
        ValueType::Expectation,
        "What is expected of every trajectory that has no expectation of its own.",
    ),
    key(
        "unmatched",
        ValueType::Choice(&["fail", "ignore"]),
        "What becomes of a case without a run: it counts as failed (the default), or is left out.",
    ),
    key(
        "join",
        ValueType::Text("id, input, file, order or a key"),
        "The key that matches runs to cases: `id` (the default), `input` (the question), `file` (its name), `order` (its position), a meta key or a span attribute.",
    ),
    key(
        "read",
        ValueType::Map(
            &ValueType::Text("one of its values"),
            "an object of choices",
        ),
        "How traces are read where opinions differ, such as `order: document`; `rightcall formats` lists the choices.",
    ),
    key(
        "map",
        ValueType::Text("a path"),
        "The map by which traces are read, relative to the suite; `rightcall schema map` describes maps.",
    ),
    key(
        "identity",
        ValueType::Texts("a meta key, or a list of them"),
        "Meta keys that tell the runs of one case apart, in addition to `model`: the same id, trial and values twice are an error.",
    ),
    key(
        "runs",
        ValueType::Map(
            &ValueType::Texts("a path, a glob or a list of them"),
            "an object of files with runs",
        ),
        "Files of traces by name, such as one for each model: each is scored for itself, and all are compared with the first.",
    ),
    key(
        "trials",
        ValueType::Object(&TRIALS),
        "How the trials of a case count.",
    ),
    key(
        "baseline",
        ValueType::Text("a path"),
        "The file with the results that gates on changes compare with; `rightcall run --accept` writes it.",
    ),
    key(
        "redact",
        ValueType::Texts("a pattern, or a list of them"),
        "Values that must not appear in results: names at any depth, pointers into arguments such as `/card/*` or `TOOL:/card`, or into the case such as `$/meta/email`.",
    ),
    key(
        "history",
        ValueType::Object(&HISTORY),
        "What the history keeps of a run.",
    ),
];

static PROFILES: [SuiteKey; 2] = [
    key(
        "profiles",
        ValueType::Map(&A_PROFILE, "an object of profiles"),
        "Keys of the suite that are replaced when `--profile NAME` is given.",
    ),
    key(
        "$schema",
        ValueType::Text("the address of a schema"),
        "The schema, for editors.",
    ),
];

static PROFILE: ObjectType = ObjectType {
    name: "a profile",
    keys: &[COMMON],
    others: None,
};

const EDITIONS: &[&str] = &["documented", "package"];

pub(super) static EVALUATOR: ObjectType = ObjectType {
    name: "an evaluator",
    keys: &[&[
        key(
            "evaluator",
            ValueType::Text("the id of an evaluator"),
            "Its id or alias.",
        ),
        key(
            "name",
            ValueType::Text("a name"),
            "What you call it, in gates and results.",
        ),
        key(
            "threshold",
            ValueType::Threshold,
            "The score from which a case passes. Without gates, a case below it ends with exit code 1.",
        ),
        key(
            "weight",
            ValueType::Weight,
            "Its part in the score of a case, 1 unless given; 0 leaves it out of that score.",
        ),
        key(
            "edition",
            ValueType::Choice(EDITIONS),
            "What it follows where document and package differ.",
        ),
    ]],
    others: None,
};

static GATE: ObjectType = ObjectType {
    name: "a gate",
    keys: &[&[
        key(
            "tag",
            ValueType::Texts("a tag or a list of them"),
            "Only cases with one of these tags count.",
        ),
        key(
            "meta",
            ValueType::Map(&ValueType::Values, "an object of meta keys and values"),
            "Only cases with one of these values under each key count.",
        ),
        key(
            "by",
            ValueType::Text("`tag` or a meta key"),
            "The condition must hold for each value of a meta key, or for each tag (`by: tag`).",
        ),
        key(
            "passed",
            ValueType::BoundOr(Measure::Share, &PASSED),
            "The share of the cases that pass. A case passes if every verdict on it does.",
        ),
        key(
            "score",
            ValueType::Object(&CONDITIONS),
            "Conditions on the weighted scores of the cases.",
        ),
    ]],
    others: Some(&OtherKeys {
        name: "the evaluators of the suite",
        doc: "Conditions on an evaluator of this suite, by its name or id.",
        // `where` is a misspelled `tag` or `meta`, never the name of an evaluator.
        is_allowed: |name| name != "where",
        pattern: ".",
        takes: ValueType::Object(&CONDITIONS),
    }),
};

static CONDITIONS: ObjectType = ObjectType {
    name: "a condition",
    keys: &[
        &[
            key("mean", ValueType::Bound(Measure::Score), "The mean score."),
            key("min", ValueType::Bound(Measure::Score), "The lowest score."),
            key(
                "max",
                ValueType::Bound(Measure::Score),
                "The highest score.",
            ),
        ],
        SHARES,
        CHANGES,
        &[
            key(
                "errors",
                ValueType::Bound(Measure::Count),
                "The number of cases that ended in an error.",
            ),
            key(
                "not_applicable",
                ValueType::Bound(Measure::Count),
                "The number of cases to which the evaluator does not apply.",
            ),
        ],
    ],
    others: Some(&OtherKeys {
        name: "percentiles such as p05",
        doc: "A percentile of the scores, such as p05.",
        is_allowed: is_percentile,
        pattern: "^p(0[1-9]|[1-9][0-9])$",
        takes: ValueType::Bound(Measure::Score),
    }),
};

const SHARES: &[SuiteKey] = &[
    key(
        "pass_rate",
        ValueType::Bound(Measure::Share),
        "The share of the cases that pass.",
    ),
    key(
        "applicable",
        ValueType::Bound(Measure::Share),
        "The share of the cases that can be judged; \">= 90%\" unless given.",
    ),
];

const CHANGES: &[SuiteKey] = &[
    key(
        "worse",
        ValueType::Bound(Measure::Count),
        "The number of cases that got worse since the baseline.",
    ),
    key(
        "better",
        ValueType::Bound(Measure::Count),
        "The number of cases that got better since the baseline.",
    ),
    key(
        "change",
        ValueType::Bound(Measure::Change),
        "How much the mean changed since the baseline.",
    ),
    key(
        "change_low",
        ValueType::Bound(Measure::Change),
        "The lower end of the 95 % interval of that change: what is ruled out to have fallen further.",
    ),
    key(
        "change_high",
        ValueType::Bound(Measure::Change),
        "The upper end of that interval.",
    ),
];

static PASSED: ObjectType = ObjectType {
    name: "`passed`",
    keys: &[SHARES, CHANGES],
    others: None,
};

fn is_percentile(name: &str) -> bool {
    matches!(name.as_bytes(), [b'p', tens @ b'0'..=b'9', ones @ b'0'..=b'9'] if (*tens, *ones) != (b'0', b'0'))
}

static TRIALS: ObjectType = ObjectType {
    name: "`trials`",
    keys: &[&[
        key(
            "passed",
            ValueType::Choice(&["each", "all", "any"]),
            "`each` trial counts as a case (the default), or a case passes if `all` or `any` of its trials do.",
        ),
        key(
            "group",
            ValueType::Text("a meta key"),
            "The meta key that trials of a case share, unless they share the id.",
        ),
    ]],
    others: None,
};

static HISTORY: ObjectType = ObjectType {
    name: "`history`",
    keys: &[&[key(
        "max_cases",
        ValueType::Number,
        "How many cases of a run are kept, 10000 unless given; of more, the failures and a sample.",
    )]],
    others: None,
};

pub(super) static EXPECT: ObjectType = ObjectType {
    name: "`expect`",
    keys: &[&[
        key(
            "when",
            ValueType::Object(&WHEN),
            "Which trajectories are meant; all, unless given.",
        ),
        key("calls", ValueType::ExpectationPart, "The calls, in order."),
        key(
            "order",
            ValueType::ExpectationPart,
            "Names of tools, in order.",
        ),
        key(
            "counts",
            ValueType::ExpectationPart,
            "How often each tool is called.",
        ),
        key("outputs", ValueType::ExpectationPart, "What tools return."),
        key(
            "constraints",
            ValueType::ExpectationPart,
            "Conditions, which the evaluator `constraints` judges.",
        ),
    ]],
    others: None,
};

static WHEN: ObjectType = ObjectType {
    name: "`when`",
    keys: &[&[
        key(
            "tag",
            ValueType::Texts("a tag or a list of them"),
            "Any of these tags.",
        ),
        key(
            "agent",
            ValueType::Texts("an agent or a list of them"),
            "Any of these agents: the meta value `agent`, or the actor of a call.",
        ),
        key(
            "meta",
            ValueType::Map(&ValueType::Values, "an object of meta keys and values"),
            "One of these values under each key.",
        ),
    ]],
    others: None,
};

/// All tables.
#[cfg(test)]
pub(super) static ALL: [&ObjectType; 10] = [
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
