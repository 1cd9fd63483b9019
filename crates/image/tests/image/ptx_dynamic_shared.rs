//! Which kernels of a PTX text use dynamic shared memory.

use kernel_args_image::{Image, ptx::Module};
use proptest::prelude::*;
use std::{collections::BTreeSet, fmt::Write as _, time::Instant};

const HEADER: &str = ".version 9.0\n.target sm_75\n.address_size 64\n";

/// The kernels that use it, as both readers report.
fn users(text: &str) -> Vec<String> {
    let module = Module::read(text.as_bytes()).unwrap();
    let kernels = Image::read(text.as_bytes()).unwrap().kernels().unwrap();
    let mut users = Vec::new();
    for entry in module.entries() {
        let name = entry.name;
        let kernel = kernels.kernel(name, None).unwrap();
        let expected = entry.is_defined.then_some(entry.dynamic_shared);
        assert_eq!(kernel.dynamic_shared(), expected, "{name}");
        if entry.dynamic_shared {
            users.push(name.to_owned());
        }
    }
    users
}

fn users_in(body: &str) -> Vec<String> {
    users(&format!("{HEADER}{body}"))
}

#[test]
fn what_nvcc_writes_is_read() {
    assert_eq!(users(include_str!("../../../../ptx/reduce.ptx")), ["reduce_sum"]);
    assert_eq!(users(include_str!("../../../../ptx/saxpy.ptx")), [""; 0]);
}

#[test]
fn a_kernel_or_a_function_that_it_calls_names_the_array() {
    let text = "
.extern .shared .align 16 .b8 s[];
.extern .shared .align 4 .b8 s$1[];
.func (.param .b32 result) deep(.param .b32 x);
.func shallow() { { call.uni (r), deep, (x); } }
.visible .func (.param .b32 result) deep(.param .b32 x) { mov.u32 %r1, s$1; }
.func apart() { ret; }
.visible .entry direct() { ld.shared.f32 %f1, [s+4]; }
.visible .entry far(.param .u32 n) .maxntid 32 { call shallow; }
.visible .entry none() { call apart; st.shared.f32 [%r1], %f1; }
";
    assert_eq!(users_in(text), ["direct", "far"]);
}

#[test]
fn what_only_looks_like_the_array_is_not_it() {
    let array = ".extern .shared .b8 s[];";
    for body in
        ["// s\n", "/* s */", ".pragma \"s\";", "mov.s %r1.s, %s;", "mov.u32 ss, s1;", ".loc 1 2 3", "mov.u32 %r1, 0s;"]
    {
        assert_eq!(users_in(&format!("{array} .entry k() {{ {body} }}")), [""; 0], "{body}");
    }
    for other in [
        ".shared .b8 s[64];",
        ".extern .shared .b8 s[64];",
        ".extern .shared .u32 s;",
        ".extern .global .b8 s[];",
        "/* .extern .shared .b8 s[]; */",
        ".extern .func s();",
    ] {
        assert_eq!(users_in(&format!("{other} .entry k() {{ mov.u32 %r1, s; }}")), [""; 0], "{other}");
    }
}

#[test]
fn a_declaration_alone_is_not_sufficient() {
    let declared = ".extern .shared .b8 s[]; .entry k(); .entry l(); .entry l() { mov.u32 %r1, s; }";
    assert_eq!(users_in(declared), ["l"]);
}

#[test]
fn texts_that_end_anywhere_are_read_or_refused() {
    let text = format!(
        "{HEADER}.extern .shared .align 16 .b8 s[];\n.func (.reg .b32 r) f(.reg .b32 x) {{ mov.u32 r, s; }}\n.entry k() {{ call f; }}"
    );
    for end in 0..=text.len() {
        let _ = Module::read(&text.as_bytes()[..end]);
    }
    assert_eq!(users(&text), ["k"]);
}

/// Which body names which function: the first bodies are functions, the rest kernels.
#[derive(Clone, Debug)]
struct Program {
    functions: usize,
    /// For each body, the names in it: functions by index, and the array.
    names: Vec<(BTreeSet<usize>, bool)>,
}

impl Program {
    fn text(&self) -> String {
        let mut text = format!("{HEADER}.extern .shared .align 8 .b8 pool[];\n");
        for (i, (names, array)) in self.names.iter().enumerate() {
            let kind = if i < self.functions { ".func f" } else { ".visible .entry k" };
            write!(text, "{kind}{i}()\n{{\n\tadd.u32 %r1, %r2, 0x10; // f0 pool\n").unwrap();
            for name in names {
                writeln!(text, "\tcall.uni f{name}, ();").unwrap();
            }
            if *array {
                text.push_str("\tmov.u64 %rd1, pool;\n");
            }
            text.push_str("\tret;\n}\n");
        }
        text
    }

    /// Computed by following every path.
    fn uses(&self, body: usize, seen: &mut BTreeSet<usize>) -> bool {
        seen.insert(body) && (self.names[body].1 || self.names[body].0.iter().any(|&next| self.uses(next, seen)))
    }
}

fn programs() -> impl Strategy<Value = Program> {
    (0usize..8, 1usize..6).prop_flat_map(|(functions, kernels)| {
        let named = proptest::collection::btree_set(0..functions.max(1), 0..3);
        let body = (named, proptest::bool::weighted(0.2));
        proptest::collection::vec(body, functions + kernels).prop_map(move |mut names| {
            if functions == 0 {
                for (named, _) in &mut names {
                    named.clear();
                }
            }
            Program { functions, names }
        })
    })
}

proptest! {
    #[test]
    fn calls_are_followed(program in programs()) {
        let expected: Vec<_> = (program.functions..program.names.len())
            .filter(|&body| program.uses(body, &mut BTreeSet::new()))
            .map(|body| format!("k{body}"))
            .collect();
        prop_assert_eq!(users(&program.text()), expected);
    }
}

/// For a text of several megabytes, reading the bodies a second time takes at most a few times as long.
#[test]
fn the_second_reading_takes_time_in_proportion() {
    let kernel = |i: usize| {
        let line = "\tfma.rn.f32 \t%f12, %f13, %f14, %f15;\n\tst.shared.f32 \t[%r12+128], %f12;\n";
        format!(".visible .entry kernel_{i}()\n{{\n{}\tret;\n}}\n", line.repeat(400))
    };
    let bodies: String = (0..200).map(kernel).collect();
    let seconds = |text: &str| {
        let begin = Instant::now();
        Module::read(text.as_bytes()).unwrap();
        begin.elapsed().as_secs_f64()
    };
    let [without, with] =
        ["", ".extern .shared .align 16 .b8 scratch[];\n"].map(|array| format!("{HEADER}{array}{bodies}"));
    // On a busy machine another program can run during one of the readings, but not in all of them.
    let is_in_proportion = (0..30).any(|_| {
        let (without, with) = (seconds(&without), seconds(&with));
        println!("{} MB: {without:.4} s, with the array {with:.4} s", bodies.len() / 1_000_000);
        with < 8.0 * without + 0.05
    });
    assert!(is_in_proportion, "the second reading takes longer each time");
}
