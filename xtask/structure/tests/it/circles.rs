//! No modules import each other in a cycle, so each can be read, tested and moved alone.

use std::collections::BTreeSet;

use rightcall_structure::{Graph, Import, Place, crate_folders, imports};

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let mut told = Vec::new();
    for folder in crate_folders() {
        let imports = imports(&folder);
        let circles = circles(&imports);
        let shown = circles
            .iter()
            .map(|(folder, circle)| show(&imports, folder, circle));
        told.extend(shown.map(|circle| format!("{folder}\n{circle}")));
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}

/// The cycles among the modules of each folder; the crate's root comes first.
fn circles(imports: &BTreeSet<Import>) -> Vec<(Place, Vec<String>)> {
    let folders: BTreeSet<Place> = imports
        .iter()
        .flat_map(|import| [&import.from, &import.to])
        .flat_map(|place| (0..place.len()).map(|end| place[..end].to_vec()))
        .collect();
    folders
        .into_iter()
        .flat_map(|folder| {
            let circles = Graph::of_folder(imports, &folder).circles();
            circles
                .into_iter()
                .map(move |circle| (folder.clone(), circle))
        })
        .collect()
}

/// A cycle, with the files that cause it.
fn show(imports: &BTreeSet<Import>, folder: &Place, circle: &[String]) -> String {
    let inside = |place: &Place| {
        let child = place.strip_prefix(folder.as_slice()).and_then(<[_]>::first);
        child.filter(|child| circle.contains(child)).cloned()
    };
    let ties: Vec<_> = imports
        .iter()
        .filter(|import| {
            let (from, to) = (inside(&import.from), inside(&import.to));
            from.is_some() && to.is_some() && from != to
        })
        .map(|import| format!("    {} -> {}", import.from.join("::"), import.to.join("::")))
        .collect();
    format!(
        "  {}: {}\n{}",
        folder.join("::"),
        circle.join(", "),
        ties.join("\n")
    )
}
