//! Parts of a case that some formats cannot hold, each under one name.

use rightcall_core::call::{ArgumentSource, ArgumentText, Call, Case, Executor, argument_text};

use super::parts::{calls, expected_calls};

/// A part of cases that a format cannot hold.
#[derive(Clone, Copy)]
pub struct Lack {
    /// Its name, in the plural.
    pub what: &'static str,
    pub(super) of: LackOf,
}

/// Where it occurs.
#[derive(Clone, Copy)]
pub(super) enum LackOf {
    /// In calls of the run.
    Calls(fn(&Call<'_>) -> bool),
    /// In expected calls.
    Expected(fn(&Call<'_>) -> bool),
    /// In the case.
    Cases(fn(&Case<'_>) -> bool),
}

impl Lack {
    pub(super) const fn calls(what: &'static str, is_in: fn(&Call<'_>) -> bool) -> Self {
        Self {
            what,
            of: LackOf::Calls(is_in),
        }
    }

    pub(super) const fn expected(what: &'static str, is_in: fn(&Call<'_>) -> bool) -> Self {
        Self {
            what,
            of: LackOf::Expected(is_in),
        }
    }

    pub(super) const fn cases(what: &'static str, is_in: fn(&Case<'_>) -> bool) -> Self {
        Self {
            what,
            of: LackOf::Cases(is_in),
        }
    }

    /// The counted unit, in the singular.
    pub fn unit(&self) -> &'static str {
        match self.of {
            LackOf::Calls(_) => "call",
            LackOf::Expected(_) => "expected call",
            LackOf::Cases(_) => "case",
        }
    }

    /// The number of occurrences in a case.
    pub fn count(&self, case: &Case<'_>) -> u64 {
        let count = match self.of {
            LackOf::Calls(is_in) => calls(case).iter().filter(|call| is_in(call)).count(),
            LackOf::Expected(is_in) => {
                let expected = expected_calls(case).unwrap_or_default();
                expected.iter().filter(|call| is_in(call)).count()
            }
            LackOf::Cases(is_in) => usize::from(is_in(case)),
        };
        count as u64
    }
}

impl std::fmt::Debug for Lack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.what)
    }
}

pub(super) const TIMES: Lack = Lack::calls("times", |call| {
    call.metadata().start.is_some() || call.metadata().end.is_some()
});
pub(super) const TOOL_IDS: Lack =
    Lack::calls("ids of tools", |call| call.metadata().tool_id.is_some());
pub(super) const ACTORS: Lack = Lack::calls("actors", |call| call.metadata().actor.is_some());
pub(super) const PARENTS: Lack = Lack::calls("calls inside calls", |call| {
    call.metadata().parent.is_some()
});
pub(super) const PROVIDER: Lack = Lack::calls("calls that the provider ran", |call| {
    call.metadata().executor == Executor::Provider
});
pub(super) const NOT_RUN: Lack = Lack::calls("calls known not to have run", |call| {
    call.metadata().executor == Executor::Nobody
});
pub(super) const SUCCESSES: Lack = Lack::calls("calls known to have succeeded", |call| {
    call.failed() == Some(false)
});
pub(super) const ERRORS: Lack = Lack::calls("errors, whose messages stand as results", |call| {
    call.failed() == Some(true)
});
pub(super) const ERROR_MESSAGES: Lack = Lack::calls(
    "messages of errors beside a result, or in place of one",
    |call| {
        let metadata = call.metadata();
        call.failed() == Some(true)
            && (metadata.error.as_deref() != Some("true") || metadata.output.is_none())
    },
);
pub(super) const NO_ARGUMENTS: Lack = Lack::calls(
    "arguments that were not recorded, which look like none",
    |call| call.arguments.is_absent(),
);
pub(super) const NOT_OBJECTS: Lack = Lack::calls(
    "arguments that are no JSON object, which become a member of one",
    is_no_object,
);
pub(super) const NO_TURNS: Lack = Lack::calls("calls of no known message, which get one", |call| {
    call.metadata().turn.is_none()
});
pub(super) const TURNS: Lack = Lack::calls("which calls were asked for together", |call| {
    call.metadata().turn.is_some() || call.metadata().group.is_some()
});
pub(super) const STRUCTURED: Lack =
    Lack::calls("results that are no text, which become JSON text", |call| {
        call.metadata()
            .output
            .as_deref()
            .is_some_and(|json| !json.starts_with('"'))
    });
