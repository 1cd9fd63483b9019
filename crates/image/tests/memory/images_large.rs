//! Images that use much memory or time: the memory allocated for reading them, including bombs.

use super::allocated::peak;
use kernel_args_image::{
    self as image, Image,
    fatbin::{EXPANSION_FLOOR, EXPANSION_LIMIT},
};
use std::fmt::Write as _;

/// Reads an image completely. Returns the number of its kernels, or the error.
fn kernels(bytes: &[u8]) -> Result<usize, String> {
    let image = Image::read(bytes).map_err(|error| error.to_string())?;
    let kernels = image.kernels().map_err(|error| error.to_string())?;
    let count = kernels.symbols().count();
    Ok(count)
}

const PTX: u16 = 1;
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;

/// A container with one member.
fn container(payload: &[u8], flags: u64, size: u64) -> Vec<u8> {
    let padded = payload.len().next_multiple_of(8);
    let mut member = Vec::new();
    member.extend(PTX.to_le_bytes());
    member.extend([1, 1]);
    member.extend(64_u32.to_le_bytes());
    member.extend((padded as u64).to_le_bytes());
    member.extend(u32::try_from(payload.len()).unwrap().to_le_bytes());
    member.extend([0; 8]);
    member.extend(75_u32.to_le_bytes());
    member.extend([0; 8]);
    member.extend(flags.to_le_bytes());
    member.extend([0; 8]);
    member.extend(size.to_le_bytes());
    assert_eq!(member.len(), 64);
    member.extend(payload);
    member.resize(64 + padded, 0);
    let mut container = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    container.extend((member.len() as u64).to_le_bytes());
    container.extend(member);
    container
}

/// A Zstandard frame of `blocks` runs of 128 KiB each: 4 bytes per block.
fn zstd_of_blanks(blocks: usize) -> Vec<u8> {
    const SIZE: u32 = 128 << 10;
    // No content size, no checksum, a window of 128 KiB.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 7 << 3];
    for block in 0..blocks {
        let last = u32::from(block + 1 == blocks);
        frame.extend(&(SIZE << 3 | 1 << 1 | last).to_le_bytes()[..3]);
        frame.push(b' ');
    }
    frame
}

const HEAD: &str = ".version 9.0\n.target sm_90\n";

/// About `size` bytes of minimal kernels.
fn tiny_kernels(size: usize) -> String {
    let mut text = String::from(HEAD);
    let mut number = 0;
    while text.len() < size {
        writeln!(text, ".entry k{number:x};").unwrap();
        number += 1;
    }
    text
}

/// A regression test: 50 KB used 1.75 GB.
#[test]
fn a_bomb_is_refused_before_it_takes_memory() {
    let limit = 8 * EXPANSION_FLOOR as usize;
    let blocks = 12_800;
    let whole = blocks as u64 * (128 << 10);
    for claimed in [whole, u64::MAX, EXPANSION_FLOOR + 1] {
        let bomb = container(&zstd_of_blanks(blocks), ZSTD, claimed);
        assert!(bomb.len() < 52_000);
        for read in [
            |bytes: &[u8]| kernels(bytes).map(|_| ()),
            |bytes: &[u8]| image::validate(bytes).map(|_| ()).map_err(|error| error.to_string()),
        ] {
            let (refused, peak) = peak(|| read(&bomb).unwrap_err());
            let expected = format!(
                "a member of a fat binary has {claimed} bytes, more than the limit of {EXPANSION_FLOOR} for its size in \
                 the file"
            );
            assert_eq!(refused, expected);
            assert!(peak < 1 << 20, "{peak}");
        }
    }
    // A member with a too small size in its header, and many members that are large together.
    let small = container(&zstd_of_blanks(blocks), ZSTD, 16 << 20);
    let (refused, taken) = peak(|| kernels(&small).unwrap_err());
    assert_eq!(refused, "a member of a fat binary is not valid Zstandard data");
    assert!(taken < 64 << 20 && taken < limit, "{taken}");
    let many = container(&zstd_of_blanks(160), ZSTD, 20 << 20).repeat(13);
    let (refused, taken) = peak(|| kernels(&many).unwrap_err());
    let expected = format!("more than {EXPANSION_FLOOR} bytes in total when decompressed");
    assert!(refused.contains(&expected), "{refused}");
    assert!(taken < 1 << 20, "{taken}");
}

/// The specified size of a member counts. At most four times that is allocated for it.
#[test]
fn a_large_member_takes_a_few_times_its_size() {
    let blocks = 128;
    let size = blocks * (128 << 10);
    let blank = container(&zstd_of_blanks(blocks), ZSTD, size as u64);
    let (refused, taken) = peak(|| kernels(&blank).unwrap_err());
    assert!(refused.contains("expected PTX"), "{refused}");
    assert!(taken < 4 * size, "{taken} for {size}");
}

#[test]
fn many_tiny_kernels_take_a_few_times_their_text() {
    let text = tiny_kernels(1 << 20);
    let (count, taken) = peak(|| kernels(text.as_bytes()).unwrap());
    assert!(count > 60_000, "{count}");
    assert!(taken < 8 * text.len(), "{taken} for {}", text.len());
    let packed = lz4_flex::block::compress(text.as_bytes());
    let packed = container(&packed, LZ4, text.len() as u64);
    let (again, taken) = peak(|| kernels(&packed).unwrap());
    assert_eq!(again, count);
    assert!(taken < 8 * text.len(), "{taken} for {}", text.len());
}

/// As in the section `.nv_fatbin` of a library: 156 MB with `KERNEL_ARGS_FULL`.
#[test]
fn a_large_section_is_read_member_by_member() {
    let full = std::env::var_os("KERNEL_ARGS_FULL").is_some();
    let megabytes = if full { 156 } else { 12 };
    let mut section = Vec::new();
    let mut random = 7_u64;
    let mut members = 0;
    while section.len() < megabytes * 1_000_000 {
        let mut text = format!("{HEAD}.entry k{members}(.param .u64 p) {{ // ");
        for _ in 0..1 << 17 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            write!(text, "{:06x}", random >> 40).unwrap();
        }
        text.push_str("\n}\n");
        let packed = lz4_flex::block::compress(text.as_bytes());
        section.extend(container(&packed, LZ4, text.len() as u64));
        members += 1;
    }
    let largest = 800_000;
    let (read, taken) = peak(|| kernels(&section));
    assert_eq!(read, Ok(members));
    assert!(taken < 8 * largest, "{taken} for members of {largest}");
    let (valid, taken) = peak(|| image::validate(&section));
    assert_eq!(valid, Ok(image::Kind::Fatbin));
    assert!(taken < 8 * largest, "{taken} for members of {largest}");
    println!("{members} members, {} bytes, {taken} allocated at most", section.len());
    const { assert!(EXPANSION_LIMIT >= 16) };
}
