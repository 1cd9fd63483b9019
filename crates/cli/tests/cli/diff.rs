//! `kernel-args diff`: each kind of change, whether it breaks callers, and the exit code.

use super::common::{Folder, Ran, bytes, data, run};
use serde_json::Value;

/// PTX with one kernel.
fn kernel(name: &str, parameters: &[&str], directives: &str) -> String {
    let list: Vec<String> = parameters
        .iter()
        .enumerate()
        .map(|(index, declared)| {
            // `b8[16]` is an array: the length follows the name.
            let (ty, length) = declared.split_once('[').unwrap_or((declared, ""));
            let length = if length.is_empty() { String::new() } else { format!("[{length}") };
            format!(".param {ty} {name}_param_{index}{length}")
        })
        .collect();
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry {name}({})\n{directives} {{ ret; }}\n",
        list.join(", ")
    )
}

fn diff(old: &str, new: &str) -> (Ran, Value) {
    let folder = Folder::new();
    let (old, new) = (folder.write("old", old), folder.write("new", new));
    let ran = run(&["diff", &old, &new]);
    let json = run(&["diff", "--json", &old, &new]);
    assert_eq!(ran.code, json.code);
    (ran, serde_json::from_str(&json.stdout).unwrap())
}

/// The kinds of changes of the only changed kernel, and whether each breaks callers.
fn kinds(json: &Value) -> Vec<(String, bool)> {
    let kernels = json["kernels"].as_array().unwrap();
    assert_eq!(kernels.len(), 1, "{json}");
    let change = |change: &Value| {
        let kind = change["limit"].as_str().or(change["kind"].as_str()).unwrap();
        (kind.to_owned(), change["breaks"].as_bool().unwrap())
    };
    kernels[0]["changes"].as_array().unwrap().iter().map(change).collect()
}

const OLD: [&str; 4] = [".u32", ".f32", ".u64", ".align 16 .b8[32]"];

#[test]
fn each_change_of_parameters_breaks_callers() {
    let old = kernel("k", &OLD, "");
    for (new, kind, text) in [
        (
            &[".u32", ".f32", ".u64"][..],
            "parameter_removed",
            "parameter 3 was removed: .align 16 .b8[32], 32 bytes aligned to 16",
        ),
        (
            &[".u32", ".f32", ".f64", ".u64", ".align 16 .b8[32]"],
            "parameter_added",
            "parameter 2 was added: .f64, 8 bytes",
        ),
        (
            &[".u32", ".f64", ".u64", ".align 16 .b8[32]"],
            "parameter_retyped",
            "parameter 1 changed its type: .f32, 4 bytes → .f64, 8 bytes",
        ),
        (
            &[".u32", ".s32", ".u64", ".align 16 .b8[32]"],
            "parameter_retyped",
            "parameter 1 changed its type: .f32, 4 bytes → .s32, 4 bytes",
        ),
        (
            &[".u32", ".f32", ".u64", ".align 8 .b8[32]"],
            "parameter_retyped",
            "32 bytes aligned to 16 → .align 8 .b8[32], 32 bytes aligned to 8",
        ),
        (
            &[".f32", ".u32", ".u64", ".align 16 .b8[32]"],
            "parameters_exchanged",
            "parameter 0 was exchanged with parameter 1: .u32, 4 bytes",
        ),
        (
            &[".f32", ".u64", ".align 16 .b8[32]", ".u32"],
            "parameter_moved",
            "parameter 0 moved to position 3: .u32, 4 bytes",
        ),
    ] {
        let (ran, json) = diff(&old, &kernel("k", new, ""));
        assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{new:?}");
        assert_eq!(kinds(&json), [(kind.to_owned(), true)], "{new:?}: {}", ran.stdout);
        assert!(ran.stdout.contains(&format!("  breaks  {text}")) || ran.stdout.contains(text), "{}", ran.stdout);
        assert!(ran.stdout.ends_with("1 changed, 0 removed, 0 added; 1 breaks its callers\n"), "{}", ran.stdout);
        assert_eq!(json["breaks"], true);
    }
}

