//! Sources of bytes: files and standard input, decompressed, and converted to text if they are binary.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::csv_rows::{self, CsvRows};
use super::ending::separator;
use super::on_lines::OnLines;
use super::table_maps::TableMaps;
use super::unpacked::unpacked;
use super::whole::refuse_devices;
use super::{archive, columns, objects, protobuf};
use crate::error::{CaseError, OpenError};
use crate::options::Limits;
use rightcall_columns::Container;

/// The first bytes of gzip data.
const GZIP: &[u8] = &[0x1F, 0x8B];
/// The first bytes of zstd data.
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];
const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// An opened source, decompressed.
pub(super) struct Source {
    reader: Box<dyn Read + Send>,
    /// Bytes of the file read so far.
    read: Arc<AtomicU64>,
    is_packed: bool,
    /// True for bytes in memory, without a file.
    is_memory: bool,
    /// The size of the file.
    pub(super) size: Option<u64>,
    /// The length of a skipped byte order mark.
    pub(super) skipped: u64,
    limits: Limits,
    maps: TableMaps,
}

/// Limits on decompressed data that is held as a whole: a multiple of the compressed size, or this minimum. Normal files expand five to
/// thirty times, decompression bombs hundreds of times.
const MOST_UNPACKED: usize = 50;
const ALWAYS_UNPACKED: usize = 64 << 20;

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// Opens an input and reads its first bytes, which are returned too.
    pub(super) fn open(
        path: &Path,
        limits: Limits,
        maps: TableMaps,
    ) -> Result<(Self, Vec<u8>), OpenError> {
        let failed = |cause| unopened(path, cause);
        let (reader, size): (Box<dyn Read + Send>, _) = if path == Path::new("-") {
            (Box::new(io::stdin()), None)
        } else if objects::is_object(path) {
            (objects::open(path)?, None)
        } else {
            let file = File::open(path).map_err(failed)?;
            let metadata = file.metadata().map_err(failed)?;
            if metadata.is_dir() {
                return Err(OpenError {
                    path: path.to_owned(),
                    reason: "is a directory".into(),
                    help: Some(
                        format!("name its files, for example {}/*.jsonl", path.display()).into(),
                    ),
                    cause: None,
                });
            }
            refuse_devices(&file).map_err(failed)?;
            (Box::new(file), metadata.is_file().then_some(metadata.len()))
        };
        Self::begin(reader, size, path, true, limits, maps).map_err(failed)
    }

    /// Opens bytes in memory as an input.
    pub(super) fn from_bytes(
        name: &str,
        bytes: Vec<u8>,
        limits: Limits,
        maps: TableMaps,
    ) -> Result<(Self, Vec<u8>), OpenError> {
        let size = bytes.len() as u64;
        let name = Path::new(name);
        let begun = Self::begin(
            Box::new(io::Cursor::new(bytes)),
            Some(size),
            name,
            false,
            limits,
            maps,
        );
        let (mut source, head) = begun.map_err(|cause| unopened(name, cause))?;
        source.is_memory = true;
        Ok((source, head))
    }

    fn begin(
        reader: Box<dyn Read + Send>,
        size: Option<u64>,
        name: &Path,
        is_file: bool,
        limits: Limits,
        maps: TableMaps,
    ) -> io::Result<(Self, Vec<u8>)> {
        let mut source = Self {
            reader,
            read: Arc::default(),
            is_packed: false,
            is_memory: false,
            size,
            skipped: 0,
            limits,
            maps,
        };
        let mut head = Vec::new();
        source.fill(&mut head, ZSTD.len())?;
        source.unpack(&mut head)?;
        // A plain file allows random access.
        let is_whole = is_file && source.size.is_some() && !source.is_packed;
        source.put_into_text(&mut head, name, is_whole.then_some(name))?;
        if head.starts_with(BYTE_ORDER_MARK) {
            head.drain(..BYTE_ORDER_MARK.len());
            source.skipped = BYTE_ORDER_MARK.len() as u64;
        }
        Ok((source, head))
    }

    /// Replaces the head of compressed data by the head of its contents.
    fn unpack(&mut self, head: &mut Vec<u8>) -> io::Result<()> {
        let is_gzip = head.starts_with(GZIP);
        if !is_gzip && !head.starts_with(ZSTD) {
            return Ok(());
        }
        let packed = self.take(head);
        self.reader = if is_gzip {
            Box::new(flate2::read::MultiGzDecoder::new(packed))
        } else {
            unpacked(packed)?
        };
        self.fill(head, ZSTD.len()).map(drop)
    }

    /// Converts an archive, columns, a table or protobuf to equivalent JSON Lines.
    fn put_into_text(
        &mut self,
        head: &mut Vec<u8>,
        name: &Path,
        file: Option<&Path>,
    ) -> io::Result<()> {
        // Only the content of files without an extension is checked for a table.
        let separator = match separator(name) {
            None if name.extension().is_none() => self.separator_of_head(head)?,
            told => told,
        };
        if let Some(separator) = separator {
            let table = self.take(head);
            let rows = CsvRows::new(table, separator, self.limits.max_line, self.maps)?;
            self.reader = Box::new(OnLines::new(rows.texts()));
            return Ok(());
        }
        if head.starts_with(b"ARRO") {
            self.fill(head, rightcall_columns::MARK.saturating_sub(head.len()))?;
        }
        if let Some(container) = Container::of(head) {
            self.check_arrow(container, head)?;
            let most = self.at_most(self.limits.max_document);
            let bytes = self.take(head);
            self.reader = Box::new(OnLines::new(columns::rows(
                container,
                bytes,
                file,
                most,
                self.maps.is_chosen,
            )?));
        } else if head.starts_with(archive::MARK) {
            let most = self.at_most(self.limits.max_document);
            let (archive, max_sample) = (self.take(head), self.limits.max_line);
            self.reader = match file {
                Some(file) => Box::new(OnLines::new(archive::samples(
                    io::BufReader::new(File::open(file)?),
                    max_sample,
                )?)),
                None => Box::new(OnLines::new(archive::samples(
                    archive::in_memory(archive, most)?,
                    max_sample,
                )?)),
            };
        } else if protobuf::may_begin_with(head) {
            self.fill(head, protobuf::HEAD)?;
            let Some(framing) = protobuf::framing(head) else {
                return Ok(());
            };
            let messages = self.take(head);
            self.reader = Box::new(OnLines::new(protobuf::Requests::new(
                messages,
                framing,
                self.limits.max_line,
            )));
        } else if file.is_some() || self.is_packed {
            self.refuse_tar(head)?;
        }
        Ok(())
    }

    /// Refuses a tar archive: its first record would be on a line with the archive's header.
    fn refuse_tar(&mut self, head: &mut Vec<u8>) -> io::Result<()> {
        const MARK: std::ops::Range<usize> = 257..262;
        let begins_with_name = head.first().is_some_and(|it| !b"{[\"".contains(it));
        if begins_with_name {
            self.fill(head, MARK.end.saturating_sub(head.len()))?;
        }
        if head.get(MARK) != Some(b"ustar") {
            return Ok(());
        }
        let message = "a tar archive: unpack it, and name its files or their folder";
        Err(io::Error::new(io::ErrorKind::InvalidData, message))
    }

    /// The separator of a table without a telling file name, such as standard input. Reads no further than the first line, or the first row
    /// if a map may recognize it.
    fn separator_of_head(&mut self, head: &mut Vec<u8>) -> io::Result<Option<u8>> {
        if !csv_rows::may_begin_with(head) {
            return Ok(None);
        }
        let lines = if self.maps.known.is_empty() { 1 } else { 2 };
        while memchr::memchr_iter(b'\n', head).count() < lines
            && head.len() < csv_rows::LONGEST_HEAD
        {
            if self.fill(head, 1)? == 0 {
                break;
            }
        }
        Ok(csv_rows::separator_of(head, self.maps))
    }

    /// Refuses an Arrow stream with a schema longer than the line limit, because that memory would be allocated at once.
    fn check_arrow(&mut self, container: Container, head: &mut Vec<u8>) -> io::Result<()> {
        const LENGTH: std::ops::Range<usize> = 4..8;
        if container != Container::ArrowStream {
            return Ok(());
        }
        self.fill(head, LENGTH.end - head.len())?;
        let claimed = head
            .get(LENGTH)
            .and_then(|bytes| bytes.try_into().ok())
            .map(u32::from_le_bytes);
        match claimed.filter(|&claimed| claimed as usize > self.limits.max_line) {
            None => Ok(()),
            Some(claimed) => {
                let message = format!("damaged Arrow: a schema of {claimed} bytes");
                Err(io::Error::new(io::ErrorKind::InvalidData, message))
            }
        }
    }

    /// Takes all remaining bytes, including the head, to convert them.
    fn take(&mut self, head: &mut Vec<u8>) -> Box<dyn Read + Send> {
        let mut rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        if !std::mem::replace(&mut self.is_packed, true) {
            rest = Box::new(Counted {
                reader: rest,
                read: Arc::clone(&self.read),
            });
        }
        Box::new(io::Cursor::new(std::mem::take(head)).chain(rest))
    }

    /// True if the bytes are in this order in the file itself.
    pub(super) fn is_the_file_itself(&self) -> bool {
        !self.is_packed && !self.is_memory && self.size.is_some()
    }

    pub(super) fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// The maximum number of bytes to hold, at most `limit`: less for a compressed file with a suspicious ratio.
    pub(super) fn at_most(&self, limit: usize) -> usize {
        if !self.is_packed {
            return limit;
        }
        let packed =
            usize::try_from(self.size.unwrap_or_else(|| self.bytes_read())).unwrap_or(usize::MAX);
        limit.min(packed.saturating_mul(MOST_UNPACKED).max(ALWAYS_UNPACKED))
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Appends up to this many bytes; fewer only at the end. After an error, the bytes before it are kept.
    pub(super) fn fill(&mut self, bytes: &mut Vec<u8>, up_to: usize) -> io::Result<usize> {
        bytes.reserve(up_to);
        self.fill_to_end(bytes, up_to)
    }

    /// Like [`Source::fill`], if the number is only a limit: it doesn't reserve memory.
    pub(super) fn fill_to_end(&mut self, bytes: &mut Vec<u8>, up_to: usize) -> io::Result<usize> {
        let before = bytes.len();
        let result = (&mut self.reader).take(up_to as u64).read_to_end(bytes);
        if !self.is_packed {
            self.read
                .fetch_add((bytes.len() - before) as u64, Ordering::Relaxed);
        }
        result
    }
}

/// Counts the bytes read through it.
struct Counted<R> {
    reader: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

fn unopened(path: &Path, cause: io::Error) -> OpenError {
    let (reason, help): (Cow<'static, str>, Option<Cow<'static, str>>) = match cause.kind() {
        io::ErrorKind::NotFound => (
            "no such file".into(),
            Some("paths are taken from the current directory; `-` is standard input".into()),
        ),
        io::ErrorKind::InvalidInput => (cause.to_string().into(), None),
        io::ErrorKind::PermissionDenied => ("no permission to read it".into(), None),
        _ => (format!("cannot be read: {cause}").into(), None),
    };
    OpenError {
        path: path.to_owned(),
        reason,
        help,
        cause: Some(cause),
    }
}

/// The error for an input that broke off.
pub(super) fn incomplete(error: &io::Error) -> CaseError {
    CaseError::new("more data", format!("an error: {error}")).help("is the file complete?")
}
