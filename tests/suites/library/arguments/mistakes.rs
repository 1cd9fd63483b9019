//! Lists that do not match a kernel, and their errors.

use crate::arguments::launches::Setup;
use kernel_args::{
    ArgList, DevicePointer, DevicePointerMut, Error, Module,
    error::{ContextError, LaunchError, VerifyError},
    launch,
};
use kernel_args_stand_in::{Settings, within};

fn refused(setup: &Setup, arguments: &mut ArgList<'_>) -> Error {
    // SAFETY: not reached.
    unsafe { launch!(setup.function, 1, 8, arguments) }.expect_err("the list does not fit")
}

/// What an error suggests. A list has no fields, so there is nothing to declare, and no attribute to write.
fn helps(error: &Error) -> Vec<String> {
    let text = error.to_string();
    for words in ["declare", "field", "#[kernel_args"] {
        assert!(!text.contains(words), "`{words}` is in\n{text}");
    }
    let helps = text.lines().filter_map(|line| line.split_once("  <- "));
    helps.map(|(_, help)| help.to_owned()).collect()
}

#[test]
fn a_wrong_list_names_the_index_and_both_sides() {
    within(&Settings::new(), |driver| {
        let mut setup = Setup::new();
        let launches = driver.launches();
        let (x, mut y) = (setup.x.clone(), setup.y.clone());
        // The kernel takes `unsigned n, float alpha, float const* x, float* y`.
        let mut wrong = ArgList::new();
        wrong.push(8_u32).push(1.0_f64).push(&x).push(&mut y);
        let error = refused(&setup, &mut wrong);
        let Error::Verify(VerifyError::Mismatch(mismatch)) = &error else { panic!("{error}") };
        assert_eq!((&*mismatch.arguments, &*mismatch.kernel), ("ArgList", "saxpy"));
        assert_eq!(mismatch.fields, ["1"], "{error}");
        for words in ["f64", ".f32", "&CudaSlice<f32>"] {
            assert!(error.to_string().contains(words), "{error}");
        }
        assert_eq!(helps(&error), ["push `2.0_f32` as argument 1"], "{error}");
        drop(wrong);
        let mut wrong = ArgList::new();
        wrong.push(8_u32).push(&x).push(&mut y);
        let error = refused(&setup, &mut wrong);
        assert_eq!(helps(&error), ["push `2.0_f32` as argument 1"], "{error}");
        drop(wrong);
        let mut wrong = ArgList::new();
        wrong.push(8_u32).push(1.0_f32).push(&x).push(&mut y).push(1_u8);
        let error = refused(&setup, &mut wrong);
        assert!(matches!(&error, Error::Verify(VerifyError::Mismatch(it)) if it.fields == ["4"]));
        let remove = "remove it: the kernel takes 4 parameters, the list has 5 arguments";
        assert_eq!(helps(&error), [remove], "{error}");
        drop(wrong);
        let mut wrong = ArgList::new();
        wrong.push(8.0_f32).push(1.0_f32).push(&x).push(&mut y);
        let error = refused(&setup, &mut wrong);
        assert_eq!(helps(&error), ["push `1_u32` or `1_i32` as argument 0"], "{error}");
        drop(wrong);
        let none = refused(&setup, &mut ArgList::new());
        assert!(matches!(none, Error::Verify(VerifyError::Mismatch(_))), "{none}");
        assert_eq!(driver.launches(), launches, "nothing was launched");

        // A wrong list is rejected again, and a correct list is launched after it.
        let mut wrong = ArgList::new();
        wrong.push(8_u32).push(1.0_f64).push(&x).push(&mut y);
        refused(&setup, &mut wrong);
        drop(wrong);
        let mut right = ArgList::new();
        right.push(8_u32).push(1.0_f32).push(&x).push(&mut setup.y);
        // SAFETY: both slices have 8 elements.
        unsafe { launch!(setup.function, 1, 8, right) }.expect("it launches");
    });
}

/// A list with different types is a different list, even if the sizes are equal.
#[test]
fn the_cache_compares_the_types_of_a_list() {
    within(&Settings::new(), |_| {
        let setup = Setup::new();
        let mut right = ArgList::new();
        let (null, null_mut) = (DevicePointer::<f32>::NULL, DevicePointerMut::<f32>::NULL);
        right.push(0_u32).push(1.0_f32).push(null).push(null_mut);
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(setup.function, 1, 8, &mut right) }.expect("it launches");
        let mut wrong = ArgList::new();
        wrong.push(0_u32).push(1_u32).push(null).push(null_mut);
        assert!(matches!(refused(&setup, &mut wrong), Error::Verify(VerifyError::Mismatch(it)) if it.fields == ["1"]));
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(setup.function, 1, 8, &mut right) }.expect("it launches");
    });
}

