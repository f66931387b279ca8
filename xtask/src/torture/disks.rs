//! Disks that fill up at any moment: existing files stay intact, and one message gives advice.
//!
//! The test mounts a small file system if it may, else it limits the size of files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::Note;
use super::work::{RUN_FEW, Work};
use crate::files::write;

/// The size of the disk in KiB.
const SIZE: usize = 2048;

/// The commands that write, in an order in which each can run; the last word is the output.
const COMMANDS: [&str; 8] = [
    "score few.jsonl -e uipath/tool-call-order -o small/out.jsonl",
    "report results.jsonl -o small/page.html",
    "convert few.jsonl --to openai-chat -o small/chat.jsonl",
    "record few.jsonl --force -o small/recorded.jsonl",
    "review --traces other.jsonl --accept-all small/expected.jsonl",
    "compare results.jsonl --accept small/baseline.jsonl",
    "history export 1 small/run.db",
    "init small/new",
];

pub(super) fn run(command: &Path, folder: &Path, short: bool, note: Note<'_>) {
    let prepared = Work::begin(command, folder).and_then(|work| {
        prepare(&work)?;
        Ok((Disk::make(&folder.join("small"))?, work))
    });
    let (disk, work) = match prepared {
        Ok(prepared) => prepared,
        Err(why) => return note("a full disk", Err(why)),
    };
    let room: &[usize] = if short {
        &[0, 8]
    } else {
        &[0, 4, 8, 16, 32, 64, 128, 256, 512]
    };
    for arguments in COMMANDS {
        note(
            &format!("{arguments} on {}", disk.what()),
            written(&work, &disk, arguments, room),
        );
    }
    note(
        &format!("run on {}", disk.what()),
        recorded(&work, &disk, room),
    );
}

fn prepare(work: &Work<'_>) -> Result<(), String> {
    let few =
        fs::read_to_string(work.folder.join("few.jsonl")).map_err(|error| error.to_string())?;
    write(
        &work.folder.join("other.jsonl"),
        few.replace("\"id\":7", "\"id\":8"),
    )?;
    work.succeed(RUN_FEW)?;
    work.succeed("score few.jsonl -e uipath/tool-call-order -q -o results.jsonl")
        .map(drop)
}

/// With any amount of free space, the output is either complete or unchanged.
fn written(
    work: &Work<'_>,
    disk: &Disk,
    arguments: &str,
    room: &[usize],
) -> Result<String, String> {
    let (_, output) = arguments.rsplit_once(' ').unwrap_or_default();
    let path = work.folder.join(output);
    let begin = || {
        disk.empty()?;
        if arguments.starts_with("review") {
            work.succeed(&format!("record few.jsonl --force -q -o {output}"))?;
        } else if !arguments.starts_with("init") {
            // An earlier output of the same kind.
            work.succeed(arguments)?;
        }
        Ok::<_, String>(())
    };
    let mut failed = 0;
    for &free in room {
        begin()?;
        let before = bytes(&path);
        disk.leave(free)?;
        let said = disk.run(work, arguments, free)?;
        let (code, stderr) = (
            said.status.code(),
            String::from_utf8_lossy(&said.stderr).into_owned(),
        );
        if code == Some(0) {
            continue;
        }
        failed += 1;
        if code != Some(2)
            || stderr.matches("error: ").count() != 1
            || !stderr.contains(output)
            || !stderr.contains("help: ")
        {
            return Err(format!(
                "with {free} KiB it ended with {code:?} and said: {}",
                stderr.trim_end()
            ));
        }
        if bytes(&path) != before || disk.names() != disk.expected(&path) {
            return Err(format!(
                "with {free} KiB it left something else: {:?}",
                disk.names()
            ));
        }
    }
    begin()?;
    work.succeed(arguments)?;
    if failed == 0 {
        Err("it never failed".to_owned())
    } else {
        Ok(format!(
            "{failed} of {} failed, each with one error and the old state",
            room.len()
        ))
    }
}

