//! `trajectory`: the native evaluator, composed by the user from the vocabularies.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::alignment::{
    Alignment, Arrange, Comparison, Driver, Fallback, Permuted, Turn, arrange, assignment,
    best_fit, by_turn, distinct, first_fit, longest_common_subsequence, multiset, position,
    subsequence, weighted_lcs,
};
use crate::call::{Call, Case};
use crate::evaluation::{Ask, Evaluation, EvaluationError, NotApplicable, Outcome};
use crate::explanation::{Costs, ExpectedList};
use crate::matching::{
    ArgumentRule, ArgumentsOf, Item, ItemOutput, Items, Matcher, NameRule, OutputRule, Rules,
    Unasked,
};
use crate::prepared::PreparedCase;
use crate::presets::explain::{explain_beginning, explain_empty, explain_part};
use crate::presets::reading::{
    expected_calls, expected_order, require_recorded, require_recorded_arguments, run,
};
use crate::presets::rendering::{Layout, evaluation};
use crate::presets::{Preset, Source};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{Penalised, Scored, Weights, all_or_nothing, f1, precision, recall, weighted};
use crate::settings::{ConfigError, Setting, SettingKind, Settings};
use crate::value::{JsonWriter, Text, Value, ValueEquality};
use crate::{Grade, Side, Tally};

