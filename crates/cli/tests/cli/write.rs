//! `kernel-args rust` and `kernel-args header` write the same text as the library.

use super::common::{Folder, bytes, data, run};
use kernel_args_image::{Image, Kernels};
use kernel_args_image::{
    generate::{self, Naming, Options, Pointers},
    header::{Header, Item},
};
use std::fs;

/// The program's output. Only kernels that a header cannot declare, and kernels without names of their parameters, are
/// reported.
fn written(arguments: &[&str]) -> String {
    let ran = run(arguments);
    let reported = match arguments[0] {
        "header" if ran.stderr.contains(" kernels are not declared: ") => 1,
        "rust" if ran.stderr.contains(": without names of parameters or members: ") => 2,
        _ => 0,
    };
    assert_eq!((ran.code, ran.stderr.lines().count()), (0, reported), "{arguments:?}: {}", ran.stderr);
    ran.stdout
}

#[test]
fn debug_information_gives_names() {
    let help = "help: `--debug-info FILE` gives names: the same kernels, compiled with `nvcc -G` or NVRTC's `--device-debug`\n";
    for (file, count) in
        [("../../ptx/saxpy.ptx".to_owned(), "1 of 1 kernel"), (data("kernels.sm_75.cubin"), "4 of 5 kernels")]
    {
        let ran = run(&["rust", &file]);
        let expected = format!("warning: {file}: without names of parameters or members: {count}\n{help}");
        assert_eq!((ran.code, ran.stderr), (0, expected));
    }
    // With debug information, in the file or in a second file; and kernels without parameters.
    for arguments in [
        &["rust", &data("debug.ptx")][..],
        &["rust", &data("debug.ptx"), "--debug-info", &data("debug.sm_90.cubin")],
        &["rust", &data("kernels.sm_75.cubin"), "-k", "nothing"],
        &["header", "../../ptx/saxpy.ptx"],
    ] {
        let ran = run(arguments);
        assert!(!ran.stderr.contains("without names"), "{arguments:?}: {}", ran.stderr);
    }
}

/// The kernels of an image, with what their code shows.
fn kernels(bytes: &[u8]) -> Kernels<'_> {
    let image = Image::read(bytes).unwrap();
    let mut kernels = image.kernels().unwrap();
    image.add_bodies(&mut kernels, |_| true).unwrap();
    kernels
}

/// PTX without its debug information.
fn without_debug_information(text: &str) -> String {
    let (code, _) = text.split_once("\t.section\t.debug").expect("debug information");
    let lines = code.lines().filter(|line| !line.trim_start().starts_with(".file"));
    lines.map(|line| line.replace(", debug", "") + "\n").collect()
}

#[test]
fn structs_agree_with_the_library() {
    let mut count = 0;
    for folder in ["../../ptx", "../image/tests/data"] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|name| name.to_str());
            if !matches!(extension, Some("ptx" | "cubin" | "fatbin")) {
                continue;
            }
            let path = path.to_str().unwrap().to_owned();
            let image = bytes(&path);
            let kernels = kernels(&image);
            let mut options = Options::default();
            options.source = &path;
            assert_eq!(written(&["rust", &path]), generate::of_image(&kernels, &options));
            count += 1;
        }
    }
    assert!(count >= 25, "{count}");
}

