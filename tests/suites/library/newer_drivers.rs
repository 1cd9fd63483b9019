//! Drivers that are newer than CUDA 13.0: only the test driver can be one.

use kernel_args::{
    DevicePointerMut, Error, Kernel, KernelArgs, attribute::SharedMemoryMode, context, error::VerifyError,
};
use kernel_args_stand_in::{Control, Settings, within};

const PTX: &str = include_str!("../../../ptx/saxpy.ptx");

#[derive(KernelArgs)]
struct Saxpy {
    n: u32,
    alpha: f32,
    x: DevicePointerMut<f32>,
    y: DevicePointerMut<f32>,
}

#[derive(KernelArgs)]
struct Short {
    n: u32,
    alpha: f32,
    x: DevicePointerMut<f32>,
}

/// The number of calls for the parameters of a kernel with 4, and a kernel with other parameters.
fn counts_parameters(driver: &Control, calls: u64) {
    let ctx = context(0).expect("a context");
    driver.reset_calls();
    Kernel::<Saxpy>::from_image(&ctx, PTX, "saxpy").expect("it fits");
    assert_eq!(driver.calls("cuFuncGetParamInfo"), calls);
    let error = Kernel::<Short>::from_image(&ctx, PTX, "saxpy");
    assert!(matches!(error, Err(Error::Verify(VerifyError::Mismatch(_)))), "{error:?}");
}

#[test]
fn the_end_of_the_parameters_is_a_call_that_fails() {
    within(&Settings::new().version(13010), |driver| {
        counts_parameters(driver, 5);
    });
}

/// `cuFuncGetParamCount`
#[test]
fn the_driver_counts_the_parameters() {
    within(&Settings::new().version(13020), |driver| {
        counts_parameters(driver, 4);
    });
}

#[test]
fn a_kernel_has_the_attributes_that_the_driver_knows() {
    within(&Settings::new(), |driver| {
        let ctx = context(0).expect("a context");
        let kernel = Kernel::<Saxpy>::from_image(&ctx, PTX, "saxpy").expect("it fits");
        for (version, update, mode) in
            [(13020, None, None), (13030, Some(true), None), (13040, Some(true), Some(SharedMemoryMode::Default))]
        {
            driver.set_version(version);
            let found = (
                kernel.supports_device_node_update().expect("it is read"),
                kernel.shared_memory_mode().expect("it is read"),
            );
            assert_eq!(found, (update, mode), "{version}");
        }
    });
}
