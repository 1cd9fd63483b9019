//! Targets for the cost of a launch: ratios of two rows, each with its limit.

use crate::{
    measured::Measured,
    ways::{
        BARE_EX_PACKED, BARE_EX_PARAMS, BARE_GRAPH_PACKED, BARE_GRAPH_PARAMS, BARE_GRAPH_UNCHANGED, BARE_PACKED,
        BARE_PARAMS, C_EX_PACKED, C_GRAPH_PACKED, C_GRAPH_PARAMS, C_GRAPH_UNCHANGED, CHEVRONS, CUDARC, CUDARC_PATCHED,
        DIMS, DIMS_ALLOCATED, DIMS_BY_VALUE, DIMS_COPIED, DIMS_SPREAD, GRAPH, OURS, OURS_FUNCTION, OURS_GRAPH,
        OURS_GRAPH_UNCHANGED, OURS_PATCHED, SLICES, SLICES_TWO_STREAMS, STEP_BOTH, STEP_CHECKS, STEPS, STRUCT_4_KIB,
        STRUCT_32_KIB,
    },
};
use std::fmt::Write;

/// Rows of the results: a case, and ways to launch it. The fastest way counts.
type Place = (&'static str, &'static [&'static str]);

/// A ratio and its limit.
struct Target {
    what: &'static str,
    ours: Place,
    other: Place,
    limit: f64,
}

/// All launch functions of the driver.
const DRIVER: &[&str] = &[BARE_PARAMS, BARE_PACKED, BARE_EX_PARAMS, BARE_EX_PACKED];
/// The driver functions for a graph, in Rust.
const DRIVER_GRAPH: &[&str] = &[BARE_GRAPH_PARAMS, BARE_GRAPH_PACKED];
/// The driver functions for a graph, in C.
const C_GRAPH: &[&str] = &[C_GRAPH_PARAMS, C_GRAPH_PACKED];
const P8: &str = "8 parameters";
const P128: &str = "128 parameters";
const P512: &str = "512 parameters";

const fn target(what: &'static str, ours: Place, other: Place, limit: f64) -> Target {
    Target { what, ours, other, limit }
}

/// Targets within one program: our launch compared with the fastest driver function.
macro_rules! beside_the_driver {
    ($($what:literal, $case:ident;)*) => {
        [$(target(
            concat!("`launch!` / the driver's fastest way, ", $what),
            ($case, &[OURS]),
            ($case, DRIVER),
            1.02,
        )),*]
    };
}

const DRIVER_BOUND: &[Target] = &beside_the_driver! {
    "8 parameters", P8;
    "128 parameters", P128;
    "512 parameters", P512;
    "a struct of 4 KiB", STRUCT_4_KIB;
    "a struct of 32 KiB", STRUCT_32_KIB;
};

const TARGETS: &[Target] = &[
    target("`launch!` / C++ `<<<>>>`, 8 parameters", (P8, &[OURS]), (P8, &[CHEVRONS]), 0.96),
    target("`launch!` / C++ `<<<>>>`, 128 parameters", (P128, &[OURS]), (P128, &[CHEVRONS]), 0.90),
    target("`launch!` / C++ `<<<>>>`, 512 parameters", (P512, &[OURS]), (P512, &[CHEVRONS]), 0.68),
    target(
        "`launch!` / `cuLaunchKernel` with kernelParams, a struct of 4 KiB",
        (STRUCT_4_KIB, &[OURS]),
        (STRUCT_4_KIB, &[BARE_PARAMS]),
        0.90,
    ),
    target(
        "`launch!` / `cuLaunchKernel` with kernelParams, a struct of 32 KiB",
        (STRUCT_32_KIB, &[OURS]),
        (STRUCT_32_KIB, &[BARE_PARAMS]),
        0.70,
    ),
    target("`launch!` / bare `cuLaunchKernelEx`, packed, 8 parameters", (P8, &[OURS]), (P8, &[BARE_EX_PACKED]), 1.01),
    target(
        "`launch!` / bare `cuLaunchKernelEx`, packed, 512 parameters",
        (P512, &[OURS]),
        (P512, &[BARE_EX_PACKED]),
        1.02,
    ),
    target(
        "all checks together: `launch!` / the same without checks, 8 parameters",
        (STEPS, &[STEP_CHECKS]),
        (STEPS, &[STEP_BOTH]),
        1.01,
    ),
    target(
        "`launch!` with a `CudaFunction` / with a `Kernel`, 8 parameters",
        (P8, &[OURS_FUNCTION]),
        (P8, &[OURS]),
        1.03,
    ),
    target(
        "`launch!` with a `CudaFunction` / with a `Kernel`, 128 parameters",
        (P128, &[OURS_FUNCTION]),
        (P128, &[OURS]),
        1.03,
    ),
    target(
        "`launch!` with a `CudaFunction` / with a `Kernel`, 512 parameters",
        (P512, &[OURS_FUNCTION]),
        (P512, &[OURS]),
        1.03,
    ),
    target(
        "200 nodes updated and launched / the same in C in its faster form",
        (GRAPH, &[OURS_GRAPH]),
        (GRAPH, C_GRAPH),
        1.05,
    ),
    target("200 nodes updated and launched / 200 launches", (GRAPH, &[OURS_GRAPH]), (P8, &[OURS]), 0.22),
];

/// Comparisons without a target: the agreement of two processes, and of two positions in one process; the driver
/// functions compared with each other; the cost of tracking.
const BESIDE: &[Target] = &[
    target(
        "the driver's fastest way / `cuLaunchKernel` with kernelParams, a struct of 4 KiB",
        (STRUCT_4_KIB, DRIVER),
        (STRUCT_4_KIB, &[BARE_PARAMS]),
        f64::NAN,
    ),
    target(
        "the driver's fastest way / `cuLaunchKernel` with kernelParams, a struct of 32 KiB",
        (STRUCT_32_KIB, DRIVER),
        (STRUCT_32_KIB, &[BARE_PARAMS]),
        f64::NAN,
    ),
    target(
        "200 nodes updated and launched in C / 200 launches in C with `cuLaunchKernelEx`, packed",
        (GRAPH, C_GRAPH),
        (P8, &[C_EX_PACKED]),
        f64::NAN,
    ),
    target(
        "200 nodes updated and launched / the same calls alone, in Rust",
        (GRAPH, &[OURS_GRAPH]),
        (GRAPH, DRIVER_GRAPH),
        f64::NAN,
    ),
    target(
        "a graph launched unchanged / only `cuGraphLaunch` of a graph that retains nothing, in Rust",
        (GRAPH, &[OURS_GRAPH_UNCHANGED]),
        (GRAPH, &[BARE_GRAPH_UNCHANGED]),
        f64::NAN,
    ),
    target(
        "the same calls in Rust and in C: nodes updated packed, and the graph launched",
        (GRAPH, &[BARE_GRAPH_PACKED]),
        (GRAPH, &[C_GRAPH_PACKED]),
        f64::NAN,
    ),
    target(
        "the same call in Rust and in C: `cuGraphLaunch`",
        (GRAPH, &[BARE_GRAPH_UNCHANGED]),
        (GRAPH, &[C_GRAPH_UNCHANGED]),
        f64::NAN,
    ),
    target(
        "the same call at two places of the Rust program: `cuLaunchKernelEx`, packed, 8 parameters",
        (STEPS, &[BARE_EX_PACKED]),
        (P8, &[BARE_EX_PACKED]),
        f64::NAN,
    ),
    target(
        "the same call in Rust and in C: `cuLaunchKernelEx`, packed, 8 parameters",
        (P8, &[BARE_EX_PACKED]),
        (P8, &[C_EX_PACKED]),
        f64::NAN,
    ),
    target("3 tracked slices, one stream: `launch!` / bare", (SLICES, &[OURS]), (SLICES, &[BARE_PARAMS]), f64::NAN),
    target(
        "3 tracked slices, a second stream: `launch!` / bare",
        (SLICES_TWO_STREAMS, &[OURS]),
        (SLICES_TWO_STREAMS, &[BARE_PARAMS]),
        f64::NAN,
    ),
    target(
        "3 tracked slices, a second stream: `launch!` / cudarc",
        (SLICES_TWO_STREAMS, &[OURS]),
        (SLICES_TWO_STREAMS, &[CUDARC]),
        f64::NAN,
    ),
    target(
        "3 tracked slices, a second stream, cudarc patched: `launch!` / bare",
        (SLICES_TWO_STREAMS, &[OURS_PATCHED]),
        (SLICES_TWO_STREAMS, &[BARE_PARAMS]),
        f64::NAN,
    ),
    target(
        "3 tracked slices, a second stream: cudarc patched / cudarc",
        (SLICES_TWO_STREAMS, &[CUDARC_PATCHED]),
        (SLICES_TWO_STREAMS, &[CUDARC]),
        f64::NAN,
    ),
    target(
        "lengths and strides of a tensor: by value / uploaded to new memory",
        (DIMS, &[DIMS_BY_VALUE]),
        (DIMS, &[DIMS_ALLOCATED]),
        f64::NAN,
    ),
    target(
        "lengths and strides of a tensor: by value / uploaded to kept memory",
        (DIMS, &[DIMS_BY_VALUE]),
        (DIMS, &[DIMS_COPIED]),
        f64::NAN,
    ),
    target(
        "lengths and strides of a tensor: spread / by value",
        (DIMS, &[DIMS_SPREAD]),
        (DIMS, &[DIMS_BY_VALUE]),
        f64::NAN,
    ),
];

/// Every target with its result, in Markdown.
#[must_use]
pub fn table(measured: &Measured) -> String {
    let mut text = String::from("| ratio | ns | ns | measured | at most | |\n|---|---|---|---|---|---|\n");
    for target in TARGETS.iter().chain(DRIVER_BOUND).chain(BESIDE) {
        let [ours, other] = [target.ours, target.other].map(|place| fastest(measured, place));
        let ratio = ours.zip(other).map(|(ours, other)| ours / other);
        let nanoseconds = |median: Option<f64>| median.map_or("–".to_owned(), |median| format!("{median:.0}"));
        let limit = if target.limit.is_nan() { String::new() } else { format!("{:.2}", target.limit) };
        let verdict = match ratio {
            None => "not measured",
            Some(_) if target.limit.is_nan() => "",
            Some(ratio) if ratio <= target.limit => "met",
            Some(_) => "**missed**",
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {limit} | {verdict} |",
            target.what,
            nanoseconds(ours),
            nanoseconds(other),
            ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.3}")),
        );
    }
    text
}

/// The median of the fastest of these ways.
fn fastest(measured: &Measured, (case, ways): Place) -> Option<f64> {
    let medians = ways.iter().filter_map(|way| measured.median(case, way));
    medians.min_by(f64::total_cmp)
}
