//! The example succeeds with and without a GPU, and prints which case applies.

use heat::{Diffuse, Plate};
use kernel_args::{Module, launch};
use kernel_args_test_driver::{Settings, within};
use std::process::Command;

kernel_args::include_kernels!();

#[test]
fn it_launches_or_reports_that_it_cannot() {
    let output = Command::new(env!("CARGO_BIN_EXE_build-script")).output().expect("cargo has built it");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("the largest difference from the host"), "{text}");
}

#[test]
fn contracts_of_the_build_script_are_checked_at_launches() {
    within(&Settings::new(), |driver| {
        let ctx = kernel_args::context(0).expect("the test driver");
        let diffuse = Module::load(&ctx, heat::IMAGE).and_then(|module| module.kernel::<Diffuse>("diffuse"));
        let (diffuse, stream) = (diffuse.expect("the image has it"), ctx.default_stream());
        let from = stream.alloc_zeros::<f32>(1024).expect("memory");
        let launch = |points, columns| {
            let mut to = stream.alloc_zeros::<f32>(points).expect("memory");
            let args = Diffuse { plate: Plate { width: 32, height: 32 }, rate: 0.1, from: &from, to: &mut to };
            // SAFETY: the contracts check the lengths of both slices.
            unsafe { launch!(diffuse, (columns, 2), (16, 16), args, stream = &stream) }
                .map_err(|error| error.to_string())
        };
        assert_eq!(launch(1024, 2), Ok(()));
        let too_short = launch(1023, 2).expect_err("`to` is too short");
        assert!(
            too_short.contains("has 1023 elements, but `len = \"plate.width * plate.height\"` requires 1024"),
            "{too_short}"
        );
        let too_few = launch(1024, 1).expect_err("half of the plate");
        assert!(too_few.contains("plate.width"), "{too_few}");
        assert_eq!(driver.launches(), 1);
    });
}
