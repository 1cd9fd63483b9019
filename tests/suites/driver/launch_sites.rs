//! Compares the launches of the example `inference` with the same launches through cudarc's builder: each passes the
//! same bytes, and is shorter.

use cudarc::driver::CudaSlice;
use half::{bf16, f16};
use inference::{
    Activation, BLOCK, Launches, Layer, Result,
    arguments::{Element, LinearShape, Matrix},
    checked::Checked,
    with_builder::WithBuilder,
};
use kernel_args_stand_in::{Control, Launch};
use kernel_args_tests::driver::{Driver, context, suite, trial, trial_unless};
use libtest_mimic::Trial;
use std::process::ExitCode;

pub(crate) fn main() -> ExitCode {
    suite("launch_sites", trials, |_| {})
}

fn trials(driver: &Driver) -> Vec<Trial> {
    let recorded = driver.is_real().then_some("a GPU does not tell what was launched");
    vec![
        trial_unless(recorded, "f32", each_launch_is_the_same::<f32>),
        trial_unless(recorded, "f16", each_launch_is_the_same::<f16>),
        trial_unless(recorded, "bf16", each_launch_is_the_same::<bf16>),
        trial("every_launch_is_shorter", every_launch_is_shorter),
    ]
}

/// The data that a launch passed to the driver. The handles of two modules differ.
fn launched(run: impl FnOnce() -> Result) -> Result<Launch> {
    let driver = Control::attach().ok_or("the test driver is gone")?;
    let before = driver.launches();
    run()?;
    let launches = driver.launches() - before;
    if launches != 1 {
        return Err(format!("{launches} launches instead of one").into());
    }
    let last = driver.last_launch().ok_or("nothing was launched")?;
    Ok(Launch { function: 0, ..last })
}

fn each_launch_is_the_same<T: Element>() -> Result {
    const ROWS: u32 = 6;
    const COLUMNS: u32 = 300;
    let ctx = context()?;
    let stream = &ctx.new_stream()?;
    let ours = Checked::<T>::load(&ctx)?;
    let theirs = WithBuilder::<T>::load(&ctx)?;

    let zeros = |n: u32| stream.alloc_zeros::<T>(n as usize);
    let counts = |n: u32| stream.alloc_zeros::<u32>(n as usize);
    let (x, mut out) = (zeros(ROWS * COLUMNS)?, zeros(ROWS * COLUMNS)?);
    let mut wide: CudaSlice<f32> = stream.alloc_zeros(x.len())?;
    let (a, b, mut classes) = (counts(ROWS)?, counts(ROWS)?, counts(ROWS)?);
    let layer = Layer { weights: zeros(COLUMNS * COLUMNS)?, bias: zeros(COLUMNS)? };
    let shape = Matrix { rows: ROWS, columns: COLUMNS };
    let linear = LinearShape { rows: ROWS, inputs: COLUMNS, outputs: COLUMNS };

    let mut compared = 0;
    macro_rules! same {
        ($($launch:ident($($argument:expr),*);)*) => {$(
            // SAFETY: the slices have the lengths of their shapes.
            let checked = launched(|| unsafe { ours.$launch(stream, $($argument),*) })?;
            // SAFETY: the slices have the lengths of their shapes.
            let built = launched(|| unsafe { theirs.$launch(stream, $($argument),*) })?;
            if checked != (Launch { form: checked.form, ..built.clone() }) {
                return Err(format!("{}: {checked:?}\nand with the builder {built:?}", stringify!($launch)).into());
            }
            compared += 1;
        )*};
    }
    same! {
        init(7, 0.5, &mut out);
        scale(0.25, &mut out);
        layer_norm(shape, &x, &mut out);
        linear(linear, &x, &layer, &mut out);
        activate(Activation::Relu, &x, &mut out);
        activate(Activation::Gelu, &x, &mut out);
        softmax(shape, &x, &mut out);
        argmax(shape, &x, &mut classes);
        widen(&x, &mut wide);
        agreement(&a, &b, &mut classes);
    }
    assert_eq!((compared, BLOCK), (10, 128));
    Ok(())
}

const CHECKED: &str = include_str!("../../../examples/inference/src/checked.rs");
const WITH_BUILDER: &str = include_str!("../../../examples/inference/src/with_builder.rs");

/// The name and the number of lines of each launch: the body of its function, without comments.
fn launches(source: &str) -> Vec<(&str, usize)> {
    let functions = source.split("    unsafe fn ").skip(1);
    functions
        .map(|function| {
            let (name, rest) = function.split_once('(').unwrap_or_default();
            let body = rest.split_once("Result {\n").map_or("", |(_, body)| body);
            let lines = body.lines().take_while(|line| *line != "    }");
            (name, lines.filter(|line| !line.trim_start().starts_with("//")).count())
        })
        .collect()
}

fn every_launch_is_shorter() -> Result {
    let (ours, theirs) = (launches(CHECKED), launches(WITH_BUILDER));
    assert_eq!(ours.len(), 9);
    println!("{:<12} launch!  builder", "lines");
    for ((name, ours), (other, theirs)) in ours.iter().zip(&theirs) {
        assert_eq!(name, other);
        println!("{name:<12} {ours:>7}  {theirs:>7}");
        if ours >= theirs {
            return Err(format!("`{name}` takes {ours} lines, and {theirs} with the builder").into());
        }
    }
    Ok(())
}
