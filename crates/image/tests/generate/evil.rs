//! Names that contain the syntax of Rust, C++ and Markdown: the generated text has the expected items, whatever the
//! names contain.
//!
//! `tests/fuzz` runs [`check`] too.

#[path = "../image/dwarf_writer.rs"]
mod dwarf_writer;

use dwarf_writer::{Sections, dw};
use kernel_args_abi::{Class, CppBase, CppType, Layout, Members, Parameter};
use kernel_args_image::{
    Image, Launchers,
    generate::{self, Kernel, Naming, Options},
    header::{Header, Item},
};
use syn::{ForeignItem, ImplItem, Item as RustItem, Meta};

/// The names of a function, a parameter, a struct, a member, an enum and an enumerator.
pub(crate) type Names<'n> = [&'n str; 6];

/// The debug information of a function with these names, which takes a struct, an enum and a pointer to the struct.
fn described([function, parameter, structure, member, enumeration, enumerator]: Names<'_>) -> Sections {
    use dw::*;
    let mut sections = Sections::default();
    let name = (AT_NAME, STRING);
    sections.abbreviate(1, COMPILE_UNIT, true, &[]);
    sections.abbreviate(2, BASE, false, &[name, (AT_BYTE_SIZE, DATA1), (AT_ENCODING, DATA1)]);
    sections.abbreviate(3, STRUCTURE, true, &[name, (AT_BYTE_SIZE, DATA1)]);
    sections.abbreviate(4, MEMBER, false, &[name, (AT_TYPE, REF4), (AT_DATA_MEMBER_LOCATION, DATA1)]);
    sections.abbreviate(5, ENUMERATION, true, &[name, (AT_BYTE_SIZE, DATA1), (AT_TYPE, REF4)]);
    sections.abbreviate(6, ENUMERATOR, false, &[name, (AT_CONST_VALUE, DATA1)]);
    sections.abbreviate(7, SUBPROGRAM, true, &[name, (AT_EXTERNAL, FLAG_PRESENT), (AT_TYPE, REF4)]);
    sections.abbreviate(8, FORMAL_PARAMETER, false, &[name, (AT_TYPE, REF4)]);
    sections.abbreviate(9, POINTER, false, &[(AT_TYPE, REF4), (AT_BYTE_SIZE, DATA1)]);
    sections.end_table();
    let mut entries = vec![1];
    let mut entry = |code: u8, name: Option<&str>, rest: &[u8]| {
        let at = u32::try_from(Sections::header(5) + entries.len()).unwrap();
        entries.push(code);
        if let Some(name) = name {
            entries.extend(name.bytes());
            entries.push(0);
        }
        entries.extend(rest);
        at
    };
    let with = |ty: u32, more: &[u8]| [&ty.to_le_bytes()[..], more].concat();
    let float = entry(2, Some("float"), &[4, 4]);
    let int = entry(2, Some("int"), &[4, 5]);
    let of_struct = entry(3, Some(structure), &[8]);
    entry(4, Some(member), &with(float, &[0]));
    entry(4, Some("other"), &with(int, &[4]));
    entry(0, None, &[]);
    let of_enum = entry(5, Some(enumeration), &[&[4][..], &int.to_le_bytes()].concat());
    entry(6, Some(enumerator), &[1]);
    // A second name for the value.
    entry(6, Some("Other"), &[1]);
    entry(0, None, &[]);
    let pointer = entry(9, None, &with(of_struct, &[8]));
    for function in [function, "right"] {
        entry(7, Some(function), &int.to_le_bytes());
        entry(8, Some(parameter), &of_struct.to_le_bytes());
        entry(8, Some("mode"), &of_enum.to_le_bytes());
        entry(8, Some("to"), &pointer.to_le_bytes());
        entry(0, None, &[]);
    }
    entry(0, None, &[]);
    sections.unit(5, 0, &entries);
    sections
}

/// The functions, and the structs of arguments.
#[derive(Debug, Default)]
struct Found {
    functions: Vec<String>,
    structs: usize,
}

