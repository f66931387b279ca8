//! Decodes strings with escapes.

use rightcall_python_values::{Text, TextBuilder};
use wide::u8x16;

use super::Reader;
use crate::syntax::Result;

impl<'a> Reader<'a> {
    /// Decodes the escapes of a checked string. A surrogate pair becomes one code point; a lone surrogate is kept.
    pub(super) fn unescape(&self, from: usize, to: usize) -> Result<Text<'a>> {
        let bytes = self.text.as_bytes();
        let mut builder = TextBuilder::with_capacity(to - from);
        let mut at = from;
        while at < to {
            if let Some(block) = bytes[at..to].first_chunk() {
                let escapes = u8x16::new(*block).simd_eq(u8x16::splat(b'\\')).to_bitmask();
                let plain = if escapes == 0 {
                    block.len()
                } else {
                    escapes.trailing_zeros() as usize
                };
                builder.push_start(block, plain);
                at += plain;
            } else {
                let plain = bytes[at..to]
                    .iter()
                    .position(|&byte| byte == b'\\')
                    .unwrap_or(to - at);
                builder.push_bytes(&bytes[at..at + plain]);
                at += plain;
            }
            if at >= to {
                break;
            }
            if bytes[at] != b'\\' {
                continue;
            }
            let simple = match bytes[at + 1] {
                b'b' => 0x08,
                b'f' => 0x0C,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'u' => {
                    let unicode = unescape_unicode(bytes, at, to);
                    let (point, length) = unicode
                        .ok_or_else(|| Self::error_at(at, "four hex digits", "other text"))?;
                    builder.push(point);
                    at += length;
                    continue;
                }
                other => other,
            };
            builder.push_ascii(simple);
            at += 2;
        }
        Ok(builder.finish())
    }
}

pub(super) fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.iter().try_fold(0, |value, &byte| {
        Some(value << 4 | char::from(byte).to_digit(16)?)
    })
}

/// The code point of `\uXXXX` at `at`, joined with a following low surrogate, and the length of its text.
fn unescape_unicode(bytes: &[u8], at: usize, to: usize) -> Option<(u32, usize)> {
    let first = hex4(bytes, at + 2)?;
    if (0xD800..0xDC00).contains(&first)
        && at + 12 <= to
        && bytes[at + 6..].starts_with(b"\\u")
        && let Some(second @ 0xDC00..0xE000) = hex4(bytes, at + 8)
    {
        return Some((0x1_0000 + ((first - 0xD800) << 10 | (second - 0xDC00)), 12));
    }
    Some((first, 6))
}
