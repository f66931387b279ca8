//! The main pipeline: bytes, records, cases, results, outputs.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use rightcall_core::call::Case;
use rightcall_formats::join::Join;
use rightcall_formats::{
    Block, Input, Inputs, Piece, ReadOptions, RecordContent, in_order, is_object,
};

use crate::folds::{FinishedRun, SeenCases, Sums};
use crate::judge::Judge;
use crate::judged::JudgedBlock;
use crate::plan::Unread;
use crate::{Investigation, Observer, Output, Plan, Problem, RunError, Wants};

/// Scores the cases of a plan.
///
/// Outputs and observer receive everything in input order, so the number of threads does not change
/// their data.
///
/// # Errors
/// An input that cannot be opened, or an output that cannot be written to. All other errors are reported to the observer and counted
/// in the summary, and the run continues.
pub fn run(
    plan: &Plan,
    outputs: &mut [Box<dyn Output + '_>],
    observer: &mut dyn Observer,
) -> Result<FinishedRun, RunError> {
    // Report a wrong path before the work starts. Pipes are skipped, because they can be read only
    // once, and so are objects in stores, because they would be downloaded twice.
    for path in plan.inputs.iter().filter(|path| {
        !is_object(path)
            && fs::metadata(path).map_or(path.as_os_str() != "-", |it| it.is_file() || it.is_dir())
    }) {
        Input::open(path, plan.limits, &plan.reading)?;
    }
    score(
        plan,
        pieces(plan, &plan.inputs, &plan.reading),
        outputs,
        observer,
    )
}

/// Scores an input that is already open, before the inputs of the plan.
///
/// # Errors
/// See [`run`].
pub fn run_opened(
    plan: &Plan,
    input: Input,
    outputs: &mut [Box<dyn Output + '_>],
    observer: &mut dyn Observer,
) -> Result<FinishedRun, RunError> {
    score(
        plan,
        pieces(plan, &plan.inputs, &plan.reading).after(input),
        outputs,
        observer,
    )
}

fn score(
    plan: &Plan,
    cases: Inputs<'_>,
    outputs: &mut [Box<dyn Output + '_>],
    observer: &mut dyn Observer,
) -> Result<FinishedRun, RunError> {
    let mut pass = Pass::new(plan, outputs, observer);
    pass.over(cases, Records::Cases)?;
    if let (Some(traces), false) = (&plan.traces, plan.expected.is_empty()) {
        // Only now are the unused runs known.
        pass.over(
            pieces(plan, &traces.files, &traces.reading),
            Records::LoneRuns,
        )?;
    }
    pass.sink.finish()
}

/// The kind of records in an input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Records {
    Cases,
    /// Runs. A run that a case uses is scored with the case.
    LoneRuns,
}

impl Records {
    /// Reads record `number` (from 0) of this file and passes each of its cases to `each`.
    pub(crate) fn read(
        self,
        plan: &Plan,
        record: RecordContent<'_>,
        (file, number): (&str, u64),
        each: &mut dyn FnMut(&Case<'_>),
    ) -> Result<(), Unread> {
        match self {
            Self::Cases => plan.read(record, number, each),
            Self::LoneRuns => plan.read_lone_run(record, (file, number), each),
        }
    }
}

/// A pass over cases: the judge, and the sink for its results.
pub(crate) struct Pass<'p, 's> {
    pub(crate) judge: Judge<'p>,
    pub(crate) sink: Sink<'p, 's>,
}

/// Receives scored cases, in input order.
pub(crate) struct Sink<'p, 's> {
    outputs: &'p mut [Box<dyn Output + 's>],
    observer: &'p mut dyn Observer,
    /// The cases so far, to find duplicates; `None` if cases may share an id.
    pub(crate) seen: Option<SeenCases>,
    sums: Sums<'p>,
}

impl<'p, 's> Pass<'p, 's> {
    pub(crate) fn new(
        plan: &'p Plan,
        outputs: &'p mut [Box<dyn Output + 's>],
        observer: &'p mut dyn Observer,
    ) -> Self {
        let wants = outputs.iter().map(|output| output.wants());
        let wants = wants.fold(Wants::default(), Wants::and);
        let explains = |it: &Investigation| it.explains;
        let shortfall = wants.shortfall || plan.investigation.as_ref().is_some_and(explains);
        let sums = Sums::new(plan, &wants);
        Self {
            judge: Judge {
                plan,
                wants: Wants { shortfall, ..wants },
                renderers: outputs.iter().map(|output| output.renderer()).collect(),
            },
            sink: Sink {
                sums,
                outputs,
                observer,
                seen: (!plan.counts_repeats).then(SeenCases::default),
            },
        }
    }

    fn over(&mut self, mut inputs: Inputs<'_>, records: Records) -> Result<(), RunError> {
        let Self { judge, sink } = self;
        let judge: &Judge<'_> = judge;
        in_order(
            judge.plan.threads,
            // On this thread: bytes to pieces.
            || Ok::<_, RunError>(inputs.next_piece()?),
            // On any thread: pieces to records to cases to results.
            |piece: Piece| judge_piece(judge, piece, records),
            // On this thread, in input order again: results to aggregates and outputs.
            |blocks: Vec<JudgedBlock>| {
                let mut blocks = blocks.into_iter();
                blocks.try_for_each(|block| sink.take(block, records == Records::Cases))
            },
        )
    }
}

impl Sink<'_, '_> {
    /// Adds the cases of a block to the aggregates and passes them to the outputs.
    pub(crate) fn take(
        &mut self,
        mut block: JudgedBlock,
        reads_cases: bool,
    ) -> Result<(), RunError> {
        let seen = self.seen.as_mut();
        let (is_duplicate, problems) = seen.map(|seen| seen.duplicates(&block)).unwrap_or_default();
        block.problems.extend(problems);
        for problem in &block.problems {
            self.observer.problem(problem);
        }
        self.sums.add_block(&block, reads_cases);
        let mut cases = 0;
        for (position, case) in block.cases.iter().enumerate() {
            if is_duplicate.get(position) == Some(&true) {
                continue;
            }
            cases += 1;
            self.sums.add(case);
            for (output, drawings) in self.outputs.iter_mut().zip(&block.drawings) {
                output.case(&case.result, drawings.of(position))?;
            }
        }
        self.observer.progress(block.bytes_read, cases);
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<FinishedRun, RunError> {
        let finished = self.sums.finish();
        for output in self.outputs {
            output.finish(&finished.summary)?;
        }
        Ok(finished)
    }
}

/// Scores the cases of a piece.
fn judge_piece(judge: &Judge<'_>, piece: Piece, records: Records) -> Vec<JudgedBlock> {
    let plan = judge.plan;
    let (file, bytes_read, before) = (
        Arc::clone(&piece.file),
        piece.bytes_read,
        piece.records_before,
    );
    let mut blocks = Vec::new();
    piece.each_block(|block| {
        let mut judged = judge.block(&file, bytes_read);
        for (number, record) in (before..).zip(block.iter().flat_map(Block::records)) {
            let mut judge_case = |case: &Case<'_>| {
                case.with_resolved(|case| {
                    plan.shown(case, &mut |shown| {
                        judge.judge(&mut judged, case, shown, record.place);
                    });
                });
            };
            let read = match &record.content {
                Ok(content) => records.read(plan, *content, (&file, number), &mut judge_case),
                Err(error) => Err(error.clone().into()),
            };
            // Errors in runs were reported when the runs were indexed.
            if let (Err(unread), Records::Cases) = (read, records) {
                judged.problems.push(unread.at(&file, &record));
            }
        }
        match block {
            Ok(block) => judged.block = Some(block),
            Err(error) => judged.problems.push(Problem::BrokenInput(error)),
        }
        blocks.push(judged);
    });
    blocks
}

/// Approximate size of a block in bytes: much larger than one record, much smaller than memory.
const BLOCK: usize = 1 << 18;

/// The pieces of some inputs.
pub(crate) fn pieces<'p>(
    plan: &Plan,
    inputs: &'p [PathBuf],
    reading: &'p ReadOptions,
) -> Inputs<'p> {
    let pieces = Inputs::new(inputs, plan.limits, reading, plan.threads, BLOCK);
    if reading.join == Join::Order {
        pieces.counted()
    } else {
        pieces
    }
}
