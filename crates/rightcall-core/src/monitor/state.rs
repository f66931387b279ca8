//! A run in progress, and the state of its constraints.

use super::answer::{Admission, OpenConstraint, Refusal};
use super::error::MonitorError;
use super::expected::{EXPECTED, EXTRA, ExpectedRun, LABEL};
use super::recorded::{ResultOfCall, add_result};
use super::watch::{NextFacts, Watch, WatchedCall};
use crate::call::{Call, Case, Trajectory};
use crate::constraint::{Constraint, SETTINGS_WITH_SCHEMA, constraints_with_schema};
use crate::definitions::ArgumentViolation;
use crate::evaluation::{Ask, Evaluation};
use crate::evaluator::Evaluator;
use crate::expectation::{NextCall, written};
use crate::rule::{CallPlaceInRun, RuleCall, RuleVerdict};
use crate::settings::{ConfigError, Settings};
use crate::value::{HashKey, JsonText, JsonWriter, Object, Syntax, Value, decode_with};

/// Monitors a run, call by call, under the constraints of [`constraints`](crate::EVALUATORS).
///
/// ```
/// use rightcall_core::call::{Arguments, Call};
/// use rightcall_core::monitor::{Admission, ResultOfCall, Monitor};
///
/// let mut monitor = Monitor::new(r#"{"rules": [{"call": "refund", "at_most": 1, "same": "order"}]}"#)?;
/// let refund = Call {
///     name: "refund".into(),
///     arguments: Arguments::json(r#"{"order": 7}"#),
///     ..Call::default()
/// };
/// let Admission::Admitted(call) = monitor.admit(&refund)? else { panic!() };
/// monitor.result(call, ResultOfCall { output: Some("\"done\""), failed: Some(false) })?;
/// let Admission::Refused(refusals) = monitor.admit(&refund)? else { panic!() };
/// assert_eq!(refusals[0].rule, "at most 1 refund, same order");
/// assert_eq!(refusals[0].calls, [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Monitor {
    pub(super) settings: String,
    constraints: Vec<Constraint>,
    watches: Vec<Watch>,
    /// The expected calls, if the settings have any.
    expected: Option<ExpectedRun>,
    /// Judges the whole run at its end.
    evaluator: Evaluator,
    calls: Vec<Call<'static>>,
    /// For each call, true if it has a result.
    has_result: Vec<bool>,
    key: HashKey,
    pub(super) is_finished: bool,
}

impl Monitor {
    /// A monitor from the settings of the evaluator `constraints`, a JSON object. A list sets only `rules`. In addition, `expected` holds
    /// calls like the expectation of a case, and `extra: others` allows calls of tools that it does not name.
    ///
    /// # Errors
    /// A setting is invalid.
    pub fn new(settings: &str) -> Result<Self, ConfigError> {
        Self::with_hash_key(settings, HashKey::default())
    }

    /// Like [`new`](Self::new), with the caller's key for the hashes of arguments.
    ///
    /// # Errors
    /// A setting is invalid.
    pub fn with_hash_key(settings: &str, key: HashKey) -> Result<Self, ConfigError> {
        let settings = if settings.trim_start().starts_with('[') {
            format!("{{\"rules\":{settings}}}")
        } else {
            settings.to_owned()
        };
        let read = written(&settings).unwrap_or(Value::Null);
        let (expected, rest) = match read.as_object() {
            Some(object) => ExpectedRun::read(object)?,
            None => (None, None),
        };
        let evaluator = Evaluator::new(ID, rest.as_deref().unwrap_or(&settings), None)?;
        // These were read above.
        let is_constraint =
            |key: &str| ![EXPECTED, EXTRA, "edition", "threshold", "score"].contains(&key);
        let members = read.as_object().into_iter().flat_map(Object::iter);
        let members = members
            .filter(|(key, _)| is_constraint(&key.to_display()))
            .cloned();
        let object = Object::new(members.collect());
        let constraints =
            constraints_with_schema(&Settings::strict(ID, &object, &SETTINGS_WITH_SCHEMA)?)?;
        let watches = constraints.iter().map(Watch::new).collect();
        Ok(Self {
            settings,
            constraints,
            watches,
            expected,
            evaluator,
            calls: Vec::new(),
            has_result: Vec::new(),
            key,
            is_finished: false,
        })
    }

    /// Replays this run under other settings, from its first call.
    ///
    /// # Errors
    /// The settings can't be read.
    pub(super) fn with_settings(self, settings: &str) -> Result<Self, MonitorError> {
        if self.settings == settings {
            return Ok(self);
        }
        let mut replayed = Self::with_hash_key(settings, self.key)
            .map_err(|error| MonitorError::NotASnapshot(error.to_string()))?;
        for (call, has_result) in self.calls.iter().zip(self.has_result) {
            let number = replayed.observe(call)?;
            if has_result {
                let result = ResultOfCall {
                    output: call.metadata().recorded_output(),
                    failed: call.failed(),
                };
                replayed.result(number, result)?;
            }
        }
        replayed.is_finished = self.is_finished;
        Ok(replayed)
    }

