//! Checks the rule engine against the definition in `meaning`.

use rightcall_core::call::{Arguments, Call, Case, Trajectory};
use rightcall_core::monitor::{Admission, Monitor, ResultOfCall, RuleVerdict};
use rightcall_core::{Ask, Evaluator};

use super::generate::{RuleCase, TwinCall};
use super::meaning;

impl TwinCall {
    /// The call before its result.
    fn request(&self) -> Call<'static> {
        let mut call = Call {
            name: self.name.into(),
            ..Call::default()
        };
        if let Some(arguments) = self.arguments {
            let keys = ["k", "j"].into_iter().zip(arguments);
            let members = keys.filter_map(|(key, value)| Some(format!("\"{key}\":{}", value?)));
            let members: Vec<_> = members.collect();
            call.arguments = Arguments::owned_json(format!("{{{}}}", members.join(",")));
        }
        if let Some(group) = self.group {
            call.metadata_mut().group = Some(group.into());
        }
        call
    }

    fn result(&self) -> Option<ResultOfCall<'static>> {
        let result = ResultOfCall {
            output: self.output.map(|it| if it { "true" } else { "false" }),
            failed: self.failed,
        };
        (result != ResultOfCall::default()).then_some(result)
    }

    /// The call with its result.
    fn completed(&self) -> Call<'static> {
        let mut call = self.request();
        if let Some(result) = self.result() {
            let metadata = call.metadata_mut();
            metadata.output = result.output.map(Into::into);
            metadata.error = result.failed.map(|failed| failed.to_string().into());
        }
        call
    }

    fn without_result(&self) -> Self {
        Self {
            output: None,
            failed: None,
            ..*self
        }
    }
}

fn verdict_word(monitor: &Monitor) -> Option<&'static str> {
    monitor.verdicts()[0].map(RuleVerdict::as_str)
}

