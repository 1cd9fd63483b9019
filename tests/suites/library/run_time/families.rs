//! Families of kernels: one generic struct, and an entry for each element type.

use crate::run_time::{context, ptx};
use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, Error, Kernel, KernelArgs, Module, args::Pointee, error::VerifyError, launch};
use kernel_args_stand_in::{Settings, within};
use std::sync::Arc;

/// `__global__ void affine_T(unsigned n, T scale, T shift, T* y)`
#[derive(KernelArgs)]
struct Affine<'a, T: DeviceType + Pointee> {
    n: u32,
    scale: T,
    shift: T,
    y: &'a mut CudaSlice<T>,
}

fn affine<T: DeviceType + Pointee>(
    module: &Module,
    dtype: &str,
    scale: T,
    shift: T,
    y: &mut CudaSlice<T>,
) -> Result<(), Error> {
    let n = 8;
    let kernel = module.kernel::<Affine<T>>(&format!("affine_{dtype}"))?;
    let args = Affine { n, scale, shift, y };
    // SAFETY: `y` has `n` elements.
    unsafe { launch!(kernel, 1, n, args) }
}

kernel_args::kernels! { mod typed = "../ptx/saxpy_typed.ptx", generate; }

/// The struct that is generated for all instances of a template.
#[test]
fn a_generated_family_is_found_by_its_type() {
    fn name<T: DeviceType>(module: &Module) -> Result<String, Error> {
        let kernel = module.family::<typed::Saxpy<T>>("saxpy")?.require_verified()?;
        Ok(kernel.name().to_owned())
    }
    within(&Settings::new(), |_| {
        let module =
            Module::load(&context(0), typed::Saxpy::<f32>::IMAGE.expect("it names kernels")).expect("it loads");
        assert_eq!(name::<f32>(&module).expect("it is bound"), "_Z5saxpyIfEviT_PKS0_PS0_");
        assert_eq!(name::<f64>(&module).expect("it is bound"), "_Z5saxpyIdEviT_PKS0_PS0_");
        assert_eq!(typed::SaxpyFloat::PARAMETERS, typed::Saxpy::<f32>::PARAMETERS);
    });
}

/// The state of an engine for any arguments: only the bound `KernelArgs`.
struct Operation<A: KernelArgs> {
    kernel: Kernel<A::Erased>,
}

impl<A: KernelArgs> Operation<A> {
    fn new(module: &Arc<Module>, entry: &str) -> Result<Self, Error> {
        let kernel = module.kernel(entry)?;
        Ok(Self { kernel })
    }

    /// # Safety
    /// The requirements of `launch!`.
    unsafe fn run(&self, args: A) -> Result<(), Error> {
        // SAFETY: the caller guarantees the requirements of `launch!`.
        unsafe { launch!(self.kernel, 1, 8, args) }
    }
}

const FAMILY: [(&str, &str); 3] =
    [("affine_f32", "u32 f32 f32 u64"), ("affine_f64", "u32 f64 f64 u64"), ("affine_u8", "u32 u8 u8 u64")];

#[test]
fn a_family_of_three_types_is_launched_by_name() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let module = Module::load(&ctx, ptx(&FAMILY)).expect("it loads");
        let stream = ctx.default_stream();
        let mut floats = stream.clone_htod(&[1.0_f32; 8]).expect("memory");
        let mut doubles = stream.clone_htod(&[1.0_f64; 8]).expect("memory");
        let mut bytes = stream.clone_htod(&[1_u8; 8]).expect("memory");
        for _ in 0..2 {
            affine(&module, "f32", 2.0, 1.0, &mut floats).expect("it launches");
            let last = driver.last_launch().expect("a launch");
            assert_eq!((&*last.name, &last.bank[4..8]), ("affine_f32", &2.0_f32.to_le_bytes()[..]));
            affine(&module, "f64", 2.0, 1.0, &mut doubles).expect("it launches");
            let last = driver.last_launch().expect("a launch");
            assert_eq!((&*last.name, last.bank.len()), ("affine_f64", 32));
            affine(&module, "u8", 2, 1, &mut bytes).expect("it launches");
            let last = driver.last_launch().expect("a launch");
            assert_eq!((&*last.name, &last.bank[4..6]), ("affine_u8", &[2, 1][..]));
        }
        // The wrong name for a type results in a mismatch of its fields.
        let wrong = affine(&module, "f64", 2.0_f32, 1.0, &mut floats);
        assert!(
            matches!(&wrong, Err(Error::Verify(VerifyError::Mismatch(it))) if it.fields.contains(&"scale".into())),
            "{wrong:?}"
        );
    });
}

#[test]
fn generic_code_keeps_a_kernel_and_launches_borrows() {
    within(&Settings::new(), |driver| {
        let ctx = context(0);
        let module = Module::load(&ctx, ptx(&FAMILY)).expect("it loads");
        let stream = ctx.default_stream();
        let operation = Operation::<Affine<'_, f32>>::new(&module, "affine_f32").expect("it fits");
        let mut y = stream.clone_htod(&[1.0_f32; 8]).expect("memory");
        let args = Affine { n: 8, scale: 3.0, shift: 1.0, y: &mut y };
        // SAFETY: `y` has 8 elements.
        unsafe { operation.run(args) }.expect("it launches");
        assert_eq!(driver.last_launch().expect("a launch").name, "affine_f32");
    });
}
