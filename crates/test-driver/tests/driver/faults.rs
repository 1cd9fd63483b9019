//! What a kernel does wrong: the error of its context, and the report with the thread, the instruction and the memory.

use cudarc::driver::{CudaContext, CudaSlice, DevicePtr, sys};
use kernel_args_test_driver::{Control, Settings, within};

use crate::raw::*;

const HEAD: &str = ".version 8.1\n.target sm_75\n.address_size 64\n.file 1 \"kernel.cu\"\n";

/// Launches a kernel with two pointers and one block of `threads`. Returns the error of the context.
fn run(body: &str, values: [u64; 2], threads: u32) -> Result<(), u32> {
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 a, .param .u64 b)\n{{ .reg .b64 %a, %b, %w<9>; .reg .b32 %t, %r<9>; .reg .pred %p<9>;
         ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; mov.u32 %t, %tid.x;\n.loc 1 7 3\n{body}\nret; }}"
    );
    let function = function(load(&text).expect("right"), "k").expect("it has this entry");
    let [a, b] = values.map(u64::to_le_bytes);
    assert_eq!(launch(function, ([1, 1, 1], [threads, 1, 1], 0), &[&a, &b]), Ok(()), "the launch itself succeeds");
    synchronize()
}

/// A context with 64 zeros, for each fault.
fn zeros() -> (std::sync::Arc<CudaContext>, CudaSlice<u32>, u64) {
    let context = CudaContext::new(0).expect("a device");
    let memory = context.default_stream().alloc_zeros::<u32>(64).expect("memory");
    let address = memory.device_ptr(&context.default_stream()).0;
    (context, memory, address)
}

fn report(driver: &Control, parts: &[&str]) {
    let report = driver.last_fault().expect("a fault");
    for part in parts {
        assert!(report.contains(part), "no `{part}` in: {report}");
    }
    assert_eq!(call!(sys::cuDevicePrimaryCtxReset_v2(0)), Ok(()));
}

#[test]
fn recursion_takes_the_stack_that_the_limit_allows() {
    within(&Settings::new(), |driver| {
        let (_context, _memory, _) = zeros();
        let call = "{ .param .b32 m; st.param.b32 [m], %n; call deep, (m); }";
        let text = format!(
            "{HEAD}.func deep(.param .b32 n)\n{{ .local .align 8 .b8 l[1024]; .reg .b32 %n; .reg .pred %p; ld.param.u32 %n, [n];
             st.local.u32 [l], %n; setp.eq.u32 %p, %n, 0; @%p ret; sub.u32 %n, %n, 1; {call} ret; }}
             .visible .entry k(.param .u32 n) {{ .reg .b32 %n; ld.param.u32 %n, [n]; {call} ret; }}"
        );
        let function = function(load(&text).expect("right"), "k").expect("it has this entry");
        let run = |depth: u32| {
            assert_eq!(launch(function, ([1, 1, 1], [3, 1, 1], 0), &[&depth.to_le_bytes()]), Ok(()));
            synchronize()
        };
        assert_eq!(run(30), Ok(()));
        assert_eq!(call!(sys::cuCtxSetLimit(sys::CUlimit::CU_LIMIT_STACK_SIZE, 300 << 10)), Ok(()));
        assert_eq!(run(250), Ok(()));
        assert_eq!(run(400), ILLEGAL_ADDRESS);
        report(driver, &["its calls need more stack than there is"]);
    });
}

#[test]
fn an_access_outside_of_memory_is_reported_with_its_thread_and_the_parameter() {
    within(&Settings::new(), |driver| {
        let (_context, _memory, address) = zeros();
        // The neighbour: every thread writes its own element.
        let store = "mul.wide.u32 %w1, %t, 4; add.u64 %w1, %b, %w1; st.global.u32 [%w1], %t;";
        assert_eq!(run(store, [0, address], 64), Ok(()));
        assert_eq!(driver.last_fault(), None);
        assert_eq!(run(store, [0, address], 65), ILLEGAL_ADDRESS);
        report(
            driver,
            &[
                "the kernel `k` fails: it writes 4 bytes of global memory at 0x",
                ": 0 bytes behind the end of allocation",
                "256 bytes at 0x",
                "parameter 1 points to it",
                "`st.global.u32`, line 9 of the PTX (kernel.cu:7), function `k`, block [0, 0, 0], thread [64, 0, 0]",
            ],
        );
    });
}