    /// The labels of the constraints, in the order of their verdicts.
    pub fn labels(&self) -> Vec<String> {
        let labels = self.constraints.iter().map(Constraint::label);
        let expected = self.expected.iter().map(|_| LABEL.to_owned());
        labels.chain(expected).collect()
    }

    /// The verdict on each constraint; `None` if it depends on unrecorded data.
    pub fn verdicts(&self) -> Vec<Option<RuleVerdict>> {
        let pairs = self.watches.iter().zip(&self.constraints);
        let verdict =
            |(watch, constraint): (&Watch, _)| watch.verdict(constraint, &self.calls, self.key);
        let expected = self.expected.iter().map(|it| it.verdict(&self.calls));
        pairs.map(verdict).chain(expected).collect()
    }

    /// The constraints with their [`verdicts`](Self::verdicts), as a JSON list of `{"rule", "verdict"}`.
    pub fn verdicts_json(&self) -> JsonText {
        let mut writer = JsonWriter::new();
        let verdicts = self.labels().into_iter().zip(self.verdicts());
        writer.list(verdicts, |writer, (label, verdict)| {
            let word = verdict.map(RuleVerdict::as_str);
            writer.begin_object().key("rule").str(&label);
            writer.key("verdict").serialize(&word).end_object();
        });
        writer.finish()
    }

    /// The calls that keep the run an expected one, as patterns with bound variables replaced by their values. Empty if no calls are
    /// expected.
    pub fn next(&self) -> Vec<NextCall> {
        let expected = self.expected.as_ref();
        expected.map_or(Vec::new(), |it| it.next(&self.calls))
    }

    /// [`next`](Self::next) as a JSON list.
    pub fn next_json(&self) -> JsonText {
        let mut writer = JsonWriter::new();
        writer.list(self.next(), |writer, call| call.write(writer));
        writer.finish()
    }

    /// The constraints that a call would violate if made next; empty if the call is allowed.
    ///
    /// # Errors
    /// The run is finished.
    pub fn may(&self, call: &Call<'_>) -> Result<Vec<Refusal>, MonitorError> {
        Ok(self.refusals(&self.watched(call)?, false))
    }

    /// The constraints that a call would break if made next: those of [`may`](Self::may), and already violated ones that the call would
    /// break once more.
    ///
    /// # Errors
    /// The run is finished.
    pub fn would_break(&self, call: &Call<'_>) -> Result<Vec<Refusal>, MonitorError> {
        Ok(self.refusals(&self.watched(call)?, true))
    }

    /// Records a call if it is allowed, in one step. It is also refused if it would break a violated constraint once more.
    ///
    /// # Errors
    /// The run is finished.
    pub fn admit(&mut self, call: &Call<'_>) -> Result<Admission, MonitorError> {
        let watched = self.watched(call)?;
        let refusals = self.refusals(&watched, true);
        Ok(if refusals.is_empty() {
            Admission::Admitted(self.add(watched))
        } else {
            Admission::Refused(refusals)
        })
    }

    /// Records a call that is made; returns its number.
    ///
    /// # Errors
    /// The run is finished.
    pub fn observe(&mut self, call: &Call<'_>) -> Result<usize, MonitorError> {
        let watched = self.watched(call)?;
        Ok(self.add(watched))
    }

    /// Records the result of a call, in any order, once per call.
    ///
    /// # Errors
    /// There is no such call, it already has a result, the output is not JSON, or the run is finished.
    pub fn result(&mut self, call: usize, result: ResultOfCall<'_>) -> Result<(), MonitorError> {
        self.check_running()?;
        match self.has_result.get(call) {
            None => {
                let observed = self.calls.len();
                return Err(MonitorError::UnknownCall { call, observed });
            }
            Some(true) => return Err(MonitorError::SecondResult { call }),
            Some(false) => {}
        }
        if let Some(Err(error)) = result.output.map(|json| decode_with(json, Syntax::PYTHON)) {
            let message = error.to_string();
            return Err(MonitorError::NotJson {
                field: "output",
                message,
            });
        }
        self.has_result[call] = true;
        add_result(&mut self.calls[call], result);
        if let Some(expected) = &mut self.expected {
            expected.revise(call, &self.calls);
        }
        let completed = &self.calls[call];
        let mut read = None;
        for (watch, constraint) in self.watches.iter_mut().zip(&self.constraints) {
            if watch.awaits(call) {
                let read = read.get_or_insert_with(|| RuleCall::from_call(completed));
                watch.revise(constraint, call, (completed, read), self.key);
            }
        }
        Ok(())
    }

