//! Writes the Rust source that names the images.

use crate::sources::Source;
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

/// Returns the text of `kernels.rs`. Without a source it has no module.
pub(crate) fn write<'s>(
    sources: impl IntoIterator<Item = &'s Source>,
    style: &Style<'_>,
) -> String {
    let krate = style.krate.unwrap_or("::kernel_args");
    let mut modules = String::new();
    for Source { name, module, .. } in sources {
        if module.chars().any(char::is_uppercase) {
            modules += "    #[allow(non_snake_case)]\n";
        }
        let file = |extension: &str| {
            format!(
                "concat!(env!(\"OUT_DIR\"), {:?})",
                format!("/{name}.{extension}")
            )
        };
        let generate = match (style.generate, style.pointers) {
            (false, _) => String::new(),
            (true, None) => ", generate".into(),
            (true, Some(pointers)) => format!(", generate(pointers = {pointers})"),
        };
        let _ = writeln!(
            modules,
            "    pub mod {module} = {}, debug_info = {}{generate};",
            file(style.extension),
            file("debug.ptx"),
        );
    }
    let comment = "// Written by kernel-args-build.\n";
    if modules.is_empty() {
        return comment.into();
    }
    let path = match style.krate {
        Some(krate) => format!("    crate = {krate};\n"),
        None => String::new(),
    };
    format!("{comment}{krate}::kernels! {{\n{path}{modules}}}\n")
}

#[cfg(test)]
mod tests {
    use super::{Style, write};
    use crate::{identifier::module_name, sources::Source};

    #[test]
    fn one_macro_names_all_images() {
        let source = |file: &str| Source {
            path: format!("src/{file}.cu").into(),
            name: file.into(),
            module: module_name(file),
        };
        let sources = [source("a\"b"), source("Mat")];
        let style = Style {
            extension: "ptx",
            generate: false,
            pointers: None,
            krate: None,
        };
        assert_eq!(
            write(&sources, &style),
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
        let text = write(&sources[1..], &style);
        assert!(
            text.contains(
                "crate::gpu::kernel_args::kernels! {\n    crate = crate::gpu::kernel_args;\n"
            ),
            "{text}"
        );
        assert!(
            text.contains("\"/Mat.fatbin\"") && text.contains(", generate(pointers = raw);"),
            "{text}"
        );
        assert!(!write(&[], &style).contains("kernels!"));
    }
}
