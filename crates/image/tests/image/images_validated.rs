//! Images that are safe for the driver: all offsets in their headers are in bounds.

use kernel_args_image::{self as image, Image, Kind, fatbin};
use proptest::prelude::*;
use std::ops::Range;

const CUBINS: [&[u8]; 3] = [
    include_bytes!("../data/kernels.sm_75.cubin"),
    include_bytes!("../data/kernels.sm_100.cubin"),
    include_bytes!("../data/large.sm_90.cubin"),
];
const FATBINS: [&[u8]; 3] = [
    include_bytes!("../data/one.none.fatbin"),
    include_bytes!("../data/one.speed.fatbin"),
    include_bytes!("../data/one.size.fatbin"),
];
const PTX: &[u8] = include_bytes!("../data/kernels.ptx");
const GIB: u64 = 1 << 30;

fn refusal(bytes: &[u8]) -> String {
    image::validate(bytes).expect_err("not refused").to_string()
}

fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    let mut number = [0; 8];
    number[..size].copy_from_slice(&bytes[at..at + size]);
    u64::from_le_bytes(number)
}

fn index(bytes: &[u8], at: usize, size: usize) -> usize {
    usize::try_from(number(bytes, at, size)).unwrap()
}

fn patched(bytes: &[u8], at: usize, patch: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + patch.len()].copy_from_slice(patch);
    bytes
}

/// The positions of the section headers, except for the first.
fn sections(cubin: &[u8]) -> impl Iterator<Item = usize> {
    let (table, count) = (index(cubin, 40, 8), index(cubin, 60, 2));
    (1..count).map(move |section| table + 64 * section)
}

/// The positions of the member headers in a fat binary with one container.
fn members(fatbin: &[u8]) -> Vec<usize> {
    let mut members = Vec::new();
    let mut at = 16;
    while at < fatbin.len() {
        members.push(at);
        at += index(fatbin, at + 4, 4) + index(fatbin, at + 8, 8);
    }
    members
}

/// LTO-IR has its own compression.
#[test]
fn lto_ir_is_not_decompressed() {
    let image = include_bytes!("../data/targets.fatbin");
    assert!(kernel_args_image::validate(image).is_ok());
}

#[test]
fn what_the_compilers_write_is_valid() {
    for cubin in CUBINS {
        assert_eq!(image::validate(cubin), Ok(Kind::Cubin));
    }
    for fatbin in FATBINS {
        assert_eq!(image::validate(fatbin), Ok(Kind::Fatbin));
    }
    assert_eq!(image::validate(PTX), Ok(Kind::Ptx));
}

#[test]
fn a_section_that_claims_more_than_the_file_is_refused() {
    let mut refused = 0;
    for cubin in CUBINS {
        for (i, at) in sections(cubin).enumerate() {
            // `SHT_NOBITS`: its size is memory on the GPU.
            if number(cubin, at + 4, 4) == 8 {
                continue;
            }
            for (field, value) in [(32, GIB), (32, u64::MAX), (24, GIB), (24, u64::MAX)] {
                let reason = refusal(&patched(cubin, at + field, &value.to_le_bytes()));
                assert!(reason.starts_with("a cubin ") || reason.starts_with("not a cubin"), "section {i}: {reason}");
                refused += 1;
            }
        }
    }
    assert!(refused > 4 * 39, "{refused}");
    let last = sections(CUBINS[0]).last().unwrap();
    let reason = refusal(&patched(CUBINS[0], last + 32, &GIB.to_le_bytes()));
    assert_eq!(reason, "a cubin whose headers do not fit the file: section 25 is wrong or ends outside of it");
}

/// `.nv.global` of a large array, `.nv.local`, `.nv.shared`: sections with NVIDIA's own types in relocatable cubins.
#[test]
fn memory_of_the_gpu_has_no_bytes_in_the_file() {
    let cubin = CUBINS[1];
    let shared = sections(cubin).find(|&at| number(cubin, at + 4, 4) == 8);
    let large = patched(cubin, shared.unwrap() + 32, &GIB.to_le_bytes());
    for (kind, is_memory) in
        [(8_u32, true), (0x7000_0007, true), (0x7000_0009, true), (0x7000_000a, true), (0x7000_0008, false), (1, false)]
    {
        let image = patched(&large, shared.unwrap() + 4, &kind.to_le_bytes());
        assert_eq!(image::validate(&image).is_ok(), is_memory, "{kind:#x}");
    }
}

