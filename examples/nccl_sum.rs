//! A sum over all GPUs with NCCL, between verified launches: first in one process, then in one process per GPU.
//!
//! A kernel fills a vector on each GPU, NCCL adds the vectors of all GPUs, and a kernel adds the sum to each GPU's
//! vector. This program starts the processes. On several machines, a launcher would start them, and the first process
//! would send the communicator's id to the remaining processes.
//!
//! Without a GPU or without NCCL it runs the possible parts and reports this. cudarc loads `libnccl.so`: if a package
//! contains only `libnccl.so.2`, create a link with that name, and add its folder to `LD_LIBRARY_PATH`.
#![allow(clippy::float_cmp, reason = "small whole numbers: exact")]

use cudarc::{
    driver::{CudaContext, CudaSlice, CudaStream},
    nccl::{
        result::{NcclError, group_end, group_start},
        safe::{Comm, Id, ReduceOp},
    },
};
use kernel_args::{
    Error, Kernel, KernelArgs,
    context::{Peer, PeerAccess},
    error::ContextError,
    launch,
};
use std::{
    env, error,
    ffi::c_char,
    io::{Read, Write},
    process::{Command, Stdio},
    sync::Arc,
};

const N: u32 = 1_000_000;
const GRID: u32 = N.div_ceil(256);
/// The rank and the number of processes, in each process's environment.
const RANK: &str = "KERNEL_ARGS_NCCL_RANK";

type Outcome<T = ()> = Result<T, Box<dyn error::Error>>;

/// y += alpha * x. One description for the kernel on each GPU.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

/// Like the function above, with memory of a different GPU.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
struct FromPeer<'a> {
    n: u32,
    alpha: f32,
    x: Peer<'a, &'a CudaSlice<f32>>,
    y: &'a mut CudaSlice<f32>,
}

fn main() -> Outcome {
    if let Some(rank) = env::var_os(RANK) {
        return process(&rank.to_string_lossy());
    }
    let first = kernel_args_examples::context()?;
    let gpus = usize::try_from(CudaContext::device_count()?)?;
    println!("{gpus} × {}", first.name()?);
    if gpus == 1 {
        println!("there is one GPU: the sums are of one vector");
    }
    let contexts = (0..gpus).map(kernel_args::context).collect::<Result<Vec<_>, _>>()?;
    if gpus > 1 {
        peer_access(&contexts[0], &contexts[1])?;
    }
    // SAFETY: the library's initializers have no precondition.
    if !unsafe { cudarc::nccl::sys::is_culib_present() } {
        println!("NCCL: libnccl.so is not on this machine");
        return Ok(());
    }
    one_process(&contexts)?;
    drop((contexts, first));
    a_process_for_each(gpus)
}

/// The work of one GPU before and after the sum.
struct Worker {
    stream: Arc<CudaStream>,
    kernel: Kernel<Saxpy<'static>>,
    ones: CudaSlice<f32>,
    vector: CudaSlice<f32>,
    sum: CudaSlice<f32>,
}

impl Worker {
    /// Fills the vector of this rank's GPU with the rank plus 1.
    fn new(ctx: &Arc<CudaContext>, rank: usize) -> Outcome<Self> {
        let stream = ctx.new_stream()?;
        let mut worker = Self {
            kernel: Kernel::<Saxpy>::load(ctx)?.require_verified()?,
            ones: stream.clone_htod(&vec![1.0; N as usize])?,
            vector: stream.alloc_zeros(N as usize)?,
            sum: stream.alloc_zeros(N as usize)?,
            stream,
        };
        let alpha = f32::from(u16::try_from(rank + 1)?);
        let (x, y) = (&worker.ones, &mut worker.vector);
        let args = Saxpy { n: N, alpha, x, y };
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(worker.kernel, GRID, 256, args, stream = &worker.stream)? };
        Ok(worker)
    }

    /// NCCL reads the vector and writes the sum on the communicator's stream, which is this worker's stream.
    fn add_up(&mut self, comm: &Comm) -> Result<(), NcclError> {
        comm.all_reduce(&self.vector, &mut self.sum, &ReduceOp::Sum)?;
        Ok(())
    }

    /// Adds the sum to the vector and checks the result.
    fn check(&mut self, rank: usize, gpus: usize) -> Outcome {
        let (x, y) = (&self.sum, &mut self.vector);
        let args = Saxpy { n: N, alpha: 1.0, x, y };
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(self.kernel, GRID, 256, args, stream = &self.stream)? };
        let found = self.stream.clone_dtoh(&self.vector)?;
        let expected = f32::from(u16::try_from(gpus * (gpus + 1) / 2 + rank + 1)?);
        match found.iter().find(|value| **value != expected) {
            None => Ok(()),
            Some(wrong) => Err(format!("rank {rank}: {wrong}, not {expected}").into()),
        }
    }
}