    /// The constraints that would not hold if the run ended now, but may still be satisfied.
    pub fn open(&self) -> Vec<OpenConstraint> {
        let verdicts = self.verdicts();
        let open = |(check, constraint): (usize, &Constraint)| {
            (verdicts[check] == Some(RuleVerdict::Open)).then(|| OpenConstraint {
                rule: constraint.label(),
                check,
                why: constraint.why().map(str::to_owned),
                sentence: constraint.open_sentence(),
            })
        };
        let constraints = self.constraints.iter().enumerate();
        let mut all: Vec<_> = constraints.filter_map(open).collect();
        let check = self.constraints.len();
        let is_open = verdicts.get(check) == Some(&Some(RuleVerdict::Open));
        let expected = self.expected.as_ref().filter(|_| is_open);
        all.extend(expected.map(|it| it.open(&self.calls, check)));
        all
    }

    /// Ends the run and returns the result of the evaluator `constraints`.
    ///
    /// # Errors
    /// The run is already finished.
    pub fn finish(&mut self) -> Result<Evaluation, MonitorError> {
        self.check_running()?;
        self.is_finished = true;
        let case = Case {
            actual: Some(Trajectory {
                calls: self.calls.clone(),
                ..Trajectory::default()
            }),
            hash_key: self.key,
            ..Case::default()
        };
        Ok(self.evaluator.evaluate(&case, Ask::ALL))
    }

    /// True if a call has its result.
    pub fn has_result(&self, call: usize) -> bool {
        self.has_result.get(call) == Some(&true)
    }

    /// The reason for a constraint, if it has one.
    pub fn why(&self, check: usize) -> Option<&str> {
        self.constraints.get(check)?.why()
    }

    /// The calls so far.
    pub fn calls(&self) -> &[Call<'static>] {
        &self.calls
    }

    /// An error if the run is finished.
    fn check_running(&self) -> Result<(), MonitorError> {
        if self.is_finished {
            return Err(MonitorError::Finished);
        }
        Ok(())
    }

    /// A possible next call without a result, with the facts that each constraint needs.
    fn watched(&self, call: &Call<'_>) -> Result<WatchedCall, MonitorError> {
        self.check_running()?;
        let call = call.asked();
        let place = CallPlaceInRun::new(&call, self.calls.last());
        let read = RuleCall::from_call(&call);
        let facts = self.constraints.iter();
        let facts = facts
            .map(|constraint| NextFacts::new(constraint, (&call, &read), self.key))
            .collect();
        drop(read);
        Ok(WatchedCall { call, place, facts })
    }

    /// The refusals of a possible next call. With `guards_violated`, violated constraints refuse it
    /// too.
    fn refusals(&self, watched: &WatchedCall, guards_violated: bool) -> Vec<Refusal> {
        let pairs = self.watches.iter().zip(&self.constraints).enumerate();
        let refusal = |(check, (watch, constraint)): (usize, (&Watch, &Constraint))| {
            if !watch.is_broken_by(constraint, check, watched, &self.calls, self.key) {
                return None;
            }
            let is_violated = watch.is_violated(constraint, &self.calls, self.key);
            let refuses = guards_violated || !is_violated;
            refuses.then(|| self.refusal(check, constraint, watched, is_violated))
        };
        let mut refusals: Vec<_> = pairs.filter_map(refusal).collect();
        let expected = self.expected.as_ref();
        refusals.extend(expected.and_then(|it| {
            let check = self.constraints.len();
            it.refusal(&watched.call, &self.calls, check, guards_violated)
        }));
        refusals
    }

    #[cold]
    fn refusal(
        &self,
        check: usize,
        constraint: &Constraint,
        watched: &WatchedCall,
        is_violated: bool,
    ) -> Refusal {
        let (rule, why) = (constraint.label(), constraint.why().map(str::to_owned));
        let name = watched.call.name.to_display();
        let violations = watched.facts[check].violations();
        let quoted = constraint.quoted();
        let because = match (violations, &why) {
            ([], Some(why)) => format!("it breaks the rule {quoted}. Reason: {why}"),
            ([], None) => format!("it breaks the rule {quoted}."),
            (violations, _) => format!("{}.", sentences(violations)),
        };
        Refusal {
            sentence: format!("`{name}` may not be called now: {because}"),
            violations: violations.to_vec(),
            calls: self.watches[check].blamed(constraint, watched, &self.calls, self.key),
            rule,
            check,
            why,
            is_violated,
        }
    }

    fn add(&mut self, watched: WatchedCall) -> usize {
        let number = self.calls.len();
        for (check, watch) in self.watches.iter_mut().enumerate() {
            watch.observe(&self.constraints[check], number, check, &watched, self.key);
        }
        if let Some(expected) = &mut self.expected {
            expected.observe(&watched.call);
        }
        self.calls.push(watched.call);
        self.has_result.push(false);
        number
    }
}

fn sentences(violations: &[ArgumentViolation]) -> String {
    let sentences: Vec<_> = violations.iter().map(|it| it.sentence.as_str()).collect();
    sentences.join("; ")
}

/// The evaluator that defines the constraints.
const ID: &str = "constraints";
