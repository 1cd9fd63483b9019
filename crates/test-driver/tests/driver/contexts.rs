//! The documented behavior of contexts: ids, stacks, resets, peers, green contexts.

use cudarc::driver::sys;
use kernel_args_test_driver::{Settings, within};
use std::ptr::null_mut;

fn init() {
    assert_eq!(call!(sys::cuInit(0)), Ok(()));
}

fn current() -> sys::CUcontext {
    let mut context = null_mut();
    assert_eq!(call!(sys::cuCtxGetCurrent(&raw mut context)), Ok(()));
    context
}

fn id(context: sys::CUcontext) -> Result<u64, u32> {
    let mut id = 0;
    call!(sys::cuCtxGetId(context, &raw mut id)).map(|()| id)
}

fn retain(device: i32) -> sys::CUcontext {
    let mut context = null_mut();
    let retained = call!(sys::cuDevicePrimaryCtxRetain(&raw mut context, device));
    assert_eq!(retained, Ok(()));
    context
}

/// The flags of a primary context, and whether it is active.
fn state(device: i32) -> (u32, bool) {
    let (mut flags, mut active) = (0, 0);
    let state = call!(sys::cuDevicePrimaryCtxGetState(device, &raw mut flags, &raw mut active));
    assert_eq!(state, Ok(()));
    (flags, active != 0)
}

fn active(device: i32) -> bool {
    state(device).1
}

fn create(device: i32) -> sys::CUcontext {
    let mut context = null_mut();
    let created = call!(sys::cuCtxCreate_v4(&raw mut context, null_mut(), 0, device));
    assert_eq!(created, Ok(()));
    context
}

#[test]
fn flags_of_a_primary_context_are_kept() {
    within(&Settings::new().devices(2), |_| {
        init();
        let blocking = 4;
        assert_eq!(call!(sys::cuDevicePrimaryCtxSetFlags_v2(1, blocking)), Ok(()));
        assert_eq!([state(0), state(1)], [(0, false), (blocking, false)]);
        let context = retain(1);
        assert_eq!(call!(sys::cuCtxSetCurrent(context)), Ok(()));
        let mut flags = 0;
        assert_eq!(call!(sys::cuCtxGetFlags(&raw mut flags)), Ok(()));
        assert_eq!((state(1), flags), ((blocking, true), blocking));
    });
}

#[test]
fn a_primary_context_keeps_its_handle_and_changes_its_id() {
    within(&Settings::new().devices(2), |_| {
        init();
        assert!(!active(0));
        let (first, second) = (retain(0), retain(1));
        assert_ne!(first, second);
        assert_eq!(retain(0), first);
        assert!(active(0) && active(1));
        let before = id(first).expect("it is alive");
        assert_eq!(call!(sys::cuCtxSetCurrent(first)), Ok(()));
        assert_eq!(call!(sys::cuDevicePrimaryCtxReset_v2(0)), Ok(()));
        assert!(!active(0) && active(1));
        // It stays current and is destroyed. Its handle may still be passed.
        assert_eq!(current(), first);
        assert_eq!([id(null_mut()), id(first)], [Err(709); 2]);
        let mut device = 1;
        assert_eq!(call!(sys::cuCtxGetDevice(&raw mut device)), Ok(()));
        assert_eq!(device, 0);
        assert_eq!(call!(sys::cuCtxSetCurrent(first)), Ok(()));
        assert_eq!(retain(0), first);
        assert!(active(0));
        assert_ne!(id(first).expect("it is alive"), before);
        assert_eq!(call!(sys::cuCtxGetDevice(&raw mut device)), Ok(()));
    });
}

#[test]
fn contexts_are_pushed_and_popped() {
    within(&Settings::new(), |_| {
        init();
        assert_eq!(current(), null_mut());
        let mut popped = null_mut();
        assert_eq!(call!(sys::cuCtxPopCurrent_v2(&raw mut popped)), Err(201));
        let (a, b) = (create(0), create(0));
        assert_eq!(current(), b);
        assert_eq!(call!(sys::cuCtxPopCurrent_v2(&raw mut popped)), Ok(()));
        assert_eq!((popped, current()), (b, a));
        assert_eq!(call!(sys::cuCtxPushCurrent_v2(b)), Ok(()));
        // A context that is destroyed at the top of the stack is removed from it.
        assert_eq!(call!(sys::cuCtxDestroy_v2(b)), Ok(()));
        assert_eq!(current(), a);
        assert_eq!([id(b), call!(sys::cuCtxDestroy_v2(b)).map(|()| 0)], [Err(709); 2]);
        // A destroyed context below the top stays on the stack, and may be made current again while it is there.
        let c = create(0);
        assert_eq!(call!(sys::cuCtxDestroy_v2(a)), Ok(()));
        assert_eq!(current(), c);
        assert_eq!(call!(sys::cuCtxSetCurrent(a)), Ok(()));
        assert_eq!(call!(sys::cuCtxPopCurrent_v2(&raw mut popped)), Ok(()));
        assert_eq!((popped, current()), (a, a));
        let (mut device, mut address) = (1, 0);
        assert_eq!(call!(sys::cuCtxGetDevice(&raw mut device)), Ok(()));
        assert_eq!(device, 0);
        assert_eq!(call!(sys::cuMemAlloc_v2(&raw mut address, 16)), Err(709));
    });
}

