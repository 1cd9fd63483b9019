//! Modified headers: an assertion must fail.

use crate::headers::{
    compilers::Gxx,
    random::{self, Written},
};
use kernel_args_test_generator::{Rng, size};

/// Types with a similar spelling and a different size.
const RESIZED: [(&str, &str); 10] = [
    ("unsigned char ", "unsigned short "),
    ("signed char ", "int "),
    ("unsigned short ", "unsigned char "),
    ("unsigned long long ", "unsigned int "),
    ("long long ", "short "),
    ("unsigned int ", "unsigned long long "),
    ("float ", "double "),
    ("double ", "float "),
    ("bool ", "int "),
    ("int ", "long long "),
];

/// The lines of members, by struct.
fn members(lines: &[&str]) -> Vec<Vec<usize>> {
    let mut structs = Vec::new();
    let mut inside = false;
    for (i, line) in lines.iter().enumerate() {
        if line.starts_with("struct ") && line.ends_with('{') && !line.contains("CUtensorMap_st") {
            inside = true;
            structs.push(Vec::new());
        } else if *line == "};" {
            inside = false;
        } else if inside
            && line.ends_with(';')
            && let Some(members) = structs.last_mut()
        {
            members.push(i);
        }
    }
    structs
}

/// A header with one change: the description and the text.
fn changes(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut changes = Vec::new();
    let mut change = |what: String, edit: &dyn Fn(&mut Vec<String>)| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        edit(&mut lines);
        changes.push((what, lines.join("\n")));
    };
    for members in members(&lines) {
        for pair in members.windows(2) {
            let what = format!("exchanged: {} {}", lines[pair[0]].trim(), lines[pair[1]].trim());
            change(what, &|lines| lines.swap(pair[0], pair[1]));
        }
        for member in members {
            let line = lines[member].trim();
            // A different pointee type does not change the layout, and a header asserts only the layout of a member:
            // only the declaration contains the type. (The pointees of a kernel's parameters are compared at the
            // definition of the kernel, and members with debug information.) The mutant therefore replaces the pointer
            // by a value.
            if let Some((_, name)) = line.rsplit_once('*') {
                change(format!("not a pointer: {line}"), &|lines| {
                    lines[member] = format!("    unsigned char {name}");
                });
                continue;
            }
            let resized = RESIZED.iter().find(|(from, _)| line.starts_with(from));
            if let Some((from, to)) = resized {
                change(format!("{from}-> {to}: {line}"), &|lines| {
                    lines[member] = lines[member].replacen(from, to, 1);
                });
            }
        }
    }
    for (i, line) in lines.iter().enumerate() {
        if line.starts_with("enum class ") && line.ends_with('{') {
            let to = if line.contains("char") { "int" } else { "char" };
            let begin = line.split(" : ").next().unwrap_or(line);
            change(format!("resized: {line}"), &|lines| {
                lines[i] = format!("{begin} : unsigned {to} {{");
            });
        }
        // The assertion for a tensor map is for NVRTC only.
        let is_own = !line.contains("CUtensorMap_st");
        if is_own && line.starts_with("struct alignas(") && line.ends_with('{') {
            let name = line.split(") ").nth(1).unwrap_or(line);
            change(format!("not aligned: {line}"), &|lines| {
                lines[i] = format!("struct {name}");
            });
        }
    }
    changes
}

/// The kind of a change from its description. The last kind is members with a different size.
fn kind(what: &str) -> usize {
    let kinds = ["exchanged", "resized", "not aligned", "not a pointer"];
    let kind = kinds.iter().position(|kind| what.starts_with(kind));
    kind.unwrap_or(kinds.len())
}

/// Compiles as many modified headers of each kind as the size of the run permits.
pub(crate) fn check(gxx: &Gxx) -> Result<String, String> {
    let most = size::choose(12, 400);
    let mut kinds = [const { Vec::new() }; 5];
    for Written { name, text, .. } in random::all() {
        // With a tensor map of CUDA 12 an assertion fails even without a change.
        if !text.contains("alignas(64) CUtensorMap_st") {
            for (what, text) in changes(&text) {
                kinds[kind(&what)].push((name.clone(), what, text));
            }
        }
    }
    let count: usize = kinds.iter().map(Vec::len).sum();
    if kinds.iter().any(Vec::is_empty) {
        let counts = kinds.each_ref().map(Vec::len);
        return Err(format!("of each kind there should be some: {counts:?}"));
    }
    let mut rng = Rng::new(3, 0);
    for changes in &mut kinds {
        while changes.len() > most {
            changes.swap_remove(rng.below(changes.len()));
        }
    }
    for (name, what, text) in kinds.iter().flatten() {
        match gxx.compile("changed", text) {
            Ok(()) => return Err(format!("{name}: it compiles, {what}\n{text}")),
            // The values of a smaller enum do not fit either.
            Err(message) if !message.contains("static assertion failed") && !what.starts_with("resized") => {
                return Err(format!("{name}: {what}: {message}\n{text}"));
            }
            Err(_) => {}
        }
    }
    let compiled: usize = kinds.iter().map(Vec::len).sum();
    Ok(format!("{compiled} of {count} changed headers, 0 compile"))
}
