//! `ReAct`: lines `Action: f` and `Action Input: …`, with thoughts, observations and a final answer.

use super::action::{REACT as NOTATION, action_fence, text_input};
use super::calls::{TextArguments, TextCall, TextCalls};
use super::complete::look_into_answer;
use super::context::{Context, Outcome};
use super::json_block::{FENCE, after_fence};
use super::names::{is_name, placeholder_length};
use super::places::skip_space;
use super::scan::{Piece, PieceKind, Scan};
use super::value::WrittenValue;

/// The label of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Thought,
    Action,
    Input,
    Observation,
    Answer,
}

const LABELS: [(&str, Label); 5] = [
    ("Thought", Label::Thought),
    ("Action", Label::Action),
    ("Action Input", Label::Input),
    ("Observation", Label::Observation),
    ("Final Answer", Label::Answer),
];

/// The label at the start of a text, which may be numbered, and its length.
fn label_of(text: &str) -> Option<(Label, usize)> {
    LABELS.iter().find_map(|(word, label)| {
        let rest = text.strip_prefix(word)?;
        let number = rest.strip_prefix(' ').unwrap_or(rest);
        let number = number.trim_start_matches(|it: char| it.is_ascii_digit());
        let rest = number
            .strip_prefix(':')
            .or_else(|| rest.strip_prefix(':'))?;
        Some((*label, text.len() - rest.len()))
    })
}

/// A label, with the start and end of its part.
#[derive(Clone, Copy, Debug)]
struct Part {
    label: Label,
    at: usize,
    start: usize,
    end: usize,
}

/// Reads a text with labels at the start of lines, outside reasoning, blocks and quotations; `None` if it isn't `ReAct`.
pub(super) fn react(context: &Context<'_>, scan: &Scan) -> Option<TextCalls> {
    let parts = parts(context.text, scan);
    if !is_react(context, &parts) {
        return None;
    }
    let mut reader = Reader {
        context,
        found: TextCalls::default(),
    };
    let before = leading_text(context.text, scan, parts.first()?.at);
    reader.text(before);
    let mut parts = parts.into_iter().peekable();
    while let Some(part) = parts.next() {
        match part.label {
            Label::Action => {
                let input = parts.next_if(|next| next.label == Label::Input);
                reader.action(part, input);
            }
            Label::Answer => reader.answer(part),
            Label::Input if begins_object(context, part) => reader.found.miss(NOTATION),
            Label::Thought | Label::Input | Label::Observation => {}
        }
    }
    Some(reader.found)
}

/// The parts of a text, beginning at the first label.
fn parts(text: &str, scan: &Scan) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut pieces = scan.pieces.iter().peekable();
    let mut line = 0;
    while line < text.len() {
        let next = memchr::memchr(b'\n', &text.as_bytes()[line..]);
        let end = next.map_or(text.len(), |next| line + next + 1);
        let mut at = skip_indent(text, line);
        while pieces.next_if(|piece| piece.range.end <= at).is_some() {}
        // After reasoning a line begins.
        let is_before = |piece: &&Piece, at| {
            let is_reasoning = piece.kind == PieceKind::Reasoning;
            is_reasoning && piece.range.contains(&at) && piece.range.end <= end
        };
        while let Some(piece) = pieces.next_if(|piece| is_before(piece, at)) {
            at = skip_indent(text, piece.range.end);
        }
        let label = label_of(&text[at..]);
        // The block of `Action:` and a fence begins with the label.
        let is_text = pieces
            .peek()
            .is_none_or(|piece| piece.kind == PieceKind::Text || piece.range.start == at);
        if let Some((label, length)) = label.filter(|_| is_text) {
            if let Some(last) = parts.last_mut() {
                last.end = at;
            }
            parts.push(Part {
                label,
                at,
                start: at + length,
                end: text.len(),
            });
        }
        line = end;
    }
    parts
}

fn skip_indent(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches([' ', '\t']).len()
}

/// True if the name is a placeholder. A name may be in brackets, but not several words.
fn is_template(context: &Context<'_>, action: Part) -> bool {
    let written = context.trimmed(action.start, action.end);
    let is_listed = written.starts_with('[') && written.ends_with(']') && written.contains(", ");
    let length = placeholder_length(written);
    is_listed || length == Some(written.len()) && !written.starts_with('[')
}

