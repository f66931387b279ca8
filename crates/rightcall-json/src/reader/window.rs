//! Finds the ends of strings: scans 64 bytes at a time for quotes, backslashes and control characters.

use wide::u8x16;

use super::Reader;

/// The quotes, backslashes and control characters among 64 bytes. One scan finds the ends of several strings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    from: usize,
    bits: u64,
}

impl Window {
    const SIZE: usize = 64;
    /// A window that contains no byte of any text.
    pub(super) const NOWHERE: Self = Self {
        from: usize::MAX - Self::SIZE,
        bits: 0,
    };

    fn new(from: usize, block: &[u8; Self::SIZE]) -> Self {
        let (blocks, _) = block.as_chunks();
        Self {
            from,
            bits: blocks
                .iter()
                .rev()
                .fold(0, |bits, block| bits << 16 | u64::from(specials(block))),
        }
    }
}

impl Reader<'_> {
    /// The offset of the first quote, backslash or control character from `at` on, or the end of the text.
    #[inline]
    pub(super) fn special(&mut self, at: usize) -> usize {
        let within = at.wrapping_sub(self.window.from);
        if within >= Window::SIZE {
            return self.special_beyond(at);
        }
        match self.window.bits >> within {
            0 => self.special_beyond(self.window.from + Window::SIZE),
            bits => at + bits.trailing_zeros() as usize,
        }
    }

    // Not inlined: otherwise `special` would be too large to be inlined itself.
    #[inline(never)]
    fn special_beyond(&mut self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            self.window = Window::new(at, block);
            if self.window.bits != 0 {
                return at + self.window.bits.trailing_zeros() as usize;
            }
            at += Window::SIZE;
        }
        let Some(rest) = bytes.get(at..) else {
            return bytes.len();
        };
        // Pad the block with quotes, so that the scan stops at the end.
        let mut block = [b'"'; Window::SIZE];
        block[..rest.len()].copy_from_slice(rest);
        self.window = Window::new(at, &block);
        at + self.window.bits.trailing_zeros() as usize
    }
}

/// A mask of the quotes, backslashes and control characters, the first byte lowest.
#[inline]
fn specials(block: &[u8; 16]) -> u32 {
    let block = u8x16::new(*block);
    let special = block.simd_eq(u8x16::splat(b'"'))
        | block.simd_eq(u8x16::splat(b'\\'))
        | block.min(u8x16::splat(0x1F)).simd_eq(block);
    special.to_bitmask()
}
