//! Comparisons given as tables, for tests: short lists of calls with numbers for names and arguments.

use std::cell::RefCell;
use std::ops::ControlFlow;

use proptest::prelude::*;

use super::{Comparison, ComparisonObserver, Grade, Symbols};
use crate::outcome::EvaluationError;

/// Calls as (name, arguments): equal names are the same tool, equal pairs the same call.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    names: Symbols<'static>,
    calls: Option<Symbols<'static>>,
    grades: Vec<Vec<Result<Grade, EvaluationError>>>,
    compared_pairs: RefCell<Vec<(usize, usize)>>,
}

impl Table {
    /// A table of calls graded by equality, with or without symbols for look-ups.
    pub(crate) fn from_calls(
        expected: &[(u32, u32)],
        actual: &[(u32, u32)],
        with_symbols: bool,
    ) -> Self {
        let grade = |e: (u32, u32), a: (u32, u32)| match (e.0 == a.0, e.1 == a.1) {
            (true, true) => Grade::Full,
            (true, false) => Grade::NameOnly,
            _ => Grade::Unlike,
        };
        let symbols = |of: &dyn Fn((u32, u32)) -> u32| Symbols {
            expected: expected.iter().map(|&call| [of(call); 2]).collect(),
            actual: actual.iter().map(|&call| of(call)).collect(),
            count: 256,
        };
        let grades = expected
            .iter()
            .map(|&e| actual.iter().map(|&a| Ok(grade(e, a))).collect())
            .collect();
        Self {
            names: symbols(&|call| call.0),
            calls: with_symbols.then(|| symbols(&|call| call.0 * 16 + call.1)),
            grades,
            compared_pairs: RefCell::default(),
        }
    }

    /// A table of calls of one tool with the given grades: `grades[expected][actual]`.
    pub(crate) fn from_grades(grades: Vec<Vec<Grade>>, actual: usize) -> Self {
        let names = Symbols::new(vec![[0; 2]; grades.len()], vec![0; actual], 1);
        let grades = grades
            .into_iter()
            .map(|row| row.into_iter().map(Ok).collect())
            .collect();
        Self {
            names,
            calls: None,
            grades,
            compared_pairs: RefCell::default(),
        }
    }

    /// A table by symbols: pairs with a common call symbol are equal; `other` grades the other pairs of one name.
    pub(crate) fn from_symbols(
        names: Symbols<'static>,
        calls: Symbols<'static>,
        other: impl Fn(usize, usize) -> Grade,
    ) -> Self {
        let grade = |e, a| match (calls.same(e, a), names.same(e, a)) {
            (true, _) => Grade::Full,
            (false, true) => other(e, a),
            (false, false) => Grade::Unlike,
        };
        let grades = (0..names.expected.len())
            .map(|e| (0..names.actual.len()).map(|a| Ok(grade(e, a))).collect())
            .collect();
        Self {
            names,
            calls: Some(calls),
            grades,
            compared_pairs: RefCell::default(),
        }
    }

    /// The same table with comparisons that fail, and so without symbols for look-ups.
    pub(crate) fn failing_at(mut self, pairs: &[(usize, usize)]) -> Self {
        for &(expected, actual) in pairs {
            if let Some(grade) = self
                .grades
                .get_mut(expected)
                .and_then(|row| row.get_mut(actual))
            {
                *grade = Err(EvaluationError::Raised(format!("{expected}, {actual}")));
                self.calls = None;
            }
        }
        self
    }

    /// The same table without symbols for look-ups.
    pub(crate) fn without_symbols(mut self) -> Self {
        self.calls = None;
        self
    }

    /// The pairs graded since the last call.
    pub(crate) fn compared_pairs(&self) -> Vec<(usize, usize)> {
        self.compared_pairs.take()
    }
}

impl Comparison for Table {
    fn expected(&self) -> usize {
        self.names.expected.len()
    }

    fn actual(&self) -> usize {
        self.names.actual.len()
    }

    fn names(&self) -> &Symbols<'_> {
        &self.names
    }

    fn calls(&self) -> Option<&Symbols<'_>> {
        self.calls.as_ref()
    }

    fn grade(&self, expected: usize, actual: usize) -> Result<Grade, EvaluationError> {
        self.compared_pairs.borrow_mut().push((expected, actual));
        self.grades[expected][actual].clone()
    }
}

/// Symbols of lists up to a length. Expected calls may have two symbols, and some calls match no call.
pub(crate) fn symbols(longest: usize, count: u32) -> impl Strategy<Value = Symbols<'static>> {
    let symbol = move || {
        (0..=count).prop_map(move |symbol| {
            if symbol == count {
                Symbols::NONE
            } else {
                symbol
            }
        })
    };
    let one_or_two = (symbol(), symbol(), any::<bool>())
        .prop_map(|(first, second, two)| [first, if two { second } else { first }]);
    let lists = (
        prop::collection::vec(one_or_two, 0..=longest),
        prop::collection::vec(symbol(), 0..=longest),
    );
    lists.prop_map(move |(expected, actual)| Symbols::new(expected, actual, count as usize))
}

/// Tables of lists up to a length. They have few names and arguments, so that duplicates and ties occur; some expected calls have two
/// symbols, some grades are partial, some comparisons fail.
pub(crate) fn tables(longest: usize) -> impl Strategy<Value = Table> {
    let failing = prop_oneof![
        3 => Just(Vec::new()),
        1 => prop::collection::vec((0..longest, 0..longest), 1..3),
    ];
    (tables_without_failure(longest), failing)
        .prop_map(|(table, failing)| table.failing_at(&failing))
}

/// [`tables`] without failing comparisons, with symbols for look-ups.
pub(crate) fn tables_without_failure(longest: usize) -> impl Strategy<Value = Table> {
    const ARGUMENTS: u32 = 3;
    let name_of = |symbol: u32| {
        if symbol == Symbols::NONE {
            symbol
        } else {
            symbol / ARGUMENTS
        }
    };
    (symbols(longest, 3 * ARGUMENTS), any::<bool>(), any::<u32>()).prop_map(
        move |(calls, partial, seed)| {
            let names = Symbols {
                expected: calls
                    .expected
                    .iter()
                    .map(|symbols| symbols.map(name_of))
                    .collect(),
                actual: calls.actual.iter().copied().map(name_of).collect(),
                count: 3,
            };
            let other = |e: usize, a: usize| match (
                partial,
                (seed as usize).wrapping_add(e * 31 + a * 17) % 4,
            ) {
                (true, 1) => Grade::Partial(0.25),
                (true, 2) => Grade::Partial(1.0 / 3.0),
                (true, 3) => Grade::Partial(0.5),
                _ => Grade::NameOnly,
            };
            Table::from_symbols(names, calls, other)
        },
    )
}

/// Records all events, and may end the alignment after some of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Recorder {
    pub(crate) compared: Vec<(usize, usize, Grade)>,
    pub(crate) unanswered: Vec<usize>,
    end: Option<usize>,
}

impl Recorder {
    pub(crate) fn ending_after(events: usize) -> Self {
        Self {
            end: Some(events),
            ..Self::default()
        }
    }

    pub(crate) fn events(&self) -> usize {
        self.compared.len() + self.unanswered.len()
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.end == Some(self.events()) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl ComparisonObserver for Recorder {
    fn compared(&mut self, expected: usize, actual: usize, grade: Grade) -> ControlFlow<()> {
        self.compared.push((expected, actual, grade));
        self.flow()
    }

    fn unanswered(&mut self, expected: usize) -> ControlFlow<()> {
        self.unanswered.push(expected);
        self.flow()
    }
}