pub(super) const RESULTS: Lack = Lack::calls("results", |call| call.metadata().output.is_some());
pub(super) const IDS: Lack = Lack::calls("ids of calls", |call| call.metadata().id.is_some());
pub(super) const NO_IDS: Lack = Lack::calls("calls without an id, which get one", |call| {
    call.metadata().id.is_none()
});

pub(super) const RUNS: Lack = Lack::cases("runs", |case| case.actual.is_some());
pub(super) const GAPS: Lack = Lack::cases("what is missing in runs, which look complete", |case| {
    case.incomplete.is_some()
});
pub(super) const EXPECTATIONS: Lack = Lack::cases("expectations", |case| !case.expected.is_empty());
pub(super) const BLOCKS: Lack = Lack::cases("expectations in blocks or with matchers", |case| {
    case.expected.tree.is_some()
});
pub(super) const NOT_CALLS: Lack = Lack::cases(
    "what is expected beside calls: orders, counts, outputs, constraints",
    |case| {
        let expected = &case.expected;
        let names = expected.order.is_some() || expected.counts.is_some();
        names || expected.outputs.is_some() || expected.constraints.is_some()
    },
);
pub(super) const TAGS: Lack = Lack::cases("tags", |case| !case.tags.is_empty());
pub(super) const TRIALS: Lack = Lack::cases("trials", |case| case.trial.is_some());
pub(super) const DESCRIPTIONS: Lack =
    Lack::cases("descriptions", |case| case.description.is_some());
pub(super) const META: Lack = Lack::cases("meta: what else is known", |case| !case.meta.is_empty());
pub(super) const ANSWERS: Lack = Lack::cases("answers of the agent", |case| case.output.is_some());
pub(super) const NO_CASE_ID: Lack = Lack::cases("cases without an id, which get one", |case| {
    case.id.is_none()
});
pub(super) const QUESTIONS: Lack = Lack::cases(
    "questions that are no text, which become JSON text",
    |case| case.input.is_some_and(|json| !json.starts_with('"')),
);

pub(super) const ANY_ARGUMENTS: Lack = Lack::expected(
    "expected calls of any arguments, which become calls without arguments",
    |call| call.arguments.is_absent(),
);
pub(super) const EXPECTED_NOT_OBJECTS: Lack = Lack::expected(
    "expected arguments that are no JSON object, which become a member of one",
    is_no_object,
);
pub(super) const EXPECTED_RESULTS: Lack = Lack::expected("results that are expected", |call| {
    call.metadata().output.is_some()
});
pub(super) const COMPARE_ARGS: Lack = Lack::expected("`compare_args`", |call| {
    call.metadata().compare_args.is_some()
});
pub(super) const EXPECTED_ACTORS: Lack = Lack::expected("actors of expected calls", |call| {
    call.metadata().actor.is_some()
});
pub(super) const EXPECTED_TURNS: Lack =
    Lack::expected("messages that expected calls belong to", |call| {
        call.metadata().turn.is_some() || call.metadata().group.is_some()
    });
pub(super) const EXPECTED_DETAILS: Lack = Lack::expected(
    "ids, times and errors of expected calls, and who runs them",
    |call| {
        let it = call.metadata();
        let has_id = it.id.is_some() || it.tool_id.is_some();
        let has_time = it.start.is_some() || it.end.is_some();
        let runs = it.parent.is_some() || it.executor != Executor::Agent;
        has_id || has_time || runs || it.error.is_some()
    },
);

/// True for arguments that are neither an object nor the JSON text of one.
fn is_no_object(call: &Call<'_>) -> bool {
    match call.arguments.source() {
        ArgumentSource::Absent => false,
        ArgumentSource::Json(json) => !json.starts_with('{'),
        ArgumentSource::Text { text, .. } => argument_text(&text).1 != ArgumentText::Json,
    }
}
