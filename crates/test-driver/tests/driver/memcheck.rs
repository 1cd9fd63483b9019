//! Memcheck: what it reports, and right programs without a report.

use cudarc::driver::{CudaContext, sys};
use kernel_args_test_driver::{Control, Settings, within};

use crate::raw::*;

const HEAD: &str = ".version 8.1\n.target sm_90\n.address_size 64\n";

/// The declarations of every kernel here: `%a` is memory of 256 bytes that nothing has written, `%o` is the same with
/// zeros, and `%t` is the thread. `%p1` and `%p2` are predicates.
fn run(driver: &Control, body: &str, threads: u32) -> Result<(), String> {
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 a, .param .u64 o)
        {{ .reg .b64 %a, %o, %w<9>; .reg .b32 %t, %r<9>; .reg .f32 %f<9>; .reg .pred %p<9>; .shared .align 16 .b8 s[256];
        ld.param.u64 %a, [a]; ld.param.u64 %o, [o]; mov.u32 %t, %tid.x; mul.wide.u32 %w1, %t, 4;
        add.u64 %a, %a, %w1; add.u64 %o, %o, %w1; mov.u32 %r1, s; mad.lo.u32 %r1, %t, 4, %r1;
        {body}
        ret; }}"
    );
    let context = CudaContext::new(0).expect("a device");
    let stream = context.default_stream();
    // SAFETY: the host does not read it.
    let unwritten = unsafe { stream.alloc::<u8>(256) }.expect("memory");
    let zeros = stream.alloc_zeros::<u8>(256).expect("memory");
    let values =
        [&unwritten, &zeros].map(|slice| cudarc::driver::DevicePtr::device_ptr(slice, &stream).0.to_le_bytes());
    let function = function(load(&text).expect("right"), "k").expect("it has this entry");
    let launched = launch(function, ([1, 1, 1], [threads, 1, 1], 0), &[&values[0], &values[1]]);
    assert_eq!(launched, Ok(()), "the launch itself succeeds");
    synchronize().map_err(|_| {
        let report = driver.last_fault().expect("a report");
        assert_eq!(call!(sys::cuDevicePrimaryCtxReset_v2(0)), Ok(()));
        report
    })
}

/// The element that a lane has of a product of 8 x 16 x 8 bytes. In `%r2`, the bytes of lanes 0 to 3 are not written:
/// the first row, or the first column.
fn product(factors: &str, lane: u32) -> String {
    format!(
        "mov.u32 %r2, %t; setp.lt.u32 %p1, %t, 4; @%p1 ld.global.u32 %r2, [%a]; mov.u32 %r3, 0x01010101; mov.u32 %r4, 0;
        mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {{%r5, %r6}}, {factors}, {{%r4, %r4}};
        setp.eq.u32 %p2, %t, {lane}; @%p2 st.global.u32 [%o], %r5;"
    )
}

/// A value that nothing has written is an error where it decides something, and is found again after any way.
#[test]
fn a_value_that_nothing_has_written_is_reported_where_it_decides() {
    within(&Settings::new().memcheck(), |driver| {
        for (body, place) in [
            ("ld.global.u32 %r2, [%a]; st.global.u32 [%o], %r2;", "st.global.u32"),
            ("ld.global.f32 %f1, [%a]; add.f32 %f1, %f1, %f1; st.global.f32 [%o], %f1;", "st.global.f32"),
            ("ld.global.u32 %r2, [%a]; setp.gt.u32 %p1, %r2, 3; @%p1 bra L; st.global.u32 [%o], %t; L:", "bra"),
            (
                "ld.global.u32 %r2, [%a]; and.b32 %r2, %r2, 31; cvt.u64.u32 %w2, %r2; add.u64 %w2, %o, %w2; st.global.u8 [%w2], %t;",
                "st.global.u8",
            ),
            (
                "ld.global.u32 %r2, [%a]; st.shared.u32 [%r1], %r2; ld.shared.u32 %r3, [%r1]; st.global.u32 [%o], %r3;",
                "st.global.u32",
            ),
            (
                "setp.eq.u32 %p1, %t, 1; mov.u32 %r2, 0; @%p1 ld.global.u32 %r2, [%a]; shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; st.global.u32 [%o], %r3;",
                "st.global.u32",
            ),
            (
                "ld.global.u32 %r2, [%a]; setp.eq.u32 %p1, %r2, 0; selp.u32 %r3, 1, 2, %p1; st.global.u32 [%o], %r3;",
                "st.global.u32",
            ),
            (
                "ld.global.u32 %r2, [%a]; setp.eq.u32 %p1, %r2, 0; vote.sync.any.pred %p2, %p1, -1; @%p2 st.global.u32 [%o], %t;",
                "st.global.u32",
            ),
            ("ld.global.v2.u16 {%r2, %r3}, [%a];", ""),
            ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [s];", ""),
            ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [s]; st.global.u32 [%o], %r2;", "st.global.u32"),
            (
                "ld.global.u32 %r2, [%a]; stmatrix.sync.aligned.m8n8.x1.shared.b16 [s], {%r2}; bar.warp.sync -1; ld.shared.u32 %r3, [s]; st.global.u32 [%o], %r3;",
                "st.global.u32",
            ),
            ("cp.async.ca.shared.global [%r1], [%a], 4; cp.async.wait_all;", ""),
            (
                "cp.async.ca.shared.global [%r1], [%a], 4; cp.async.wait_all; ld.shared.u32 %r2, [%r1]; st.global.u32 [%o], %r2;",
                "st.global.u32",
            ),
            // The product's elements of a row or a column of which nothing has been written.
            (&product("{%r2}, {%r3}", 2), "st.global.u32"),
            (&product("{%r2}, {%r3}", 8), ""),
            (&product("{%r3}, {%r2}", 8), "st.global.u32"),
            (&product("{%r3}, {%r2}", 9), ""),
        ] {
            let outcome = run(driver, &body.replace(".v2.u16", ".u32").replace("{%r2, %r3}", "%r2"), 32);
            match place {
                "" => assert_eq!(outcome, Ok(()), "{body}"),
                place => {
                    let report = outcome.expect_err(body);
                    assert!(
                        report.contains("that nothing has written") && report.contains(&format!("and `{place}`")),
                        "{body}: {report}"
                    );
                }
            }
        }
        for body in [
            "red.global.add.f32 [%a], 0f00000000;",
            "atom.global.add.u32 %r2, [%a], 1;",
            "atom.shared.max.u32 %r2, [%r1], 1;",
        ] {
            let report = run(driver, body, 32).expect_err(body);
            assert!(report.contains("memory that nothing has written"), "{body}: {report}");
        }
    });
}

