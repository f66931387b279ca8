//! Converts JSON texts to the bytes of JSON Lines.

use std::io::{self, Cursor, Read};

/// Reads consecutive texts, each on a separate line.
pub(super) struct OnLines<T> {
    texts: T,
    line: Cursor<Vec<u8>>,
}

impl<T> OnLines<T> {
    pub(super) fn new(texts: T) -> Self {
        Self {
            texts,
            line: Cursor::default(),
        }
    }
}

impl<T: Iterator<Item = io::Result<Vec<u8>>>> Read for OnLines<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.line.read(buffer)?;
            if length > 0 || buffer.is_empty() {
                return Ok(length);
            }
            let Some(text) = self.texts.next() else {
                return Ok(0);
            };
            let mut line = text?;
            // JSON has line breaks only between tokens.
            line.iter_mut()
                .filter(|byte| matches!(byte, b'\n' | b'\r'))
                .for_each(|byte| *byte = b' ');
            line.push(b'\n');
            self.line = Cursor::new(line);
        }
    }
}
