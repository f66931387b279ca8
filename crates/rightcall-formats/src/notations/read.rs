//! Reads a text: defines the order in which notations are tried.

use super::bare::bare;
use super::calls::TextCalls;
use super::complete::{ObjectParts, holds_call_between};
use super::context::Context;
use super::details::details;
use super::dspy::dspy;
use super::harmony::harmony;
use super::literal::LooseQuotes;
use super::nets::is_caught;
use super::places::{skip_blank, without_end_tokens};
use super::react::react;
use super::reasoning::calls_in_reasoning;
use super::scan::{Piece, PieceKind, Scan, scan};
use crate::catalogue::ToolCatalogue;

/// Reads a text at this nesting depth within other texts.
pub(super) fn read(text: &str, tools: &ToolCatalogue, depth: usize) -> TextCalls {
    // Here the end tokens of messages are part of the data.
    let whole = Context::new(text.trim_end(), tools, depth, read);
    if let Some(found) = harmony(&whole)
        .or_else(|| dspy(&whole))
        .or_else(|| details(&whole))
    {
        return settled(found);
    }
    let text = without_end_tokens(text).trim_end();
    let context = Context::new(text, tools, depth, read);
    let scan = scan(&context);
    let found = match react(&context, &scan) {
        Some(found) => found,
        None => finished(&context, scan),
    };
    settled(found)
}

/// Combines both flags for unparsed parts.
fn settled(found: TextCalls) -> TextCalls {
    TextCalls {
        unread: found.unread || found.quoted,
        quoted: found.quoted && !found.unread,
        ..found
    }
}

/// Looks for calls without a marker, and for signs of calls in the text.
fn finished(context: &Context<'_>, scan: Scan) -> TextCalls {
    let Scan {
        mut pieces,
        mut found,
        has_block,
    } = scan;
    let text = context.text;
    if texts(&pieces).any(|piece| is_caught(text, piece.range.start, piece.range.end)) {
        found.miss("part of a call");
    }
    let start = answer_start(text, &pieces);
    if let Some(start) = start.filter(|_| !has_block && !found.unread && !found.quoted)
        && let Some(block) = bare(context, start)
    {
        found.note(block.notation.unwrap_or_default());
        found.unread |= block.unread;
        if !block.calls.is_empty() {
            pieces = without(pieces, start, block.end);
        }
        found.calls.extend(block.calls);
    }
    if !found.unread && has_call(context, &pieces) {
        found.miss("call in the text");
    }
    found.in_reasoning = pieces
        .iter()
        .filter(|piece| piece.kind == PieceKind::Reasoning)
        .map(|piece| calls_in_reasoning(context, &text[piece.range.clone()]))
        .sum();
    answer(text, &pieces, &mut found);
    found
}

fn texts(pieces: &[Piece]) -> impl Iterator<Item = &Piece> {
    pieces.iter().filter(|piece| piece.kind == PieceKind::Text)
}

/// The start of the answer, if it starts with text.
fn answer_start(text: &str, pieces: &[Piece]) -> Option<usize> {
    for piece in pieces
        .iter()
        .filter(|piece| piece.kind != PieceKind::Reasoning)
    {
        let start = skip_blank(text, piece.range.start);
        if piece.kind != PieceKind::Text {
            return None;
        }
        if start < piece.range.end {
            return Some(start);
        }
    }
    None
}

/// The pieces, with the block between two offsets cut out.
fn without(pieces: Vec<Piece>, start: usize, end: usize) -> Vec<Piece> {
    let block = Piece {
        range: start..end,
        kind: PieceKind::Block,
    };
    let before = |piece: &Piece| piece.range.end <= start;
    let mut left: Vec<_> = Vec::new();
    let mut pieces = pieces.into_iter().peekable();
    while let Some(piece) = pieces.next_if(before) {
        left.push(piece);
    }
    left.push(block);
    left.extend(
        pieces
            .filter(|piece| piece.range.end > end)
            .map(|piece| Piece {
                range: piece.range.start.max(end)..piece.range.end,
                ..piece
            }),
    );
    left
}

/// True if the answer text has a call object, a list of Python calls, or the remains of a broken object.
fn has_call(context: &Context<'_>, pieces: &[Piece]) -> bool {
    let (text, tools) = (context.text, context.tools);
    let (mut parts, mut quotes) = (ObjectParts::default(), LooseQuotes::default());
    texts(pieces).any(|piece| {
        let (from, to) = (piece.range.start, piece.range.end);
        parts.look(text, from, to, tools);
        parts.are_call() || holds_call_between(text, from, to, tools, &mut quotes)
    })
}

/// Joins the pieces of the answer.
fn answer(text: &str, pieces: &[Piece], found: &mut TextCalls) {
    let mut from = None;
    let mut to = 0;
    for piece in pieces {
        match &piece.kind {
            PieceKind::Text | PieceKind::Kept => {
                from.get_or_insert(piece.range.start);
                to = piece.range.end;
            }
            PieceKind::Reasoning | PieceKind::Block | PieceKind::Instead(_) => {
                if let Some(from) = from.take() {
                    found.add_text(&text[from..to]);
                }
                if let PieceKind::Instead(instead) = &piece.kind {
                    found.add_text(instead);
                }
            }
        }
    }
    if let Some(from) = from {
        found.add_text(&text[from..to]);
    }
}
