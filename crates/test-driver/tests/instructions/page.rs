//! `INSTRUCTIONS.md`: what is executed, what of it is compared with a GPU, and what is not executed.

use crate::{
    Expected, Gpu, KNOWN, PROGRAMS,
    cases::{self, Case, THREADS, Tolerance},
    chains, programs,
};
use kernel_args_test_driver::Control;
use libtest_mimic::Failed;
use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write,
    fs,
};

/// What is not executed: a statement with the registers of a case, and its name on the page. Each launch of one returns
/// 801.
const NOT_EXECUTED: &[(&str, &str)] = &[
    ("alloca", "alloca.u64 %l1, %l2;"),
    (
        "clusterlaunchcontrol",
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];",
    ),
    ("istypep", "istypep.texref %p, %l1;"),
    ("movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;"),
    ("multimem", "multimem.red.relaxed.sys.global.add.u32 [%l1], %r1;"),
    ("suq", "suq.width.b32 %r1, [%l1];"),
    ("sured", "sured.b.1d.add.u32.trap [%l1, {%r1}], %r2;"),
    ("tcgen05", "tcgen05.fence::before_thread_sync;"),
    ("tensormap", "tensormap.replace.tile.global_address.global.b1024.b64 [%l1], %l2;"),
    ("txq", "txq.width.b32 %r1, [%l1];"),
    ("vabsdiff", "vabsdiff.u32.u32.u32 %r1, %r2, %r3;"),
    ("vadd", "vadd.u32.u32.u32 %r1, %r2, %r3;"),
    ("vmad", "vmad.s32.s32.u32 %r1, %r2, %r3, %r4;"),
    ("vmax", "vmax.u32.u32.u32 %r1, %r2, %r3;"),
    ("vmin", "vmin.u32.u32.u32 %r1, %r2, %r3;"),
    ("vset", "vset.u32.u32.lt %r1, %r2, %r3;"),
    ("vset2", "vset2.u32.u32.lt %r1, %r2, %r3, %r4;"),
    ("vset4", "vset4.u32.u32.lt %r1, %r2, %r3, %r4;"),
    ("vshl", "vshl.u32.u32.u32.clamp %r1, %r2, %r3;"),
    ("vshr", "vshr.u32.u32.u32.clamp %r1, %r2, %r3;"),
    ("vsub", "vsub.u32.u32.u32 %r1, %r2, %r3;"),
    ("wgmma", "wgmma.fence.sync.aligned;"),
    ("`add`, `mul`, `fma` of `f32x2`", "add.rn.f32x2 %l1, %l2, %l3;"),
    ("`atom` of 128 bits", "atom.global.exch.b128 %w, [%l1], %w;"),
    (
        "`cp.async.bulk` of tensors",
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%l1, {%r2}], [%r3];",
    ),
    (
        "`cp.async.bulk` to several blocks",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%l1], %r2, [%r3], %h1;",
    ),
    ("`cp.async.bulk.prefetch`", "cp.async.bulk.prefetch.L2.global [%l1], %r1;"),
    ("`cp.reduce.async.bulk`", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%l1], [%r1], %r2;"),
    ("`ldmatrix` of other shapes than `m8n8`", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r3];"),
    ("`lop3` with a predicate", "lop3.or.b32 %r1|%p, %r2, %r3, %r4, 0x3f, %q;"),
    ("`mma` of `b1`", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};"),
    (
        "`mma.m8n8k4` of `f16`",
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8}, {%r1, %r2, %r3, %r4};",
    ),
    (
        "`mma.sp`",
        "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4}, {%r5, %r6}, {%r7, %r8}, %r9, 0x0;",
    ),
    ("`mov` of 128 bits", "mov.b128 %w, {%l1, %l2};"),
    (
        "`red.async`",
        "red.async.relaxed.cluster.global.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];",
    ),
    ("`redux` of floats", "redux.sync.min.f32 %f1, %f2, -1;"),
    ("`st.async`", "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];"),
    ("`st.bulk`", "st.bulk.weak.shared::cta [%l1], %l2, 0;"),
    ("tld4", "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6}];"),
    ("`tex` of cubes", "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6, %f7, %f8}];"),
    ("`tex` of a level", "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6}], %f7;"),
];

/// What has no form, and why.
const WITHOUT_FORM: &[(&str, &str)] = &[
    ("brkpt", "it ends the kernel as `trap` does"),
    ("setmaxnreg", "it changes the number of registers only, and needs `sm_90a`"),
    ("suld", "it needs a surface: the suite `textures`, on a GPU and here"),
    ("sust", "it needs a surface: the suite `textures`, on a GPU and here"),
    ("tex", "it needs a texture: the suite `textures` compares samples with a model, on a GPU and here"),
    ("trap", "it ends the kernel with an error: the suite `error_texts`, on a GPU and here"),
];

