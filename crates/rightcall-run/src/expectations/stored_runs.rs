//! Runs of tasks, outside of memory: learning reads each of them several times.
//!
//! The file is private and has no name, so it disappears with the process. It holds calls without what the reader or a redaction left out.

use std::cell::RefCell;
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};
use std::rc::Rc;

use rightcall_core::expectation::{ActualCall, ExpectationError};
use rightcall_core::learn::Runs;
use rightcall_core::value::{JsonWriter, Syntax, Value, decode_with};
use tempfile::SpooledTempFile;

/// The maximum size in memory before a file is created.
const IN_MEMORY: usize = 16 << 20;

/// Writes runs.
pub(super) struct RunWriter {
    out: BufWriter<SpooledTempFile>,
    length: u64,
}

impl RunWriter {
    pub(super) fn new() -> Self {
        Self {
            out: BufWriter::new(SpooledTempFile::new(IN_MEMORY)),
            length: 0,
        }
    }

    /// Writes a run and returns its place.
    pub(super) fn add<'c>(
        &mut self,
        run: impl Iterator<Item = ActualCall<'c>>,
    ) -> io::Result<RunPlace> {
        let mut writer = JsonWriter::new();
        writer.begin_list();
        run.for_each(|call| write(&call, &mut writer));
        writer.end_list();
        let text = writer.finish().into_string();
        let place = RunPlace(self.length);
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b"\n")?;
        self.length += text.len() as u64 + 1;
        Ok(place)
    }

    /// Ends writing: the runs can be read.
    pub(super) fn finish(self) -> io::Result<RunStore> {
        let file = self
            .out
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        let mut reader = BufReader::with_capacity(1 << 17, file);
        reader.seek(SeekFrom::Start(0))?;
        Ok(RunStore(Rc::new(RefCell::new(Reader {
            file: reader,
            position: 0,
            line: String::new(),
        }))))
    }
}

/// The place of a run among those written.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunPlace(u64);

/// All runs that were written.
#[derive(Clone, Debug)]
pub(super) struct RunStore(Rc<RefCell<Reader>>);

#[derive(Debug)]
struct Reader {
    file: BufReader<SpooledTempFile>,
    position: u64,
    /// The last line that was read.
    line: String,
}

impl Reader {
    fn read(&mut self, RunPlace(place): RunPlace) -> io::Result<&str> {
        // Runs are mostly read in order, from the buffer.
        self.file
            .seek_relative(place.wrapping_sub(self.position).cast_signed())?;
        self.line.clear();
        self.position = place + self.file.read_line(&mut self.line)? as u64;
        Ok(self.line.trim_end())
    }
}

/// The runs of one task.
#[derive(Clone, Debug)]
pub struct StoredRuns {
    store: RunStore,
    places: Vec<RunPlace>,
}

impl StoredRuns {
    pub(super) fn new(store: &RunStore, places: Vec<RunPlace>) -> Self {
        Self {
            store: store.clone(),
            places,
        }
    }

    /// The same runs without one.
    pub(super) fn without(&self, number: usize) -> Self {
        let mut others = self.clone();
        others.places.remove(number);
        others
    }
}

/// An error of learning.
#[derive(Debug, thiserror::Error)]
pub enum LearningError {
    /// Nothing can be learned from the runs.
    #[error(transparent)]
    Expectation(#[from] ExpectationError),
    /// A run cannot be read again.
    #[error("a temporary file of runs: {0}")]
    Io(#[from] io::Error),
}

impl Runs for StoredRuns {
    type Error = LearningError;

    fn count(&self) -> usize {
        self.places.len()
    }

    fn with_run<T>(
        &self,
        number: usize,
        look: impl FnOnce(&[ActualCall<'_>]) -> T,
    ) -> Result<T, LearningError> {
        let mut reader = self.store.0.borrow_mut();
        let line = reader.read(self.places[number])?;
        let calls = calls(line).ok_or(io::ErrorKind::InvalidData);
        Ok(look(&calls.map_err(io::Error::from)?))
    }
}

/// Writes a call as a list: its name, and a list each of its arguments and its output, empty if it was not recorded.
fn write(call: &ActualCall<'_>, writer: &mut JsonWriter) {
    writer.begin_list().text(call.name());
    for part in [call.arguments(), call.output()] {
        writer.begin_list();
        part.into_iter()
            .for_each(|value| _ = writer.python_value(value));
        writer.end_list();
    }
    writer.end_list();
}

/// Reads the calls of a run.
fn calls(line: &str) -> Option<Vec<ActualCall<'_>>> {
    let Ok(Value::List(calls)) = decode_with(line, Syntax::PYTHON) else {
        return None;
    };
    calls.into_iter().map(call).collect()
}

fn call(value: Value<'_>) -> Option<ActualCall<'_>> {
    let Value::List(parts) = value else {
        return None;
    };
    let [
        Value::String(name),
        Value::List(arguments),
        Value::List(output),
    ] = <[_; 3]>::try_from(parts).ok()?
    else {
        return None;
    };
    let mut parts = [arguments, output].map(|mut part| part.pop());
    Some(ActualCall::from_values(
        name,
        parts[0].take(),
        parts[1].take(),
    ))
}

#[cfg(test)]
mod tests {
    use rightcall_core::value::Text;

    use super::*;

    #[test]
    fn runs_come_back_in_any_order() {
        let values = [
            Some("1e400"),
            Some(r#"{"a":1.0,"b":-0.0,"c":123456789012345678901,"d":"\ud800\n","e":NaN}"#),
            Some(r#""{\"inside\": [1]}""#),
            Some("null"),
            None,
        ];
        let call = |at: usize| {
            let arguments = values[at].and_then(|json| decode_with(json, Syntax::PYTHON).ok());
            ActualCall::new(
                Text::from(format!("call {at}\n")),
                arguments,
                values[4 - at],
            )
        };
        let runs = [
            vec![call(0), call(1)],
            Vec::new(),
            vec![call(2), call(3), call(4)],
        ];
        let mut writer = RunWriter::new();
        let places = runs.iter().map(|run| writer.add(run.iter().cloned()));
        let places = places.collect::<Result<_, _>>().unwrap();
        let stored = StoredRuns::new(&writer.finish().unwrap(), places);
        for number in [2, 0, 1, 2] {
            let read = stored.with_run(number, |run| format!("{run:?}"));
            assert_eq!(read.unwrap(), format!("{:?}", runs[number]));
        }
        let length = |run: &[ActualCall<'_>]| run.len();
        assert_eq!(stored.without(0).with_run(1, length).unwrap(), 3);
    }

    #[test]
    fn runs_beyond_the_memory_are_in_a_file() {
        let text = "x".repeat(1 << 20);
        let call = || ActualCall::new(Text::from(text.clone()), None, None);
        let mut writer = RunWriter::new();
        let places: Vec<_> = (0..20)
            .map(|_| writer.add([call()].into_iter()).unwrap())
            .collect();
        let stored = StoredRuns::new(&writer.finish().unwrap(), places);
        assert!(stored.store.0.borrow().file.get_ref().is_rolled());
        for number in (0..20).rev() {
            let length = |run: &[ActualCall<'_>]| run[0].name().as_bytes().len();
            assert_eq!(stored.with_run(number, length).unwrap(), text.len());
        }
    }
}
