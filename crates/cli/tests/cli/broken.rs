//! Damaged files cause an error with the file and the position, and never a panic.

use super::{
    common::{Folder, bytes, data, run},
    formats::elf,
};

/// The program must end by itself, with an error that contains the file and the position.
fn check(path: &str, what: &str) -> i32 {
    let ran = run(&["show", "--list", path]);
    assert!(matches!(ran.code, 0 | 2), "{what}: {}", ran.code);
    if ran.code == 2 {
        let start = format!("error: {path}: ");
        let line = ran.stderr.lines().find(|line| line.starts_with(&start));
        let line = line.unwrap_or_else(|| panic!("{what}: {}", ran.stderr));
        let is_placed = line.contains(": at byte ") || line.contains(": no kernels");
        assert!(is_placed, "{what}: {line}");
    }
    ran.code
}

fn images() -> Vec<(&'static str, Vec<u8>)> {
    let fatbin = bytes(&data("one.size.fatbin"));
    vec![
        ("ptx", bytes("../../ptx/saxpy.ptx")),
        ("cubin", bytes(&data("kernels.sm_75.cubin"))),
        ("debug.cubin", bytes(&data("debug.sm_90.cubin"))),
        ("fatbin", bytes(&data("one.speed.fatbin"))),
        ("so", elf(&[(".nv_fatbin", &fatbin)])),
    ]
}

#[test]
fn files_that_are_cut_are_errors() {
    let folder = Folder::new();
    let mut failed = 0;
    for (name, image) in images() {
        for part in 1..8 {
            let cut = image.len() * part / 8;
            let path = folder.write(&format!("{part}.{name}"), &image[..cut]);
            failed += u32::from(check(&path, &format!("{name}, {cut} bytes")) == 2);
        }
    }
    // PTX is also valid if it ends after a complete kernel.
    assert!(failed >= 30, "{failed}");
}

/// Truncated files, as after an interrupted download.
#[test]
fn a_library_that_is_cut_is_said_to_be_cut() {
    let folder = Folder::new();
    let library = elf(&[(".nv_fatbin", &bytes(&data("one.size.fatbin")))]);
    let table = u64::from_le_bytes(library[40..48].try_into().unwrap());
    let path = folder.write("cut.so", &library[..1000]);
    let ran = run(&["show", &path]);
    let expected = format!("error: {path}: at byte 1000: a truncated ELF file: its section table is at byte {table}\n");
    assert_eq!((ran.code, ran.stderr), (2, expected));
}

#[test]
fn bytes_that_are_changed_are_errors_or_read() {
    let folder = Folder::new();
    let mut random = fastrand::Rng::with_seed(7);
    let mut failed = 0;
    for (name, image) in images() {
        for round in 0..12 {
            let mut changed = image.clone();
            for _ in 0..=round {
                // Bytes of the headers, which have the most effect, and of the whole file.
                let limit = if random.bool() { changed.len().min(256) } else { changed.len() };
                changed[random.usize(..limit)] = random.u8(..);
            }
            let path = folder.write(&format!("{round}.{name}"), &changed);
            failed += u32::from(check(&path, name) == 2);
        }
    }
    assert!(failed >= 10, "{failed}");
}

#[test]
fn random_bytes_are_errors() {
    let folder = Folder::new();
    let mut random = fastrand::Rng::with_seed(11);
    let magics: [&[u8]; 7] = [
        b"",
        b"\x7fELF\x02\x01\x01",
        b"\x50\xed\x55\xba\x01\0\x10\0",
        b"!<arch>\n",
        b"MZ",
        b"\xcf\xfa\xed\xfe",
        b".version ",
    ];
    for (index, magic) in magics.into_iter().enumerate() {
        for size in [0, 40, 300, 5000] {
            let mut bytes = magic.to_vec();
            bytes.extend(std::iter::repeat_with(|| random.u8(..)).take(size));
            let path = folder.write(&format!("{index}-{size}"), &bytes);
            assert_eq!(check(&path, &format!("{magic:?} and {size} bytes")), 2);
        }
    }
}

#[test]
fn the_place_is_counted_from_the_beginning_of_the_file() {
    let folder = Folder::new();
    let mut fatbin = bytes(&data("one.none.fatbin"));
    // The header of the second member: its size is invalid.
    let size = |at: usize| usize::try_from(u64::from_le_bytes(fatbin[at..at + 8].try_into().unwrap())).unwrap();
    let second = 16 + usize::from(fatbin[20]) + size(24);
    fatbin[second + 4] = 1;
    let path = folder.write("one.so", elf(&[(".text", &[0; 100]), (".nv_fatbin", &fatbin)]));
    let ran = run(&["show", &path]);
    let at = 64 + 100 + second;
    let expected =
        format!("error: {path}: at byte {at}: a truncated fat binary: the header or payload at byte {at} ends");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
    // The kernels before it are still shown.
    assert!(!ran.stdout.is_empty());

    let text = bytes("../../ptx/saxpy.ptx");
    let broken = String::from_utf8(text).unwrap().replace(".param .f32", ".param .f33");
    let ran = run(&["show", &folder.write("saxpy.ptx", broken)]);
    assert!(ran.stderr.contains("saxpy.ptx: at byte 0: PTX cannot be parsed: line "), "{}", ran.stderr);
}
