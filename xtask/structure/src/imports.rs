//! Finds the imports between modules, and the cycles among them.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Item, UseTree, Visibility};

use crate::source::{Module, Place, below, modules};

/// An import of one module from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The importing module.
    pub from: Place,
    /// The module that defines the imported item.
    pub to: Place,
}

/// The imports between a crate's modules. A re-exported item (`pub use`) counts as imported from the module that defines it.
pub fn imports(crate_folder: &str) -> BTreeSet<Import> {
    let modules = modules(crate_folder);
    let tree = Tree::new(&modules);
    let mut found = BTreeSet::new();
    for module in &modules {
        let mut paths = Vec::new();
        for item in &module.items {
            match item {
                // Re-exports are the purpose of a parent module, so they are not imports.
                Item::Use(it) if !matches!(it.vis, Visibility::Inherited) => {}
                Item::Mod(it) if it.content.is_none() => {}
                _ => collect_paths(item.to_token_stream(), &mut paths),
            }
        }
        for path in paths {
            if let Some(to) = tree.resolve(&module.place, &path)
                && to != module.place
            {
                let from = module.place.clone();
                found.insert(Import { from, to });
            }
        }
    }
    found
}

/// The modules of a crate, and their re-exports.
struct Tree {
    places: BTreeSet<Place>,
    passed_on: BTreeMap<(Place, String), Vec<String>>,
}

impl Tree {
    fn new(modules: &[Module]) -> Self {
        let mut tree = Self {
            places: modules
                .iter()
                .flat_map(|module| (0..=module.place.len()).map(|end| module.place[..end].to_vec()))
                .collect(),
            passed_on: BTreeMap::new(),
        };
        for module in modules {
            for item in &module.items {
                if let Item::Use(it) = item
                    && !matches!(it.vis, Visibility::Inherited)
                {
                    tree.pass_on(&module.place, &it.tree, &mut Vec::new());
                }
            }
        }
        tree
    }

    fn pass_on(&mut self, place: &Place, tree: &UseTree, path: &mut Vec<String>) {
        match tree {
            UseTree::Path(it) => {
                path.push(it.ident.to_string());
                self.pass_on(place, &it.tree, path);
                path.pop();
            }
            UseTree::Group(it) => it
                .items
                .iter()
                .for_each(|tree| self.pass_on(place, tree, path)),
            UseTree::Name(it) => self.pass_one_on(place, &it.ident, &it.ident, path),
            UseTree::Rename(it) => self.pass_one_on(place, &it.rename, &it.ident, path),
            UseTree::Glob(_) => {}
        }
    }

    fn pass_one_on(
        &mut self,
        place: &Place,
        name: &syn::Ident,
        original: &syn::Ident,
        path: &[String],
    ) {
        let path = path
            .iter()
            .cloned()
            .chain([original.to_string()])
            .collect::<Vec<_>>();
        self.passed_on
            .insert((place.clone(), name.to_string()), path);
    }

    /// The module that defines the item of a path, if it is in this crate.
    fn resolve(&self, place: &Place, path: &[String]) -> Option<Place> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (place.clone(), &path[1..]),
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                (
                    place[..place.len().checked_sub(ups)?].to_vec(),
                    &path[ups..],
                )
            }
            child if self.places.contains(&below(place, child)) => (place.clone(), path),
            _ => return None,
        };
        while let Some((name, behind)) = rest.split_first() {
            let child = below(&at, name);
            if self.places.contains(&child) {
                (at, rest) = (child, behind);
            } else if let Some(original) = self.passed_on.get(&(at.clone(), name.clone())) {
                return self.resolve(&at, original).or(Some(at));
            } else {
                break;
            }
        }
        Some(at)
    }
}

/// Collects the paths in some code, including macros: names joined by `::`, and the braces of a `use`.
fn collect_paths(tokens: TokenStream, found: &mut Vec<Vec<String>>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => collect_paths(group.stream(), found),
            TokenTree::Ident(_) => {
                at = collect_path(&tokens, at, &mut Vec::new(), found);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Collects the path that begins at a name; returns the position after it.
fn collect_path(
    tokens: &[TokenTree],
    mut at: usize,
    path: &mut Vec<String>,
    found: &mut Vec<Vec<String>>,
) -> usize {
    let outer = path.len();
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(name)) => path.push(name.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                let mut place = 0;
                while place < inner.len() {
                    place = match inner[place] {
                        TokenTree::Ident(_) => collect_path(&inner, place, path, found),
                        _ => place + 1,
                    };
                }
                path.truncate(outer);
                return at + 1;
            }
            _ => break,
        }
        at += 1;
        let is_joined = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == ':');
        if !is_joined(tokens.get(at)) || !is_joined(tokens.get(at + 1)) {
            break;
        }
        at += 2;
    }
    if path.len() > outer {
        found.push(path.clone());
    }
    path.truncate(outer);
    at
}

/// A graph of imports between modules.
#[derive(Debug, Default)]
pub struct Graph(BTreeMap<String, BTreeSet<String>>);

impl Graph {
    /// The imports between the direct children of a folder; each child includes everything below it.
    pub fn of_folder(imports: &BTreeSet<Import>, folder: &[String]) -> Self {
        let child = |place: &Place| Some(place.strip_prefix(folder)?.first()?.clone());
        let mut graph = Self::default();
        for import in imports {
            if let (Some(from), Some(to)) = (child(&import.from), child(&import.to))
                && from != to
            {
                graph.0.entry(from).or_default().insert(to);
            }
        }
        graph
    }

    /// The cycles: groups of modules that reach each other.
    pub fn circles(&self) -> Vec<Vec<String>> {
        let mut circles: Vec<Vec<String>> = Vec::new();
        for start in self.0.keys() {
            let reached = self.reached_from(start);
            if reached.contains(start) && !circles.iter().any(|circle| circle.contains(start)) {
                let circle = reached
                    .iter()
                    .filter(|other| self.reached_from(other).contains(start));
                circles.push(circle.cloned().collect());
            }
        }
        circles
    }

    fn reached_from(&self, start: &str) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut open = vec![start];
        while let Some(module) = open.pop() {
            for next in self.0.get(module).into_iter().flatten() {
                if reached.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        reached
    }
}