/// Reads the items of a text. Fails if one is of another kind, or has other attributes.
fn items(text: &str) -> Found {
    let mut found = Found::default();
    let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(file.attrs.is_empty(), "{text}");
    for item in file.items {
        match item {
            RustItem::Use(_) => {}
            RustItem::Struct(item) => {
                let derives = attributes(&item.attrs, text);
                assert!(item.generics.params.len() <= 1, "{text}");
                found.structs += usize::from(derives.contains("KernelArgs"));
                for field in &item.fields {
                    assert_eq!(attributes(&field.attrs, text), "", "{text}");
                }
            }
            RustItem::Enum(item) => {
                assert!(attributes(&item.attrs, text).contains("DeviceType"), "{text}");
                assert_eq!(item.variants.len(), 1, "{text}");
            }
            RustItem::Impl(item) => {
                assert!(item.items.iter().all(|item| matches!(item, ImplItem::Const(_))) && item.items.len() == 1);
            }
            RustItem::ForeignMod(block) => {
                for item in block.items {
                    let ForeignItem::Fn(function) = item else { panic!("{text}") };
                    attributes(&function.attrs, text);
                    assert_eq!(function.sig.inputs.len(), 3, "{text}");
                    found.functions.push(function.sig.ident.to_string());
                }
            }
            // A function of a library that no compiler has made.
            RustItem::Fn(function) => {
                assert!(
                    matches!(function.sig.safety, syn::Safety::Unsafe(_)) && function.block.stmts.len() == 1,
                    "{text}"
                );
                attributes(&function.attrs, text);
                found.functions.push(function.sig.ident.to_string());
            }
            _ => panic!("another item in\n{text}"),
        }
    }
    found
}

/// What is derived. Fails if an attribute is not one of the generator's, or if documentation has HTML or a test.
fn attributes(all: &[syn::Attribute], text: &str) -> String {
    let (mut derived, mut docs) = (String::new(), String::new());
    for attribute in all {
        let path: Vec<String> = attribute.path().segments.iter().map(|segment| segment.ident.to_string()).collect();
        match (path.join("::").as_str(), &attribute.meta) {
            ("derive", Meta::List(list)) => derived += &list.tokens.to_string(),
            ("doc", Meta::NameValue(pair)) => {
                let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(line), .. }) = &pair.value else {
                    panic!("{text}")
                };
                docs += line.value().trim_start_matches(' ');
                docs.push('\n');
            }
            ("kernel_args" | "device_type" | "repr" | "allow" | "kernel_args::launchers", _) => {}
            _ => panic!("another attribute in\n{text}"),
        }
    }
    // A kernel with many parameters has a block of C++.
    if docs.starts_with("```cpp\n") {
        assert!(docs.ends_with("\n```\n") && docs.matches("\n```").count() == 1, "{text}");
    } else {
        assert!(docs.split('`').step_by(2).all(|plain| !plain.contains(['<', '['])), "{text}");
        assert!(!docs.lines().any(|line| line.starts_with("```")), "{text}");
    }
    derived
}

/// Whether Rust can declare a function of this name, possibly after `r#`.
fn is_word(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && syn::parse_str::<syn::Ident>(&format!("r#{name}")).is_ok()
}

/// Everything that is generated from these names has the expected items.
pub(crate) fn check(names: Names<'_>) {
    let [symbol, parameter, structure, member, ..] = names;
    if names.iter().any(|name| name.contains('\0') || name.len() > 1000) {
        return;
    }
    let sections = described(names);
    of_library(symbol, &sections.object(62, &[symbol, "right"]));

    let ptx = sections.ptx(
        ".address_size 64\n.visible .entry right(.param .align 4 .b8 a[8], .param .u32 b, .param .u64 c)\n{\nret;\n}\n",
    );
    let ptx = ptx.replacen("sm_90, debug\n.address_size", "sm_90\n.address_size", 1);
    let image = Image::read(ptx.as_bytes()).unwrap();
    let kernels = image.kernels().unwrap();
    let mut options = Options::default();
    for naming in [Naming::None, Naming::Items("")] {
        options.naming = naming;
        assert_eq!(items(&generate::of_image(&kernels, &options)).structs, 1);
    }
    let kernel = kernels.kernel("right", None).unwrap();
    let parameters = kernel.parameters();
    assert!(parameters[0].members.is_known(), "{ptx}");
    of_kernel(symbol, parameter, structure, member);
    let [plain, text] = [&[][..], &parameters].map(|parameters| {
        let items = [Item::kernel(symbol, parameters), Item::kernel("k", parameters)];
        let header = Header::new().items(&items).forward_declare_pointees().leave_out_kernels();
        header.write().unwrap()
    });
    of_header(&plain, 2);
    of_header(&text, 2);
}

