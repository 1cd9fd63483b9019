//! A module that is queried for a kernel at every launch.

use crate::arguments::heap::allocations;
use crate::run_time::{Pointers, SAXPY, context, ptx};
use cudarc::driver::CudaSlice;
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, Image, Kernel, KernelArgs, Module,
    error::{LoadError, VerifyError},
    launch,
};
use kernel_args_stand_in::{Settings, within};
use kernel_args_test_kernels::unary;
use kernel_args_tests::saxpy::Saxpy;
use std::{
    sync::{Arc, Barrier},
    thread,
};

#[derive(KernelArgs)]
struct Wrong(u64);

#[test]
fn the_second_call_asks_neither_the_driver_nor_the_heap() {
    within(&Settings::new(), |driver| {
        let module = Module::load(&context(0), SAXPY).expect("it loads");
        let first: Kernel<Pointers> = module.kernel("saxpy").expect("it fits");
        let function = module.function("saxpy").expect("it is there");
        driver.reset_calls();
        for _ in 0..3 {
            let (heap, again) = allocations(|| module.kernel::<Pointers>("saxpy"));
            let again = again.expect("it fits");
            assert_eq!((heap, again.cu_function()), (0, first.cu_function()));
            let (heap, got) = allocations(|| module.get::<Pointers>());
            assert_eq!((heap, got.expect("it fits").name()), (0, "saxpy"));
            let (heap, untyped) = allocations(|| module.function("saxpy"));
            assert_eq!((heap, untyped.expect("it is there").cu_function()), (0, function.cu_function()));
        }
        assert!(driver.called().is_empty(), "{:?}", driver.called());
        let kernel = module.kernel::<Pointers>("saxpy").expect("it fits");
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(kernel, 1, 1, Pointers::NONE) }.expect("it launches");
    });
}

/// The name of a family is no name of a kernel: both are cached apart.
#[test]
fn the_second_call_for_a_family_asks_neither_the_driver_nor_the_heap() {
    #[derive(KernelArgs)]
    #[kernel_args(kernel = unary, entries = "u*", T = f32 => "_f32", T = f64 => "_f64")]
    struct Unary<T: DeviceType> {
        n: u32,
        x: T,
        y: DevicePointerMut<T>,
    }

    within(&Settings::new(), |driver| {
        let module = Module::load(&context(0), unary::IMAGE).expect("it loads");
        let first = module.family::<Unary<f64>>("uexp").expect("it fits");
        driver.reset_calls();
        for _ in 0..3 {
            let (heap, again) = allocations(|| module.family::<Unary<f64>>("uexp"));
            let again = again.expect("it fits");
            assert_eq!((heap, again.cu_function()), (0, first.cu_function()));
        }
        assert!(driver.called().is_empty(), "{:?}", driver.called());
        assert!(module.kernel::<Unary<f64>>("uexp").is_err());
    });
}

/// For example for a cubin with relocatable code, which driver 580 loads.
#[test]
fn a_kernel_that_only_the_image_has_is_to_be_linked() {
    within(&Settings::new(), |driver| {
        let module = Module::load(&context(0), SAXPY).expect("it loads");
        driver.fail("cuModuleGetFunction", 500);
        let error = module.function("saxpy").expect_err("the driver has none");
        let text = error.to_string();
        assert!(text.contains("relocatable code"), "{text}");
        assert!(text.contains("help: load it with `Module::link`"), "{text}");
        assert!(!text.contains("the nearest are"), "{text}");
    });
}