pub(crate) static ENTRY: Entry = Entry {
    id: "trajectory",
    aliases: &[],
    summary: "Composed by you: how calls match, which answers which, and what that is worth.",
    page: Page {
        measures: "What you choose. By default: the best pairing of expected and actual calls, names and arguments equal, scored by F1.",
        formula: "`match` says when two calls are the same, `align` which actual call answers which expected one, `score` what that is \
worth. A pair of equal calls earns 1, one whose arguments are partly right (`args: overlap` or `fuzzy`) its share; under `fuzzy` values \
that are equal are wholly alike, null too. `recall = credit / expected`, `precision = credit / actual`, `f1 = 2 · precision · recall / (precision + recall)`.",
        use_when: "No published metric says what you mean.",
        not_when: "You must reproduce another tool's numbers: take its preset.",
        limits: "`align: assignment` with partly right arguments takes at most 2,000 calls a side. `multiset` and `distinct` need \
arguments that are equal or ignored.",
        not_applicable: "The case states neither calls nor an order, or there is no run; arguments, outputs or turns are compared and \
were not recorded.",
        editions: "",
        departures: &[],
        source: "This project. Assignment after Kuhn (1955) and Munkres (1957); LCS after Hyyrö (2004).",
        related: &[
            "axion/tool-correctness",
            "tpmjs/tool-call-accuracy-score",
            "uipath/tool-call-order",
        ],
        example: Example {
            settings: r#"{"match":{"names":"casefold","args":"subset"},"score":"recall"}"#,
            expected: r#"[{"name":"find_order","args":{"id":7}},{"name":"refund","args":{"id":7}}]"#,
            actual: r#"[{"name":"Find_Order","args":{"id":7,"full":true}},{"name":"refund","args":{"id":1}}]"#,
            result: r#"{"score":0.5,"expected":2,"actual":2,"full":1,"partial":0,"name_only":1,"missed":0,"extra":0}"#,
        },
    },
    settings: &[
        Setting {
            name: "mode",
            kind: SettingKind::Choice(&[
                "strict",
                "unordered",
                "subset",
                "superset",
                "exact",
                "in_order",
                "any_order",
            ]),
            default: "null",
            doc: "A shorthand for `align` and `score`, all or nothing: `strict` and `exact`, the same calls in the same places; \
`in_order`, the expected calls in order, actual may have more; `any_order` and `superset`, the expected calls in any order, actual may have \
more; `subset`, actual may have fewer but no others; `unordered`, the same calls in any order.",
        },
        Setting {
            name: "match",
            kind: SettingKind::Object(&[
                Setting {
                    name: "names",
                    kind: SettingKind::Choice(&["exact", "sanitised", "tool_id", "casefold"]),
                    default: "\"exact\"",
                    doc: "How names are compared.",
                },
                Setting {
                    name: "aliases",
                    kind: SettingKind::Map,
                    default: "{}",
                    doc: "Names that stand for others.",
                },
                Setting {
                    name: "args",
                    kind: SettingKind::Choice(&[
                        "ignore", "exact", "subset", "superset", "keys", "overlap", "fuzzy",
                    ]),
                    default: "\"exact\"",
                    doc: "How arguments are compared. `subset`: the expected ones are among the actual ones; `superset`: no others than \
expected.",
                },
                Setting {
                    name: "keys",
                    kind: SettingKind::Texts,
                    default: "[]",
                    doc: "For `args: keys`: dotted paths or JSON pointers.",
                },
                Setting {
                    name: "threshold",
                    kind: SettingKind::Number,
                    default: "0.8",
                    doc: "For `args: fuzzy`: full from here on.",
                },
                Setting {
                    name: "outputs",
                    kind: SettingKind::Choice(&["ignore", "exact"]),
                    default: "\"ignore\"",
                    doc: "How outputs are compared.",
                },
                Setting {
                    name: "equality",
                    kind: SettingKind::Choice(&["json", "python", "javascript"]),
                    default: "\"json\"",
                    doc: "Whose equality of values.",
                },
            ]),
            default: "{}",
            doc: "When two calls are the same: `names`, `aliases`, `args`, `keys`, `threshold`, `outputs`, `equality`.",
        },
        Setting {
            name: "align",
            kind: SettingKind::Choice(&[
                "position",
                "first_fit",
                "best_fit",
                "multiset",
                "distinct",
                "lcs",
                "subsequence",
                "assignment",
                "by_turn",
            ]),
            default: "\"assignment\"",
            doc: "Which actual call answers which expected one.",
        },
        Setting {
            name: "score",
            kind: SettingKind::Choice(&[
                "recall",
                "precision",
                "f1",
                "weighted",
                "all_or_nothing",
                "covers_expected",
                "covers_actual",
            ]),
            default: "\"f1\"",
            doc: "What the alignment is worth.",
        },
        Setting {
            name: "weights",
            kind: SettingKind::Object(&[
                Setting {
                    name: "exact",
                    kind: SettingKind::Number,
                    default: "1",
                    doc: "Credit for the same call.",
                },
                Setting {
                    name: "name_only",
                    kind: SettingKind::Number,
                    default: "0.5",
                    doc: "Credit for the right tool.",
                },
                Setting {
                    name: "extra",
                    kind: SettingKind::Number,
                    default: "0.25",
                    doc: "Off for an extra call.",
                },
            ]),
            default: "{}",
            doc: "For `score: weighted`: `exact` 1, `name_only` 0.5, `extra` 0.25.",
        },
        Setting {
            name: "parallel",
            kind: SettingKind::Choice(&["any_order", "recorded"]),
            default: "\"any_order\"",
            doc: "Whether actual calls of one `group` may stand in any order where order counts.",
        },
        Setting {
            name: "both_empty",
            kind: SettingKind::Number,
            default: "1",
            doc: "What no calls expected and none made are worth.",
        },
    ],
    editions: &[Edition::Package],
    needs: "expected calls or order; names and what is compared of the actual calls",
    shape: None,
    build,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Align {
    Position,
    FirstFit,
    BestFit,
    Multiset,
    Distinct,
    Lcs,
    Subsequence,
    Assignment,
    ByTurn,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scoring {
    Recall,
    Precision,
    F1,
    Weighted,
    AllOrNothing,
    CoversExpected,
    CoversActual,
}

#[derive(Debug)]
struct Trajectory {
    rules: Rules,
    align: Align,
    scoring: Scoring,
    weights: Weights,
    parallel_in_any_order: bool,
    both_empty: f64,
}

const MODES: [(&str, (Align, Scoring)); 7] = [
    ("strict", (Align::Position, Scoring::AllOrNothing)),
    ("exact", (Align::Position, Scoring::AllOrNothing)),
    ("unordered", (Align::Assignment, Scoring::AllOrNothing)),
    ("superset", (Align::Assignment, Scoring::CoversExpected)),
    ("any_order", (Align::Assignment, Scoring::CoversExpected)),
    ("subset", (Align::Assignment, Scoring::CoversActual)),
    ("in_order", (Align::Subsequence, Scoring::CoversExpected)),
];

const ALIGNMENTS: [(&str, Align); 9] = [
    ("position", Align::Position),
    ("first_fit", Align::FirstFit),
    ("best_fit", Align::BestFit),
    ("multiset", Align::Multiset),
    ("distinct", Align::Distinct),
    ("lcs", Align::Lcs),
    ("subsequence", Align::Subsequence),
    ("assignment", Align::Assignment),
    ("by_turn", Align::ByTurn),
];

const SCORINGS: [(&str, Scoring); 7] = [
    ("recall", Scoring::Recall),
    ("precision", Scoring::Precision),
    ("f1", Scoring::F1),
    ("weighted", Scoring::Weighted),
    ("all_or_nothing", Scoring::AllOrNothing),
    ("covers_expected", Scoring::CoversExpected),
    ("covers_actual", Scoring::CoversActual),
];

fn build(settings: &Settings<'_>, _: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    let conflict = |message: &str| ConfigError::Conflict {
        evaluator: settings.evaluator,
        message: message.to_owned(),
    };
    let mode = settings.choice("mode", &MODES)?;
    let align = settings.choice("align", &ALIGNMENTS)?;
    let scoring = settings.choice("score", &SCORINGS)?;
    if mode.is_some() && (align.is_some() || scoring.is_some()) {
        return Err(conflict(
            "`mode` stands for `align` and `score`: give it or them, not both",
        ));
    }
    let (align, scoring) = mode.unwrap_or((
        align.unwrap_or(Align::Assignment),
        scoring.unwrap_or(Scoring::F1),
    ));
    let rules = rules(settings)?;
    if matches!(align, Align::Multiset | Align::Distinct)
        && !matches!(rules.arguments, ArgumentRule::Equal | ArgumentRule::Ignored)
    {
        return Err(conflict(
            "`align: multiset` and `distinct` need `match.args: exact` or `ignore`",
        ));
    }
    let weights = settings.inner("weights")?;
    let weight = |name: &str, default: f64| match &weights {
        Some(weights) => Ok(weights.number(name)?.unwrap_or(default)),
        None => Ok(default),
    };
    Ok(Box::new(Trajectory {
        rules,
        align,
        scoring,
        weights: Weights {
            full: weight("exact", 1.0)?,
            name_only: weight("name_only", 0.5)?,
            penalty: weight("extra", 0.25)?,
        },
        parallel_in_any_order: settings
            .choice("parallel", &[("any_order", true), ("recorded", false)])?
            .unwrap_or(true),
        both_empty: settings.number("both_empty")?.unwrap_or(1.0),
    }))
}

fn rules(settings: &Settings<'_>) -> Result<Rules, ConfigError> {
    let Some(given) = settings.inner("match")? else {
        return Ok(Rules {
            unasked: Unasked::Nothing,
            ..Rules::of_arguments(ArgumentRule::Equal, ValueEquality::Json)
        });
    };
    let conflict = |message: &str| ConfigError::Conflict {
        evaluator: settings.evaluator,
        message: message.to_owned(),
    };
    let names = given.text("names")?.map(Text::to_display);
    let aliases = match given.value("aliases") {
        None | Some(Value::Null) => BTreeMap::new(),
        Some(Value::Object(aliases)) => {
            let pair = |(from, to): &(Text<'_>, Value<'_>)| {
                let to = to
                    .as_text()
                    .ok_or_else(|| given.bad("aliases", "names as values".to_owned(), to))?;
                Ok((from.to_string(), to.to_string()))
            };
            aliases.iter().map(pair).collect::<Result<_, _>>()?
        }
        Some(other) => return Err(given.bad("aliases", "an object of names".to_owned(), other)),
    };
    let names = match names.as_deref() {
        None | Some("exact") if aliases.is_empty() => NameRule::Exact,
        None | Some("exact") => NameRule::Aliased(aliases),
        Some(_) if !aliases.is_empty() => {
            return Err(conflict(
                "`match.aliases` goes with `match.names: exact` alone",
            ));
        }
        Some("sanitised") => NameRule::Sanitised,
        Some("tool_id") => NameRule::IdElseSanitised,
        _ => NameRule::CaseFolded,
    };
    let paths = paths(&given)?;
    let threshold = given.number("threshold")?.unwrap_or(0.8);
    let arguments = match given.text("args")?.map(Text::to_display).as_deref() {
        Some("ignore") => ArgumentRule::Ignored,
        Some("subset") => ArgumentRule::DeepSubset,
        Some("superset") => ArgumentRule::Superset,
        Some("keys") if paths.is_empty() => {
            return Err(conflict(
                "`match.args: keys` needs `match.keys`: which paths to compare",
            ));
        }
        Some("keys") => ArgumentRule::Paths(paths),
        Some("overlap") => ArgumentRule::Overlap,
        Some("fuzzy") => ArgumentRule::Fuzzy {
            threshold,
            partial_credit: true,
            equal_is_alike: true,
        },
        _ => ArgumentRule::Equal,
    };
    let outputs = [
        ("ignore", OutputRule::Ignored),
        ("exact", OutputRule::Equal),
    ];
    let equalities = [
        ("json", ValueEquality::Json),
        ("python", ValueEquality::Python),
        ("javascript", ValueEquality::JavaScript),
    ];
    Ok(Rules {
        names,
        arguments,
        unasked: Unasked::Nothing,
        outputs: given
            .choice("outputs", &outputs)?
            .unwrap_or(OutputRule::Ignored),
        equality: given
            .choice("equality", &equalities)?
            .unwrap_or(ValueEquality::Json),
        null_arguments_raise: false,
    })
}

/// Dotted paths, or JSON pointers where they begin with `/`.
fn paths(given: &Settings<'_>) -> Result<Vec<Vec<Text<'static>>>, ConfigError> {
    let Some(value) = given.value("keys").filter(|value| !value.is_null()) else {
        return Ok(Vec::new());
    };
    let bad = || given.bad("keys", "a list of paths".to_owned(), value);
    let path = |path: &Value<'_>| {
        let path = path.as_text().ok_or_else(bad)?.to_string();
        let parts: Vec<String> = match path.strip_prefix('/') {
            Some(pointer) => pointer
                .split('/')
                .map(|part| part.replace("~1", "/").replace("~0", "~"))
                .collect(),
            None => path.split('.').map(str::to_owned).collect(),
        };
        Ok(parts.into_iter().map(Text::from).collect())
    };
    value.as_list().ok_or_else(bad)?.iter().map(path).collect()
}

impl Trajectory {
    fn items<'c>(&self, calls: &'c [Call<'c>], prepared: Items<'c>) -> Items<'c> {
        let compares_outputs = self.rules.outputs == OutputRule::Equal;
        if !compares_outputs && calls.iter().all(|call| call.tool_id.is_none()) {
            return prepared;
        }
        let item = |(call, prepared): (&'c Call<'c>, &Item<'c>)| {
            let output = call.output.filter(|_| compares_outputs);
            let tool_id = call.tool_id.as_ref().map(Text::reborrow);
            prepared
                .clone()
                .with_tool_id(tool_id)
                .with_output(output.map(ItemOutput::of_json))
        };
        Items::Own(calls.iter().zip(&*prepared).map(item).collect())
    }

    fn read<'c>(&self, case: &'c PreparedCase<'c>) -> Result<(Items<'c>, Items<'c>), Outcome> {
        let run = run(case)?;
        let expected = match expected_calls(case) {
            Ok(calls) => self.items(calls, case.expected_items()),
            // An order is a list of calls of which only the names are asked.
            Err(no_calls) => expected_order(case).map_err(|_| no_calls)?.0,
        };
        let asks_arguments = expected
            .iter()
            .any(|item| !matches!(item.arguments(), ArgumentsOf::Absent));
        if self.rules.arguments != ArgumentRule::Ignored && asks_arguments {
            require_recorded_arguments(&run.calls)?;
        }
        if self.rules.outputs == OutputRule::Equal {
            require_recorded(&run.calls, "output", |call| call.output.is_some())?;
        }
        if self.align == Align::ByTurn {
            require_recorded(&run.calls, "turn", |call| call.turn.is_some())?;
        }
        Ok((expected, self.items(&run.calls, case.actual_items())))
    }

    /// Aligns the calls; the bool says whether order was kept, where the alignment judges it.
    fn align(
        &self,
        matcher: &Matcher<'_, '_>,
        case: &Case<'_>,
        groups: &[Range<usize>],
    ) -> Result<Aligned, Outcome> {
        let arranged = |order: Arrange,
                        align: &dyn Fn(
            &Permuted<'_, Matcher<'_, '_>>,
        ) -> Result<Alignment, EvaluationError>| {
            let permuted = Permuted::new(matcher, arrange(matcher, groups, order)?);
            align(&permuted).map(|alignment| permuted.original(alignment))
        };
        let symbols = || {
            let open = NotApplicable::ExpectedOpen {
                index: 0,
                name: String::new(),
                field: "args",
            };
            matcher.calls().ok_or(Outcome::NotApplicable(
                Self::first_open(case).unwrap_or(open),
            ))
        };
        let alignment = match self.align {
            Align::Position => arranged(Arrange::Position, &|calls| position(calls, &mut ()))?,
            Align::Subsequence => {
                arranged(Arrange::Beginning, &|calls| subsequence(calls, &mut ()))?
            }
            Align::Lcs if matcher.has_partial() => weighted_lcs(matcher)?,
            Align::Lcs => arranged(Arrange::Sequence, &|calls| {
                longest_common_subsequence(calls)
            })?,
            Align::FirstFit => {
                first_fit(matcher, Driver::Expected, Fallback::FirstOfName, &mut ())?
            }
            Align::BestFit => best_fit(matcher, None)?,
            Align::Multiset => multiset(matcher.names(), symbols()?),
            Align::Assignment => assignment(matcher)?,
            Align::Distinct => {
                let sets = distinct(symbols()?);
                let (expected, actual) = (sets.expected_classes, sets.actual_classes);
                return Ok(Aligned {
                    alignment: sets.alignment,
                    expected,
                    actual,
                    duplicates: sets.duplicates,
                });
            }
            Align::ByTurn => {
                let actual = case
                    .actual
                    .as_ref()
                    .map(|run| run.calls.as_slice())
                    .unwrap_or_default();
                let expected = case.expected.calls.as_deref().unwrap_or_default();
                require_recorded(expected, "turn", |call| call.turn.is_some())?;
                by_turn(matcher, &turns(expected), &turns(actual), |_, _| true)?.alignment
            }
        };
        Ok(Aligned {
            alignment,
            expected: matcher.expected(),
            actual: matcher.actual(),
            duplicates: Vec::new(),
        })
    }

    /// The first expected call that states no arguments, which an alignment by equal calls cannot place.
    fn first_open(case: &Case<'_>) -> Option<NotApplicable> {
        let calls = case.expected.calls.as_deref()?;
        let (index, call) = calls
            .iter()
            .enumerate()
            .find(|(_, call)| call.arguments.is_absent())?;
        Some(NotApplicable::ExpectedOpen {
            index,
            name: call.name.to_string(),
            field: "args",
        })
    }

    fn score(&self, aligned: &Aligned) -> Scored {
        let Aligned {
            alignment,
            expected,
            actual,
            ..
        } = aligned;
        let count = |grade: Grade| {
            alignment
                .pairs
                .iter()
                .filter(|pair| pair.grade == grade)
                .count()
        };
        let (full, credit) = (count(Grade::Full), alignment.credit);
        let whole = !alignment.broken_off;
        match self.scoring {
            Scoring::Recall => recall(credit, *expected),
            Scoring::Precision => precision(credit, *actual),
            Scoring::F1 => f1(precision(credit, *actual), recall(credit, *expected)),
            Scoring::Weighted => {
                let extra = Penalised {
                    extra: actual.saturating_sub(alignment.pairs.len()),
                    ..Penalised::default()
                };
                weighted(
                    self.weights,
                    full,
                    alignment.pairs.len() - full,
                    extra,
                    *expected,
                )
            }
            Scoring::AllOrNothing => all_or_nothing(
                "nothing is missed and nothing extra",
                whole && full == *expected && full == *actual,
            ),
            Scoring::CoversExpected => {
                all_or_nothing("every expected call was made", whole && full == *expected)
                    .costing(Costs::MISSED)
            }
            Scoring::CoversActual => {
                all_or_nothing("every call made was expected", whole && full == *actual)
                    .costing(Costs::EXTRA)
            }
        }
    }
}

