//! Cases and runs from one format into another, in blocks, in input order.

use std::io::Write;
use std::sync::Arc;

use rightcall::call::Case;
use rightcall_formats::{Block, Inspection, Piece, Trace, Writer, in_order};

use crate::run::{Records, pieces};
use crate::{Observer, OutputFile, Plan, Problem, RunError};

/// What a conversion came to.
#[derive(Debug, Default)]
pub struct Conversion {
    /// By input, what was read of it.
    pub inputs: Vec<Inspection>,
    /// Lines that were written.
    pub written: u64,
    /// Cases without a run, where the format holds runs alone.
    pub left_out: u64,
    /// Cases whose expectation, tags, trial, description or other entries the format has no place for.
    pub beside_the_run: u64,
    /// By lack of the writer, the calls that had it.
    pub lost: Vec<u64>,
    /// Records that could not be read.
    pub unreadable: u64,
    /// Cases and runs without each other, where they are joined by their places.
    pub unpaired: u64,
    /// Inputs that could not be read to their end.
    pub broken_inputs: u64,
}

/// Writes the cases of a plan, joined with their runs where it has some, as another format.
///
/// # Errors
/// An input that cannot be opened, or an output that cannot be written to. What cannot be read is told to the observer and
/// counted.
pub fn convert(
    plan: &Plan,
    writer: &Writer,
    output: &mut OutputFile,
    observer: &mut dyn Observer,
) -> Result<Conversion, RunError> {
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    let mut conversion = Conversion {
        lost: vec![0; writer.lacks.len()],
        ..Conversion::default()
    };
    in_order(
        plan.threads,
        || Ok::<_, RunError>(inputs.next_piece()?),
        |piece| Converted::of(plan, writer, piece),
        |converted: Option<Converted>| {
            let Some(converted) = converted else {
                return Ok(());
            };
            for problem in &converted.problems {
                observer.problem(problem);
            }
            observer.progress(converted.bytes_read, 0);
            output.write_all(converted.lines.as_bytes())?;
            conversion.add(converted);
            Ok::<_, RunError>(())
        },
    )?;
    conversion.unpaired += plan.runs_out_of_place();
    Ok(conversion)
}

/// A block in the other format.
struct Converted {
    lines: String,
    read: Inspection,
    written: u64,
    left_out: u64,
    beside_the_run: u64,
    lost: Vec<u64>,
    problems: Vec<Problem>,
    bytes_read: u64,
}

impl Converted {
    /// What a piece holds; `None` where that is nothing.
    fn of(plan: &Plan, writer: &Writer, piece: Piece) -> Option<Self> {
        let (file, before) = (Arc::clone(&piece.file), piece.records_before);
        let mut converted = Self {
            lines: String::new(),
            read: Inspection::new(Arc::clone(&piece.file)),
            written: 0,
            left_out: 0,
            beside_the_run: 0,
            lost: vec![0; writer.lacks.len()],
            problems: Vec::new(),
            bytes_read: piece.bytes_read,
        };
        let mut is_empty = true;
        piece.each_block(|block| {
            is_empty = false;
            match block {
                Ok(block) => converted.block(plan, writer, (&file, before), &block),
                Err(error) => converted.problems.push(Problem::BrokenInput(error)),
            }
        });
        (!is_empty).then_some(converted)
    }

    fn block(
        &mut self,
        plan: &Plan,
        writer: &Writer,
        (file, before): (&Arc<str>, u64),
        block: &Block,
    ) {
        self.read.format = block.format();
        for (number, record) in (before..).zip(block.records()) {
            let read = match &record.text {
                Ok(text) => Records::Cases.read(plan, text, (file, number), &mut |case| {
                    self.add(writer, case, record.line)
                }),
                Err(error) => Err(error.clone().into()),
            };
            if let Err(unread) = read {
                self.problems.push(unread.at(file, &record));
            }
        }
        if let Some(report) = block.report() {
            self.read.report.add(report);
        }
    }

    fn add(&mut self, writer: &Writer, case: &Case<'_>, line: u64) {
        self.read.add(&Trace::of_case(case, line));
        let Some(text) = writer.line(case) else {
            self.left_out += 1;
            return;
        };
        self.lines.push_str(&text);
        self.lines.push('\n');
        self.written += 1;
        self.beside_the_run += u64::from(!writer.holds_cases && says_more_than_its_run(case));
        self.lost
            .iter_mut()
            .zip(writer.lost(case))
            .for_each(|(sum, count)| *sum += count);
    }
}

fn says_more_than_its_run(case: &Case<'_>) -> bool {
    let is_plain = case.expected.is_empty() && case.tags.is_empty() && case.meta.is_empty();
    !is_plain || case.trial.is_some() || case.description.is_some()
}

impl Conversion {
    fn add(&mut self, converted: Converted) {
        self.written += converted.written;
        self.left_out += converted.left_out;
        self.beside_the_run += converted.beside_the_run;
        self.lost
            .iter_mut()
            .zip(converted.lost)
            .for_each(|(sum, count)| *sum += count);
        for problem in &converted.problems {
            match problem {
                Problem::BrokenInput(_) => self.broken_inputs += 1,
                Problem::WithoutRun { .. } => self.unpaired += 1,
                _ => self.unreadable += 1,
            }
        }
        match self
            .inputs
            .last_mut()
            .filter(|last| Arc::ptr_eq(&last.file, &converted.read.file))
        {
            Some(last) => last.append(converted.read),
            None => self.inputs.push(converted.read),
        }
    }
}
