//! Cases of control, caches, synchronisation and products of matrices.

use crate::cases::{Case, plain};

/// `%r1`: this thread's 16 bytes of the shared room, `%r2`: the room.
const PLACE: &str = "shl.b32 %r1, %thread, 4;\nmov.u32 %r2, room;\nadd.u32 %r1, %r2, %r1;\n";
/// `%l1`: this thread's 8 bytes of the counter.
const COUNTER: &str = "mov.u64 %l1, counter;\nmul.wide.u32 %l2, %thread, 8;\nadd.u64 %l1, %l1, %l2;\n";

pub(crate) fn all(cases: &mut Vec<Case>) {
    control(cases);
    caches(cases);
    video(cases);
    memory(cases);
    barriers(cases);
    products(cases);
    fragments(cases);
}

fn control(cases: &mut Vec<Case>) {
    let mut add = |name: &str, operands: &[&'static str], body: &str| {
        cases.push(Case::new(name, operands, "u32", body));
    };
    // The function is in the head of the module. Half of the threads call it twice.
    let call = "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 back;\nst.param.b32 [x], %a;\nst.param.b32 [y], %b;\ncall (back), mixed, (x, y);\nld.param.b32 %d, [back];\n}\n";
    add("call.func", &["u32", "u32"], call);
    let indirect = "type: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\nmov.u64 %l1, mixed;\nsetp.lt.s32 %p, %a, %b;\n@%p mov.u64 %l1, swapped;
{\n.param .b32 x;\n.param .b32 y;\n.param .b32 back;\nst.param.b32 [x], %a;\nst.param.b32 [y], %b;\ncall (back), %l1, (x, y), type;\nld.param.b32 %d, [back];\n}";
    add("call.indirect", &["u32", "u32"], indirect);
    add("exit.some", &["u32", "u32"], "setp.lt.u32 %p, %a, %b;\n@%p exit;\nadd.u32 %d, %a, %b;");
    add("ret.some", &["u32", "u32"], "setp.lt.s32 %p, %a, %b;\n@%p ret;\nactivemask.b32 %d;");
    add("nanosleep.u32", &["u32"], "and.b32 %r1, %a, 63;\nnanosleep.u32 %r1;\nadd.u32 %d, %a, 1;");
    add("pmevent", &["u32"], "pmevent 3;\nadd.u32 %d, %a, 1;");
    add("griddepcontrol", &["u32"], "griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\nadd.u32 %d, %a, 1;");
    let stack = "stacksave.u64 %l1;\nst.local.b32 [stack], %a;\nstackrestore.u64 %l1;\nld.local.b32 %d, [stack];";
    add("stacksave.u64", &["u32"], stack);
    cases.push(Case::new("stackrestore.u64", &["u32"], "u32", stack));
}

fn caches(cases: &mut Vec<Case>) {
    let mut add = |name: &str, body: &str| {
        let body = format!("{COUNTER}st.global.b64 [%l1], %a;\n{body}\nld.global.b64 %d, [%l1];");
        cases.push(Case::new(name, &["b64"], "b64", body));
    };
    add(
        "prefetch.global.L2",
        "prefetch.global.L2 [%l1];\nprefetch.global.L1 [%l1];\nprefetch.global.L2::evict_last [%l1];",
    );
    add("prefetchu.L1", "prefetchu.L1 [%l1];");
    let line = "and.b64 %l3, %l1, -128;\n";
    add("applypriority.global.L2::evict_normal", &format!("{line}applypriority.global.L2::evict_normal [%l3], 128;"));
    // What is discarded is undefined until it is written.
    add(
        "discard.global.L2",
        &format!("{line}bar.sync 0;\ndiscard.global.L2 [%l3], 128;\nbar.sync 0;\nst.global.b64 [%l1], %a;"),
    );
    add(
        "createpolicy.fractional",
        "createpolicy.fractional.L2::evict_last.b64 %l4, 0.5;\nst.global.L2::cache_hint.b64 [%l1], %a, %l4;",
    );
    add(
        "ld.global.L2::cache_hint",
        "createpolicy.fractional.L2::evict_first.b64 %l4;\nld.global.L2::cache_hint.b64 %l5, [%l1], %l4;\nst.global.cs.b64 [%l1], %l5;",
    );
    for kind in ["b32", "b64", "u8", "s16"] {
        let result = if kind == "b64" { "b64" } else { "b32" };
        cases.push(Case::new(&format!("ldu.global.{kind}"), &["b64"], result, format!("ldu.global.{kind} %d, [%in];")));
    }
    for name in ["ld.global.nc.b64", "ld.global.ca.b64", "ld.relaxed.gpu.global.b64", "ld.acquire.sys.global.b64"] {
        cases.push(Case::new(name, &["b64"], "b64", format!("{name} %d, [%in];")));
    }
}

