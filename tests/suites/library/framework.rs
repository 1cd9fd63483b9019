//! A framework in small: ten element types, 30 families of kernels, fp8 that the image for `sm_86` lacks. One macro
//! derives and binds the arguments of each family.

use half::{bf16, f16};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, Kernel, KernelArgs, Module, error::LoadError, image::Coverage,
};
use kernel_args_stand_in::{Settings, within};
use kernel_args_test_kernels::{framework as kernels, typed};
use std::sync::Arc;

/// An 8-bit float.
#[derive(Clone, Copy, DeviceType)]
#[repr(transparent)]
struct F8E4M3(u8);

/// A type that the framework does not know, with the parameters of [`F8E4M3`].
#[derive(Clone, Copy, DeviceType)]
#[repr(transparent)]
struct Stranger(u8);

/// An element type of the framework.
trait Element: DeviceType {}

macro_rules! elements {
    ($($ty:ty)*) => { $(impl Element for $ty {})* };
}

elements! { f32 f64 f16 bf16 u8 u32 i16 i32 i64 F8E4M3 Stranger }

/// Derives the arguments of families, for all element types.
macro_rules! family {
    ($([$($entries:literal),+] $item:item)*) => {
        $(
            #[derive(KernelArgs)]
            #[kernel_args(
                kernel = kernels, entries = [$($entries),+],
                T = f32 => "_f32", T = f64 => "_f64", T = f16 => "_f16", T = bf16 => "_bf16", T = u8 => "_u8",
                T = u32 => "_u32", T = i16 => "_i16", T = i32 => "_i32", T = i64 => "_i64",
                T = F8E4M3 => "_f8_e4m3" if sm >= 89
            )]
            $item
        )*
    };
}

family! {
    ["u*"]
    struct Unary<T: Element> { n: usize, x: DevicePointer<T>, y: DevicePointerMut<T> }
    ["b{add,sub,mul,div}_*", "b*imum_*"]
    struct Binary<T: Element> { n: usize, a: DevicePointer<T>, b: DevicePointer<T>, y: DevicePointerMut<T> }
    ["{sum,max,min}_*", "softmax_*", "rmsnorm_*"]
    struct Reduced<T: Element> { rows: usize, columns: usize, x: DevicePointer<T>, y: DevicePointerMut<T> }
    ["affine_*"]
    struct Affine<T: Element> { n: usize, scale: T, shift: T, y: DevicePointerMut<T> }
    ["powf_*", "elu_*"]
    struct Scaled<T: Element> { n: usize, by: T, x: DevicePointer<T>, y: DevicePointerMut<T> }
    ["fill_*"]
    struct Fill<T: Element> { n: usize, value: T, y: DevicePointerMut<T> }
    ["where_*"]
    struct Where<T: Element> {
        n: usize, condition: DevicePointer<u8>, a: DevicePointer<T>, b: DevicePointer<T>, y: DevicePointerMut<T>,
    }
    ["gather_*"]
    struct Gather<T: Element> { n: usize, width: usize, indices: DevicePointer<u32>, x: DevicePointer<T>, y: DevicePointerMut<T> }
    ["copy_*"]
    struct Copied<T: Element> { rows: usize, columns: usize, stride: usize, x: DevicePointer<T>, y: DevicePointerMut<T> }
}

#[derive(KernelArgs)]
#[kernel_args(kernel = kernels::arange)]
struct Arange {
    n: usize,
    y: DevicePointerMut<u32>,
}

/// An activation, without the kernels of two names.
#[derive(KernelArgs)]
#[kernel_args(kernel = kernels, entries = "u*_f32", except = ["uneg_*", "u{sin,cos}_*"])]
struct Floats {
    n: usize,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}

fn coverage() -> Coverage {
    Coverage::of(kernels::KERNELS)
        .with::<Unary<f32>>()
        .with::<Binary<f32>>()
        .with::<Reduced<f32>>()
        .with::<Affine<f32>>()
        .with::<Scaled<f32>>()
        .with::<Fill<f32>>()
        .with::<Where<f32>>()
        .with::<Gather<f32>>()
        .with::<Copied<f32>>()
}

