//! A two-layer perceptron: ten kernels in a separate crate, four element types chosen at run time, two streams.
//!
//! ```sh
//! cargo run -p inference            # all element types
//! cargo run -p inference -- bf16    # one
//! ```
//!
//! Without a GPU the kernels are interpreted. The structs were compared with the kernels at compile time.

use cudarc::driver::{CudaContext, CudaSlice};
use half::{bf16, f16};
use inference::{
    Activation, Launches, Pass, Perceptron, Result,
    arguments::{Element, F8E4M3},
    checked::Checked,
    reference, uniform,
};
use inference_kernels::mlp;
use kernel_args::error::LoadError;
use kernel_args_test_driver::{Settings, interpret_without_gpu};
use std::{env, sync::Arc};

/// Inputs, hidden units, classes.
const SIZES: [u32; 3] = [64, 256, 10];
/// Each of the two streams computes half of them.
const ROWS: u32 = 512;
/// The first forward pass creates a graph, and the next ones launch it.
const REPEATS: u32 = 3;
/// The choices of the command line.
const ELEMENTS: [&str; 4] = ["f32", "f16", "bf16", "f8_e4m3"];

/// The predicted classes of a run in device memory, one slice per stream.
type Classes = [CudaSlice<u32>; 2];

fn main() -> Result<()> {
    interpret_without_gpu(&Settings::new())?;
    let chosen: Vec<String> = env::args().skip(1).collect();
    if let Some(unknown) = chosen.iter().find(|name| !ELEMENTS.contains(&name.as_str())) {
        return Err(format!("unknown element type `{unknown}`: use one of {ELEMENTS:?}").into());
    }
    let chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|chosen| chosen == name);
    let kernels = mlp::KERNELS.len();
    println!("The structs fit the {kernels} kernels of the image: that was checked while this compiled.");

    let ctx = kernel_args::context(0)?;
    println!("On {}, {ROWS} rows on two streams, {SIZES:?} units:\n", ctx.name()?);
    println!("activation  element  largest error of a probability  same class as with f32");
    for activation in [Activation::Relu, Activation::Gelu] {
        let exact = run::<f32>(&ctx, activation, 1e-4, None)?;
        if chosen("f16") {
            run::<f16>(&ctx, activation, 5e-3, Some(&exact))?;
        }
        if chosen("bf16") {
            run::<bf16>(&ctx, activation, 4e-2, Some(&exact))?;
        }
        if chosen("f8_e4m3") {
            match run::<F8E4M3>(&ctx, activation, 0.3, Some(&exact)) {
                Err(error) if is_absent(&*error) => {
                    let activation = format!("{activation:?}");
                    println!(
                        "{activation:<10}  f8_e4m3  left out: the image has these kernels only if it is compiled for sm_89 or newer"
                    );
                }
                done => drop(done?),
            }
        }
    }
    Ok(())
}

/// Whether the image has no kernels for an element type that it may lack.
fn is_absent(error: &(dyn std::error::Error + 'static)) -> bool {
    let error = error.downcast_ref::<kernel_args::Error>();
    matches!(error, Some(kernel_args::Error::Load(LoadError::Absent { .. })))
}

/// Runs a forward pass and compares it with the host's result.
fn run<T: Element>(
    ctx: &Arc<CudaContext>,
    activation: Activation,
    tolerance: f32,
    exact: Option<&Classes>,
) -> Result<Classes> {
    let stream = ctx.default_stream();
    let model = Perceptron::new(Checked::<T>::load(ctx)?, &stream, SIZES)?;

    // Nothing here waits: cudarc makes each stream wait for the weights, and the default stream wait for the results.
    let n = ROWS / 2 * SIZES[0];
    let pass = |seed| -> Result<Pass<T>> {
        let stream = ctx.new_stream()?;
        let x = uniform(&model.launches, &stream, n, seed, 1.0)?;
        let mut pass = model.pass(&stream, ROWS / 2)?;
        for _ in 0..REPEATS {
            model.forward(&mut pass, activation, &x)?;
        }
        Ok(pass)
    };
    let (seeds, passes) = ([5, 6], [pass(5)?, pass(6)?]);

    let mut error = 0.0_f32;
    for (seed, pass) in seeds.into_iter().zip(&passes) {
        let expected = reference::forward(SIZES, activation, &reference::uniform((n, seed, 1.0)));
        let found = stream.clone_dtoh(pass.probabilities())?;
        error = expected.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(error, f32::max);
    }

    let classes = passes.map(Pass::into_classes);
    let same = match exact {
        Some(exact) => {
            let mut same = 0;
            for (a, b) in classes.iter().zip(exact) {
                let mut count = stream.alloc_zeros::<u32>(1)?;
                // SAFETY: `a` and `b` have a class for each row of a half; `count` is zero.
                unsafe { model.launches.agreement(&stream, a, b, &mut count)? };
                same += stream.clone_dtoh(&count)?[0];
            }
            format!("{same} of {ROWS}")
        }
        None => String::new(),
    };
    println!("{:<10}  {:<7}  {error:<30.7}  {same}", format!("{activation:?}"), T::NAME);
    if error.is_nan() || error > tolerance {
        return Err(format!("the probabilities differ from the host's by {error}, more than {tolerance}").into());
    }
    Ok(classes)
}