fn video(cases: &mut Vec<Case>) {
    for name in [
        "vabsdiff2",
        "vavrg2",
        "vmax2",
        "vmin2",
        "vadd2",
        "vsub2",
        "vabsdiff4",
        "vavrg4",
        "vmax4",
        "vmin4",
        "vadd4",
        "vsub4",
    ] {
        for kinds in ["s32.s32.s32", "s32.u32.s32"] {
            cases.push(plain(&format!("{name}.{kinds}"), &["u32", "u32", "u32"], "u32"));
        }
        for more in ["sat", "add"] {
            cases.push(plain(&format!("{name}.u32.u32.u32.{more}"), &["u32", "u32", "u32"], "u32"));
        }
    }
    for name in ["vavrg2", "vavrg4", "vabsdiff2", "vmin2", "vmin4", "vmax4", "vsub4"] {
        cases.push(plain(&format!("{name}.u32.u32.u32"), &["u32", "u32", "u32"], "u32"));
    }
    let body = "and.b32 %b, %b, 31;\nrem.s32 %c, %c, 33;\nfns.b32 %d, %a, %b, %c;";
    cases.push(Case::new("fns.b32.in_range", &["b32", "b32", "s32"], "b32", body));
}

fn memory(cases: &mut Vec<Case>) {
    // Each thread has its own place, so the old value is known. Halves are small integers.
    for (kind, memory) in [("f16x2", "b32"), ("bf16x2", "b32")] {
        let body = format!(
            "{COUNTER}st.global.{memory} [%l1], %a;\natom.global.add.noftz.{kind} %r1, [%l1], %b;\nld.global.{memory} %d, [%l1];\nxor.b32 %d, %d, %r1;"
        );
        cases.push(Case::new(&format!("atom.global.add.noftz.{kind}"), &[kind, kind], kind, body).small());
        let body = format!(
            "{COUNTER}st.global.{memory} [%l1], %a;\nred.global.add.noftz.{kind} [%l1], %b;\nld.global.{memory} %d, [%l1];"
        );
        cases.push(Case::new(&format!("red.global.add.noftz.{kind}"), &[kind, kind], kind, body).small());
    }
    let body = format!(
        "{COUNTER}st.global.b64 [%l1], %a;\ncvt.u16.u64 %h1, %a;\ncvt.u16.u32 %h2, %b;\natom.global.cas.b16 %h3, [%l1], %h1, %h2;\nld.global.b64 %d, [%l1];\ncvt.u64.u16 %l3, %h3;\nshl.b64 %l3, %l3, 24;\nxor.b64 %d, %d, %l3;"
    );
    cases.push(Case::new("atom.global.cas.b16", &["b64", "b32"], "b64", body));
    for name in [
        "add.u32", "add.f32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "inc.u32", "dec.u32", "add.u64",
        "min.u64", "max.s64", "add.f64",
    ] {
        let kind: &'static str = if name.ends_with("u32") {
            "u32"
        } else if name.ends_with("s32") {
            "s32"
        } else if name.ends_with("b32") {
            "b32"
        } else if name.ends_with("f32") {
            "f32"
        } else if name.ends_with("u64") {
            "u64"
        } else if name.ends_with("s64") {
            "s64"
        } else {
            "f64"
        };
        let body = format!(
            "{COUNTER}st.global.{kind} [%l1], %a;\nred.relaxed.gpu.global.{name} [%l1], %b;\nld.global.{kind} %d, [%l1];"
        );
        cases.push(Case::new(&format!("red.global.{name}"), &[kind, kind], kind, body));
    }
    let vector = format!(
        "{PLACE}st.shared.v4.b32 [%r1], {{%a, %b, %c, %thread}};\nbar.sync 0;\nxor.b32 %r3, %thread, 21;\nshl.b32 %r3, %r3, 4;\nadd.u32 %r3, %r2, %r3;\nld.shared.v4.u32 {{%r4, %r5, %r6, %r7}}, [%r3];\nxor.b32 %r4, %r4, %r5;\nadd.u32 %r6, %r6, %r7;\nmad.lo.u32 %d, %r4, 3, %r6;"
    );
    cases.push(Case::new("ld.shared.v4.u32", &["b32", "b32", "b32"], "u32", vector));
    let constant = "and.b32 %r1, %a, 15;\nmul.wide.u32 %l1, %r1, 4;\nmov.u64 %l2, table;\nadd.u64 %l2, %l2, %l1;\nld.const.u32 %d, [%l2];\nld.const.u32 %r2, [table+8];\nadd.u32 %d, %d, %r2;";
    cases.push(Case::new("ld.const.u32", &["u32"], "u32", constant));
    let mapped = format!(
        "{PLACE}st.shared.b64 [%r1], %a;\nbar.sync 0;\nmapa.shared::cluster.u32 %r3, %r1, 0;\nld.shared::cluster.b64 %d, [%r3];\ngetctarank.shared::cluster.u32 %r4, %r3;\ncvt.u64.u32 %l1, %r4;\nadd.u64 %d, %d, %l1;"
    );
    cases.push(Case::new("mapa.shared::cluster.u32", &["b64"], "b64", mapped.clone()));
    cases.push(Case::new("getctarank.shared::cluster.u32", &["b64"], "b64", mapped));
}