/// The version of CUB and Thrust, and the GPUs, are in their namespaces.
#[test]
fn versions_in_namespaces_do_not_hide_kernels() {
    let folder = Folder::new();
    let kernel = |version: &str, parameter: &str| {
        let length = version.len();
        format!(
            ".visible .entry _ZN3cub{length}{version}6detail4scanIiEEvNS1_4sizeE(.param {parameter} a)\n{{\nret;\n}}\n"
        )
    };
    let file = |name: &str, kernels: &[String]| {
        let head = ".version 9.0\n.target sm_90\n.address_size 64\n";
        folder.write(name, format!("{head}{}", kernels.concat()))
    };
    for [before, after] in [
        ["_V_300200_SM_800_900", "_V_300400_SM_750_800_1200"],
        ["CUB_200302_800_NS", "CUB_200800_800_900_NS"],
        ["CUB_300001_SM_800", "CUB_300100_SM_750_900"],
    ] {
        let old = file("old.ptx", &[kernel(before, ".u32")]);
        let new = file("new.ptx", &[kernel(after, ".u32")]);
        let ran = run(&["diff", "--json", &old, &new]);
        let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let kernels = json["kernels"].as_array().unwrap();
        assert_eq!(kernels.len(), 1, "{json}");
        assert_eq!(kernels[0]["status"], "changed", "{json}");
        let kinds: Vec<_> = kernels[0]["changes"].as_array().unwrap().iter().map(|change| &change["kind"]).collect();
        assert_eq!(kinds, ["symbol"], "{json}");
        // Changes of the parameters are reported.
        let new = file("new.ptx", &[kernel(after, ".u64")]);
        let ran = run(&["diff", &old, &new]);
        assert!(ran.stdout.contains("8 bytes"), "{}", ran.stdout);
    }
}

#[test]
fn kernels_come_and_go() {
    let (old, new) = (kernel("a", &[".u32"], ""), kernel("b", &[".u32"], ""));
    let (ran, json) = diff(&old, &new);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("a\n  breaks  the kernel was removed\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("b\n          the kernel was added\n"), "{}", ran.stdout);
    let status = |index: usize| {
        (json["kernels"][index]["status"].as_str().unwrap().to_owned(), json["kernels"][index]["breaks"].clone())
    };
    assert_eq!(status(0), ("removed".to_owned(), true.into()));
    assert_eq!(status(1), ("added".to_owned(), false.into()));
    let both = old.clone() + new.rsplit_once(".address_size 64").unwrap().1;
    let (ran, _) = diff(&old, &both);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.ends_with("callers of the old kernels can call the new ones\n"), "{}", ran.stdout);
}

#[test]
fn limits_break_callers_where_they_are_stricter() {
    let with = |directives: &str| kernel("k", &[".u32"], directives);
    for (old, new, changes) in [
        ("", ".maxntid 128", &[("max_threads", true)][..]),
        (".maxntid 128", ".maxntid 256", &[("max_threads", false)]),
        (".maxntid 256", ".maxntid 128", &[("max_threads", true)]),
        (".maxntid 256", "", &[("max_threads", false)]),
        (".reqntid 64", ".reqntid 32", &[("required_threads", true)]),
        (".reqntid 64", ".reqntid 128", &[("required_threads", true)]),
        (".reqntid 64", "", &[("required_threads", false)]),
        (".reqntid 64", ".maxntid 64", &[("required_threads", false), ("max_threads", false)]),
        ("", ".reqnctapercluster 2", &[("required_cluster", true)]),
        ("", ".explicitcluster .reqnctapercluster 2", &[("required_cluster", true), ("explicit_cluster", true)]),
        (
            ".blocksareclusters .reqntid 64 .reqnctapercluster 2",
            ".reqntid 64 .reqnctapercluster 2",
            &[("blocks_are_clusters", true)],
        ),
        (".maxclusterrank 8", ".maxclusterrank 4", &[("max_cluster_rank", true)]),
        (".minnctapersm 2", ".minnctapersm 4", &[("min_blocks", false)]),
    ] {
        let (ran, json) = diff(&with(old), &with(new));
        let breaks = changes.iter().any(|(_, breaks)| *breaks);
        assert_eq!(ran.code, i32::from(breaks), "{old} → {new}: {}", ran.stdout);
        let changes: Vec<_> = changes.iter().map(|&(kind, breaks)| (kind.to_owned(), breaks)).collect();
        assert_eq!(kinds(&json), changes, "{old} → {new}");
    }
    let limited = with(".maxntid 256");
    assert_eq!(diff(&limited, &limited).0.code, 0);
}

