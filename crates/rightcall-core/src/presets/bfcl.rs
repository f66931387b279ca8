//! `bfcl/ast-checker`: the AST checker of the Berkeley Function Calling Leaderboard.

use crate::call::Case;
use crate::entry::Departure;
use crate::matching::{ACCEPTED, Language, PARAMETERS, mistake};
use crate::outcome::NotApplicable;
use crate::presets::prelude::*;
use crate::recipe::{Field, not_expected, require_recorded, trajectory};
use crate::value::{Object, Syntax, decode_with};

pub(crate) static ENTRY: Entry = Entry {
    id: "bfcl/ast-checker",
    aliases: &[],
    summary: "Whether the calls are those of a possible answer of the leaderboard BFCL.",
    page: Page {
        measures: "Whether the model made the calls of the possible answer, and no other: for each the right function, all required \
parameters and no unknown one, and for each parameter one of its accepted values, of the type that the function's description declares. For Java \
and JavaScript values are text of that language, converted by type.",
        formula: "1 or 0. As many calls as in the answer; each call of the answer, in order, takes the first free call without a mistake. \
Texts are compared without spaces, `,./-_*^` and case; lists and objects item by item, with texts in them compared so; all else by Python's \
equality. A parameter that lists `\"\"` may be left out. An accepted value that is not of the declared type is the name of a variable.",
        use_when: "You score results of BFCL, or state accepted values and schemas as its files do.",
        not_when: "You write expectations by hand: [several right ways](../expectations.md) say more with less.",
        limits: "Types are checked one level deep, as in the original. Tuples that a model writes are read as lists, which the original \
refuses where it expects a list. `error_type` of parallel calls says that there is no match, and not why. \
Answers in Java and JavaScript may have literals that these languages lack. `NaN` equals nothing, also not an accepted `NaN`.",
        not_applicable: "The case has no `ground_truth` or no `function`, as records of BFCL have; there is no run; or a call was recorded \
without arguments.",
        editions: "",
        departures: &[
            departures::UNKNOWN_SETTINGS,
            departures::REPEATED_KEYS,
            departures::NESTING,
            departures::DIGITS,
            Departure {
                point: "an answer that Python cannot parse: a keyword as a name (`f(from='a')`), a positional argument after a named one, calls \
with semicolons between them, a fence with a language",
                package: "the decoder refuses it: no call, a score of 0",
                here: "the calls are read",
                reason: "the calls are clear, and the same text is read for all evaluators",
            },
            Departure {
                point: "an answer with a called expression (`f(a)(b=2)`), bytes, a name that Unicode normalizes (`\u{fb01}` is `fi`), more than 64 \
levels of brackets or 200 operators",
                package: "decoded, the call of an expression under an empty name",
                here: "not read, or under the name as written",
                reason: "the parser is bounded, and no tool has an empty name",
            },
        ],
        source: "Package `bfcl-eval` 2026.3.23, `ast_checker` with the categories simple, multiple and parallel.",
        related: &["trajectory", "fitness"],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"area","args":{"base":10}}],"ground_truth":[{"area":{"base":[10],"unit":["cm",""]}}],"function":[{"name":"area","parameters":{"type":"dict","properties":{"base":{"type":"integer"},"unit":{"type":"string"}},"required":["base"]}}]"#,
            actual: r#"[{"name":"area","args":{"base":10,"unit":"C.M."}}]"#,
            result: r#"{"score":1.0,"valid":true,"error_type":null}"#,
        },
    },
    settings: &[LANGUAGE.setting, CATEGORY.setting, DOTS.setting],
    editions: &[Edition::Package],
    needs: "`ground_truth` and `function` of the record; names and arguments of the actual calls",
    shape: None,
    build,
};

const LANGUAGES: [(&str, Language); 3] = [
    ("python", Language::Python),
    ("java", Language::Java),
    ("javascript", Language::JavaScript),
];
const LANGUAGE: Choice<Language> = Choice::new(
    "language",
    &LANGUAGES,
    &Choice::names_of(&LANGUAGES),
    "\"python\"",
    "The language of the functions.",
);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Category {
    Simple,
    Multiple,
    Parallel,
}

