//! A struct that does not match is rejected when the kernel is loaded, with the field's name.

use crate::launch::results::{Outcome, SAXPY, TYPED};
use cudarc::driver::CudaSlice;
use kernel_args::{
    ArgList, DevicePointer, DevicePointerMut, DeviceType, Error, Kernel, KernelArgs, Module, error::VerifyError,
    image::Verification, launch,
};
use kernel_args_tests::driver::{context, trial};
use libtest_mimic::Trial;

/// Loads `entry` of `$ptx` for a struct with these fields. The kernel must be rejected for `$wrong`, with `$words` in
/// the error.
macro_rules! refused {
    ($($name:ident: $ptx:ident $entry:literal { $($field:ident: $ty:ty),* } => [$($wrong:literal),*] $words:literal;)*) => {
        $(fn $name() -> Outcome {
            #[derive(KernelArgs)]
            #[allow(dead_code, reason = "never made: the kernel is refused")]
            struct Wrong<'a> {
                $($field: $ty,)*
                #[kernel_args(skip)]
                _lifetime: std::marker::PhantomData<&'a ()>,
            }
            let module = Module::load(&context()?, $ptx)?;
            let error = module.kernel::<Wrong>($entry).expect_err("the struct does not fit");
            let Error::Verify(VerifyError::Mismatch(mismatch)) = &error else {
                return Err(format!("not a mismatch: {error}").into());
            };
            let wrong: &[&str] = &[$($wrong),*];
            assert_eq!(mismatch.fields, wrong, "{error}");
            let text = error.to_string();
            assert!(text.contains($words), "{text}");
            Ok(())
        })*

        pub(crate) fn trials() -> Vec<Trial> {
            let mut trials = vec![$(trial(concat!("refused/", stringify!($name)), $name)),*];
            trials.extend(accepted());
            trials
        }
    };
}

