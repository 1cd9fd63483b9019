//! Sixteen threads launch on both GPUs: results of different threads never mix.

use crate::several_gpus::world::{Outcome, Saxpy, all_are, both, filled, grid, launched, n};
use kernel_args::{Kernel, launch};
use kernel_args_tests::driver::trial_unless;
use libtest_mimic::Trial;
use std::thread;

const THREADS: u16 = 16;
const ROUNDS: u16 = 50;

fn sixteen_threads_over_both() -> Outcome {
    let contexts = both()?;
    let kernels: Vec<_> = contexts.iter().map(Kernel::<Saxpy>::load).collect::<Result<_, _>>()?;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let (contexts, kernels) = (&contexts, &kernels);
                scope.spawn(move || -> Outcome {
                    let mut work = Vec::new();
                    for ctx in contexts {
                        let stream = ctx.new_stream()?;
                        let (x, y) = (filled(&stream, f32::from(number))?, filled(&stream, 0.0)?);
                        work.push((stream, x, y));
                    }
                    for _ in 0..ROUNDS {
                        for ((stream, x, y), kernel) in work.iter_mut().zip(kernels) {
                            let (n, alpha) = (n(), 1.0);
                            let args = Saxpy { n, alpha, x, y };
                            // SAFETY: both slices have `N` elements.
                            unsafe { launch!(kernel, grid(), 256, args, stream = &*stream)? };
                            launched();
                        }
                    }
                    for (stream, _, y) in &work {
                        all_are(stream, y, f32::from(number * ROUNDS))?;
                    }
                    Ok(())
                })
            })
            .collect();
        for thread in threads {
            thread.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })
}

pub(crate) fn trials(why: Option<&'static str>) -> Vec<Trial> {
    vec![trial_unless(why, "sixteen_threads_over_both", sixteen_threads_over_both)]
}
