//! `trajectory`: this project's evaluator, which users configure.

mod matching;
mod weighing;

use matching::{MATCH, rules};
use weighing::{WEIGH, weighing};

use crate::matching::ArgumentsRef;
use crate::presets::prelude::*;
use crate::recipe::{
    Field, Order, Unreached, expected_order, not_expected, require_recorded, trajectory,
};
use crate::tally::WeighedSums;

pub(crate) static ENTRY: Entry = Entry {
    id: "trajectory",
    aliases: &[],
    summary: "Your own metric: how calls match, how they are paired, and how pairs are scored.",
    page: Page {
        measures: "What you choose. By default: the best pairing of expected and actual calls, names and arguments equal, scored by F1.",
        formula: "`match` says when two calls are the same, `align` which actual call answers which expected one, `score` what that is \
worth. A pair of equal calls earns 1, one whose arguments are partly right (`args: overlap` or `fuzzy`) its share; under `fuzzy` values \
that are equal are wholly alike, null too. With `weigh`, each call counts by its weight in these sums. `recall = credit / expected`, `precision = credit / actual`, `f1 = 2 · credit / (expected + actual)`; with `weigh`, `2 · precision · recall / (precision + recall)`.",
        use_when: "No published metric says what you mean.",
        not_when: "You must reproduce another tool's numbers: take its preset.",
        limits: "`align: assignment` with partly right arguments takes at most 2,000 calls a side. `multiset`, `distinct` and `once` need \
arguments that are equal or ignored, `free` a score of one side or `all_or_nothing`: each call has its like on the other side, and there are \
as many.",
        not_applicable: "The case states neither calls nor an order, or there is no run; arguments, outputs or turns are compared and \
were not recorded; `args: keys` compares calls of one name, and none of the keys is an argument on either side.",
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
        MODE.setting,
        MATCH.setting,
        ALIGN.setting,
        SCORE.setting,
        WEIGHTS.setting,
        WEIGH.setting,
        PARALLEL.setting,
        BOTH_EMPTY.setting,
    ],
    editions: &[Edition::Package],
    needs: "expected calls or order; names and what is compared of the actual calls",
    shape: None,
    build,
};

