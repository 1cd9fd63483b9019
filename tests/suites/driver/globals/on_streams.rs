//! Copies on streams, addresses as arguments, and how long a variable lives.

use crate::globals::{Outcome, PTX, World};
use cudarc::driver::sys::CUstreamCaptureMode;
use kernel_args::{
    DevicePointer, DevicePointerMut, Error, KernelArgs, Module,
    error::{ContextError, GlobalError},
    graph::Graph,
    launch,
};
use kernel_args_tests::driver::{context, trial};
use libtest_mimic::Trial;

#[derive(KernelArgs)]
struct Sum {
    values: DevicePointer<f32>,
    n: u32,
    out: DevicePointerMut<f32>,
}

fn world() -> Result<World, Box<dyn std::error::Error>> {
    let ctx = context()?;
    World::new(Module::load(&ctx, PTX)?, ctx)
}

/// Many writes, whose sources are dropped at once, and reads that wait later.
fn copies_are_ordered_on_their_stream() -> Outcome {
    let world = world()?;
    let weights = world.module.global::<[f32; 3072]>("weights")?;
    let mut pending = Vec::new();
    for round in 0..40_u8 {
        weights.write_on(&world.stream, &[f32::from(round); 3072])?;
        pending.push(weights.read_on(&world.stream)?);
    }
    for (round, pending) in (0..40_u8).zip(pending) {
        if round % 3 == 0 {
            drop(pending);
        } else {
            let read = pending.wait()?;
            assert!(read.iter().all(|value| value.to_bits() == f32::from(round).to_bits()), "{round}");
        }
    }
    world.stream.synchronize()?;
    let pending = weights.read_on(&world.stream)?;
    world.stream.synchronize()?;
    assert!(pending.is_complete());
    Ok(())
}

fn the_address_is_an_argument() -> Outcome {
    let world = world()?;
    let table = world.module.global::<[f32]>("table")?;
    let values: Vec<f32> = (0..256_u16).map(f32::from).collect();
    table.write_at_on(&world.stream, 0, &values)?;
    let sum = world.module.kernel::<Sum>("sum")?;
    let scale = world.module.global::<f32>("scale")?;
    let args = Sum { values: table.as_ptr(), n: 256, out: scale.as_mut_ptr() };
    // SAFETY: `table` has 256 elements, and the kernel writes one float, the variable `scale`.
    unsafe { launch!(sum, 1, 1, args, stream = &world.stream) }?;
    assert_eq!(scale.read_on(&world.stream)?.wait()?.to_bits(), 32640.0_f32.to_bits());
    Ok(())
}

/// A variable holds its module, and the address stays the same.
fn a_variable_keeps_its_module() -> Outcome {
    let world = world()?;
    let counter = world.module.global::<i32>("counter")?;
    let address = counter.as_ptr().address();
    let World { ctx, module, stream } = world;
    drop(module);
    let more = Module::load(&ctx, PTX)?;
    assert_ne!(more.global::<i32>("counter")?.as_ptr().address(), address);
    counter.write(&-8)?;
    more.global::<i32>("counter")?.write(&9)?;
    let pending = counter.read_on(&stream)?;
    let copy = counter.clone();
    drop(counter);
    assert_eq!(pending.wait()?, -8);
    copy.write_on(&stream, &5)?;
    drop(copy);
    stream.synchronize()?;
    Ok(())
}

fn a_stream_of_another_context_is_refused() -> Outcome {
    let world = world()?;
    let other = kernel_args::context::create_context(0, kernel_args::context::ContextFlags::new())?;
    let stream = other.new_stream()?;
    let counter = world.module.global::<i32>("counter")?;
    for result in [counter.write_on(&stream, &1), counter.read_on(&stream).map(drop)] {
        assert!(matches!(result, Err(Error::Context(ContextError::OtherContextStream(_)))), "{result:?}");
    }
    Ok(())
}

/// The host memory of the copy is freed before the graph runs, so a capture is refused, and goes on. A copy node works.
fn a_captured_stream_is_refused() -> Outcome {
    let world = world()?;
    let counter = world.module.global::<i32>("counter")?;
    world.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    let refused = [counter.write_on(&world.stream, &1), counter.read_on(&world.stream).map(drop)];
    let graph = world
        .stream
        .end_capture(cudarc::driver::sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)?;
    drop(graph);
    for result in refused {
        assert!(matches!(result, Err(Error::Global(GlobalError::Capturing { .. }))), "{result:?}");
    }
    let mut graph = Graph::new(&world.ctx)?;
    graph.add_memcpy_htod(counter.as_mut_ptr(), [77_i32], &[])?;
    let mut exec = graph.instantiate()?;
    // SAFETY: the variable is alive.
    unsafe { exec.launch(&world.stream) }?;
    assert_eq!(counter.read_on(&world.stream)?.wait()?, 77);
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("copies_are_ordered_on_their_stream", copies_are_ordered_on_their_stream),
        trial("the_address_is_an_argument", the_address_is_an_argument),
        trial("a_variable_keeps_its_module", a_variable_keeps_its_module),
        trial("a_stream_of_another_context_is_refused", a_stream_of_another_context_is_refused),
        trial("a_captured_stream_is_refused", a_captured_stream_is_refused),
    ]
}