/// `archs.cu` for two GPU generations, as PTX and as cubins; the second also as an image of `kernels!`.
fn has_only(gpu: u32, absent: &str, present: &str, only_for: &str, code: &str) {
    kernel_args::kernels! { mod archs = "../crates/image/tests/data/archs.fatbin"; }
    const PTX: &[u8] = include_bytes!("../../../../crates/image/tests/data/archs.fatbin");
    const CUBINS: &[u8] = include_bytes!("../../../../crates/image/tests/data/archs.cubins.fatbin");
    let ctx = context(0);
    for image in [Image::from(PTX), Image::from(CUBINS), archs::IMAGE.into()] {
        let module = Module::load(&ctx, image).expect("it loads");
        for name in [present, "both"] {
            module.function(name).expect(name);
        }
        let text = module.function(absent).expect_err("other code has it").to_string();
        let expected = format!("only for {only_for}; this GPU is sm_{gpu}, which runs the code for {code}\nhelp: ");
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn a_kernel_that_only_code_for_a_newer_gpu_has_names_it() {
    within(&Settings::new().sm(80), |_| has_only(80, "newer", "older", "sm_90", "sm_80"));
}

#[test]
fn a_kernel_that_only_code_for_a_newer_gpu_has_names_it_between_two() {
    within(&Settings::new().sm(86), |_| has_only(86, "newer", "older", "sm_90", "sm_80"));
}

#[test]
fn a_kernel_that_only_code_for_an_older_gpu_has_names_it() {
    within(&Settings::new().sm(90), |_| has_only(90, "older", "newer", "sm_80", "sm_90"));
}

/// The lifetimes of the struct's borrows do not matter: its erased form is the key.
#[test]
fn a_struct_of_any_lifetime_finds_the_same_kernel() {
    fn add<'a>(module: &Module, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32>) -> Result<(), Error> {
        let kernel = module.kernel::<Saxpy<'a>>("saxpy")?;
        let args = Saxpy { n: 8, alpha: 1.0, x, y };
        // SAFETY: both slices have 8 elements.
        unsafe { launch!(kernel, 1, 8, args) }
    }
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let module = Module::load(&ctx, SAXPY).expect("it loads");
        let stream = ctx.default_stream();
        let x = stream.clone_htod(&[1.0; 8]).expect("memory");
        let mut y = stream.clone_htod(&[0.0; 8]).expect("memory");
        add(&module, &x, &mut y).expect("it launches");
        driver.reset_calls();
        add(&module, &x, &mut y).expect("it launches");
        assert_eq!(driver.calls("cuFuncGetParamInfo"), 0);
        assert_eq!(driver.calls("cuModuleGetFunction"), 0);
        assert_eq!(stream.clone_dtoh(&y).expect("memory"), [2.0; 8]);
    });
}

#[test]
fn structs_and_entries_are_distinguished() {
    #[derive(KernelArgs)]
    struct Number(u32);
    #[derive(KernelArgs)]
    struct Float(f32);
    within(&Settings::new(), |_| {
        // Enough that some share a chain.
        let names: Vec<String> = (0..300).map(|i| format!("kernel_{i}")).collect();
        let types = |i: usize| if i.is_multiple_of(2) { "u32" } else { "f32" };
        let kernels: Vec<_> = names.iter().enumerate().map(|(i, name)| (&**name, types(i))).collect();
        let module = Module::load(&context(0), ptx(&kernels)).expect("it loads");
        for _ in 0..2 {
            for (i, name) in names.iter().enumerate() {
                let (number, float) = (module.kernel::<Number>(name), module.kernel::<Float>(name));
                let (fits, refused) = if i % 2 == 0 {
                    (number.map(|kernel| kernel.name().to_owned()), float.map(drop))
                } else {
                    (float.map(|kernel| kernel.name().to_owned()), number.map(drop))
                };
                assert_eq!(fits.expect("it fits"), *name);
                assert!(matches!(refused, Err(Error::Verify(VerifyError::Mismatch(_)))), "{refused:?}");
            }
        }
    });
}

#[test]
fn a_failed_call_is_not_cached() {
    within(&Settings::new(), |driver| {
        let module = Module::load(&context(0), SAXPY).expect("it loads");
        for _ in 0..2 {
            assert!(matches!(module.kernel::<Wrong>("saxpy"), Err(Error::Verify(VerifyError::Mismatch(_)))));
            assert!(matches!(module.kernel::<Pointers>("saxpi"), Err(Error::Load(LoadError::NotFound { .. }))));
            assert!(matches!(module.function("saxpi"), Err(Error::Load(LoadError::NotFound { .. }))));
            assert!(matches!(module.function("a\0b"), Err(Error::Load(LoadError::NotFound { .. }))));
        }
        let other = Module::load(&context(0), SAXPY).expect("it loads");
        for call in ["cuModuleGetFunction", "cuFuncGetAttribute", "cuFuncGetParamInfo"] {
            driver.fail_once(call, 999);
            let failed = other.kernel::<Pointers>("saxpy");
            assert!(matches!(failed, Err(Error::Driver { .. })), "{call}: {failed:?}");
        }
        other.kernel::<Pointers>("saxpy").expect("nothing is wrong any more");
    });
}

