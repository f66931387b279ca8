//! Several trials of one case.

/// The trials of a case, and how many of them passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrialCounts {
    /// Number of trials.
    pub trials: u64,
    /// Of these, those that passed.
    pub passed: u64,
}

/// The probability that at least one of `k` trials passes: `1 - C(n - c, k) / C(n, k)`, unbiased. `None` for fewer than `k` trials.
///
/// Source: Chen et al., *Evaluating Large Language Models Trained on Code* (2021), section 2.1.
pub fn pass_at(k: u64, of: TrialCounts) -> Option<f64> {
    Some(1.0 - all_from(of.trials - of.passed, of.trials, k)?)
}

/// The probability that all of `k` trials pass: `C(c, k) / C(n, k)`, unbiased. `None` for fewer than `k` trials.
///
/// Source: Yao et al., *τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains* (2024), section 3.
pub fn pass_hat(k: u64, of: TrialCounts) -> Option<f64> {
    all_from(of.passed, of.trials, k)
}

/// The probability that two different trials have the same verdict. `None` for fewer than two trials.
pub fn agreement(of: TrialCounts) -> Option<f64> {
    Some(all_from(of.passed, of.trials, 2)? + all_from(of.trials - of.passed, of.trials, 2)?)
}

/// The probability that `k` items drawn from `all` without replacement are all among `some`: `C(some, k) / C(all, k)`.
fn all_from(some: u64, all: u64, k: u64) -> Option<f64> {
    // Multiply ratios one by one, since binomial coefficients could overflow.
    (k > 0 && k <= all).then(|| {
        (0..k)
            .map(|drawn| some.saturating_sub(drawn) as f64 / (all - drawn) as f64)
            .product()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn estimates_match_the_formulas_of_the_papers() {
        let of = |trials, passed| TrialCounts { trials, passed };
        assert_eq!(pass_at(1, of(4, 1)), Some(0.25));
        assert_eq!(pass_at(2, of(4, 1)), Some(0.5));
        assert_eq!(pass_at(4, of(4, 1)), Some(1.0));
        assert_eq!(pass_hat(2, of(4, 2)), Some(1.0 / 6.0));
        assert_eq!(pass_hat(4, of(4, 3)), Some(0.0));
        assert_eq!(pass_hat(5, of(4, 4)), None);
        assert_eq!(agreement(of(4, 2)), Some(1.0 / 3.0));
        assert_eq!(
            (agreement(of(4, 4)), agreement(of(1, 1))),
            (Some(1.0), None)
        );
    }

    proptest! {
        #[test]
        fn pass_any_grows_and_pass_all_shrinks_with_k(trials in 1_u64..30, passed in 0_u64..30) {
            let of = TrialCounts { trials, passed: passed.min(trials) };
            let share = of.passed as f64 / of.trials as f64;
            prop_assert!((pass_at(1, of).unwrap() - share).abs() < 1e-12 && (pass_hat(1, of).unwrap() - share).abs() < 1e-12);
            for k in 1..trials {
                prop_assert!(pass_at(k, of).unwrap() <= pass_at(k + 1, of).unwrap() + 1e-12);
                prop_assert!(pass_hat(k, of).unwrap() + 1e-12 >= pass_hat(k + 1, of).unwrap());
            }
        }
    }
}
