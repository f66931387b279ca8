//! First fit: the calls of one side, in order, each take the first free equal call of the other side.
//!
//! Greedy without backtracking, as in the originals: a taken call stays taken, so the order of calls can prevent pairs. With symbols for
//! whole calls and no observer, time and memory are linear. Otherwise each call is compared, in order, with the free calls of its name up
//! to the first match; free calls with other names cost nothing.

use super::free::FreeCalls;
use super::{Alignment, Comparison, ComparisonObserver, Grade, Pair, Symbols};
use crate::outcome::EvaluationError;

/// The side that chooses, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver {
    /// Each expected call looks for an actual one.
    Expected,
    /// Each actual call looks for an expected one.
    Actual,
}

/// The choice of a call without a free equal call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// No call.
    None,
    /// The first free call of its name.
    FirstOfName,
}

impl Driver {
    pub(super) fn choosing<C: Comparison>(self, calls: &C) -> usize {
        match self {
            Self::Expected => calls.expected(),
            Self::Actual => calls.actual(),
        }
    }

    /// The symbols of a choosing call.
    fn symbols(self, symbols: &Symbols, choosing: usize) -> [u32; 2] {
        match self {
            Self::Expected => symbols.expected[choosing],
            Self::Actual => [symbols.actual[choosing]; 2],
        }
    }

    /// The calls to choose from.
    fn choices(self, symbols: &Symbols) -> FreeCalls {
        match self {
            Self::Expected => FreeCalls::actual(symbols),
            Self::Actual => FreeCalls::expected(symbols),
        }
    }

    /// The expected and the actual index of a choosing call and the call it chose.
    pub(super) fn sides(self, choosing: usize, chosen: usize) -> (usize, usize) {
        match self {
            Self::Expected => (choosing, chosen),
            Self::Actual => (chosen, choosing),
        }
    }
}

/// The calls that the driving side chooses from.
pub(super) struct Counterparts<'c, C> {
    calls: &'c C,
    driver: Driver,
    /// Symbols of whole calls if available, otherwise of names.
    symbols: &'c Symbols<'c>,
    free: FreeCalls,
}

impl<'c, C: Comparison> Counterparts<'c, C> {
    pub(super) fn new(calls: &'c C, driver: Driver) -> Self {
        let symbols = calls.calls().unwrap_or_else(|| calls.names());
        Self {
            calls,
            driver,
            symbols,
            free: driver.choices(symbols),
        }
    }

    /// The first free call equal to this one.
    #[inline]
    pub(super) fn first_same(&mut self, choosing: usize) -> Result<Option<usize>, EvaluationError> {
        let chooser_symbols = self.driver.symbols(self.symbols, choosing);
        if self.calls.calls().is_some() {
            return Ok(self.free.first_of_either(chooser_symbols));
        }
        let mut walk = self.free.walk(chooser_symbols);
        while let Some(choice) = self.free.step(&mut walk) {
            let (expected, actual) = self.driver.sides(choosing, choice);
            if self.calls.grade(expected, actual)? == Grade::Full {
                return Ok(Some(choice));
            }
        }
        Ok(None)
    }
}

/// Pairs each call of the driving side with the first free call of the other side graded [`Grade::Full`], or with its fallback. Pairs are
/// in the order of the driving side.
///
/// # Errors
/// A comparison fails.
pub(crate) fn first_fit<C: Comparison>(
    calls: &C,
    driver: Driver,
    fallback: Fallback,
) -> Result<Alignment, EvaluationError> {
    let names = calls.names();
    let mut same = Counterparts::new(calls, driver);
    let mut of_name = match fallback {
        Fallback::None => None,
        Fallback::FirstOfName => Some(driver.choices(names)),
    };
    let mut pairs = Vec::with_capacity(calls.expected().min(calls.actual()));
    for choosing in 0..driver.choosing(calls) {
        let found = same.first_same(choosing)?;
        let fall_back_to = || {
            of_name
                .as_mut()
                .and_then(|free| free.first_of_either(driver.symbols(names, choosing)))
        };
        let Some(chosen) = found.or_else(fall_back_to) else {
            continue;
        };
        let (expected, actual) = driver.sides(choosing, chosen);
        let grade = if found.is_some() {
            Grade::Full
        } else {
            calls.grade(expected, actual)?
        };
        pairs.push(Pair {
            expected,
            actual,
            grade,
        });
        same.free.take(chosen);
        if let Some(of_name) = &mut of_name {
            of_name.take(chosen);
        }
    }
    Ok(Alignment::from_pairs(pairs))
}

