//! The Python package: builds its wheel, installs it into a separate environment, and runs its tests.
//!
//! Everything is in `target/python`. Packages that cannot be installed are reported, and tests that
//! need them are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::count::{Count, PeerScope};
use crate::files::{copy, entries, make_folder};
use crate::install::Venv;
use crate::process::{project_root, succeed};
use crate::say;

/// The environment that builds and tests the package.
struct Environment {
    venv: Venv,
    home: PathBuf,
    package: PathBuf,
}

/// The requirement files of the package's own tests; the first one is mandatory.
const OURS: [&str; 4] = ["tools", "arrow", "shapes", "extras"];

/// The requirement files for a release build. Zig links against an old glibc, so the wheel runs on
/// any Linux.
const RELEASE: &[&str] = if cfg!(target_os = "linux") {
    &["tools", "zig"]
} else {
    &["tools"]
};

/// The oldest glibc that a Linux wheel supports.
const GLIBC: &str = "manylinux_2_17";

/// The requirement files of the peers in its tests.
const PEERS: [&str; 5] = ["peers", "inspect", "spark", "live", "typed"];

/// The requirement files of trainers. Each has a separate environment, because trainers need other
/// package versions than frameworks do.
const TRAINERS: [&str; 2] = ["trainers", "openenv"];

/// Builds the wheel, installs it into a separate environment, and runs all its tests. Skipped if there is no suitable Python.
pub(crate) fn test(count: &mut Count, company: PeerScope) -> Result<(), String> {
    let peers = PEERS.iter().filter(|_| company == PeerScope::Everybody);
    let groups: Vec<_> = OURS.iter().chain(peers).copied().collect();
    let Some(environment) = Environment::prepare(&groups)? else {
        return Ok(());
    };
    let wheel = environment.wheel("dev")?;
    install(&environment.venv.python, &wheel)?;
    for (what, arguments) in [
        ("mypy", "mypy --config-file pyproject.toml -p rightcall"),
        (
            "stubtest",
            "mypy.stubtest rightcall._native --allowlist stubtest.txt --mypy-config-file pyproject.toml",
        ),
    ] {
        count.check(what, environment.run(arguments));
    }
    environment.pytest(&wheel, &[], count)?;
    if company == PeerScope::Everybody {
        environment.test_trainers(&wheel, count);
    }
    Ok(())
}

/// Builds the wheel, and tests only its rewards in the trainers.
pub(crate) fn test_trainers(count: &mut Count) -> Result<(), String> {
    let environment = Environment::required(&OURS)?;
    let wheel = environment.wheel("dev")?;
    environment.test_trainers(&wheel, count);
    Ok(())
}

/// Builds the package and installs it into an existing environment, with the test profile (`dev`) or the release profile (`dist`).
pub(crate) fn install_beside(python: &Path, kind: &str) -> Result<(), String> {
    let wheel = Environment::required(&OURS)?.wheel(kind)?;
    install(python, &wheel)
}

/// Builds the release wheel into a folder, and tests it in an empty environment; true on success.
pub(crate) fn release_into(folder: &Path) -> Result<bool, String> {
    let environment = Environment::required(RELEASE)?;
    let wheel = environment.wheel("release")?;
    let name = wheel.file_name().unwrap_or_default();
    copy(&wheel, &folder.join(name))?;
    say(&format!("target/dist/{}", name.to_string_lossy()));
    let empty = Venv::empty(&environment.home.join("from-wheel"))?;
    install(&empty.python, &wheel)?;
    try_package(&empty)?;
    say("installed and run");
    Ok(true)
}

/// Installs the source distribution into an empty environment, as on a platform without a wheel, and scores a case.
pub(crate) fn test_sdist() -> Result<bool, String> {
    let environment = Environment::required(&["tools"])?;
    let sources = environment.home.join("sdist");
    _ = fs::remove_dir_all(&sources);
    let mut maturin = Command::new(environment.venv.bin.join("maturin"));
    maturin.args(["sdist", "--out"]).arg(&sources);
    succeed(maturin.current_dir(&environment.package))?;
    let archive = sources.join(concat!("rightcall-", env!("CARGO_PKG_VERSION"), ".tar.gz"));
    let empty = Venv::empty(&environment.home.join("from-source"))?;
    say("== pip install of the source distribution, which compiles it as it is released");
    let mut install = Command::new(&empty.python);
    // Disable the cache: pip would reuse a wheel from an earlier archive with the same name.
    install
        .args("-m pip install --quiet --disable-pip-version-check --no-cache-dir".split(' '))
        .arg(&archive);
    // Use a separate target folder: cargo would reuse objects that were compiled here.
    succeed(install.env(
        "CARGO_TARGET_DIR",
        environment.home.join("from-source-target"),
    ))?;
    try_package(&empty)?;
    say("1 passed, 0 failed");
    Ok(true)
}

/// Scores a case with the installed package, and asks the command for its version.
fn try_package(venv: &Venv) -> Result<(), String> {
    let program = "import rightcall; assert rightcall.evaluate('trajectory', expected=['a'], actual=['a']).score == 1.0";
    succeed(Command::new(&venv.python).args(["-I", "-c", program]))?;
    succeed(Command::new(venv.bin.join("rightcall")).arg("--version"))
}

/// Installs only the wheel.
fn install(python: &Path, wheel: &Path) -> Result<(), String> {
    let pip =
        "-m pip install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall";
    succeed(Command::new(python).args(pip.split(' ')).arg(wheel))
}

