//! Attributes that are rejected before the driver is called.

use crate::attributes::kernels::{ATTRIBUTES, Barrier, Busy, Outcome, Ranks, SM90, before_sm90, kernel, zeros};
use cudarc::driver::{CudaContext, sys::CUevent_flags};
use kernel_args::{
    Error, KernelArgs, Launch,
    args::Launchable,
    attribute::{
        AccessPolicyWindow, AccessProperty, DeviceNode, MemorySyncDomain, MemorySyncDomainMap, PortableClusterMode,
        SharedMemoryMode,
    },
    error::LaunchError,
    launch,
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, context, device, trial, trial_unless};
use libtest_mimic::Trial;

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let real = driver.is_real().then_some("the version of a real driver cannot be changed");
    vec![
        trial("refused/values_beyond_their_range", values),
        trial("refused/events", events),
        trial("refused/a_raw_function", raw_function),
        trial("refused/an_error_of_the_driver_names_the_attributes", explained),
        trial_unless(real, "refused/attributes_that_the_driver_lacks", old_driver),
        trial_unless(real, "refused/modes_of_newer_drivers", modes),
        trial_unless(real, "refused/attributes_that_the_gpu_lacks", old_gpu),
    ]
}

/// The error of a launch that does not reach the driver.
fn refused<A: KernelArgs>(target: &impl Launchable<A>, launch: Launch<'_>, args: A) -> Error {
    let launches = || Control::attach().map(|driver| driver.calls("cuLaunchKernelEx"));
    let before = launches();
    // SAFETY: the launch is rejected.
    let error = unsafe { kernel_args::launch(target, launch, args) }.expect_err("it is refused");
    assert_eq!(launches(), before, "the driver was called: {error}");
    assert!(error.to_string().contains("\nhelp: "), "{error}");
    error
}

#[track_caller]
fn contains_words(error: &Error, words: &[&str]) {
    let text = error.to_string();
    for words in words {
        assert!(text.contains(words), "`{words}` is not in\n{text}");
    }
}

#[track_caller]
pub(crate) fn limit<A: KernelArgs>(target: &impl Launchable<A>, launch: Launch<'_>, args: A, words: &[&str]) {
    let error = refused(target, launch, args);
    assert!(matches!(error, Error::Launch(LaunchError::Limit(_))), "{error:?}");
    contains_words(&error, words);
}

fn values() -> Outcome {
    let busy = kernel::<Busy<'_>>(ATTRIBUTES, "busy")?;
    let (_stream, mut times) = zeros::<u64>(2)?;
    let window = AccessPolicyWindow::new(0x1000, 4096);
    let node = DeviceNode::new();
    let one = Launch::new(1, 1);
    for (launch, words) in [
        (one.priority(1), "priority 1"),
        (one.priority(i32::MIN), "the highest, to 0"),
        (one.memory_sync_domain_map(MemorySyncDomainMap { default: 0, remote: 200 }), "domains, numbered from 0"),
        (one.access_policy_window(window.hit_ratio(1.5)), "from 0 to 1"),
        (one.access_policy_window(window.hit_ratio(f32::NAN)), "from 0 to 1"),
        (one.access_policy_window(window.miss(AccessProperty::Persisting)), "`Normal` and `Streaming`"),
        (one.access_policy_window(AccessPolicyWindow::new(0x1000, usize::MAX)), "this GPU allows at most"),
        (one.preferred_shared_memory_carveout(101), "at most 100 %"),
        (one.device_updatable_node(&node), "a stream that is not capturing"),
    ] {
        let args = Busy { times: &mut times, nanoseconds: 0 };
        limit(&busy, launch, args, &["kernel `busy` was not launched", words]);
    }
    assert_eq!(node.handle(), None);
    Ok(())
}

/// An event of a different context.
fn events() -> Outcome {
    let busy = kernel::<Busy<'_>>(ATTRIBUTES, "busy")?;
    let (_stream, mut times) = zeros::<u64>(2)?;
    let other = CudaContext::new_non_primary(device(), 0)?;
    let event = other.new_event(None)?;
    let args = Busy { times: &mut times, nanoseconds: 0 };
    limit(
        &busy,
        Launch::new(1, 1).launch_completion_event(&event),
        args,
        &["a `launch_completion_event` of another context"],
    );
    Ok(())
}