/// The kernel writes through its last parameter. An address without a type is any pointer.
#[test]
fn what_the_code_of_the_kernel_contradicts_is_refused() {
    within(&Settings::new(), |_| {
        let setup = Setup::new();
        let (x, mut y) = (setup.x.clone(), setup.y.clone());
        let mut shared = ArgList::new();
        shared.push(0_u32).push(1.0_f32).push(&x).push(&x);
        let error = refused(&setup, &mut shared).to_string();
        assert!(error.contains("the kernel writes through `3`"), "{error}");
        let mut exchanged = ArgList::new();
        exchanged.push(0_u32).push(1.0_f32).push(&mut y).push(&x);
        let error = refused(&setup, &mut exchanged).to_string();
        assert!(error.contains("`2` and `3` look exchanged"), "{error}");
        drop(exchanged);
        let mut address = ArgList::new();
        address.push(0_u32).push(1.0_f32).push(&x).push(0_u64);
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(setup.function, 1, 8, address) }.expect("it launches");
    });
}

#[test]
fn an_argument_of_another_context_is_named_by_its_index() {
    within(&Settings::new().devices(2), |driver| {
        let setup = Setup::new();
        let other = Setup { ctx: kernel_args::context(1).expect("a device"), ..Setup::new() };
        let mut foreign = other.ctx.default_stream().clone_htod(&[1.0_f32; 8]).expect("memory");
        let null = DevicePointer::<f32>::NULL;
        let mut arguments = ArgList::new();
        arguments.push(0_u32).push(1.0_f32).push(null).push(&mut foreign);
        driver.reset_calls();
        let error = refused(&setup, &mut arguments);
        assert!(
            matches!(&error, Error::Context(ContextError::OtherContextArgument { field: Some(index), .. }) if index == "3"),
            "{error}"
        );
        assert!(error.to_string().contains("`3`"), "{error}");
        assert_eq!(driver.calls("cuLaunchKernelEx"), 0);
    });
}

#[test]
fn an_error_of_the_driver_shows_every_argument() {
    within(&Settings::new(), |driver| {
        let setup = Setup::new();
        for form in [kernel_args::args::Form::KernelParams, kernel_args::args::Form::Packed] {
            let null = DevicePointer::<f32>::NULL;
            let mut arguments = ArgList::new();
            arguments.push(7_u32).push(1.5_f32).push(null).push(DevicePointerMut::<f32>::NULL);
            driver.fail("cuLaunchKernelEx", 700);
            // SAFETY: the kernel accesses no memory.
            let error = unsafe { launch!(setup.function, 1, 8, arguments, form = form) }
                .expect_err("the driver fails")
                .to_string();
            driver.clear_failures();
            for words in ["saxpy", "(700)", "0  u32", "= 7", "1  f32", "= 1.5", "DevicePointer<f32>", "null"] {
                assert!(error.contains(words), "`{words}` is not in\n{error}");
            }
        }
    });
}

#[test]
fn more_bytes_than_any_kernel_takes_are_refused() {
    within(&Settings::new(), |_| {
        let setup = Setup::new();
        let mut arguments = ArgList::new();
        for _ in 0..4 {
            arguments.push([0_u64; 1024]);
        }
        let error = refused(&setup, &mut arguments);
        assert!(matches!(error, Error::Launch(LaunchError::Limit(_))), "{error}");
        assert!(error.to_string().contains("32768 bytes"), "{error}");
    });
}

/// Without an image and with an old driver a list cannot be verified, and the error reports this.
#[test]
fn an_old_driver_verifies_a_list_by_the_image() {
    within(&Settings::new().old(), |_| {
        let setup = Setup::new();
        let null = DevicePointer::<f32>::NULL;
        let mut wrong = ArgList::new();
        wrong.push(0_u32).push(1.0_f64).push(null).push(null);
        assert!(matches!(refused(&setup, &mut wrong), Error::Verify(VerifyError::Mismatch(_))));
        let actual = format!("{:?}", setup.function.verification());
        assert_eq!(actual, "Verified { driver: false, image: true, debug_info: None, not_compared: [] }");
        let unknown = Module::load(&setup.ctx, include_str!("../../../../ptx/saxpy.ptx"))
            .expect("it loads")
            .function("saxpi")
            .expect_err("it does not exist");
        assert!(unknown.to_string().contains("saxpy"), "{unknown}");
    });
}