impl RuleCase {
    /// Compares engine and definition; false if there are too many combinations to try.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self) -> Result<bool, String> {
        let settings = format!("{{\"rules\":[{}]}}", self.rule.json());
        let failed = |what: &str, wanted: &dyn std::fmt::Debug, found: &dyn std::fmt::Debug| {
            let calls = &self.calls;
            Err(format!(
                "{what}: expected {wanted:?}, found {found:?}\n{settings}\n{calls:#?}"
            ))
        };
        let describe = |error: &dyn std::fmt::Display| format!("{error}\n{settings}");
        let evaluator =
            Evaluator::new("constraints", &settings, None).map_err(|it| describe(&it))?;
        let case = Case {
            actual: Some(Trajectory {
                calls: self.calls.iter().map(TwinCall::completed).collect(),
                ..Trajectory::default()
            }),
            ..Case::default()
        };
        let whole = evaluator.evaluate(&case, Ask::ALL);
        let check = whole.explanation.as_ref().map(|it| &it.checks[0]);
        let mut is_compared = true;
        match meaning::held(&self.rule, &self.calls) {
            Ok(held) if held != check.and_then(|it| it.held) => {
                return failed("held", &held, &check);
            }
            Ok(_) => {}
            Err(_) => is_compared = false,
        }
        let is_vacuous = meaning::is_vacuous(&self.rule, &self.calls);
        if is_vacuous != check.is_some_and(|it| it.vacuous) {
            return failed("vacuous", &is_vacuous, &check);
        }
        let mut monitor = Monitor::new(&settings).map_err(|it| describe(&it))?;
        for (number, call) in self.calls.iter().enumerate() {
            let before = meaning::verdict(&self.rule, &self.calls[..number]);
            let mut requested = self.calls[..number].to_vec();
            requested.push(call.without_result());
            let after = meaning::verdict(&self.rule, &requested);
            let may = monitor.may(&call.request()).map_err(|it| describe(&it))?;
            if let (Ok(before), Ok(after)) = (&before, &after) {
                // `may` reports a violation only if this call causes it.
                let wanted = *before == Some("violated") || *after != Some("violated");
                if wanted != may.is_empty() {
                    return failed(&format!("may {number}"), &wanted, &may);
                }
            }
            if let Ok(before) = before
                && before != verdict_word(&monitor)
            {
                return failed(
                    &format!("verdict {number}"),
                    &before,
                    &verdict_word(&monitor),
                );
            }
            monitor
                .observe(&call.request())
                .map_err(|it| describe(&it))?;
            if let Ok(after) = after
                && after != verdict_word(&monitor)
            {
                return failed(&format!("asked {number}"), &after, &verdict_word(&monitor));
            }
            if let Some(result) = call.result() {
                monitor.result(number, result).map_err(|it| describe(&it))?;
            }
            // Continue from a snapshot, to test snapshots too.
            monitor = Monitor::restore(monitor.snapshot().as_str()).map_err(|it| describe(&it))?;
        }
        let last = verdict_word(&monitor);
        match meaning::verdict(&self.rule, &self.calls) {
            Ok(wanted) if wanted != last => return failed("last verdict", &wanted, &last),
            Ok(_) => {}
            Err(_) => is_compared = false,
        }
        let finished = monitor.finish().map_err(|it| describe(&it))?;
        if finished.result != whole.result {
            return failed("finish", &whole.result, &finished.result);
        }
        self.check_late(&settings, last)?;
        self.check_admitted(&settings)?;
        Ok(is_compared)
    }

    /// Checks that the order of late results doesn't change the last verdict, and that a satisfied
    /// or violated rule stays so.
    fn check_late(&self, settings: &str, last: Option<&'static str>) -> Result<(), String> {
        let describe = |error: &dyn std::fmt::Display| format!("late: {error}\n{settings}");
        let mut monitor = Monitor::new(settings).map_err(|it| describe(&it))?;
        let mut before = verdict_word(&monitor);
        let mut waiting = Vec::new();
        let mut order = usize::from(self.order);
        let mut settle = |monitor: &Monitor| {
            let now = verdict_word(monitor);
            let is_final = matches!(before, Some("satisfied" | "violated"));
            if is_final && now != before {
                return Err(format!("{before:?} became {now:?}\n{settings}\n{self:#?}"));
            }
            before = now;
            Ok(())
        };
        for (number, call) in self.calls.iter().enumerate() {
            monitor
                .observe(&call.request())
                .map_err(|it| describe(&it))?;
            settle(&monitor)?;
            waiting.extend(call.result().map(|result| (number, result)));
            order = order * 7 + 3;
            if order.is_multiple_of(3) && !waiting.is_empty() {
                let (number, result) = waiting.swap_remove(order % waiting.len());
                monitor.result(number, result).map_err(|it| describe(&it))?;
                settle(&monitor)?;
            }
        }
        while !waiting.is_empty() {
            order = order * 5 + 1;
            let (number, result) = waiting.swap_remove(order % waiting.len());
            monitor.result(number, result).map_err(|it| describe(&it))?;
            settle(&monitor)?;
        }
        if verdict_word(&monitor) != last {
            let now = verdict_word(&monitor);
            return Err(format!(
                "late: {now:?}, not {last:?}\n{settings}\n{self:#?}"
            ));
        }
        Ok(())
    }

    /// Checks that `admit` never causes a violation, and admits exactly the calls that `may`
    /// allows.
    fn check_admitted(&self, settings: &str) -> Result<(), String> {
        let describe = |error: &dyn std::fmt::Display| format!("admit: {error}\n{settings}");
        let mut monitor = Monitor::new(settings).map_err(|it| describe(&it))?;
        for call in &self.calls {
            let was = verdict_word(&monitor);
            let may = monitor.may(&call.request()).map_err(|it| describe(&it))?;
            let admission = monitor.admit(&call.request()).map_err(|it| describe(&it))?;
            let is_admitted = matches!(admission, Admission::Admitted(_));
            let is_violated = verdict_word(&monitor) == Some("violated");
            let is_new = is_violated && was != Some("violated");
            if is_new || was != Some("violated") && is_admitted != may.is_empty() {
                return Err(format!(
                    "{admission:?} after {was:?}\n{settings}\n{self:#?}"
                ));
            }
        }
        Ok(())
    }
}
