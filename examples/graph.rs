//! Simulates a falling ball with a graph of two kernels that is launched repeatedly, each time with different
//! arguments. Launches in a graph cost a fraction of separate launches. The graph keeps the memory of its arguments
//! allocated.

use kernel_args::{DevicePointer, DevicePointerMut, Error, Kernel, KernelArgs, Launch, Retained, graph::Graph, launch};
use std::sync::Arc;

/// `y = alpha * x + y`. The graph retains the memory: a borrowed slice would not compile.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy {
    n: u32,
    alpha: f32,
    x: Retained<DevicePointer<f32>>,
    y: Retained<DevicePointerMut<f32>>,
}

const N: u32 = 1024;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = kernel_args_examples::context()?;
    let stream = ctx.new_stream()?;
    let gravity = Arc::new(stream.clone_htod(&[-10.0_f32; N as usize])?);
    let speed = Arc::new(stream.clone_htod(&[0.0_f32; N as usize])?);
    let height = Arc::new(stream.clone_htod(&[100.0_f32; N as usize])?);
    ctx.synchronize()?; // a graph does not wait for the events that cudarc has recorded

    let saxpy = Kernel::<Saxpy>::load(&ctx)?;
    let accelerate = |seconds| Saxpy { n: N, alpha: seconds, x: Retained::read(&gravity), y: Retained::write(&speed) };
    let fall = |seconds| Saxpy { n: N, alpha: seconds, x: Retained::read(&speed), y: Retained::write(&height) };

    // Captured: the launches become nodes of a graph, and run when the graph is launched.
    let mut nodes = Vec::new();
    let graph = Graph::capture(&stream, || -> Result<(), Error> {
        // SAFETY: all three slices have `n` elements, and only this stream uses them.
        nodes.push(unsafe { launch!(saxpy, N / 256, 256, accelerate(0.0), node, stream = &stream)? });
        // SAFETY: all three slices have `n` elements, and only this stream uses them.
        nodes.push(unsafe { launch!(saxpy, N / 256, 256, fall(0.0), node, stream = &stream)? });
        Ok(())
    })?;
    let mut exec = graph.instantiate()?;

    for step in 1..=4_u8 {
        let seconds = f32::from(step) / 4.0;
        let block = Launch::new(N / 256, 256);
        exec.update_all([(&nodes[0], block, accelerate(seconds)), (&nodes[1], block, fall(seconds))])?;
        // SAFETY: all three slices have `n` elements, and only this stream uses them.
        unsafe { exec.launch(&stream)? };
        println!("{seconds:4} s: {} m", stream.clone_dtoh(&*height)?[0]);
    }
    let height = stream.clone_dtoh(&*height)?;
    // -10 m/s² after 0.25, 0.5, 0.75 and 1 s, with steps of these lengths.
    let expected = 100.0 - 2.5 * 0.25 - 7.5 * 0.5 - 15.0 * 0.75 - 25.0;
    assert!(height.iter().all(|height| (height - expected).abs() < 1e-3));
    Ok(())
}
