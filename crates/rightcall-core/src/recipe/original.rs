//! A recipe combined with the behavior of its original: input, details and verdict.

use std::fmt::Debug;

use super::{Judged, Layout, PairDemand, Preset, Reading, Recipe, Sides, Source, evaluation};
use crate::evaluation::{Ask, Evaluation};
use crate::outcome::{EvaluationError, Outcome};
use crate::prepared::PreparedCase;
use crate::value::JsonWriter;

/// Behavior specific to an original.
pub(crate) trait Original: Debug + Send + Sync {
    /// The place of the score in the result.
    fn layout(&self) -> Layout {
        Layout::Flat
    }

    /// The recipe to use, if it depends on the sides.
    fn recipe_for<'r>(&'r self, recipe: &'r Recipe, _sides: &Sides<'_>) -> &'r Recipe {
        recipe
    }

    /// True if it uses the same recipe for all cases.
    fn has_one_recipe(&self) -> bool {
        true
    }

    /// The two sides of a canonical case; by default, its calls.
    ///
    /// # Errors
    /// The case lacks required data.
    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        recipe.sides(prepared)
    }

    /// The two sides in the original's own shape.
    ///
    /// # Errors
    /// The original does not accept the input.
    fn read_native<'c>(&self, _expected: &'c str, _actual: &'c str) -> Reading<'c> {
        Err(EvaluationError::Raised("this evaluator takes cases".to_owned()).into())
    }

    /// Writes the members that the original shows in addition to the score.
    fn write(&self, _judged: &Judged<'_, '_, '_>, _writer: &mut JsonWriter) {}

    /// The lowest passing score, if the original has a threshold.
    fn threshold(&self) -> Option<f64> {
        None
    }

    /// The original's own verdict, if it has one.
    fn passes(&self, _judged: &Judged<'_, '_, '_>) -> Option<bool> {
        None
    }
}

/// A preset made of a recipe.
#[derive(Debug)]
pub(crate) struct Composed {
    recipe: Recipe,
    original: Box<dyn Original>,
}

impl Composed {
    /// Combines a recipe and its original into a preset.
    pub(crate) fn preset(recipe: Recipe, original: impl Original + 'static) -> Box<dyn Preset> {
        Box::new(Self {
            recipe,
            original: Box::new(original),
        })
    }
}

impl Preset for Composed {
    fn demand(&self) -> Option<PairDemand> {
        let demand = self.recipe.demand()?;
        self.original.has_one_recipe().then_some(demand)
    }

    fn threshold(&self) -> Option<f64> {
        self.original.threshold()
    }

    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let Self { recipe, original } = self;
        let mut sides = match source {
            Source::Case(case) => original.read_case(recipe, case)?,
            Source::Native {
                expected, actual, ..
            } => original.read_native(expected, actual)?,
        };
        let recipe = original.recipe_for(recipe, &sides);
        recipe.put_in_order(&mut sides);
        let matcher = source.matcher(&recipe.rules, &sides.expected, &sides.actual);
        let judged = recipe.judge(source, &sides, &matcher, ask)?;
        Ok(evaluation(
            judged.score,
            original.passes(&judged),
            ask,
            original.layout(),
            |writer| original.write(&judged, writer),
            || judged.explain(),
        ))
    }
}
