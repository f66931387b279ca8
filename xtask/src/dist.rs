//! `cargo xtask dist`: an archive of the command, with its checksum.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::install::{copy, make_folder};
use crate::process::{cargo, output, project_root, succeed};
use crate::say;

/// Wholly static, where the toolchain has it.
const STATIC: &str = "x86_64-unknown-linux-musl";

/// Builds the command and packs it; true when it is there.
pub(crate) fn run() -> Result<bool, String> {
    let root = project_root()?;
    let (target, is_static) = target()?;
    say(&format!("building for {target}"));
    succeed(cargo().args(["build", "--release", "--locked", "--package", "rightcall-cli", "--target", &target]))?;
    let command = root.join("target").join(&target).join("release/rightcall");
    let name = format!("rightcall-{}-{target}", env!("CARGO_PKG_VERSION"));
    let dist = root.join("target/dist");
    let folder = dist.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    make_folder(&folder)?;
    copy(&command, &folder.join("rightcall"))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&root.join(file), &folder.join(file))?;
    }
    let archive = format!("{name}.tar.gz");
    // The same files give the same bytes: no owner, no time, a fixed order.
    let pack = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "--format=ustar"];
    succeed(
        Command::new("tar")
            .args(pack)
            .args(["--create", "--use-compress-program=gzip -9n", "--file", &archive, &name])
            .current_dir(&dist),
    )?;
    let sum = output(Command::new("sha256sum").arg(&archive).current_dir(&dist))?;
    let sum = String::from_utf8_lossy(&sum.stdout).into_owned();
    let beside = dist.join(format!("{archive}.sha256"));
    fs::write(&beside, &sum).map_err(|error| format!("{}: {error}", beside.display()))?;
    say(&format!("target/dist/{archive}\n{}", sum.trim_end()));
    if !is_static {
        say(&dynamic(&command)?);
    }
    Ok(true)
}

/// The target to build for, and whether what is built needs nothing of the machine.
fn target() -> Result<(String, bool), String> {
    let installed = output(Command::new("rustc").args(["--print", "target-libdir", "--target", STATIC]))?;
    let libraries = String::from_utf8_lossy(&installed.stdout).trim().to_owned();
    if installed.status.success() && Path::new(&libraries).is_dir() {
        return Ok((STATIC.to_owned(), true));
    }
    let about = output(Command::new("rustc").arg("-vV"))?;
    let about = String::from_utf8_lossy(&about.stdout);
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc does not name its host")?;
    Ok((host.to_owned(), false))
}

/// What a command that is not wholly static asks of the machine.
fn dynamic(command: &Path) -> Result<String, String> {
    let symbols = output(Command::new("objdump").arg("-T").arg(command))?;
    let symbols = String::from_utf8_lossy(&symbols.stdout);
    let version = |word: &str| -> Option<(u32, u32)> {
        let (major, minor) = word.trim_matches(['(', ')']).strip_prefix("GLIBC_")?.split_once('.')?;
        Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
    };
    let newest = symbols.split_whitespace().filter_map(version).max();
    let asks = newest.map_or_else(String::new, |(major, minor)| format!(", of version {major}.{minor} or later"));
    Ok(format!("not wholly static: the target {STATIC} is not installed, so the C library of the machine is asked for{asks}"))
}
