//! A record suppresses a rule that does not exist.

use super::meant;
use crate::check::{Check, CheckedRule};
use crate::{LintRule, Severity};

pub(super) const RULE: CheckedRule = CheckedRule {
    rule: LintRule {
        code: "unknown-rule",
        severity: Severity::Warning,
        summary: "A record ignores a rule that does not exist.",
        page: r#"The rule that was meant still reports its findings.

`"lint": {"ignore": ["dupicate-call"]}`: correct the code. `rightcall lint --rule` lists all codes."#,
    },
    check: Check::Record(|subject, found| {
        let codes = || super::rules().map(|it| it.code);
        for code in subject
            .ignored
            .iter()
            .filter(|code| codes().all(|it| it != **code))
        {
            let message = format!(
                "expected the code of a rule, found `{code}`{}",
                meant(code, codes())
            );
            found.in_record(
                subject,
                "/lint/ignore",
                message,
                "`rightcall lint --rule` lists all codes",
            );
        }
    }),
};
