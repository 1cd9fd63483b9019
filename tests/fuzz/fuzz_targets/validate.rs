//! In a valid image all offsets are in bounds: a second check of the headers finds no error, and the reader accepts
//! it.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_image::{self as image, Image, Kind, fatbin};
use libfuzzer_sys::fuzz_target;

fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    let mut number = [0; 8];
    number[..size].copy_from_slice(&bytes[at..at + size]);
    u64::from_le_bytes(number)
}

fn assert_inside(bytes: &[u8], offset: u64, size: u64) {
    let end = offset.checked_add(size).expect("an end");
    assert!(size == 0 || end <= bytes.len() as u64, "{offset} {size}");
}

/// The headers of a table. Its offset, entry size and count are at these positions.
fn headers(bytes: &[u8], table: usize, size: usize, count: usize) -> impl Iterator<Item = usize> {
    let (table, count) = (number(bytes, table, 8), number(bytes, count, 2));
    assert_inside(bytes, table, count * size as u64);
    (0..count as usize).map(move |i| table as usize + i * size)
}

fuzz_target!(|bytes: &[u8]| {
    match image::validate(bytes) {
        Ok(Kind::Cubin) => {
            for at in headers(bytes, 32, 56, 56) {
                assert_inside(bytes, number(bytes, at + 8, 8), number(bytes, at + 32, 8));
            }
            for at in headers(bytes, 40, 64, 60).skip(1) {
                if !matches!(number(bytes, at + 4, 4), 8 | 0x7000_0007 | 0x7000_0009 | 0x7000_000a) {
                    assert_inside(bytes, number(bytes, at + 24, 8), number(bytes, at + 32, 8));
                }
            }
            Image::read(bytes).unwrap().kernels().expect("a valid cubin is read");
        }
        Ok(Kind::Fatbin) => {
            assert_inside(bytes, number(bytes, 6, 2).max(16), number(bytes, 8, 8));
            fatbin::members(bytes).expect("a valid fat binary has members");
        }
        Ok(_) => assert!(bytes[0].is_ascii_graphic() || bytes[0].is_ascii_whitespace() || bytes[0] == 0x0b),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

#[cfg(not(fuzzing))]
fn main() {}
