//! `cargo xtask dist`: builds an archive of the command with its checksum.
//!
//! On Linux the command is fully static. It is linked with musl if a C compiler for musl is
//! installed and the toolchain has the target, or rustup can add it. Otherwise it is linked
//! statically with the system's C library.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::files::{copy, empty_folder, make_folder, write};
use crate::install::rust_target;
use crate::process::{cargo, printed, project_root, succeed};
use crate::say;

/// Packages that can be built instead of the archive.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Package {
    Wheel,
    Npm,
    Sdist,
    Wasm,
}

/// Builds a release artifact: the command in an archive, the wheel, or the npm packages. True on success.
pub(crate) fn run(what: Option<Package>) -> Result<bool, String> {
    let root = project_root()?;
    let dist = root.join("target/dist");
    make_folder(&dist)?;
    match what {
        None => archive(&root, &dist),
        Some(Package::Wheel) => crate::python::release_into(&dist),
        Some(Package::Npm) => crate::node::release_into(&root, &dist),
        Some(Package::Sdist) => crate::python::test_sdist(),
        Some(Package::Wasm) => crate::playground::test(),
    }
}

/// GNU tar, because other implementations cannot sort entries. Set `TAR` if `tar` is another one.
fn tar() -> Command {
    Command::new(std::env::var_os("TAR").unwrap_or_else(|| "tar".into()))
}

/// Builds the command and creates the archive.
fn archive(root: &Path, dist: &Path) -> Result<bool, String> {
    let (target, linked) = linked()?;
    let about = match linked {
        Linked::System => "with the libraries of this system",
        Linked::Musl => "with musl",
        Linked::StaticLibrary => "with the C library of this machine, statically",
    };
    say(&format!("building for {target}: {about}"));
    let mut build = cargo();
    let words = "build --profile dist --locked --package rightcall-cli --features columns --target";
    build.args(words.split(' ')).arg(&target);
    if linked == Linked::StaticLibrary {
        let flags = format!("target.{target}.rustflags=[\"-Ctarget-feature=+crt-static\"]");
        build.args(["--config", &flags]);
    }
    succeed(&mut build)?;
    let built = root.join("target").join(&target).join("dist");
    let command = built.join(program());
    let name = format!("rightcall-{}-{target}", env!("CARGO_PKG_VERSION"));
    let folder = dist.join(&name);
    empty_folder(&folder)?;
    copy(&command, &folder.join(program()))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&root.join(file), &folder.join(file))?;
    }
    let archive = format!("{name}.tar.gz");
    // Make the archive reproducible: the same files result in the same bytes, without owner and
    // time, and in sorted order.
    let pack = "--sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --format=ustar --create";
    let mut pack_up = tar();
    pack_up
        .args(pack.split(' '))
        .args(["--use-compress-program=gzip -9n", "--file"])
        .args([&archive, &name]);
    succeed(pack_up.current_dir(dist))?;
    let sum = check_sum(dist, &archive)?;
    let checksum_file = dist.join(format!("{archive}.sha256"));
    write(&checksum_file, &sum)?;
    say(&format!("target/dist/{archive}\n{}", sum.trim_end()));
    if linked != Linked::System {
        let libraries = required_libraries(&command)?;
        if !libraries.is_empty() {
            return Err(format!("the command asks for {}", libraries.join(", ")));
        }
        say("wholly static: it asks nothing of the machine but its kernel");
    }
    unpack_and_run(dist, &archive)?;
    Ok(true)
}

/// The `sha256sum` line of a file.
fn check_sum(folder: &Path, file: &str) -> Result<String, String> {
    let (program, flags) = if cfg!(target_os = "linux") {
        ("sha256sum", &[][..])
    } else {
        ("shasum", &["-a", "256"][..])
    };
    let mut command = Command::new(program);
    printed(command.args(flags).arg(file).current_dir(folder))
}

/// The file name of the command.
fn program() -> String {
    format!("rightcall{}", std::env::consts::EXE_SUFFIX)
}

/// The C library that the command is linked with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Linked {
    System,
    Musl,
    /// The system's C library, linked statically.
    StaticLibrary,
}

/// The build target and its C library.
fn linked() -> Result<(String, Linked), String> {
    let about = printed(Command::new("rustc").arg("-vV"))?;
    let host = about
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or("rustc does not name its host")?
        .to_owned();
    let Some(system) = host.strip_suffix("-linux-gnu") else {
        return Ok((host, Linked::System));
    };
    let musl = format!("{system}-linux-musl");
    Ok(match has_musl(&musl) {
        Ok(()) => (musl, Linked::Musl),
        Err(why) => {
            say(&format!("not with musl: {why}"));
            (host, Linked::StaticLibrary)
        }
    })
}

/// Checks that the command can be built for musl; adds the target with rustup if necessary. The
/// error gives the reason.
fn has_musl(target: &str) -> Result<(), String> {
    let compiler = format!("{}-gcc", target.replace("-unknown", ""));
    let works = |name: &&str| succeed(Command::new(name).arg("--version")).is_ok();
    if !["musl-gcc", &compiler].iter().any(works) {
        return Err("there is no musl-gcc, which SQLite and zstd are built with; Debian has it in musl-tools".to_owned());
    }
    rust_target(target)
}

/// The shared libraries that a command needs, and its loader.
fn required_libraries(command: &Path) -> Result<Vec<String>, String> {
    let mut readelf = Command::new("readelf");
    readelf.args(["--wide", "--dynamic", "--program-headers"]);
    let headers = printed(readelf.arg(command))?;
    let named = |line: &str| Some(line.split_once('[')?.1.split_once(']')?.0.to_owned());
    let asks = |line: &&str| line.contains("(NEEDED)") || line.contains("program interpreter");
    Ok(headers.lines().filter(asks).filter_map(named).collect())
}

/// Checks that the archive's contents run without other files of the project.
fn unpack_and_run(dist: &Path, archive: &str) -> Result<(), String> {
    let place = dist.join("unpacked");
    empty_folder(&place)?;
    succeed(
        tar()
            .args(["-x", "-f"])
            .arg(dist.join(archive))
            .current_dir(&place),
    )?;
    let command = place
        .join(archive.trim_end_matches(".tar.gz"))
        .join(program());
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&command);
        printed(command.args(arguments).current_dir(&place).env_clear())
            .map_err(|error| format!("{}: {error}", arguments.join(" ")))
    };
    let version = run(&["--version"])?;
    run(&["init", "suite"])?;
    let output = run(&["run", "suite/suite.yaml", "--report", "report.html"])?;
    let last = output.lines().last().unwrap_or_default().to_owned();
    _ = fs::remove_dir_all(&place);
    say(&format!("unpacked and run: {}: {last}", version.trim_end()));
    Ok(())
}
