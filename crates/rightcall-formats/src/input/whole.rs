//! Files read as a whole: suites, results, expectations.

use std::fs::File;
#[cfg(unix)]
use std::io::IsTerminal;
use std::io::{self, Read};
use std::path::Path;

/// The text of a file of at most `limit` bytes.
///
/// # Errors
/// The file doesn't exist, is larger, is a device, or isn't text.
pub fn read_text(path: &Path, limit: usize) -> io::Result<String> {
    String::from_utf8(read_bytes(path, limit)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to() + 1;
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("not UTF-8 text, from byte {at} on"),
        )
    })
}

/// The bytes of a file, at most `limit`.
///
/// # Errors
/// The file doesn't exist, is larger, or is a device.
pub fn read_bytes(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    refuse_devices(&file)?;
    to_end(file, limit)?.ok_or_else(|| {
        let message =
            format!("larger than {limit} bytes, which is the most that is read as a whole");
        io::Error::new(io::ErrorKind::FileTooLarge, message)
    })
}

/// Reads to the end; `None` if there are more than `limit` bytes. Memory grows with the data.
pub(super) fn to_end(reader: impl Read, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader
        .take((limit as u64).saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok((bytes.len() <= limit).then_some(bytes))
}

/// The error for data over the size limit.
#[cold]
pub(super) fn too_large(what: &str, limit: usize) -> io::Error {
    let message = format!("{what} of more than {limit} bytes; unpack it, or raise --max-document");
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// Devices such as `/dev/zero` never end. Terminal input and `/dev/null` do, so these are allowed.
#[cfg(unix)]
pub(super) fn refuse_devices(file: &File) -> io::Result<()> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let metadata = file.metadata()?;
    let kind = metadata.file_type();
    let is_null =
        || std::fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == metadata.rdev());
    if kind.is_block_device() || kind.is_char_device() && !file.is_terminal() && !is_null() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is a device, not a file",
        ));
    }
    Ok(())
}

/// On other systems, devices aren't files.
#[cfg(not(unix))]
pub(super) fn refuse_devices(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn larger_files_and_other_bytes_are_refused() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"four").unwrap();
        assert_eq!(read_text(file.path(), 4).unwrap(), "four");
        let error = read_text(file.path(), 3).unwrap_err().to_string();
        assert_eq!(
            error,
            "larger than 3 bytes, which is the most that is read as a whole"
        );
        file.write_all(b"\xFF").unwrap();
        assert_eq!(
            read_text(file.path(), 9).unwrap_err().to_string(),
            "not UTF-8 text, from byte 5 on"
        );
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused() {
        assert_eq!(
            read_bytes(Path::new("/dev/zero"), 9)
                .unwrap_err()
                .to_string(),
            "it is a device, not a file"
        );
        assert!(read_bytes(Path::new("/dev/null"), 9).unwrap().is_empty());
    }
}
