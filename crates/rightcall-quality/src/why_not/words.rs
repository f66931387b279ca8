//! The answer as text and as JSON.

use rightcall_core::expectation::Repair;
use rightcall_core::value::{JsonText, JsonWriter, RawJson};

use super::change::RunEdit;
use super::{RunChange, Tried, WhyNot, WhyNotAnswer};

impl WhyNot {
    /// The answer in a sentence; if it ends with a colon, a list of edits follows.
    pub fn sentence(&self) -> String {
        let target = self.target;
        match &self.answer {
            WhyNotAnswer::Reached(score) => format!("Why not {target}? The score is {score:.3}."),
            WhyNotAnswer::NoScore(reason) => format!("Why not {target}? No answer: {reason}."),
            WhyNotAnswer::Change(change) => {
                let edits = edit_count(change.edits.len());
                if change.is_smallest {
                    format!("Why not {target}? The smallest change to the run is {edits}:")
                } else {
                    let tried = search_effort(change.tried);
                    format!(
                        "Why not {target}? A change to the run by {edits} reaches it; not proven the smallest ({tried}):"
                    )
                }
            }
            WhyNotAnswer::NotFound(found) => {
                let tried = search_effort(*found);
                format!(
                    "Why not {target}? No change to the run was found that reaches it ({tried})."
                )
            }
        }
    }

    /// Summarizes the changes of the expectation; empty if there are none.
    pub fn repair_sentence(&self) -> String {
        let Some(repair) = &self.repair else {
            return String::new();
        };
        let change = if repair.is_smallest() {
            "the smallest change"
        } else {
            "a change"
        };
        format!("Or accept this run too, by {change} to the expectation:")
    }

    /// The answer as a JSON object. Positions count from 0, as in alignments.
    pub fn to_json(&self) -> JsonText {
        let mut writer = JsonWriter::new();
        writer.begin_object().key("target").float(self.target);
        match &self.answer {
            WhyNotAnswer::Reached(_) => _ = writer.key("answer").str("reached"),
            WhyNotAnswer::NoScore(reason) => {
                _ = writer
                    .key("answer")
                    .str("no_score")
                    .key("reason")
                    .str(reason);
            }
            WhyNotAnswer::Change(change) => write_change(&mut writer, change),
            WhyNotAnswer::NotFound(tried) => {
                writer.key("answer").str("not_found");
                write_tried(&mut writer, *tried);
            }
        }
        if let Some(repair) = &self.repair {
            write_repair(&mut writer, repair);
        }
        writer.end_object();
        writer.finish()
    }
}

fn edit_count(number: usize) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} edit{plural}")
}

/// The extent of the search: `none of up to 2 edits does, 40 runs judged`.
fn search_effort(tried: Tried) -> String {
    let runs = tried.evaluations;
    match tried.edits {
        0 => format!("{runs} runs judged"),
        number => format!(
            "none of up to {} does, {runs} runs judged",
            edit_count(number as usize)
        ),
    }
}

fn write_tried(writer: &mut JsonWriter, tried: Tried) {
    writer.key("tried").begin_object();
    writer.key("edits").count(tried.edits as usize);
    let evaluations = writer.key("evaluations");
    evaluations.count(tried.evaluations as usize).end_object();
}

fn write_change(writer: &mut JsonWriter, change: &RunChange) {
    writer.key("answer").str("change");
    writer.key("score").float(change.score);
    writer.key("smallest").bool(change.is_smallest);
    write_tried(writer, change.tried);
    writer.key("edits").list(&change.edits, |writer, edit| {
        writer.begin_object().key("edit").str(edit.kind());
        write_edit(writer, edit);
        writer.end_object();
    });
}

fn write_edit(writer: &mut JsonWriter, edit: &RunEdit) {
    match edit {
        RunEdit::Rename { call, from, to } => {
            writer.key("call").count(*call);
            writer.key("from").text(from).key("to").text(to);
        }
        RunEdit::SetArgument {
            call,
            key,
            value,
            before,
        } => {
            writer.key("call").count(*call).key("key").text(key);
            writer.optional("from", before.as_deref().map(RawJson));
            writer.key("to").raw(value);
        }
        RunEdit::RemoveArgument { call, key, before } => {
            writer.key("call").count(*call).key("key").text(key);
            writer.key("from").raw(before);
        }
        RunEdit::Remove { call, name } => {
            writer.key("call").count(*call).key("name").text(name);
        }
        RunEdit::Move { call, before, turn } => {
            writer.key("call").count(*call).key("before").count(*before);
            writer.optional("turn", *turn);
        }
        RunEdit::Add { call, before } => {
            writer.key("before").count(*before);
            writer.key("name").text(&call.name);
            writer.optional("args", call.arguments.as_deref().map(RawJson));
            writer.optional("output", call.output.as_deref().map(RawJson));
            writer.optional("turn", call.turn);
        }
    }
}

fn write_repair(writer: &mut JsonWriter, repair: &Repair) {
    writer.key("expectation").begin_object();
    writer.key("cost").count(repair.cost as usize);
    writer.key("smallest").bool(repair.is_smallest());
    writer
        .key("changes")
        .list(&repair.changes, |writer, change| {
            writer.begin_object().key("pointer").str(&change.pointer);
            writer.key("change").str(&change.what).end_object();
        });
    writer
        .key("expected")
        .raw(repair.expected.as_str())
        .end_object();
}
