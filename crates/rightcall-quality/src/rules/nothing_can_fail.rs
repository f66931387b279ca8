//! A suite that cannot fail: no gate, no threshold and no evaluator with a pass or fail verdict.

use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "nothing-can-fail",
        severity: Severity::Warning,
        summary: "A suite without a gate, a threshold or an evaluator that passes and fails cases.",
        page: r#"Its exit code is 0 whatever the agent does, in each of its profiles. A gate that every number keeps, such as `mean: ">= 0"` or
`errors: ">= 0"`, and `threshold: 0` count as none. Add a gate:

`gates: [{trajectory: {mean: ">= 0.9"}}]`"#,
    },
    check: Check::Suite(|suite, found| {
        if !suite.can_fail {
            let message = "no gate, no threshold and no evaluator with a verdict that can fail: a run of this suite passes whatever the agent does";
            found.at(
                suite.place(),
                message,
                "add a gate, such as trajectory: {mean: \">= 0.9\"}",
            );
        }
    }),
};