/// Pairs each expected call with the first free actual call graded [`Grade::Full`]. The observer sees all comparisons, and each expected
/// call without a free actual call of its name.
///
/// # Errors
/// A comparison fails.
pub(crate) fn observed_first_fit<C: Comparison>(
    calls: &C,
    observer: &mut impl ComparisonObserver,
) -> Result<Alignment, EvaluationError> {
    let names = calls.names();
    let mut free = FreeCalls::actual(names);
    let (mut pairs, mut broken_off) = (Vec::new(), false);
    for expected in 0..calls.expected() {
        let mut walk = free.walk(names.expected[expected]);
        let (mut is_compared, mut is_answered) = (false, false);
        while !broken_off
            && !is_answered
            && let Some(actual) = free.step(&mut walk)
        {
            let grade = calls.grade(expected, actual)?;
            (is_compared, is_answered) = (true, grade == Grade::Full);
            if is_answered {
                free.take(actual);
                pairs.push(Pair::full(expected, actual));
            }
            broken_off = observer.compared(expected, actual, grade).is_break();
        }
        broken_off |= !is_compared && observer.unanswered(expected).is_break();
        if broken_off {
            break;
        }
    }
    Ok(Alignment {
        broken_off,
        ..Alignment::from_pairs(pairs)
    })
}

