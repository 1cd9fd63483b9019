//! If the driver rejects a launch, the error contains kernel, geometry, arguments, and the usual cause of the code.

use crate::launch::results::{Outcome, Saxpy};
use cudarc::driver::sys::CUresult;
use kernel_args::{Error, Kernel, KernelArgs, error::LaunchError, launch};
use kernel_args_tests::driver::{Driver, context, trial, trial_unless};
use libtest_mimic::Trial;

/// For a raw handle no limit is known in advance: the driver rejects the launch, and the error explains it.
fn a_refused_launch_explains_itself() -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let raw = Kernel::<Saxpy>::load(&ctx)?;
    let handle = raw.cu_function();
    let x = stream.clone_htod(&[1.0_f32; 4])?;
    let mut y = stream.alloc_zeros::<f32>(4)?;
    let args = Saxpy { n: 4, alpha: 2.5, x: &x, y: &mut y };
    // SAFETY: a block of 4096 threads is rejected.
    let error = match unsafe { launch!(handle, 1, 4096, args, stream = &stream) } {
        Err(Error::Launch(LaunchError::Failed(error))) => error,
        other => return Err(format!("{other:?}").into()),
    };
    assert_eq!(error.status, CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!((error.grid.x, error.block.x), (1, 4096));
    let text = error.to_string();
    for words in ["saxpy", "CUDA_ERROR_INVALID_VALUE", "(4096, 1, 1)", "alpha", "2.5", "n ", "a block of at most"] {
        assert!(text.contains(words), "`{words}` is not in\n{text}");
    }
    Ok(())
}

/// 701: a kernel that needs more registers than a block of 1024 threads can have.
fn too_many_resources_are_explained() -> Outcome {
    use cudarc::driver::DevicePtrMut;

    #[derive(KernelArgs)]
    struct Hungry {
        out: kernel_args::DevicePointerMut<f32>,
    }
    let ctx = context()?;
    let stream = ctx.default_stream();
    let kernel: Kernel<Hungry> = Kernel::from_image(&ctx, include_str!("../../../../ptx/hungry.ptx"), "hungry")?;
    let handle = kernel.cu_function();
    let mut out = stream.alloc_zeros::<f32>(1024)?;
    let address = {
        let (address, _guard) = out.device_ptr_mut(&stream);
        kernel_args::DevicePointerMut::from_raw(address)
    };
    // The verified handle knows the limit in advance.
    // SAFETY: the launch is rejected.
    let limit = unsafe { launch!(kernel, 1, 1024, Hungry { out: address }) };
    assert!(matches!(limit, Err(Error::Launch(LaunchError::Limit(_)))), "{limit:?}");
    let args = Hungry { out: address };
    // SAFETY: the launch is rejected.
    let error = match unsafe { launch!(handle, 1, 1024, args, stream = &stream) } {
        Err(Error::Launch(LaunchError::Failed(error))) => error,
        other => return Err(format!("{other:?}").into()),
    };
    assert_eq!(error.status, CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    assert!(error.to_string().contains("registers"), "{error}");
    Ok(())
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    vec![
        trial("a_refused_launch_explains_itself", a_refused_launch_explains_itself),
        trial_unless(
            (!driver.is_real()).then_some("the test driver assigns no registers"),
            "too_many_resources_are_explained",
            too_many_resources_are_explained,
        ),
    ]
}
