"""Compares rightcall's statistics with SciPy, statsmodels and scikit-learn on 200 generated data sets.

Usage: python check.py CALCULATE, the example `calculate` of this crate. The last line is `N passed, N failed`.
"""

import math
import subprocess
import sys

import numpy
from scipy import stats
from sklearn.metrics import cohen_kappa_score, roc_auc_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import NormalIndPower

DATA_SETS = 200
RESAMPLES = 10_000


def data_set(seed):
    """Scores before and after, with ties and unchanged cases, and a reward that correlates with them."""
    random = numpy.random.default_rng(seed)
    cases = int(random.integers(4, 80))
    steps = int(random.choice([1, 2, 4, 1024]))
    before = random.integers(0, steps + 1, cases) / steps
    after = numpy.where(random.random(cases) < random.random(), before, random.integers(0, steps + 1, cases) / steps)
    reward = (after + random.normal(0, 0.5, cases) > 0.5).astype(float)
    return random, before, after, reward


def expanded_confidence(cases):
    """The confidence that expands a 95 % percentile interval: Hesterberg (2015), section 4.2."""
    return 1 - 2 * stats.norm.cdf(math.sqrt(cases / (cases - 1)) * stats.t.ppf(0.025, cases - 1))


def questions(seed):
    """Yields pairs: a line for `calculate`, and a function that checks the answer."""
    random, before, after, reward = data_set(seed)
    differences = after - before
    cases = len(differences)
    text = lambda numbers: " ".join(repr(float(number)) for number in numbers)
    near = lambda expected, tolerance=1e-9: lambda found: numpy.allclose(found, expected, rtol=tolerance, atol=tolerance)

    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    yield f"mcnemar {better} {worse}", near([mcnemar([[0, better], [worse, 0]], exact=True).pvalue if better + worse else 1.0])

    moved = differences[differences != 0]
    exact = len(moved) <= 13
    if len(moved) == 1:
        # SciPy needs two values; a difference of 0 does not change the result.
        moved = numpy.append(moved, 0.0)
    if len(moved):
        p = stats.permutation_test(
            (moved,), lambda x, axis: numpy.mean(x, axis=axis), permutation_type="samples", vectorized=True,
            n_resamples=numpy.inf if exact else RESAMPLES, rng=numpy.random.default_rng(seed),
        ).pvalue
        # Beyond exact counts, both results are random samples.
        chance = 0 if exact else 6 * math.sqrt(2 * p * (1 - p) / RESAMPLES) + 4 / RESAMPLES
        yield f"sign_flip {text(differences)}", near([p], max(chance, 1e-9))

    if differences.std() > 0:
        interval = stats.bootstrap(
            (differences,), numpy.mean, method="percentile", n_resamples=RESAMPLES,
            confidence_level=expanded_confidence(cases), rng=numpy.random.default_rng(seed), batch=1000,
        ).confidence_interval
        width = interval.high - interval.low
        # The mean of coarse scores changes in steps, and a percentile may be on either side of a step.
        step = numpy.diff(numpy.unique(differences)).min() / cases
        yield (
            f"interval {text(differences)}",
            lambda found: numpy.allclose(
                found, [differences.mean(), interval.low, interval.high], rtol=0, atol=0.06 * width + step
            ),
        )
        yield f"standardised {text(differences)}", near([differences.mean() / differences.std(ddof=1)])
        change = 0.05 + 0.2 * random.random()
        deviation = differences.std(ddof=1)
        power = lambda number: NormalIndPower().power(change / deviation, nobs1=number, alpha=0.05, ratio=0)
        # statsmodels includes the power of the other tail, which is negligible.
        enough = lambda found: power(found[0]) >= 0.8 and (found[0] < 5 or power(found[0] - 1) < 0.801)
        yield f"cases_needed {text([deviation, change])}", enough

    values = random.random(int(random.integers(1, 9))) ** 3
    yield f"holm {text(values)}", near(multipletests(values, method="holm")[1])

    if after.std() > 0 and reward.std() > 0:
        both = f"{text(after)} | {text(reward)}"
        yes, no = after[reward == 1], after[reward == 0]
        yield f"auc {both}", near([stats.mannwhitneyu(yes, no).statistic / (len(yes) * len(no))])
        yield f"auc {both}", near([roc_auc_score(reward, after)])
        yield f"pearson {both}", near([stats.pointbiserialr(reward, after).statistic])
        yield f"spearman {both}", near([stats.spearmanr(after, reward).statistic])

    if after.std() > 0 and before.std() > 0:
        yield f"kendall {text(before)} | {text(after)}", near([stats.kendalltau(before, after, variant="b").statistic])

    verdicts = [(scores >= 0.5).astype(float) for scores in (before, after)]
    if len({*verdicts[0], *verdicts[1]}) > 1:
        yield f"kappa {text(verdicts[0])} | {text(verdicts[1])}", near([cohen_kappa_score(*verdicts)])

    trials = int(random.integers(1, 20))
    passed, k = int(random.integers(0, trials + 1)), int(random.integers(1, trials + 1))
    ways = math.comb(trials, k)
    yield f"pass_at {k} {trials} {passed}", near([1 - math.comb(trials - passed, k) / ways])
    yield f"pass_hat {k} {trials} {passed}", near([math.comb(passed, k) / ways])


def main():
    asked = [question for seed in range(DATA_SETS) for question in questions(seed)]
    lines = "\n".join(line for line, _ in asked) + "\n"
    answers = subprocess.run([sys.argv[1]], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    failed = 0
    for (line, is_right), answer in zip(asked, answers, strict=True):
        found = [float(number) for number in answer.split()]
        if not found or not is_right(found):
            failed += 1
            print(f"differs: {line[:120]} -> {answer}")
    print(f"{len(asked) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