/// An alignment, and how many calls it counts on each side.
struct Aligned {
    alignment: Alignment,
    expected: usize,
    actual: usize,
    duplicates: Vec<(Side, usize)>,
}

/// Runs of consecutive calls of one group.
fn groups(calls: &[Call<'_>]) -> Vec<Range<usize>> {
    let mut from = 0;
    let runs = calls
        .chunk_by(|a, b| a.group.is_some() && a.group == b.group)
        .map(|run| {
            from += run.len();
            from - run.len()..from
        });
    runs.filter(|run| run.len() > 1).collect()
}

/// Runs of consecutive calls of one turn.
fn turns(calls: &[Call<'_>]) -> Vec<Turn> {
    let mut from = 0;
    let runs = calls.chunk_by(|a, b| a.turn == b.turn).map(|run| {
        from += run.len();
        Turn {
            calls: from - run.len()..from,
        }
    });
    runs.collect()
}

fn members(tally: Tally, writer: &mut JsonWriter) {
    let Tally {
        expected,
        actual,
        full,
        partial,
        name_only,
        missed,
        extra,
        ..
    } = tally;
    let counts = [
        ("expected", expected),
        ("actual", actual),
        ("full", full),
        ("partial", partial),
        ("name_only", name_only),
        ("missed", missed),
        ("extra", extra),
    ];
    for (key, count) in counts {
        writer.key(key).count(count);
    }
}

impl Preset for Trajectory {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let Source::Case(case) = source else {
            return Err(EvaluationError::Raised("this evaluator takes cases".to_owned()).into());
        };
        let (expected, actual) = self.read(case)?;
        if expected.is_empty() && actual.is_empty() {
            let scored = Scored::fixed("nothing was expected, and nothing done", self.both_empty);
            let render = |writer: &mut JsonWriter| members(Tally::default(), writer);
            return Ok(evaluation(scored, None, ask, Layout::Flat, render, || {
                explain_empty(&expected, &actual)
            }));
        }
        let matcher = source.matcher(&self.rules, &expected, &actual);
        let groups = match &case.actual {
            Some(run) if self.parallel_in_any_order => groups(&run.calls),
            _ => Vec::new(),
        };
        let aligned = self.align(&matcher, case, &groups)?;
        let scored = self.score(&aligned);
        // What was not looked at answers nothing, and costs like what was.
        let all = (expected.len(), actual.len());
        let explained = || {
            let mut explanation = match self.align {
                Align::Subsequence => explain_beginning(&matcher, &aligned.alignment),
                _ => explain_part(&matcher, &aligned.alignment, all, &aligned.duplicates),
            };
            explanation.list = if case.expected.calls.is_some() {
                ExpectedList::Calls
            } else {
                ExpectedList::Order
            };
            explanation
        };
        let render = |writer: &mut JsonWriter| members(explained().tally, writer);
        Ok(evaluation(
            scored,
            None,
            ask,
            Layout::Flat,
            render,
            explained,
        ))
    }
}
