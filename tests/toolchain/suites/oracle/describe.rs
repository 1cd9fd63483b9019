//! The program of the oracle's generated crate. For every struct of the module `structs` it prints the results of rustc
//! and the derives, one fact per line.
//!
//! `describe SEED [OFFSETS]`: SEED is the seed of the values. A line of the file OFFSETS contains the number of a
//! signature, a GPU, and the offsets of the parameters on it: `7<TAB>90<TAB>0,16,48`.
//!
//! | line | columns |
//! |---|---|
//! | `block` | signature, size, alignment |
//! | `parameter` | signature, number, offset, size, alignment, class |
//! | `struct` | signature, `size_of`, `align_of`, `LAYOUT`'s size and alignment, `offset_of!` of each field |
//! | `params` | signature, the bytes behind each pointer of `kernelParams` |
//! | `packed` | signature, the packed form's bytes |
//! | `packed_at` | signature, GPU, the packed form's bytes at the offsets of OFFSETS |

use kernel_args::KernelArgs;
use kernel_args_abi::param_layout::LIMIT;
use kernel_args_tests::values::{Structure, Visitor};
use std::{env, fmt::Write as _, fs, process::ExitCode, slice};

#[allow(warnings)]
mod structs;
use structs::{structures, visit};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some(seed) = arguments.first().and_then(|seed| seed.parse().ok()) else {
        eprintln!("usage: describe SEED [OFFSETS]");
        return ExitCode::from(2);
    };
    let offsets = arguments.get(1).map(fs::read_to_string).transpose();
    let offsets = match offsets {
        Ok(text) => text.as_deref().map_or(Vec::new(), parse),
        Err(error) => {
            eprintln!("describe: {}: {error}", arguments[1]);
            return ExitCode::FAILURE;
        }
    };
    visit(seed, 0, &mut Describe { offsets });
    structures(|structure| {
        let Structure {
            index,
            size,
            align,
            offsets,
            layout,
        } = structure;
        println!(
            "struct\t{index}\t{size}\t{align}\t{}\t{}\t{}",
            layout.size(),
            layout.align().bytes(),
            list(&offsets)
        );
    });
    ExitCode::SUCCESS
}

/// The offsets of one signature's parameters on one GPU.
struct Place {
    index: usize,
    sm: String,
    offsets: Vec<usize>,
}

fn parse(text: &str) -> Vec<Place> {
    let line = |line: &str| {
        let mut columns = line.split('\t');
        Some(Place {
            index: columns.next()?.parse().ok()?,
            sm: columns.next()?.to_owned(),
            offsets: columns
                .next()?
                .split(',')
                .map(|offset| offset.parse().ok())
                .collect::<Option<_>>()?,
        })
    };
    text.lines().filter_map(line).collect()
}

struct Describe {
    offsets: Vec<Place>,
}

impl Visitor for Describe {
    fn packable<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        args.with_packed(|bytes| println!("packed\t{index}\t{}", hex(bytes)));
        self.over_aligned(index, args);
    }

    fn over_aligned<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        let (size, align) = (A::LAYOUT.size(), A::LAYOUT.align().bytes());
        println!("block\t{index}\t{size}\t{align}");
        for (i, parameter) in A::PARAMETERS.iter().enumerate() {
            println!(
                "parameter\t{index}\t{i}\t{}\t{}\t{}\t{:?}",
                parameter.offset.map_or(String::new(), |n| n.to_string()),
                parameter.size,
                parameter
                    .align
                    .map_or(String::new(), |a| a.bytes().to_string()),
                parameter.class
            );
        }
        args.with_kernel_params(|pointers| {
            let bytes: Vec<String> = pointers
                .iter()
                .zip(A::PARAMETERS)
                .map(|(pointer, parameter)| {
                    // SAFETY: each pointer is valid for its parameter's size, and all bytes are initialized.
                    hex(unsafe { slice::from_raw_parts(pointer.cast::<u8>(), parameter.size) })
                })
                .collect();
            println!("params\t{index}\t{}", bytes.join(","));
        });
        // Not zeros, to detect bytes that are not written.
        let mut buffer = vec![0xa5; LIMIT + 1024];
        for place in self.offsets.iter().filter(|place| place.index == index) {
            match args.pack_at(&place.offsets, &mut buffer) {
                Ok(bytes) => println!("packed_at\t{index}\t{}\t{}", place.sm, hex(bytes)),
                Err(error) => println!("packed_at\t{index}\t{}\t{error}", place.sm),
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn list(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(",")
}
