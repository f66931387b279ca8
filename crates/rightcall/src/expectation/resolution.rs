//! An expectation resolved for one run: the accepted run nearest to what was done, its calls made concrete.

use crate::value::{JsonText, JsonWriter, Text, Value};

use super::alignment::RunPair;
use super::choices::TreeChoice;

/// The accepted run nearest to the actual calls.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The number of missed calls, of extra calls, and of pairs by name alone; 0 where the run is accepted.
    pub cost: u64,
    /// The pairs in which all that is demanded is met.
    pub full: usize,
    /// The leaves of the accepted run, by their numbers in written order.
    pub run: Vec<u32>,
    /// The reported alignment.
    pub pairs: Vec<RunPair>,
    /// The calls of the accepted run, made concrete.
    pub calls: Vec<ResolvedCall>,
    /// What the variables stand for; those that stand for nothing are left out.
    pub variables: Vec<BoundVariable>,
    /// Which ways the run takes through the tree.
    pub choices: Vec<TreeChoice>,
    /// What is wrong that no list of calls could say, a sentence each.
    pub findings: Vec<String>,
    /// The number of calls of the shortest run that is accepted.
    pub shortest: u64,
    /// The number of actual calls.
    pub actual: usize,
}

/// A call of the accepted run.
#[derive(Clone, Debug)]
pub struct ResolvedCall {
    /// The tool.
    pub name: Text<'static>,
    /// The arguments, as JSON text; `None` where nothing is demanded of them.
    pub arguments: Option<String>,
    /// The output, as JSON text.
    pub output: Option<String>,
    /// The arguments as evaluators compare them, if that is another text: what does not hold equals nothing there.
    pub(super) compared_arguments: Option<String>,
    /// As [`compared_arguments`](Self::compared_arguments).
    pub(super) compared_output: Option<String>,
    /// Other keys of the call as written, each with its JSON text.
    pub others: Vec<(Text<'static>, String)>,
}

/// A variable and its value.
#[derive(Clone, Debug)]
pub struct BoundVariable {
    /// Its name.
    pub name: Text<'static>,
    /// The value, as JSON text.
    pub value: String,
    /// Where the variable stands first, an RFC 6901 pointer into the expectation.
    pub pointer: String,
}

/// How much of a resolution is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResolutionPart {
    /// Whether the run is accepted, and its cost.
    Cost,
    /// Also which ways were taken, and what the variables stand for.
    Choices,
    /// Also the calls and the pairs.
    Whole,
}

impl Resolution {
    /// True if the expectation accepts the actual calls.
    pub fn is_accepted(&self) -> bool {
        self.cost == 0
    }

    /// How near the actual calls are to being accepted: `1 - cost / (actual + shortest)`, 1 where both are 0.
    ///
    /// Source: Adriansyah, *Aligning Observed and Modeled Behavior* (2014), trace fitness by alignments; van der Aalst, *Process Mining*
    /// (2016), 8.3.
    pub fn fitness(&self) -> f64 {
        let worst = self.actual as u64 + self.shortest;
        if worst == 0 {
            1.0
        } else {
            1.0 - self.cost as f64 / worst as f64
        }
    }

    /// Writes what came of the expectation: whether the run is accepted, its cost, and more as asked for.
    pub fn write(&self, part: ResolutionPart, writer: &mut JsonWriter) {
        writer.begin_object();
        writer.key("accepted").bool(self.is_accepted());
        writer.key("cost").count(self.cost as usize);
        if part >= ResolutionPart::Choices {
            writer.key("choices").begin_list();
            self.choices.iter().for_each(|choice| choice.write(writer));
            writer.end_list();
            writer.key("variables").begin_list();
            for variable in &self.variables {
                writer.begin_object().key("name").text(&variable.name);
                writer.key("value").raw(&variable.value);
                writer.key("pointer").str(&variable.pointer).end_object();
            }
            writer.end_list();
            if !self.findings.is_empty() {
                writer.key("findings").begin_list();
                self.findings.iter().for_each(|it| _ = writer.str(it));
                writer.end_list();
            }
        }
        if part == ResolutionPart::Whole {
            self.write_alignment(writer);
        }
        writer.end_object();
    }

    /// Writes what the definition demands of a resolution, in its words: cost, full pairs, leaves, pairs, calls, and the variables as an
    /// object.
    pub fn write_definition(&self, writer: &mut JsonWriter) {
        writer.begin_object();
        writer.key("cost").count(self.cost as usize);
        writer.key("full").count(self.full);
        writer.key("run").begin_list();
        for leaf in &self.run {
            writer.count(*leaf as usize);
        }
        writer.end_list();
        self.write_alignment(writer);
        writer.key("variables").begin_object();
        for variable in &self.variables {
            writer.key_text(&variable.name).raw(&variable.value);
        }
        writer.end_object().end_object();
    }

    /// Writes the members `calls` and `pairs`.
    fn write_alignment(&self, writer: &mut JsonWriter) {
        writer.key("calls").begin_list();
        self.calls.iter().for_each(|call| call.write(writer));
        writer.end_list().key("pairs").begin_list();
        for pair in &self.pairs {
            writer.begin_list();
            writer
                .count(pair.expected)
                .count(pair.actual)
                .bool(pair.is_full);
            writer.end_list();
        }
        writer.end_list();
    }

    /// [`write`](Self::write) as a text.
    pub fn to_json(&self, part: ResolutionPart) -> JsonText {
        let mut writer = JsonWriter::new();
        self.write(part, &mut writer);
        writer.finish()
    }
}

impl ResolvedCall {
    /// The arguments as evaluators compare them: what is demanded and was not found equals nothing.
    pub fn compared_arguments(&self) -> Option<&str> {
        self.compared_arguments
            .as_deref()
            .or(self.arguments.as_deref())
    }

    /// The output as evaluators compare it.
    pub fn compared_output(&self) -> Option<&str> {
        self.compared_output.as_deref().or(self.output.as_deref())
    }

    /// Writes the call as cases have it.
    pub fn write(&self, writer: &mut JsonWriter) {
        writer.begin_object().key("name").text(&self.name);
        if let Some(arguments) = &self.arguments {
            writer.key("args").raw(arguments);
        }
        if let Some(output) = &self.output {
            writer.key("output").raw(output);
        }
        writer.end_object();
    }
}

pub(super) fn json(value: &Value<'_>) -> String {
    JsonText::from_value(value).into_string()
}