fn of_library(symbol: &str, object: &[u8]) {
    let launchers = Launchers::read(object).unwrap();
    for library in [Ok("\"library.a\""), Err("no compiler")] {
        let mut options = Options::default();
        options.source = symbol;
        let text = generate::of_launchers(&launchers, library, &options);
        let found = items(&text);
        let is_public = launchers.functions().any(|(known, _)| known == symbol);
        let mut expected = vec!["right".to_owned()];
        if is_public && is_word(symbol) && symbol != "right" {
            let name = if syn::parse_str::<syn::Ident>(symbol).is_ok() { "" } else { "r#" };
            expected.push(format!("{name}{symbol}"));
        }
        expected.sort();
        let mut functions = found.functions;
        functions.sort();
        assert_eq!((found.structs, &functions), (expected.len(), &expected), "{text}");
        let reason = "is not declared: its symbol is not an identifier of Rust";
        assert_eq!(text.contains(reason), is_public && !is_word(symbol), "{text}");
    }
}

/// A kernel of a cubin, whose symbol can have any characters.
fn of_kernel(symbol: &str, parameter: &str, structure: &str, member: &str) {
    let layout = Layout::of::<f32>();
    let members = [Parameter::field(member, "", 0, layout, Class::Float, CppType::of(CppBase::Float { bits: 32 }))];
    let list = [Parameter::field(parameter, "", 0, layout, Class::Bytes, CppType::named(structure))
        .with_members(Members::of(&members))];
    let kernel =
        Kernel { symbol, demangled: None, parameters: list.into(), debug_info: Members::of(&list), varies: false };
    let mut options = Options::default();
    for naming in [Naming::Items(""), Naming::Image { path: "\"a.cubin\"", debug_info: None }] {
        options.naming = naming;
        let text = generate::rust(core::slice::from_ref(&kernel), &[], &options);
        assert_eq!(items(&text).structs, 1, "{text}");
    }
}

/// The code of a header has no other text than names, numbers and the writer's own.
fn of_header(text: &str, kernels: usize) {
    let code = text.lines().map(|line| line.split(" // ").next().unwrap_or_default());
    let code: Vec<&str> = code.filter(|line| !line.trim_start().starts_with("//")).collect();
    assert!(code.iter().filter(|line| line.contains("__global__")).count() <= kernels, "{text}");
    let is_code = |c: char| c.is_ascii_alphanumeric() || " _{}()[]<>;:,.*&=#\"!-+|`".contains(c);
    assert!(code.iter().all(|line| line.chars().all(is_code) && !line.contains("int evil")), "{text}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
}

#[cfg(test)]
mod tests {
    use super::{Names, check};
    use proptest::prelude::*;

    const PARTS: &[&str] = &[
        "x",
        "X9",
        "evil",
        "r#",
        "self",
        "Self",
        "crate",
        "fn",
        "_",
        "9",
        "größe",
        " ",
        "\n",
        "\r",
        "\t",
        "\u{b}",
        "\u{85}",
        "\u{2028}",
        "\u{202e}",
        "\u{2066}",
        "\u{61c}",
        "\u{200f}",
        "\u{1b}[31m",
        "\\",
        "\"",
        "'",
        "`",
        "```",
        "\n```\nevil();\n```\n",
        "<script>",
        "[a](b)",
        "//",
        "/*",
        "*/",
        "*",
        "::",
        "<",
        ">",
        "(",
        ")",
        "{",
        "}",
        ";",
        "#[test]",
        "#![no_std]",
        "\")] fn evil() {} #[doc(\"",
        "x(); } #[test] fn evil() { panic!() } unsafe extern \"C\" { fn y",
        "x; }; int evil(); struct y",
        "$crate",
        "_Z",
        "??/",
        ",",
    ];

    fn name() -> impl Strategy<Value = String> {
        proptest::collection::vec(proptest::sample::select(PARTS), 1..4).prop_map(|parts| parts.concat())
    }

    /// Each part alone, at each place.
    #[test]
    fn each_hostile_name_is_only_text() {
        const PLAIN: Names<'static> = ["f", "p", "Params", "scale", "Mode", "Fast"];
        for name in PARTS {
            for place in 0..PLAIN.len() {
                let mut names = PLAIN;
                names[place] = name;
                check(names);
            }
            check([name; 6]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn hostile_names_are_only_text(names in proptest::array::uniform6(name())) {
            check(names.each_ref().map(String::as_str));
        }
    }
}
