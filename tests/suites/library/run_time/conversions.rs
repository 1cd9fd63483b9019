//! Conversions that a user of cudarc expects.

use crate::run_time::{Pointers, SAXPY, context};
use cudarc::{
    driver::{DriverError, LaunchConfig, sys::CUresult},
    nvrtc::Ptx,
};
use kernel_args::{Error, Image, Module, TensorMap, TensorMapA64, error::LoadError, launch};
use kernel_args_stand_in::{Settings, within};
use std::{
    error::Error as _,
    path::{Path, PathBuf},
    sync::Arc,
};

#[test]
fn a_launch_config_has_grid_block_and_shared_memory() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let stream = ctx.new_stream().expect("a stream");
        let kernel = Module::load(&ctx, SAXPY).expect("it loads").get::<Pointers>().expect("it fits");
        let config = LaunchConfig { grid_dim: (2, 3, 4), block_dim: (8, 4, 2), shared_mem_bytes: 100 };
        // SAFETY: in all of these the kernel accesses no memory.
        unsafe { launch!(kernel, config, Pointers::NONE) }.expect("it launches");
        let last = driver.last_launch().expect("a launch");
        assert_eq!((last.grid, last.block, last.shared), ([2, 3, 4], [8, 4, 2], 100));
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(kernel, &config, Pointers::NONE, stream = &stream, shared = 200) }.expect("it launches");
        let last = driver.last_launch().expect("a launch");
        assert_eq!((last.shared, last.stream), (200, stream.cu_stream().addr()));
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(kernel, LaunchConfig::for_num_elems(2000), Pointers::NONE,) }.expect("it launches");
        assert_eq!(driver.last_launch().expect("a launch").grid, [2, 1, 1]);
    });
}

#[test]
fn every_kind_of_image_is_loaded() {
    within(&Settings::new(), |_| {
        let ctx = context(0);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptx/saxpy.ptx");
        let images: [Image<'_>; 8] = [
            SAXPY.into(),
            SAXPY.to_owned().into(),
            SAXPY.as_bytes().into(),
            SAXPY.as_bytes().to_vec().into(),
            Arc::<[u8]>::from(SAXPY.as_bytes()).into(),
            path.as_path().into(),
            (&path).into(),
            path.clone().into(),
        ];
        for image in images {
            let actual = format!("{image:.20?}");
            let module = Module::load(&ctx, image).unwrap_or_else(|error| panic!("{actual}: {error}"));
            module.get::<Pointers>().expect("it fits");
        }
        let missing = Module::load(&ctx, PathBuf::from("none.ptx")).expect_err("it does not exist");
        assert!(missing.to_string().contains("none.ptx"), "{missing}");
        // Reading it would never end.
        #[cfg(unix)]
        {
            let endless = Module::load(&ctx, Path::new("/dev/zero")).expect_err("it is a device");
            let endless = endless.to_string();
            assert!(endless.contains("/dev/zero"), "{endless}");
            assert!(endless.contains("not a regular file"), "{endless}");
        }
    });
}

/// The suites with NVRTC test its output. This test checks the errors for a `Ptx` that cannot be read.
#[test]
fn the_error_for_an_uncompiled_ptx_contains_the_solution() {
    within(&Settings::new(), |_| {
        let ctx = context(0);
        for ptx in [Ptx::from_src(SAXPY), Ptx::from_binary(vec![1, 2, 3]), Ptx::from_file("none.ptx")] {
            for error in [Module::load(&ctx, &ptx), Module::load(&ctx, ptx)] {
                let error = error.expect_err("it cannot be read");
                assert!(matches!(error, Error::Load(LoadError::Image(_))));
                assert!(error.to_string().contains("help: pass the text"), "{error}");
            }
        }
    });
}

#[test]
fn a_file_name_that_is_given_as_ptx_is_recognised() {
    within(&Settings::new(), |_| {
        let ctx = context(0);
        for name in ["kernels.ptx", "/opt/k/a b.cubin", r"C:\k\x.fatbin", "k.CU", "../x.ptx"] {
            let error = Module::load(&ctx, name).expect_err("no PTX").to_string();
            // Loading a file with CUDA C++ is the next error.
            let help = if name == "k.CU" { "`Module::compile`" } else { "Path::new(" };
            for words in ["looks like the name of a file", "help: ", help] {
                assert!(error.contains(words), "{error}");
            }
        }
        for text in ["not PTX at all", "x.txt", ".version 8.0\n// x.ptx", "// from k.ptx\n"] {
            let error = Module::load(&ctx, text).map(drop);
            let error = error.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!error.contains("name of a file"), "{text}: {error}");
        }
    });
}

#[test]
fn an_error_of_cudarc_is_converted() {
    fn fails() -> Result<(), Error> {
        Err(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY))?;
        Ok(())
    }
    within(&Settings::new(), |_| {
        let error = fails().expect_err("it fails");
        assert!(error.to_string().contains("CUDA_ERROR_OUT_OF_MEMORY (2)"), "{error}");
        let source = error.source().expect("cudarc's error");
        assert!(source.downcast_ref::<DriverError>().is_some());
    });
}

/// `unwrap` and a `main` that returns an error print `Debug`.
#[test]
fn debug_of_an_error_is_its_text() {
    within(&Settings::new(), |_| {
        let ctx = context(0);
        let module = Module::load(&ctx, SAXPY).expect("it loads");
        let errors = [
            module.kernel::<Pointers>("saxpi").expect_err("it does not exist"),
            module.kernel::<Other>("saxpy").expect_err("it does not fit"),
            Module::load(&ctx, "kernels.ptx").expect_err("a file name"),
        ];
        for error in errors {
            assert_eq!(format!("{error:?}"), error.to_string());
            assert!(format!("{error:?}").contains('\n'));
        }
    });
}

#[derive(kernel_args::KernelArgs)]
struct Other(u8);

#[test]
fn a_tensor_map_is_made_of_the_numbers_of_cudarcs() {
    let map = cudarc::driver::sys::CUtensorMap { opaque: [5; 16] };
    assert_eq!(TensorMap::from(map.opaque), TensorMap([5; 16]));
    assert_eq!(TensorMapA64::from(map.opaque), TensorMapA64([5; 16]));
}
