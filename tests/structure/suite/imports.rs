//! Imports between the modules of a crate: folders import downwards only, and modules of a folder do not import each
//! other in a circle.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::{
    collections::{BTreeMap, BTreeSet},
    iter::Peekable,
};

/// A module's path from the root of its crate: `["driver", "api"]`.
pub(super) type Module = Vec<String>;

/// Which modules each module imports from.
pub(super) type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// The imports between the files of a crate, from the files' paths in `src` and their texts.
pub(super) fn imports(files: &[(String, String)]) -> Imports {
    let modules: BTreeSet<Module> = files.iter().map(|(path, _)| module(path)).collect();
    let mut imports = Imports::new();
    for (path, text) in files {
        let own = module(path);
        // The files of unit tests.
        if own.iter().any(|name| name == "tests") {
            continue;
        }
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut named = Vec::new();
        paths_in(tokens, &own, &mut named);
        let of = named.iter().filter_map(|path| {
            let mut to = path.clone();
            while !modules.contains(&to) {
                to.pop()?;
            }
            Some(to).filter(|to| *to != own)
        });
        imports.entry(own.clone()).or_default().extend(of.collect::<Vec<_>>());
    }
    imports
}

/// The module of a file in `src`.
fn module(path: &str) -> Module {
    let mut module: Module = path.trim_end_matches(".rs").split('/').map(String::from).collect();
    if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

/// The absolute paths in the code of the module `own`. Unit tests may use any path.
fn paths_in(tokens: TokenStream, own: &[String], named: &mut Vec<Module>) {
    let mut tokens = tokens.into_iter().peekable();
    let (mut before, mut of_tests) = (None, false);
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Group(group) => {
                of_tests |= is('#', before.as_ref()) && group.to_string() == "[cfg (test)]";
                paths_in(group.stream(), own, named);
            }
            TokenTree::Ident(word) if word == "mod" => {
                let Some(TokenTree::Ident(name)) = tokens.next() else {
                    continue;
                };
                if let Some(TokenTree::Group(body)) = tokens.peek().cloned() {
                    tokens.next();
                    if !of_tests {
                        paths_in(body.stream(), &[own, &[name.to_string()]].concat(), named);
                    }
                }
                of_tests = false;
            }
            TokenTree::Ident(word) if word == "crate" || word == "super" || word == "self" => {
                let outside = is('$', before.as_ref()) || is(':', before.as_ref());
                let base = if word == "crate" { &[][..] } else { own };
                let base = if word == "super" { &base[..base.len().saturating_sub(1)] } else { base };
                if !outside && is_path(&mut tokens) {
                    path(&mut tokens, base.to_vec(), named);
                }
            }
            _ => {}
        }
        before = Some(token);
    }
}

fn is(character: char, token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

/// Whether `::` follows. Consumes it.
fn is_path(tokens: &mut Peekable<impl Iterator<Item = TokenTree>>) -> bool {
    is(':', tokens.peek()) && {
        tokens.next();
        is(':', tokens.next().as_ref())
    }
}

/// The rest of a path or of a use tree, after `::`.
fn path(tokens: &mut Peekable<impl Iterator<Item = TokenTree>>, mut so_far: Module, named: &mut Vec<Module>) {
    match tokens.next() {
        Some(TokenTree::Ident(word)) if word == "super" => {
            so_far.pop();
        }
        Some(TokenTree::Ident(word)) => so_far.push(word.to_string()),
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let mut inside = group.stream().into_iter().peekable();
            while inside.peek().is_some() {
                path(&mut inside, so_far.clone(), named);
                while inside.peek().is_some_and(|token| !is(',', Some(token))) {
                    inside.next();
                }
                inside.next();
            }
            return;
        }
        _ => {}
    }
    if is(':', tokens.peek()) && is_path(tokens) {
        path(tokens, so_far, named);
    } else {
        named.push(so_far);
    }
}

