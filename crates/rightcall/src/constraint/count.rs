//! How often each tool is called.

use std::ops::ControlFlow;

use crate::call::Count;
use crate::value::Text;

/// A count that was checked.
#[derive(Clone, Debug)]
pub(crate) struct CountCheck<'c> {
    pub(crate) count: &'c Count<'c>,
    /// Number of calls found.
    pub(crate) found: usize,
    pub(crate) held: bool,
}

/// An operator that is none was met.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UnknownOperator<'c>(pub(crate) Text<'c>);

/// Checks the counts in their order, up to the first broken one if `stop_at_broken`.
///
/// # Errors
/// The first operator reached that is unknown.
pub(crate) fn check_counts<'c>(
    counts: &'c [Count<'c>],
    found: impl Fn(&Text<'_>) -> usize,
    stop_at_broken: bool,
) -> Result<Vec<CountCheck<'c>>, UnknownOperator<'c>> {
    let mut checks = Vec::with_capacity(counts.len());
    let walk = counts.iter().try_for_each(|count| {
        let found = found(&count.name);
        let Some(held) = count.operator.holds(&found.into(), &count.count) else {
            return ControlFlow::Break(Err(UnknownOperator(count.operator.text().clone())));
        };
        checks.push(CountCheck { count, found, held });
        if stop_at_broken && !held { ControlFlow::Break(Ok(())) } else { ControlFlow::Continue(()) }
    });
    match walk {
        ControlFlow::Break(Err(unknown)) => Err(unknown),
        _ => Ok(checks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Operator;

    fn count<'c>(name: &'c str, operator: &'c str, count: i64) -> Count<'c> {
        Count { name: name.into(), operator: Operator::parse(&operator.into()), count: count.into() }
    }

    #[test]
    fn counts_are_checked_in_order() {
        let counts = [count("a", "=", 2), count("b", ">", 2), count("c", "!=", 2), count("d", "<=", -1)];
        let held =
            |stop| check_counts(&counts, |_| 2, stop).map(|checks| checks.iter().map(|check| check.held).collect::<Vec<_>>());
        assert_eq!(held(false), Ok(vec![true, false, false, false]));
        assert_eq!(held(true), Ok(vec![true, false]));
    }

    #[test]
    fn an_unknown_operator_counts_only_where_it_is_reached() {
        let counts = [count("a", "=", 1), count("b", "~", 1)];
        assert_eq!(check_counts(&counts, |_| 2, false).unwrap_err(), UnknownOperator("~".into()));
        assert_eq!(check_counts(&counts, |_| 2, true).unwrap().len(), 1);
    }
}
