//! Broken images: an error with its reason, never a panic.

use kernel_args_image::{
    self as image, Image,
    fatbin::{self, Compression},
};
use kernel_args_test_generator::size;

const SM_75: &[u8] = include_bytes!("../data/kernels.sm_75.cubin");
const PTX: &[u8] = include_bytes!("../data/kernels.ptx");
const FATBINS: [(&[u8], Compression, Compression); 3] = [
    (include_bytes!("../data/one.none.fatbin"), Compression::None, Compression::None),
    (include_bytes!("../data/one.speed.fatbin"), Compression::Lz4, Compression::None),
    (include_bytes!("../data/one.size.fatbin"), Compression::Zstd, Compression::Zstd),
];

#[test]
fn what_cannot_be_read_is_refused_with_its_reason() {
    let image = |bytes: &[u8]| {
        Image::read(bytes).and_then(|image| image.kernels().map(|_| ())).expect_err("not refused").to_string()
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
        (b"hello".to_vec(), "line 1, column 1: expected PTX, which begins with `.version`, found `hello`"),
        (b"\x7fELF".to_vec(), "not a cubin"),
        (patched(SM_75, 4, &[1]), "32-bit device code"),
        (
            patched(SM_75, 18, &[62, 0]),
            "an object file, a library or a program for x86-64, not for NVIDIA GPUs: `nvcc -cubin`",
        ),
        (SM_75[..SM_75.len() / 2].to_vec(), "not a cubin: "),
        (vec![0xb1, 0x43, 0x62, 0x46, 1, 0, 0, 0], "the wrapper of a fat binary"),
        (patched(fat, 4, &[2, 0]), "a fat binary of version 2, but only version 1 is supported"),
        (fat[..fat.len() - 1].to_vec(), "the header or payload at byte 0 ends outside of it"),
        (patched(fat, 16 + 4, &[0xff; 4]), "the header or payload at byte 16 ends outside of it"),
        (patched(fat, 16 + 8, &[0xff; 8]), "the header or payload at byte 16 ends outside of it"),
        (patched(fat, 16 + 56, &[0xff; 8]), "more than the limit of 134217728"),
        (patched(fat, 16 + 56, &[1]), "not valid Zstandard data"),
        (patched(fat, 16 + 56, &[0, 0, 0, 1]), "not valid Zstandard data"),
    ] {
        let message = image(&bytes);
        assert!(message.contains(reason), "{message} has no {reason}");
    }
    let lz4 = FATBINS[1].0;
    let ptx = fatbin::members(lz4).unwrap()[1];
    let claimed = lz4.len() - ptx.payload.len().next_multiple_of(8) - 24;
    let message = image(&patched(lz4, claimed, &[0xff, 0xff, 0xff]));
    assert!(message.contains("not valid LZ4 data"), "{message}");

    // LTO-IR alone contains no data about kernels; next to a cubin it is skipped.
    let second = fat.len() - fatbin::members(fat).unwrap()[1].payload.len().next_multiple_of(8) - 80;
    let no_ptx = patched(fat, second, &[8]);
    assert_eq!(image::Kernels::symbols(&Image::read(&no_ptx).unwrap().kernels().unwrap()).count(), 1);
    let message = image(&patched(&no_ptx, 16, &[8]));
    assert!(message.contains("is LTO-IR, which does not contain its kernels' parameters"), "{message}");
}

/// Truncated images, and images with replaced bytes: an error or a result, never a panic. Every fifth by default, all
/// with `KERNEL_ARGS_FULL=1`.
#[test]
fn broken_images_do_not_panic() {
    let step = size::choose(5, 1);
    let mut read = 0_u32;
    let mut refused = 0_u32;
    let mut look = |bytes: &[u8]| match Image::read(bytes) {
        Ok(image) => match image.kernels() {
            Ok(kernels) => {
                for symbol in kernels.symbols() {
                    let _ = kernels.kernel(symbol, None).unwrap().parameters();
                }
                for symbol in kernels.variable_symbols() {
                    let variable = kernels.variable(symbol, None).unwrap();
                    assert!(variable.value().unwrap().size > 0);
                }
                read += 1;
            }
            Err(_) => refused += 1,
        },
        Err(_) => refused += 1,
    };
    for (bytes, ..) in FATBINS.into_iter().chain([(PTX, Compression::None, Compression::None)]) {
        for end in (0..bytes.len()).step_by(step) {
            look(&bytes[..end]);
        }
        let mut broken = bytes.to_vec();
        for at in (0..broken.len()).step_by(step) {
            for value in [0xff, bytes[at] ^ 0x10] {
                broken[at] = value;
                look(&broken);
            }
            broken[at] = bytes[at];
        }
    }
    let mut broken = SM_75.to_vec();
    for at in (0..SM_75.len()).step_by(step) {
        broken[at] ^= 0xff;
        look(&broken);
        broken[at] = SM_75[at];
    }
    println!("{read} read, {refused} refused");
    assert!(read > 1000 && refused > 1000);
}