/// Folders and files of one folder that import each other in a circle: one line per circle. `name` is the crate.
pub(super) fn circles(name: &str, imports: &Imports) -> Vec<String> {
    let mut folders: BTreeMap<Module, Imports> = BTreeMap::new();
    for (from, to) in imports {
        for to in to {
            let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            // A folder's own `mod.rs` is not a sibling of the other files.
            if let (Some(a), Some(b)) = (from.get(common), to.get(common)) {
                let folder = folders.entry(from[..common].to_vec()).or_default();
                folder.entry(vec![a.clone()]).or_default().insert(vec![b.clone()]);
            }
        }
    }
    let named = |folder: &Module, circle: Vec<Module>| {
        let entries: Vec<String> = circle.concat();
        format!("{name}/src/{}: {} import each other in a circle", folder.join("/"), entries.join(", "))
    };
    let circles = folders
        .iter()
        .flat_map(|(folder, imports)| groups(imports).into_iter().map(move |circle| named(folder, circle)));
    circles.collect()
}

/// The groups of modules that import each other in a circle.
fn groups(imports: &Imports) -> Vec<Vec<Module>> {
    let reached = |from: &Module| {
        let mut reached = BTreeSet::new();
        let mut ahead = vec![from];
        while let Some(next) = ahead.pop() {
            for to in imports.get(next).into_iter().flatten() {
                if reached.insert(to.clone()) {
                    ahead.push(to);
                }
            }
        }
        reached
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = imports.keys().map(|module| (module, reached(module))).collect();
    let mut circles: Vec<Vec<Module>> = Vec::new();
    for (module, all) in &reached {
        let known = circles.iter().any(|circle| circle.contains(module));
        if !known && all.contains(*module) {
            let back = |other: &&Module| reached.get(*other).is_some_and(|all| all.contains(*module));
            circles.push(all.iter().filter(back).cloned().collect());
        }
    }
    circles
}

#[cfg(test)]
mod tests {
    use super::{circles, imports};

    fn files<const N: usize>(files: [(&str, &str); N]) -> Vec<(String, String)> {
        files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec()
    }

    #[test]
    fn imports_are_found_wherever_they_are_written() {
        let imports = imports(&files([
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a/mod.rs", "mod deep; pub struct A;"),
            ("a/deep.rs", "use super::{super::b::{self, B}, A}; // crate::c"),
            ("b.rs", "fn f() { crate::a::deep::g() } #[cfg(test)] mod tests { use crate::c::C; }"),
            ("b/tests.rs", "use crate::c::C;"),
            ("c.rs", "macro_rules! m { () => { $crate::a::A } } mod inline { use super::super::b; }"),
        ]));
        let of = |module: &[&str]| -> Vec<String> {
            let module: Vec<String> = module.iter().map(|name| String::from(*name)).collect();
            imports[&module].iter().map(|to| to.join("::")).collect()
        };
        assert_eq!(of(&["a", "deep"]), ["a", "b"]);
        assert_eq!(of(&["b"]), ["a::deep"]);
        assert_eq!(of(&["c"]), ["b"]);
        assert!(!imports.contains_key(["b", "tests"].map(String::from).as_slice()));
    }

    #[test]
    fn circles_in_a_folder_are_reported() {
        let imports = imports(&files([
            ("lib.rs", ""),
            ("a/mod.rs", ""),
            ("a/one.rs", "use crate::b::two::B;"),
            ("a/other.rs", ""),
            ("b/mod.rs", ""),
            ("b/two.rs", ""),
            ("b/back.rs", "use crate::a::other;"),
            ("c.rs", "use crate::d::D;"),
            ("d.rs", "use crate::c::C;"),
        ]));
        assert_eq!(
            circles("krate", &imports),
            ["krate/src/: a, b import each other in a circle", "krate/src/: c, d import each other in a circle"]
        );
    }
}
