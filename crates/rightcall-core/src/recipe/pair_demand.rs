//! The demands of a score of 1 on single calls, whatever their order.

/// The demands of a score of 1 on single calls. A run that breaks them can be ruled out without an evaluation.
///
/// Two calls are the same if the evaluator gives a case of these two calls alone a score of 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a demand of its own")]
pub struct PairDemand {
    /// Each expected call needs a different actual call that is the same.
    pub missed: bool,
    /// Each actual call needs a different expected call that is the same.
    pub extra: bool,
    /// Both sides are sets: equal calls count once.
    pub sets: bool,
    /// False if the order of calls never changes the score.
    pub order: bool,
}
