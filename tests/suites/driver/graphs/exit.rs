//! Objects that a graph has released are dropped on a separate thread, which calls CUDA, while the process ends. Each
//! trial runs in a process.

use crate::graphs::saxpy::{N, SAXPY};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DeviceSlice, SyncOnDrop, sys::CUdeviceptr};
use kernel_args::{Kernel, Retained, graph::Graph};
use kernel_args_tests::{
    driver::context,
    process::{self, Case, Outcome},
    saxpy::Owned,
};
use libtest_mimic::Trial;
use std::{
    ffi::c_int,
    process::ExitCode,
    sync::{
        Arc,
        mpsc::{Sender, channel},
    },
    thread,
    time::Duration,
};

const CASES: [(&str, Case); 4] = [
    ("while_memory_is_freed", while_memory_is_freed),
    ("before_memory_is_freed", before_memory_is_freed),
    ("from_the_drop_of_memory", from_the_drop_of_memory),
    ("exit_during_an_endless_drop", exit_during_an_endless_drop),
];

pub(crate) fn trials() -> Vec<Trial> {
    process::trials("exit", &CASES)
}

// SAFETY: this is the declaration of C; the function accepts any function, and may be called from any thread.
unsafe extern "C" {
    safe fn atexit(function: extern "C" fn()) -> c_int;
}

/// Other libraries take some time to end, after the driver.
extern "C" fn linger() {
    thread::sleep(Duration::from_millis(300));
}

/// The part of the process: `None` in the suite itself.
pub(crate) fn child() -> Option<ExitCode> {
    process::wanted()?;
    assert_eq!(atexit(linger), 0);
    process::child(&CASES)
}

/// Memory that does additional work before it is freed.
struct Slow<F: Fn()>(CudaSlice<f32>, F);

impl<F: Fn()> Drop for Slow<F> {
    fn drop(&mut self) {
        (self.1)();
    }
}

impl<F: Fn()> DeviceSlice<f32> for Slow<F> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn stream(&self) -> &Arc<CudaStream> {
        self.0.stream()
    }
}

impl<F: Fn()> DevicePtr<f32> for Slow<F> {
    fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        self.0.device_ptr(stream)
    }
}

/// Drops a graph with this number of nodes. Each node retains separate memory. Returns after the first memory is
/// dropped.
fn dropped(nodes: usize, last: impl Fn() + Clone + Send + Sync + 'static) -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let kernel = Kernel::<Owned>::from_image(&ctx, SAXPY, "saxpy")?;
    let mut graph = Graph::new(&ctx)?;
    let (sender, begun) = channel();
    for _ in 0..nodes {
        let (sender, last): (Sender<()>, _) = (sender.clone(), last.clone());
        let memory = Arc::new(Slow(stream.alloc_zeros(N)?, move || {
            let _ = sender.send(());
            last();
        }));
        let args = Owned { n: 0, alpha: 0.0, x: Retained::read(&memory), y: Retained::write(&memory) };
        graph.add_kernel(&kernel, 1, 32, args, &[])?;
    }
    drop(graph);
    begun.recv()?;
    Ok(())
}

fn while_memory_is_freed() -> Outcome {
    dropped(1, || thread::sleep(Duration::from_millis(100)))
}

fn before_memory_is_freed() -> Outcome {
    dropped(100, || thread::sleep(Duration::from_millis(10)))
}

/// The exiting thread is the thread that is waited for.
fn from_the_drop_of_memory() -> Outcome {
    dropped(1, || std::process::exit(0))?;
    loop {
        thread::park();
    }
}

fn exit_during_an_endless_drop() -> Outcome {
    dropped(1, || {
        loop {
            thread::park();
        }
    })
}