fn barriers(cases: &mut Vec<Case>) {
    for name in [
        "membar.gl",
        "membar.sys",
        "fence.sc.cta",
        "fence.acq_rel.gpu",
        "fence.proxy.async",
        "fence.mbarrier_init.release.cluster",
    ] {
        let body = format!(
            "{PLACE}st.shared.b64 [%r1], %a;\n{name};\nbar.sync 0;\nxor.b32 %r3, %thread, 5;\nshl.b32 %r3, %r3, 4;\nadd.u32 %r3, %r2, %r3;\nld.shared.b64 %d, [%r3];"
        );
        cases.push(Case::new(name, &["b64"], "b64", body));
    }
    for (name, result) in [("popc.u32", "u32"), ("and.pred", "u32"), ("or.pred", "u32")] {
        for root in ["bar.red", "barrier.red"] {
            let full = format!("{root}.{name}");
            let body = if name == "popc.u32" {
                format!("setp.lt.s32 %p, %a, %b;\n{full} %d, 1, 256, %p;")
            } else {
                format!("setp.lt.s32 %p, %a, %b;\n{full} %q, 0, %p;\nselp.u32 %d, 1, 0, %q;")
            };
            cases.push(Case::new(&full, &["s32", "s32"], result, body));
        }
    }
    // The first four warps write, the last four read.
    let halves = format!(
        "{PLACE}setp.ge.u32 %p, %thread, 128;\n@%p bra reads;\nst.shared.b64 [%r1], %a;\nbarrier.arrive 3, 256;\nmov.b64 %d, %a;\nbra done;\nreads:\nbarrier.sync 3, 256;\nsub.u32 %r3, %r1, 2048;\nld.shared.b64 %d, [%r3];\nadd.u64 %d, %d, 1;\ndone:"
    );
    cases.push(Case::new("barrier.sync", &["b64"], "b64", halves));
    let cluster = format!(
        "{PLACE}st.shared.b64 [%r1], %a;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nxor.b32 %r3, %thread, 99;\nshl.b32 %r3, %r3, 4;\nadd.u32 %r3, %r2, %r3;\nld.shared.b64 %d, [%r3];"
    );
    cases.push(Case::new("barrier.cluster", &["b64"], "b64", cluster));
    // The copy of the whole block's operands completes a transaction.
    let bulk = "mov.u32 %r1, room;\nsetp.eq.u32 %p, %thread, 0;\nadd.u32 %r2, %r1, 32;\n@%p mbarrier.init.shared.b64 [%r1], 1;\nfence.proxy.async;\nbar.sync 0;\n@%p mbarrier.arrive.expect_tx.shared.b64 %l1, [%r1], 3072;
@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%in], 3072, [%r1];\nwait:\nmbarrier.try_wait.parity.shared.b64 %q, [%r1], 0;\n@!%q bra wait;
and.b32 %r3, %thread, 127;\nmad.lo.u32 %r3, %r3, 24, %r2;\nld.shared.b64 %d, [%r3];\nld.shared.b64 %l2, [%r3+8];\nxor.b64 %d, %d, %l2;";
    cases.push(Case::new("cp.async.bulk", &["b64", "b64"], "b64", bulk));
    let cg = format!(
        "{PLACE}and.b64 %l1, %in, -16;\ncp.async.cg.shared.global [%r1], [%l1], 16;\ncp.async.wait_all;\nbar.sync 0;\nand.b64 %l2, %in, 8;\ncvt.u32.u64 %r3, %l2;\nadd.u32 %r3, %r3, %r1;\nld.shared.b64 %d, [%r3];"
    );
    cases.push(Case::new("cp.async.cg", &["b64"], "b64", cg));
    let count = "mov.u32 %r1, room;\nsetp.eq.u32 %p, %thread, 0;\n@%p mbarrier.init.shared.b64 [%r1], 256;\nbar.sync 0;\nsetp.lt.u32 %q, %thread, 64;\n@%q mbarrier.arrive_drop.shared.b64 %l1, [%r1];\n@!%q mbarrier.arrive.shared.b64 %l1, [%r1];\nwait:\nmbarrier.test_wait.shared.b64 %p, [%r1], %l1;\n@!%p bra wait;\nbar.sync 0;