const CATEGORIES: [(&str, Category); 3] = [
    ("simple", Category::Simple),
    ("multiple", Category::Multiple),
    ("parallel", Category::Parallel),
];
const CATEGORY: Choice<Category> = Choice::new(
    "category",
    &CATEGORIES,
    &Choice::names_of(&CATEGORIES),
    "null",
    "Which checker names the error; unless given by the record: one function and one answer are `simple`, one answer `multiple`.",
);
const DOTS: Flag = Flag::new(
    "underscore_to_dot",
    false,
    "The model writes `_` for each dot in names of functions.",
);

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let language = LANGUAGE.read(settings)?;
    let rules = Rules::from_arguments(ArgumentRule::Accepted(language), ValueEquality::Python);
    let condition = "each call of the answer was made, and no other";
    let recipe = Recipe {
        empty: EmptyPolicy::COMPUTE,
        ..Recipe::new(
            rules,
            Align::CompleteFit,
            Scoring::AllOrNothing(condition, Costs::BOTH),
        )
    };
    let original = AstChecker {
        language,
        category: CATEGORY.given(settings)?,
        underscores: DOTS.read(settings)?,
    };
    Ok(Composed::preset(recipe, original))
}

#[derive(Debug)]
struct AstChecker {
    language: Language,
    category: Option<Category>,
    underscores: bool,
}

/// The answer in a record: a name with accepted values.
fn answer_of<'v, 'a>(
    at: At<'_>,
    answer: &'v Value<'a>,
) -> Result<&'v (Text<'a>, Value<'a>), EvaluationError> {
    let object = at.object(answer)?;
    let first = object.iter().next();
    first.ok_or_else(|| at.error("a function with accepted values", Some(answer)))
}

impl AstChecker {
    /// The calls of an answer, with the descriptions of their functions.
    fn expected<'a>(
        &self,
        answers: &Value<'a>,
        functions: &Value<'a>,
    ) -> Result<Vec<Item<'a>>, EvaluationError> {
        let root = At::root("expected");
        let (at_functions, at_answers) = (root.key("function"), root.key("ground_truth"));
        let functions = at_functions.list(functions)?;
        let answers = at_answers.list(answers)?;
        let category = self.category_of(answers.len(), functions.len());
        let describes = |name: &Text<'_>, function: &Value<'a>| {
            let named = function.as_object().and_then(|it| it.get_str("name"));
            named.and_then(Value::as_text).is_some_and(|it| it == name)
        };
        let mut items = Vec::new();
        for (index, answer) in answers.iter().enumerate() {
            let (name, accepted) = answer_of(at_answers.index(index), answer)?;
            // A simple question has only one function, whatever name the answer uses.
            let function = match category {
                Category::Simple => functions.first(),
                _ => functions.iter().find(|function| describes(name, function)),
            };
            let none = || at_functions.error("the description of the function", None);
            let function = function.ok_or_else(none)?;
            let described = at_functions.object(function)?;
            let name = at_functions.text(described, "name")?;
            let parameters = at_functions.object_under(described, "parameters")?;
            let arguments = Object::new(vec![
                (Text::new(ACCEPTED), accepted.clone()),
                (Text::new(PARAMETERS), parameters.clone()),
            ]);
            let name = ItemName::Text(self.written(name));
            let arguments = ItemArguments::Tree(Value::Object(arguments));
            items.push(Item::new(name, arguments));
        }
        Ok(items)
    }

    /// The name of a function as models write it.
    fn written<'a>(&self, name: &Text<'a>) -> Text<'a> {
        match name.as_str().filter(|_| self.underscores) {
            Some(text) => Text::from(text.replace('.', "_")),
            None => name.clone(),
        }
    }

    fn category_of(&self, answers: usize, functions: usize) -> Category {
        self.category.unwrap_or(match (answers, functions) {
            (1, 1) => Category::Simple,
            (1, _) => Category::Multiple,
            _ => Category::Parallel,
        })
    }

    /// The original's name of the error.
    fn error_type(&self, judged: &Judged<'_, '_, '_>) -> Option<&'static str> {
        if judged.score == 1.0 {
            return None;
        }
        let (expected, actual) = (judged.sides.expected.len(), judged.sides.actual.len());
        // The number of described functions matters only if one call is expected, to distinguish `simple` and `multiple`.
        let functions = judged
            .sides
            .values()
            .map_or(1, |[functions, _]| functions.len());
        let category = self.category_of(expected, functions);
        Some(match (category, expected == actual) {
            (Category::Simple, false) => "simple_function_checker:wrong_count",
            (Category::Multiple, false) => "multiple_function_checker:wrong_count",
            (Category::Parallel, false) => "parallel_function_checker_no_order:wrong_count",
            (Category::Parallel, true) => "parallel_function_checker_no_order:cannot_find_match",
            _ if !judged.matcher.same_name(0, 0) => "simple_function_checker:wrong_func_name",
            _ => {
                let arguments = (
                    judged.matcher.expected_arguments(0)?,
                    judged.matcher.actual_arguments(0)?,
                );
                mistake(arguments.0, arguments.1, self.language).ok()??.kind
            }
        })
    }
}