#[test]
fn invalid_headers_are_rejected() {
    let table_end = |bytes: &[u8]| (bytes.len() as u64 - 8).to_le_bytes();
    for cubin in CUBINS {
        let program_headers = index(cubin, 32, 8);
        for (at, patch) in [
            (32, &GIB.to_le_bytes()[..]),
            (32, &u64::MAX.to_le_bytes()),
            (32, &table_end(cubin)),
            (40, &GIB.to_le_bytes()),
            (40, &u64::MAX.to_le_bytes()),
            (40, &table_end(cubin)),
            (52, &[32, 0]),
            (54, &[0xff, 0xff]),
            (56, &[0xff, 0xff]),
            (56, &[0xfe, 0xff]),
            (58, &[0xff, 0xff]),
            (60, &[0xfe, 0xff]),
            (62, &[0xfe, 0xff]),
            (program_headers + 8, &GIB.to_le_bytes()),
            (program_headers + 32, &GIB.to_le_bytes()),
            (program_headers + 56 + 8, &u64::MAX.to_le_bytes()),
            (program_headers + 56 + 32, &GIB.to_le_bytes()),
        ] {
            let reason = refusal(&patched(cubin, at, patch));
            assert!(!reason.is_empty(), "{at}");
        }
    }
}

#[test]
fn invalid_tables_are_rejected() {
    let cubin = CUBINS[0];
    let of_kind = |kind: u64| sections(cubin).find(|&at| number(cubin, at + 4, 4) == kind).unwrap();
    let data =
        |header: usize| index(cubin, header + 24, 8)..index(cubin, header + 24, 8) + index(cubin, header + 32, 8);
    let (symbols, strings) = (data(of_kind(2)), data(of_kind(3)));
    let (relocations, notes) = (data(of_kind(9)), data(of_kind(7)));
    // The last symbol is a kernel.
    let symbol = symbols.end - 24;
    let patches: [(&str, usize, &[u8]); 13] = [
        ("the string table's NUL", strings.end - 1, b"x"),
        ("the symbol table's link", of_kind(2) + 40, &[1, 0xff, 0, 0]),
        ("the symbol table's entry size", of_kind(2) + 56, &[23]),
        ("the symbol table's size", of_kind(2) + 32, &[0x0f, 2]),
        ("a symbol's name", symbol, &[0xff, 0xff, 0, 0]),
        ("a symbol's section", symbol + 6, &[0xfe, 0xfe]),
        ("a symbol's value", symbol + 8, &GIB.to_le_bytes()),
        ("a symbol's size", symbol + 16, &u64::MAX.to_le_bytes()),
        ("a section's name", of_kind(3), &[0xff, 0xff]),
        ("a relocation's place", relocations.start, &GIB.to_le_bytes()),
        ("a relocation's symbol", relocations.start + 12, &[0xff]),
        ("the relocations' target", of_kind(9) + 44, &[0xff]),
        ("a note's size", notes.start + 4, &GIB.to_le_bytes()[..4]),
    ];
    for (what, at, patch) in patches {
        let reason = image::validate(&patched(cubin, at, patch));
        assert!(reason.is_err(), "{what}");
    }
}

/// CUPTI reports some cubins with stale numbers of sections in relocation tables. The driver loads them, with the
/// symbols of the file.
#[test]
fn relocations_with_another_link_belong_to_the_symbols_of_the_file() {
    let cubin = CUBINS[0];
    let of_kind = |kind: u64| {
        let mut all = sections(cubin);
        all.find(|&at| number(cubin, at + 4, 4) == kind).unwrap()
    };
    let table = of_kind(9);
    // Section 1 has names.
    let stale = patched(cubin, table + 40, &[1]);
    assert_eq!(image::validate(&stale), Ok(Kind::Cubin));
    let symbol = index(cubin, table + 24, 8) + 12;
    assert!(image::validate(&patched(&stale, symbol, &[0xff])).is_err());
    assert!(image::validate(&patched(cubin, table + 40, &[0xff])).is_err());
}