impl Environment {
    /// Creates the environment, or adds groups of requirements to it. The first group is mandatory.
    fn prepare(groups: &[&str]) -> Result<Option<Self>, String> {
        let root = project_root()?;
        let (home, package) = (root.join("target/python"), root.join("bindings/python"));
        make_folder(&home)?;
        let venv = match Venv::open(&home.join("venv")) {
            Ok(venv) => venv,
            Err(message) => {
                say(&format!(
                    "the Python package is not tested, because no environment can be made: {message}"
                ));
                return Ok(None);
            }
        };
        for (number, group) in groups.iter().enumerate() {
            let requirements = package.join(format!("requirements/{group}.txt"));
            if let Err(message) = venv.add(&requirements, &[]) {
                say(&format!("could not install {group}: {message}"));
                if number == 0 {
                    say("the Python package is not tested without its tools");
                    return Ok(None);
                }
                say(&format!("the tests that need {group} are skipped"));
            }
        }
        Ok(Some(Self {
            venv,
            home,
            package,
        }))
    }

    /// Like [`Environment::prepare`], but a missing environment is an error.
    fn required(groups: &[&str]) -> Result<Self, String> {
        Self::prepare(groups)?
            .ok_or_else(|| "there is no environment to build the Python package in".to_owned())
    }

    /// Builds the wheel: for tests (`dev`), for this machine (`dist`), or for any machine (`release`).
    fn wheel(&self, kind: &str) -> Result<PathBuf, String> {
        let wheels = self.home.join("wheels").join(kind);
        _ = fs::remove_dir_all(&wheels);
        let profile = if kind == "dev" { "dev" } else { "dist" };
        say(&format!("== wheel: maturin build --profile {profile}"));
        let mut build = Command::new(self.venv.bin.join("maturin"));
        build
            .args(["build", "--quiet", "--locked"])
            .args(["--profile", profile, "--out"])
            .arg(&wheels)
            .current_dir(&self.package);
        build.arg("--interpreter").arg(&self.venv.python);
        if kind == "dev" {
            build.args(["--features", "workspace-hack"]);
        }
        if kind == "release" && cfg!(target_os = "linux") {
            build.args(["--zig", "--compatibility", GLIBC]);
            // maturin looks for Zig as a module of the first Python on the `PATH`.
            let path = std::env::var_os("PATH").unwrap_or_default();
            let path = std::iter::once(self.venv.bin.clone()).chain(std::env::split_paths(&path));
            let path = std::env::join_paths(path).map_err(|error| error.to_string())?;
            build.env("PATH", path);
        }
        succeed(&mut build)?;
        let wheel = entries(&wheels)?
            .into_iter()
            .find(|file| file.extension().is_some_and(|it| it == "whl"));
        wheel.ok_or_else(|| format!("{}: maturin left no wheel", wheels.display()))
    }

    fn run(&self, module: &str) -> Result<(), String> {
        let mut python = Command::new(&self.venv.python);
        python.arg("-m").args(module.split(' '));
        succeed(python.current_dir(&self.package))
    }

    /// Trains with our rewards in the trainers themselves. A trainer that cannot be installed is a
    /// failure, since no other job tests it.
    fn test_trainers(&self, wheel: &Path, count: &mut Count) {
        for group in TRAINERS {
            if let Err(message) = self.test_trainer(group, wheel, count) {
                count.check(group, Err(message));
            }
        }
    }

    fn test_trainer(&self, group: &str, wheel: &Path, count: &mut Count) -> Result<(), String> {
        let home = self.home.join(group);
        make_folder(&home)?;
        let requirements = self.package.join(format!("requirements/{group}.txt"));
        let venv = Venv::with(&home.join("venv"), &requirements, &[])?;
        install(&venv.python, wheel)?;
        let trainer = Self {
            venv,
            home,
            package: self.package.clone(),
        };
        trainer.pytest(wheel, &["tests/test_trainers.py"], count)
    }

    /// Runs these tests, or all, and counts them.
    fn pytest(&self, wheel: &Path, tests: &[&str], count: &mut Count) -> Result<(), String> {
        let report = self.home.join("tests.xml");
        _ = fs::remove_file(&report);
        // DeepEval's plugin would treat the run as its own.
        let options = "-m pytest --quiet -p no:cacheprovider -p no:deepeval -rs --numprocesses 2 --dist loadgroup";
        let status = Command::new(&self.venv.python)
            .args(options.split(' '))
            .args(tests)
            .arg(format!("--junitxml={}", report.display()))
            .env("RIGHTCALL_WHEEL", wheel)
            .current_dir(&self.package)
            .stdin(Stdio::null())
            .status()
            .map_err(|error| format!("pytest: {error}"))?;
        let text = fs::read_to_string(&report).unwrap_or_default();
        let number = |name: &str| -> usize {
            let found = text
                .split_once(&format!(" {name}=\""))
                .and_then(|(_, rest)| rest.split_once('"'));
            found
                .and_then(|(number, _)| number.parse().ok())
                .unwrap_or(0)
        };
        let failed = number("failures") + number("errors");
        let passed = number("tests").saturating_sub(failed + number("skipped"));
        // An aborted run reports no failed test.
        let aborted = usize::from(failed == 0 && (!status.success() || passed == 0));
        count.add((passed, failed + aborted));
        Ok(())
    }
}
