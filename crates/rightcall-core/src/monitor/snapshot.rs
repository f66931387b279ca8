//! Saves a monitor as JSON, so that another process can continue it.

use serde::{Deserialize, Serialize};

use super::error::MonitorError;
use super::guard::{Guard, GuardMode, GuardOptions};
use super::recorded::ResultOfCall;
use super::state::Monitor;
use crate::call::{ArgumentSource, Arguments, Call};
use crate::value::{HashKey, JsonText, RawJson, Syntax, Text, Value, decode_with, from_json};

/// The format's version.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct SnapshotText<'s> {
    monitor: u32,
    #[serde(borrow)]
    settings: RawJson<'s>,
    #[serde(borrow)]
    calls: Vec<CallText<'s>>,
    finished: bool,
}

/// A call and its result.
#[derive(Serialize, Deserialize)]
struct CallText<'s> {
    #[serde(borrow)]
    name: RawJson<'s>,
    #[serde(
        borrow,
        default,
        deserialize_with = "crate::value::deserialize_present",
        skip_serializing_if = "Option::is_none"
    )]
    args: Option<RawJson<'s>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    group: Option<RawJson<'s>>,
    #[serde(
        borrow,
        default,
        deserialize_with = "crate::value::deserialize_present",
        skip_serializing_if = "Option::is_none"
    )]
    start: Option<RawJson<'s>>,
    #[serde(
        borrow,
        default,
        deserialize_with = "crate::value::deserialize_present",
        skip_serializing_if = "Option::is_none"
    )]
    end: Option<RawJson<'s>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    result: Option<ResultText<'s>>,
}

#[derive(Serialize, Deserialize)]
struct ResultText<'s> {
    #[serde(
        borrow,
        default,
        deserialize_with = "crate::value::deserialize_present",
        skip_serializing_if = "Option::is_none"
    )]
    output: Option<RawJson<'s>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed: Option<bool>,
}

impl Monitor {
    /// The monitor as JSON: its settings and the run so far.
    pub fn snapshot(&self) -> JsonText {
        let json = |text: &Text<'_>| JsonText::from_type(text).into_string();
        let texts: Vec<_> = self
            .calls()
            .iter()
            .map(|call| (json(&call.name), call.metadata().group.as_ref().map(json)))
            .collect();
        let calls = self.calls().iter().zip(&texts).enumerate();
        let calls = calls.map(|(number, (call, (name, group)))| {
            let metadata = call.metadata();
            CallText {
                name: RawJson(name),
                args: match call.arguments.source() {
                    ArgumentSource::Absent => None,
                    ArgumentSource::Json(json) | ArgumentSource::Text { json, .. } => {
                        Some(RawJson(json))
                    }
                },
                group: group.as_deref().map(RawJson),
                start: metadata.start.as_deref().map(RawJson),
                end: metadata.end.as_deref().map(RawJson),
                result: self.has_result(number).then(|| ResultText {
                    output: metadata.recorded_output().map(RawJson),
                    failed: call.failed(),
                }),
            }
        });
        JsonText::from_type(&SnapshotText {
            monitor: VERSION,
            settings: RawJson(&self.settings),
            calls: calls.collect(),
            finished: self.is_finished,
        })
    }

    /// Restores a monitor from a [snapshot](Self::snapshot).
    ///
    /// # Errors
    /// The text is not a snapshot.
    pub fn restore(snapshot: &str) -> Result<Self, MonitorError> {
        Self::restore_with_hash_key(snapshot, HashKey::default())
    }