/// A cubin with its section headers at the end, followed by `count` copies of the header of the first section of a
/// kind.
fn repeated(cubin: &[u8], kind: u64, count: u16) -> Vec<u8> {
    let table = index(cubin, 40, 8);
    let own = u16::try_from(number(cubin, 60, 2)).unwrap();
    let of_kind = sections(cubin).find(|&at| number(cubin, at + 4, 4) == kind);
    let header = cubin[of_kind.unwrap()..][..64].to_vec();
    let headers = cubin[table..table + 64 * usize::from(own)].to_vec();
    let mut bytes = patched(cubin, 40, &(cubin.len() as u64).to_le_bytes());
    bytes = patched(&bytes, 60, &(own + count).to_le_bytes());
    bytes.extend(headers);
    bytes.extend(header.repeat(usize::from(count)));
    bytes
}

/// Each section is read once: the work for 50,000 sections that name the same bytes would be quadratic.
#[test]
fn sections_that_overlap_are_refused() {
    let cubin = CUBINS[0];
    for (kind, size) in [(2, 24), (4, 24), (7, 12), (9, 16)] {
        if !sections(cubin).any(|at| number(cubin, at + 4, 4) == kind) {
            assert_eq!(kind, 4, "this cubin has no section of type {kind}");
            continue;
        }
        assert_eq!(image::validate(&repeated(cubin, kind, 0)), Ok(Kind::Cubin));
        let reason = refusal(&repeated(cubin, kind, 20_000));
        assert_eq!(
            reason, "a cubin whose sections or names overlap",
            "sections of type {kind} with entries of {size} bytes"
        );
    }
}

/// A note of zeros is followed by other notes: without a limit, the zeros were read again for each of them.
#[test]
fn zeros_before_a_note_are_read_once() {
    let cubin = repeated(CUBINS[0], 7, 1);
    let note = cubin.len() - 64;
    let (start, size) = (cubin.len() as u64, 6_u64 << 20);
    let mut bytes = patched(&cubin, note + 24, &start.to_le_bytes());
    bytes = patched(&bytes, note + 32, &size.to_le_bytes());
    bytes.resize(bytes.len() + usize::try_from(size).unwrap(), 0);
    assert_eq!(image::validate(&bytes), Ok(Kind::Cubin));
    // The last of the zeros: a name that extends past the end.
    let last = bytes.len() - 8;
    bytes[last] = 0xff;
    assert!(refusal(&bytes).contains("section"));
}

#[test]
fn images_that_are_cut_off_are_refused() {
    for image in CUBINS.into_iter().chain(FATBINS) {
        let lengths = [4, 8, 15, 16, 24, 63, 64, 80, image.len() / 2, image.len() - 1];
        for length in lengths {
            refusal(&image[..length]);
        }
    }
    for magic in [b"\x7fELF".as_slice(), &fatbin::MAGIC.to_le_bytes()] {
        refusal(magic);
    }
}

#[test]
fn invalid_fat_binaries_are_rejected() {
    for fatbin in FATBINS {
        let container: [(usize, &[u8]); 3] =
            [(6, &[0xff, 0xff]), (8, &GIB.to_le_bytes()), (8, &u64::MAX.to_le_bytes())];
        for (at, patch) in container {
            refusal(&patched(fatbin, at, patch));
        }
        let headers = members(fatbin);
        assert_eq!(headers.len(), 2);
        for (at, member) in headers.into_iter().zip(fatbin::members(fatbin).unwrap()) {
            let mut lies: Vec<(usize, Vec<u8>)> = vec![
                (4, vec![0, 0, 0, 0x40]),
                (4, vec![63, 0]),
                (8, GIB.to_le_bytes().into()),
                (8, u64::MAX.to_le_bytes().into()),
                (20, vec![0, 0, 0, 0x40]),
                (32, vec![0, 0, 0, 0x40]),
                (36, vec![0, 0, 0, 0x40]),
            ];
            if member.compression != fatbin::Compression::None {
                lies.extend([
                    (16, vec![0, 0, 0, 0x40]),
                    (56, GIB.to_le_bytes().into()),
                    (56, u64::MAX.to_le_bytes().into()),
                    (56, (member.size + 1).to_le_bytes().into()),
                    (56, (member.size - 1).to_le_bytes().into()),
                ]);
            }
            for (field, lie) in lies {
                refusal(&patched(fatbin, at + field, &lie));
            }
        }
    }
}

