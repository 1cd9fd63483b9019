//! Tests with programs that replace nvcc, and without a compiler.

use super::{Package, saxpy};
use libtest_mimic::Trial;
use std::os::unix::fs::PermissionsExt;
use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

/// A program that writes the files that nvcc would write, and logs the start and end of each run into `log`. It waits
/// until `TOGETHER` runs have started. `command -p` finds the utilities of POSIX without `PATH`.
const FAKE: &str = r#"#!/bin/sh
echo start >> "$LOG"
while [ $# -gt 0 ]; do
    case "$1" in -o) out=$2; shift;; -MF) list=$2; shift;; *.cu) source=$1;; esac
    shift
done
command -p sleep 0.2
laps=0
while [ "$(command -p grep -c start "$LOG")" -lt "${TOGETHER:-1}" ] && [ $laps -lt 100 ]; do
    command -p sleep 0.1
    laps=$((laps + 1))
done
printf '.version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u32 n) { ret; }\n' > "$out"
printf 'out : %s\n' "$source" > "$list"
echo end >> "$LOG"
"#;

fn program(package: &Package, path: &str, text: &str) -> PathBuf {
    package.write_old(path, text);
    let path = package.root.join(path);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn sources(package: &Package, names: &[&str]) {
    for name in names {
        package.write_old(&format!("src/{name}.cu"), "");
    }
}

/// The maximum number of concurrent runs, and the total number.
fn runs(log: &Path) -> (i32, usize) {
    let text = fs::read_to_string(log).unwrap_or_default();
    let mut now = 0;
    let most = text.lines().map(|line| {
        now += if line == "start" { 1 } else { -1 };
        now
    });
    (most.max().unwrap_or(0), text.matches("start").count())
}

pub(super) fn the_requested_number_of_compilations_runs_at_once() {
    for (script, most, together) in [("serial", 1, "1"), ("parallel", 4, "4")] {
        let package = Package::new(script);
        sources(&package, &["a", "b", "c"]);
        let nvcc = program(&package, "fake/nvcc", FAKE);
        let log = package.root.join("log");
        let variables = [("NVCC", &*nvcc), ("LOG", &*log), ("TOGETHER", Path::new(together))];
        package.run(script, &variables).succeeded();
        assert_eq!(runs(&log), (most, 6), "{script}");
    }
}

/// Two tokens, and the build script's own.
pub(super) fn cargos_jobs_are_shared() {
    let package = Package::new("jobserver");
    sources(&package, &["a", "b", "c", "d"]);
    let nvcc = program(&package, "fake/nvcc", FAKE);
    let log = package.root.join("log");
    // The path has no space, because a space would end the variable.
    let fifo = std::env::temp_dir().join(format!("kernel-args-{}-fifo", std::process::id()));
    kernel_args_test_generator::tools::pipe(&fifo);
    let mut tokens = fs::File::options().read(true).write(true).open(&fifo).unwrap();
    tokens.write_all(b"++").unwrap();
    let flags = format!("-j --jobserver-auth=fifo:{}", fifo.display());
    let variables = [
        ("NVCC", &*nvcc),
        ("LOG", &*log),
        ("NUM_JOBS", Path::new("8")),
        ("CARGO_MAKEFLAGS", Path::new(&flags)),
        ("TOGETHER", Path::new("3")),
    ];
    package.run("all", &variables).succeeded();
    assert_eq!(runs(&log), (3, 8));
    // All tokens were released.
    let mut given_back = [0; 2];
    tokens.read_exact(&mut given_back).unwrap();
    assert_eq!(&given_back, b"++");
    fs::remove_file(fifo).unwrap();
}

pub(super) fn only_what_changed_is_compiled_again() {
    let package = Package::new("kept");
    sources(&package, &["a", "b"]);
    let (nvcc, log) = (program(&package, "fake/nvcc", FAKE), package.root.join("log"));
    let variables = [("NVCC", &*nvcc), ("LOG", &*log)];
    let count = || {
        package.run("all", &variables).succeeded();
        runs(&log).1
    };
    assert_eq!(count(), 4);
    assert_eq!(count(), 4, "nothing changed");
    package.write_old("src/a.cu", "// changed");
    assert_eq!(count(), 6, "one source");
    fs::write(package.out.join("b.ptx"), "").unwrap();
    assert_eq!(count(), 7, "an image was changed");
    fs::write(package.out.join("b.debug.ptx"), "").unwrap();
    assert_eq!(count(), 9, "a description was changed");
    program(&package, "fake/nvcc", &FAKE.replace("0.2", "0"));
    assert_eq!(count(), 13, "another compiler");
    let text = package.written("a.sources");
    fs::write(package.out.join("a.sources"), text.replace("output ptx", "output cubin")).unwrap();
    assert_eq!(count(), 14, "another kind of image");
    fs::rename(package.root.join("src/b.cu"), package.root.join("src/c.cu")).unwrap();
    assert_eq!(count(), 16, "a new name");
    assert!(
        package.has("c.ptx")
            && !package.has("b.ptx")
            && !package.has("b.debug.ptx")
            && !package.has("b.sources")
            && !package.has("b.debug.sources")
    );
    assert!(!package.written("kernels.rs").contains("mod b"));
}

/// The second compilation, with debug information, depends on fewer settings than the first.
pub(super) fn a_description_is_compiled_again_only_if_it_can_change() {
    let package = Package::new("kept-description");
    sources(&package, &["a"]);
    package.write_old("src/a.cuh", "// a header");
    let fake = FAKE
        .replace("case \"$1\" in", "case \"$1\" in -G) echo debug >> \"$LOG\";;")
        .replace("out : %s\\n' \"$source\"", "out : src/a.cu src/a.cuh\\n'");
    let (nvcc, log) = (program(&package, "fake/nvcc", &fake), package.root.join("log"));
    let run = |script: &str, more: &[(&str, &Path)]| {
        let variables = [&[("NVCC", &*nvcc), ("LOG", &*log)], more].concat();
        package.run(script, &variables).succeeded();
        let text = fs::read_to_string(&log).unwrap();
        (text.matches("start").count(), text.matches("debug").count())
    };
    assert_eq!(run("sm_90", &[]), (2, 1));
    assert_eq!(run("sm_90_registers", &[]), (3, 1), "an option of the assembler");
    assert_eq!(run("sm_90_cubin", &[]), (4, 1), "another kind of image");
    assert_eq!(run("sm_75_sm_90", &[]), (5, 1), "an older generation");
    let description = package.written("a.debug.ptx");
    assert_eq!(run("sm_90", &[]), (6, 1), "as before");
    assert_eq!(run("sm_90", &[]), (6, 1), "nothing changed");
    for path in ["src/a.cu", "src/a.cuh"] {
        let text = fs::read_to_string(package.root.join(path)).unwrap();
        package.write_old(path, &text);
    }
    assert_eq!(run("sm_90", &[]), (6, 1), "a new time of the same text");
    assert_eq!(run("sm_86", &[]), (8, 2), "another generation");
    assert_eq!(run("sm_86_define", &[]), (10, 3), "a macro");
    let flags = [("NVCC_APPEND_FLAGS", Path::new("-DN"))];
    assert_eq!(run("sm_86_define", &flags), (12, 4), "a variable of nvcc");
    package.write_old("src/a.cuh", "// changed");
    assert_eq!(run("sm_86_define", &flags), (14, 5), "a header");
    assert_eq!(package.written("a.debug.ptx"), description);
    // Another crate makes the images: each new image is described by the same text.
    for (text, count) in [("one", (1, 1)), ("two", (1, 1))] {
        if text == "one" {
            fs::remove_file(&log).unwrap();
            fs::remove_file(package.out.join("a.debug.sources")).unwrap();
        }
        let image = format!(".version 8.0\n.target sm_86\n.address_size 64\n// {text}\n");
        fs::write(package.out.join("a.ptx"), image).unwrap();
        assert_eq!(run("described", &[]), count, "{text}");
    }
}

pub(super) fn a_source_that_changes_while_it_is_compiled_is_compiled_again() {
    let package = Package::new("racing");
    sources(&package, &["a"]);
    let touch = FAKE.replace("sleep 0.2", "echo '// later' >> \"$source\"");
    let (nvcc, log) = (program(&package, "fake/nvcc", &touch), package.root.join("log"));
    let variables = [("NVCC", &*nvcc), ("LOG", &*log)];
    for count in [2, 4] {
        package.run("all", &variables).succeeded();
        assert_eq!(runs(&log).1, count);
    }
}

pub(super) fn a_header_that_the_build_script_writes_counts_by_its_text() {
    let package = Package::new("written-header");
    sources(&package, &["a"]);
    let fake = FAKE.replace(
        "out : %s\\n' \"$source\"",
        "out : %s %s/written.cuh\\n' \"$source\" \"$(echo \"$OUT_DIR\" | command -p sed 's/ /\\\\ /g')\"",
    );
    let nvcc = program(&package, "fake/nvcc", &fake);
    let log = package.root.join("log");
    for (text, count) in [("one", 2), ("one", 2), ("two", 4)] {
        let variables = [("NVCC", &*nvcc), ("LOG", &*log), ("TEXT", Path::new(text))];
        let ran = package.run("written_header", &variables).succeeded();
        assert_eq!(runs(&log).1, count, "{text}");
        let watched = ran.directives("rerun-if-changed");
        assert!(
            watched.contains(&"src/a.cu") && !watched.iter().any(|path| path.contains("written.cuh")),
            "cargo runs the script each time: {watched:?}"
        );
    }
    assert!(package.written("a.sources").contains("written.cuh"));
}

pub(super) fn variables_that_nvcc_reads_count() {
    let package = Package::new("variables");
    sources(&package, &["a"]);
    let (nvcc, log) = (program(&package, "fake/nvcc", FAKE), package.root.join("log"));
    for (value, count) in [("", 2), ("-O1 -G", 4), ("-O1 -G", 4), ("-O2", 6), ("", 8)] {
        for (index, name) in ["NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "NVCC_CCBIN"].into_iter().enumerate() {
            if index > 0 && count > 2 {
                continue;
            }
            let variables = [("NVCC", &*nvcc), ("LOG", &*log), (name, Path::new(value))];
            let ran = package.run("all", &variables).succeeded();
            assert_eq!(runs(&log).1, count, "{value}");
            assert!(ran.directives("rerun-if-env-changed").contains(&name));
        }
    }
}

pub(super) fn a_requested_compiler_is_used() {
    let package = Package::new("asked");
    sources(&package, &["a"]);
    let log = package.root.join("log");
    let said = package.run("compiler", &[("LOG", &log)]).failed();
    assert!(said.contains(".compiler(…): ") && said.contains("tools/nvcc is neither"), "{said}");
    program(&package, "tools/nvcc", FAKE);
    package.run("compiler", &[("LOG", &log), ("NVCC", Path::new("/nowhere/nvcc"))]).succeeded();
}

pub(super) fn a_compiler_that_writes_nothing_is_an_error() {
    let package = Package::new("silent");
    sources(&package, &["a"]);
    let nvcc = program(&package, "fake/nvcc", "#!/bin/sh\nexit 3\n");
    let said = package.run("all", &[("NVCC", &nvcc)]).failed();
    assert!(said.contains("printed nothing and ended with exit status: 3"), "{said}");
    program(&package, "fake/nvcc", "#!/bin/sh\nexit 0\n");
    let said = package.run("all", &[("NVCC", &nvcc)]).failed();
    assert!(said.contains("reports success, but `") && said.contains("a.ptx.d`"), "{said}");
    package.write_old("fake/nvcc", "");
    fs::set_permissions(&nvcc, fs::Permissions::from_mode(0o644)).unwrap();
    let said = package.run("all", &[("NVCC", &nvcc)]).failed();
    assert!(said.contains("cannot be started"), "{said}");
    assert!(!package.has("kernels.rs"));
}

pub(super) fn without_a_compiler_the_error_lists_what_was_tried() {
    let package = Package::new("none");
    sources(&package, &["a"]);
    let said = package.run("all", &[("CUDA_PATH", Path::new("/nowhere")), ("PATH", Path::new("/nowhere"))]).failed();
    // The machine's own compiler may be in a default folder.
    for part in [
        "no CUDA compiler was found",
        "NVCC: is not set",
        "CUDA_PATH: the folder /nowhere does not exist",
        "PATH: has no `nvcc`",
        "/usr/local/cuda",
        "libnvrtc.so",
        "help: install the CUDA Toolkit",
        "`Kernels::fallback`",
    ] {
        assert!(said.contains(part), "{part} is missing in\n{said}");
    }
}

pub(super) fn committed_images_stand_in_for_a_compiler() {
    let package = saxpy("without-a-compiler");
    let fake = FAKE.replace("out : %s\\n' \"$source\"", "out : src/saxpy.cu src/near.cuh inc\\\\ lude/far.cuh\\n'");
    let (nvcc, log) = (program(&package, "fake/nvcc", &fake), package.root.join("log"));
    let none = [("NVCC", Path::new("/nowhere/nvcc"))];
    let update = [("NVCC", &*nvcc), ("LOG", &*log), ("KERNEL_ARGS_BUILD_UPDATE", Path::new("1"))];
    let said = package.run("saxpy_fallback", &none).failed();
    assert!(said.contains("the committed `committed/saxpy.sources` cannot be read"), "{said}");
    assert!(said.contains("NVCC: /nowhere/nvcc is neither"), "{said}");

    package.run("saxpy_fallback", &update).succeeded();
    let image = package.written("saxpy.ptx");
    fs::remove_dir_all(&package.out).unwrap();
    fs::create_dir_all(&package.out).unwrap();
    let ran = package.run("saxpy_fallback", &none).succeeded();
    assert_eq!(ran.directives("warning"), ["no CUDA compiler was found: using the committed images in `committed`"]);
    assert_eq!(package.written("saxpy.ptx"), image);
    assert!(package.has("saxpy.debug.ptx") && package.written("kernels.rs").contains("pub mod saxpy"));
    let files = ran.directives("rerun-if-changed");
    assert!(files.contains(&"inc lude/far.cuh") && files.contains(&"committed/saxpy.sources"), "{files:?}");
    let said = package.run("saxpy_fallback", &[none[0], update[2]]).failed();
    assert!(said.contains("no CUDA compiler was found"), "an update needs a compiler: {said}");

    let said = package.run("saxpy_fallback_8", &none).failed();
    assert!(said.contains("the settings were nothing and are now `define N=8`"), "{said}");
    package.write_old("inc lude/far.cuh", "#define FACTOR 7\n");
    let said = package.run("saxpy_fallback", &none).failed();
    assert!(
        said.contains("out of date: `inc lude/far.cuh` has changed since\nhelp: run `KERNEL_ARGS_BUILD_UPDATE=1"),
        "{said}"
    );
    fs::remove_file(package.root.join("inc lude/far.cuh")).unwrap();
    let said = package.run("saxpy_fallback", &none).failed();
    assert!(said.contains("`inc lude/far.cuh` does not exist"), "{said}");
    package.write_old("inc lude/far.cuh", "#define FACTOR 2\r\n");
    package.run("saxpy_fallback", &none).succeeded();
    package.write_old("committed/saxpy.ptx", &format!("{image}// by hand"));
    let said = package.run("saxpy_fallback", &none).failed();
    assert!(said.contains("`committed/saxpy.ptx` was edited after the compiler wrote it"), "{said}");
}

pub(super) fn two_sets_of_kernels_have_files_of_their_own() {
    let package = Package::new("sets");
    sources(&package, &["a", "b"]);
    let (nvcc, log) = (program(&package, "fake/nvcc", FAKE), package.root.join("log"));
    let variables = [("NVCC", &*nvcc), ("LOG", &*log)];
    let ran = package.run("twice", &variables);
    assert!(!ran.success && ran.stderr.contains("kernels.rs` would be written by two sets"), "{ran:?}");
    for _ in 0..2 {
        package.run("two_sets", &variables).succeeded();
        assert!(
            package.written("kernels.rs").contains("pub mod a") && package.written("other.rs").contains("pub mod b")
        );
        assert!(package.has("a.ptx") && package.has("b.ptx"));
    }
}

pub(super) fn trials() -> Vec<Trial> {
    macro_rules! trials {
        ($($name:ident)*) => { vec![$(Trial::test(stringify!($name), || { $name(); Ok(()) })),*] };
    }
    trials![
        the_requested_number_of_compilations_runs_at_once
        cargos_jobs_are_shared
        only_what_changed_is_compiled_again
        a_description_is_compiled_again_only_if_it_can_change
        a_source_that_changes_while_it_is_compiled_is_compiled_again
        a_header_that_the_build_script_writes_counts_by_its_text
        variables_that_nvcc_reads_count
        a_requested_compiler_is_used
        a_compiler_that_writes_nothing_is_an_error
        without_a_compiler_the_error_lists_what_was_tried
        committed_images_stand_in_for_a_compiler
        two_sets_of_kernels_have_files_of_their_own
    ]
}