#[test]
fn every_kernel_has_a_struct() {
    coverage().with::<Arange>().assert_complete();
    assert_eq!(coverage().with::<Arange>().compared(), 30 * 9 + 1);
}

#[test]
fn a_kernel_without_a_struct_is_listed() {
    // A struct of another image names none of these.
    #[derive(KernelArgs)]
    #[kernel_args(kernel = kernel_args_test_kernels::unary, entries = "u*_f32")]
    struct OfAnotherImage {
        n: u32,
        x: f32,
        y: DevicePointer<f32>,
    }

    assert_eq!(coverage().to_string(), "270 of 271 kernels are compared with a struct; no struct names\n  arange");
    coverage().except("ara*").assert_complete();
    let floats = Coverage::of(kernels::KERNELS).with::<Floats>();
    assert_eq!(floats.compared(), 12 - 3);
    let other = Coverage::of(kernels::KERNELS).with::<OfAnotherImage>();
    assert_eq!(other.compared(), 0);
}

fn load() -> Arc<Module> {
    let ctx = kernel_args::context(0).expect("the test driver has a device");
    Module::load(&ctx, kernels::IMAGE).expect("the image loads")
}

/// The name that a generic function of the framework requests.
fn name<T: Element>(module: &Module) -> Result<String, Error> {
    let kernel: Kernel<Affine<T>> = module.family("affine")?;
    let again = module.family::<Affine<T>>("affine")?;
    assert_eq!(kernel.cu_function(), again.cu_function());
    Ok(kernel.name().to_owned())
}

#[test]
fn the_binding_decides_the_name() {
    within(&Settings::default(), |_| {
        let module = &*load();
        let names = [
            name::<f32>(module),
            name::<f64>(module),
            name::<f16>(module),
            name::<bf16>(module),
            name::<u8>(module),
            name::<u32>(module),
            name::<i16>(module),
            name::<i32>(module),
            name::<i64>(module),
        ];
        let suffixes = ["f32", "f64", "f16", "bf16", "u8", "u32", "i16", "i32", "i64"];
        for (name, suffix) in names.into_iter().zip(suffixes) {
            assert_eq!(name.expect("it is bound"), format!("affine_{suffix}"));
        }
        // A name of the module itself is not a family.
        assert!(module.kernel::<Affine<f32>>("affine").is_err());
        let unary = module.family::<Unary<f64>>("utanh").expect("it is bound");
        assert_eq!(unary.name(), "utanh_f64");
        assert_eq!(module.get::<Arange>().expect("it is named").name(), "arange");
    });
}

#[test]
fn what_the_image_lacks_is_an_error_with_the_reason() {
    within(&Settings::default(), |_| {
        let module = &*load();
        let error = name::<F8E4M3>(module).expect_err("the image is for sm_86");
        let Error::Load(LoadError::Absent { image, gpu, .. }) = &error else { panic!("{error:?}") };
        assert_eq!(*image, [86]);
        assert_eq!(
            error.to_string(),
            format!(
                "the module has no kernel `affine_f8_e4m3`: the binding `T = F8E4M3 => \"_f8_e4m3\"` of `Affine` is optional, and \
                 the image lacks its kernel\n  image  sm_86\n  GPU    sm_{gpu}\n\
                 help: compile the kernels for sm_89 or a newer GPU, or use another type"
            )
        );
    });
}

/// A struct without type parameters has no suffix.
#[test]
fn a_family_without_types_is_found_by_whole_names() {
    within(&Settings::default(), |_| {
        let module = &*load();
        for name in ["uexp_f32", "utanh_f32", "uexp_f32"] {
            assert_eq!(module.family::<Floats>(name).expect("it is named").name(), name);
        }
        // Left out; of another type; without its type; of another family.
        for name in ["uneg_f32", "uexp_f64", "uexp", "powf_f32"] {
            let error = module.family::<Floats>(name).expect_err(name);
            assert!(matches!(error, Error::Load(LoadError::NotFound { .. })), "{error:?}");
        }
    });
}

