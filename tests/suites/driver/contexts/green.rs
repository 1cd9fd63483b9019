//! Green contexts: kernels run on a part of the GPU.

use crate::contexts::saxpy::{Counted, Outcome, Saxpy};
use cudarc::driver::CudaSlice;
use kernel_args::{
    Error, Kernel, KernelArgs,
    context::{ContextFlags, GreenContext, create_context},
    error::ContextError,
    launch,
};
use kernel_args_tests::driver::{Driver, context, device, trial, trial_unless};
use libtest_mimic::Trial;
use std::collections::BTreeSet;

/// `out[blockIdx.x]` is the multiprocessor of the block. The block stays on it for some time.
const WHERE: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry where(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<6>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %smid;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd2, %rd2, %rd3;
    st.global.u32 [%rd2], %r2;
    mov.u64 %rd4, %clock64;
wait:
    mov.u64 %rd5, %clock64;
    sub.s64 %rd5, %rd5, %rd4;
    setp.lt.s64 %p, %rd5, 100000;
    @%p bra wait;
    ret;
}
";

#[derive(KernelArgs)]
struct Where<'a> {
    out: &'a mut CudaSlice<u32>,
}

/// Streams of both parts launch kernels of the primary context, with its memory.
fn both_parts_launch() -> Outcome {
    let ctx = context()?;
    let kernel = Kernel::<Saxpy>::load(&ctx)?;
    let (part, rest) = GreenContext::split(&ctx, 8)?;
    assert!(part.sm_count() >= 8, "{part:?}");
    let rest = rest.ok_or("a GPU has more than 8 multiprocessors")?;
    let all = ctx.attribute(cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let both = part.sm_count() + rest.sm_count();
    assert!(both <= u32::try_from(all)?, "{part:?}, {rest:?} of {all}");

    let mut counted = Counted::new(&ctx.new_stream()?)?;
    let streams = [part.new_stream()?, rest.new_stream()?, part.new_stream()?];
    // The handles are dropped first: the streams keep the green contexts alive.
    drop((part, rest));
    for stream in &streams {
        // Each launch waits for the previous launch on a different stream, because of `y`.
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(kernel, 8, 128, counted.args(), stream = stream)? };
    }
    counted.added(3)?;
    for stream in streams {
        stream.synchronize()?;
        std::thread::spawn(move || drop(stream)).join().map_err(|_| "a stream is dropped on any thread")?;
    }
    Ok(())
}

/// No block of a kernel runs outside of its part of the GPU.
fn blocks_stay_on_their_part() -> Outcome {
    let ctx = context()?;
    let kernel = Kernel::<Where>::from_image(&ctx, WHERE, "where")?;
    let (part, rest) = GreenContext::split(&ctx, 16)?;
    let rest = rest.ok_or("a GPU has more than 16 multiprocessors")?;
    let mut seen = Vec::new();
    for green in [&part, &rest] {
        let stream = green.new_stream()?;
        let mut out = ctx.default_stream().alloc_zeros::<u32>(4096)?;
        // SAFETY: `out` has an element for each block.
        let launched = unsafe { launch!(kernel, 4096, 1024, Where { out: &mut out }, stream = &stream) };
        launched?;
        let found: BTreeSet<u32> = ctx.default_stream().clone_dtoh(&out)?.into_iter().collect();
        println!("{green:?}: blocks on {} multiprocessors", found.len());
        assert!(found.len() <= green.sm_count() as usize, "{found:?}");
        seen.push(found);
    }
    assert!(seen[0].is_disjoint(&seen[1]), "{seen:?}");
    Ok(())
}

fn mistakes() -> Outcome {
    let ctx = context()?;
    for sms in [0, 1_000_000] {
        let error = GreenContext::split(&ctx, sms).expect_err("no such part");
        let text = error.to_string();
        assert!(matches!(error, Error::Context(ContextError::Green(_))), "{text}");
        assert!(text.contains(&format!("{sms} multiprocessors")) && text.contains("help: "), "{text}");
    }
    let own = create_context(device(), ContextFlags::new())?;
    let error = GreenContext::split(&own, 8).expect_err("not a primary context");
    let text = error.to_string();
    assert!(text.contains("kernel_args::context"), "{text}");
    // A kernel of a context other than the primary context.
    let (part, _) = GreenContext::split(&ctx, 8)?;
    let stream = part.new_stream()?;
    let kernel = Kernel::<Saxpy>::load(&own)?;
    let mut counted = Counted::new(&own.default_stream())?;
    // SAFETY: nothing is launched.
    let error = unsafe { launch!(kernel, 8, 128, counted.args(), stream = &stream) };
    assert!(matches!(error, Err(Error::Context(ContextError::OtherContextArgument { field: None, .. }))), "{error:?}");
    Ok(())
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let no_gpu = (!driver.is_real())
        .then_some("on the test driver the multiprocessor of a block does not depend on the context");
    vec![
        trial("green/both_parts_launch", both_parts_launch),
        trial_unless(no_gpu, "green/blocks_stay_on_their_part", blocks_stay_on_their_part),
        trial("green/mistakes", mistakes),
    ]
}