/// A struct that names a different image than the module's image: the module's kernel decides.
#[test]
fn a_struct_that_names_a_kernel_is_verified_against_this_module() {
    within(&Settings::new(), |_| {
        let other = ptx(&[("saxpy", "u32 f64 u64 u64")]);
        let module = Module::load(&context(0), other).expect("it loads");
        let refused = module.get::<Pointers>();
        assert!(
            matches!(&refused, Err(Error::Verify(VerifyError::Mismatch(it))) if it.fields.contains(&"alpha".into())),
            "{refused:?}"
        );
    });
}

#[test]
fn the_module_is_unloaded_with_its_last_kernel() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let module = Module::load(&ctx, SAXPY).expect("it loads");
        let kernel = module.kernel::<Pointers>("saxpy").expect("it fits");
        let function = module.function("saxpy").expect("it is there");
        let typed = function.kernel::<Pointers>().expect("it fits");
        assert_eq!(typed.cu_function(), function.cu_function());
        drop((module, kernel));
        assert_eq!(driver.live_modules(), 1, "a function keeps its module");
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(function, 1, 1, Pointers::NONE) }.expect("it launches");
        drop((function, typed));
        assert_eq!(driver.live_modules(), 0, "what the module remembers does not keep it");
    });
}

#[test]
fn many_threads_ask_for_many_kernels_at_once() {
    #[derive(KernelArgs)]
    struct Number(u32);
    within(&Settings::new(), |driver| {
        let names: Vec<String> = (0..50).map(|i| format!("kernel_{i}")).collect();
        let kernels: Vec<_> = names.iter().map(|name| (&**name, "u32")).collect();
        let ctx = context(0);
        for _ in 0..5 {
            let module: Arc<Module> = Module::load(&ctx, ptx(&kernels)).expect("it loads");
            let (start, threads) = (Barrier::new(8), 0..8_usize);
            thread::scope(|scope| {
                for thread in threads {
                    let (module, start, names) = (&module, &start, &names);
                    scope.spawn(move || {
                        start.wait();
                        for i in 0..200 {
                            let name = &names[(i * (thread + 1)) % names.len()];
                            let kernel = module.kernel::<Number>(name).expect("it fits");
                            assert_eq!(kernel.name(), name);
                            let function = module.function(name).expect("it is there");
                            assert_eq!(function.cu_function(), kernel.cu_function());
                        }
                    });
                }
            });
        }
        assert_eq!(driver.live_modules(), 0);
    });
}

#[test]
fn an_overload_is_chosen_by_the_struct_and_must_be_named_for_a_function() {
    #[derive(KernelArgs)]
    struct Typed {
        n: i32,
        alpha: f32,
        x: DevicePointer<f32>,
        y: kernel_args::DevicePointerMut<f32>,
    }
    let _ = |typed: Typed| (typed.n, typed.alpha, typed.x, typed.y);
    within(&Settings::new(), |_| {
        let typed = include_str!("../../../../ptx/saxpy_typed.ptx");
        let module = Module::load(&context(0), typed).expect("it loads");
        let kernel = module.kernel::<Typed>("saxpy").expect("one of them fits");
        let error = module.function("saxpy").expect_err("there are several").to_string();
        for words in ["several", "saxpy<float>", "saxpy(int, float, float const*, float*)"] {
            assert!(error.contains(words), "`{words}` is not in\n{error}");
        }
        let function = module.function(kernel.name()).expect("a symbol names one");
        assert_eq!(function.cu_function(), kernel.cu_function());
        module.function("saxpy<float>").expect("a spelling names one");
    });
}