setp.eq.u32 %p, %thread, 0;\nmov.u32 %d, 7;\n@%p mbarrier.arrive.shared.b64 %l1, [%r1];\n@%p mbarrier.pending_count.b64 %d, %l1;\n@%p mbarrier.inval.shared.b64 [%r1];";
    cases.push(Case::new("mbarrier.pending_count", &["u32"], "u32", count));
    let some = "and.b32 %r1, %thread, 1;\nsetp.eq.u32 %p, %r1, 0;\n@!%p bra odd;\nshfl.sync.down.b32 %d, %a, 2, 31, 0x55555555;\nredux.sync.add.u32 %r2, %a, 0x55555555;\nadd.u32 %d, %d, %r2;\nbra done;\nodd:\nvote.sync.ballot.b32 %d, %q, 0xaaaaaaaa;\nmatch.any.sync.b32 %r2, %b, 0xaaaaaaaa;\nxor.b32 %d, %d, %r2;\ndone:";
    let some = format!("setp.lt.u32 %q, %a, %b;\nand.b32 %b, %b, 1;\n{some}");
    cases.push(Case::new("shfl.sync.down.half_of_a_warp", &["u32", "u32"], "u32", some));
    let stores = "and.b32 %r1, %thread, -32;\nshl.b32 %r1, %r1, 4;\nmov.u32 %r2, room;\nadd.u32 %r1, %r1, %r2;\nand.b32 %r3, %thread, 31;\nshl.b32 %r4, %r3, 4;\nadd.u32 %r4, %r4, %r1;\nXX\nbar.sync 0;\nshl.b32 %r5, %r3, 2;\nadd.u32 %r5, %r5, %r1;\nld.shared.b32 %d, [%r5];\nld.shared.b32 %r6, [%r5+128];\nmad.lo.u32 %d, %r6, 5, %d;";
    for transposed in ["", ".trans"] {
        let store = format!(
            "st.shared.v4.b32 [%r4], {{%a, %b, %a, %b}};\nbar.sync 0;\nstmatrix.sync.aligned.m8n8.x4{transposed}.shared.b16 [%r4], {{%a, %b, %c, %r3}};"
        );
        cases.push(Case::new(
            &format!("stmatrix.x4{transposed}"),
            &["b32", "b32", "b32"],
            "u32",
            stores.replace("XX", &store),
        ));
        for (count, registers) in [("x1", "{%r7}"), ("x2", "{%r7, %r8}")] {
            let load = format!(
                "st.shared.v4.b32 [%r4], {{%a, %b, %c, %r3}};\nbar.sync 0;\nldmatrix.sync.aligned.m8n8.{count}{transposed}.shared.b16 {registers}, [%r4];\nbar.sync 0;\nst.shared.b32 [%r4], %r7;"
            );
            cases.push(Case::new(
                &format!("ldmatrix.{count}{transposed}"),
                &["b32", "b32", "b32"],
                "u32",
                stores.replace("XX", &load),
            ));
        }
    }
}

