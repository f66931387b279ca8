//! Parses the modules of a crate, without tests.

use std::fs;
use std::path::{Path, PathBuf};

use quote::ToTokens as _;
use syn::{Attribute, Item, Meta, Visibility};

/// The path of a module in its crate: `["value", "text"]`; empty for the root.
pub type Place = Vec<String>;

/// A file of a crate.
pub struct Module {
    /// Its path in the crate.
    pub place: Place,
    /// Its items, without tests.
    pub items: Vec<Item>,
}

impl Module {
    /// The modules below it that are only for tests.
    fn tests(&self) -> impl Iterator<Item = Place> {
        self.items.iter().filter_map(|item| match item {
            Item::Mod(it) if is_test(item) => Some(below(&self.place, &it.ident.to_string())),
            _ => None,
        })
    }
}

/// The path of a submodule.
pub(crate) fn below(place: &Place, name: &str) -> Place {
    place.iter().cloned().chain([name.to_owned()]).collect()
}

/// A type that is visible outside its module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypeName {
    /// Its name.
    pub name: String,
    /// The crate and module that define it: `rightcall_core::call`.
    pub place: String,
}

/// The crates outside the folder `crates`.
const OTHERS: [&str; 7] = [
    "bindings/node",
    "bindings/python",
    "bindings/wasm",
    "xtask",
    "xtask/alignments",
    "xtask/bench",
    "xtask/structure",
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folders of all crates, relative to the workspace. Those under `crates` come first, sorted.
///
/// # Panics
/// The folder cannot be listed.
pub fn crate_folders() -> Vec<String> {
    let entries = fs::read_dir(workspace().join("crates")).expect("the workspace has crates");
    let mut folders: Vec<_> = entries
        .map(|entry| entry.expect("it can be listed").file_name())
        .filter_map(|name| Some(format!("crates/{}", name.to_str()?)))
        .collect();
    folders.sort();
    folders.extend(OTHERS.map(str::to_owned));
    folders
}

/// The modules of the crate in a folder, the root first.
///
/// # Panics
/// A file cannot be read or parsed.
pub fn modules(crate_folder: &str) -> Vec<Module> {
    let source = workspace().join(crate_folder).join("src");
    let mut found = Vec::new();
    read_folder(&source, &Vec::new(), &mut found);
    let tests: Vec<Place> = found.iter().flat_map(Module::tests).collect();
    found.retain(|module| !tests.iter().any(|test| module.place.starts_with(test)));
    for module in &mut found {
        module.items.retain(|item| !is_test(item));
    }
    found.sort_by(|a, b| a.place.cmp(&b.place));
    found
}

fn read_folder(folder: &Path, place: &Place, found: &mut Vec<Module>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    for entry in entries {
        let path = entry.expect("it can be listed").path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            read_folder(&path, &below(place, &stem), found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(Module {
                place: match &*stem {
                    "lib" | "main" | "mod" => place.clone(),
                    name => below(place, name),
                },
                items: read_file(&path),
            });
        }
    }
}

fn read_file(path: &Path) -> Vec<Item> {
    let shown = path.display();
    let text = fs::read_to_string(path).unwrap_or_else(|why| panic!("{shown}: {why}"));
    let file = syn::parse_file(&text).unwrap_or_else(|why| panic!("{shown}: {why}"));
    file.items
}

fn is_test(item: &Item) -> bool {
    let attributes: &[Attribute] = match item {
        Item::Const(it) => &it.attrs,
        Item::Enum(it) => &it.attrs,
        Item::Fn(it) => &it.attrs,
        Item::Impl(it) => &it.attrs,
        Item::Macro(it) => &it.attrs,
        Item::Mod(it) => &it.attrs,
        Item::Static(it) => &it.attrs,
        Item::Struct(it) => &it.attrs,
        Item::Trait(it) => &it.attrs,
        Item::Type(it) => &it.attrs,
        Item::Use(it) => &it.attrs,
        _ => &[],
    };
    attributes.iter().any(|attribute| {
        matches!(&attribute.meta, Meta::List(list) if list.path.is_ident("cfg"))
            && attribute.to_token_stream().to_string().contains("test")
    })
}

/// The types of a crate that are visible outside their modules: structs, enums and traits, but no aliases.
pub fn type_names(crate_folder: &str) -> Vec<TypeName> {
    let mut found = Vec::new();
    let crate_name = crate_folder.trim_start_matches("crates/");
    for module in modules(crate_folder) {
        let place = [crate_name.to_owned()]
            .into_iter()
            .chain(module.place)
            .collect::<Vec<_>>()
            .join("::");
        for item in module.items {
            let (name, visibility) = match &item {
                Item::Struct(it) => (&it.ident, &it.vis),
                Item::Enum(it) => (&it.ident, &it.vis),
                Item::Trait(it) => (&it.ident, &it.vis),
                _ => continue,
            };
            if is_seen_outside(visibility) {
                found.push(TypeName {
                    name: name.to_string(),
                    place: place.clone(),
                });
            }
        }
    }
    found.sort();
    found
}

fn is_seen_outside(visibility: &Visibility) -> bool {
    match visibility {
        Visibility::Public(_) => true,
        Visibility::Restricted(restricted) => restricted.path.is_ident("crate"),
        Visibility::Inherited => false,
    }
}
