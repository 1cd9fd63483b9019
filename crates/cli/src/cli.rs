//! The command line: commands, options and help.

use crate::select::gpu;
use clap::{Arg, ArgAction, ArgGroup, ColorChoice, Command, ValueHint, value_parser};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

pub(crate) const NAME: &str = "kernel-args";

const LONG: &str = "\
Shows and compares the parameters of CUDA kernels: of PTX, cubins and fat binaries, and of object files, static archives, \
libraries and programs that contain any of these.

Names, C++ types of `extern \"C\"` kernels and members of structs are shown where an image has debug information (`nvcc -G`, \
NVRTC's `--device-debug`). Without it, C++ types are read from the kernel's mangled name.

`kernel-args FILE` is short for `kernel-args show FILE`.";

const USAGE: &str = "kernel-args <COMMAND>\n       kernel-args <FILE>...  (as `kernel-args show`)";

const EXIT: &str = "\
Exit codes:
  0  success; `diff`: callers of OLD can call NEW; `check`: no difference
  1  `diff`: a change breaks callers; `check`: a difference, or a finding of --lint
  2  a file cannot be read, or contains no matching kernel; wrong usage";

const SHOW: &str = "\
Shows every kernel with its parameters (name, C++ type, offset, size and alignment in bytes), its launch limits, \
its files and GPUs, and a byte map: each parameter has a letter, padding is `.`.

Where an image has PTX, its code shows more. `use` is what the kernel does through a pointer: r reads, w writes, rw both, a \
updates it atomically; ? means that it may do more; – means that it does not use the parameter. `inferred` is the type of a \
parameter without a C++ type. A remark is a C++ type that the code contradicts.

A kernel that has the same parameters for several GPUs is shown once. If an image contains no offsets, they are computed from \
the alignments; above an alignment of 16 bytes they depend on the GPU and are shown as `?`.";

const SHOW_AFTER: &str = "\
Examples:
  kernel-args show saxpy.ptx   # or: kernel-args saxpy.ptx
  kernel-args show --kernel 'gemm*' --arch sm_90 libkernels.so
  kernel-args show --summary /usr/local/cuda/lib64
  kernel-args show --json libkernels.so | jq '.kernels[].symbol'
  kernel-args show --list libkernels.so > kernels.list
  kernel-args show --launchers liblaunchers.a
  cat saxpy.ptx | kernel-args show -";

const DIFF: &str = "\
Shows what changed in the interface of each kernel: kernels and parameters that were added, removed, moved, exchanged, \
renamed or retyped; members of structs; launch limits.

A change breaks callers if arguments or a launch that are valid for OLD are not valid for NEW. A renamed parameter does not \
break callers, unless two parameters of the same type exchanged their names.";

const DIFF_AFTER: &str = "\
Examples:
  kernel-args diff v1/libkernels.so v2/libkernels.so
  kernel-args diff --json old.ptx new.ptx

Exit codes:
  0  no change, or only changes that do not break callers
  1  a change breaks callers
  2  a file cannot be read";

const CHECK: &str = "\
Compares the kernels of FILE with a list that `kernel-args show --list` wrote. Keep the list next to the source. Every \
difference is shown with both sides.

--lint compares C++ types (of mangled names or debug information) with the code of the kernels. It shows pointers without \
`const` through which a kernel only reads, pointers to `const` through which it writes, and other elements than the type has. Only \
PTX is analysed.";

const CHECK_AFTER: &str = "\
Examples:
  kernel-args show --list build/kernels.fatbin > kernels.list   # once, and after each intended change
  kernel-args check build/kernels.fatbin --against kernels.list # in CI
  kernel-args check --lint kernels.ptx

Exit codes:
  0  FILE has the kernels of LIST with these parameters; --lint found nothing
  1  a difference; --lint found something
  2  a file cannot be read";

const RUST: &str = "\
Writes one struct with `#[derive(KernelArgs)]` for each kernel, and one `#[derive(DeviceType)]` type for each struct and enum that \
they take. Fields have the C++ names if the file, or the file of --debug-info, has debug information.";

const RUST_AFTER: &str = "\
Examples:
  kernel-args rust saxpy.ptx > src/kernels.rs
  kernel-args rust kernels.fatbin --debug-info kernels.debug.ptx --kernel 'gemm*'
  kernel-args rust saxpy.ptx --image ptx/saxpy.ptx   # compared at compile time

Exit codes:
  0  the structs were written
  2  a file cannot be read, or contains no matching kernel";

const HEADER: &str = "\
Writes prototypes of the kernels, and the structs and enums that they take by value, with assertions of their sizes, alignments \
and offsets. Members are read from debug information only: in the file, or in --debug-info.";

const HEADER_AFTER: &str = "\
Examples:
  kernel-args header kernels.debug.ptx > kernels.cuh
  kernel-args header kernels.fatbin --debug-info kernels.debug.ptx --guard KERNELS_CUH

Exit codes:
  0  the header was written; a kernel that cannot be declared is a comment, and a warning counts these
  2  a file cannot be read, contains no matching kernel, or a name cannot be declared; no kernel can be declared, or with --strict \
one of them";

const TRACE: &str = "\
Runs a program, and shows each kernel launch of it and of the processes that it starts: the time in seconds, the kernel, grid, block, \
dynamic shared memory and stream as CUDA C++ writes them, the parameters, the error, and how long the driver took. The program can be \
in any language, and its CUDA runtime can be static.

The parameters have names and types where the program's images have them: types from mangled names, names and members of structs \
from debug information (`nvcc -G`). Otherwise they are shown as bytes.

The trace is written to standard error. NVIDIA's library CUPTI is needed, which is part of the CUDA toolkit (`extras/CUPTI`) and of the \
Python package `nvidia-cuda-cupti`. One tool at a time can use CUPTI in a process: no profiler can run at the same time.

Launches in a CUDA graph are shown as one launch of the graph. Times are of the calls: the GPU can run a kernel later.";

const TRACE_AFTER: &str = "\
Examples:
  kernel-args trace ./program
  kernel-args trace --kernel '*gemm*' -- python3 train.py --epochs 1
  kernel-args trace --summary -- python3 train.py
  kernel-args trace --chrome launches.json ./program   # open it in https://ui.perfetto.dev
  kernel-args trace --verify ./program
  kernel-args trace --check-pointers ./program         # pointers to freed memory, to the host, to another GPU, or misaligned

Exit codes:
  The exit code of the program; 128 plus the number of the signal that ended it.
  1  --verify found a difference, and the program succeeded
  2  the program cannot be started";

#[cfg(feature = "replay")]
const REPLAY: &str = "\
Launches a kernel again that was recorded with `KERNEL_ARGS_RECORD` or `kernel_args::observe::record_to_file`: with the recorded image, \
arguments and memory, and without the program. The memory after the launch is compared with the recorded memory, bit for bit.

Other grids, blocks and images show what a change does to the result and to the time. Variables of the module and memory behind \
pointers in device memory are not part of a recording.

The kernel comes from FILE: replay only recordings that you trust, as programs.";

#[cfg(feature = "replay")]
const REPLAY_AFTER: &str = "\
Examples:
  KERNEL_ARGS_RECORD=saxpy#3 ./program     # the fourth launch of saxpy, into saxpy.3.launch
  kernel-args replay saxpy.3.launch
  kernel-args replay --block 128 --grid 8 -n 100 saxpy.3.launch
  kernel-args replay --image faster.cubin -n 100 saxpy.3.launch
  kernel-args replay --show saxpy.3.launch # needs no GPU
  compute-sanitizer --report-api-errors no kernel-args replay -n 0 saxpy.3.launch

Exit codes:
  0  the result is the recorded one
  1  it differs
  2  FILE cannot be read, or the kernel cannot be launched";

pub(crate) fn command() -> Command {
    let command = Command::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .about("Shows and compares the parameters of CUDA kernels")
        .long_about(LONG)
        .after_help(EXIT)
        .override_usage(USAGE)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(show())
        .subcommand(diff())
        .subcommand(check())
        .subcommand(rust())
        .subcommand(header())
        .subcommand(trace());
    #[cfg(feature = "replay")]
    let command = command.subcommand(replay());
    command
        .subcommand(
            Command::new("completions")
                .about("Writes a completion script for a shell")
                .after_help(
                    "Example:\n  kernel-args completions bash > ~/.local/share/bash-completion/completions/kernel-args",
                )
                .arg(
                    Arg::new("shell")
                        .required(true)
                        .value_name("SHELL")
                        .value_parser(value_parser!(clap_complete::Shell)),
                ),
        )
        .subcommand(
            Command::new("man")
                .about("Writes the manual page")
                .after_help("Example:\n  kernel-args man > ~/.local/share/man/man1/kernel-args.1"),
        )
}

/// With the command `show` if the first argument is a file or an option of `show`. Without a dot or a separator, what
/// does not exist is a command.
pub(crate) fn arguments(given: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = given.into_iter().collect();
    let is_command = |argument: &OsString| {
        argument.to_str().is_some_and(|name| name == "help" || command().find_subcommand(name).is_some())
    };
    let is_shown = arguments.get(1).is_some_and(|first| match first.to_string_lossy() {
        text if text == "-" => true,
        text if text.starts_with('-') => {
            !["-h", "--help", "-V", "--version"].contains(&&*text) && !arguments.iter().skip(2).any(is_command)
        }
        text => !is_command(first) && (text.contains(['.', '/', '\\']) || Path::new(first).exists()),
    });
    if is_shown {
        arguments.insert(1, "show".into());
    }
    arguments
}

fn described_command(name: &'static str, about: &'static str, long: &'static str, after: &'static str) -> Command {
    Command::new(name).about(about).long_about(long).after_help(after)
}

fn show() -> Command {
    described_command("show", "Shows every kernel with its parameters", SHOW, SHOW_AFTER)
        .arg(files("PTX, cubins, fat binaries, object files, archives, libraries, programs; directories; `-` for standard input"))
        .args(selecting())
        .arg(flag("json", "Write JSON, one kernel on a line; the schema is in the README"))
        .arg(flag("list", "Write one line for each kernel, for `kernel-args check`"))
        .arg(flag("summary", "Write how many kernels each file has, and for which GPUs"))
        .group(ArgGroup::new("format").args(["json", "list", "summary"]))
        .arg(launchers().conflicts_with("summary"))
        .args(naming())
        .arg(color())
}

fn diff() -> Command {
    described_command("diff", "Shows what changed in the interface of each kernel", DIFF, DIFF_AFTER)
        .arg(file("old", "The version that callers use today").value_name("OLD"))
        .arg(file("new", "The version that replaces it").value_name("NEW"))
        .args(selecting())
        .arg(flag("json", "Write JSON; the schema is in the README"))
        .arg(launchers())
        .args(naming())
        .arg(color())
}

fn check() -> Command {
    let against = file_option("against", "The list that `kernel-args show --list` wrote; `-` for standard input");
    described_command(
        "check",
        "Compares the kernels of a file with a list or with their own code, for continuous integration",
        CHECK,
        CHECK_AFTER,
    )
    .arg(files("A new build of the files that the list was written from"))
    .arg(against.value_name("LIST"))
    .arg(flag("lint", "Show C++ types that the code in PTX contradicts, and pointers that it only reads"))
    .group(ArgGroup::new("compared").args(["against", "lint"]).required(true).multiple(true))
    .args(selecting())
    .arg(launchers().conflicts_with("lint"))
    .arg(color())
}

fn rust() -> Command {
    described_command("rust", "Writes Rust structs for the kernels of a file", RUST, RUST_AFTER)
        .arg(files("What `show` takes"))
        .args(selecting())
        .arg(described())
        .arg(flag("raw", "Write `DevicePointer<T>` for pointers, which needs no cudarc, instead of `&CudaSlice<T>`"))
        .arg(flag("half", "Use the types of the crate half, with the feature `half` of kernel-args"))
        .arg(flag("float8", "Use the types of the crate float8, with the feature `float8` of kernel-args"))
        .arg(flag("textures", "Borrow textures and surfaces, with the feature `textures` of kernel-args"))
        .arg(option(
            "items",
            "PATH",
            "Refer to the kernels as items of this module of `kernels!`: `crate::kernels::saxpy`",
        ))
        .arg(
            option("image", "PATH", "Refer to the kernels by this image: `#[kernel_args(ptx = \"PATH\", entry = …)]`")
                .conflicts_with("items"),
        )
}

fn header() -> Command {
    described_command("header", "Writes a C++ header for the kernels of a file", HEADER, HEADER_AFTER)
        .arg(files("What `show` takes"))
        .args(selecting())
        .arg(described())
        .arg(option("guard", "NAME", "Write an include guard of this name instead of `#pragma once`"))
        .arg(option("namespace", "PATH", "The namespace of all types that have no namespace"))
        .arg(flag("strict", "Fail if a kernel cannot be declared, instead of writing the reason as a comment"))
}

fn trace() -> Command {
    described_command("trace", "Runs a program and shows its kernel launches", TRACE, TRACE_AFTER)
        .arg(
            Arg::new("command")
                .help("The program and its arguments")
                .value_name("COMMAND")
                .required(true)
                .num_args(1..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_hint(ValueHint::CommandWithArguments)
                .value_parser(value_parser!(OsString)),
        )
        .arg(pattern())
        .arg(flag("summary", "Show a table of the kernels at the end, and no launches"))
        .arg(flag("json", "Write a JSON object for each launch; the schema is in the README"))
        .group(ArgGroup::new("trace-format").args(["summary", "json"]))
        .arg(file_option("chrome", "Also write the launches to FILE, in the trace event format of Chrome and Perfetto"))
        .arg(flag("verify", "Compare the parameters that the driver records for each kernel with what is read from its image"))
        .arg(
            option("record", "PATTERN#N", "Record launch N of the kernels that match, counted from 0, for `kernel-args replay`; without #N the first")
                .value_parser(launch_number),
        )
        .arg(file_option("record-file", "The file for --record; otherwise it is named after the kernel"))
        .arg(flag("check-pointers", "Look up the memory behind each pointer before its launch, and show the pointers that the kernel cannot use"))
        .arg(file_option("output", "Write the trace to FILE instead of standard error").short('o'))
        .arg(file_option("cupti", "The file of CUPTI, if it is not found: libcupti.so"))
        .args(naming())
        .arg(color())
}

#[cfg(feature = "replay")]
fn replay() -> Command {
    let extents = |name: &'static str, help: &'static str| {
        option(name, "X,Y,Z", help).value_parser(crate::replay::parsed_extents)
    };
    let number = |name: &'static str, help: &'static str| option(name, "N", help).value_parser(value_parser!(u32));
    described_command("replay", "Launches a recorded kernel again, and compares the result", REPLAY, REPLAY_AFTER)
        .arg(file("file", "The recording"))
        .arg(extents("grid", "Another grid, in blocks: `8` or `8,2,1`"))
        .arg(extents("block", "Another block, in threads"))
        .arg(number("shared-memory", "Another size of dynamic shared memory, in bytes for each block"))
        .arg(file_option("image", "Another build of the kernel: PTX, a cubin or a fat binary"))
        .arg(
            number(
                "repetitions",
                "Launch N times more, each time with the recorded memory, and show the time on the GPU",
            )
            .short('n')
            .default_value("10"),
        )
        .arg(number("device", "The GPU").default_value("0"))
        .arg(flag("show", "Only show what the recording contains; no GPU is needed"))
        .arg(flag("json", "Write JSON; the schema is in the README"))
        .arg(color())
}

/// Returns a pattern, and the number of a launch: `saxpy#3`.
fn launch_number(text: &str) -> Result<(String, u64), String> {
    let (pattern, nth) = text.rsplit_once('#').unwrap_or((text, "0"));
    match nth.parse() {
        Ok(nth) if !pattern.is_empty() => Ok((pattern.to_owned(), nth)),
        _ => Err("it is not a pattern, or a pattern and a number: `saxpy#3`".to_owned()),
    }
}

fn described() -> Arg {
    file_option("debug-info", "The same kernels, compiled with debug information: for names, types and members")
}

fn files(help: &'static str) -> Arg {
    file("file", help).num_args(1..)
}

fn file_option(name: &'static str, help: &'static str) -> Arg {
    file(name, help).required(false).long(name)
}

fn file(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .help(help)
        .value_name("FILE")
        .required(true)
        .value_hint(ValueHint::AnyPath)
        .value_parser(value_parser!(PathBuf))
}

fn pattern() -> Arg {
    option("kernel", "PATTERN", "Only kernels whose name matches").short('k').action(ArgAction::Append).long_help(
        "Only kernels whose name matches: `*` matches any characters, `?` matches one. It is compared with the symbol and \
         with the C++ name, with and without namespaces, template arguments and parameters",
    )
}

fn selecting() -> [Arg; 2] {
    [
        pattern(),
        option("arch", "GPU", "Only images for this GPU generation, such as sm_90; of PTX, the lowest one counts")
            .short('a')
            .action(ArgAction::Append)
            .value_parser(gpu),
    ]
}

fn launchers() -> Arg {
    flag("launchers", "Host functions instead of kernels")
        .long_help(
            "The `extern \"C\"` functions of objects, static and shared libraries instead of kernels: functions of the host that launch \
             kernels. They are read from the debug information of the host compiler (`-g`)",
        )
        .conflicts_with("arch")
}

fn naming() -> [Arg; 2] {
    [
        flag("demangle", "Show C++ names instead of symbols [default]").overrides_with("no-demangle"),
        flag("no-demangle", "Show symbols instead of C++ names").overrides_with("demangle"),
    ]
}

fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
}

fn color() -> Arg {
    option("color", "WHEN", "Colours: `auto` means on a terminal, unless NO_COLOR is set")
        .default_value("auto")
        .value_parser(value_parser!(ColorChoice))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