/// Driver 580 uses freed memory here; this driver ends the process.
#[test]
#[should_panic(expected = "driver 580 uses freed memory")]
fn a_destroyed_context_that_is_on_no_stack_is_not_made_current() {
    within(&Settings::new(), |_| {
        init();
        let a = create(0);
        assert_eq!(call!(sys::cuCtxDestroy_v2(a)), Ok(()));
        let _ = call!(sys::cuCtxPushCurrent_v2(a));
    });
}

#[test]
fn peers_are_enabled_once_and_in_one_direction() {
    within(&Settings::new().devices(2), |_| {
        init();
        let (first, second) = (retain(0), retain(1));
        let can = |device, peer| {
            let mut can = 0;
            let asked = call!(sys::cuDeviceCanAccessPeer(&raw mut can, device, peer));
            asked.map(|()| can)
        };
        assert_eq!([can(0, 1), can(1, 0), can(0, 0)], [Ok(1), Ok(1), Ok(0)]);
        assert_eq!(can(0, 2), Err(101));
        assert_eq!(call!(sys::cuCtxEnablePeerAccess(second, 0)), Err(201));
        assert_eq!(call!(sys::cuCtxSetCurrent(first)), Ok(()));
        assert_eq!(call!(sys::cuCtxEnablePeerAccess(first, 0)), Err(201));
        assert_eq!(call!(sys::cuCtxEnablePeerAccess(second, 1)), Err(1));
        assert_eq!(call!(sys::cuCtxEnablePeerAccess(second, 0)), Ok(()));
        assert_eq!(call!(sys::cuCtxEnablePeerAccess(second, 0)), Err(704));
        assert_eq!(call!(sys::cuCtxDisablePeerAccess(second)), Ok(()));
        assert_eq!(call!(sys::cuCtxDisablePeerAccess(second)), Err(705));
        // Two contexts of one device.
        let own = create(0);
        assert_eq!(call!(sys::cuCtxEnablePeerAccess(first, 0)), Err(217));
        assert_eq!(call!(sys::cuCtxDestroy_v2(own)), Ok(()));
    });
}

#[test]
fn a_green_context_is_a_part_of_the_multiprocessors() {
    within(&Settings::new(), |driver| {
        init();
        let primary = retain(0);
        // SAFETY: a C struct of numbers, for which all-zero bytes are valid.
        let mut resources: [sys::CUdevResource; 4] = unsafe { std::mem::zeroed() };
        let [all, part, rest, _] = &mut resources;
        let sm = sys::CUdevResourceType::CU_DEV_RESOURCE_TYPE_SM;
        assert_eq!(call!(sys::cuDeviceGetDevResource(0, all, sm)), Ok(()));
        let mut groups = 1;
        let split = call!(sys::cuDevSmResourceSplitByCount(part, &raw mut groups, all, rest, 0, 9));
        assert_eq!((split, groups), (Ok(()), 1));
        let count = |resource: &sys::CUdevResource| {
            // SAFETY: the resource has the type of multiprocessors.
            unsafe { resource.__bindgen_anon_1.sm.smCount }
        };
        assert_eq!([count(all), count(part), count(rest)], [132, 16, 116]);
        let (mut description, mut green, mut stream) = (null_mut(), null_mut(), null_mut());
        let described = call!(sys::cuDevResourceGenerateDesc(&raw mut description, part, 1));
        assert_eq!(described, Ok(()));
        let create = |green: *mut _, flags| call!(sys::cuGreenCtxCreate(green, description, 0, flags));
        assert_eq!(create(&raw mut green, 0), Err(1), "the flag is required");
        assert_eq!(create(&raw mut green, 1), Ok(()));
        assert_eq!(driver.live().green_contexts, 1);
        let made = call!(sys::cuGreenCtxStreamCreate(&raw mut stream, green, 1, 0));
        assert_eq!(made, Ok(()));
        // Its stream is a stream of the primary context, which the green context retains.
        assert_eq!(call!(sys::cuCtxSetCurrent(primary)), Ok(()));
        let mut context = null_mut();
        let asked = call!(sys::cuStreamGetCtx(stream, &raw mut context));
        assert_eq!((asked, context), (Ok(()), primary));
        assert_eq!(call!(sys::cuDevicePrimaryCtxRelease_v2(0)), Ok(()));
        assert!(active(0));
        assert_eq!(call!(sys::cuGreenCtxDestroy(green)), Ok(()));
        assert!(!active(0));
        assert_eq!(call!(sys::cuGreenCtxDestroy(green)), Err(201));
    });
}