#[test]
fn freed_memory_misaligned_addresses_and_traps_are_named() {
    within(&Settings::new(), |driver| {
        // Inlined code of a header, and inside of it code of a different one.
        let (_context, _memory, _) = zeros();
        let inlined = ".loc 2 84 10, function_name $L__info_string0, inlined_at 1 9 5
            .loc 3 5 1, function_name $L__info_string1, inlined_at 2 84 10
            trap;";
        assert_eq!(run(inlined, [0, 0], 1), Err(719));
        report(driver, &["it traps", "(kernel.cu:9)"]);
        let load = "ld.global.u32 %r1, [%a];";
        let (context, memory, address) = zeros();
        assert_eq!(run(load, [address, 0], 1), Ok(()));
        drop(memory);
        context.synchronize().expect("healthy");
        assert_eq!(run(load, [address, 0], 1), ILLEGAL_ADDRESS);
        report(
            driver,
            &["reads 4 bytes of global memory", "byte 0 of allocation", "which is freed; parameter 0 points"],
        );
        let (_context, _memory, address) = zeros();
        assert_eq!(run(load, [address + 2, 0], 1), Err(716));
        report(driver, &["not a multiple of the size"]);
        let (_context, _memory, _) = zeros();
        assert_eq!(run("trap;", [0, 0], 1), Err(719));
        report(driver, &["it traps"]);
        let (_context, _memory, _) = zeros();
        assert_eq!(
            run(".shared .b32 s; .local .b32 l; st.shared.u32 [s], %t; st.local.u32 [l], %t;", [0, 0], 1),
            Ok(())
        );
        assert_eq!(run(".shared .b32 s; st.shared.u32 [s+4], %t;", [0, 0], 1), ILLEGAL_ADDRESS);
        report(driver, &["4 bytes of shared memory at 0x4"]);
        let (_context, _memory, _) = zeros();
        assert_eq!(run(".local .b32 l; ld.local.u32 %r1, [l+64];", [0, 0], 1), ILLEGAL_ADDRESS);
        report(driver, &["bytes of local memory"]);
    });
}

/// What `cuGetErrorString` returns, after the first line.
fn described(code: u32) -> Option<String> {
    let mut text = std::ptr::null();
    // SAFETY: every code is accepted, as a number of the same size.
    let code = unsafe { std::mem::transmute::<u32, sys::CUresult>(code) };
    assert_eq!(call!(sys::cuGetErrorString(code, &raw mut text)), Ok(()));
    // SAFETY: the driver never frees it.
    let text = unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy();
    text.split_once('\n').map(|(_, report)| report.to_owned())
}

#[test]
fn the_description_of_a_lost_context_s_error_is_the_report() {
    within(&Settings::new().devices(2), |driver| {
        let (context, _memory, address) = zeros();
        assert_eq!(described(700), None);
        let far = "ld.global.u32 %r1, [%a+16];";
        assert_eq!(run(far, [0x20, address], 1), ILLEGAL_ADDRESS);
        let first = described(700).expect("a report");
        assert_eq!(Some(&first), driver.last_fault().as_ref());
        assert!(first.contains("at 0x30, where it has no memory; parameter 0 is 0x20\n"), "{first}");
        assert_eq!((described(719), described(701)), (None, None));
        // Each context has its own report.
        let other = CudaContext::new(1).expect("a second device");
        other.bind_to_thread().expect("it is alive");
        assert_eq!(described(700), Some(first.clone()));
        driver.lose_context(700);
        assert_eq!((synchronize(), described(700)), (ILLEGAL_ADDRESS, None));
        assert_eq!(call!(sys::cuCtxSetCurrent(context.cu_ctx())), Ok(()));
        assert_eq!(described(700), Some(first));
        for device in [0, 1] {
            assert_eq!(call!(sys::cuDevicePrimaryCtxReset_v2(device)), Ok(()));
        }
        assert_eq!(described(700), None);
        // Each parameter that can be the address is named.
        let (_context, _memory, _) = zeros();
        assert_eq!(run(far, [0x20, 0x28], 1), ILLEGAL_ADDRESS);
        assert!(described(700).expect("a report").contains("; parameter 0 is 0x20; parameter 1 is 0x28\n"));
    });
}

