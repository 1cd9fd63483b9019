//! Injects one failure at a time: for each entry point that a stage calls, each call, with each of several codes.

use crate::fault_injection::{
    driver,
    stages::{LEFT, LEFT_BYTES, REPLACED, STAGES, Stage, TEXTURES},
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

/// The counts of a stage for the table.
#[derive(Default)]
struct Row {
    stage: &'static str,
    calls: u64,
    drop_calls: u64,
    faults: usize,
    errors: usize,
    /// The stage succeeded in spite of the failure: the call only returned a name, or was repeated.
    recovered: usize,
    /// Failed calls that should have released an object.
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

/// One requested failure.
#[derive(Clone, Copy, Debug)]
struct Order<'a> {
    entry: &'a str,
    /// The number of successful calls before it.
    spared: u64,
    code: u32,
    /// Whether the stage itself makes the call, and not the drop of its objects.
    in_run: bool,
}

fn every_call_fails_once(stage: &'static Stage) -> Result<(), String> {
    let driver = driver();
    // Objects that the graphs of the previous stage released are dropped on a different thread.
    Graph::wait_until_released();
    let mut world = World::new().map_err(|fault| format!("{fault:?}"))?;
    // The thread that drops them makes one call when it starts, which does not belong to the stage.
    Graph::wait_until_released();
    // The first run fills all caches.
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
                let order = Order { entry, spared, code, in_run: spared < run };
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
    TABLE.lock().unwrap_or_else(PoisonError::into_inner).push(row);
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// The number of calls of each entry point: in the stage itself, and including the drop of its objects.
fn count(stage: &Stage, driver: &Control, world: &mut World) -> Result<BTreeMap<String, (u64, u64)>, String> {
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
    make_current(if stage.unbound { NO_CONTEXT } else { world.ctx.cu_ctx() });
}

fn fails_once(
    stage: &Stage,
    order: Order<'_>,
    driver: &Control,
    world: &mut World,
    row: &mut Row,
) -> Result<(), String> {
    begin(stage, world);
    // cudarc stores the errors of its own drops.
    let _ = (world.own.check_err(), world.other.check_err());
    let before = driver.live();
    driver.fail_after(order.entry, order.code, order.spared);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // The objects of the stage are dropped while the requested failure may still be active.
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
    // Exactly the object that the failed call should have released is still alive.
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
    expected.extend(kept(stage, order, before, after));
    if !expected.contains(&after) {
        row.leaks += 1;
        return Err(format!("leaked: {before:?} before, {after:?} after"));
    }
    // cudarc stores the errors of its own drops; this crate stores none.
    let pending = world.ctx.check_err();
    if pending.is_err() && order.in_run {
        return Err(format!("{pending:?} is left to the next call"));
    }
    world.works().map_err(|fault| format!("the next launch failed: {fault:?}"))
}

/// Entry points whose failure a stage survives: a name for messages, and a query that is repeated.
const RECOVERED: [&str; 4] = [
    "cuFuncGetName",
    "cuFuncGetParamInfo",
    // Whether a context was reset: if the driver does not answer, it counts as not reset.
    "cuCtxGetId",
    "cuDevicePrimaryCtxGetState",
];

/// Calls that release replaced arguments after an update: if they fail, the graph keeps the arguments as long as it
/// lives.
const RECOVERED_BY_GRAPHS: [&str; 5] =
    ["cuCtxSetCurrent", "cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuStreamIsCapturing"];

/// Whether a stage survives a failure of this entry point.
fn recovers(stage: &Stage, entry: &str) -> bool {
    RECOVERED.contains(&entry)
        // The device of a context, for its name and to check whether it is alive.
        || stage.name.starts_with("context, current") && entry == "cuCtxGetDevice"
        || stage.name.starts_with("graph") && RECOVERED_BY_GRAPHS.contains(&entry)
}

const GRAPHS: [&str; 2] = ["cuGraphDestroy", "cuGraphExecDestroy"];

/// The live objects after this call has failed to release one; `None` for a call that releases nothing.
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
        "cuArrayDestroy" => &mut after.arrays,
        _ => return None,
    } += 1;
    Some(after)
}

/// What a stage keeps on purpose if this call fails in the drop of its objects.
fn kept(stage: &Stage, order: Order<'_>, before: LiveObjects, after: LiveObjects) -> Option<LiveObjects> {
    if order.in_run {
        return None;
    }
    match (stage.name, order.entry) {
        (LEFT, "cuMemFreeAsync" | "cuStreamIsCapturing") => {
            Some(LiveObjects { allocations: before.allocations + 1, bytes: before.bytes + LEFT_BYTES as u64, ..before })
        }
        // An array exists as long as an object of it.
        (TEXTURES, "cuTexObjectDestroy" | "cuSurfObjectDestroy" | "cuEventSynchronize" | "cuCtxSetCurrent") => {
            let extra = |now: u64, before: u64| now.saturating_sub(before) <= 1;
            let is_kept = extra(after.arrays, before.arrays)
                && extra(after.textures, before.textures)
                && extra(after.surfaces, before.surfaces);
            let LiveObjects { arrays, textures, surfaces, .. } = after;
            is_kept.then_some(LiveObjects { arrays, textures, surfaces, ..before })
        }
        // The instantiated graph, its graph, and what they retain.
        (REPLACED, entry) if RECOVERED_BY_GRAPHS.contains(&entry) => Some(LiveObjects {
            graphs: before.graphs + 2,
            user_objects: after.user_objects.max(before.user_objects),
            ..before
        }),
        _ => None,
    }
}

/// Whether the error names the failed call and its code.
fn named(fault: &Fault, order: Order<'_>) -> Result<(), String> {
    let error = match fault {
        Fault::Cudarc(error) if error.0 as u32 == order.code => return Ok(()),
        Fault::Cudarc(error) => return Err(format!("{error:?}")),
        Fault::Ours(error) => error.to_string(),
    };
    let call = order.entry.trim_end_matches("_v2");
    let says = |words: &str| error.contains(words);
    let meant = match (call, order.code) {
        // The result for a name that does not exist.
        ("cuModuleGetFunction", 500) => says("cannot find kernel `saxpy`"),
        ("cuModuleGetGlobal", 500) => says("cannot find the variable `counter`"),
        // The result for a parameter that does not exist: the kernel seems to take fewer parameters.
        ("cuFuncGetParamInfo", 1) => says("parameter"),
        // The error of a launch names its kernel.
        ("cuLaunchKernelEx", code) => says("launching kernel `saxpy`") && says(&format!("({code})")),
        (call, code) => says(call) && says(&format!("({code})")),
    };
    if meant { Ok(()) } else { Err(format!("the error does not name it: {error}")) }
}

/// Prints the table.
pub(crate) fn print() {
    let table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    if table.is_empty() {
        return;
    }
    println!("| stage | calls | in drops | failures | errors | recovered | without a receiver | leaks |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut sum = Row { stage: "all", ..Row::default() };
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
        row.stage, row.calls, row.drop_calls, row.faults, row.errors, row.recovered, row.released, row.leaks
    )
}
