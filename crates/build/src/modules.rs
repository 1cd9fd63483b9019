//! Writes the Rust source that names the images.

use crate::{kernels::Kernels, sources::Source, texts};
use kernel_args_image::{
    Image,
    generate::{self, Naming, Options},
    quoted,
};
use std::{cell::RefCell, collections::BTreeSet, fmt::Write as _};

pub(crate) struct Module<'a> {
    pub(crate) source: &'a Source,
    /// The places where no compiler was found, one per line, if no image was made.
    pub(crate) absent: Option<&'a str>,
    /// Without kernels, the module has only constants.
    pub(crate) has_kernels: bool,
    pub(crate) constants: String,
    /// The structs for its kernels, if they are generated.
    pub(crate) structs: Option<String>,
}

pub(crate) const KRATE: &str = "::kernel_args";

/// Returns the text of `kernels.rs`. Without a source it has no module.
pub(crate) fn write<'s>(written: impl IntoIterator<Item = Module<'s>>, extension: &str, krate: Option<&str>) -> String {
    let path = |indent| krate.map_or_else(String::new, |krate| format!("{indent}crate = {krate};\n"));
    let krate = krate.unwrap_or(KRATE);
    let mut modules = String::new();
    let mut plain = String::new();
    for Module { source, absent, has_kernels, constants, structs } in written {
        let Source { name, module, .. } = source;
        let allow = if module.chars().any(char::is_uppercase) { "    #[allow(non_snake_case)]\n" } else { "" };
        if !has_kernels {
            let docs = format!("The constants of {}.", quoted(&texts::path(&source.path)));
            let _ = writeln!(plain, "{allow}    #[doc = {docs:?}]\n    pub mod {module} {{{constants}\n    }}");
            continue;
        }
        let file = |extension: &str| format!("concat!(env!(\"OUT_DIR\"), {:?})", format!("/{name}.{extension}"));
        let (image, absent) = match absent {
            None => (file(extension), String::new()),
            Some(tried) => (file("debug.ptx"), format!(", absent({:?}, {tried:?})", texts::path(&source.path))),
        };
        let files = format!("{image}, debug_info = {}{absent}", file("debug.ptx"));
        if let Some(structs) = structs {
            // The structs are next to the items of the macro, not in it, so editors and people find them.
            let docs = format!("The kernels of {}.", quoted(&texts::path(&source.path)));
            let path = path("        ");
            let (allow, structs) = (allow.trim_start(), indented(&structs));
            let mut constants = constants.replace("\n        ", "\n    ");
            if !constants.is_empty() {
                constants.push('\n');
            }
            let _ = write!(
                plain,
                "\n{allow}#[doc = {docs:?}]\npub mod {module} {{\n    {krate}::kernels! {{\n{path}        mod __items = {files};\n    }}\n    \
                 pub use __items::*;\n{constants}\n{structs}}}\n"
            );
            continue;
        }
        let constants = match constants.as_str() {
            "" => String::new(),
            items => format!(", constants {{{items}\n    }}"),
        };
        let _ = writeln!(modules, "{allow}    pub mod {module} = {files}{constants};");
    }
    let comment = "// Written by kernel-args-build.\n";
    if modules.is_empty() {
        return format!("{comment}{plain}");
    }
    format!("{comment}{krate}::kernels! {{\n{}{modules}}}\n{plain}", path("    "))
}

fn indented(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { String::from("\n") } else { format!("    {line}\n") };
    text.lines().map(line).collect()
}

/// Returns the structs for the kernels of an image; empty if it cannot be read, which `kernels!` reports at the right
/// place.
///
/// A build script does not know which features provide Rust types for `__half` and fp8: the text has both.
pub(crate) fn structs(image: &[u8], description: &[u8], kernels: &Kernels, used: &RefCell<BTreeSet<String>>) -> String {
    let (Ok(image), Ok(description)) = (Image::read(image), Image::read(description)) else {
        return String::new();
    };
    let (Ok(image), Ok(description)) = (image.kernels(), description.kernels()) else {
        return String::new();
    };
    let krate = kernels.krate.as_deref().unwrap_or(KRATE);
    let text = |half, float8, textures| {
        let mut options = Options::default();
        options.krate = krate;
        options.pointers = kernels.pointers;
        (options.contracts, options.used) = (&kernels.contracts, Some(used));
        options.naming = Naming::Items("");
        (options.half, options.float8, options.textures) = (half, float8, textures);
        generate::of_images(&image, Some(&description), &options)
    };
    let with = |half, textures| either("float8", krate, text(half, true, textures), || text(half, false, textures));
    let both = |textures| either("half", krate, with(true, textures), || with(false, textures));
    either("textures", krate, both(true), || both(false))
}

