//! `--launchers`: host functions of objects, archives and shared libraries.

use super::common::{Folder, run};
use kernel_args_test_generator::tools::{self as tools, AR, GXX};
use libtest_mimic::Trial;
use serde_json::Value;

const OLD: &str = r#"
#include <stddef.h>
typedef struct CUstream_st* cudaStream_t;
enum cudaError { cudaSuccess };
typedef enum cudaError cudaError_t;
enum Mode : unsigned char { Fast = 1, Exact = 2 };
struct Params { int n; float scale[2]; };
extern "C" cudaError_t scale(float* x, const float* y, unsigned n, Params p, Mode mode, cudaStream_t stream) { return cudaSuccess; }
extern "C" void kept(size_t n) {}
extern "C" void removed(size_t n) {}
extern "C" int variadic(int n, ...) { return 0; }
extern "C" void _with_underscore(size_t n) {}
int cpp_only(int n) { return 0; }
// An inline function, and what nvcc makes for a kernel.
extern "C" __attribute__((weak)) void inlined(int n) {}
extern "C" void kernel(float* __cuda_0) {}
"#;

pub(super) fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 3] = [
        (
            "functions_are_shown_with_their_prototypes_and_members",
            functions_are_shown_with_their_prototypes_and_members,
        ),
        ("two_builds_are_compared", two_builds_are_compared),
        ("files_without_described_functions_are_errors", files_without_described_functions_are_errors),
    ];
    tests.map(|(name, test)| tools::trial(name, &[GXX, AR], test)).into()
}

/// Compiles a source to an object.
fn object(folder: &Folder, name: &str, source: &str) -> String {
    let text = folder.write(&format!("{name}.cpp"), source);
    let object = text.replace(".cpp", ".o");
    let status = tools::command(GXX).args(["-g", "-w", "-fPIC", "-c", "-o", &object, &text]).status();
    assert!(status.expect("g++ starts").success());
    object
}

fn functions_are_shown_with_their_prototypes_and_members() {
    let folder = Folder::new();
    let object = object(&folder, "old", OLD);
    let [archive, library] = ["libold.a", "libold.so"].map(|name| object.replace("old.o", name));
    assert!(tools::command(AR).args(["crs", &archive, &object]).status().unwrap().success());
    assert!(tools::command(GXX).args(["-shared", "-o", &library, &object]).status().unwrap().success());
    let mut lists = Vec::new();
    for file in [&object, &archive, &library] {
        let shown = run(&["show", "--launchers", "--kernel", "scale", file]);
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        let text = shown.stdout.replace(file, "FILE");
        assert_eq!(text, include_str!("../golden/launchers.txt"), "{text}");
        assert!(shown.stderr.contains("launcher `variadic`: it ends in `...`"), "{}", shown.stderr);
        assert!(shown.stderr.contains("help: write an `extern \"C\"` function around it"), "{}", shown.stderr);
        lists.push(run(&["show", "--launchers", "--list", file]).stdout);
    }
    assert!(lists.iter().all(|list| *list == lists[0]), "{lists:#?}");
    let list = folder.write("launchers.list", &lists[0]);
    assert_eq!(run(&["check", "--launchers", "--against", &list, &library]).code, 0);
    let names: Vec<_> = lists[0].lines().skip(1).filter_map(|line| line.split('(').next()).collect();
    assert_eq!(names, ["_with_underscore", "kept", "removed", "scale"]);
    assert!(lists[0].contains("kept(unsigned long n 8) -> void"), "{}", lists[0]);
    let json: Value = serde_json::from_str(&run(&["show", "--launchers", "--json", &object]).stdout).unwrap();
    let scale = &json["kernels"][3];
    assert_eq!((&scale["symbol"], &scale["host"]["result"]), (&"scale".into(), &"cudaError_t".into()), "{json:#}");
    assert_eq!(scale["parameters"][3]["members"][1]["offset"], 4);
}

fn two_builds_are_compared() {
    let folder = Folder::new();
    let old = object(&folder, "old", OLD);
    let changes = [
        (
            "unsigned n",
            "size_t n",
            "parameter 2 changed its type: `n`: unsigned int, 4 bytes → `n`: unsigned long, 8 bytes",
            1,
        ),
        ("Params p, Mode mode", "Mode mode, Params p", "parameter 3 was exchanged with parameter 4", 1),
        ("const float* y", "float* y", "parameter 1 changed its type: `y`: float const*", 1),
        ("float* x, ", "const float* x, ", "parameter 0 changed its type", 0),
        (", cudaStream_t stream", "", "parameter 5 was removed: `stream`: CUstream_st*, 8 bytes", 1),
        ("scale[2]", "scale[3]", "parameter 3: a member changed its type", 1),
        ("Exact = 2", "Exact = 3", "parameter 4: an enumerator changed its value: `Exact` = 2 → `Exact` = 3", 1),
        ("cudaError_t scale", "int scale", "the returned type changed: cudaError_t → int", 1),
        ("extern \"C\" void removed(size_t n) {}", "", "  breaks  the launcher was removed", 1),
    ];
    for (number, (from, to, expected, code)) in changes.into_iter().enumerate() {
        let new = object(&folder, &format!("new{number}"), &OLD.replacen(from, to, 1));
        let ran = run(&["diff", "--launchers", &old, &new]);
        assert!(
            ran.stdout.contains(expected) && ran.code == code,
            "{from} → {to}: {}\n{}{}",
            ran.code,
            ran.stdout,
            ran.stderr
        );
    }
    let same = run(&["diff", "--launchers", &old, &old]);
    assert_eq!((same.code, same.stdout.as_str()), (0, "no change in the interface of 4 launchers\n"));
}

fn files_without_described_functions_are_errors() {
    let folder = Folder::new();
    let without = object(&folder, "none", "int cpp_only(int n) { return 0; }");
    let text = folder.write("notes.txt", "notes");
    for (file, expected) in [
        (&without, "it exports no `extern \"C\"` function"),
        (&text, "it is neither an object in the ELF format nor an archive of objects"),
    ] {
        let ran = run(&["show", "--launchers", file]);
        assert!(ran.code == 2 && ran.stderr.contains(expected) && ran.stderr.contains("help: "), "{}", ran.stderr);
    }
    // Without debug information: one error for all functions.
    let source =
        folder.write("two.cpp", "extern \"C\" { void first(int n) {} void second(int n) {} void third(int n) {} }");
    let undescribed = source.replace(".cpp", ".o");
    let status = tools::command(GXX).args(["-w", "-c", "-o", &undescribed, &source]).status();
    assert!(status.expect("g++ starts").success());
    let ran = run(&["show", "--launchers", &undescribed]);
    assert!(ran.stderr.contains(": 3 launchers, `first` to `third`: "), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("error: ").count(), 1, "{}", ran.stderr);
    let ran = run(&["show", &without]);
    assert!(ran.stderr.contains("help: `show --launchers` shows"), "{}", ran.stderr);
}