/// What only code for `sm_100a` has.
const SM_100: [&str; 6] = ["tcgen05", "f32x2", "redux", "st.bulk", "clusterlaunchcontrol", "m16n16"];

/// The names in the interpreter's table, and all names of PTX ISA 9.0 that the test driver's reader knows.
fn names() -> (Vec<&'static str>, BTreeSet<&'static str>) {
    let quoted = |text: &'static str| text.split('"').skip(1).step_by(2);
    let table = include_str!("../../src/execute/table.rs").split_once("const TABLE").map_or("", |(_, rest)| rest);
    let table = table.split_once("\n];").map_or("", |(table, _)| table);
    let forms = include_str!("../../src/ptx/opcodes.rs").split_once("const FORMS").map_or("", |(_, rows)| rows);
    let all = quoted(forms).filter_map(|row| row.split(['.', ' ']).next()).flat_map(|names| names.split('|'));
    (quoted(table).collect(), all.collect())
}

/// The instructions of a text, with their modifiers.
fn instructions(text: &str) -> impl Iterator<Item = &str> {
    text.split([';', '\n']).filter_map(|statement| {
        let mut words = statement.split_whitespace().filter(|word| !word.ends_with(':') && !word.starts_with('@'));
        words.next().filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
    })
}

/// Its name without modifiers.
fn root(instruction: &str) -> Option<&str> {
    instruction.split('.').next()
}

/// What is known about an instruction.
#[derive(Default)]
struct Row<'a> {
    modifiers: BTreeSet<&'a str>,
    forms: usize,
    compared: usize,
    differ: usize,
    kernels: usize,
}

fn page(expected: &Expected) -> String {
    let (table, _) = names();
    let cases = cases::all();
    let programs: Vec<_> = (0..PROGRAMS).filter(|number| has_line(expected, *number)).map(programs::program).collect();
    let mut rows: BTreeMap<&str, Row<'_>> = table.into_iter().map(|name| (name, Row::default())).collect();
    let is_known = |name: &str| KNOWN.iter().any(|(known, ..)| *known == name);
    for case in &cases {
        let mut seen = BTreeSet::new();
        for instruction in instructions(&case.body) {
            let mut parts = instruction.split('.');
            let root = parts.next().unwrap_or_default();
            let Some(row) = rows.get_mut(root) else { continue };
            row.modifiers.extend(parts);
            if seen.insert(root) {
                row.forms += 1;
                row.compared += usize::from(expected.lines.contains_key(&case.name));
                row.differ += usize::from(root == case.root && is_known(&case.name));
            }
        }
    }
    for program in &programs {
        let roots: BTreeSet<_> = instructions(&program.text).filter_map(root).collect();
        for root in roots {
            if let Some(row) = rows.get_mut(root) {
                row.kernels += 1;
            }
        }
    }
    let mut text = String::new();
    let compared = cases.iter().filter(|case| expected.lines.contains_key(&case.name)).count();
    let _ = write!(
        text,
        "# Instructions\n\n`tests/instructions` writes this page (`KERNEL_ARGS_BLESS=1`) and compares it. Of {} instructions, {} forms in {} kernels\n\
        and {} random kernels have the results of a GPU ({}); {} of them differ.\n\n\
        A form is a kernel of {THREADS} threads with random operands, half of them at the edges of their type. Its values are the results that\n\
        are compared. A random kernel has {} threads with {} bytes of results.\n\n\
        What one instruction leaves for the next ones (the carry flag, predicates, memory) is tested with {} random chains, which a\n\
        model in Rust's integers computes too, and with integers of 128 bits.\n\n\
        | instruction | types and modifiers | forms | compared | values | differ | random kernels |\n|---|---|---|---|---|---|---|\n",
        rows.len(),
        compared,
        cases.len(),
        programs.len(),
        expected.gpu,
        KNOWN.len(),
        programs::GRID * programs::BLOCK,
        programs::OUTPUT,
        chains::CHAINS,
    );
    for (name, row) in &rows {
        let modifiers: Vec<_> = row.modifiers.iter().copied().collect();
        let Row { forms, compared, differ, kernels, .. } = row;
        let values = compared * THREADS;
        let _ = writeln!(
            text,
            "| `{name}` | {} | {forms} | {compared} | {values} | {differ} | {kernels} |",
            modifiers.join(" ")
        );
    }
    text.push_str("\n## Differences\n\n| what | why |\n|---|---|\n");
    for (name, _, why) in KNOWN {
        let _ = writeln!(text, "| `{name}` | {why} |");
    }
    text.push_str("\n## What random kernels do not contain\n\n| what | why |\n|---|---|\n");
    for (what, why) in programs::AVOIDED {
        let _ = writeln!(text, "| {what} | {why} |");
    }
    text.push_str("\n## Instructions without a form\n\n| instruction | why, and what tests it |\n|---|---|\n");
    for (name, why) in WITHOUT_FORM {
        let _ = writeln!(text, "| `{name}` | {why} |");
    }
    text.push_str(
        "\n## Approximate instructions\n\nTheir results differ by at most this many units in the last place, or by this absolute error.\n\n\
        | form | units | error |\n|---|---|---|\n",
    );
    for case in &cases {
        if let Tolerance::Approximate { ulps, absolute } = case.tolerance {
            let _ = writeln!(text, "| `{}` | {ulps} | {absolute} |", case.name);
        }
    }
    text.push_str(
        "\n## Not executed\n\nThe launch of such a kernel returns 801 (`CUDA_ERROR_NOT_SUPPORTED`), with a line on stderr:\n\
        `` kernel-args test driver: `k` cannot be executed: `wgmma.fence.sync.aligned` is not executed (line 9 of its PTX) ``.\n\n\
        | what | example |\n|---|---|\n",
    );
    for (name, statement) in NOT_EXECUTED {
        let name = if name.contains('`') { (*name).to_owned() } else { format!("`{name}`") };
        let _ = writeln!(text, "| {name} | `{statement}` |");
    }
    text
}