#[test]
fn memory_of_another_device_is_not_reached() {
    within(&Settings::new().devices(2).without_peers(), |driver| {
        let (_context, _memory, address) = zeros();
        assert_eq!(run("ld.global.u32 %r1, [%a];", [address, 0], 1), Ok(()));
        let other = CudaContext::new(1).expect("a second device");
        other.bind_to_thread().expect("it is alive");
        assert_eq!(run("ld.global.u32 %r1, [%a];", [address, 0], 1), ILLEGAL_ADDRESS);
        assert!(driver.last_fault().expect("a fault").contains("byte 0 of allocation"));
    });
}

#[test]
fn checks_find_what_nothing_has_written() {
    within(&Settings::new(), |driver| {
        driver.memcheck(true);
        let context = CudaContext::new(0).expect("a device");
        // SAFETY: the memory is not read by the host.
        let memory = unsafe { context.default_stream().alloc::<u32>(64) }.expect("memory");
        let address = memory.device_ptr(&context.default_stream()).0;
        // A kernel has written the first elements.
        assert_eq!(
            run("mul.wide.u32 %w1, %t, 4; add.u64 %w1, %a, %w1; st.global.u32 [%w1], %t;", [address, 0], 8),
            Ok(())
        );
        assert_eq!(run("ld.global.v2.u32 {%r1, %r2}, [%a+24];", [address, 0], 1), Ok(()));
        // An unused value, and a copy of a part that is written.
        assert_eq!(run("ld.global.u32 %r1, [%a+32];", [address, 0], 1), Ok(()));
        assert_eq!(run("ld.global.u64 %w1, [%a+24]; st.global.u8 [%a+28], %t;", [address, 0], 1), Ok(()));
        assert_eq!(run("ld.global.u32 %r1, [%a+32]; st.global.u32 [%a], %r1;", [address, 0], 1), Err(719));
        report(
            driver,
            &["it reads memory that nothing has written", "byte 32 of allocation", "parameter 0", "`st.global.u32`"],
        );
        drop(memory);
        drop(context);
        let (_context, _memory, address) = zeros();
        assert_eq!(run("ld.global.u32 %r1, [%a+32];", [address, 0], 1), Ok(()), "zeros are written");
        assert_eq!(run(".shared .b32 s; st.shared.u32 [s], %t; ld.shared.u32 %r1, [s];", [0, 0], 1), Ok(()));
        assert_eq!(run(".shared .b32 s; ld.shared.u32 %r1, [s];", [0, 0], 1), Ok(()));
        let body = ".shared .b32 s; ld.shared.u32 %r1, [s]; st.global.u32 [%a], %r1;";
        assert_eq!(run(body, [address, 0], 1), Err(719));
        report(driver, &["it reads shared memory that nothing has written", "`ld.shared.u32`"]);
    });
}

