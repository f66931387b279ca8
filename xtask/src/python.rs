//! The Python package: its wheel, an environment of its own, and its tests.
//!
//! Everything lives under `target/python`. What cannot be installed is named, and the tests that need it say that they are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::count::{Company, Count};
use crate::files::{copy, entries, make_folder};
use crate::install::Venv;
use crate::process::{project_root, succeed};
use crate::say;

/// The environment with what builds and tests the package.
struct Environment {
    venv: Venv,
    home: PathBuf,
    package: PathBuf,
}

/// What is installed for the package's own tests; the first is needed by all.
const OURS: [&str; 4] = ["tools", "arrow", "shapes", "extras"];

/// What a wheel is built with. Zig links for an old glibc, which a wheel for any Linux needs.
const RELEASE: &[&str] = if cfg!(target_os = "linux") {
    &["tools", "zig"]
} else {
    &["tools"]
};

/// The oldest glibc that a wheel for Linux runs with.
const GLIBC: &str = "manylinux_2_17";

/// What it is tested beside.
const PEERS: [&str; 4] = ["peers", "inspect", "spark", "live"];

/// Builds the wheel, installs it into an environment of its own, and runs all that tests it; nothing where there is no Python to do so.
pub(crate) fn test(count: &mut Count, company: Company) -> Result<(), String> {
    let peers = PEERS.iter().filter(|_| company == Company::Everybody);
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
    if company == Company::Everybody {
        environment.test_trainers(&wheel, count)?;
    }
    Ok(())
}

/// Builds the package and installs it beside others: as it is tested (`dev`), or as it is given away (`dist`).
pub(crate) fn install_beside(python: &Path, kind: &str) -> Result<(), String> {
    let wheel = Environment::needed(&OURS)?.wheel(kind)?;
    install(python, &wheel)
}

/// Builds the wheel as it is released, into a folder, and tries it in an empty environment; true when it is there.
pub(crate) fn release_into(folder: &Path) -> Result<bool, String> {
    let environment = Environment::needed(RELEASE)?;
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

/// Installs the source distribution into an empty environment, as whoever has no wheel for his platform does, and asks it for a score.
pub(crate) fn test_sdist() -> Result<bool, String> {
    let environment = Environment::needed(&["tools"])?;
    let sources = environment.home.join("sdist");
    _ = fs::remove_dir_all(&sources);
    let mut maturin = Command::new(environment.venv.bin.join("maturin"));
    maturin.args(["sdist", "--out"]).arg(&sources);
    succeed(maturin.current_dir(&environment.package))?;
    let archive = sources.join(concat!("rightcall-", env!("CARGO_PKG_VERSION"), ".tar.gz"));
    let empty = Venv::empty(&environment.home.join("from-source"))?;
    say("== pip install of the source distribution, which compiles it as it is released");
    let mut install = Command::new(&empty.python);
    // A wheel that was compiled of an archive of this name before would be taken for this one.
    install
        .args("-m pip install --quiet --disable-pip-version-check --no-cache-dir".split(' '))
        .arg(&archive);
    // Apart from what was compiled here, which Cargo would take for what it is to compile.
    succeed(install.env(
        "CARGO_TARGET_DIR",
        environment.home.join("from-source-target"),
    ))?;
    try_package(&empty)?;
    say("1 passed, 0 failed");
    Ok(true)
}

/// Asks the package that is installed in an environment for a score, and the command for its version.
fn try_package(venv: &Venv) -> Result<(), String> {
    let program = "import rightcall; assert rightcall.evaluate('trajectory', expected=['a'], actual=['a']).score == 1.0";
    succeed(Command::new(&venv.python).args(["-I", "-c", program]))?;
    succeed(Command::new(venv.bin.join("rightcall")).arg("--version"))
}

/// Installs the wheel and nothing else.
fn install(python: &Path, wheel: &Path) -> Result<(), String> {
    let pip =
        "-m pip install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall";
    succeed(Command::new(python).args(pip.split(' ')).arg(wheel))
}

impl Environment {
    /// Makes the environment, or completes it with groups of requirements, of which the first is needed by all.
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

    /// The same where nothing can be done without it.
    fn needed(groups: &[&str]) -> Result<Self, String> {
        Self::prepare(groups)?
            .ok_or_else(|| "there is no environment to build the Python package in".to_owned())
    }

    /// Builds the wheel: as it is tested (`dev`), as it is given to this machine (`dist`), or to any (`release`).
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
            // Zig is looked for as a module of the first Python there is.
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

    /// Trains by our rewards in the trainers themselves. They need other versions of packages than frameworks do, so they have an
    /// environment of their own.
    fn test_trainers(&self, wheel: &Path, count: &mut Count) -> Result<(), String> {
        let home = self.home.join("trainers");
        make_folder(&home)?;
        let requirements = self.package.join("requirements/trainers.txt");
        let venv = match Venv::with(&home.join("venv"), &requirements, &[]) {
            Ok(venv) => venv,
            Err(message) => {
                say(&format!("could not install trainers: {message}"));
                say("the tests that need trainers are skipped");
                return Ok(());
            }
        };
        install(&venv.python, wheel)?;
        let trainers = Self {
            venv,
            home,
            package: self.package.clone(),
        };
        trainers.pytest(wheel, &["tests/test_trainers.py"], count)
    }

    /// Runs these tests or all, shows what they say, and counts.
    fn pytest(&self, wheel: &Path, tests: &[&str], count: &mut Count) -> Result<(), String> {
        let report = self.home.join("tests.xml");
        _ = fs::remove_file(&report);
        // DeepEval's plugin would take the run for one of its own.
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
        // A run that breaks off reports no failure of its own.
        let broke_off = usize::from(failed == 0 && (!status.success() || passed == 0));
        count.add((passed, failed + broke_off));
        Ok(())
    }
}
