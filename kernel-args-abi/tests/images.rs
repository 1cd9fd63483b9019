//! Cubins and fat binaries that nvcc 13.0 made of `data/kernels.cu`, and what becomes of broken ones.

use kernel_args_abi::{
    Alignment, Class, Sm,
    cubin::{self, Cubin},
    fatbin::{self, Compression, Kind},
    image::{self, Image},
    ptx::{Module, Pointee, Space},
};

const SM_75: &[u8] = include_bytes!("data/kernels.sm_75.cubin");
const SM_100: &[u8] = include_bytes!("data/kernels.sm_100.cubin");
const LARGE: &[u8] = include_bytes!("data/large.sm_90.cubin");
const PTX: &[u8] = include_bytes!("data/kernels.ptx");
const FATBINS: [(&[u8], Compression, Compression); 3] = [
    (
        include_bytes!("data/one.none.fatbin"),
        Compression::None,
        Compression::None,
    ),
    (
        include_bytes!("data/one.speed.fatbin"),
        Compression::Lz4,
        Compression::None,
    ),
    (
        include_bytes!("data/one.size.fatbin"),
        Compression::Zstd,
        Compression::Zstd,
    ),
];

/// Offset and size of each parameter.
fn records(cubin: &Cubin<'_>, symbol: &str) -> Vec<(usize, usize)> {
    let kernel = cubin.kernel(symbol).unwrap_or_else(|| panic!("{symbol}"));
    kernel
        .parameters
        .iter()
        .map(|p| (p.offset, p.size))
        .collect()
}

#[test]
fn records_of_cubins_are_read() {
    let step = "_ZN3sim4stepENS_6ParamsEhNS_4LineEPi";
    // `Line` is aligned to 64: its offset depends on the GPU.
    for (bytes, sm, line) in [(SM_75, 75, 32), (SM_100, 100, 64)] {
        let cubin = cubin::parse(bytes).unwrap();
        assert_eq!(cubin.sm, Sm(sm));
        let mut names: Vec<_> = cubin.kernels.iter().map(|kernel| kernel.name).collect();
        names.sort_unstable();
        let expected = [
            "_Z4fillIfLi4EEvPT_S0_",
            step,
            "_Z5saxpyifPKfPf",
            "nothing",
            "plain",
        ];
        assert_eq!(
            names,
            [
                expected[0],
                expected[2],
                expected[1],
                expected[3],
                expected[4]
            ]
        );
        assert_eq!(
            records(&cubin, "_Z5saxpyifPKfPf"),
            [(0, 4), (4, 4), (8, 8), (16, 8)]
        );
        assert_eq!(records(&cubin, "nothing"), []);
        assert_eq!(records(&cubin, "plain"), [(0, 1), (16, 16), (32, 8)]);
        assert_eq!(
            records(&cubin, step),
            [(0, 16), (16, 1), (line, 64), (line + 64, 8)]
        );
        let size = |symbol| cubin.kernel(symbol).unwrap().size;
        assert_eq!(
            (size("nothing"), size("plain"), size(step)),
            (0, 40, line + 72)
        );
        assert_eq!(
            cubin.kernel("plain").unwrap().max_threads,
            Some([128, 1, 1])
        );
        assert_eq!(cubin.kernel("nothing").unwrap().max_threads, None);
    }
}

#[test]
fn pointers_are_told_where_the_cubin_tells_them() {
    let cubin = cubin::parse(SM_100).unwrap();
    let saxpy = cubin.kernel("_Z5saxpyifPKfPf").unwrap();
    let pointee = Pointee {
        space: Space::Generic,
        align: None,
    };
    let pointees: Vec<_> = saxpy.parameters.iter().map(|p| p.pointee).collect();
    assert_eq!(pointees, [None, None, Some(pointee), Some(pointee)]);
    let demangled = saxpy.demangle();
    let parameters = saxpy.signature_parameters(demangled.as_ref());
    let seen: Vec<_> = parameters
        .iter()
        .map(|p| (p.class, p.cpp.to_string()))
        .collect();
    let expected = [
        (Class::Unknown, "int"),
        (Class::Unknown, "float"),
        (Class::Pointer, "float const*"),
        (Class::Pointer, "float*"),
    ];
    assert_eq!(seen, expected.map(|(class, cpp)| (class, cpp.to_string())));
}

#[test]
fn records_of_large_blocks_are_read() {
    let cubin = cubin::parse(LARGE).unwrap();
    assert_eq!(cubin.sm, Sm(90));
    let symbol = "_Z5large3BigbPi";
    assert_eq!(records(&cubin, symbol), [(0, 4360), (4360, 1), (4368, 8)]);
    assert_eq!(cubin.kernel(symbol).unwrap().size, 4376);
}

