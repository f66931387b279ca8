//! A monitor that decides about each call before it is made.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;

use super::answer::{Admission, Refusal};
use super::error::MonitorError;
use super::recorded::ResultOfCall;
use super::state::Monitor;
use crate::call::Call;
use crate::constraint::call_digest;
use crate::evaluation::Evaluation;
use crate::settings::ConfigError;
use crate::value::HashKey;

/// How a guard handles a forbidden call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GuardMode {
    /// Refuses it. A refused call is not part of the run.
    #[default]
    Block,
    /// Allows it, and reports the rules that it breaks.
    Warn,
    /// Allows it without a message. Verdicts and the final result show the broken rules.
    Observe,
}

impl GuardMode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Block, Self::Warn, Self::Observe];

    /// The mode's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Warn => "warn",
            Self::Observe => "observe",
        }
    }

    /// Parses a mode's name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == word)
    }
}

/// How a guard behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardOptions {
    /// How forbidden calls are handled.
    pub mode: GuardMode,
    /// After this many refusals of an equal call, the guard stops the run: it refuses every further call.
    pub max_refusals: u32,
}

impl Default for GuardOptions {
    fn default() -> Self {
        Self {
            mode: GuardMode::default(),
            max_refusals: 3,
        }
    }
}

/// A guard's decision about a call. The bindings return it as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GuardDecision {
    /// The call's number, for recording its result; `None` if the call was refused.
    pub call: Option<usize>,
    /// The rules that the call breaks.
    pub refusals: Vec<Refusal>,
    /// True if the run is stopped: no further call is allowed.
    #[serde(rename = "stopped")]
    pub is_stopped: bool,
    /// The message to the agent, or in the mode `warn` to its operator; empty if no rule is broken.
    pub sentence: String,
}

/// Decides before each call whether it may be made.
///
/// ```
/// use rightcall_core::call::{Arguments, Call};
/// use rightcall_core::monitor::{Guard, GuardOptions};
///
/// let mut guard = Guard::new(r#"["verify before refund"]"#, GuardOptions::default())?;
/// let call = |name: &'static str| Call { name: name.into(), arguments: Arguments::json("{}"), ..Call::default() };
/// let decision = guard.admit(&call("refund"))?;
/// assert_eq!(decision.call, None);
/// assert_eq!(decision.sentence, "`refund` may not be called now: it breaks the rule \"verify before refund\".");
/// assert_eq!(guard.admit(&call("verify"))?.call, Some(0));
/// assert_eq!(guard.admit(&call("refund"))?.call, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Guard {
    pub(super) monitor: Monitor,
    options: GuardOptions,
    /// Number of refusals per call.
    pub(super) refused: HashMap<u128, u32, FixedState>,
    /// Why the run was stopped.
    pub(super) stopped: Option<String>,
    /// True if the agent was reminded of open constraints.
    pub(super) has_reminded: bool,
}

impl Guard {
    /// A guard from the settings of the evaluator `constraints`, a JSON object. A list sets only `rules`.
    ///
    /// # Errors
    /// A setting is invalid.
    pub fn new(settings: &str, options: GuardOptions) -> Result<Self, ConfigError> {
        Ok(Self::over(Monitor::new(settings)?, options))
    }

    /// A guard for a run in progress.
    pub fn over(monitor: Monitor, options: GuardOptions) -> Self {
        Self {
            monitor,
            options,
            refused: HashMap::default(),
            stopped: None,
            has_reminded: false,
        }
    }

    /// This run under the rules and options of another guard.
    ///
    /// # Errors
    /// The rules of the other guard can't be read again.
    pub fn under(self, other: &Self) -> Result<Self, MonitorError> {
        Ok(Self {
            monitor: self.monitor.with_settings(&other.monitor.settings)?,
            options: other.options,
            ..self
        })
    }

    /// The guard's options.
    pub fn options(&self) -> GuardOptions {
        self.options
    }