fn either(feature: &str, krate: &str, with: String, without: impl FnOnce() -> String) -> String {
    let without = without();
    if with == without {
        return with;
    }
    format!(
        "// With and without the feature `{feature}` of `kernel-args`.\n\
         {krate}::__if_{feature}! {{ {{\n{with}}} else {{\n{without}}} }}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::{Module, write};
    use crate::{identifier::module_name, sources::Source};

    #[test]
    fn one_macro_names_all_images() {
        let source =
            |file: &str| Source { path: format!("src/{file}.cu").into(), name: file.into(), module: module_name(file) };
        let sources = [source("a\"b"), source("Mat")];
        let made = |source| Module { source, absent: None, has_kernels: true, constants: String::new(), structs: None };
        assert_eq!(
            write(sources.iter().map(made), "ptx", None),
            "// Written by kernel-args-build.\n::kernel_args::kernels! {\n    \
             pub mod a_b = concat!(env!(\"OUT_DIR\"), \"/a\\\"b.ptx\"), debug_info = concat!(env!(\"OUT_DIR\"), \"/a\\\"b.debug.ptx\");\n    \
             #[allow(non_snake_case)]\n    \
             pub mod Mat = concat!(env!(\"OUT_DIR\"), \"/Mat.ptx\"), debug_info = concat!(env!(\"OUT_DIR\"), \"/Mat.debug.ptx\");\n}\n"
        );
        let krate = Some("crate::gpu::kernel_args");
        let text = write(sources[1..].iter().map(made), "fatbin", krate);
        assert!(text.contains("crate::gpu::kernel_args::kernels! {\n    crate = crate::gpu::kernel_args;\n"), "{text}");
        assert!(text.contains("\"/Mat.fatbin\""), "{text}");
        assert!(!write([], "fatbin", krate).contains("kernels!"));
        let constants = "\n        pub const A: u32 = 1;";
        let tried = Some("PATH: has no \"nvcc\"\n/opt: x");
        let text = write([Module { absent: tried, constants: constants.into(), ..made(&sources[0]) }], "fatbin", krate);
        assert!(
            text.contains(r#"= concat!(env!("OUT_DIR"), "/a\"b.debug.ptx"), debug_info ="#)
                && text.contains(r#", absent("src/a\"b.cu", "PATH: has no \"nvcc\"\n/opt: x"), constants {"#),
            "{text}"
        );
        let with_structs =
            Module { structs: Some("struct S;\n".into()), constants: constants.into(), ..made(&sources[1]) };
        assert_eq!(
            write([with_structs], "fatbin", krate),
            "// Written by kernel-args-build.\n\n#[allow(non_snake_case)]\n#[doc = \"The kernels of `src/Mat.cu`.\"]\npub mod Mat {\n    \
             crate::gpu::kernel_args::kernels! {\n        crate = crate::gpu::kernel_args;\n        mod __items = \
             concat!(env!(\"OUT_DIR\"), \"/Mat.fatbin\"), debug_info = concat!(env!(\"OUT_DIR\"), \"/Mat.debug.ptx\");\n    }\n    \
             pub use __items::*;\n\n    pub const A: u32 = 1;\n\n    struct S;\n}\n"
        );
        assert_eq!(
            write([Module { has_kernels: false, constants: constants.into(), ..made(&sources[1]) }], "fatbin", krate),
            "// Written by kernel-args-build.\n    #[allow(non_snake_case)]\n    #[doc = \"The constants of `src/Mat.cu`.\"]\n    \
             pub mod Mat {\n        pub const A: u32 = 1;\n    }\n"
        );
    }
}
