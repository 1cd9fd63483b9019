//! Memory of the second GPU, which a kernel accesses directly.

use crate::several_gpus::world::{Outcome, SAXPY, Saxpy, all_are, both, filled, grid, launched, n};
use cudarc::driver::{CudaSlice, CudaView, CudaViewMut};
use kernel_args::{
    ArgList, Error, Kernel, KernelArgs, Module,
    context::{ContextFlags, ContextName, Peer, PeerAccess, create_context, current_context},
    error::ContextError,
    launch,
};
use kernel_args_stand_in::{Control, Session, Settings, is_active};
use kernel_args_tests::driver::trial_unless;
use libtest_mimic::{Completion, Trial};
use std::{env, process::ExitCode};

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
struct Read<'a> {
    n: u32,
    alpha: f32,
    x: Peer<'a, &'a CudaSlice<f32>>,
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
struct Write<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: Peer<'a, &'a mut CudaSlice<f32>>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
struct Views<'a> {
    n: u32,
    alpha: f32,
    x: Option<Peer<'a, CudaView<'a, f32>>>,
    y: Peer<'a, CudaViewMut<'a, f32>>,
}

/// Work on both GPUs that only the events of the slices order: each value is the previous value plus one.
fn memory_of_the_other_gpu_is_ordered() -> Outcome {
    let contexts = both()?;
    for (here, there) in [(0, 1), (1, 0)] {
        let (ctx, other) = (&contexts[here], &contexts[there]);
        let peers = PeerAccess::enable(ctx, other)?;
        // Enabling it twice is not an error.
        PeerAccess::enable(ctx, other)?;
        let (ours, theirs) = (ctx.new_stream()?, other.new_stream()?);
        let (read, write) = (Kernel::<Read>::load(ctx)?, Kernel::<Write>::load(ctx)?);
        let local = Kernel::<Saxpy>::load(other)?;
        let (near_one, far_one) = (filled(&ours, 1.0)?, filled(&theirs, 1.0)?);
        let (mut sum, mut far) = (filled(&ours, 0.0)?, filled(&theirs, 0.0)?);
        let (n, alpha, rounds) = (n(), 1.0, 20_u16);
        for _ in 0..rounds {
            // far += 1 on the second GPU, then on this GPU, then sum += far on this GPU.
            let args = Saxpy { n, alpha, x: &far_one, y: &mut far };
            // SAFETY: all slices have `N` elements, here and below.
            unsafe { launch!(local, grid(), 256, args, stream = &theirs)? };
            let args = Write { n, alpha, x: &near_one, y: peers.memory(&mut far) };
            // SAFETY: as above.
            unsafe { launch!(write, grid(), 256, args, stream = &ours)? };
            let args = Read { n, alpha, x: peers.memory(&far), y: &mut sum };
            // SAFETY: as above.
            unsafe { launch!(read, grid(), 256, args)? };
            (0..3).for_each(|_| launched());
        }
        all_are(&theirs, &far, f32::from(2 * rounds))?;
        // 2 + 4 + … + 40
        all_are(&ours, &sum, f32::from(rounds * (rounds + 1)))?;
        // Freed while a kernel of the second GPU may still read it: the free waits.
        let args = Read { n, alpha, x: peers.memory(&far), y: &mut sum };
        // SAFETY: as above.
        unsafe { launch!(read, grid(), 256, args, stream = &ours)? };
        drop(far);
        let _other = filled(&theirs, 1000.0)?;
        all_are(&ours, &sum, f32::from(rounds * (rounds + 3)))?;
        ctx.check_err()?;
        other.check_err()?;
    }
    Ok(())
}

/// The driver calls for peer access, counted by the test driver.
fn waits_and_records_are_exactly_those_needed() -> Outcome {
    let Some(driver) = Control::attach() else {
        return Ok(());
    };
    let [ctx, other] = both()?;
    let peers = PeerAccess::enable(&ctx, &other)?;
    let (ours, theirs) = (ctx.new_stream()?, other.new_stream()?);
    let (x, mut y) = (filled(&theirs, 1.0)?, filled(&ours, 0.0)?);
    let read = Kernel::<Read>::load(&ctx)?;
    for _ in 0..2 {
        let (n, alpha) = (n(), 1.0);
        let args = Read { n, alpha, x: peers.memory(&x), y: &mut y };
        driver.reset_calls();
        // SAFETY: both slices have `n` elements.
        unsafe { launch!(read, grid(), 256, args, stream = &ours)? };
        // For the write of `x`, and for the read and the write of `y`; on the second GPU for the launch.
        assert_eq!(driver.calls("cuStreamWaitEvent"), 3 + 1);
        // The use of `y`; the launch, and after it, on the second GPU, the use of `x`.
        assert_eq!(driver.calls("cuEventRecord"), 1 + 2);
        assert_eq!(driver.calls("cuEventCreate"), 1);
        assert_eq!(driver.calls("cuEventDestroy_v2"), 1);
        assert_eq!(current_context()?, Some(ContextName::of(&ctx)));
    }
    Ok(())
}

