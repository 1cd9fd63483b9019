//! Runs of launches as sequences. With `--instructions`, counts instructions and heap allocations on the test driver;
//! with `--engine`, measures the steps of an engine; without an option, measures the time on a GPU.

use kernel_args_benches::{
    callgrind::{self, measured},
    engine::{Engine, PARTS},
    heap::{Counting, allocations},
    launch::Device,
    sequence::{Arguments, Program, WAYS},
    versions,
};
use std::{
    env,
    error::Error,
    ffi::c_void,
    time::{Duration, Instant},
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Launches of a run.
const LAUNCHES: [u32; 2] = [200, 1000];
/// How many of 100 launches change in each run.
const CHANGED: [u32; 4] = [0, 10, 50, 100];
const ARGUMENTS: [(Arguments, &str); 3] = [
    (Arguments::Scalars, "8 scalars"),
    (Arguments::Slices, "3 slices, 5 scalars"),
    (Arguments::Outputs, "the same, 8 outputs"),
];
/// How many of the ways are counted.
const COUNTED: usize = 4;
/// The rounds of a measurement. Each round has one run of each way.
const ROUNDS: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    match env::args().nth(1).as_deref() {
        None => times(),
        Some("--instructions") => instructions(),
        Some("--engine") => engine(),
        Some("--count") => count(),
        Some(other) => Err(format!("{other}: the options are --instructions and --engine").into()),
    }
}

fn times() -> Result<(), Box<dyn Error>> {
    let device = Device::first()?;
    println!("{}, {}\n", versions::compilers(), versions::machine());
    println!(
        "| arguments | launches | changed | `launch!`, ns | sequence, ns | of `launch!` | `parallel` | by hand | captured by cudarc \
         | to the end: `launch!`, ns | sequence, of `launch!` | `parallel` | by hand |"
    );
    println!("|{}", "---|".repeat(13));
    for (arguments, name) in ARGUMENTS {
        for launches in LAUNCHES {
            for changed in CHANGED {
                let all = measure(&mut Program::new(&device, arguments, launches, changed)?)?;
                let [host, end] = [0, 1].map(|at| {
                    let each = |times: &[Duration; 2]| times[at].as_secs_f64() * 1e9 / f64::from(launches);
                    all.iter().map(each).collect::<Vec<_>>()
                });
                println!(
                    "| {name} | {launches} | {changed} % | {:.0} | {:.0} | {} | {:.0} | {} |",
                    host[0],
                    host[1],
                    ratios(&host),
                    end[0],
                    ratios(&end[..4])
                );
            }
        }
    }
    Ok(())
}

/// Prints what each kind of step takes on the host, without what a run takes, and returns an error if one takes longer
/// than its limit.
fn engine() -> Result<(), Box<dyn Error>> {
    let (device, mut slow) = (Device::first()?, Vec::new());
    let mut engine = Engine::new(&device)?;
    println!("{}, {}\n\n| step | ns | limit |\n|---|---|---|", versions::compilers(), versions::machine());
    for (name, limit, part) in PARTS {
        let time = |steps| -> Result<f64, Box<dyn Error>> {
            let mut samples = Vec::new();
            for round in 0..ROUNDS + 3 {
                engine.wait()?;
                let begin = Instant::now();
                part(&mut engine, steps);
                if round >= 3 {
                    samples.push(begin.elapsed().as_secs_f64() * 1e9);
                }
            }
            samples.sort_unstable_by(f64::total_cmp);
            Ok(samples[samples.len() / 2])
        };
        let [few, many] = LAUNCHES.map(time);
        let each = (many? - few?) / f64::from(LAUNCHES[1] - LAUNCHES[0]);
        println!("| {name} | {each:.0} | {limit} |");
        if each > limit {
            slow.push(name);
        }
    }
    if slow.is_empty() { Ok(()) } else { Err(format!("slower than their limits: {}", slow.join(", ")).into()) }
}

/// The ratios of all ways to the first, as cells.
fn ratios(times: &[f64]) -> String {
    times[1..].iter().map(|time| format!("{:.3}", time / times[0])).collect::<Vec<_>>().join(" | ")
}

/// For each way, the median times until the run is enqueued, and until its work has ended.
fn measure(program: &mut Program) -> Result<Vec<[Duration; 2]>, Box<dyn Error>> {
    let mut samples = vec![[Vec::new(), Vec::new()]; WAYS.len()];
    for round in 0..ROUNDS + 3 {
        for ((_, run), [host, end]) in WAYS.iter().zip(&mut samples) {
            program.wait()?;
            let begin = Instant::now();
            run(program);
            let enqueued = begin.elapsed();
            program.wait()?;
            if round >= 3 {
                host.push(enqueued);
                end.push(begin.elapsed());
            }
        }
    }
    let median = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    Ok(samples.into_iter().map(|both| both.map(median)).collect())
}

fn instructions() -> Result<(), Box<dyn Error>> {
    let (counts, heap) = callgrind::count_on_stand_in("--count")?;
    println!("{}, {}\n", versions::compilers(), versions::machine());
    println!(
        "| arguments | changed | `launch!` | sequence | `parallel` | by hand | heap, all launches |\n|{}",
        "---|".repeat(7)
    );
    let mut results = counts.iter().zip(heap.lines());
    for (_, name) in ARGUMENTS {
        for changed in CHANGED {
            let row: Vec<_> = results.by_ref().take(COUNTED).collect();
            if row.len() < COUNTED {
                return Err("some variants were not counted".into());
            }
            let counts: Vec<_> = row.iter().map(|(count, _)| (*count / u64::from(LAUNCHES[0])).to_string()).collect();
            let heap: Vec<_> = row.iter().map(|(_, heap)| *heap).collect();
            println!("| {name} | {changed} % | {} | {} |", counts.join(" | "), heap.join(", "));
        }
    }
    println!("\n| step of an engine | instructions | heap, all steps |\n|---|---|---|");
    for (name, ..) in PARTS {
        let (Some((few, _)), Some((many, heap))) = (results.next(), results.next()) else {
            return Err("some steps were not counted".into());
        };
        println!("| {name} | {} | {heap} |", (many - few) / u64::from(LAUNCHES[1] - LAUNCHES[0]));
    }
    Ok(())
}

/// Runs in its own process. Callgrind counts the third run of each way, and of each step of an engine. Prints the
/// allocations to standard output.
fn count() -> Result<(), Box<dyn Error>> {
    callgrind::calibrate();
    let device = Device::first()?;
    for (arguments, _) in ARGUMENTS {
        for changed in CHANGED {
            for (_, run) in &WAYS[..COUNTED] {
                let mut program = Program::new(&device, arguments, LAUNCHES[0], changed)?;
                count_third(&mut || run(&mut program));
            }
        }
    }
    let mut engine = Engine::new(&device)?;
    for (.., part) in PARTS {
        for steps in LAUNCHES {
            count_third(&mut || part(&mut engine, steps));
        }
    }
    Ok(())
}

fn count_third(mut run: &mut dyn FnMut()) {
    let job = (&raw mut run).cast::<c_void>();
    for _ in 0..2 {
        // SAFETY: the function takes this job.
        unsafe { once(job) };
    }
    // SAFETY: the function takes this job.
    println!("{}", allocations(|| unsafe { measured(once, job) }));
}

unsafe extern "C" fn once(job: *mut c_void) {
    // SAFETY: `count_third` passes its job.
    let run = unsafe { &mut *job.cast::<&mut dyn FnMut()>() };
    run();
}
