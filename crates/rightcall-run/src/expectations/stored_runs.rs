//! Stores the runs of tasks outside of memory, since learning reads each several times.
//!
//! The file is private and unnamed, so it disappears with the process. The stored calls lack the
//! parts that the reader or a redaction left out.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::rc::Rc;

use rightcall_core::call::{ArgumentSource, Arguments, Call};
use rightcall_core::expectation::{ActualCall, ExpectationError};
use rightcall_core::learn::Runs;
use rightcall_core::value::{JsonWriter, Syntax, Text, Value, decode_with};
use tempfile::SpooledTempFile;

/// The maximum size in memory before a file is created.
const IN_MEMORY: usize = 16 << 20;

/// Writes runs.
pub(super) struct RunWriter {
    out: BufWriter<SpooledTempFile>,
    length: u64,
    names: RunNames,
    /// The numbers of the known names and sequences of names.
    numbers: HashMap<Text<'static>, u32>,
    sequences: HashMap<Vec<u32>, u32>,
}

/// The names of the calls of all runs. Most runs share a sequence of names, so each is stored once.
#[derive(Debug, Default)]
struct RunNames {
    names: Vec<Text<'static>>,
    /// Numbers of names.
    sequences: Vec<Vec<u32>>,
}

impl RunWriter {
    pub(super) fn new() -> Self {
        Self {
            out: BufWriter::new(SpooledTempFile::new(IN_MEMORY)),
            length: 0,
            names: RunNames::default(),
            numbers: HashMap::new(),
            sequences: HashMap::new(),
        }
    }

    /// Writes a run and returns its place.
    pub(super) fn add<'c>(
        &mut self,
        run: impl Iterator<Item = &'c Call<'c>>,
    ) -> io::Result<RunPlace> {
        let mut names: Vec<u32> = Vec::new();
        let (mut lengths, mut texts) = (Vec::new(), String::new());
        for call in run {
            names.push(self.name(&call.name));
            let arguments = arguments_json(&call.arguments);
            for part in [arguments.as_deref(), call.metadata().recorded_output()] {
                let length = part.map_or(NOT_RECORDED, |text| text.len() as u64);
                lengths.extend(length.to_le_bytes());
                texts.push_str(part.unwrap_or_default());
            }
        }
        let place = RunPlace {
            start: self.length,
            sequence: self.sequence(names),
        };
        let length = (lengths.len() + texts.len()) as u64;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(&lengths)?;
        self.out.write_all(texts.as_bytes())?;
        self.length += LENGTH as u64 + length;
        Ok(place)
    }

    fn name(&mut self, name: &Text<'_>) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let (name, number) = (name.clone().into_owned(), self.names.names.len() as u32);
        self.names.names.push(name.clone());
        self.numbers.insert(name, number);
        number
    }

    fn sequence(&mut self, names: Vec<u32>) -> u32 {
        if let Some(number) = self.sequences.get(&names) {
            return *number;
        }
        let number = self.names.sequences.len() as u32;
        self.names.sequences.push(names.clone());
        self.sequences.insert(names, number);
        number
    }

    /// Ends writing, so the runs can be read.
    pub(super) fn finish(self) -> io::Result<RunStore> {
        let file = self
            .out
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        let mut file = BufReader::with_capacity(1 << 17, file);
        file.seek(SeekFrom::Start(0))?;
        Ok(RunStore(Rc::new(Stored {
            names: self.names,
            file: RefCell::new(StoredTexts {
                file,
                position: 0,
                bytes: Vec::new(),
            }),
        })))
    }
}

/// The arguments as JSON text, in the form that decodes to the same arguments; `None` if they were not recorded.
fn arguments_json<'a>(arguments: &'a Arguments<'_>) -> Option<Cow<'a, str>> {
    match arguments.source() {
        ArgumentSource::Absent => None,
        ArgumentSource::Json(json) => Some(Cow::Borrowed(json)),
        ArgumentSource::Text { .. } => {
            let value = arguments.to_value()?;
            let mut writer = JsonWriter::new();
            writer.python_value(&value);
            Some(Cow::Owned(writer.finish().into_string()))
        }
    }
}

/// The place of a written run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunPlace {
    start: u64,
    /// The number of its sequence of names.
    sequence: u32,
}

/// All written runs.
#[derive(Clone, Debug)]
pub(super) struct RunStore(Rc<Stored>);

#[derive(Debug)]
struct Stored {
    names: RunNames,
    file: RefCell<StoredTexts>,
}

/// The arguments and outputs of runs. A run is stored as its length, the length of each of its
/// texts, and the texts.
#[derive(Debug)]
struct StoredTexts {
    file: BufReader<SpooledTempFile>,
    position: u64,
    /// The bytes of the last read run.
    bytes: Vec<u8>,
}

/// The number of bytes of a length.
const LENGTH: usize = size_of::<u64>();

/// The length of a text that was not recorded.
const NOT_RECORDED: u64 = u64::MAX;