/// Views, an `Option`, a list, and memory of the kernel's own GPU with the same type.
fn views_lists_and_own_memory() -> Outcome {
    let [ctx, other] = both()?;
    let peers = PeerAccess::enable(&ctx, &other)?;
    let (ours, theirs) = (ctx.new_stream()?, other.new_stream()?);
    let module = Module::load(&ctx, SAXPY)?;
    let kernel = module.kernel::<Views>("saxpy")?;
    let (x, mut y) = (filled(&theirs, 1.0)?, filled(&theirs, 0.0)?);
    let half = n() / 2;
    let args = Views {
        n: half,
        alpha: 1.0,
        x: Some(peers.memory(x.slice(half as usize..))),
        y: peers.memory(y.slice_mut(..half as usize)),
    };
    // SAFETY: both views have `half` elements.
    unsafe { launch!(kernel, grid(), 256, args, stream = &ours)? };
    let mut list = ArgList::new();
    let view = y.slice_mut(half as usize..);
    list.push(half).push(1.0_f32).push(peers.memory(&x)).push(peers.memory(view));
    let function = module.function("saxpy")?;
    // SAFETY: as above.
    unsafe { launch!(function, grid(), 256, list, stream = &ours)? };
    all_are(&theirs, &y, 1.0)?;

    let mut own = filled(&ours, 0.0)?;
    let args = Write { n: n(), alpha: 1.0, x: &filled(&ours, 1.0)?, y: peers.memory(&mut own) };
    let write = Kernel::<Write>::load(&ctx)?;
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(write, grid(), 256, args, stream = &ours)? };
    all_are(&ours, &own, 1.0)?;
    // Both are the same context: nothing is enabled.
    let own_access = PeerAccess::enable(&ctx, &ctx)?;
    let args = Write { n: n(), alpha: 1.0, x: &filled(&ours, 1.0)?, y: own_access.memory(&mut own) };
    // SAFETY: as above.
    unsafe { launch!(write, grid(), 256, args, stream = &ours)? };
    all_are(&ours, &own, 2.0)
}

/// Access in one direction does not include the opposite direction or a third context.
fn what_was_not_enabled_is_refused() -> Outcome {
    let [ctx, other] = both()?;
    let peers = PeerAccess::enable(&ctx, &other)?;
    let (here, there) = (ctx.default_stream(), other.default_stream());
    let third = create_context(0, ContextFlags::new())?;
    let mut y = filled(&here, 0.0)?;
    let x = filled(&third.default_stream(), 1.0)?;
    let read = Kernel::<Read>::load(&ctx)?;
    let args = Read { n: n(), alpha: 1.0, x: peers.memory(&x), y: &mut y };
    // SAFETY: nothing is launched, here and below.
    let error = unsafe { launch!(read, grid(), 256, args) }.expect_err("of a third context");
    let text = error.to_string();
    assert!(
        matches!(&error, Error::Context(ContextError::OtherContextArgument { field: Some(field), .. }) if field == "x"),
        "{text}"
    );
    // The kernel of the second GPU.
    let back = Kernel::<Write>::load(&other)?;
    let args = Write { n: n(), alpha: 1.0, x: &filled(&there, 1.0)?, y: peers.memory(&mut y) };
    // SAFETY: as above.
    let error = unsafe { launch!(back, grid(), 256, args) }.expect_err("not in that direction");
    assert!(
        matches!(&error, Error::Context(ContextError::OtherContextArgument { field: Some(field), .. }) if field == "y"),
        "{error}"
    );
    all_are(&here, &y, 0.0)?;

    // Two contexts of one GPU have no access to each other.
    let error = PeerAccess::enable(&ctx, &third).expect_err("of one GPU");
    refusal(&error)
}

fn refusal(error: &Error) -> Outcome {
    let text = error.to_string();
    let Error::Context(ContextError::NoPeerAccess { contexts, .. }) = error else {
        return Err(text.into());
    };
    for name in [contexts.expected, contexts.found] {
        assert!(text.contains(&name.to_string()), "{text}");
    }
    assert!(text.contains("help: copy the memory"), "{text}");
    Ok(())
}

const VARIABLE: &str = "KERNEL_ARGS_WITHOUT_PEERS";

/// Two GPUs that cannot access each other's memory: a setting of the test driver.
fn gpus_without_access() -> Result<Completion, String> {
    if !is_active() {
        return Ok(Completion::ignored_with("only the test driver can simulate this"));
    }
    let text = |error: std::io::Error| error.to_string();
    let settings = Settings::new().devices(2).without_peers();
    let session = Session::start(&settings).map_err(|error| error.to_string())?;
    let output = session.command(env::current_exe().map_err(text)?).env(VARIABLE, "1").output().map_err(text)?;
    if output.status.success() {
        return Ok(Completion::Completed);
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The part of the process without peer access: `None` in the suite itself.
pub(crate) fn child() -> Option<ExitCode> {
    env::var_os(VARIABLE)?;
    let refused = || -> Outcome {
        let [ctx, other] = both()?;
        assert!(!PeerAccess::is_possible(&ctx, &other)?);
        refusal(&PeerAccess::enable(&ctx, &other).expect_err("there is no access"))
    };
    Some(match refused() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

pub(crate) fn trials(why: Option<&'static str>) -> Vec<Trial> {
    let why = why.or_else(|| {
        let possible = both().and_then(|[ctx, other]| {
            Ok(PeerAccess::is_possible(&ctx, &other)? && PeerAccess::is_possible(&other, &ctx)?)
        });
        (!possible.unwrap_or(false)).then_some("the two GPUs cannot access each other's memory")
    });
    vec![
        trial_unless(why, "peers/memory_of_the_other_gpu_is_ordered", memory_of_the_other_gpu_is_ordered),
        trial_unless(
            why.or((!is_active()).then_some("only the test driver counts calls")),
            "peers/waits_and_records_are_exactly_those_needed",
            waits_and_records_are_exactly_those_needed,
        ),
        trial_unless(why, "peers/views_lists_and_own_memory", views_lists_and_own_memory),
        trial_unless(why, "peers/what_was_not_enabled_is_refused", what_was_not_enabled_is_refused),
        Trial::ignorable_test("peers/gpus_without_access", || Ok(gpus_without_access()?)),
    ]
}