refused! {
    f64_for_float: SAXPY "saxpy" { n: u32, alpha: f64, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
        => ["alpha"] "f32";
    usize_for_int: SAXPY "saxpy" { n: usize, alpha: f32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
        => ["n"] "u32";
    exchanged: SAXPY "saxpy" { alpha: f32, n: u32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
        => ["alpha", "n"] "exchanged";
    int_for_float: SAXPY "saxpy" { n: u32, alpha: u32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
        => ["alpha"] "f32";
    missing: SAXPY "saxpy" { n: u32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
        => [] "add a field for it between `n` and `x`";
    extra: SAXPY "saxpy" { n: u32, alpha: f32, beta: f32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
        => ["beta"] "beta";
    read_for_write: TYPED "saxpy(int, float, float const*, float*)"
        { n: i32, alpha: f32, x: &'a CudaSlice<f32>, y: &'a CudaSlice<f32> }
        => ["y"] "declare `y: &'a mut CudaSlice<f32>`";
    pointee: TYPED "saxpy<float>" { n: i32, alpha: f32, x: &'a CudaSlice<f64>, y: &'a mut CudaSlice<f32> }
        => ["x"] "f32";
    no_overload: TYPED "saxpy" { n: i32, alpha: f32, x: &'a CudaSlice<f64>, y: &'a mut CudaSlice<f32> }
        => ["x"] "none of the kernels named `saxpy` takes the fields of `Wrong`; the nearest is this one:\n\
                  kernel `saxpy(int, float, float const*, float*)` does not take these arguments\n";
    no_overload_lists_all: TYPED "saxpy" { n: i32, alpha: f32, x: &'a CudaSlice<f64>, y: &'a mut CudaSlice<f32> }
        => ["x"] "\n  saxpy(int, float, float const*, float*)";
    a_move: SAXPY "saxpy" { x: &'a CudaSlice<f32>, n: u32, alpha: f32, y: &'a mut CudaSlice<f32> }
        => ["x"] "move it between `alpha` and `y`";
    members: TYPED "geometry::grow" { low: [f32; 3], high: [f32; 3], by: f32, boxes: u64 }
        => ["low", "high"] "declare `high: Box<f32, 3>`";
    signedness: TYPED "saxpy<float>" { n: u32, alpha: f32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
        => ["n"] "i32";
}

/// Two kernels whose symbols contain no types, as NVRTC writes them with `--device-debug`.
const DEBUG: &str = include_str!("../../../../crates/image/tests/data/debug.ptx");

/// Facts that only debug information contains: the types of `extern "C"` kernels, and the order of fields with the same
/// type.
fn debug_information_is_compared() -> Outcome {
    let module = Module::load(&context()?, DEBUG)?;
    let refused = |error: Option<Error>, field: &str, words: &str| -> Outcome {
        let Some(Error::Verify(VerifyError::Mismatch(mismatch))) = &error else {
            return Err(format!("not a mismatch: {error:?}").into());
        };
        assert!(mismatch.fields.iter().any(|wrong| *wrong == field), "{mismatch}");
        assert!(mismatch.to_string().contains(words), "{mismatch}");
        Ok(())
    };
    macro_rules! scaled {
        ($($name:ident: $ty:ty),*) => {{
            #[derive(KernelArgs)]
            #[allow(dead_code, reason = "never made: the kernel is not launched")]
            struct Scaled { $($name: $ty),* }
            module.kernel::<Scaled>("scaled").err()
        }};
    }
    let right = scaled!(r#in: DevicePointer<f32>, bias: DevicePointer<f32>, out: DevicePointerMut<f32>, n: i32);
    assert!(right.is_none(), "{right:?}");
    let named_otherwise = scaled!(x: DevicePointer<f32>, b: DevicePointer<f32>, y: DevicePointerMut<f32>, count: i32);
    assert!(named_otherwise.is_none(), "{named_otherwise:?}");
    refused(
        scaled!(bias: DevicePointer<f32>, r#in: DevicePointer<f32>, out: DevicePointerMut<f32>, n: i32),
        "bias",
        "`bias` is parameter 1 of the kernel, but here it is field 0",
    )?;
    refused(
        scaled!(r#in: DevicePointer<f64>, bias: DevicePointer<f32>, out: DevicePointerMut<f32>, n: i32),
        "in",
        "declare `r#in: DevicePointer<f32>`",
    )?;
    refused(
        scaled!(r#in: DevicePointer<f32>, bias: DevicePointer<f32>, out: DevicePointer<f32>, n: i32),
        "out",
        "declare `out: DevicePointerMut<f32>`",
    )?;
    refused(
        scaled!(r#in: DevicePointer<f32>, bias: DevicePointer<f32>, out: DevicePointerMut<f32>, n: u32),
        "n",
        "`int`",
    )
}

/// A struct with the kernel's name, size and alignment.
fn members_are_compared() -> Outcome {
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Pair {
        key: i32,
        weight: f32,
    }
    mod swapped {
        #[derive(Clone, Copy, kernel_args::DeviceType)]
        #[repr(C)]
        pub(super) struct Pair {
            pub(super) weight: f32,
            pub(super) key: i32,
        }
    }
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Cell {
        kind: i8,
        values: [[f64; 3]; 2],
    }
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Box {
        items: [i32; 2],
        begin: DevicePointer<i32>,
    }
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Bits(u32, i32);
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Derived(i32, f32);
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Empty(u8);
    #[derive(KernelArgs)]
    struct ByValue<P: DeviceType> {
        pair: P,
        mode: i32,
        color: u8,
        cell: Cell,
        bits: u64,
        derived: [f32; 2],
        empty: u8,
        boxed: Box,
        incomplete: u64,
    }
    const WORDS: &str =
        "this one has `weight` at byte 0 (`f32`): put the members in the kernel's order, `key`, `weight`";
    let module = Module::load(&context()?, DEBUG)?;
    let cell = Cell { kind: 1, values: [[2.0; 3]; 2] };
    let boxed = Box { items: [1, 2], begin: DevicePointer::NULL };
    // `Bits` is a struct: an integer does not match it.
    let error = module.kernel::<ByValue<Pair>>("by_value").expect_err("`bits` is a number");
    assert!(error.to_string().contains("bits"), "{error}");

    // A list can contain them too.
    let by_value = module.function("by_value")?;
    for is_right in [true, false] {
        let mut arguments = ArgList::new();
        if is_right {
            arguments.push(Pair { key: 1, weight: 2.0 });
        } else {
            arguments.push(swapped::Pair { weight: 2.0, key: 1 });
        }
        arguments.push(-1_i32).push(7_u8).push(cell);
        arguments.push(Bits(0, 1)).push(Derived(0, 1.0)).push(Empty(0));
        arguments.push(boxed).push(0_u64);
        // SAFETY: the kernel does nothing.
        let launched = unsafe { launch!(by_value, 1, 1, &mut arguments) };
        match launched {
            Ok(()) => assert!(is_right),
            Err(error) => {
                let text = error.to_string();
                assert!(!is_right && text.contains(WORDS), "{text}");
            }
        }
    }
    Ok(())
}

fn several_that_fit_are_listed() -> Outcome {
    #[derive(KernelArgs)]
    struct Loose {
        n: i32,
        #[kernel_args(opaque)]
        a: f64,
        #[kernel_args(opaque)]
        x: DevicePointer<f64>,
        #[kernel_args(opaque)]
        y: DevicePointer<f64>,
    }
    let _ = |loose: Loose| (loose.n, loose.a, loose.x, loose.y);
    let module = Module::load(&context()?, TYPED)?;
    let error = module.kernel::<Kernelless>("saxpy").expect_err("none fits");
    assert!(error.to_string().contains("saxpy<float>"), "{error}");
    module.kernel::<Loose>("saxpy<double>")?;
    Ok(())
}

#[derive(KernelArgs)]
struct Kernelless(u8);

fn verification_reports_what_was_compared() -> Outcome {
    let kernel: Kernel<crate::launch::results::Saxpy> = Kernel::from_image(&context()?, SAXPY, "saxpy")?;
    let Verification::Verified { driver, image, .. } = *kernel.verification() else {
        return Err(format!("{:?}", kernel.verification()).into());
    };
    assert!(image);
    assert!(driver, "needs driver 12.4 or newer");
    Ok(())
}

fn accepted() -> Vec<Trial> {
    vec![
        trial("debug_information_is_compared", debug_information_is_compared),
        trial("members_are_compared", members_are_compared),
        trial("several_that_fit_are_listed", several_that_fit_are_listed),
        trial("verification_reports_what_was_compared", verification_reports_what_was_compared),
    ]
}
