//! Names of other people's libraries are read as llvm-cxxfilt reads them.

use super::CXXFILT;
use kernel_args_image::mangled::{Demangled, demangle};
use kernel_args_test_generator::tools;
use std::{
    collections::BTreeSet,
    env, fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    thread,
};

/// Symbols of functions in the strings of a file. `_ZTV`, `_ZGV` and the like are no functions.
fn symbols_of(file: &Path, found: &mut BTreeSet<String>) {
    let bytes = fs::read(file).unwrap();
    let words = bytes.split(|byte| matches!(byte, 0 | b'\n'));
    let words = words.filter_map(|word| str::from_utf8(word).ok());
    let is_function = |word: &&str| {
        let in_symbol = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
        word.starts_with("_Z") && !word[2..].starts_with(['T', 'G']) && word.chars().all(in_symbol)
    };
    found.extend(words.filter(is_function).map(String::from));
}

/// What a demangler writes for each symbol, a line each.
fn filtered(symbols: &[&str]) -> Vec<String> {
    let mut command = tools::command(CXXFILT);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut run = command.spawn().unwrap();
    let mut stdin = run.stdin.take().unwrap();
    let lines = symbols.join("\n") + "\n";
    let writer = thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
    let output = run.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(String::from).collect()
}

/// The parts of a list between its outermost commas.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_comma = |c| {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    };
    let parts = list.split(is_comma).map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

/// A type as this crate writes it, without what it drops.
fn plain(ty: &str) -> String {
    let (base, around) = ty.split_at(ty.rfind('>').unwrap_or(0));
    let around = around.replace(" volatile", "").replace(" restrict", "");
    let around = around.strip_suffix(" const").unwrap_or(&around);
    format!("{base}{}", around.replace("&&", "*").replace('&', "*"))
}

/// Checks the types of the parameters that a text spells without brackets: how many.
fn compare_types(symbol: &str, text: &str) -> usize {
    const UNLIKE: [&str; 6] = ["operator", "decltype", "->", "char16_t", "char32_t", "..."];
    let list = text.split_once('(').and_then(|(_, list)| list.strip_suffix(')'));
    let (Some(demangled), Some(list)) = (Demangled::new(symbol), list) else {
        return 0;
    };
    if list.contains('(') || UNLIKE.iter().any(|part| list.contains(part)) {
        return 0;
    }
    let read = demangled.parameters().unwrap_or_else(|| panic!("{symbol}: {text}"));
    let spelled = split(list);
    assert_eq!(read.len(), spelled.len(), "{symbol}: {text}");
    for (read, spelled) in read.iter().map(ToString::to_string).zip(&spelled) {
        // Inline namespaces are left out.
        let is_known = !read.contains('?') && !spelled.contains("::_") && !spelled.contains("_NS::");
        assert!(!is_known || read == plain(spelled), "{symbol}: {read} is {spelled}");
    }
    read.len()
}

/// The symbols of the Rust toolchain's LLVM, or those in the file that `$FOREIGN_SYMBOLS` names,
/// a library or a list.
pub(super) fn foreign_symbols_are_read_as_by_llvm_cxxfilt() {
    let mut symbols = BTreeSet::new();
    let given = env::var_os("FOREIGN_SYMBOLS");
    if let Some(file) = &given {
        symbols_of(Path::new(file), &mut symbols);
    } else {
        let sysroot =
            Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).args(["--print", "sysroot"]).output();
        let sysroot = String::from_utf8(sysroot.unwrap().stdout).unwrap();
        for entry in fs::read_dir(Path::new(sysroot.trim()).join("lib")).unwrap() {
            let path = entry.unwrap().path();
            if path.to_string_lossy().contains("LLVM") && !path.is_symlink() {
                symbols_of(&path, &mut symbols);
            }
        }
    }
    let part = if given.is_some() { 1 } else { 6 };
    let symbols: Vec<&str> = symbols.iter().step_by(part).map(String::as_str).collect();
    let (mut compared, mut types, mut scoped) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (&symbol, expected) in symbols.iter().zip(filtered(&symbols)) {
        // Neither does llvm-cxxfilt read it, or its text is too long for this crate.
        if symbol == expected || expected.len() > 16 << 10 {
            continue;
        }
        compared += 1;
        match demangle(symbol) {
            Some(text) if text == expected => types += compare_types(symbol, &text),
            // llvm-cxxfilt takes `T_` for the inner template's where both have one: see `repeated` of the parser.
            Some(_) if symbol[2..].contains('Z') && symbol.contains('T') => scoped += 1,
            text => wrong.push(format!("{symbol}\n  {text:?}\n  {expected}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    assert!(scoped * 20 < compared, "{scoped} of {compared}");
    assert!(given.is_some() || compared > 20_000 && types > 10_000);
    println!("{compared} symbols and {types} types compared, {scoped} with an inner template");
}