impl StoredTexts {
    /// The lengths of the texts of a run with this number of calls, and the texts.
    fn read(&mut self, start: u64, calls: usize) -> io::Result<(&[u8], &str)> {
        // Runs are mostly read in order, from the buffer.
        self.file
            .seek_relative(start.wrapping_sub(self.position).cast_signed())?;
        let mut length = [0; LENGTH];
        self.file.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        self.bytes.resize(length as usize, 0);
        self.file.read_exact(&mut self.bytes)?;
        self.position = start + LENGTH as u64 + length;
        let parts = self.bytes.split_at_checked(calls * 2 * LENGTH);
        let (lengths, texts) = parts.ok_or(io::ErrorKind::InvalidData)?;
        let texts = str::from_utf8(texts).map_err(|_| io::ErrorKind::InvalidData)?;
        Ok((lengths, texts))
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

    /// All runs but one.
    pub(super) fn without(&self, number: usize) -> Self {
        let mut others = self.clone();
        others.places.remove(number);
        others
    }

    /// The names of the calls of a run.
    fn names(&self, number: usize) -> impl ExactSizeIterator<Item = &Text<'static>> {
        let names = &self.store.0.names;
        let numbers = &names.sequences[self.places[number].sequence as usize];
        numbers.iter().map(|it| &names.names[*it as usize])
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
        let mut file = self.store.0.file.borrow_mut();
        let names = self.names(number);
        let (lengths, texts) = file.read(self.places[number].start, names.len())?;
        let calls = calls(names, lengths, texts).ok_or(io::ErrorKind::InvalidData);
        Ok(look(&calls.map_err(io::Error::from)?))
    }

    fn with_names(&self, number: usize, look: impl FnMut(&Text<'_>)) -> Result<(), LearningError> {
        self.names(number).for_each(look);
        Ok(())
    }
}

/// The calls of a run with these names.
fn calls<'c>(
    names: impl Iterator<Item = &'c Text<'static>>,
    lengths: &[u8],
    mut texts: &'c str,
) -> Option<Vec<ActualCall<'c>>> {
    let (lengths, _) = lengths.as_chunks::<LENGTH>();
    let mut text = |length: &[u8; LENGTH]| match u64::from_le_bytes(*length) {
        NOT_RECORDED => Some(None),
        length => {
            let (text, rest) = texts.split_at_checked(usize::try_from(length).ok()?)?;
            texts = rest;
            Some(Some(text))
        }
    };
    let call = |(name, lengths): (&'c Text<'static>, &[[u8; LENGTH]])| {
        let [arguments, output] = lengths else {
            return None;
        };
        // An argument that can't be decoded is null, as elsewhere.
        let decode = |json| decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null);
        let arguments = text(arguments)?.map(decode);
        Some(ActualCall::new(name.reborrow(), arguments, text(output)?))
    };
    names.zip(lengths.chunks(2)).map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(
        name: &'static str,
        arguments: Arguments<'static>,
        output: Option<&'static str>,
    ) -> Call<'static> {
        let mut call = Call {
            name: Text::new(name),
            arguments,
            ..Call::default()
        };
        call.metadata_mut().output = output.map(Cow::Borrowed);
        call
    }

    fn stored(runs: &[Vec<Call<'static>>]) -> StoredRuns {
        let mut writer = RunWriter::new();
        let places = runs.iter().map(|run| writer.add(run.iter()));
        let places = places.collect::<Result<_, _>>().unwrap();
        StoredRuns::new(&writer.finish().unwrap(), places)
    }

    #[test]
    fn stored_runs_can_be_read_in_any_order() {
        let json = [
            r#"{"a":1.0,"b":-0.0, "c":123456789012345678901,"d":"\ud800\n","e":NaN}"#,
            "1e400",
            "{}",
        ];
        let text = Arguments::owned_text(Text::new("{'a': [1, None]}"));
        let runs = [
            vec![
                call("é\n", Arguments::json(json[0]), None),
                call(
                    "two",
                    Arguments::json(json[1]),
                    Some(r#""{\"inside\": [1]}""#),
                ),
            ],
            Vec::new(),
            vec![
                call("two", text, Some("null")),
                call("é\n", Arguments::default(), Some(json[0])),
                call("two", Arguments::json(json[2]), Some("")),
            ],
        ];
        let stored = stored(&runs);
        let shown = |run: &[ActualCall<'_>]| {
            // An output is decoded on first use.
            let run = run.iter().map(|call| call.clone().into_owned());
            format!("{:?}", run.collect::<Vec<_>>())
        };
        for number in [2, 0, 1, 2] {
            let calls: Vec<_> = runs[number].iter().map(Call::for_expectation).collect();
            assert_eq!(stored.with_run(number, shown).unwrap(), shown(&calls));
            let mut names = Vec::new();
            stored
                .with_names(number, |name| names.push(name.clone().into_owned()))
                .unwrap();
            let expected: Vec<_> = runs[number].iter().map(|call| call.name.clone()).collect();
            assert_eq!(names, expected);
        }
        let length = |run: &[ActualCall<'_>]| run.len();
        assert_eq!(stored.without(0).with_run(1, length).unwrap(), 3);
    }

    #[test]
    fn runs_above_the_memory_limit_are_in_a_file() {
        let text = format!("\"{}\"", "x".repeat(1 << 20));
        let call = || Call {
            arguments: Arguments::owned_json(text.as_str()),
            ..Call::default()
        };
        let runs: Vec<_> = (0..20).map(|_| vec![call()]).collect();
        let stored = stored(&runs);
        assert!(stored.store.0.file.borrow().file.get_ref().is_rolled());
        for number in (0..20).rev() {
            let length = |run: &[ActualCall<'_>]| {
                let argument = run[0].arguments().and_then(Value::as_text);
                argument.map(|it| it.as_bytes().len())
            };
            assert_eq!(stored.with_run(number, length).unwrap(), Some(1 << 20));
        }
    }
}