    /// As [`restore`](Self::restore), with the caller's hash key.
    ///
    /// # Errors
    /// The text is not a snapshot.
    pub fn restore_with_hash_key(snapshot: &str, key: HashKey) -> Result<Self, MonitorError> {
        let none = |error: &dyn std::fmt::Display| MonitorError::NotASnapshot(error.to_string());
        let read: SnapshotText<'_> = from_json(snapshot).map_err(|error| none(&error))?;
        if read.monitor != VERSION {
            return Err(none(&format_args!(
                "version {}, expected {VERSION}",
                read.monitor
            )));
        }
        let mut monitor =
            Self::with_hash_key(read.settings.0, key).map_err(|error| none(&error))?;
        for it in &read.calls {
            let mut call = Call {
                name: text(it.name)?,
                ..Call::default()
            };
            if let Some(RawJson(json)) = it.args {
                call.arguments = if json.starts_with('"') {
                    Arguments::owned_text(text(RawJson(json))?)
                } else {
                    Arguments::json(json)
                };
            }
            if let Some(group) = it.group {
                call.metadata_mut().group = Some(text(group)?);
            }
            if let Some(RawJson(start)) = it.start {
                call.metadata_mut().start = Some(start.into());
            }
            if let Some(RawJson(end)) = it.end {
                call.metadata_mut().end = Some(end.into());
            }
            let number = monitor.observe(&call)?;
            if let Some(result) = &it.result {
                monitor.result(
                    number,
                    ResultOfCall {
                        output: result.output.map(|RawJson(json)| json),
                        failed: result.failed,
                    },
                )?;
            }
        }
        monitor.is_finished = read.finished;
        Ok(monitor)
    }
}

#[derive(Serialize, Deserialize)]
struct GuardText<'s> {
    guard: u32,
    mode: String,
    max_refusals: u32,
    refused: Vec<RefusedText>,
    stopped: Option<String>,
    reminded: bool,
    #[serde(borrow)]
    monitor: RawJson<'s>,
}

/// The number of refusals of a call.
#[derive(Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct RefusedText {
    /// The call's digest.
    call: String,
    times: u32,
}

impl Guard {
    /// The guard as JSON: its options, its settings and the run so far.
    pub fn snapshot(&self) -> JsonText {
        let monitor = self.monitor.snapshot();
        let refused = self.refused.iter();
        let mut refused: Vec<_> = refused
            .map(|(digest, times)| RefusedText {
                call: format!("{digest:032x}"),
                times: *times,
            })
            .collect();
        refused.sort_unstable();
        JsonText::from_type(&GuardText {
            guard: VERSION,
            mode: self.options().mode.as_str().to_owned(),
            max_refusals: self.options().max_refusals,
            refused,
            stopped: self.stopped.clone(),
            reminded: self.has_reminded,
            monitor: RawJson(monitor.as_str()),
        })
    }

    /// Restores a guard from a [snapshot](Self::snapshot).
    ///
    /// # Errors
    /// The text is not a snapshot.
    pub fn restore(snapshot: &str) -> Result<Self, MonitorError> {
        let none = |error: &dyn std::fmt::Display| MonitorError::NotASnapshot(error.to_string());
        let read: GuardText<'_> = from_json(snapshot).map_err(|error| none(&error))?;
        if read.guard != VERSION {
            let found = read.guard;
            return Err(none(&format_args!("version {found}, expected {VERSION}")));
        }
        let mode = GuardMode::parse(&read.mode);
        let mode = mode.ok_or_else(|| none(&format_args!("unknown mode `{}`", read.mode)))?;
        let options = GuardOptions {
            mode,
            max_refusals: read.max_refusals,
        };
        let mut guard = Self::over(Monitor::restore(read.monitor.0)?, options);
        for it in &read.refused {
            let digest = u128::from_str_radix(&it.call, 16).map_err(|error| none(&error))?;
            guard.refused.insert(digest, it.times);
        }
        guard.stopped = read.stopped;
        guard.has_reminded = read.reminded;
        Ok(guard)
    }
}

/// Decodes a JSON string.
fn text(RawJson(json): RawJson<'_>) -> Result<Text<'static>, MonitorError> {
    match decode_with(json, Syntax::PYTHON) {
        Ok(Value::String(text)) => Ok(text.into_owned()),
        _ => Err(MonitorError::NotASnapshot(format!(
            "expected a text, found {json}"
        ))),
    }
}
