//! `mlflow/tool-call-correctness`: `MLflow`'s scorer of that name, in its modes without a model.

use crate::call::Call;
use crate::entry::Departure;
use crate::matching::ArgumentsRef;
use crate::presets::prelude::*;
use crate::recipe::{Field, calls_and_run, nothing_expected, require_recorded};
use crate::value::Object;
use crate::value::python::is_falsy;

pub(crate) static ENTRY: Entry = Entry {
    id: "mlflow/tool-call-correctness",
    aliases: &[],
    summary: "Whether the calls are the expected ones, in any order or in order.",
    page: Page {
        measures: "Whether an agent made the expected tool calls and no others, in any order or in order. This is the part of MLflow's \
scorer that needs no model: there are expected calls, and `should_exact_match` is set.",
        formula: "1 (`yes`) or 0 (`no`). There have to be as many calls on both sides. With `should_consider_ordering` those of each place are \
the same; else each call of either side is among those of the other. If any expected call states no arguments, names alone are compared, of all \
calls. `1` and `1.0` differ.",
        use_when: "You move from MLflow, or want a plain yes or no.",
        not_when: "How often a call is made matters: without order `a a b` is right where `a b b` is expected (`trajectory` with \
`mode: unordered`).",
        limits: "One expected call without arguments takes those of all others out of the comparison, as in the original. The rationale of the \
original is not repeated. MLflow's scorers from other packages are theirs: `ToolTrajectory` is `adk/trajectory`, `ToolCorrectness` is \
`deepeval/tool-correctness`, `ToolCallAccuracy` and `ToolCallF1` are `ragas/tool-call-accuracy` and `ragas/tool-call-f1`.",
        not_applicable: "The case states no calls, or an empty list of them, or there is no run; where arguments are compared: a call was \
recorded without.",
        editions: "",
        departures: &[
            UNNAMED,
            NAN_TEXT,
            ARGUMENT_TEXTS,
            WRAPPERS,
            departures::REPEATED_KEYS,
            departures::NESTING,
            departures::DIGITS,
        ],
        source: "Package `mlflow` 3.18.0, `ToolCallCorrectness` with `should_exact_match=True`.",
        related: &[
            "agentevals/trajectory-match",
            "adk/trajectory",
            "trajectory",
        ],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find","args":{"id":7}},{"name":"pay","args":{"id":7}}]"#,
            actual: r#"[{"name":"pay","args":{"id":7}},{"name":"find","args":{"id":7}}]"#,
            result: r#"{"score":1.0,"value":"yes"}"#,
        },
    },
    settings: &[EXACT_MATCH.setting, ORDERING.setting],
    editions: &[Edition::Package],
    needs: "expected calls; names, and where all expected calls state them arguments, of the actual calls",
    shape: None,
    build,
};

const UNNAMED: Departure = Departure {
    point: "an expected call without a name",
    package: "has the name `None`",
    here: "an error",
    reason: "no call would ever match it",
};

const NAN_TEXT: Departure = Departure {
    point: "`NaN` within arguments of both sides",
    package: "equal: the texts of the arguments are compared",
    here: "equals nothing, itself included",
    reason: "so it is for every evaluator here, and no two services agree on it",
};

const ARGUMENT_TEXTS: Departure = Departure {
    point: "arguments that are the text of a JSON object: `{\"args\": \"{}\"}`",
    package: "an error",
    here: "in a case, the object that the text holds; in the package's own shape an error, as there",
    reason: "most providers record arguments as text, and the recorder makes no difference to a call",
};

const WRAPPERS: Departure = Departure {
    point: "a toolset's wrapper, whose inputs are `{\"call\": {\"tool_name\": \"find\", \"args\": {}}}`",
    package: "a call of `find`, with all of the inputs as arguments",
    here: "a call of `find` with the `args` of the wrapped call",
    reason: "these are what the tool was called with",
};

const EXACT_MATCH: Flag = Flag::new(
    "should_exact_match",
    true,
    "Compare without a model. The original's default is false; here it can only be true.",
);
const ORDERING: Flag = Flag::new("should_consider_ordering", false, "Order counts.");

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    if !EXACT_MATCH.read(settings)? {
        return Err(settings.conflict("without `should_exact_match` a model judges the calls"));
    }
    let (align, condition) = if ORDERING.read(settings)? {
        (Align::Position, "the same calls in the same places")
    } else {
        let condition = "as many calls, each among those of the other side";
        (Align::UnconsumedBothWays, condition)
    };
    let empty = Worth::Error("no calls are expected: a model would judge");
    let recipe = |arguments: ArgumentRule| Recipe {
        empty: EmptyPolicy {
            both: empty,
            expected: empty,
            ..EmptyPolicy::COMPUTE
        },
        ..Recipe::new(
            Rules::from_arguments(arguments, ValueEquality::Strict),
            align.clone(),
            Scoring::AllOrNothing(condition, Costs::BOTH),
        )
    };
    let original = ToolCallCorrectness {
        names_recipe: recipe(ArgumentRule::Ignored),
    };
    Ok(Composed::preset(recipe(ArgumentRule::Equal), original))
}