/// A function without a `Kernel` is queried for the data that the checks need.
fn raw_function() -> Outcome {
    let ctx = context()?;
    let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(ATTRIBUTES))?;
    let function = module.load_function("grid_barrier")?;
    let (stream, mut arrived) = zeros::<u32>(1)?;
    let mut seen = stream.alloc_zeros::<u32>(1)?;
    let raw = function.cu_function();
    let launch = Launch::new(1 << 20, 256).stream(&stream).cooperative(true);
    for is_raw in [false, true] {
        let args = Barrier { arrived: &mut arrived, seen: &mut seen };
        let words = ["kernel `grid_barrier`", "a cooperative grid of 1048576 blocks"];
        if is_raw {
            limit(&raw, launch, args, &words);
        } else {
            limit(&function, launch, args, &words);
        }
    }
    let args = Barrier { arrived: &mut arrived, seen: &mut seen };
    // SAFETY: there is one block, and one element.
    unsafe { launch!(function, 1, 32, args, stream = &stream, cooperative = true)? };
    assert_eq!(stream.clone_dtoh(&seen)?, [1]);
    if before_sm90().is_none() {
        let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(SM90))?;
        let function = module.load_function("cluster_of_two")?;
        let (_stream, mut ranks) = zeros::<u32>(128)?;
        let args = Ranks { ranks: &mut ranks };
        limit(&function, Launch::new(8, 32).cluster(4), args, &["clusters of exactly (2, 1, 1)"]);
    }
    Ok(())
}

/// An event that records times is rejected by the driver.
fn explained() -> Outcome {
    let busy = kernel::<Busy<'_>>(ATTRIBUTES, "busy")?;
    let (stream, mut times) = zeros::<u64>(2)?;
    let timing = context()?.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
    let args = Busy { times: &mut times, nanoseconds: 0 };
    // SAFETY: there is space for two times.
    let launched =
        unsafe { launch!(busy, 1, 1, args, stream = &stream, cooperative = true, launch_completion_event = &timing) };
    let Err(error @ Error::Launch(LaunchError::Failed(_))) = launched else {
        return Err(format!("{launched:?}").into());
    };
    contains_words(
        &error,
        &[
            "launching kernel `busy`",
            "an event must not record times",
            "attributes: cooperative = true (CUDA 11.8, sm_60); launch_completion_event = an event (CUDA 12.3)",
        ],
    );
    Ok(())
}

fn old_driver() -> Outcome {
    let driver = Control::attach().ok_or("the test driver")?;
    let kernel = kernel::<Ranks<'_>>(SM90, "cluster_ranks")?;
    let (_stream, mut ranks) = zeros::<u32>(32)?;
    let grid = Launch::new(8, 32);
    for (version, launch, name, needs) in [
        (13030, grid.shared_memory_mode(SharedMemoryMode::AllowOversized), "shared_memory_mode", "CUDA 13.4"),
        (13010, grid.shared_memory_mode(SharedMemoryMode::RequirePortable), "shared_memory_mode", "CUDA 13.2"),
        (
            13010,
            grid.portable_cluster_size_mode(PortableClusterMode::Default),
            "portable_cluster_size_mode",
            "CUDA 13.2",
        ),
        (12090, grid.nvlink_util_centric_scheduling(true), "nvlink_util_centric_scheduling", "CUDA 13.0"),
        (12070, grid.cluster(2).preferred_cluster(4), "preferred_cluster", "CUDA 12.8"),
        (12040, grid.preferred_shared_memory_carveout(0), "preferred_shared_memory_carveout", "CUDA 12.5"),
        (11080, grid.memory_sync_domain(MemorySyncDomain::Remote), "memory_sync_domain", "CUDA 12.0"),
        (11070, grid.priority(0), "priority", "CUDA 11.8"),
    ] {
        driver.set_version(version);
        let error = refused(&kernel, launch, Ranks { ranks: &mut ranks });
        driver.set_version(13040);
        assert!(matches!(error, Error::Launch(LaunchError::UnsupportedAttribute(_))), "{error:?}");
        let have = format!("this driver is of CUDA {}.{}", version / 1000, version % 1000 / 10);
        contains_words(&error, &[&format!("`{name}` needs a driver of {needs} or newer"), &have]);
        // A driver that has the attribute accepts it.
        let args = Ranks { ranks: &mut ranks };
        // SAFETY: there is space for two numbers of each block.
        unsafe { kernel_args::launch(&kernel, launch, args)? };
        driver.set_version(13000);
    }
    Ok(())
}

