//! Counts instructions and heap allocations to update the nodes of a graph and launch it, on the test driver. `launch`
//! times the same on a GPU.

use kernel_args_benches::{
    callgrind::{self, measured},
    graph::{BARE, Chain, NODES, VARIANTS},
    heap::{Counting, allocations},
    launch::Device,
    versions,
};
use std::{env, error::Error, ffi::c_void};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> Result<(), Box<dyn Error>> {
    if env::args().nth(1).as_deref() == Some("--count") {
        return count();
    }
    instructions()
}

fn instructions() -> Result<(), Box<dyn Error>> {
    let (counts, heap) = callgrind::count_on_stand_in("--count")?;
    if counts.len() != VARIANTS.len() || heap.lines().count() != VARIANTS.len() {
        return Err("some variants were not counted".into());
    }
    println!("{}, {}\n", versions::compilers(), versions::machine());
    println!("Instructions outside the driver, per node, on the test driver");
    println!("| {NODES} nodes of 8 parameters | instructions | / {BARE} | heap, all nodes |");
    println!("|---|---|---|---|");
    let per_node = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / f64::from(NODES);
    for (((variant, _), count), heap) in VARIANTS.iter().zip(&counts).zip(heap.lines()) {
        println!("| {variant} | {:.1} | {:.2} | {heap} |", per_node(*count), per_node(*count) / per_node(counts[0]));
    }
    Ok(())
}

/// Runs in its own process. Callgrind counts the second run of each variant. Prints the allocations to standard output.
fn count() -> Result<(), Box<dyn Error>> {
    callgrind::calibrate();
    let device = Device::first()?;
    for (_, run) in VARIANTS {
        let mut chain = (run, Chain::new(&device)?);
        let job = (&raw mut chain).cast::<c_void>();
        // SAFETY: the function takes a job.
        unsafe { once(job) };
        // SAFETY: the function takes a job.
        println!("{}", allocations(|| unsafe { measured(once, job) }));
        // A different thread drops the objects that a graph has retained. Its instructions would be counted for the
        // next variant.
        core::mem::forget(chain);
    }
    Ok(())
}

unsafe extern "C" fn once(job: *mut c_void) {
    // SAFETY: `count` passes a job.
    let (run, chain) = unsafe { &mut *job.cast::<(fn(&mut Chain), Chain)>() };
    run(chain);
}
