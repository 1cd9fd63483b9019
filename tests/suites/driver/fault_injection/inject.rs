//! One failure at a time: of each entry point that a stage calls, each call, with each of some codes.

use crate::fault_injection::{
    driver,
    stages::{STAGES, Stage},
    world::{Fault, NO_CONTEXT, World, make_current},
};
use kernel_args::graph::Graph;
use kernel_args_stand_in::{Control, LiveObjects};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

/// `CUDA_ERROR_INVALID_VALUE`, `OUT_OF_MEMORY`, `INVALID_CONTEXT`, `INVALID_HANDLE`, `NOT_FOUND`, `ILLEGAL_ADDRESS`,
/// `UNKNOWN`.
const CODES: [u32; 7] = [1, 2, 201, 400, 500, 700, 999];

/// What a stage came to in the table.
#[derive(Default)]
struct Row {
    stage: &'static str,
    calls: u64,
    drop_calls: u64,
    faults: usize,
    errors: usize,
    /// The stage succeeded all the same: the call only told a name, or was asked for again.
    recovered: usize,
    /// Failures of calls that release something.
    released: usize,
    leaks: usize,
}

static TABLE: Mutex<Vec<Row>> = Mutex::new(Vec::new());

pub(crate) fn trials() -> Vec<Trial> {
    STAGES
        .iter()
        .map(|stage| {
            let name = format!("faults/{}", stage.name.replace(", ", "_").replace(' ', "_"));
            trial(name, move || every_call_fails_once(stage))
        })
        .collect()
}

/// One failure that is ordered.
#[derive(Clone, Copy, Debug)]
struct Order<'a> {
    entry: &'a str,
    /// The calls before it.
    spared: u64,
    code: u32,
    /// Whether it is a call of the stage itself, not of dropping what the stage made.
    in_run: bool,
}

fn every_call_fails_once(stage: &'static Stage) -> Result<(), String> {
    let driver = driver();
    // What the graphs of the stage before have let go is dropped on another thread.
    Graph::wait_until_released();
    let mut world = World::new().map_err(|fault| format!("{fault:?}"))?;
    // The thread that drops it makes one call when it starts, which is not the stage's.
    Graph::wait_until_released();
    // Once to have everything looked up that is looked up once.
    count(stage, &driver, &mut world)?;
    let calls = count(stage, &driver, &mut world)?;
    let mut row = Row {
        stage: stage.name,
        calls: calls.values().map(|(run, _)| run).sum(),
        drop_calls: calls.values().map(|(run, all)| all - run).sum(),
        ..Row::default()
    };
    let mut problems = Vec::new();
    for (entry, &(run, all)) in &calls {
        for spared in 0..all {
            for code in CODES {
                let order = Order {
                    entry,
                    spared,
                    code,
                    in_run: spared < run,
                };
                row.faults += 1;
                if let Err(problem) = fails_once(stage, order, &driver, &mut world, &mut row) {
                    problems.push(format!("{order:?}: {problem}"));
                }
            }
        }
    }
    if row.faults == 0 {
        problems.push("the stage calls nothing".into());
    }
    TABLE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(row);
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n"))
    }
}

/// How often the stage calls each entry point: in itself, and with the drop of what it made.
fn count(
    stage: &Stage,
    driver: &Control,
    world: &mut World,
) -> Result<BTreeMap<String, (u64, u64)>, String> {
    begin(stage, world);
    driver.reset_calls();
    let made = (stage.run)(world).map_err(|fault| format!("without a failure: {fault:?}"))?;
    let run = driver.called();
    drop(made);
    let all = driver.called();
    Ok(all
        .into_iter()
        .map(|(entry, all)| {
            let run = run.get(&entry).copied().unwrap_or(0);
            (entry, (run, all))
        })
        .collect())
}

fn begin(stage: &Stage, world: &World) {
    make_current(if stage.unbound {
        NO_CONTEXT
    } else {
        world.ctx.cu_ctx()
    });
}