/// With any amount of free space, the history is unchanged or has one more run.
fn recorded(work: &Work<'_>, disk: &Disk, room: &[usize]) -> Result<String, String> {
    let (mut warned, mut whole) = (0, 0);
    for &free in room {
        disk.empty()?;
        let small = Work::begin_small(work.command, &disk.folder)?;
        small.succeed(RUN_FEW)?;
        disk.leave(free)?;
        let said = disk.run(&small, RUN_FEW, free)?;
        // The existing history stays readable.
        for arguments in ["history", "report latest --format csv"] {
            let said = disk.run(&small, arguments, free)?;
            if !said.status.success() {
                let stderr = String::from_utf8_lossy(&said.stderr).into_owned();
                return Err(format!(
                    "with {free} KiB `{arguments}` fails: {}",
                    stderr.trim_end()
                ));
            }
        }
        disk.make_room()?;
        let stderr = String::from_utf8_lossy(&said.stderr).into_owned();
        let (runs, unfinished) = small.whole()?;
        let expected = if stderr.contains("could not be recorded: .rightcall/history.db: ") {
            1
        } else {
            2
        };
        if !said.status.success()
            || (runs, unfinished) != (expected, 0)
            || stderr.matches("warning: ").count() != 2 - expected
        {
            return Err(format!(
                "with {free} KiB: {}, {runs} runs, {unfinished} unfinished: {}",
                said.status,
                stderr.trim_end()
            ));
        }
        warned += 2 - expected;
        whole += expected - 1;
    }
    if warned == 0 {
        return Err("it never failed".to_owned());
    }
    Ok(format!(
        "{warned} were not recorded and said so, {whole} were; the history was whole and could be read"
    ))
}

/// The bytes of a file; `None` if it does not exist.
fn bytes(path: &Path) -> Option<Vec<u8>> {
    fs::read(path).ok()
}

/// A folder on a separate file system, or one with a limit on file sizes.
struct Disk {
    folder: PathBuf,
    is_mounted: bool,
}

impl Disk {
    fn make(folder: &Path) -> Result<Self, String> {
        crate::files::make_folder(folder)?;
        let size = format!("size={SIZE}k");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(folder)
            .stderr(Stdio::null())
            .status();
        Ok(Self {
            folder: folder.to_owned(),
            is_mounted: mount.is_ok_and(|status| status.success()),
        })
    }

    fn what(&self) -> &'static str {
        if self.is_mounted {
            "a full disk"
        } else {
            "a disk without room for long files (none may be mounted here)"
        }
    }

    fn filler(&self) -> PathBuf {
        self.folder.join("filler")
    }

    /// Deletes everything.
    fn empty(&self) -> Result<(), String> {
        for entry in fs::read_dir(&self.folder)
            .map_err(|error| error.to_string())?
            .flatten()
        {
            let path = entry.path();
            let removed = if path.is_dir() {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            removed.map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }

    /// Fills the disk up to this many free KiB.
    fn leave(&self, free: usize) -> Result<(), String> {
        if !self.is_mounted {
            return Ok(());
        }
        // Write until the disk is full, then truncate the filler to free some space.
        let block = vec![b'x'; 4096];
        let mut blocks = Vec::new();
        let mut file = fs::File::create(self.filler()).map_err(|error| error.to_string())?;
        while std::io::Write::write_all(&mut file, &block).is_ok() {
            blocks.push(());
        }
        let kept = (blocks.len() * 4).saturating_sub(free);
        file.set_len(kept as u64 * 1024)
            .map_err(|error| error.to_string())
    }

    fn make_room(&self) -> Result<(), String> {
        if self.is_mounted {
            fs::remove_file(self.filler()).map_err(|error| error.to_string())
        } else {
            Ok(())
        }
    }

    /// Runs a command with this many free KiB.
    fn run(&self, work: &Work<'_>, arguments: &str, free: usize) -> Result<Output, String> {
        if self.is_mounted {
            return work.output(arguments);
        }
        let limited = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", free * 2);
        let mut command = Command::new("sh");
        command
            .current_dir(work.folder)
            .env("GIT_CEILING_DIRECTORIES", work.above())
            .args(["-c", &limited])
            .arg(work.command)
            .args(arguments.split(' '));
        command
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())
    }

    /// The names in the folder.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries
            .map(|it| it.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The names if the folder holds only this file (if it exists) and the filler.
    fn expected(&self, file: &Path) -> Vec<String> {
        let name = file
            .file_name()
            .filter(|_| file.exists())
            .map(|name| name.to_string_lossy().into_owned());
        let mut names: Vec<_> = name
            .into_iter()
            .chain(self.is_mounted.then(|| "filler".to_owned()))
            .collect();
        names.sort();
        names
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.is_mounted {
            _ = Command::new("umount").arg(&self.folder).status();
        }
    }
}