fn is_react(context: &Context<'_>, parts: &[Part]) -> bool {
    let is_kept = |part: &&Part| part.label != Label::Action || !is_template(context, **part);
    let parts: Vec<_> = parts.iter().filter(is_kept).collect();
    let has = |label| parts.iter().any(|part| part.label == label);
    let has_input = parts
        .windows(2)
        .any(|pair| pair[0].label == Label::Action && pair[1].label == Label::Input);
    let is_bare = |part: &&Part| part.label == Label::Action && fence_of(context, **part).is_none();
    let has_brackets =
        |part: &&Part| part.label == Label::Action && in_brackets(context, **part).is_some();
    let names_tool = |part: &&Part| {
        let written = context.trimmed(part.start, part.end);
        let line = written.lines().next().unwrap_or_default().trim();
        part.label == Label::Action && context.tools.has(line.split('(').next().unwrap_or(line))
    };
    has_input
        || parts.iter().any(names_tool)
        || parts.iter().any(has_brackets)
        || has(Label::Thought) && (has(Label::Answer) || parts.iter().any(is_bare))
}

/// The name and the text of an action such as `Search[Oslo]`.
fn in_brackets<'t>(context: &Context<'t>, action: Part) -> Option<(&'t str, &'t str)> {
    let written = context.trimmed(action.start, action.end);
    let (name, rest) = written.lines().next()?.split_once('[')?;
    let text = rest.trim_end().strip_suffix(']')?;
    is_name(name).then_some((name, text))
}

/// The start of an action's fence.
fn fence_of(context: &Context<'_>, part: Part) -> Option<usize> {
    let at = skip_space(context.text, part.start);
    (at < part.end && context.rest(at).starts_with(FENCE)).then_some(at)
}

fn begins_object(context: &Context<'_>, input: Part) -> bool {
    let rest = context.trimmed(input.start, input.end);
    rest.starts_with('{') && placeholder_length(rest).is_none()
}

/// The text before the first label, without reasoning.
fn leading_text<'t>(text: &'t str, scan: &Scan, end: usize) -> &'t str {
    let reasoning = scan
        .pieces
        .iter()
        .filter(|piece| piece.kind == PieceKind::Reasoning);
    let from = reasoning
        .map(|piece| piece.range.end)
        .filter(|from| *from <= end)
        .max();
    &text[from.unwrap_or(0)..end]
}

struct Reader<'c, 't> {
    context: &'c Context<'t>,
    found: TextCalls,
}

impl Reader<'_, '_> {
    /// Adds answer text. A complete call in it is reported as unread.
    fn text(&mut self, text: &str) {
        look_into_answer(self.context, text, &mut self.found, NOTATION);
        self.found.add_text(text);
    }

    /// Replaces all earlier text by the final answer.
    fn answer(&mut self, part: Part) {
        self.found.text.clear();
        let text = &self.context.text[part.start..part.end];
        self.text(text);
    }

    fn action(&mut self, part: Part, input: Option<Part>) {
        if let Some(fence) = fence_of(self.context, part) {
            return self.fence(fence);
        }
        if is_template(self.context, part) {
            return;
        }
        let written = self.context.trimmed(part.start, part.end);
        let line = written.lines().next().unwrap_or_default();
        let name =
            line.trim_matches(|letter: char| letter.is_whitespace() || "`'\"[]".contains(letter));
        let Some(input) = input.filter(|_| !name.is_empty()) else {
            return match in_brackets(self.context, part) {
                Some(("Finish" | "finish", answer)) => self.text(answer),
                _ => self.found.miss(NOTATION),
            };
        };
        let input = self.input(input);
        if name == "None" && input.is_empty() {
            return;
        }
        let arguments = if input.is_empty() {
            TextArguments::none()
        } else {
            match WrittenValue::whole_object(input) {
                Some(object) => TextArguments::Json(object.to_json()),
                None => text_input(self.context, name, input),
            }
        };
        self.found.note(NOTATION);
        self.found.calls.push(TextCall::new(name, arguments));
    }

    /// The input of an action, without a fence; empty if there is none.
    fn input(&self, part: Part) -> &str {
        let written = self.context.trimmed(part.start, part.end);
        let (start, is_fenced) = after_fence(written, 0);
        let inside = if is_fenced {
            written[start..].trim_end_matches('`').trim()
        } else {
            written
        };
        if inside == "None" { "" } else { inside }
    }

    /// An action in a fence.
    fn fence(&mut self, fence: usize) {
        let action = action_fence(self.context, fence);
        let Outcome::Block(block) = action.outcome else {
            return self.found.miss(NOTATION);
        };
        self.found.note(block.notation.unwrap_or(NOTATION));
        self.found.unread |= block.unread;
        self.found.calls.extend(block.calls);
        if let Some(answer) = action.answer {
            self.text(&answer);
        }
    }
}
