//! The state of the git working copy of a run.

use std::env;
use std::process::{Command, Stdio};

/// The state of the working copy.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WorkingCopy {
    /// The commit.
    pub(crate) commit: Option<String>,
    /// The branch.
    pub(crate) branch: Option<String>,
    /// True if tracked files differ from the commit.
    pub(crate) dirty: bool,
    /// The first line of the commit's message.
    pub(crate) subject: Option<String>,
}

/// CI variables with the branch name, because CI checks out a commit without a branch. In order:
/// GitHub pull requests, GitHub, GitLab merge requests, GitLab, Azure.
const BRANCHES: [&str; 5] = [
    "GITHUB_HEAD_REF",
    "GITHUB_REF_NAME",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_COMMIT_REF_NAME",
    "BUILD_SOURCEBRANCHNAME",
];

impl WorkingCopy {
    /// Reads the state from git. Empty without git or outside a working copy.
    pub(crate) fn read() -> Self {
        let status = [
            "--no-optional-locks",
            "status",
            "--porcelain=v2",
            "--branch",
            "--untracked-files=no",
        ];
        let Some(said) = git(&status) else {
            return Self::default();
        };
        let mut found = Self::of_status(&said);
        if let Some(commit) = &found.commit {
            let subject = git(&["log", "-1", "--format=%s", commit]);
            let subject = subject.map(|line| line.trim().to_owned());
            found.subject = subject.filter(|line| !line.is_empty());
        }
        let named = || {
            BRANCHES
                .iter()
                .find_map(|name| env::var(name).ok().filter(|branch| !branch.is_empty()))
        };
        found.branch = found.branch.or_else(named);
        found
    }

    fn of_status(said: &str) -> Self {
        let head = |name: &str| {
            said.lines()
                .find_map(|line| line.strip_prefix("# branch.")?.strip_prefix(name))
        };
        let known = |value: &&str| !value.starts_with('(');
        Self {
            commit: head("oid ").filter(known).map(ToOwned::to_owned),
            branch: head("head ").filter(known).map(ToOwned::to_owned),
            dirty: said.lines().any(|line| !line.starts_with('#')),
            subject: None,
        }
    }
}

/// The output of a git command; `None` if git is missing or the command fails.
fn git(arguments: &[&str]) -> Option<String> {
    let asked = Command::new("git")
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let said = asked.ok().filter(|output| output.status.success())?;
    String::from_utf8(said.stdout).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commit_branch_and_changes_are_read_from_git() {
        let clean = "# branch.oid 1a2b\n# branch.head main\n# branch.upstream origin/main\n";
        let expected = WorkingCopy {
            commit: Some("1a2b".into()),
            branch: Some("main".into()),
            dirty: false,
            subject: None,
        };
        assert_eq!(WorkingCopy::of_status(clean), expected);
        let changed = "# branch.oid (initial)\n# branch.head (detached)\n1 .M N... 100644 100644 100644 1 1 a\n";
        assert_eq!(
            WorkingCopy::of_status(changed),
            WorkingCopy {
                commit: None,
                branch: None,
                dirty: true,
                subject: None
            }
        );
    }
}