#[derive(Debug)]
struct ToolCallCorrectness {
    /// The recipe if an expected call has no arguments.
    names_recipe: Recipe,
}

impl Original for ToolCallCorrectness {
    fn has_one_recipe(&self) -> bool {
        false
    }

    fn recipe_for<'r>(&'r self, of_calls: &'r Recipe, sides: &Sides<'_>) -> &'r Recipe {
        if leaves_arguments_open(sides) {
            &self.names_recipe
        } else {
            of_calls
        }
    }

    fn read_case<'c>(&self, _: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let (calls, run) = calls_and_run(prepared.case())?;
        if calls.is_empty() {
            return Err(nothing_expected("calls"));
        }
        let sides = Sides::new(prepared.expected_items(), prepared.actual_items());
        if leaves_arguments_open(&sides) {
            return Ok(sides);
        }
        require_recorded(&run.calls, Field::Arguments)?;
        require_objects("expected", calls, true)?;
        require_objects("actual", &run.calls, calls.len() == run.calls.len())?;
        Ok(sides)
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        let sides = Sides::new(
            Items::Own(expectations(expected)?),
            side_of_items("actual", actual, called)?,
        );
        // String arguments are an error only if they are compared. They aren't if the sides have different numbers of calls.
        if leaves_arguments_open(&sides) || sides.expected.len() != sides.actual.len() {
            return Ok(sides);
        }
        let root = At::root("actual");
        for (place, item) in sides.actual.as_slice().iter().enumerate() {
            let arguments = item.arguments().to_tree();
            if let Some(text @ Value::String(_)) = arguments.as_deref() {
                let call = root.index(place);
                return Err(call
                    .key("arguments")
                    .error("an object or null", Some(text))
                    .into());
            }
        }
        Ok(sides)
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        let is_right = judged.score == 1.0;
        writer.key("value").str(if is_right { "yes" } else { "no" });
    }

    fn passes(&self, judged: &Judged<'_, '_, '_>) -> Option<bool> {
        Some(judged.score == 1.0)
    }
}

fn leaves_arguments_open(sides: &Sides<'_>) -> bool {
    let is_open = |item: &Item<'_>| matches!(item.arguments(), ArgumentsRef::Absent);
    sides.expected.as_slice().iter().any(is_open)
}

/// An error for arguments that are not an object. A string that holds an object is allowed; if
/// `checks_texts` is false, any string is.
fn require_objects(
    side: &'static str,
    calls: &[Call<'_>],
    checks_texts: bool,
) -> Result<(), EvaluationError> {
    for (place, call) in calls
        .iter()
        .enumerate()
        .filter(|(_, it)| !it.arguments.is_plain())
    {
        let is_checked = checks_texts || call.arguments.is_value();
        let value = call.arguments.to_value().filter(|_| is_checked);
        if !matches!(value, None | Some(Value::Object(_))) {
            let (root, key) = (At::root(side), "arguments");
            let error = root
                .index(place)
                .key(key)
                .error("an object", value.as_ref());
            return Err(error);
        }
    }
    Ok(())
}

/// Reads `{"expected_tool_calls": [...]}`, or the list alone.
fn expectations(text: &str) -> Result<Vec<Item<'_>>, EvaluationError> {
    let root = At::root("expected");
    match side("expected", text)? {
        Value::Object(object) => root.each_under(&object, "expected_tool_calls", expected),
        list => root.each(&list, expected),
    }
}

fn expected<'s>(at: At<'_>, call: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let (name, given) = name_and_arguments(at, call)?;
    let arguments = match given {
        None | Some(Value::Null) => ItemArguments::Absent,
        Some(arguments @ Value::Object(_)) => ItemArguments::Tree(arguments),
        other => {
            let error = at
                .key("arguments")
                .error("an object or null", other.as_ref());
            return Err(error);
        }
    };
    Ok(Item::new(name, arguments))
}

/// A call in a trace. Its arguments are an empty object if its inputs are missing, or falsy in Python.
fn called<'s>(at: At<'_>, call: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let (name, given) = name_and_arguments(at, call)?;
    let arguments = match given.filter(|it| !is_falsy(it)) {
        None => Value::Object(Object::default()),
        Some(arguments @ (Value::Object(_) | Value::String(_))) => arguments,
        other => {
            let error = at
                .key("arguments")
                .error("an object or null", other.as_ref());
            return Err(error);
        }
    };
    Ok(Item::new(name, ItemArguments::Tree(arguments)))
}

fn name_and_arguments<'s>(
    at: At<'_>,
    call: &Value<'s>,
) -> Result<(ItemName<'s>, Option<Value<'s>>), EvaluationError> {
    let call = at.object(call)?;
    let name = ItemName::Text(at.text(call, "name")?.clone());
    Ok((name, call.get_str("arguments").cloned()))
}
