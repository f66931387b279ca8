//! A recipe with what only its original knows: how it reads, what it shows, when it passes.

use std::fmt::Debug;

use super::{Judged, Layout, PairDemand, Preset, Reading, Recipe, Sides, Source, evaluation};
use crate::evaluation::{Ask, Evaluation};
use crate::outcome::{EvaluationError, Outcome};
use crate::prepared::PreparedCase;
use crate::value::JsonWriter;

/// What only an original knows.
pub(crate) trait Original: Debug + Send + Sync {
    /// Where it puts the score.
    fn layout(&self) -> Layout {
        Layout::Flat
    }

    /// The recipe for these sides, where they decide by which the original goes.
    fn recipe_for<'r>(&'r self, recipe: &'r Recipe, _sides: &Sides<'_>) -> &'r Recipe {
        recipe
    }

    /// True if it goes by one recipe, whatever the sides.
    fn has_one_recipe(&self) -> bool {
        true
    }

    /// The two sides of a canonical case: its calls, unless it goes by something else.
    ///
    /// # Errors
    /// What the case does not hold.
    fn of_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        recipe.sides(prepared)
    }

    /// The two sides in the original's own shape.
    ///
    /// # Errors
    /// What the original does not take.
    fn of_native<'c>(&self, _expected: &'c str, _actual: &'c str) -> Reading<'c> {
        Err(EvaluationError::Raised("this evaluator takes cases".to_owned()).into())
    }

    /// Writes what it shows beside the score: members of an object.
    fn write(&self, _judged: &Judged<'_, '_, '_>, _writer: &mut JsonWriter) {}

    /// Its own verdict, if it gives one.
    fn passes(&self, _judged: &Judged<'_, '_, '_>) -> Option<bool> {
        None
    }
}

/// A preset that is a recipe.
#[derive(Debug)]
pub(crate) struct Composed {
    recipe: Recipe,
    original: Box<dyn Original>,
}

impl Composed {
    /// The preset of a recipe and its original.
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

    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let Self { recipe, original } = self;
        let mut sides = match source {
            Source::Case(case) => original.of_case(recipe, case)?,
            Source::Native {
                expected, actual, ..
            } => original.of_native(expected, actual)?,
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
