//! Reads the block after a marker.

use super::context::{CallBlock, Context, Outcome};
use super::glaive::glaive;
use super::glm::glm;
use super::json_block::{after_fence, after_reasoning, begins_values, json_block};
use super::markers::{FUNCTOOLS, Form, Marker};
use super::mistral::mistral;
use super::object::{PLAIN, TOOL_NAME};
use super::places::skip_space;
use super::python_block::{python_block, python_tag};
use super::sections::section;
use super::xml::{alone, wrapper};

const PLUGIN: &str = "<|plugin|>";
const INTERPRETER: &str = "<|interpreter|>";

/// Reads the block with its marker at this offset.
pub(super) fn marked(context: &Context<'_>, at: usize, marker: &Marker) -> Outcome {
    let content = at + marker.begin.len();
    match marker.form {
        // The bracket is part of both the marker and the block.
        Form::Json if marker.begin == FUNCTOOLS => json_block(context, marker, content - 1, &PLAIN),
        Form::Json => json_block(context, marker, content, &PLAIN),
        Form::Actions => json_block(context, marker, content, &TOOL_NAME),
        Form::ToolCall => tool_call(context, marker, content),
        Form::Wrapper => wrapper(context, marker, content).unwrap_or(Outcome::Mention),
        Form::FunctionCalls => wrapper(context, marker, content)
            .unwrap_or_else(|| python_block(context, marker, content)),
        Form::Function | Form::Invoke => alone(context, at, marker),
        Form::Python => python_block(context, marker, content),
        Form::PythonTag => python_tag(context, marker, content),
        Form::Mistral => mistral(context, marker, content),
        Form::Section => section(context, marker, content),
        Form::SectionCall => section(context, marker, at),
        Form::Plugin => plugin(context, marker, content),
        Form::Glaive => glaive(context, marker, content),
    }
}

/// Reads the content after `<tool_call>`, which three notations use.
fn tool_call(context: &Context<'_>, marker: &Marker, content: usize) -> Outcome {
    let content = after_reasoning(context.text, content);
    if let Some(functions) = wrapper(context, marker, content) {
        return functions;
    }
    let (start, _) = after_fence(context.text, skip_space(context.text, content));
    if begins_values(context.rest(start)) {
        return json_block(context, marker, content, &PLAIN);
    }
    glm(context, marker, content)
}

fn plugin(context: &Context<'_>, marker: &Marker, content: usize) -> Outcome {
    let at = skip_space(context.text, content);
    let rest = context.rest(at);
    if rest.starts_with(PLUGIN) {
        return json_block(context, marker, at + PLUGIN.len(), &PLAIN);
    }
    if rest.starts_with(INTERPRETER) {
        return Outcome::Block(CallBlock::unread(context.block_end(marker, at).after));
    }
    Outcome::Mention
}