#[test]
fn the_sm_version_is_where_older_toolkits_put_it() {
    let mut bytes = SM_75.to_vec();
    bytes[7] = 0x33; // OSABI
    bytes[48..52].copy_from_slice(&0x0056_0556_u32.to_le_bytes()); // e_flags of an sm_86 cubin of CUDA 12
    assert_eq!(cubin::parse(&bytes).unwrap().sm, Sm(0x56));
}

#[test]
fn a_cubin_is_read_at_any_address() {
    let mut buffer = vec![0; SM_75.len() + 8];
    for shift in 0..8 {
        buffer[shift..shift + SM_75.len()].copy_from_slice(SM_75);
        let cubin = cubin::parse(&buffer[shift..shift + SM_75.len()]).unwrap();
        assert_eq!(cubin.kernels.len(), 5);
    }
}

#[test]
fn members_of_fat_binaries_are_read_in_every_compression() {
    let mut cubins = Vec::new();
    let mut texts = Vec::new();
    for (bytes, of_ptx, of_elf) in FATBINS {
        let members = fatbin::members(bytes).unwrap();
        let seen: Vec<_> = members
            .iter()
            .map(|m| (m.kind, m.sm, m.compression))
            .collect();
        assert_eq!(
            seen,
            [(Kind::Elf, Sm(75), of_elf), (Kind::Ptx, Sm(75), of_ptx)]
        );
        cubins.push(members[0].bytes().unwrap());
        texts.push(members[1].bytes().unwrap());
    }
    for (cubin, text) in cubins.iter().zip(&texts) {
        assert_eq!(
            records(&cubin::parse(cubin).unwrap(), "plain"),
            [(0, 1), (16, 16), (32, 8)]
        );
        let module = Module::parse_bytes(text).unwrap();
        assert_eq!(module.entries[0].directives.max_threads, Some([128, 1, 1]));
        assert_eq!(text.trim_ascii_end_nul(), texts[0].trim_ascii_end_nul());
    }
}

/// Text without the NULs that pad it.
trait TrimNul {
    fn trim_ascii_end_nul(&self) -> &[u8];
}

impl TrimNul for [u8] {
    fn trim_ascii_end_nul(&self) -> &[u8] {
        let end = self
            .iter()
            .rposition(|&b| b != 0)
            .map_or(0, |last| last + 1);
        &self[..end]
    }
}

#[test]
fn containers_that_follow_each_other_are_one() {
    let mut bytes = FATBINS[0].0.to_vec();
    bytes.extend([0; 4]);
    bytes.extend(FATBINS[2].0);
    bytes.extend(b"what follows");
    assert_eq!(fatbin::members(&bytes).unwrap().len(), 4);
}

#[test]
fn an_image_of_any_kind_gives_the_same_kernel() {
    let plain = |bytes: &[u8]| {
        let image = Image::read(bytes).unwrap();
        let kernels = image.kernels().unwrap();
        let kernel = kernels.kernel("plain", Some(Sm(75))).unwrap();
        let parameters = kernel.parameters();
        let seen = parameters.iter();
        seen.map(|p| (p.offset, p.size, p.align.map(Alignment::bytes), p.class))
            .collect::<Vec<_>>()
    };
    let ptx = [
        (1, 1, Class::Integer),
        (16, 16, Class::Bytes),
        (8, 8, Class::Integer),
    ];
    let offsets = [0, 16, 32];
    assert_eq!(
        plain(PTX),
        ptx.map(|(size, align, class)| (None, size, Some(align), class))
    );
    let sizes = ptx.map(|(size, ..)| size);
    let expected: Vec<_> = offsets
        .iter()
        .zip(sizes)
        .map(|(&at, size)| (Some(at), size, None, Class::Unknown))
        .collect();
    assert_eq!(plain(SM_75), expected);
    for (bytes, ..) in FATBINS {
        let expected = offsets.iter().zip(ptx);
        let expected =
            expected.map(|(&at, (size, align, class))| (Some(at), size, Some(align), class));
        assert_eq!(plain(bytes), expected.collect::<Vec<_>>());
    }
}

#[test]
fn types_come_from_the_symbol_whatever_the_image() {
    for bytes in [PTX, SM_75, SM_100] {
        let image = Image::read(bytes).unwrap();
        let kernels = image.kernels().unwrap();
        assert_eq!(kernels.symbols().count(), 5);
        let kernel = kernels
            .kernel("_ZN3sim4stepENS_6ParamsEhNS_4LineEPi", None)
            .unwrap();
        let types: Vec<_> = kernel
            .parameters()
            .iter()
            .map(|p| p.cpp.to_string())
            .collect();
        assert_eq!(types, ["sim::Params", "unsigned char", "sim::Line", "int*"]);
        assert!(kernels.kernel("step", None).is_none());
    }
}

