//! The list of all files of published packages that have `unsafe` blocks, with the reason of each. No folder is exempt.

/// File and reason.
const FILES: &[(&str, &str)] = &[
    (
        "crates/abi/src/signature/pointee.rs",
        "`const` code cannot compare types: a value that is initialised in one place only",
    ),
    ("crates/build/src/jobserver.rs", "cargo's jobserver is a pair of inherited descriptors"),
    ("crates/cli/src/replay.rs", "its user trusts the recording, whose kernel can write anywhere"),
    ("crates/cli/tracer/cupti.rs", "C: CUPTI's callbacks"),
    ("crates/cli/tracer/driver.rs", "C: the driver's functions about a kernel"),
    ("crates/cli/tracer/lib.rs", "C: it is loaded into a foreign process and receives CUPTI's data"),
    ("crates/cli/tracer/loader.rs", "C: `dlopen` and `dlsym`"),
    ("crates/cli/tracer/parameters.rs", "the parameters of a launch are addresses that the driver reads"),
    ("crates/cli/tracer/record.rs", "the parameters of a launch, and copies of memory behind its pointers"),
    ("crates/nvrtc/src/library.rs", "C: NVRTC"),
    ("crates/test-driver/src/client/mod.rs", "C: the controls that the test driver exports"),
    ("crates/test-driver/src/state/cupti.rs", "C: CUPTI's structures and callbacks"),
    ("crates/test-driver/src/entry.rs", "C: the arguments of all entry points"),
    ("crates/test-driver/src/execute/arithmetic.rs", "AVX2 and FMA, if the processor has them"),
    ("crates/test-driver/src/execute/global.rs", "kernels access device memory as atomics at checked addresses"),
    ("crates/test-driver/src/execute/mod.rs", "a kernel runs on memory that the program can access at the same time"),
    ("crates/test-driver/src/client/install.rs", "C: it loads the `libcuda` of the process"),
    ("crates/test-driver/src/memory/mod.rs", "device memory is allocated with the layout that the driver promises"),
    ("kernel-args/src/device/device_type.rs", "writes a value as bytes, with zeros for its padding"),
    ("kernel-args/src/driver/api/allocation.rs", "C: device memory for pools"),
    ("kernel-args/src/driver/api/captured.rs", "C: reads the parameters of captured nodes"),
    ("kernel-args/src/driver/api/context.rs", "C: contexts and streams of the driver, which cudarc adopts"),
    ("kernel-args/src/driver/api/entry_points.rs", "C: gives each entry point its type, and calls it"),
    ("kernel-args/src/driver/api/exec.rs", "C: owns instantiated graphs"),
    ("kernel-args/src/driver/api/global_memory.rs", "C: copies from and to variables"),
    ("kernel-args/src/driver/api/graph.rs", "C: owns graphs"),
    ("kernel-args/src/driver/api/graph_nodes.rs", "C: nodes, which are valid while their graph is"),
    ("kernel-args/src/driver/api/handle.rs", "handles are pointers that are never dereferenced, and may be sent"),
    ("kernel-args/src/driver/api/launch/mod.rs", "C: `cuLaunchKernelEx` with parameters that match"),
    ("kernel-args/src/driver/api/module.rs", "C: images, which the driver reads without a length"),
    ("kernel-args/src/driver/api/pointer.rs", "C: copies a few bytes behind a pointer that an error shows"),
    ("kernel-args/src/driver/api/texture.rs", "C: copies between arrays and device memory"),
    (
        "kernel-args/src/driver/context/runtime.rs",
        "adopts streams of the CUDA runtime for as long as the caller promises",
    ),
    ("kernel-args/src/driver/function/fitting.rs", "turns a verification into the promise that a launch needs"),
    ("kernel-args/src/driver/graph/promised.rs", "the unsafe methods of graphs: the caller's promise"),
    ("kernel-args/src/driver/launch/mod.rs", "`launch!`: the caller's promise"),
    ("kernel-args/src/driver/launcher/mod.rs", "`launch!` of a host function: the caller's promise"),
    ("kernel-args/src/driver/observe/to_file/write.rs", "copies of memory behind the pointers of a launch"),
    ("kernel-args/src/driver/run/run_record.rs", "a run is shared by threads, one of which records at a time"),
    ("kernel-args/src/driver/sequence/copies.rs", "elements of the host as bytes, which the caller promises"),
    ("kernel-args/src/marshal/launcher.rs", "calls a C function with arguments that were compared with it"),
    ("kernel-args/src/marshal/lower.rs", "a buffer for parameters on the stack, written once"),
    ("kernel-args/src/marshal/param_writer.rs", "writes one parameter into that buffer"),
    ("kernel-args/src/marshal/storage.rs", "a list that is on the stack while it is short"),
    ("kernel-args/src/memory/held.rs", "a run uses a slice for longer than the borrow of its closure"),
    ("kernel-args/src/memory/held/tests.rs", "unit tests: a stream that does not exist"),
    ("kernel-args/src/memory/pool.rs", "a block of a pool is lent as a slice, one thread at a time"),
    ("kernel-args/src/memory/work_args.rs", "the closure of external work receives an alias of a slice"),
];

/// Files that are missing in the list, and entries for files without `unsafe` blocks.
pub(crate) fn differences(with_blocks: &[String]) -> Vec<String> {
    compare(FILES, with_blocks)
}

fn compare(list: &[(&str, &str)], with_blocks: &[String]) -> Vec<String> {
    let is_listed = |path: &String| list.iter().any(|(file, _)| file == path);
    let missing = with_blocks.iter().filter(|path| !is_listed(path));
    let missing =
        missing.map(|path| format!("{path} has `unsafe` blocks: use a file that has them, or list it with its reason"));
    let stale = list.iter().filter(|(file, _)| !with_blocks.iter().any(|path| path == file));
    missing.chain(stale.map(|(file, _)| format!("{file} has no `unsafe` blocks: remove it from the list"))).collect()
}

#[test]
fn a_file_that_is_not_listed_and_a_stale_entry_are_reported() {
    let with_blocks = ["a.rs".to_owned(), "b.rs".to_owned()];
    assert_eq!(compare(&[("a.rs", "a reason"), ("b.rs", "a reason")], &with_blocks), [] as [String; 0]);
    let problems = compare(&[("a.rs", "a reason"), ("c.rs", "a reason")], &with_blocks);
    assert_eq!(problems.len(), 2);
    assert!(problems[0].starts_with("b.rs has") && problems[1].starts_with("c.rs has no"), "{problems:?}");
}
