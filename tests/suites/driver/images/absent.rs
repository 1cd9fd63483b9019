//! Images that no compiler has made, as the build script writes them: the program compiles, and loading is an error.

use crate::images::Outcome;
use kernel_args::{
    DevicePointer, DevicePointerMut, Error, Image, Kernel, KernelArgs, Module,
    error::{ImageError, LoadError},
    image::JitOptions,
};
use kernel_args_tests::driver::{context, trial};
use libtest_mimic::Trial;

kernel_args::kernels! {
    mod described = "ptx/shade.debug.ptx", debug_info = "ptx/shade.debug.ptx", generate, absent("src/shade.cu", "NVCC: is not set\nPATH: has no `nvcc`");
    mod unknown = "suites/driver/images/no_kernels.ptx", absent("src/saxpy.cu", "PATH: has no `nvcc`");
}

/// A struct with bindings.
#[derive(KernelArgs)]
#[kernel_args(kernel = unknown, entries = "saxpy*", T = f32 => "_f32", T = f64 => "_f64")]
struct Bound<T: kernel_args::DeviceType + 'static> {
    n: u32,
    alpha: T,
    x: DevicePointer<T>,
    y: DevicePointerMut<T>,
}

fn loading_an_absent_image_says_what_makes_it() -> Outcome {
    let ctx = context()?;
    let error = Module::load(&ctx, described::IMAGE).expect_err("it does not exist");
    assert_eq!(
        error.to_string(),
        "the image of `src/shade.cu` does not exist: the build script found no CUDA compiler\n  \
         NVCC: is not set\n  PATH: has no `nvcc`\n\
         help: install the CUDA Toolkit, or NVRTC alone (`pip install nvidia-cuda-nvrtc`), set `CUDA_HOME` to its folder, and build again"
    );
    let Error::Load(LoadError::Image(ImageError::Absent { source, tried, .. })) = error else {
        return Err(error.into());
    };
    assert_eq!(source, "src/shade.cu");
    assert_eq!(tried.lines().count(), 2);
    // All other ways to the image.
    let linked = Module::link(&ctx, [described::IMAGE.into()], &JitOptions::default());
    let without_code = Module::load(&ctx, Image::from(unknown::IMAGE).without_code());
    let loaded = Kernel::<described::Shade<'_>>::load(&ctx).map(|_| ());
    for error in [
        linked.map(|_| ()).expect_err("it does not exist"),
        without_code.map(|_| ()).expect_err("it does not exist"),
        loaded.expect_err("it does not exist"),
    ] {
        assert!(error.to_string().contains("does not exist: the build script"), "{error}");
    }
    let bytes = Module::load(&ctx, described::IMAGE.bytes()).expect_err("it has no bytes");
    assert!(bytes.to_string().contains("the image is empty"), "{bytes}");
    Ok(())
}

fn the_kernels_of_a_description_are_known() {
    assert_eq!(described::shade.parameter(0).name, "in");
    assert_eq!(described::KERNELS.len(), 2);
    assert!(unknown::KERNELS.is_empty());
    let _ = |n, x, y| Bound { n, alpha: 1.0_f32, x, y };
}

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("loading_an_absent_image_says_what_makes_it", loading_an_absent_image_says_what_makes_it),
        Trial::test("the_kernels_of_a_description_are_known", || {
            the_kernels_of_a_description_are_known();
            Ok(())
        }),
    ]
}