/// The modes of CUDA 13.2 limit launches, or allow more than this crate allows without them.
fn modes() -> Outcome {
    let driver = Control::attach().ok_or("the test driver")?;
    let kernel = kernel::<Ranks<'_>>(SM90, "cluster_ranks")?;
    let (_stream, mut ranks) = zeros::<u32>(64)?;
    driver.set_version(13040);
    let (grid, kib) = (Launch::new(32, 32), 1024);
    let portable = grid.shared_memory_mode(SharedMemoryMode::RequirePortable);
    for (launch, words) in [
        (
            grid.cluster(16).portable_cluster_size_mode(PortableClusterMode::RequirePortable),
            "cluster (16, 1, 1) of 16 blocks with `portable_cluster_size_mode = RequirePortable`, but every GPU with clusters supports 8",
        ),
        (
            portable.shared(49 * kib),
            "50176 bytes of dynamic shared memory with `shared_memory_mode = RequirePortable`, but every GPU supports 49152 bytes",
        ),
        (grid.shared(300 * kib), "this device allows at most"),
        (grid.shared(300 * kib).shared_memory_mode(SharedMemoryMode::AllowNonPortable), "this device allows at most"),
    ] {
        let args = Ranks { ranks: &mut ranks };
        limit(&kernel, launch, args, &[words]);
    }
    for launch in [
        grid.cluster(8).portable_cluster_size_mode(PortableClusterMode::RequirePortable),
        grid.cluster(16).portable_cluster_size_mode(PortableClusterMode::AllowNonPortable),
        portable.shared(48 * kib),
        grid.shared(100 * kib).shared_memory_mode(SharedMemoryMode::AllowNonPortable),
    ] {
        let args = Ranks { ranks: &mut ranks };
        // SAFETY: there is space for two numbers of each block.
        unsafe { kernel_args::launch(&kernel, launch, args)? };
    }
    // The driver decides about an oversized configuration.
    let before = driver.calls("cuLaunchKernelEx");
    let oversized = grid.shared(300 * kib).shared_memory_mode(SharedMemoryMode::AllowOversized);
    let args = Ranks { ranks: &mut ranks };
    // SAFETY: there is space for two numbers of each block.
    let launched = unsafe { kernel_args::launch(&kernel, oversized, args) };
    driver.set_version(13000);
    assert!(matches!(launched, Err(Error::Launch(LaunchError::Failed(_)))), "{launched:?}");
    assert_eq!(driver.calls("cuLaunchKernelEx"), before + 1);
    Ok(())
}

fn old_gpu() -> Outcome {
    let driver = Control::attach().ok_or("the test driver")?;
    let (_stream, mut times) = zeros::<u64>(2)?;
    let one = Launch::new(1, 1);
    for (sm, launch, name, needs) in [
        (80, one.cluster(1), "cluster", "sm_90"),
        (89, one.programmatic_stream_serialization(true), "programmatic_stream_serialization", "sm_90"),
        (75, one.access_policy_window(AccessPolicyWindow::new(0, 1)), "access_policy_window", "sm_80"),
    ] {
        assert!(driver.set_sm(sm));
        let busy = kernel::<Busy<'_>>(ATTRIBUTES, "busy");
        let args = Busy { times: &mut times, nanoseconds: 0 };
        let error = refused(&busy?, launch, args);
        assert!(driver.set_sm(90));
        assert!(matches!(error, Error::Launch(LaunchError::UnsupportedAttribute(_))), "{error:?}");
        contains_words(&error, &[&format!("`{name}` needs {needs} or newer"), &format!("this GPU is sm_{sm}")]);
    }
    Ok(())
}
