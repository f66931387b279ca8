//! Answers to JavaScript: `{"ok": …}`, or `{"error": {"kind", "message", …}}`, which the TypeScript side throws as one of its error
//! classes. A panic becomes an error too: it must not reach Node.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use rightcall_core::ConfigError;
use rightcall_core::value::JsonWriter;
use rightcall_formats::join::{IndexError, LeftOutRun};
use rightcall_formats::{CaseError, OpenError, ReadError, UnknownFormat};
use rightcall_quality::use_tool_definitions;
use rightcall_run::{ArgumentError, Problem, RunError};

/// An error instead of an answer.
#[derive(Debug, Default)]
pub(crate) struct Fault {
    /// The error class that JavaScript throws.
    kind: &'static str,
    message: String,
    help: Option<String>,
    file: Option<String>,
    line: Option<u64>,
    pointer: Option<String>,
}

impl Fault {
    fn new(kind: &'static str, message: impl ToString) -> Self {
        Self {
            kind,
            message: message.to_string(),
            ..Self::default()
        }
    }

    /// Wrong usage of an evaluator or an option.
    pub(crate) fn config(message: impl ToString) -> Self {
        Self::new("config", message)
    }

    /// The original raises an exception.
    pub(crate) fn evaluation(message: impl ToString) -> Self {
        Self::new("evaluation", message)
    }

    fn read(message: impl ToString) -> Self {
        Self::new("read", message)
    }

    /// The same error for a case in memory; `file` is then the case's name.
    pub(crate) fn of_a_case(self) -> Self {
        Self {
            kind: "case",
            ..self
        }
    }

    fn panic(payload: &(dyn Any + Send)) -> Self {
        let said = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = format!(
            "this is a bug in rightcall: {}",
            said.unwrap_or("a panic without a message")
        );
        Self {
            help: Some("please report it with the input".to_owned()),
            ..Self::new("internal", message)
        }
    }

    /// Writes the fields as an object.
    pub(crate) fn write(&self, writer: &mut JsonWriter) {
        writer.begin_object().key("kind").str(self.kind);
        writer.key("message").str(&self.message);
        writer.optional("help", self.help.as_ref());
        writer.optional("file", self.file.as_ref());
        writer.optional("pointer", self.pointer.as_ref());
        writer.optional("line", self.line).end_object();
    }
}

impl From<ConfigError> for Fault {
    fn from(error: ConfigError) -> Self {
        let help = matches!(error, ConfigError::UnknownEvaluator { .. })
            .then(|| "`npx rightcall evaluators` lists them".to_owned());
        Self {
            help,
            ..Self::config(error)
        }
    }
}

impl From<ArgumentError> for Fault {
    fn from(error: ArgumentError) -> Self {
        match error {
            ArgumentError::Config(error) => error.into(),
            ArgumentError::NoEvaluator => Self {
                help: Some(
                    "write { evaluator: \"trajectory\", … } with the settings beside it".to_owned(),
                ),
                ..Self::config(error)
            },
            other => Self::config(other),
        }
    }
}

impl From<UnknownFormat> for Fault {
    fn from(error: UnknownFormat) -> Self {
        Self::config(error)
    }
}

impl From<CaseError> for Fault {
    fn from(error: CaseError) -> Self {
        Self {
            help: error.help.as_ref().map(ToString::to_string),
            pointer: Some(error.pointer.clone()),
            ..Self::new("case", error)
        }
    }
}

impl From<&ReadError> for Fault {
    fn from(error: &ReadError) -> Self {
        Self {
            help: error.help.as_ref().map(ToString::to_string),
            file: Some(error.at.file.to_string()),
            line: error.at.line,
            pointer: Some(error.at.pointer.clone()),
            ..Self::read(error)
        }
    }
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Self {
        let file = Some(error.path.display().to_string());
        Self {
            help: error.help.as_ref().map(ToString::to_string),
            file,
            ..Self::read(error)
        }
    }
}

impl From<RunError> for Fault {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Open(error) => error.into(),
            other => Self::read(other),
        }
    }
}

impl From<IndexError> for Fault {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Open(error) => error.into(),
            IndexError::Read(error) => (&*error).into(),
            other => Self::read(other),
        }
    }
}

impl From<&LeftOutRun> for Fault {
    fn from(left_out: &LeftOutRun) -> Self {
        match left_out {
            LeftOutRun::Unreadable(error) => error.into(),
            other => Self {
                help: other.help(),
                file: Some(other.at().file.to_string()),
                line: other.at().line,
                ..Self::read(other)
            },
        }
    }
}

impl From<&Problem> for Fault {
    fn from(problem: &Problem) -> Self {
        let fault = match problem {
            Problem::Unreadable(error) | Problem::BrokenInput(error) => error.into(),
            Problem::Duplicate { again: at, .. }
            | Problem::SameQuestion { again: at, .. }
            | Problem::WithoutRun { at, .. } => Self {
                file: Some(at.file.to_string()),
                line: at.line,
                ..Self::read(problem)
            },
        };
        Self {
            help: problem.help().map(str::to_owned),
            ..fault
        }
    }
}

/// The answer for the result of `work`, a JSON text or an error.
pub(crate) fn answer(entry: &str, work: impl FnOnce() -> Result<String, Fault>) -> String {
    attempt(entry, || Ok(format!("{{\"ok\":{}}}", work()?))).unwrap_or_else(|error| error)
}

/// The result of `work`, or the answer with its error.
pub(crate) fn attempt<T>(
    entry: &str,
    work: impl FnOnce() -> Result<T, Fault>,
) -> Result<T, String> {
    let done = catch_unwind(AssertUnwindSafe(|| {
        panic_on_demand(entry);
        use_tool_definitions();
        work()
    }));
    let fault = match done {
        Ok(Ok(done)) => return Ok(done),
        Ok(Err(fault)) => fault,
        Err(payload) => Fault::panic(&*payload),
    };
    let mut writer = JsonWriter::new();
    fault.write(writer.begin_object().key("error"));
    writer.end_object();
    Err(writer.finish().into_string())
}

/// Panics if a test requests it. This works only in an addon that was built for tests.
pub(crate) fn panic_on_demand(entry: &str) {
    #[cfg(feature = "panics-on-demand")]
    assert!(
        std::env::var("RIGHTCALL_PANIC").as_deref() != Ok(entry),
        "asked to, in {entry}"
    );
    _ = entry;
}

type Work = Box<dyn FnOnce() -> String + Send>;

/// Work for one of Node's worker threads; its promise resolves to the answer.
pub struct Background {
    work: Option<Work>,
}

impl Background {
    /// Creates the work from a function that computes the answer.
    pub(crate) fn answer(
        entry: &'static str,
        work: impl FnOnce() -> Result<String, Fault> + Send + 'static,
    ) -> AsyncTask<Self> {
        AsyncTask::new(Self {
            work: Some(Box::new(move || answer(entry, work))),
        })
    }
}

impl Task for Background {
    type Output = String;
    type JsValue = String;

    fn compute(&mut self) -> napi::Result<String> {
        // Node computes a task only once.
        Ok(self.work.take().map_or_else(String::new, |work| work()))
    }

    fn resolve(&mut self, _: Env, output: String) -> napi::Result<String> {
        Ok(output)
    }
}