#[test]
fn right_programs_are_not_reported() {
    within(&Settings::new().memcheck(), |driver| {
        for body in [
            // A struct whose padding is not written, and its copies.
            "st.global.u8 [%a], %t; ld.global.u32 %r2, [%a]; st.global.u32 [%o], %r2;",
            "st.global.u8 [%a], %t; ld.global.u32 %r2, [%a]; and.b32 %r2, %r2, 255; add.u32 %r2, %r2, 1; st.global.u32 [%o], %r2;",
            // Values that a condition discards.
            "ld.global.u32 %r2, [%a]; add.u32 %r2, %r2, 7; setp.gt.u32 %p1, %t, 64; selp.u32 %r2, %r2, 0, %p1; st.global.u32 [%o], %r2;",
            "ld.global.u32 %r2, [%a]; setp.gt.u32 %p2, %t, 64; setp.gt.and.u32 %p1, %r2, 7, %p2; @%p1 st.global.u32 [%o], %t;",
            "atom.global.exch.b32 %r2, [%a], 1; atom.global.add.u32 %r2, [%a], 1; st.global.u32 [%o], %r2;",
            // Lanes that the warp orders, and the lanes of two warps that read the same bytes.
            "st.shared.u32 [%r1], %t; bar.warp.sync -1; xor.b32 %r2, %r1, 4; ld.shared.u32 %r3, [%r2]; bar.warp.sync -1; st.shared.u32 [%r1], %r3;",
            "stmatrix.sync.aligned.m8n8.x1.shared.b16 [s], {%t}; bar.warp.sync -1; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [s]; st.global.u32 [%o], %r2;",
            // Threads that leave before a barrier.
            "setp.gt.u32 %p1, %t, 20; @%p1 bra E; st.shared.u32 [%r1], %t; bar.sync 0; ld.shared.u32 %r2, [s]; st.global.u32 [%o], %r2; E:",
        ] {
            assert_eq!(run(driver, body, 32), Ok(()), "{body}");
        }
    });
}

#[test]
fn a_barrier_that_a_part_of_a_warp_reaches_is_reported() {
    within(&Settings::new().memcheck(), |driver| {
        let part = |barrier: &str| format!("setp.gt.u32 %p1, %t, 15; @%p1 bra L; {barrier} L: st.global.u32 [%o], %t;");
        let report = run(driver, &part("bar.sync 0;"), 64).expect_err("a part");
        assert!(
            report.contains("a barrier is reached by a part of a warp only") && report.contains("`bar.sync`"),
            "{report}"
        );
        let two = |first: &str, second: &str| {
            format!(
                "and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra A; {first} bra B; A: {second} B: st.global.u32 [%o], %t;"
            )
        };
        let report = run(driver, &two("bar.sync 0;", "bar.sync 0;"), 64).expect_err("two parts");
        assert!(
            report.contains("a part of a warp reaches this barrier, and a part waits at a different one"),
            "{report}"
        );
        assert_eq!(run(driver, &two("barrier.sync 0;", "barrier.sync 0;"), 64), Ok(()));
        assert_eq!(run(driver, &part("bar.warp.sync 0xffff;"), 64), Ok(()));
        assert_eq!(run(driver, &part("barrier.sync 0;"), 32).map_err(|report| report.contains("a barrier")), Ok(()));
    });
}

#[test]
fn a_barrier_of_the_grid_needs_a_cooperative_launch() {
    within(&Settings::new(), |driver| {
        let report = run(driver, "mov.u32 %r2, %envreg2; setp.eq.u32 %p1, %r2, 0; @%p1 trap;", 32).expect_err("a trap");
        assert!(report.contains("it synchronizes its grid, but the launch is not cooperative"), "{report}");
    });
}

/// The memory of the checks does not grow with the number of blocks.
#[test]
fn a_large_grid_needs_little_memory() {
    within(&Settings::new().memcheck(), |_| {
        let text = format!(
            "{HEAD}.visible .entry k() {{ .reg .b32 %t, %r; .shared .align 4 .b8 s[32768]; mov.u32 %t, %tid.x;
             mov.u32 %r, s; mad.lo.u32 %r, %t, 512, %r; st.shared.u32 [%r+508], %t; ret; }}"
        );
        let _context = CudaContext::new(0).expect("a device");
        let function = function(load(&text).expect("right"), "k").expect("it has this entry");
        assert_eq!(launch(function, ([8192, 1, 1], [64, 1, 1], 0), &[]), Ok(()));
        assert_eq!(synchronize(), Ok(()));
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0);
        assert!(peak < 1 << 20, "{peak} KiB");
    });
}