/// NCCL's errors do not implement `Error`.
fn text<T>(result: Result<T, NcclError>) -> Result<T, String> {
    result.map_err(|error| format!("NCCL: {error:?}"))
}

/// One thread enqueues the work of each GPU. NCCL takes the calls of all ranks as a group.
fn one_process(contexts: &[Arc<CudaContext>]) -> Outcome {
    let mut workers =
        contexts.iter().enumerate().map(|(rank, ctx)| Worker::new(ctx, rank)).collect::<Outcome<Vec<_>>>()?;
    let streams = workers.iter().map(|worker| worker.stream.clone()).collect();
    let comms = text(Comm::from_devices(streams))?;
    text(group_start())?;
    for (worker, comm) in workers.iter_mut().zip(&comms) {
        // NCCL requires that the rank's GPU is current.
        comm.context().bind_to_thread()?;
        text(worker.add_up(comm))?;
    }
    text(group_end())?;
    for (rank, worker) in workers.iter_mut().enumerate() {
        worker.check(rank, contexts.len())?;
    }
    println!("one process, {} GPUs: {N} elements each, all right", contexts.len());
    Ok(())
}

fn a_process_for_each(gpus: usize) -> Outcome {
    let id = text(Id::new())?;
    let id: Vec<u8> = id.internal().iter().flat_map(|byte| byte.to_ne_bytes()).collect();
    let mut processes = Vec::new();
    for rank in 0..gpus {
        let mut process =
            Command::new(env::current_exe()?).env(RANK, format!("{rank}/{gpus}")).stdin(Stdio::piped()).spawn()?;
        let mut stdin = process.stdin.take().ok_or("no pipe")?;
        stdin.write_all(&id)?;
        processes.push(process);
    }
    for mut process in processes {
        let status = process.wait()?;
        if !status.success() {
            return Err(format!("a process ended with {status}").into());
        }
    }
    println!("{gpus} processes, one GPU each: {N} elements each, all right");
    Ok(())
}

/// The process of one rank: "0/2".
fn process(rank: &str) -> Outcome {
    let (rank, gpus) = rank.split_once('/').ok_or("a rank is written as 0/2")?;
    let (rank, gpus): (usize, usize) = (rank.parse()?, gpus.parse()?);
    let mut id = [0_u8; 128];
    std::io::stdin().read_exact(&mut id)?;
    let mut worker = Worker::new(&kernel_args::context(rank)?, rank)?;
    let id = Id::uninit(id.map(|byte| c_char::from_ne_bytes([byte])));
    let comm = text(Comm::from_rank(worker.stream.clone(), rank, gpus, id))?;
    text(worker.add_up(&comm))?;
    worker.check(rank, gpus)
}

/// The sum of two GPUs without NCCL: a kernel on the first GPU reads the memory of the second GPU.
fn peer_access(first: &Arc<CudaContext>, second: &Arc<CudaContext>) -> Outcome {
    let peers = match PeerAccess::enable(first, second) {
        Ok(peers) => peers,
        Err(error @ Error::Context(ContextError::NoPeerAccess { .. })) => {
            println!("peer access: {error}");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let (mut here, there) = (Worker::new(first, 0)?, Worker::new(second, 1)?);
    let kernel = Kernel::<FromPeer>::load(first)?;
    let args = FromPeer { n: N, alpha: 1.0, x: peers.memory(&there.vector), y: &mut here.vector };
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, GRID, 256, args, stream = &here.stream)? };
    let found = here.stream.clone_dtoh(&here.vector)?;
    assert!(found.iter().all(|value| *value == 3.0));
    println!("peer access, 2 GPUs: {N} elements, all right");
    Ok(())
}