#[test]
fn checks_find_races_on_shared_memory() {
    within(&Settings::new(), |driver| {
        let exchange = |between: &str| {
            let (_context, _memory, _) = zeros();
            let body = format!(
                ".shared .align 4 .b8 s[256]; mov.u32 %r1, s; mad.lo.u32 %r2, %t, 4, %r1; st.shared.u32 [%r2], %t; {between}
                 and.b32 %r3, %t, 31; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r4, [%r3];"
            );
            run(&body, [0, 0], 64)
        };
        // Without the check, nothing is reported.
        assert_eq!(exchange(""), Ok(()));
        driver.memcheck(true);
        assert_eq!(exchange("bar.sync 0;"), Ok(()));
        assert_eq!(exchange("barrier.sync 1, 64;"), Ok(()));
        assert_eq!(exchange(""), Err(719));
        report(driver, &["without a barrier between", "`ld.shared.u32`"]);
        // Atomic operations do not race with each other, but with a store.
        let (_context, _memory, _) = zeros();
        let zero = ".shared .b32 s; setp.eq.u32 %p1, %t, 0; mov.u32 %r1, 0; @%p1 st.shared.u32 [s], %r1;";
        assert_eq!(run(&format!("{zero} bar.sync 0; red.shared.add.u32 [s], 1;"), [0, 0], 64), Ok(()));
        assert_eq!(run(&format!("{zero} red.shared.add.u32 [s], 1;"), [0, 0], 64), Err(719));
        report(driver, &["writes shared memory that thread", "without a barrier between"]);
        // Threads that write the same value.
        let (_context, _memory, _) = zeros();
        assert_eq!(run(".shared .b32 s; mov.u32 %r1, 1; st.shared.u32 [s], %r1;", [0, 0], 64), Ok(()));
        assert_eq!(run(".shared .b32 s; st.shared.u32 [s], %t;", [0, 0], 64), Err(719));
        report(driver, &["writes shared memory that thread", "`st.shared.u32`"]);
        // Lanes of a warp that synchronise.
        let (_context, _memory, _) = zeros();
        let lanes = |between: &str| {
            format!(
                ".shared .align 4 .b8 s[128]; mov.u32 %r1, s; mad.lo.u32 %r2, %t, 4, %r1; st.shared.u32 [%r2], %t; {between}
                 xor.b32 %r3, %t, 1; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r4, [%r3];"
            )
        };
        assert_eq!(run(&lanes("bar.warp.sync -1;"), [0, 0], 32), Ok(()));
        assert_eq!(run(&lanes(""), [0, 0], 32), Err(719));
        report(driver, &["reads shared memory that thread"]);
        // A flag that threads of another warp poll.
        let (_context, _memory, _) = zeros();
        let flag = |set: &str, get: &str| {
            format!(
                ".shared .b32 s; .shared .b32 f; mov.u32 %r1, 0; mov.u32 %r2, 1; setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [f], %r1; bar.sync 0;
                 @!%p1 bra W; st.shared.u32 [s], %t; {set} bra E;
                 W: {get} %r3, [f]; setp.ne.u32 %p2, %r3, 1; @%p2 bra W; ld.shared.u32 %r4, [s]; E: ret;"
            )
        };
        for (set, get) in [
            ("membar.cta; st.volatile.shared.u32 [f], %r2;", "ld.volatile.shared.u32"),
            ("fence.acq_rel.cta; st.relaxed.cta.shared.u32 [f], %r2;", "ld.acquire.cta.shared.u32"),
            ("st.release.cta.shared.u32 [f], %r2;", "ld.acquire.cta.shared.u32"),
            ("red.release.cta.shared.add.u32 [f], 1;", "ld.acquire.cta.shared.u32"),
        ] {
            assert_eq!(run(&flag(set, get), [0, 0], 64), Ok(()), "{set}");
        }
        assert_eq!(run(&flag("st.volatile.shared.u32 [f], %r2;", "ld.volatile.shared.u32"), [0, 0], 64), Err(719));
        report(driver, &["reads shared memory that thread 0 writes without a barrier between", "`ld.shared.u32`"]);
    });
}

#[test]
fn a_kernel_that_does_not_end_is_stopped() {
    within(&Settings::new().budget(1_000_000), |driver| {
        let (_context, _memory, _) = zeros();
        assert_eq!(
            run("mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000; @%p1 bra L;", [0, 0], 32),
            Ok(())
        );
        assert_eq!(run("L: bra L;", [0, 0], 32), Err(702));
        report(driver, &["the kernel `k` does not end", "1000000 instructions", "thread [0, 0, 0]", "`bra`"]);
    });
}
