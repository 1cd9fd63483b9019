//! Every file format that can contain kernels, built byte by byte.

use super::common::{Folder, bytes, data, run, run_with};
use serde_json::Value;
use std::time::{Duration, Instant};

fn fatbin() -> Vec<u8> {
    bytes(&data("one.size.fatbin"))
}

/// A COFF object file for x86-64 with one section.
fn coff(name: [u8; 8], content: &[u8]) -> Vec<u8> {
    let mut file = vec![0x64, 0x86, 1, 0];
    file.resize(20, 0);
    file.extend(section(name, content, 60));
    file.extend(content);
    file
}

/// A COFF section header.
fn section(name: [u8; 8], content: &[u8], at: u32) -> Vec<u8> {
    let size = u32::try_from(content.len()).unwrap();
    let mut header = name.to_vec();
    header.extend([size, 0x1000, size, at].map(u32::to_le_bytes).concat());
    header.resize(40, 0);
    header
}

/// A 64-bit PE file with one section.
fn pe(name: [u8; 8], content: &[u8]) -> Vec<u8> {
    let mut file = b"MZ".to_vec();
    file.resize(0x3c, 0);
    file.extend(0x40_u32.to_le_bytes());
    file.extend(b"PE\0\0");
    file.extend([0x64, 0x86, 1, 0]);
    file.resize(file.len() + 12, 0);
    file.extend([240, 0, 0x22, 0]);
    let optional = file.len();
    file.extend([0x0b, 0x02]);
    file.resize(optional + 108, 0);
    file.extend(16_u32.to_le_bytes());
    file.resize(optional + 240, 0);
    let at = u32::try_from(file.len() + 40).unwrap();
    file.extend(section(name, content, at));
    file.extend(content);
    file
}

/// A 64-bit Mach-O object file with one section.
fn mach_o(name: &str, content: &[u8]) -> Vec<u8> {
    let size = content.len() as u64;
    let fixed = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(16, 0);
        bytes
    };
    let numbers = [0xfeed_facf_u32, 0x0100_0007, 3, 1, 1, 152, 0, 0, 0x19, 152];
    let mut file = numbers.map(u32::to_le_bytes).concat();
    file.extend(fixed("__NV_CUDA"));
    file.extend([0, size, 184, size].map(u64::to_le_bytes).concat());
    file.extend([7_u32, 7, 1, 0].map(u32::to_le_bytes).concat());
    file.extend(fixed(name));
    file.extend(fixed("__NV_CUDA"));
    file.extend([0, size].map(u64::to_le_bytes).concat());
    file.extend([184_u32, 3, 0, 0, 0, 0, 0, 0].map(u32::to_le_bytes).concat());
    assert_eq!(file.len(), 184);
    file.extend(content);
    file
}

/// A 64-bit ELF file for x86-64 with sections of these names.
pub(super) fn elf(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut names = vec![0];
    let mut content = Vec::new();
    let mut headers = vec![0; 64];
    let header = |name: usize, kind: u32, flags: u64, at: usize, size: usize| {
        let mut header = [name as u32, kind].map(u32::to_le_bytes).concat();
        header.extend([flags, 0, at as u64, size as u64].map(u64::to_le_bytes).concat());
        header.resize(48, 0);
        header.extend([8_u64, 0].map(u64::to_le_bytes).concat());
        header
    };
    for (name, bytes) in sections {
        // `SHF_ALLOC`.
        let flags = if *name == ".rodata" { 2 } else { 0 };
        headers.extend(header(names.len(), 1, flags, 64 + content.len(), bytes.len()));
        names.extend(name.as_bytes());
        names.push(0);
        content.extend_from_slice(bytes);
    }
    headers.extend(header(0, 3, 0, 64 + content.len(), names.len()));
    content.extend(names);
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend([1_u16, 62].map(u16::to_le_bytes).concat());
    file.extend(1_u32.to_le_bytes());
    file.extend([0, 0, 64 + content.len() as u64].map(u64::to_le_bytes).concat());
    file.extend(0_u32.to_le_bytes());
    let count = u16::try_from(sections.len() + 2).unwrap();
    file.extend([64, 0, 0, 64, count, count - 1].map(u16::to_le_bytes).concat());
    file.extend(content);
    file.extend(headers);
    file
}

