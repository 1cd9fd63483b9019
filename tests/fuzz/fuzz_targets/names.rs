//! Names of files, kernels and parameters with any characters: the generated Rust has the expected items and no other
//! tokens, and the code of the C++ header does not depend on them.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_abi::{Class, CppBase, CppType, Layout, Members, Parameter};
use kernel_args_image::{
    generate::{Kernel, Naming, Options, rust},
    header::{Header, Item},
};
use libfuzzer_sys::fuzz_target;
use proc_macro2::{TokenStream, TokenTree};

/// The number of `pub struct` and `pub enum` at the top level, and of other `pub` items.
fn declared(text: &str) -> (usize, usize) {
    let tokens: TokenStream = text.parse().expect(text);
    let words: Vec<String> = tokens
        .into_iter()
        .filter_map(|token| match token {
            TokenTree::Ident(word) => Some(word.to_string()),
            _ => None,
        })
        .collect();
    let items = || words.windows(2).filter(|words| words[0] == "pub");
    let types = items().filter(|words| words[1] == "struct" || words[1] == "enum");
    let types = types.count();
    (types, items().count() - types)
}

fn header(name: &str, parameters: &[Parameter<'_>]) -> String {
    let items = [Item::kernel(name, &[]), Item::kernel("k", parameters)];
    let header = Header::new().items(&items).leave_out_kernels();
    header.write().expect("other kernels are left out")
}

fn code(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.starts_with("//"));
    lines.collect()
}

fuzz_target!(|names: [&str; 4]| {
    let [source, symbol, name, ty] = names;
    let layout = Layout::of::<f32>();
    let member = Parameter::field(name, "", 0, layout, Class::Float, CppType::of(CppBase::Float { bits: 32 }));
    let members = [member];
    let params =
        Parameter::field(name, "", 0, layout, Class::Bytes, CppType::named(ty)).with_members(Members::of(&members));
    let mut options = Options::default();
    options.source = source;
    options.naming = Naming::Items("");
    let list = [params];
    let kernel =
        Kernel { symbol, demangled: None, parameters: vec![params], debug_info: Members::of(&list), varies: false };
    let text = rust(&[kernel], &[], &options);
    let (types, others) = declared(&text);
    assert!((1..=2).contains(&types) && others == 0, "{text}");
    let odd = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(odd), "{text:?}");

    // A valid name is declared, so only names that are not identifiers are compared.
    let is_word = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':');
    if is_word(symbol) || symbol.starts_with("_Z") || is_word(name) {
        return;
    }
    let text = header(symbol, &[params]);
    let plain = header("?", &[Parameter { name: "?", ..params }]);
    assert_eq!(code(&text), code(&plain), "{text}");
    assert!(!text.contains(odd), "{text:?}");
    assert!(text.lines().all(|line| !line.trim_end().ends_with(['\\'])), "{text}");
});

#[cfg(not(fuzzing))]
fn main() {}