/// Both suffixes that a type can have are in the error.
#[test]
fn each_optional_suffix_of_a_type_is_named() {
    #[derive(KernelArgs)]
    #[kernel_args(kernel = kernels, entries = "affine_*", except = "affine_{f16,f64,bf16,u*,i*}", T = f32 => "_f32")]
    #[kernel_args(T = F8E4M3 => "_f8_e4m3" if sm >= 89, T = F8E4M3 => "_fp8" if_present)]
    struct Named<T: Element> {
        n: usize,
        scale: T,
        shift: T,
        y: DevicePointerMut<T>,
    }
    within(&Settings::default(), |_| {
        let error = load().family::<Named<F8E4M3>>("affine").expect_err("the image is for sm_86");
        let Error::Load(LoadError::Absent { wanted, bindings, since, .. }) = &error else { panic!("{error:?}") };
        assert_eq!((wanted.len(), bindings.len(), *since), (2, 2, None));
        let text = error.to_string();
        assert!(
            text.starts_with(
                "the module has no kernel `affine_f8_e4m3` or `affine_fp8`: the bindings `T = F8E4M3 => \"_f8_e4m3\"` and \
                 `T = F8E4M3 => \"_fp8\"` of `Named` are optional, and the image lacks their kernels\n  image  sm_86\n"
            ) && text.ends_with("\nhelp: compile the kernels with this one, or use another type"),
            "{text}"
        );
    });
}

/// The image of a struct that names a kernel or a family.
#[test]
fn a_struct_has_the_image_that_it_names() {
    #[derive(KernelArgs)]
    struct Unnamed {
        n: u32,
    }
    const IMAGES: [Option<&kernel_args::image::CompiledImage>; 4] =
        [Affine::<f32>::IMAGE, Floats::IMAGE, Arange::IMAGE, <&mut Arange>::IMAGE];
    for image in IMAGES {
        assert!(image.is_some_and(|image| std::ptr::eq(image, kernels::IMAGE)));
    }
    assert!(Unnamed::IMAGE.is_none());
}

#[test]
fn a_type_with_the_parameters_of_a_bound_type_is_not_bound() {
    within(&Settings::default(), |_| {
        let module = &*load();
        let error = name::<Stranger>(module).expect_err("it is not bound");
        let Error::Load(LoadError::Unbound { arguments, bindings, .. }) = &error else { panic!("{error:?}") };
        assert!(
            arguments.ends_with("Affine<kernel_args_tests::Stranger>") || arguments.contains("Stranger"),
            "{arguments}"
        );
        assert_eq!(bindings.len(), 10);
        assert!(error.to_string().contains("\n  T = f32 => \"_f32\"\n"), "{error}");
    });
}

#[test]
fn a_kernel_of_another_family_is_refused() {
    within(&Settings::default(), |_| {
        let module = &*load();
        // `powf` takes the same bytes for `f32`, but another struct is compared with it.
        let error = module.family::<Affine<f32>>("powf").expect_err("it is not `affine_*`");
        assert_eq!(
            error.to_string(),
            "cannot find kernel `powf_f32`: the struct was not compared with this kernel when it was compiled; its `entries` \
             are\n  affine_*"
        );
        let error = module.family::<Affine<f32>>("affin").expect_err("it does not exist");
        let text = error.to_string();
        assert!(matches!(error, Error::Load(LoadError::NotFound { .. })), "{error:?}");
        assert!(
            text.contains("`affin_f32`: the module has no kernel with this name; the nearest are\n  affine_"),
            "{text}"
        );
    });
}

#[test]
fn a_misspelled_family_lists_the_nearest_kernels_by_their_names_in_cpp() {
    #[derive(KernelArgs)]
    #[kernel_args(kernel = typed, entries = "saxpy<*>", T = f32 => "<float>", T = f64 => "<double>")]
    struct Saxpy<T> {
        n: i32,
        alpha: T,
        x: DevicePointer<T>,
        y: DevicePointerMut<T>,
    }
    within(&Settings::default(), |_| {
        let module = Module::load(&kernel_args::context(0).expect("a device"), typed::IMAGE).expect("it loads");
        let error = module.family::<Saxpy<f32>>("saxp").expect_err("it does not exist").to_string();
        assert!(error.contains("nearest are\n  saxpy<double>\n  saxpy<float>\n"), "{error}");
    });
}