    /// The run so far.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// Why the run was stopped, if it was.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// Decides about a call before it is made. An allowed call becomes part of the run; a refused one doesn't.
    ///
    /// # Errors
    /// The run is finished.
    pub fn admit(&mut self, call: &Call<'_>) -> Result<GuardDecision, MonitorError> {
        match self.options.mode {
            GuardMode::Block => self.admit_or_refuse(call),
            GuardMode::Warn => {
                let refusals = self.monitor.would_break(call)?;
                Ok(GuardDecision {
                    call: Some(self.monitor.observe(call)?),
                    is_stopped: false,
                    sentence: sentences(&refusals),
                    refusals,
                })
            }
            GuardMode::Observe => Ok(GuardDecision {
                call: Some(self.monitor.observe(call)?),
                refusals: Vec::new(),
                is_stopped: false,
                sentence: String::new(),
            }),
        }
    }

    fn admit_or_refuse(&mut self, call: &Call<'_>) -> Result<GuardDecision, MonitorError> {
        let refused = |refusals, is_stopped, sentence| GuardDecision {
            call: None,
            refusals,
            is_stopped,
            sentence,
        };
        if let Some(sentence) = &self.stopped {
            return Ok(refused(Vec::new(), true, sentence.clone()));
        }
        let refusals = match self.monitor.admit(call)? {
            Admission::Admitted(number) => {
                return Ok(GuardDecision {
                    call: Some(number),
                    ..refused(Vec::new(), false, String::new())
                });
            }
            Admission::Refused(refusals) => refusals,
        };
        let times = self.refused.entry(refused_key(call)).or_insert(0);
        *times += 1;
        let mut sentence = sentences(&refusals);
        if *times >= self.options.max_refusals {
            let name = call.name.to_display();
            let stop = format!(
                "The run is stopped: `{name}` was refused {times} times with the same arguments. Do not call any more tools."
            );
            sentence = format!("{sentence} {stop}");
            self.stopped = Some(stop);
        }
        Ok(refused(refusals, self.stopped.is_some(), sentence))
    }

    /// Records a call that is made regardless; returns its number.
    ///
    /// # Errors
    /// The run is finished.
    pub fn observe(&mut self, call: &Call<'_>) -> Result<usize, MonitorError> {
        self.monitor.observe(call)
    }

    /// Records the result of a call, in any order, once per call.
    ///
    /// # Errors
    /// There is no such call, it already has a result, the output is not JSON, or the run is finished.
    pub fn result(&mut self, call: usize, result: ResultOfCall<'_>) -> Result<(), MonitorError> {
        self.monitor.result(call, result)
    }

    /// The message to an agent that wants to end: what must still happen. Returned only once.
    pub fn reminder(&mut self) -> Option<String> {
        let open = self.monitor.open();
        if self.has_reminded || self.stopped.is_some() || open.is_empty() {
            return None;
        }
        self.has_reminded = true;
        let sentences = open.iter().map(|it| match &it.why {
            Some(why) => format!("{} Reason: {why}", it.sentence),
            None => it.sentence.clone(),
        });
        Some(sentences.collect::<Vec<_>>().join(" "))
    }

    /// Ends the run and returns the result of the evaluator `constraints`.
    ///
    /// # Errors
    /// The run is already finished.
    pub fn finish(&mut self) -> Result<Evaluation, MonitorError> {
        self.monitor.finish()
    }
}

fn sentences(refusals: &[Refusal]) -> String {
    let sentences: Vec<_> = refusals.iter().map(|it| it.sentence.as_str()).collect();
    sentences.join(" ")
}

/// A key that equal calls share. A call without recorded arguments is identified by its name alone.
fn refused_key(call: &Call<'_>) -> u128 {
    let key = HashKey::default();
    let named = || {
        let name = Call {
            name: call.name.clone(),
            arguments: crate::call::Arguments::json("null"),
            ..Call::default()
        };
        call_digest(&name, key)
    };
    call_digest(call, key).or_else(named).unwrap_or_default()
}
