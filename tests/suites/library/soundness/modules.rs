//! Modules are unloaded in every state of their context. On the test driver, in separate processes.

use cudarc::driver::{DriverError, sys::CUresult};
use kernel_args::Module;
use kernel_args_stand_in::{Settings, within};

/// cudarc returns a pending error instead of making a context current, and the driver cannot unload a module without a
/// context.
#[test]
fn a_module_is_unloaded_while_its_context_has_a_pending_error() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("the test driver has a device");
        let module = Module::load(&ctx, include_str!("../../../../ptx/saxpy.ptx")).expect("it loads");
        assert_eq!(driver.live_modules(), 1);
        ctx.record_err::<()>(Err(DriverError(CUresult::CUDA_ERROR_INVALID_VALUE)));
        std::thread::spawn(move || drop(module)).join().expect("nothing panics");
        assert_eq!(driver.live_modules(), 0);
        assert_eq!(
            ctx.check_err(),
            Err(DriverError(CUresult::CUDA_ERROR_INVALID_VALUE)),
            "the pending error is still there to be returned",
        );
    });
}
