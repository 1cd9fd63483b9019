//! Every type of the table that has an echo kernel, between two chars.

use crate::echo::ways::{Between, Outcome, echo_between};
#[allow(clippy::wildcard_imports, reason = "every type of the table")]
use core::num::*;
#[allow(clippy::wildcard_imports, reason = "every type of the table")]
use kernel_args::*;
use kernel_args_test_generator::{cuda_types, foreign_types, spelling};
use kernel_args_tests::driver::trial;
#[allow(clippy::wildcard_imports, reason = "every type of the table")]
use kernel_args_tests::vectors::*;
use libtest_mimic::Trial;

const SCALARS: &str = include_str!("../../../../ptx/echo_scalars.ptx");
const VECTORS: &str = include_str!("../../../../ptx/echo_vectors.ptx");
const INTEROP: &str = include_str!("../../../../ptx/echo_interop.ptx");
const STRUCTS: &str = include_str!("../../../../ptx/echo_structs.ptx");

/// A type with its names in Rust and C++, and how a kernel in a PTX file echoes it.
type Row = (&'static str, &'static str, fn(&str, &str) -> Outcome);

macro_rules! rows {
    ($($rust:ty = $cpp:literal, $passed:ident $count:literal x $size:literal aligned $align:literal,
       $drawn:ident $(of $inner:ty)?;)*) => {
        const ROWS: &[Row] = &[$((spelling!($rust), $cpp, echo_between::<$rust>)),*];
    };
}

cuda_types!(rows);

macro_rules! foreign_rows {
    ($($rust:ty = $cpp:literal, $count:literal x $size:literal aligned $align:literal, echo $kernel:ident;)*) => {
        /// Foreign types, and the name of the kernel after `echo_`.
        const FOREIGN: &[Row] = &[$((spelling!($rust), stringify!($kernel), echo_between::<$rust>)),*];
    };
}

foreign_types!(foreign_rows);

/// Kernels that have neither the Rust name nor the C++ name of the type, and the Rust name.
const RENAMED: [(&str, &str); 11] = [
    ("char", "i8"),
    ("half2", "Half2"),
    ("bfloat162", "BFloat162"),
    ("f16", "half::f16"),
    ("bf16", "half::bf16"),
    ("float_complex", "CuFloatComplex"),
    ("double_complex", "CuDoubleComplex"),
    ("texture_object", "TextureObject"),
    ("surface_object", "SurfaceObject"),
    ("tensor_map_64", "TensorMapA64"),
    ("tensor_map_128", "TensorMap"),
];

/// The row of the type that the kernel `echo_NAME` takes.
fn row(name: &str) -> Option<&'static Row> {
    let renamed = RENAMED.iter().find(|(kernel, _)| *kernel == name);
    let name = renamed.map_or(name, |(_, rust)| rust);
    ROWS.iter().find(|(rust, cpp, _)| *rust == name || *cpp == name)
}

/// The names of the kernels `echo_NAME`.
fn names(ptx: &str) -> impl Iterator<Item = &str> {
    ptx.lines()
        .filter_map(|line| line.strip_prefix(".visible .entry echo_"))
        .map(|name| name.trim_end_matches(['(', ')', ' ']))
}

pub(crate) fn trials() -> Vec<Trial> {
    let of_structs = names(STRUCTS).filter(|name| row(name).is_some()).map(|name| (STRUCTS, name));
    let all = names(SCALARS).map(|name| (SCALARS, name));
    let all = all.chain(names(VECTORS).map(|name| (VECTORS, name)));
    let of_interop = names(INTEROP).filter(|name| row(name).is_some()).map(|name| (INTEROP, name));
    let own = all.chain(of_structs).chain(of_interop).map(|(ptx, name)| {
        let entry = format!("echo_{name}");
        trial(entry.clone(), move || -> Outcome {
            let (_, _, echo) = row(name).ok_or("no type of the table has this name")?;
            echo(ptx, &entry)
        })
    });
    let foreign = FOREIGN.iter().map(|(rust, kernel, echo)| {
        let name = format!("echo_{kernel} as {rust}");
        trial(name, move || -> Outcome {
            let ptx = [VECTORS, STRUCTS, INTEROP]
                .into_iter()
                .find(|ptx| names(ptx).any(|name| name == *kernel))
                .ok_or("there is no such kernel")?;
            echo(ptx, &format!("echo_{kernel}"))
        })
    });
    own.chain(foreign).collect()
}

// Without padding in `Between` the suite would not detect wrong offsets.
const _: () = assert!(Between::<Float4>::LAYOUT.size() == 33);