#[test]
fn options_of_structs_agree_with_the_library() {
    let path = data("kernels.ptx");
    let image = bytes(&path);
    let kernels = kernels(&image);
    let mut options = Options::default();
    options.source = &path;
    (options.pointers, options.half, options.float8) = (Pointers::Raw, true, true);
    options.textures = true;
    options.naming = Naming::Items("crate::kernels");
    let arguments = ["rust", &path, "--raw", "--half", "--float8", "--textures", "--items", "crate::kernels"];
    assert_eq!(written(&arguments), generate::of_image(&kernels, &options));
    let text = written(&["rust", &path, "--image", "ptx/a \"b\".ptx", "-k", "plain"]);
    assert!(text.contains(r#"ptx = "ptx/a \"b\".ptx", entry = "plain""#), "{text}");
    assert_eq!(text.matches("derive(KernelArgs)").count(), 1);
}

#[test]
fn another_file_can_have_the_debug_information() {
    let folder = Folder::new();
    let debug = data("debug.ptx");
    let optimised = without_debug_information(&String::from_utf8(bytes(&debug)).unwrap());
    let optimised = folder.write("optimised.ptx", optimised);
    let without_source = |text: String| text.split_once('\n').unwrap().1.to_owned();
    let expected = without_source(written(&["rust", &debug]));
    assert_ne!(without_source(written(&["rust", &optimised])), expected);
    let both = ["rust", &optimised, "--debug-info", &debug];
    assert_eq!(without_source(written(&both)), expected);
    let both = ["header", &optimised, "--debug-info", &debug];
    assert_eq!(written(&both), written(&["header", &debug]));

    let ran = run(&["rust", &debug, "--debug-info", &optimised]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("optimised.ptx: no debug information of kernels"), "{}", ran.stderr);
}

/// Kernels that C++ cannot declare are comments in the header.
#[test]
fn undeclared_kernels_are_reported() {
    let folder = Folder::new();
    let kernel = |name: &str, parameter: &str| {
        format!(".visible .entry {name}(\n.param {parameter} {name}_param_0) {{\nret;\n}}\n")
    };
    let head = ".version 9.0\n.target sm_90\n.address_size 64\n";
    let nameless = kernel("_Z1sPN1a1BIXadL_Z1fvEEEE", ".u64");
    let file = folder.write("none.ptx", format!("{head}{nameless}"));
    let ran = run(&["header", &file]);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("none of the kernels can be declared (1)"), "{}", ran.stderr);
    assert!(ran.stdout.contains("// "), "{}", ran.stdout);
    let file = folder.write("some.ptx", format!("{head}{nameless}{}", kernel("_Z1fi", ".u32")));
    let ran = run(&["header", &file]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("warning: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 of 2 kernels is not declared"), "{}", ran.stderr);
}

#[test]
fn headers_agree_with_the_library() {
    for file in ["debug.ptx", "debug.sm_90.cubin", "kernels.sm_100.cubin"].map(data) {
        let image = bytes(&file);
        let kernels = Image::read(&image).unwrap().kernels().unwrap();
        let found: Vec<_> = kernels.symbols().filter_map(|symbol| kernels.kernel(symbol, None)).collect();
        // Numbered compiler names are not parameter names.
        let mut lists: Vec<_> = found.iter().map(|kernel| (kernel.name, kernel.parameters())).collect();
        for (_, list) in &mut lists {
            for parameter in list.iter_mut().filter(|parameter| parameter.name.contains("_param_")) {
                parameter.name = "";
            }
        }
        let items: Vec<_> = lists.iter().map(|(name, list)| Item::kernel(name, list)).collect();
        let header = Header::new().items(&items).forward_declare_pointees().leave_out_kernels();
        let expected = header.guard("KERNELS_CUH").namespace("gpu").write().unwrap();
        let arguments = ["header", &file, "--guard", "KERNELS_CUH", "--namespace", "gpu"];
        assert_eq!(written(&arguments), expected, "{file}");
    }
}

#[test]
fn strict_headers_reject_undeclarable_kernels() {
    let ran = run(&["header", &data("debug.ptx"), "--strict"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("it is an instance of a template"), "{}", ran.stderr);
    let ran = run(&["header", "../../ptx/saxpy.ptx", "--guard", "1 2"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: ../../ptx/saxpy.ptx: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("include guard"), "{}", ran.stderr);
    assert_eq!(run(&["rust", "nowhere.ptx"]).code, 2);
    assert_eq!(run(&["header", "../../ptx/saxpy.ptx", "-k", "nothing"]).code, 2);
}
