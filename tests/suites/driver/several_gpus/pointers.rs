//! Checked pointers: memory of the second GPU. In a process of its own, because access stays enabled.

use crate::several_gpus::world::{self, SAXPY};
use cudarc::driver::DevicePtr;
use kernel_args::{
    DevicePointer, DevicePointerMut, Error, Kernel,
    context::PeerAccess,
    error::{LaunchError, PointerProblem},
    launch,
    observe::check_pointers,
};
use kernel_args_tests::{
    process::{Case, Outcome},
    saxpy::Pointers,
};

pub(crate) const CASES: &[(&str, Case)] = &[("memory_of_the_other_gpu", memory_of_the_other_gpu)];

fn memory_of_the_other_gpu() -> Outcome {
    check_pointers(true);
    let [ctx, other] = world::both()?;
    let (here, there) = (ctx.default_stream(), other.default_stream());
    let kernel = Kernel::<Pointers>::from_image(&ctx, SAXPY, "saxpy")?;
    let (near, far) = (here.clone_htod(&[1.0_f32; 32])?, there.clone_htod(&[1.0_f32; 32])?);
    there.synchronize()?;
    let args = Pointers {
        n: 32,
        alpha: 1.0,
        x: DevicePointer::from_raw(far.device_ptr(&there).0),
        y: DevicePointerMut::from_raw(near.device_ptr(&here).0),
    };
    // SAFETY: the launch is refused.
    match unsafe { launch!(kernel, 1, 32, args) } {
        Err(Error::Launch(LaunchError::Pointer(bad))) => {
            assert_eq!(bad.field, "x");
            let PointerProblem::OtherDevice { memory, kernel, .. } = bad.problem else { panic!("{bad}") };
            assert_eq!((memory, kernel), (1, 0));
        }
        other => panic!("{other:?}"),
    }
    if PeerAccess::is_possible(&ctx, &other)? {
        PeerAccess::enable(&ctx, &other)?;
        // SAFETY: both slices have 32 elements.
        unsafe { launch!(kernel, 1, 32, args) }?;
        here.synchronize()?;
        assert_eq!(here.clone_dtoh(&near)?, [2.0; 32]);
    }
    Ok(())
}
