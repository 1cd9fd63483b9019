//! Compressed members with wrong sizes, and many of them: an error, or the specified size, with little memory.
//!
//! Run it with `-rss_limit_mb=1200`: eight times the limit of a member, plus libFuzzer's own memory.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_image::{
    self as image, Image,
    fatbin::{self, EXPANSION_FLOOR, EXPANSION_LIMIT},
};
use libfuzzer_sys::fuzz_target;

/// A member from a seed of 8 bytes: compressed PTX with this number of blocks, and the specified size.
fn member(seed: [u8; 8], payload: &[u8]) -> Vec<u8> {
    let [kind, blocks, runs, exponent, m0, m1, byte, exact] = seed;
    let zstd = kind & 1 == 0;
    let mut packed = Vec::new();
    let mut size = 0_u64;
    if zstd {
        packed.extend([0x28, 0xb5, 0x2f, 0xfd, 0x00, 7 << 3]);
        let count = u32::from(blocks) * u32::from(runs % 4) + 1;
        for block in 0..count {
            let header = (128 << 10) << 3 | 1 << 1 | u32::from(block + 1 == count);
            packed.extend(&header.to_le_bytes()[..3]);
            packed.push(byte);
            size += 128 << 10;
        }
    } else {
        // A literal, then a match at distance 1 with a length of this many times 255.
        packed.extend([0x1f, byte, 1, 0]);
        packed.extend(std::iter::repeat_n(0xff, usize::from(blocks) << (runs % 8)));
        packed.push(0);
        packed.extend([0x50, byte, byte, byte, byte, byte]);
        size = 1 + 19 + ((255 * u64::from(blocks)) << (runs % 8)) + 5;
    }
    packed.extend(payload);
    let claimed = match exact % 4 {
        0 => size,
        1 => size.wrapping_add(u64::from(m0)),
        _ => u64::from(u16::from_le_bytes([m0, m1])) << (exponent % 60),
    };
    packed.resize(packed.len().next_multiple_of(8), 0);
    let length = packed.len() as u64;
    let mut member = [1 + u16::from(kind >> 1 & 1), 0x101].map(u16::to_le_bytes).concat();
    member.extend(64_u32.to_le_bytes());
    member.extend(length.to_le_bytes());
    member.extend((length as u32).to_le_bytes());
    member.extend([0; 8]);
    member.extend(75_u32.to_le_bytes());
    member.extend([0; 8]);
    member.extend((if zstd { 0x8000_u64 } else { 0x2000 }).to_le_bytes());
    member.extend([0; 8]);
    member.extend(claimed.to_le_bytes());
    member.extend(packed);
    member
}

fuzz_target!(|bytes: &[u8]| {
    let (seeds, payload) = bytes.split_at(bytes.len() / 2);
    let (seeds, _) = seeds.as_chunks::<8>();
    let members: Vec<u8> = seeds.iter().take(8).flat_map(|&seed| member(seed, payload)).collect();
    let mut image = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    image.extend((members.len() as u64).to_le_bytes());
    image.extend(members);
    for member in fatbin::members(&image).expect("whole headers") {
        match member.bytes() {
            Ok(bytes) => assert_eq!(bytes.len() as u64, member.size),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        let limit = (member.payload.len() as u64 * EXPANSION_LIMIT).max(EXPANSION_FLOOR);
        assert!(member.size <= limit || member.bytes().is_err());
    }
    let _ = image::validate(&image);
    if let Ok(read) = Image::read(&image) {
        let _ = read.kernels();
    }
});

#[cfg(not(fuzzing))]
fn main() {}
