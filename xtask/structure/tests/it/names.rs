//! No two types with different meanings have the same name, so that knowledge of one crate carries over to the next.

use std::collections::{BTreeMap, BTreeSet};

use rightcall_structure::{crate_folders, type_names};

/// Names that every crate may use.
const EVERYONES: [&str; 1] = ["Error"];

/// Crates that take names from other packages, or repeat the core's names on purpose.
const LEFT_OUT: [&str; 1] = ["crates/rightcall-reference"];

/// Types that exist twice with the same meaning: one replaces the other if a feature is disabled.
const STAND_INS: [&str; 2] = ["FetchArguments", "Rows"];

#[test]
fn no_two_types_share_a_name() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let folders = crate_folders();
    for folder in folders
        .iter()
        // The other crates are programs and bindings, which are read on their own.
        .filter(|folder| folder.starts_with("crates/") && !LEFT_OUT.contains(&folder.as_str()))
    {
        for found in type_names(folder) {
            places.entry(found.name).or_default().push(found.place);
        }
    }
    places.retain(|name, places| places.len() > 1 && !EVERYONES.contains(&name.as_str()));
    let doubles: BTreeSet<&str> = places.keys().map(String::as_str).collect();
    let still = BTreeSet::from(STAND_INS);
    let new: Vec<_> = doubles
        .difference(&still)
        .map(|name| format!("{name}: {}", places[*name].join(", ")))
        .collect();
    assert!(
        new.is_empty(),
        "these names stand more than once:\n{}",
        new.join("\n")
    );
}
