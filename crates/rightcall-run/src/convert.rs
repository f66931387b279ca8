//! Converts cases and runs from one format into another, block by block, in input order.

use std::sync::Arc;

use rightcall_core::call::Case;
use rightcall_formats::{Block, CaseFile, Inspection, Piece, Writer, WrittenCase, in_order};

use crate::run::{Records, pieces};
use crate::{Observer, OutputFile, Plan, Problem, RunError};

/// The counts of a conversion.
#[derive(Debug, Default)]
pub struct Conversion {
    /// The report on each input.
    pub inputs: Vec<Inspection>,
    /// Cases that were written.
    pub written: u64,
    /// Cases that lack something the format requires.
    pub left_out: u64,
    /// Cases left out because another case with their id has a different expectation, in a format that allows one per id.
    pub contradicting: u64,
    /// For each limitation of the writer, the number of times it applied.
    pub lost: Vec<u64>,
    /// Records that could not be parsed.
    pub unreadable: u64,
    /// Cases without a run and runs without a case, if they are joined by position.
    pub unpaired: u64,
    /// Inputs that could not be read to the end.
    pub broken_inputs: u64,
}

/// Writes the cases of a plan in another format, joined with their runs if the plan has some. The output is always closed properly,
/// even after a read error.
///
/// # Errors
/// An input that cannot be opened, or an output that cannot be written to. Records that cannot be parsed are reported to the observer
/// and counted.
pub fn convert(
    plan: &Plan,
    writer: &'static Writer,
    output: &mut OutputFile,
    observer: &mut dyn Observer,
) -> Result<Conversion, RunError> {
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    let mut file = CaseFile::new(writer, output);
    let mut conversion = Conversion {
        lost: vec![0; writer.lacks.len()],
        ..Conversion::default()
    };
    let end = in_order(
        plan.threads,
        || Ok::<_, RunError>(inputs.next_piece()?),
        |piece| ConvertedPiece::new(plan, writer, piece),
        |converted: Option<ConvertedPiece>| {
            let Some(converted) = converted else {
                return Ok(());
            };
            for problem in &converted.problems {
                conversion.count(problem);
                observer.problem(problem);
            }
            observer.progress(converted.bytes_read, 0);
            for case in &converted.cases {
                conversion.contradicting += u64::from(!file.add(case)?);
            }
            conversion.add(converted.part);
            Ok::<_, RunError>(())
        },
    );
    conversion.written = file.len();
    file.finish()?;
    end?;
    conversion.unpaired += plan.runs_out_of_place();
    Ok(conversion)
}

/// A piece of an input, converted.
struct ConvertedPiece {
    cases: Vec<WrittenCase>,
    /// The piece's share of the counts.
    part: Conversion,
    problems: Vec<Problem>,
    bytes_read: u64,
}

impl ConvertedPiece {
    /// Converts a piece; `None` if it is empty.
    fn new(plan: &Plan, writer: &Writer, piece: Piece) -> Option<Self> {
        let (file, before) = (Arc::clone(&piece.file), piece.records_before);
        let mut converted = Self {
            cases: Vec::new(),
            part: Conversion {
                lost: vec![0; writer.lacks.len()],
                ..Conversion::default()
            },
            problems: Vec::new(),
            bytes_read: piece.bytes_read,
        };
        let mut read = Inspection::new(Arc::clone(&piece.file));
        let mut is_empty = true;
        piece.each_block(|block| {
            is_empty = false;
            match block {
                Ok(block) => converted.block(plan, writer, (&file, before), &block, &mut read),
                Err(error) => converted.problems.push(Problem::BrokenInput(error)),
            }
        });
        converted.part.inputs.push(read);
        (!is_empty).then_some(converted)
    }

    fn block(
        &mut self,
        plan: &Plan,
        writer: &Writer,
        (file, before): (&Arc<str>, u64),
        block: &Block,
        inspection: &mut Inspection,
    ) {
        inspection.format = block.format();
        for (number, record) in (before..).zip(block.records()) {
            let read = match &record.content {
                Ok(content) => Records::Cases.read(plan, *content, (file, number), &mut |case| {
                    inspection.add(case);
                    self.case(writer, case);
                }),
                Err(error) => Err(error.clone().into()),
            };
            if let Err(unread) = read {
                self.problems.push(unread.at(file, &record));
            }
        }
        if let Some(report) = block.report() {
            inspection.report.add(report);
        }
    }

    fn case(&mut self, writer: &Writer, case: &Case<'_>) {
        let Some(written) = writer.write(case) else {
            self.part.left_out += 1;
            return;
        };
        self.cases.push(written);
        add_each(&mut self.part.lost, writer.lost(case));
    }
}

fn add_each(sums: &mut [u64], counts: impl IntoIterator<Item = u64>) {
    sums.iter_mut()
        .zip(counts)
        .for_each(|(sum, count)| *sum += count);
}

impl Conversion {
    fn count(&mut self, problem: &Problem) {
        match problem {
            Problem::BrokenInput(_) => self.broken_inputs += 1,
            Problem::WithoutRun { .. } => self.unpaired += 1,
            _ => self.unreadable += 1,
        }
    }

    /// Adds the counts of a piece. Its errors are counted already.
    fn add(&mut self, part: Self) {
        self.left_out += part.left_out;
        add_each(&mut self.lost, part.lost);
        for read in part.inputs {
            match self.inputs.last_mut() {
                Some(last) if Arc::ptr_eq(&last.file, &read.file) => last.append(read),
                _ => self.inputs.push(read),
            }
        }
    }
}