/// The value under a key in a record of the leaderboard.
fn member<'c>(case: &'c Case<'c>, key: &'static str) -> Result<Value<'c>, Outcome> {
    let found = case.meta.iter().find(|(name, _)| *name == *key);
    let (_, json) = found.ok_or_else(|| not_expected(key))?;
    // The reader has already checked it.
    Ok(decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null))
}

impl Original for AstChecker {
    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let case = prepared.case();
        let (answers, functions) = (member(case, "ground_truth")?, member(case, "function")?);
        let run = trajectory(case)?;
        require_recorded(&run.calls, Field::Arguments)?;
        if answers.is_null() || functions.is_null() {
            let reason = "`ground_truth` and `function` are not recorded".to_owned();
            return Err(Outcome::NotApplicable(NotApplicable::Reason(reason)));
        }
        let expected = Items::Own(self.expected(&answers, &functions)?);
        let actual = named_alone(recipe.sides_of(prepared, &[], run).actual);
        Ok(with_functions(Sides::new(expected, actual), functions))
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        let record = side("expected", expected)?;
        let root = At::root("expected");
        let record = root.object(&record)?;
        let under = |key: &'static str| record.get_str(key).cloned().unwrap_or(Value::Null);
        let functions = under("function");
        let items = self.expected(&under("ground_truth"), &functions)?;
        let call = |at: At<'_>, call: &Value<'c>| {
            let (name, arguments) = answer_of(at, call)?;
            at.key(&name.to_display()).object(arguments)?;
            let name = ItemName::Text(name.clone());
            Ok(Item::new(name, ItemArguments::Tree(arguments.clone())))
        };
        let sides = Sides::new(Items::Own(items), side_of_items("actual", actual, call)?);
        Ok(with_functions(sides, functions))
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        writer.key("valid").bool(judged.score == 1.0);
        writer.key("error_type").serialize(&self.error_type(judged));
    }

    fn passes(&self, judged: &Judged<'_, '_, '_>) -> Option<bool> {
        Some(judged.score == 1.0)
    }
}

/// Adds the descriptions that the sides were made from.
fn with_functions<'c>(sides: Sides<'c>, functions: Value<'c>) -> Sides<'c> {
    let functions = match functions {
        Value::List(functions) => functions,
        _ => Vec::new(),
    };
    sides.with(crate::recipe::MoreOfSides {
        values: Some([functions, Vec::new()]),
        ..crate::recipe::MoreOfSides::default()
    })
}

/// Drops positional arguments, as the original does when decoding the text. The reader of call text keeps them under `*` and an index.
fn named_alone(items: Items<'_>) -> Items<'_> {
    let is_position = |key: &Text<'_>| {
        let place = key.as_bytes().strip_prefix(b"*");
        place.is_some_and(|place| !place.is_empty() && place.iter().all(u8::is_ascii_digit))
    };
    let named = |item: &Item<'_>| -> Option<ItemArguments<'static>> {
        let arguments = item.arguments().to_tree()?;
        let object = arguments.as_object()?;
        object.iter().find(|(key, _)| is_position(key))?;
        let kept = object.iter().filter(|(key, _)| !is_position(key));
        let kept = Object::new(kept.cloned().collect()).into_owned();
        Some(ItemArguments::Tree(Value::Object(kept)))
    };
    if items.as_slice().iter().all(|item| named(item).is_none()) {
        return items;
    }
    let items = items.as_slice().iter().map(|item| match named(item) {
        Some(arguments) => item.clone().with_arguments(arguments),
        None => item.clone(),
    });
    Items::Own(items.collect())
}