fn has_line(expected: &Expected, number: usize) -> bool {
    expected.lines.contains_key(&format!("random kernel {number}"))
}

/// The page is as it would be written.
pub(crate) fn is_current(expected: &Expected) -> Result<(), Failed> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/INSTRUCTIONS.md");
    let page = page(expected);
    if env::var_os("KERNEL_ARGS_BLESS").is_some() {
        fs::write(path, page)?;
        return Ok(());
    }
    match fs::read_to_string(path) {
        Ok(old) if old == page => Ok(()),
        _ => Err("INSTRUCTIONS.md is not current: KERNEL_ARGS_BLESS=1 writes it".into()),
    }
}

/// Each name of PTX ISA 9.0 is in the table or in the list of what is not executed, and launches of the latter return
/// 801.
pub(crate) fn the_rest_is_refused() -> Result<(), Failed> {
    let (table, all) = names();
    let listed: BTreeSet<_> = table.into_iter().chain(NOT_EXECUTED.iter().map(|(name, _)| *name)).collect();
    let missing: Vec<_> = all.difference(&listed).collect();
    let mut wrong: Vec<String> = missing.iter().map(|name| format!("{name} is in no list")).collect();
    let cases = cases::all();
    let tested: BTreeSet<_> = cases.iter().flat_map(|case| instructions(&case.body)).filter_map(root).collect();
    let explained: BTreeSet<_> = WITHOUT_FORM.iter().map(|(name, _)| *name).collect();
    let table: BTreeSet<_> = names().0.into_iter().collect();
    wrong.extend(
        table.difference(&tested).filter(|name| !explained.contains(*name)).map(|name| format!("{name} has no form")),
    );
    wrong.extend(explained.intersection(&tested).map(|name| format!("{name} has a form")));
    let driver = Control::attach().ok_or("there is no test driver")?;
    // Other trials load code for `sm_90` at the same time, which every later GPU runs.
    assert!(driver.set_sm(100));
    for (name, statement) in NOT_EXECUTED {
        let gpu = Gpu::new()?;
        let module = cases::module(&[&Case::refused(statement)]);
        let module = match SM_100.iter().find(|word| statement.contains(**word)) {
            Some(_) => module.replace(".version 8.4\n.target sm_90", ".version 8.8\n.target sm_100a"),
            None => module,
        };
        let module = match gpu.load(module) {
            Ok(module) => module,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let function = module.load_function("refused")?;
        match gpu.run(&function, 1, 32, &[0; 32 * 24], 32 * 8) {
            Err(error) if error.contains("CUDA_ERROR_NOT_SUPPORTED") => {}
            other => wrong.push(format!("{name}: {:?} instead of CUDA_ERROR_NOT_SUPPORTED", other.map(|_| "it runs"))),
        }
    }
    assert!(driver.set_sm(90));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