/// A static archive with these members.
fn archive(members: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut file = b"!<arch>\n".to_vec();
    for (name, content) in members {
        let mut header = [name, &b"/"[..]].concat();
        header.resize(16, b' ');
        header.extend(format!("{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, content.len()).bytes());
        file.extend(header);
        file.extend(*content);
        file.resize(file.len().next_multiple_of(2), b'\n');
    }
    file
}

/// The JSON of the only kernel in a file.
fn only(file: &str) -> Value {
    let ran = run(&["show", "--json", file]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{file}");
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(value["kernels"].as_array().unwrap().len(), 1, "{file}");
    value["kernels"][0].clone()
}

#[test]
fn kernels_are_found_in_every_format() {
    let folder = Folder::new();
    let fatbin = fatbin();
    let plain = only(&data("one.size.fatbin"));
    let two = [&fatbin[..], &[0; 24], &fatbin].concat();
    let files = [
        ("one.obj", coff(*b".nv_fatb", &fatbin)),
        ("one.dll", pe(*b".nv_fatb", &fatbin)),
        ("one.macho", mach_o("__nv_fatbin", &fatbin)),
        ("one.so", elf(&[(".text", b"\xc3"), (".nv_fatbin", &fatbin)])),
        ("one.o", elf(&[("__nv_relfatbin", &fatbin)])),
        ("two.so", elf(&[(".nv_fatbin", &two)])),
    ];
    for (name, content) in files {
        let kernel = only(&folder.write(name, &content));
        assert_eq!(kernel["parameters"], plain["parameters"], "{name}");
        assert_eq!(kernel["symbol"], plain["symbol"], "{name}");
        let images = kernel["images"].as_array().unwrap();
        assert_eq!(images.len(), if name == "two.so" { 4 } else { 2 }, "{name}");
        // The error is at the offset of the member's header, which contains its kind.
        for image in images {
            let at = usize::try_from(image["offset"].as_u64().unwrap()).unwrap();
            let kind = match content[at] {
                1 => "ptx",
                2 => "cubin",
                other => panic!("{name}: {other}"),
            };
            assert_eq!(image["kind"], kind, "{name}");
        }
    }
}

#[test]
fn members_of_archives_are_named() {
    let folder = Folder::new();
    let object = elf(&[(".nv_fatbin", &fatbin())]);
    let host = elf(&[(".text", b"\xc3")]);
    let ptx = bytes("../../ptx/saxpy.ptx");
    let archive =
        archive(&[(b"host.o", &host), (b"kernels.o", &object), (b"gr\xf6\xdfe.ptx", &ptx), (b"notes.txt", b"text")]);
    let path = folder.write("lib.a", &archive);
    let ran = run(&["show", &path]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("lib.a(kernels.o): sm_75, PTX sm_75"), "{}", ran.stdout);
    assert!(ran.stdout.contains("lib.a(gr\u{fffd}\u{fffd}e.ptx): PTX sm_75"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("host.o"));
}

#[test]
fn archives_in_archives_end() {
    let folder = Folder::new();
    let ptx = bytes("../../ptx/saxpy.ptx");
    let mut nested = archive(&[(b"saxpy.ptx", &ptx)]);
    nested = archive(&[(b"inner.a", &nested)]);
    only(&folder.write("two.a", &nested));
    for _ in 0..2000 {
        nested = archive(&[(b"inner.a", &nested)]);
    }
    let ran = run(&["show", &folder.write("deep.a", &nested)]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no kernels: it is an archive without device code"), "{}", ran.stderr);
}

#[test]
fn standard_input_is_read() {
    for file in [data("one.size.fatbin"), "../../ptx/saxpy.ptx".to_owned()] {
        let ran = run_with(&["show", "--json", "-"], &bytes(&file));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let named = run(&["show", "--json", &file]);
        assert_eq!(ran.stdout, named.stdout.replace(&format!("\"{file}\""), "\"standard input\""));
    }
    let object = elf(&[(".nv_fatbin", &fatbin())]);
    let ran = run_with(&["show", "-", "../../ptx/reduce.ptx", "--summary"], &object);
    assert!(ran.stdout.contains("standard input"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("2 kernels in 3 images of 2 files\n"), "{}", ran.stdout);
}

#[test]
fn the_error_for_a_file_without_kernels_names_its_kind() {
    let folder = Folder::new();
    let ltoir = {
        let mut fatbin = fatbin();
        // The kind of the first member. The second member is truncated.
        let first = u64::from_le_bytes(fatbin[24..32].try_into().unwrap());
        let header = u64::from(u32::from_le_bytes(fatbin[20..24].try_into().unwrap()));
        fatbin[16] = 8;
        fatbin[8..16].copy_from_slice(&(first + header).to_le_bytes());
        fatbin.truncate(usize::try_from(16 + first + header).unwrap());
        fatbin
    };
    let declared = ".version 9.0\n.target sm_75\n.address_size 64\n";
    for (name, content, expected) in [
        ("host.o", elf(&[(".text", b"\xc3")]), "no kernels: it is an ELF file without device code"),
        ("host.obj", coff(*b".text\0\0\0", b"\xc3"), "no kernels: it is a COFF file without device code"),
        ("host.a", archive(&[(b"a.o", &elf(&[]))]), "no kernels: it is an archive without device code"),
        ("empty", Vec::new(), "at byte 0: the file is empty"),
        ("picture.png", b"\x89PNG\r\n\x1a\n0000".to_vec(), "the file begins with `\\x89PNG\\r\\n\\x1a\\n`"),
        ("thin.a", b"!<thin>\n".to_vec(), "a thin archive"),
        ("lto.fatbin", ltoir, "LTO-IR"),
        ("no.ptx", declared.into(), "no kernels"),
        ("notes.md", b"# Notes\n\nhello".to_vec(), "a text, not a file of kernels"),
        ("text.ptx", b".hello".to_vec(), "at byte 0: PTX cannot be parsed: line 1, column 1: expected PTX"),
    ] {
        let path = folder.write(name, content);
        let ran = run(&["show", &path]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
        let start = format!("error: {path}: ");
        assert!(ran.stderr.starts_with(&start), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{name}: {}", ran.stderr);
    }
}

/// Data with many false starts of images takes no longer than any other data.
#[test]
fn data_that_looks_like_images_is_read_in_time() {
    let folder = Folder::new();
    let cubin = {
        let mut head = bytes(&data("kernels.sm_75.cubin"))[..64].to_vec();
        // The tables end at the end of the file.
        head[40..48].copy_from_slice(&(1_u64 << 20).to_le_bytes());
        head
    };
    let fatbin = [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0, 0, 0, 0, 0, 1, 0, 0];
    let head = ".version 9.0 .target sm_75\n";
    let texts = ["", ".global .b8 x[1] = {", "/*", ".pragma \"", ".pragma \"a\";", ".func f() { }"];
    let mut patterns: Vec<Vec<u8>> = texts.map(|text| [head, text].concat().into_bytes()).into();
    patterns.extend([cubin, fatbin.to_vec()]);
    for pattern in patterns {
        let content: Vec<u8> = pattern.iter().copied().cycle().take(2 << 20).collect();
        let path = folder.write("program", elf(&[(".rodata", &content)]));
        let start = Instant::now();
        let ran = run(&["show", "--summary", &path]);
        assert_eq!(ran.code, 2);
        let time = start.elapsed();
        assert!(time < Duration::from_secs(30), "{time:?}: {}", pattern.escape_ascii());
    }
}

#[test]
fn damaged_images_in_data_are_errors_or_no_images() {
    let folder = Folder::new();
    let whole = [bytes("../../ptx/saxpy.ptx"), bytes(&data("kernels.sm_75.cubin")), fatbin()];
    let mut random = fastrand::Rng::with_seed(13);
    for _ in 0..60 {
        let mut content = whole.concat();
        for _ in 0..random.usize(1..8) {
            let at = random.usize(..content.len());
            content[at] = random.u8(..);
        }
        content.truncate(random.usize(1..content.len()));
        let path = folder.write("program", elf(&[(".rodata", &content)]));
        let ran = run(&["show", "--list", &path]);
        assert!(matches!(ran.code, 0 | 2), "{}", ran.stderr);
        assert!(ran.code == 0 || ran.stderr.contains(&path), "{}", ran.stderr);
    }
}