#[test]
fn a_cubin_of_another_generation_tells_no_offsets() {
    let image = Image::read(SM_75).unwrap();
    let kernels = image.kernels().unwrap();
    assert!(kernels.kernel("plain", Some(Sm(75))).is_some());
    assert!(kernels.kernel("plain", Some(Sm(80))).is_none());
}

#[test]
fn what_cannot_be_read_is_refused_with_its_reason() {
    let image = |bytes: &[u8]| {
        Image::read(bytes)
            .and_then(|image| image.kernels().map(|_| ()))
            .expect_err("not refused")
            .to_string()
    };
    let patched = |bytes: &[u8], at: usize, patch: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes[at..at + patch.len()].copy_from_slice(patch);
        bytes
    };
    let fat = FATBINS[2].0;
    for (bytes, reason) in [
        (vec![], "neither PTX, nor a cubin, nor a fat binary"),
        (vec![1, 2, 3, 4, 5], "it begins with `\\x01\\x02\\x03\\x04`"),
        (
            b"hello".to_vec(),
            "line 1, column 1: expected PTX, which begins with `.version`, found `hello`",
        ),
        (b"\x7fELF".to_vec(), "not a cubin"),
        (patched(SM_75, 4, &[1]), "32-bit device code"),
        (
            patched(SM_75, 18, &[62, 0]),
            "machine 62, where NVIDIA GPUs have 190",
        ),
        (SM_75[..SM_75.len() / 2].to_vec(), "not a cubin: "),
        (
            vec![0xb1, 0x43, 0x62, 0x46, 1, 0, 0, 0],
            "the wrapper of a fat binary",
        ),
        (
            patched(fat, 4, &[2, 0]),
            "a fat binary of version 2, where 1 is known",
        ),
        (
            fat[..fat.len() - 1].to_vec(),
            "what begins at byte 0 ends outside of it",
        ),
        (
            patched(fat, 16 + 4, &[0xff; 4]),
            "what begins at byte 16 ends outside of it",
        ),
        (
            patched(fat, 16 + 8, &[0xff; 8]),
            "what begins at byte 16 ends outside of it",
        ),
        (
            patched(fat, 16 + 56, &[0xff; 8]),
            "above the limit of 536870912",
        ),
        (patched(fat, 16 + 56, &[1]), "not proper Zstandard data"),
        (
            patched(fat, 16 + 56, &[0, 0, 0, 1]),
            "not proper Zstandard data",
        ),
    ] {
        let message = image(&bytes);
        assert!(message.contains(reason), "{message} has no {reason}");
    }
    let lz4 = FATBINS[1].0;
    let ptx = fatbin::members(lz4).unwrap()[1];
    let claimed = lz4.len() - ptx.payload.len().next_multiple_of(8) - 24;
    let message = image(&patched(lz4, claimed, &[0xff, 0xff, 0xff]));
    assert!(message.contains("not proper LZ4 data"), "{message}");

    // LTO-IR alone tells nothing; beside a cubin it is passed over.
    let second = fat.len()
        - fatbin::members(fat).unwrap()[1]
            .payload
            .len()
            .next_multiple_of(8)
        - 80;
    let no_ptx = patched(fat, second, &[8]);
    assert_eq!(
        image::Kernels::symbols(&Image::read(&no_ptx).unwrap().kernels().unwrap()).count(),
        1
    );
    let message = image(&patched(&no_ptx, 16, &[8]));
    assert!(
        message.contains("is LTO-IR, which does not tell its kernels' parameters"),
        "{message}"
    );
}

/// Every truncation, and every byte replaced by several others: an error or a reading, never a panic.
#[test]
fn broken_images_do_not_panic() {
    let mut read = 0_u32;
    let mut refused = 0_u32;
    let mut look = |bytes: &[u8]| match Image::read(bytes) {
        Ok(image) => match image.kernels() {
            Ok(kernels) => {
                for symbol in kernels.symbols() {
                    let _ = kernels.kernel(symbol, None).unwrap().parameters();
                }
                read += 1;
            }
            Err(_) => refused += 1,
        },
        Err(_) => refused += 1,
    };
    for (bytes, ..) in FATBINS
        .into_iter()
        .chain([(PTX, Compression::None, Compression::None)])
    {
        for end in 0..bytes.len() {
            look(&bytes[..end]);
        }
        let mut broken = bytes.to_vec();
        for at in 0..broken.len() {
            for value in [0xff, bytes[at] ^ 0x10] {
                broken[at] = value;
                look(&broken);
            }
            broken[at] = bytes[at];
        }
    }
    let mut broken = SM_75.to_vec();
    for at in 0..SM_75.len() {
        broken[at] ^= 0xff;
        look(&broken);
        broken[at] = SM_75[at];
    }
    println!("{read} read, {refused} refused");
    assert!(read > 1000 && refused > 1000);
}
