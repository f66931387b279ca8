//! Archives of Inspect: the header of a log and its samples, each a JSON text.

#[cfg(feature = "archives")]
use std::io::SeekFrom;
use std::io::{self, Cursor, Read, Seek};

#[cfg(feature = "archives")]
use zip::ZipArchive;

use super::whole::{to_end, too_large};

/// The first bytes of an archive.
pub(super) const MARK: &[u8] = b"PK\x03\x04";

/// Logs of aborted runs have no header, only the journal of their start.
#[cfg(feature = "archives")]
const HEADERS: [&str; 2] = ["header.json", "_journal/start.json"];

/// Limits on the decompressed size: a multiple of the archive's size, or this minimum in bytes. Logs compress by a factor of ten to
/// fifty; only overlapping entries expand without end.
#[cfg(feature = "archives")]
const MOST_UNPACKED: u64 = 1_100;
#[cfg(feature = "archives")]
const ALWAYS_UNPACKED: u64 = 64 << 20;

/// Reads an archive of at most `most` bytes into memory, since its directory is at the end.
pub(super) fn in_memory(archive: impl Read, most: usize) -> io::Result<Cursor<Vec<u8>>> {
    to_end(archive, most)?
        .map(Cursor::new)
        .ok_or_else(|| too_large("an archive", most))
}

/// Error for builds without archive support.
#[cfg(not(feature = "archives"))]
pub(super) fn samples(
    _: impl Read + Seek,
    _: usize,
) -> io::Result<std::iter::Empty<io::Result<Vec<u8>>>> {
    let told = "an archive, which this build cannot unpack";
    Err(io::Error::new(io::ErrorKind::Unsupported, told))
}

/// The header and the samples of a log, in archive order. Samples longer than the line limit are cut, if that is certain.
#[cfg(feature = "archives")]
pub(super) fn samples(
    mut archive: impl Read + Seek,
    max_sample: usize,
) -> io::Result<impl Iterator<Item = io::Result<Vec<u8>>>> {
    let size = archive.seek(SeekFrom::End(0))?;
    archive.rewind()?;
    let mut left = size.saturating_mul(MOST_UNPACKED).max(ALWAYS_UNPACKED);
    let mut archive = ZipArchive::new(archive)?;
    let Some(header) = HEADERS.iter().find_map(|name| archive.index_for_name(name)) else {
        let message =
            "an archive without `header.json`: only logs of Inspect are read from archives";
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    };
    let is_sample = |name: &str| name.starts_with("samples/") && name.len() > "samples/".len();
    let names: Vec<_> = archive.file_names().collect::<Result<_, _>>()?;
    let samples = (0..names.len()).filter(|&index| is_sample(&names[index]));
    let wanted: Vec<_> = std::iter::once(header).chain(samples).collect();
    Ok(wanted.into_iter().map(move |index| {
        let mut text = Vec::new();
        let most = (max_sample as u64).saturating_add(1);
        archive
            .by_index(index)?
            .take(most.min(left.saturating_add(1)))
            .read_to_end(&mut text)?;
        let Some(rest) = left.checked_sub(text.len() as u64) else {
            let message = format!(
                "an archive of {size} bytes whose parts, one upon another, hold many times more"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        };
        left = rest;
        Ok(text)
    }))
}

#[cfg(test)]
#[cfg(feature = "archives")]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive(names: &[&str]) -> Cursor<Vec<u8>> {
        let mut writer = ZipWriter::new(Cursor::default());
        for name in names {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(name.as_bytes()).unwrap();
        }
        Cursor::new(writer.finish().unwrap().into_inner())
    }

    fn read(names: &[&str]) -> Vec<String> {
        samples(archive(names), 1 << 20)
            .unwrap()
            .map(|text| String::from_utf8(text.unwrap()).unwrap())
            .collect()
    }

    #[test]
    fn the_header_comes_before_the_samples() {
        let names = [
            "_journal/start.json",
            "samples/b.json",
            "summaries.json",
            "samples/a.json",
            "header.json",
        ];
        assert_eq!(
            read(&names),
            ["header.json", "samples/b.json", "samples/a.json"]
        );
        assert_eq!(read(&names[..3]), ["_journal/start.json", "samples/b.json"]);
    }

    #[test]
    fn other_archives_and_damaged_ones_are_errors() {
        let error = samples(archive(&["a.json"]), 1 << 20).err().unwrap();
        assert!(
            error.to_string().contains("only logs of Inspect"),
            "{error}"
        );
        let bytes = archive(&["header.json"]).into_inner();
        assert!(samples(Cursor::new(&bytes[..bytes.len() / 2]), 1 << 20).is_err());
    }

    #[test]
    fn what_is_too_large_is_not_held() {
        assert!(in_memory(&[0; 9][..], 9).is_ok());
        let error = in_memory(&[0; 10][..], 9).unwrap_err().to_string();
        assert_eq!(
            error,
            "an archive of more than 9 bytes; unpack it, or raise --max-document"
        );
        let long = samples(archive(&["header.json", "samples/a-long-name.json"]), 12).unwrap();
        assert_eq!(
            long.map(|text| text.unwrap().len()).collect::<Vec<_>>(),
            [11, 13]
        );
    }

    #[test]
    fn parts_that_overlap_are_an_error() {
        let mut writer = ZipWriter::new(Cursor::default());
        for (name, length) in [("header.json", 2), ("samples/a.json", 30 << 20)] {
            writer
                .start_file(name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(&vec![b' '; length]).unwrap();
        }
        let bytes: Vec<u8> = writer.finish().unwrap().into_inner();
        let unpacked = |bytes: Vec<u8>| -> io::Result<u64> {
            samples(Cursor::new(bytes), 1 << 30)?
                .try_fold(0, |sum, text| Ok(sum + text?.len() as u64))
        };
        assert_eq!(unpacked(bytes.clone()).unwrap(), (30 << 20) + 2);
        // Several directory entries refer to the same sample.
        let entries: Vec<_> = memchr::memmem::find_iter(&bytes, b"PK\x01\x02").collect();
        let end = memchr::memmem::find(&bytes, b"PK\x05\x06").unwrap();
        let mut overlapping = bytes[..end].to_vec();
        for letter in b'b'..b'f' {
            let mut entry = bytes[entries[1]..end].to_vec();
            entry[46 + "samples/".len()] = letter;
            overlapping.extend(entry);
        }
        let length = (overlapping.len() - entries[0]) as u32;
        let mut tail = bytes[end..].to_vec();
        tail[8..10].copy_from_slice(&6_u16.to_le_bytes());
        tail[10..12].copy_from_slice(&6_u16.to_le_bytes());
        tail[12..16].copy_from_slice(&length.to_le_bytes());
        overlapping.extend(tail);
        let error = unpacked(overlapping).unwrap_err().to_string();
        assert!(error.contains("one upon another"), "{error}");
    }
}