fn fails_once(
    stage: &Stage,
    order: Order<'_>,
    driver: &Control,
    world: &mut World,
    row: &mut Row,
) -> Result<(), String> {
    begin(stage, world);
    // cudarc keeps an error of its own drops.
    let _ = (world.own.check_err(), world.other.check_err());
    let before = driver.live();
    driver.fail_after(order.entry, order.code, order.spared);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // What the stage made is dropped while the failure may still be ordered.
        (stage.run)(world).map(drop)
    }));
    Graph::wait_until_released();
    driver.clear_failures();
    let after = driver.live();

    let outcome = outcome.map_err(|_| "it panicked".to_owned())?;
    let released = released(order.entry, before);
    match outcome {
        Err(fault) => {
            named(&fault, order)?;
            row.errors += 1;
        }
        Ok(()) if released.is_some() || !order.in_run => row.released += 1,
        Ok(()) if recovers(stage, order.entry) => row.recovered += 1,
        Ok(()) => return Err("the failure was not returned".into()),
    }
    // What a failed call should have released is still there, and nothing else.
    let mut expected = vec![before];
    expected.extend(released);
    if GRAPHS.contains(&order.entry) && after.graphs > before.graphs {
        // With its references.
        expected.push(LiveObjects {
            graphs: before.graphs + 1,
            user_objects: after.user_objects.max(before.user_objects),
            ..before
        });
    }
    if !expected.contains(&after) {
        row.leaks += 1;
        return Err(format!("leaked: {before:?} before, {after:?} after"));
    }
    // cudarc keeps an error of its own drops; this crate leaves none behind.
    let pending = world.ctx.check_err();
    if pending.is_err() && order.in_run {
        return Err(format!("{pending:?} is left to the next call"));
    }
    world
        .works()
        .map_err(|fault| format!("the next launch failed: {fault:?}"))
}

/// Entry points whose failure a stage survives: a name for messages, and a question that is asked again.
const RECOVERED: [&str; 4] = [
    "cuFuncGetName",
    "cuFuncGetParamInfo",
    // Whether a context was reset: it was not, where the driver does not tell.
    "cuCtxGetId",
    "cuDevicePrimaryCtxGetState",
];

/// What lets the arguments go that an update has replaced: where it fails, the graph keeps them as long as it lives.
const RECOVERED_BY_GRAPHS: [&str; 5] = [
    "cuCtxSetCurrent",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuStreamIsCapturing",
];

/// Whether a stage survives a failure of this entry point.
fn recovers(stage: &Stage, entry: &str) -> bool {
    RECOVERED.contains(&entry)
        // The device of a context, for its name and to learn whether it is alive.
        || stage.name.starts_with("context, current") && entry == "cuCtxGetDevice"
        || stage.name.starts_with("graph") && RECOVERED_BY_GRAPHS.contains(&entry)
}

const GRAPHS: [&str; 2] = ["cuGraphDestroy", "cuGraphExecDestroy"];

/// What is alive when this call has failed to release one object; `None` for a call that releases nothing.
fn released(entry: &str, before: LiveObjects) -> Option<LiveObjects> {
    let mut after = before;
    *match entry {
        "cuModuleUnload" => &mut after.modules,
        "cuLinkDestroy" => &mut after.links,
        "cuStreamDestroy_v2" => &mut after.streams,
        "cuGraphDestroy" | "cuGraphExecDestroy" => &mut after.graphs,
        "cuEventDestroy_v2" => &mut after.events,
        "cuCtxDestroy_v2" => &mut after.contexts,
        "cuGreenCtxDestroy" => &mut after.green_contexts,
        _ => return None,
    } += 1;
    Some(after)
}

/// Whether the error says which call failed, and with what.
fn named(fault: &Fault, order: Order<'_>) -> Result<(), String> {
    let error = match fault {
        Fault::Cudarc(error) if error.0 as u32 == order.code => return Ok(()),
        Fault::Cudarc(error) => return Err(format!("{error:?}")),
        Fault::Ours(error) => error.to_string(),
    };
    let call = order.entry.trim_end_matches("_v2");
    let says = |words: &str| error.contains(words);
    let meant = match (call, order.code) {
        // The answer for a name that is not there.
        ("cuModuleGetFunction", 500) => says("cannot find kernel `saxpy`"),
        // The answer for a parameter that is not there: the kernel seems to take fewer.
        ("cuFuncGetParamInfo", 1) => says("parameter"),
        // A launch is explained by its kernel.
        ("cuLaunchKernelEx", code) => {
            says("launching kernel `saxpy`") && says(&format!("({code})"))
        }
        (call, code) => says(call) && says(&format!("({code})")),
    };
    if meant {
        Ok(())
    } else {
        Err(format!("the error does not name it: {error}"))
    }
}

/// Prints the table.
pub(crate) fn print() {
    let table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    if table.is_empty() {
        return;
    }
    println!(
        "| stage | calls | in drops | failures | errors | recovered | without a receiver | leaks |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut sum = Row {
        stage: "all",
        ..Row::default()
    };
    for row in table.iter() {
        println!("{}", line(row));
        sum.calls += row.calls;
        sum.drop_calls += row.drop_calls;
        sum.faults += row.faults;
        sum.errors += row.errors;
        sum.recovered += row.recovered;
        sum.released += row.released;
        sum.leaks += row.leaks;
    }
    println!("{}", line(&sum));
}

fn line(row: &Row) -> String {
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} |",
        row.stage,
        row.calls,
        row.drop_calls,
        row.faults,
        row.errors,
        row.recovered,
        row.released,
        row.leaks
    )
}