/// `mma` of further types.
fn products(cases: &mut Vec<Case>) {
    let spread = "mov.b32 %r1, %a;\nmov.b32 %r2, %b;\nshfl.sync.bfly.b32 %r3, %r1, 3, 31, -1;\nshfl.sync.bfly.b32 %r4, %r2, 5, 31, -1;\nshfl.sync.bfly.b32 %r5, %r1, 9, 31, -1;\nshfl.sync.bfly.b32 %r6, %r2, 17, 31, -1;\n";
    for (shape, a, b) in [("m16n8k16", "%r1, %r2, %r3, %r4", "%r5, %r6"), ("m16n8k8", "%r1, %r2", "%r5")] {
        let body = format!(
            "{spread}mma.sync.aligned.{shape}.row.col.f16.f16.f16.f16 {{%r8, %r9}}, {{{a}}}, {{{b}}}, {{%r2, %r3}};\nmov.b32 %r10, %r9;\nshl.b32 %r10, %r10, 3;\nxor.b32 %d, %r8, %r10;"
        );
        cases.push(Case::new(&format!("mma.{shape}.f16.f16"), &["f16x2", "f16x2"], "f16x2", body).small());
    }
    for (shape, kind, a, b, to) in [
        ("m8n8k16", "s8", "%r1", "%r5", "%r8, %r9"),
        ("m8n8k32", "s4", "%r1", "%r5", "%r8, %r9"),
        ("m8n8k32", "u4", "%r1", "%r5", "%r8, %r9"),
        ("m16n8k32", "s4", "%r1, %r2", "%r5", "%r8, %r9, %r10, %r11"),
        ("m16n8k64", "u4", "%r1, %r2, %r3, %r4", "%r5, %r6", "%r8, %r9, %r10, %r11"),
    ] {
        for saturates in ["", ".satfinite"] {
            let sum = if shape.starts_with("m8") { "%r7, %r1" } else { "%r7, %r1, %r2, %r7" };
            let last = if shape.starts_with("m8") { "%r9" } else { "%r11" };
            let body = format!(
                "{spread}mov.b32 %r7, %c;\nmma.sync.aligned.{shape}.row.col{saturates}.s32.{kind}.{kind}.s32 {{{to}}}, {{{a}}}, {{{b}}}, {{{sum}}};\nmad.lo.s32 %d, {last}, 3, %r8;\nxor.b32 %d, %d, %r9;"
            );
            cases.push(Case::new(&format!("mma.{shape}.{kind}{saturates}"), &["b32", "b32", "b32"], "s32", body));
        }
    }
    let sums = "mul.f32 %f5, %f5, 0f3F800000;\nfma.rn.f32 %d, %f6, 0f42FE0000, %f5;\nfma.rn.f32 %d, %f7, 0f46800000, %d;\nadd.f32 %d, %d, %f8;";
    for kind in ["e4m3", "e5m2"] {
        // Zero, one and two with signs, in eight bits.
        let (one, two) = if kind == "e4m3" { (0x38, 0x40) } else { (0x3c, 0x40) };
        let narrow = format!(
            "and.b32 %a, %a, 0x01010101;\nmul.lo.u32 %a, %a, {one};\nand.b32 %b, %b, 0x01010101;\nmul.lo.u32 %r1, %b, {two};\nshl.b32 %r2, %b, 7;\nor.b32 %b, %r1, %r2;\n"
        );
        let body = format!(
            "{narrow}{spread}mov.f32 %f1, %c;\nneg.f32 %f2, %c;\nmov.f32 %f3, 0f3F800000;\nmov.f32 %f4, 0f40000000;\nmma.sync.aligned.m16n8k32.row.col.f32.{kind}.{kind}.f32 {{%f5, %f6, %f7, %f8}}, {{%r1, %r2, %r3, %r4}}, {{%r5, %r6}}, {{%f1, %f2, %f3, %f4}};\n{sums}"
        );
        cases.push(Case::new(&format!("mma.m16n8k32.{kind}"), &["b32", "b32", "f32"], "f32", body).small());
    }
    let wide = ".reg .f64 %w<8>;\nmov.b64 %l1, %a;\nmov.f64 %w1, %a;\nmov.f64 %w2, %b;\n";
    let body = format!(
        "{wide}mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{%w3, %w4}}, {{%w1}}, {{%w2}}, {{%w1, %w2}};\nfma.rn.f64 %d, %w4, 0d4060000000000000, %w3;"
    );
    cases.push(Case::new("mma.m8n8k4.f64", &["f64", "f64"], "f64", body).small());
    let body = format!(
        "{wide}add.f64 %w5, %a, %b;\nsub.f64 %w6, %b, %a;\nmma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {{%w3, %w4, %w5, %w6}}, {{%w1, %w2, %w5, %w6}}, {{%w2, %w1}}, {{%w1, %w2, %w6, %w5}};\nfma.rn.f64 %d, %w4, 0d4060000000000000, %w3;\nfma.rn.f64 %d, %w5, 0d40F0000000000000, %d;\nadd.f64 %d, %d, %w6;"
    );
    cases.push(Case::new("mma.m16n8k8.f64", &["f64", "f64"], "f64", body).small());
}