/// Options with their names in settings.
type Named<T, const N: usize> = [(&'static str, T); N];

const BY_TURN: Align = Align::ByTurn(Unreached::Unanswered);
/// The driving side depends on the scoring.
const FREE: Align = Align::Unconsumed(Driver::Expected);

const SAME: Scoring = Scoring::AllOrNothing("nothing is missed and nothing extra", Costs::BOTH);
const COVERS_EXPECTED: Scoring =
    Scoring::AllOrNothing("every expected call was made", Costs::MISSED);
const COVERS_ACTUAL: Scoring = Scoring::AllOrNothing("every call made was expected", Costs::EXTRA);

const MODES: Named<(&Align, Scoring), 7> = [
    ("strict", (&Align::Position, SAME)),
    ("unordered", (&Align::Assignment, SAME)),
    ("subset", (&Align::Assignment, COVERS_ACTUAL)),
    ("superset", (&Align::Assignment, COVERS_EXPECTED)),
    ("exact", (&Align::Position, SAME)),
    ("in_order", (&Align::Subsequence, COVERS_EXPECTED)),
    ("any_order", (&Align::Assignment, COVERS_EXPECTED)),
];
const MODE: Choice<(&Align, Scoring)> = Choice::new(
    "mode",
    &MODES,
    &Choice::names_of(&MODES),
    "null",
    "A shorthand for `align` and `score`, all or nothing: `strict` and `exact`, the same calls in the same places; \
`in_order`, the expected calls in order, actual may have more; `any_order` and `superset`, the expected calls in any order, actual may have \
more; `subset`, actual may have fewer but no others; `unordered`, the same calls in any order.",
);

const ALIGNMENTS: Named<&Align, 13> = [
    ("position", &Align::Position),
    (
        "first_fit",
        &Align::FirstFit(Driver::Expected, Fallback::FirstOfName),
    ),
    ("best_fit", &Align::BestFit),
    ("multiset", &Align::Multiset),
    ("distinct", &Align::Distinct),
    ("once", &Align::Once),
    ("lcs", &Align::Lcs),
    ("subsequence", &Align::Subsequence),
    ("forward", &Align::Forward),
    ("first_occurrences", &Align::FirstOccurrences),
    ("assignment", &Align::Assignment),
    ("by_turn", &BY_TURN),
    ("free", &FREE),
];
const ALIGN: Choice<&Align> = Choice::new(
    "align",
    &ALIGNMENTS,
    &Choice::names_of(&ALIGNMENTS),
    "\"assignment\"",
    "Which actual call answers which expected one. `subsequence` stops at the first expected call that is missing, \
`forward` skips it; `first_occurrences` takes the first call of each, up to the first that comes too early. \
`free`: each call is judged by itself, by whether the other side has it too, and none is \
used up. `once`: equal calls pair once, and their repeats are missed and extra.",
);

const EXACT: Number = Number::new("exact", "1", "Credit for the same call.");
const NAME_ONLY: Number = Number::new("name_only", "0.5", "Credit for the right tool.");
const EXTRA: Number = Number::new("extra", "0.25", "Off for an extra call.");
const WEIGHTS: Group = Group::new(
    "weights",
    &[EXACT.setting, NAME_ONLY.setting, EXTRA.setting],
    "For `score: weighted`: `exact` 1, `name_only` 0.5, `extra` 0.25.",
);

/// `None` for `weighted`, which reads its weights from the settings.
const SCORINGS: Named<Option<Scoring>, 7> = [
    ("recall", Some(Scoring::Recall)),
    ("precision", Some(Scoring::Precision(Idle::Zero))),
    ("f1", Some(Scoring::ExactF1)),
    ("weighted", None),
    ("all_or_nothing", Some(SAME)),
    ("covers_expected", Some(COVERS_EXPECTED)),
    ("covers_actual", Some(COVERS_ACTUAL)),
];
const SCORE: Choice<Option<Scoring>> = Choice::new(
    "score",
    &SCORINGS,
    &Choice::names_of(&SCORINGS),
    "\"f1\"",
    "What the alignment is worth.",
);

const ORDERS: Named<Order, 2> = [
    ("any_order", Order::GroupsFree),
    ("recorded", Order::Recorded),
];
const PARALLEL: Choice<Order> = Choice::new(
    "parallel",
    &ORDERS,
    &Choice::names_of(&ORDERS),
    "\"any_order\"",
    "Whether actual calls of one `group` may be in any order where order counts.",
);
const BOTH_EMPTY: Number = Number::new(
    "both_empty",
    "1",
    "What no calls expected and none made are worth.",
);

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let mode = MODE.given(settings)?;
    let (align, score) = (ALIGN.given(settings)?, SCORE.given(settings)?);
    if mode.is_some() && (align.is_some() || score.is_some()) {
        return Err(
            settings.conflict("`mode` stands for `align` and `score`: give it or them, not both")
        );
    }
    let (align, score) = match mode {
        Some((align, score)) => (align, Some(score)),
        None => (
            align.unwrap_or_else(|| ALIGN.default()),
            score.unwrap_or_else(|| SCORE.default()),
        ),
    };
    let rules = rules(settings)?;
    let free;
    let align = match align {
        Align::Unconsumed(_) => {
            free = free_align(settings, &rules, score)?;
            &free
        }
        align => align,
    };
    if matches!(align, Align::Multiset | Align::Distinct | Align::Once)
        && !matches!(rules.arguments, ArgumentRule::Equal | ArgumentRule::Ignored)
    {
        return Err(settings.conflict(
            "`align: multiset`, `distinct` and `once` need `match.args: exact` or `ignore`",
        ));
    }
    let goes_by_order = matches!(
        align,
        Align::Position | Align::Subsequence | Align::Forward | Align::FirstOccurrences
    );
    if matches!(rules.names, NameRule::Globs) && !goes_by_order {
        return Err(settings.conflict(
            "`match.names: glob` goes with `align: position`, `subsequence`, `forward` or `first_occurrences`",
        ));
    }
    let given = WEIGHTS.read(settings)?;
    let weights = Weights {
        full: EXACT.read(&given)?,
        name_only: NAME_ONLY.read(&given)?,
        penalty: EXTRA.read(&given)?,
    };
    let score = score.unwrap_or(Scoring::Weighted(weights, Lengths::Free));
    let weigh = weighing(settings)?;
    if weigh.is_some() && (score.weighed(WeighedSums::default()).is_none() || is_free(align)) {
        return Err(settings.conflict(
            "`weigh` needs `score: recall`, `precision` or `f1`, and an `align` other than `free` and `once`",
        ));
    }
    let recipe = Recipe {
        order: PARALLEL.read(settings)?,
        empty: EmptyPolicy {
            both: Worth::Fixed(BOTH_EMPTY.read(settings)?),
            rule: "nothing was expected, and nothing done",
            ..EmptyPolicy::COMPUTE
        },
        weigh,
        ..Recipe::new(rules, align.clone(), score)
    };
    Ok(Composed::preset(recipe, Trajectory))
}

/// True for an alignment that counts classes of calls instead of calls.
fn is_free(align: &Align) -> bool {
    matches!(
        align,
        Align::Unconsumed(_) | Align::UnconsumedBothWays | Align::Once | Align::Distinct
    )
}

/// `align: free` is driven by the side that the score is a share of.
fn free_align(
    settings: &Settings<'_>,
    rules: &Rules,
    score: Option<Scoring>,
) -> Result<Align, ConfigError> {
    if matches!(
        rules.arguments,
        ArgumentRule::Overlap | ArgumentRule::Fuzzy { .. }
    ) {
        return Err(settings.conflict(
            "`align: free` asks whether calls are the same: `match.args: overlap` and `fuzzy` give shares",
        ));
    }
    match score {
        Some(Scoring::Recall | Scoring::AllOrNothing(_, Costs::MISSED)) => {
            Ok(Align::Unconsumed(Driver::Expected))
        }
        Some(Scoring::Precision(_) | Scoring::AllOrNothing(_, Costs::EXTRA)) => {
            Ok(Align::Unconsumed(Driver::Actual))
        }
        Some(Scoring::AllOrNothing(_, Costs::BOTH)) => Ok(Align::UnconsumedBothWays),
        _ => Err(settings.conflict(
            "`align: free` judges the calls of one side: give `score: recall`, `precision`, `covers_expected`, `covers_actual` or \
`all_or_nothing`",
        )),
    }
}

#[derive(Debug)]
struct Trajectory;

impl Original for Trajectory {
    /// Arguments are compared only if the case expects any; an order is a list of calls with names only.
    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let run = trajectory(prepared.case())?;
        let calls = prepared.case().expected.calls.as_deref();
        let mut sides = recipe.sides_of(prepared, calls.unwrap_or_default(), run);
        if calls.is_none() {
            sides.expected =
                expected_order(prepared.case()).ok_or_else(|| not_expected("calls"))?;
            if !sides.expected.is_empty() || !sides.actual.is_empty() {
                sides.list = ExpectedList::Order;
            }
        }
        let states_arguments = |item: &Item<'_>| !matches!(item.arguments(), ArgumentsRef::Absent);
        if recipe.rules.arguments != ArgumentRule::Ignored
            && sides.expected.as_slice().iter().any(states_arguments)
        {
            require_recorded(&run.calls, Field::Arguments)?;
        }
        if recipe.rules.outputs == OutputRule::Equal {
            require_recorded(&run.calls, Field::Output)?;
        }
        if matches!(recipe.align, Align::ByTurn(_)) {
            require_recorded(&run.calls, Field::Turn)?;
            require_recorded(calls.unwrap_or_default(), Field::Turn)?;
        }
        Ok(sides)
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        for (key, count) in judged.whole_tally().counts() {
            writer.key(key).count(count);
        }
    }
}