#[test]
fn names_alone_do_not_break_callers() {
    let old = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out, .param .u32 n) { ret; }\n";
    let (ran, json) = diff(old, &old.replace(".u32 n", ".u32 count"));
    assert_eq!((ran.code, kinds(&json)), (0, vec![("parameter_renamed".to_owned(), false)]));
    assert!(
        ran.stdout.contains("parameter 2 was renamed: `n`: .u32, 4 bytes → `count`: .u32, 4 bytes"),
        "{}",
        ran.stdout
    );
    // Two members that exchange their names also exchange their meaning.
    let exchanged = old.replace(".u64 in", ".u64 x").replace(".u64 out", ".u64 in").replace(".u64 x", ".u64 out");
    let (ran, json) = diff(old, &exchanged);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(kinds(&json).iter().all(|(kind, breaks)| kind == "parameters_exchanged" && *breaks), "{json}");
}

/// The symbol of a mangled kernel changes with its types.
#[test]
fn overloads_are_the_same_kernel() {
    let old = kernel("_Z5saxpyifPKfPf", &[".u32", ".f32", ".u64", ".u64"], "");
    let new = kernel("_Z5saxpyjfPKfPf", &[".u32", ".f32", ".u64", ".u64"], "");
    let (ran, json) = diff(&old, &new);
    assert_eq!(ran.code, 1);
    let expected = [("symbol".to_owned(), true), ("parameter_retyped".to_owned(), true)];
    assert_eq!(kinds(&json), expected, "{}", ran.stdout);
    assert!(
        ran.stdout.contains("parameter 0 changed its type: int, 4 bytes → unsigned int, 4 bytes"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.starts_with("saxpy(int, float, float const*, float*)\n"), "{}", ran.stdout);
}

#[test]
fn the_same_kernels_do_not_differ() {
    for file in ["kernels.ptx", "kernels.sm_75.cubin", "debug.ptx", "one.none.fatbin"].map(data) {
        let ran = run(&["diff", &file, &file]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert!(ran.stdout.starts_with("no change in the interface of"), "{}", ran.stdout);
    }
    // Two images of one source: a cubin and its PTX, for different GPUs, with and without debug information.
    for (old, new) in [
        ("kernels.ptx", "kernels.sm_75.cubin"),
        ("kernels.sm_75.cubin", "kernels.ptx"),
        ("debug.ptx", "debug.sm_90.cubin"),
    ] {
        let ran = run(&["diff", &data(old), &data(new)]);
        assert_eq!(ran.code, 0, "{old} → {new}: {}", ran.stdout);
    }
}

/// Member names from debug information. Each name is replaced by a name of the same length.
#[test]
fn members_are_compared_one_by_one() {
    let folder = Folder::new();
    let cubin = data("debug.sm_90.cubin");
    let image = bytes(&cubin);
    let replaced = |from: &[u8], to: &[u8]| {
        assert_eq!(from.len(), to.len());
        let mut image = image.clone();
        let mut found = 0;
        for at in 0..image.len() - from.len() {
            if image[at..].starts_with(from) {
                image[at..at + from.len()].copy_from_slice(to);
                found += 1;
            }
        }
        assert!(found > 0);
        folder.write("new.cubin", image)
    };
    let changes = |new: &str| {
        let ran = run(&["diff", "--json", &cubin, new, "-k", "by_value"]);
        let json: Value = serde_json::from_str(&ran.stdout).unwrap();
        (ran.code, kinds(&json))
    };
    let renamed = replaced(b"weight\0", b"height\0");
    assert_eq!(changes(&renamed), (0, vec![("member_renamed".to_owned(), false)]));
    // `key` and `weight` have different types: a `key` at the offset of a float is not a renamed member.
    let parameter = replaced(b"pair\0", b"both\0");
    assert_eq!(changes(&parameter).0, 0);
    let enumerator = replaced(b"EXACT", b"PLAIN");
    assert_eq!(changes(&enumerator), (0, vec![("enumerator_renamed".to_owned(), false)]));
}

#[test]
fn errors_are_exit_code_2() {
    let ran = run(&["diff", "nowhere.ptx", "../../ptx/saxpy.ptx"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: nowhere.ptx: "));
    let ran = run(&["diff", "../../ptx/saxpy.ptx", "../../ptx/saxpy.ptx", "-k", "nothing"]);
    assert_eq!(ran.code, 2);
    // A pattern that matches only one side.
    let ran = run(&["diff", "../../ptx/saxpy.ptx", "../../ptx/reduce.ptx", "-k", "saxpy"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("the kernel was removed"), "{}", ran.stdout);
}
