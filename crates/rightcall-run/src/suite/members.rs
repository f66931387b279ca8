//! The members of a suite, overridden by a profile's members.

use rightcall_formats::yaml::YamlNode;

use super::fault::{Checked, SuiteError};
use crate::names::did_you_mean;

/// The members of a suite; the profile's members take precedence.
pub(super) struct SuiteMembers<'n> {
    root: &'n YamlNode,
    profile: Option<(&'n str, &'n YamlNode)>,
}

impl<'n> SuiteMembers<'n> {
    pub(super) fn new(root: &'n YamlNode, profile: Option<&str>) -> Checked<Self> {
        let profile = profile.map(|wanted| profile_of(root, wanted)).transpose()?;
        Ok(Self { root, profile })
    }

    pub(super) fn get(&self, name: &str) -> Option<&'n YamlNode> {
        self.profile
            .and_then(|(_, profile)| profile.member(name))
            .or_else(|| self.root.member(name))
    }

    pub(super) fn text(&self, name: &str) -> Option<&'n str> {
        self.get(name)?.text()
    }

    /// Parses a member; an error gets the member's location.
    pub(super) fn read<T>(
        &self,
        name: &str,
        read: impl FnOnce(&'n YamlNode) -> Checked<T>,
    ) -> Checked<Option<T>> {
        let found = self.get(name).map(read).transpose();
        found.map_err(|fault| self.under(name, fault))
    }

    /// The line of a member, or the first line of the suite if it is missing.
    pub(super) fn line(&self, name: &str) -> u64 {
        self.get(name).unwrap_or(self.root).line
    }

    /// The error for a missing member.
    pub(super) fn missing(&self, name: &str, help: &str) -> SuiteError {
        SuiteError::at(self.root.line, format!("`{name}` is missing")).help(help)
    }

    /// The error, located in this member.
    pub(super) fn under(&self, name: &str, fault: SuiteError) -> SuiteError {
        match self.profile {
            Some((profile, node)) if node.member(name).is_some() => {
                fault.under(name).under(profile).under("profiles")
            }
            _ => fault.under(name),
        }
    }
}

fn profile_of<'n>(root: &'n YamlNode, wanted: &str) -> Checked<(&'n str, &'n YamlNode)> {
    let message = format!("the suite has no profile `{wanted}`");
    let Some(profiles) = root.member("profiles") else {
        return Err(SuiteError::at(root.line, message).help("write it under `profiles:`"));
    };
    let all = profiles.members();
    if let Some((key, profile)) = all.iter().find(|(key, _)| key.name == wanted) {
        return Ok((&key.name, profile));
    }
    let names: Vec<_> = all.iter().map(|(key, _)| key.name.as_str()).collect();
    let near = did_you_mean(wanted, names.iter().copied());
    Err(SuiteError::at(profiles.line, message + &near)
        .help(format!("profiles: {}", names.join(", ")))
        .under("profiles"))
}
