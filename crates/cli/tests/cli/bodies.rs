//! What the code of kernels shows about their parameters.

use super::common::{Folder, bytes, data, run};
use serde_json::{Value, json};

const BODIES: &str = "tests/data/bodies.ptx";

/// The JSON of a kernel.
fn kernel(file: &str, name: &str) -> Value {
    let ran = run(&["show", "--json", file, "--kernel", name]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{file}");
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    value["kernels"][0].clone()
}

#[test]
fn json_contains_what_the_code_does() {
    let typed = kernel(BODIES, "typed");
    let inferred = |index: usize| typed["parameters"][index]["inferred"].clone();
    let instruction = |opcode: &str, line: u32| {
        let file = (line > 0).then_some("bodies.cu");
        let line = (line > 0).then_some(line);
        json!({"opcode": opcode, "file": file, "line": line})
    };
    assert_eq!(
        inferred(0),
        json!([{
            "offset": 0,
            "kind": "pointer",
            "read": "never",
            "written": "certain",
            "atomic": false,
            "escapes": false,
            "elements": "float",
            "access": instruction("st.global.f32", 42),
            "write": instruction("st.global.f32", 42),
            "arithmetic": null,
            "indirect": null,
            "contradicts_type": "written",
        }])
    );
    let contradictions = [0, 1, 2, 3].map(|index| inferred(index)[0]["contradicts_type"].clone());
    assert_eq!(contradictions, [json!("written"), json!(null), json!("elements"), json!("pointer")]);
    let plain = kernel(BODIES, "plain");
    let inferred = |index: usize| plain["parameters"][index]["inferred"].clone();
    assert_eq!(inferred(8), json!([]), "it is not used");
    assert!(plain["parameters"][10].get("inferred").is_none(), "it is used, and its code shows nothing");
    assert_eq!(inferred(5)[0]["read"], "possible");
    assert_eq!(inferred(7)[0]["escapes"], true);
    let view = inferred(9);
    let offsets: Vec<_> = view.as_array().unwrap().iter().map(|slot| &slot["offset"]).collect();
    assert_eq!(offsets, [8, 16]);
    // A cubin alone has no PTX.
    let cubin = kernel(&data("kernels.sm_75.cubin"), "plain");
    assert!(cubin["parameters"][2].get("inferred").is_none());
}

/// Most parameters are numbers, of which the code shows nothing.
#[test]
fn json_leaves_out_what_the_code_does_not_show() {
    let ran = run(&["show", "--json", "../../ptx"]);
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    let (mut entries, mut without) = (0, 0);
    for parameter in
        value["kernels"].as_array().unwrap().iter().flat_map(|kernel| kernel["parameters"].as_array().unwrap())
    {
        let Some(inferred) = parameter.get("inferred") else {
            without += 1;
            continue;
        };
        for entry in inferred.as_array().unwrap() {
            entries += 1;
            let shows = |field: &str| !entry[field].is_null();
            let is_used = entry["read"] != "never" || entry["written"] != "never";
            let is_pointer = parameter["type"].as_str().is_some_and(|ty| ty.ends_with('*'));
            let is_unclear = is_pointer && entry["escapes"] == true;
            assert!(is_used || shows("kind") || shows("contradicts_type") || is_unclear, "{entry}");
        }
    }
    assert!(entries > 400 && without > 1000, "{entries} {without}");
}

/// The PTX of a fat binary answers for its cubins, also if only a cubin is for the selected GPU.
#[test]
fn ptx_answers_for_cubins() {
    for (file, gpu) in [("one.size.fatbin", "sm_75"), ("targets.fatbin", "sm_80")] {
        let ran = run(&["show", &data(file), "--arch", gpu]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let row = "  c             .u64                   32     8      8  w    pointer to double\n";
        assert!(ran.stdout.contains(row), "{}", ran.stdout);
    }
    let files = [data("kernels.sm_75.cubin"), data("kernels.ptx")];
    let alone = run(&["show", &files[0], "-k", "plain"]);
    assert!(!alone.stdout.contains("pointer to double"), "{}", alone.stdout);
    for files in [[&files[0], &files[1]], [&files[1], &files[0]]] {
        let ran = run(&["show", files[0], files[1], "-k", "plain"]);
        assert!(ran.stdout.contains("pointer to double"), "{}", ran.stdout);
    }
}

#[test]
fn a_lint_shows_what_the_code_contradicts() {
    let expected = "\
typed(float const*, float*, float*, long)
  `input` is `float const*`, but the code writes through it: `st.global.f32` at bodies.cu:42
  `read` is `float*`, but the code only reads through it: it can be a pointer to `const`
  `doubles` is `float*`, but the code accesses doubles: `st.global.f64` at bodies.cu:43
  `state` is `long`, but the code uses a pointer: `ld.global.u32` at bodies.cu:44

4 findings in 1 kernel
";
    let ran = run(&["check", "--lint", BODIES]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_eq!(ran.stdout, expected);
    // Other kernels, and code that contradicts nothing.
    for (arguments, expected) in [
        (&["../../ptx/saxpy_typed.ptx"][..], "no findings in 7 kernels\n"),
        (&[BODIES, "-k", "plain"], "no findings in 0 kernels; not compared, without C++ types or PTX: 1 kernel\n"),
        (
            &[&data("kernels.ptx"), "../../ptx/saxpy.ptx"],
            "no findings in 4 kernels; not compared, without C++ types or PTX: 2 kernels\n",
        ),
        (
            &[&data("kernels.sm_75.cubin")],
            "no findings in 1 kernel; not compared, without C++ types or PTX: 4 kernels\n",
        ),
    ] {
        let ran = run(&[&["check", "--lint"], arguments].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, expected), "{arguments:?}");
    }
}

#[test]
fn a_lint_and_a_list_are_both_checked() {
    let folder = Folder::new();
    let listed = run(&["show", "--list", BODIES]).stdout;
    let list = folder.write("kernels.list", &listed);
    let other = folder.write("other.list", listed.replace("plain(", "other("));
    let check = |list: &str, lint: &[&str]| {
        let ran = run(&[&["check", BODIES, "--against", list], lint].concat());
        (ran.code, ran.stdout.contains("4 findings"), ran.stdout.contains("differ from"))
    };
    assert_eq!(check(&list, &[]), (0, false, false));
    assert_eq!(check(&list, &["--lint"]), (1, true, false));
    assert_eq!(check(&other, &["--lint"]), (1, true, true));
    assert_eq!(check(&other, &["--lint", "-k", "plain"]), (1, false, true));
    let ran = run(&["check", BODIES]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("\n  <--against <LIST>|--lint>\n"), "{}", ran.stderr);
}

#[test]
fn structs_have_inferred_slices() {
    let ran = run(&["rust", "../../ptx/saxpy.ptx"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for expected in [
        "    /// A pointer to `float` that the kernel only reads; inferred from its code.\n    pub arg2: &'a CudaSlice<f32>,\n",
        "    /// A pointer to `float` that the kernel reads and writes; inferred from its code.\n    pub arg3: &'a mut CudaSlice<f32>,\n",
    ] {
        assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    }
    let ran = run(&["rust", "--raw", "../../ptx/saxpy.ptx"]);
    assert!(ran.stdout.contains("pub arg2: DevicePointer<f32>,"), "{}", ran.stdout);
}

/// Anybody can write PTX.
#[test]
fn names_in_code_are_escaped_and_bounded() {
    let folder = Folder::new();
    let text = String::from_utf8(bytes(BODIES)).unwrap();
    let file = folder.write("evil.ptx", text.replace("bodies.cu", "\u{202e}"));
    let ran = run(&["show", &file]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stdout.contains('\u{202e}'), "{}", ran.stdout);
    assert!(ran.stdout.contains("\\u{202e}:42"), "{}", ran.stdout);
    let long = folder.write("long.ptx", text.replace("bodies.cu", &"x".repeat(10_000)));
    let ran = run(&["show", &long]);
    assert!(ran.stdout.contains("`st.global.f32`, line 42"), "{}", ran.stdout);
    assert!(ran.stdout.len() < 10_000);
}
