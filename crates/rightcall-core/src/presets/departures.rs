//! Intended differences between evaluators and their packages in all editions, each with its reason.

use crate::entry::Departure;

/// The departures that most packages share. The docs list them once, instead of on each page.
pub const GENERAL_DEPARTURES: &[Departure] = &[REPEATED_KEYS, NESTING, DIGITS, UNKNOWN_SETTINGS];

/// For every evaluator with a package.
pub(crate) const REPEATED_KEYS: Departure = Departure {
    point: "a key that comes twice, first with a value of the wrong kind: `{\"args\": 3, \"args\": {}}`",
    package: "the last one counts, whatever the first was",
    here: "in a case, an error at the first; in arguments the last one counts, as there",
    reason: "such a file was damaged or edited by hand, and readers disagree about it",
};

/// For every evaluator with a package.
pub(crate) const NESTING: Departure = Departure {
    point: "more than 512 levels of nesting",
    package: "are read as far as the stack allows, which is no fixed number",
    here: "an error of that case alone",
    reason: "no input may end the process, and the same input gives the same result everywhere",
};

/// For Python packages.
pub(crate) const DIGITS: Departure = Departure {
    point: "an integer of more than 4,300 digits in a file",
    package: "cannot be read: `json.loads` raises an error",
    here: "read and compared like any other",
    reason: "the limit is a setting of the interpreter, which protects it from slow conversions",
};

/// For constructors that accept unknown settings.
pub(crate) const UNKNOWN_SETTINGS: Departure = Departure {
    point: "a setting of an unknown name",
    package: "ignored",
    here: "an error with the nearest name; `from_config` and the drop-in modules ignore it, as the package does",
    reason: "a misspelled setting would leave the default in force without a message",
};

/// For packages that treat null as an empty list of calls.
pub(crate) const NULL_LISTS: Departure = Departure {
    point: "`null` in place of a list of calls",
    package: "an empty list",
    here: "not applicable in a case; in the package's own shape an empty list, as there",
    reason: "`null` says that nothing is known, and `[]` that nothing is expected or was called",
};

/// For numbers compared with JavaScript's `Object.is`.
pub(crate) const NEGATIVE_ZERO: Departure = Departure {
    point: "`-0` in an expected argument",
    package: "becomes `0`, which differs from a `-0` of the agent",
    here: "equals both `0` and `-0`",
    reason: "a call that is written exactly as expected is right",
};

/// For packages that turn an exception into a score.
pub(crate) const ERROR_RESULT: Departure = Departure {
    point: "an exception while a case is judged",
    package: "an *error result*: a score of 0.0 with `score_type` 2, which counts in a mean",
    here: "an error, out of mean and pass rate, and exit code 2; the original's result is kept beside it",
    reason: "the run was not judged, and a 0 would say that it was bad",
};

/// For Python packages that compare objects or lists of arguments as a whole.
pub(crate) const NAN_WITHIN: Departure = Departure {
    point: "`NaN` within arguments of both sides",
    package: "equal where both are one object, as all that one `json.loads` made are: Python compares identity before values",
    here: "equals nothing, itself included",
    reason: "whether two are one object is not in the data, and depends on how they were loaded",
};

/// For Python packages that compare each argument separately.
pub(crate) const NAN_BELOW: Departure = Departure {
    point: "`NaN` within a list or an object that is an argument",
    package: "equal where both are one object: Python compares identity before values there, but not where `NaN` is the argument itself",
    here: "equals nothing, itself included",
    reason: "whether two are one object is not in the data, and depends on how they were loaded",
};

/// For JavaScript packages.
pub(crate) const NAN_IN_FILES: Departure = Departure {
    point: "`NaN` in a file",
    package: "cannot be read: it is no JSON",
    here: "read as Python writes it, and equals nothing, itself included",
    reason: "cases come from Python as well",
};

/// For weights in JavaScript packages.
pub(crate) const NAN_SCORE: Departure = Departure {
    point: "a weight that is no number, such as `\"high\"`",
    package: "a score of `NaN`, which JSON shows as `null`",
    here: "an error",
    reason: "`NaN` is no score: it is neither above nor below any threshold",
};

/// For maps from tools to argument modes.
pub(crate) const UNKNOWN_OVERRIDE: Departure = Departure {
    point: "a mode in `tool_args_match_overrides` that the package does not know",
    package: "the arguments of that tool are ignored",
    here: "an error with the modes that there are; `from_config` and the drop-in modules follow the package",
    reason: "a misspelled mode would let any arguments pass",
};

/// For packages that accept any number as a threshold.
pub(crate) const THRESHOLD_RANGE: Departure = Departure {
    point: "a `threshold` below 0 or above 1",
    package: "taken: every score passes, or none",
    here: "an error; `from_config` and the drop-in modules take it, as the package does",
    reason: "it is a percentage or a typing error: no score is outside this range",
};