/// `wmma`: the first warp multiplies what all threads have stored. How a fragment is spread over lanes is not observed.
fn fragments(cases: &mut Vec<Case>) {
    let list = |letter: char, first: usize, count: usize| {
        (first..first + count).map(|n| format!("%{letter}{n}")).collect::<Vec<_>>().join(", ")
    };
    let product = |name: &str, width: usize, loads: String| {
        // A: 256 elements, B: 256 elements, C and D: 256 of four bytes each.
        let (b, c) = (256 * width, 512 * width);
        let store = if width == 2 { "st.shared.b16" } else { "st.shared.u8" };
        format!(
            "mov.u32 %r2, room;\nmad.lo.u32 %r1, %thread, {width}, %r2;\ncvt.u16.u32 %h1, %a;\ncvt.u16.u32 %h2, %b;\n{store} [%r1], %h1;\n{store} [%r1+{b}], %h2;\nshl.b32 %r3, %thread, 2;\nadd.u32 %r3, %r3, %r2;\nst.shared.b32 [%r3+{c}], %c;\nbar.sync 0;\nsetp.ge.u32 %p, %thread, 32;\n@%p bra done_{name};\n{}\ndone_{name}:\nbar.sync 0;\nshl.b32 %r3, %thread, 2;\nmov.u32 %r2, room;\nadd.u32 %r3, %r3, %r2;\nld.shared.b32 %d, [%r3+{c}];",
            loads.replace("ROOM_B", &format!("[room+{b}]")).replace("ROOM_C", &format!("[room+{c}]"))
        )
    };
    for (shape, a, b, stride) in
        [("m16n16k16", 8, 8, [16, 16, 16]), ("m8n32k16", 8, 8, [16, 32, 32]), ("m32n8k16", 8, 8, [16, 8, 8])]
    {
        for (rows, columns) in [("row", "row"), ("row", "col")] {
            // An operand of 32 rows or columns has more elements than threads write: both use the first rows.
            if shape != "m16n16k16" && columns == "col" {
                continue;
            }
            let short = shape != "m16n16k16";
            let loads = format!(
                "wmma.load.a.sync.aligned.{rows}.{shape}.shared.f16 {{{}}}, [room], {};\nwmma.load.b.sync.aligned.{columns}.{shape}.shared.f16 {{{}}}, {}, {};\nwmma.load.c.sync.aligned.row.{shape}.shared.f32 {{{}}}, ROOM_C, {};\nwmma.mma.sync.aligned.{rows}.{columns}.{shape}.f32.f32 {{{}}}, {{{}}}, {{{}}}, {{{}}};\nwmma.store.d.sync.aligned.row.{shape}.shared.f32 ROOM_C, {{{}}}, {};",
                list('r', 0, a),
                stride[0],
                list('r', 8, b),
                if short { "[room]" } else { "ROOM_B" },
                if short { 16 } else { stride[1] },
                list('f', 0, 8),
                stride[2],
                list('f', 8, 8),
                list('r', 0, a),
                list('r', 8, b),
                list('f', 0, 8),
                list('f', 8, 8),
                stride[2]
            );
            let name = format!("wmma.{shape}.{rows}.{columns}.f16");
            cases.push(
                Case::new(&name, &["f16x2", "f16x2", "f32"], "f32", product(&name.replace('.', "_"), 2, loads)).small(),
            );
        }
    }
    for kind in ["s8", "u8"] {
        let shape = "m16n16k16";
        let loads = format!(
            "wmma.load.a.sync.aligned.row.{shape}.shared.{kind} {{%r0, %r1}}, [room], 16;\nwmma.load.b.sync.aligned.col.{shape}.shared.{kind} {{%r2, %r3}}, ROOM_B, 16;\nwmma.load.c.sync.aligned.row.{shape}.shared.s32 {{{c}}}, ROOM_C, 16;\nwmma.mma.sync.aligned.row.col.{shape}.s32.{kind}.{kind}.s32 {{{c}}}, {{%r0, %r1}}, {{%r2, %r3}}, {{{c}}};\nwmma.store.d.sync.aligned.col.{shape}.shared.s32 ROOM_C, {{{c}}}, 16;",
            c = list('r', 8, 8)
        );
        let name = format!("wmma.{shape}.{kind}");
        cases.push(Case::new(&name, &["b32", "b32", "b32"], "b32", product(&name.replace('.', "_"), 1, loads)));
    }
}
