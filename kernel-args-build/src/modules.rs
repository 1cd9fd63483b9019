//! Writes the Rust source that names the images.

use crate::{sources::Source, texts};
use std::fmt::Write as _;

/// Settings of the generated modules.
pub(crate) struct Style<'a> {
    /// The extension of the images.
    pub(crate) extension: &'a str,
    pub(crate) generate: bool,
    /// The value of `generate(pointers = …)`; slices if `None`.
    pub(crate) pointers: Option<&'a str>,
    /// The path of the crate `kernel_args`.
    pub(crate) krate: Option<&'a str>,
}

/// The module of a source.
pub(crate) struct Module<'a> {
    pub(crate) source: &'a Source,
    /// The places where no compiler was found, one per line, if no image was made.
    pub(crate) absent: Option<&'a str>,
    /// Without kernels, the module has only constants.
    pub(crate) has_kernels: bool,
    /// Items for the constants of the source.
    pub(crate) constants: String,
}

/// Returns the text of `kernels.rs`. Without a source it has no module.
pub(crate) fn write<'s>(written: impl IntoIterator<Item = Module<'s>>, style: &Style<'_>) -> String {
    let krate = style.krate.unwrap_or("::kernel_args");
    let mut modules = String::new();
    let mut plain = String::new();
    for Module { source, absent, has_kernels, constants } in written {
        let Source { name, module, .. } = source;
        let allow = if module.chars().any(char::is_uppercase) { "    #[allow(non_snake_case)]\n" } else { "" };
        if !has_kernels {
            let docs = format!("The constants of `{}`.", texts::path(&source.path));
            let _ = writeln!(plain, "{allow}    #[doc = {docs:?}]\n    pub mod {module} {{{constants}\n    }}");
            continue;
        }
        modules += allow;
        let file = |extension: &str| format!("concat!(env!(\"OUT_DIR\"), {:?})", format!("/{name}.{extension}"));
        let generate = match (style.generate, style.pointers) {
            (false, _) => String::new(),
            (true, None) => ", generate".into(),
            (true, Some(pointers)) => format!(", generate(pointers = {pointers})"),
        };
        let (image, absent) = match absent {
            None => (file(style.extension), String::new()),
            Some(tried) => (file("debug.ptx"), format!(", absent({:?}, {tried:?})", texts::path(&source.path))),
        };
        let constants = match constants.as_str() {
            "" => String::new(),
            items => format!(", constants {{{items}\n    }}"),
        };
        let _ = writeln!(
            modules,
            "    pub mod {module} = {image}, debug_info = {}{generate}{absent}{constants};",
            file("debug.ptx"),
        );
    }
    let comment = "// Written by kernel-args-build.\n";
    if modules.is_empty() {
        return format!("{comment}{plain}");
    }
    let path = match style.krate {
        Some(krate) => format!("    crate = {krate};\n"),
        None => String::new(),
    };
    format!("{comment}{krate}::kernels! {{\n{path}{modules}}}\n{plain}")
}

#[cfg(test)]
mod tests {
    use super::{Module, Style, write};
    use crate::{identifier::module_name, sources::Source};

    #[test]
    fn one_macro_names_all_images() {
        let source =
            |file: &str| Source { path: format!("src/{file}.cu").into(), name: file.into(), module: module_name(file) };
        let sources = [source("a\"b"), source("Mat")];
        let made = |source| Module { source, absent: None, has_kernels: true, constants: String::new() };
        let style = Style { extension: "ptx", generate: false, pointers: None, krate: None };
        assert_eq!(
            write(sources.iter().map(made), &style),
            "// Written by kernel-args-build.\n::kernel_args::kernels! {\n    \
             pub mod a_b = concat!(env!(\"OUT_DIR\"), \"/a\\\"b.ptx\"), debug_info = concat!(env!(\"OUT_DIR\"), \"/a\\\"b.debug.ptx\");\n    \
             #[allow(non_snake_case)]\n    \
             pub mod Mat = concat!(env!(\"OUT_DIR\"), \"/Mat.ptx\"), debug_info = concat!(env!(\"OUT_DIR\"), \"/Mat.debug.ptx\");\n}\n"
        );
        let style = Style {
            extension: "fatbin",
            generate: true,
            pointers: Some("raw"),
            krate: Some("crate::gpu::kernel_args"),
        };
        let text = write(sources[1..].iter().map(made), &style);
        assert!(text.contains("crate::gpu::kernel_args::kernels! {\n    crate = crate::gpu::kernel_args;\n"), "{text}");
        assert!(text.contains("\"/Mat.fatbin\"") && text.contains(", generate(pointers = raw);"), "{text}");
        assert!(!write([], &style).contains("kernels!"));
        let module = Module {
            source: &sources[0],
            absent: Some("PATH: has no \"nvcc\"\n/opt: x"),
            has_kernels: true,
            constants: "\n        pub const A: u32 = 1;".into(),
        };
        let text = write([module], &style);
        assert!(
            text.contains(r#"= concat!(env!("OUT_DIR"), "/a\"b.debug.ptx"), debug_info ="#)
                && text.contains(r#", absent("src/a\"b.cu", "PATH: has no \"nvcc\"\n/opt: x"), constants {"#),
            "{text}"
        );
        let module = Module {
            source: &sources[1],
            absent: None,
            has_kernels: false,
            constants: "\n        pub const A: u32 = 1;".into(),
        };
        assert_eq!(
            write([module], &style),
            "// Written by kernel-args-build.\n    #[allow(non_snake_case)]\n    #[doc = \"The constants of `src/Mat.cu`.\"]\n    \
             pub mod Mat {\n        pub const A: u32 = 1;\n    }\n"
        );
    }
}