/// Members are validated like separate images, in each container.
#[test]
fn cubins_in_fat_binaries_are_validated() {
    let fatbin = FATBINS[0];
    let elf = members(fatbin)[0] + 64;
    for at in [32, 40] {
        let broken = patched(fatbin, elf + at, &GIB.to_le_bytes());
        refusal(&broken);
        refusal(&[fatbin, &broken].concat());
        refusal(&[&broken, fatbin].concat());
    }
    assert_eq!(image::validate(&[fatbin, fatbin].concat()), Ok(Kind::Fatbin));
    let text = members(fatbin)[1] + 80;
    refusal(&patched(fatbin, text, b"\x7fELF"));
    refusal(&patched(fatbin, text, &[1, 2, 3, 4]));
}

#[test]
fn what_is_no_image_is_refused() {
    let wrapper = [0xb1, 0x43, 0x62, 0x46, 1, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1];
    for cut in [4, 8, 16] {
        assert!(refusal(&wrapper[..cut]).starts_with("the wrapper of a fat binary"));
    }
    for bytes in [
        b"".as_slice(),
        b"\0",
        b"\0.version 9.0",
        b"BC\xc0\xde\x35\x14\x00\x00",
        b"\xef\xbb\xbf.version 9.0\n",
        b".version 9.0\n.target sm_90\n\x01\n\0",
    ] {
        assert!(refusal(bytes).starts_with("neither PTX, nor a cubin"), "{bytes:?}");
    }
    // Comments need not be UTF-8, and bytes after the NUL are not read.
    let text = b".version 9.0\n.target sm_90\n// gr\xf6\xdfe\n\0\x01\x02";
    assert_eq!(image::validate(text), Ok(Kind::Ptx));
}

/// Finds offsets out of bounds, by a second reading of the headers. For fat binaries with one container.
fn outside(bytes: &[u8]) -> Option<String> {
    let ranges: Vec<(String, u64, u64)> = if bytes.starts_with(b"\x7fELF") {
        let programs = (0..index(bytes, 56, 2)).map(|i| index(bytes, 32, 8) + 56 * i);
        let programs = programs.map(|at| (at, number(bytes, at + 8, 8), number(bytes, at + 32, 8)));
        let is_memory = |at| matches!(number(bytes, at + 4, 4), 8 | 0x7000_0007 | 0x7000_0009 | 0x7000_000a);
        let sections = sections(bytes).filter(|&at| !is_memory(at));
        let sections = sections.map(|at| (at, number(bytes, at + 24, 8), number(bytes, at + 32, 8)));
        let all = programs.chain(sections);
        all.map(|(at, offset, size)| (format!("header at {at}"), offset, size)).collect()
    } else {
        vec![("container".into(), number(bytes, 6, 2).max(16), number(bytes, 8, 8))]
    };
    let length = bytes.len() as u64;
    let outside = |offset: u64, size: u64| size > 0 && offset.checked_add(size).is_none_or(|end| end > length);
    ranges.into_iter().find(|&(_, offset, size)| outside(offset, size)).map(|(what, ..)| what)
}

fn values() -> impl Strategy<Value = u64> {
    prop_oneof![any::<u64>(), (0_u32..64).prop_map(|bit| 1 << bit), (0_u64..20_000), Just(u64::MAX), Just(GIB),]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// One field is overwritten: either the image is rejected, or all offsets stay in bounds and the reader has no
    /// other error.
    #[test]
    fn a_corrupted_image_is_refused_or_still_whole(
        image in 0..CUBINS.len() + FATBINS.len(),
        place in any::<proptest::sample::Index>(),
        in_headers in any::<bool>(),
        size in proptest::sample::select(vec![1_usize, 2, 4, 8]),
        value in values(),
    ) {
        let image = [&CUBINS[..], &FATBINS].concat()[image];
        let field: Range<usize> = if in_headers && image.starts_with(b"\x7fELF") {
            let table = index(image, 40, 8);
            let length = image.len().min(table + 64 * index(image, 60, 2)) - table;
            let at = place.index(length + 64);
            if at < 64 { at..at + size } else { table + at - 64..table + at - 64 + size }
        } else if in_headers {
            let at = place.index(96);
            at..at + size
        } else {
            let at = place.index(image.len());
            at..at + size
        };
        let mut broken = image.to_vec();
        let field = field.start..field.end.min(broken.len());
        let length = field.len();
        broken[field].copy_from_slice(&value.to_le_bytes()[..length]);
        if let Ok(kind) = image::validate(&broken) {
            // Without the magic number it may be text.
            if kind != Kind::Ptx {
                prop_assert_eq!(outside(&broken), None);
            }
            let _ = Image::read(&broken).map(|image| image.kernels().map(|kernels| kernels.symbols().count()));
        }
    }
}