/// Pairs each expected call with the first free actual call graded [`Grade::Full`], up to the first
/// one without a match. Pairs none if the sides have different numbers of calls.
///
/// # Errors
/// A comparison fails.
pub(crate) fn complete_fit<C: Comparison>(calls: &C) -> Result<Alignment, EvaluationError> {
    let mut pairs = Vec::new();
    if calls.expected() != calls.actual() {
        return Ok(Alignment::from_pairs(pairs));
    }
    let mut same = Counterparts::new(calls, Driver::Expected);
    for expected in 0..calls.expected() {
        let Some(actual) = same.first_same(expected)? else {
            break;
        };
        same.free.take(actual);
        pairs.push(Pair::full(expected, actual));
    }
    Ok(Alignment::from_pairs(pairs))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::alignment::table::{Recorder, Table, tables};

    /// The rule as nested loops over all pairs.
    fn reference(
        calls: &Table,
        driver: Driver,
        fallback: Fallback,
        recorder: &mut Recorder,
    ) -> Result<Vec<Pair>, EvaluationError> {
        let (choosing, choices) = match driver {
            Driver::Expected => (calls.expected(), calls.actual()),
            Driver::Actual => (calls.actual(), calls.expected()),
        };
        let mut used = vec![false; choices];
        let mut pairs = Vec::new();
        for i in 0..choosing {
            let (mut first, mut full, mut seen) = (None, None, false);
            for (j, used) in used.iter().enumerate() {
                let (e, a) = if driver == Driver::Expected {
                    (i, j)
                } else {
                    (j, i)
                };
                if *used || !calls.names().same(e, a) {
                    continue;
                }
                seen = true;
                let pair = Pair {
                    expected: e,
                    actual: a,
                    grade: calls.grade(e, a)?,
                };
                let _ = recorder.compared(e, a, pair.grade);
                if pair.grade == Grade::Full {
                    full = Some((j, pair));
                    break;
                }
                first = first.or(Some((j, pair)));
            }
            let fall_back_to = if fallback == Fallback::FirstOfName {
                first
            } else {
                None
            };
            if let Some((j, pair)) = full.or(fall_back_to) {
                used[j] = true;
                pairs.push(pair);
            } else if !seen && driver == Driver::Expected {
                let _ = recorder.unanswered(i);
            }
        }
        Ok(pairs)
    }

    fn ends(alignment: &Alignment) -> Vec<(usize, usize)> {
        alignment
            .pairs
            .iter()
            .map(|pair| (pair.expected, pair.actual))
            .collect()
    }

    #[test]
    fn a_fallback_can_take_the_match_of_a_later_call() {
        for with_symbols in [true, false] {
            let calls = Table::from_calls(&[(0, 0), (0, 1)], &[(0, 1), (0, 2)], with_symbols);
            let alignment = first_fit(&calls, Driver::Expected, Fallback::FirstOfName).unwrap();
            assert_eq!(
                (ends(&alignment), alignment.credit),
                (vec![(0, 0), (1, 1)], 0.0)
            );
            let alignment = first_fit(&calls, Driver::Expected, Fallback::None).unwrap();
            assert_eq!((ends(&alignment), alignment.credit), (vec![(1, 0)], 1.0));
        }
    }

    #[test]
    fn a_complete_fit_ends_at_the_first_call_without_a_match() {
        let fit = |expected: &[(u32, u32)], actual: &[(u32, u32)]| {
            ends(&complete_fit(&Table::from_calls(expected, actual, true)).unwrap())
        };
        let (a, b, other) = ((0, 0), (0, 1), (1, 0));
        assert_eq!(fit(&[a, b], &[b, a]), [(0, 1), (1, 0)]);
        assert_eq!(fit(&[a, a, b], &[a, b, other]), [(0, 0)]);
        assert_eq!(fit(&[a], &[a, b]), []);
    }

    #[test]
    fn duplicates_are_taken_in_order() {
        let calls = Table::from_calls(&[(0, 0), (0, 0), (0, 0)], &[(1, 0), (0, 0), (0, 0)], true);
        assert_eq!(
            ends(&first_fit(&calls, Driver::Expected, Fallback::None).unwrap()),
            [(0, 1), (1, 2)]
        );
        assert_eq!(
            ends(&first_fit(&calls, Driver::Actual, Fallback::None).unwrap()),
            [(0, 1), (1, 2)]
        );
    }

    #[test]
    fn an_expected_call_without_any_candidate_is_unanswered() {
        let calls = Table::from_calls(&[(0, 0), (0, 0), (1, 0)], &[(0, 0), (1, 1)], true);
        let mut recorder = Recorder::default();
        let alignment = observed_first_fit(&calls, &mut recorder).unwrap();
        assert_eq!(
            recorder.compared,
            [(0, 0, Grade::Full), (2, 1, Grade::NameOnly)]
        );
        assert_eq!(
            (recorder.unanswered, alignment.broken_off),
            (vec![1], false)
        );

        let mut recorder = Recorder::ending_after(2);
        let alignment = observed_first_fit(&calls, &mut recorder).unwrap();
        assert_eq!(
            (
                ends(&alignment),
                alignment.broken_off,
                recorder.compared.len()
            ),
            (vec![(0, 0)], true, 1)
        );
    }

    proptest! {
        #[test]
        fn all_first_fits_equal_the_reference(calls in tables(8), expected in any::<bool>(), fall_back in any::<bool>()) {
            let driver = if expected { Driver::Expected } else { Driver::Actual };
            let fallback = if fall_back { Fallback::FirstOfName } else { Fallback::None };
            let mut wanted = Recorder::default();
            let pairs = reference(&calls, driver, fallback, &mut wanted);
            if (driver, fallback) == (Driver::Expected, Fallback::None) {
                let mut seen = Recorder::default();
                let observed = observed_first_fit(&calls, &mut seen);
                prop_assert_eq!(&seen, &wanted);
                prop_assert_eq!(observed.map(|alignment| alignment.pairs), pairs.clone());
            }
            for calls in [calls.clone(), calls.without_symbols()] {
                let given = first_fit(&calls, driver, fallback);
                prop_assert_eq!(given.map(|alignment| alignment.pairs), pairs.clone());
            }
        }

        #[test]
        fn an_observer_can_end_the_fit_at_any_event(calls in tables(6), end in 1..12_usize) {
            let mut all = Recorder::default();
            let whole = observed_first_fit(&calls, &mut all);
            let mut some = Recorder::ending_after(end);
            let part = observed_first_fit(&calls, &mut some);
            if all.events() < end {
                prop_assert_eq!(part, whole);
            } else {
                let part = part.unwrap();
                prop_assert!(part.broken_off);
                prop_assert_eq!(some.events(), end);
                prop_assert_eq!(&some.compared[..], &all.compared[..some.compared.len()]);
                let full = some.compared.iter().filter(|(_, _, grade)| *grade == Grade::Full).count();
                prop_assert_eq!(part.pairs.len(), full);
            }
        }
    }
}
