//! Addresses in integers, which show no memory: a launch with one waits for every other launch, unless its kernel has a
//! number there.

use crate::sequences::world::{N, Outcome, new_sequence, trial};
use cudarc::{
    driver::{
        CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg,
        sys::{CUdeviceptr, CUfunction},
    },
    nvrtc::Ptx,
};
use kernel_args::{
    ArgList, DevicePointer, DeviceType, Error, Function, Kernel, KernelArgs, Module,
    args::AsStream,
    launch,
    sequence::{Run, Sequence},
    vector::ULongLong2,
};
use kernel_args_test_generator::rng::Rng;
use kernel_args_tests::driver::{Driver, context};
use libtest_mimic::Trial;
use std::{env, sync::Arc};

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("each_form_of_an_address_is_ordered", each),
        trial("numbers_are_not_ordered", numbers),
        trial("random_programs_with_addresses_have_the_results_of_plain_launches", random),
    ]
}

/// Kernels that compute `y = alpha * x + y` for `n` elements. `loads` loads `n`, `alpha`, `x` and `y`.
fn image() -> String {
    let kernel = |name: &str, parameters: &str, loads: &str| {
        format!(
            ".visible .entry {name}({parameters}) {{
    .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<12>;
    {loads}
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd3, %rd2;
    cvta.to.global.u64 %rd4, %rd1;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd6, %rd4, %rd5;
    ld.global.f32 %f2, [%rd6];
    add.s64 %rd7, %rd3, %rd5;
    ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f4, %f2, %f1, %f3;
    st.global.f32 [%rd7], %f4;
DONE:
    ret;
}}
"
        )
    };
    let scalars = ".param .u32 n, .param .f32 alpha, ";
    let load = "ld.param.u32 %r2, [n]; ld.param.f32 %f1, [alpha];";
    let pointers = "ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y];";
    let addresses = format!("{scalars}.param .u64 x, .param .u64 y");
    let through_a_call = "ld.param.u64 %rd8, [x]; ld.param.u64 %rd2, [y];
    { .param .b64 out; .param .b64 in; st.param.b64 [in], %rd8; call.uni (out), same, (in); ld.param.b64 %rd1, [out]; }";
    [
        ".version 7.0\n.target sm_52\n.address_size 64\n".to_string(),
        ".func (.param .b64 out) same(.param .b64 in) { .reg .b64 %rd<2>; ld.param.b64 %rd1, [in]; st.param.b64 [out], %rd1; ret; }\n".into(),
        kernel("_Z5typedjfPKfPf", &addresses, &format!("{load} {pointers}")),
        kernel("bare", &addresses, &format!("{load} {pointers}")),
        kernel("called", &addresses, &format!("{load} {through_a_call}")),
        kernel(
            "whole",
            ".param .align 8 .b8 all[24]",
            "ld.param.u32 %r2, [all]; ld.param.f32 %f1, [all+4]; ld.param.u64 %rd1, [all+8]; ld.param.u64 %rd2, [all+16];",
        ),
        kernel(
            "pair",
            &format!("{scalars}.param .align 8 .b8 both[16]"),
            &format!("{load} ld.param.u64 %rd1, [both]; ld.param.u64 %rd2, [both+8];"),
        ),
        kernel(
            "vector",
            &format!("{scalars}.param .align 16 .b8 both[16]"),
            &format!("{load} ld.param.v2.u64 {{%rd1, %rd2}}, [both];"),
        ),
        kernel(
            "table",
            &format!("{scalars}.param .u64 both"),
            &format!(
                "{load} ld.param.u64 %rd8, [both]; cvta.to.global.u64 %rd9, %rd8; ld.global.u64 %rd1, [%rd9]; ld.global.u64 %rd2, [%rd9+8];"
            ),
        ),
        // With a number of 64 bits: as C++ shows it, or the code.
        ".visible .entry _Z7counteryPf(.param .u64 number, .param .u64 y) { ret; }\n".into(),
        ".visible .entry compared(.param .u64 number, .param .u64 y) {
    .reg .pred %p<2>; .reg .b64 %rd<4>; .reg .b32 %r<2>;
    ld.param.u64 %rd1, [number]; ld.param.u64 %rd2, [y]; cvta.to.global.u64 %rd3, %rd2;
    setp.lt.u64 %p1, %rd1, 7; @%p1 bra DONE; mov.u32 %r1, 0; st.global.u32 [%rd3], %r1;
DONE: ret;
}\n"
        .into(),
    ]
    .concat()
}

macro_rules! arguments {
    ($($name:ident $(<$life:lifetime>)? { $($field:ident: $ty:ty),* $(,)? })*) => {$(
        #[derive(KernelArgs)]
        struct $name $(<$life>)? {
            $($field: $ty,)*
        }
    )*};
}

arguments! {
    Slices<'a> { n: u32, alpha: f32, x: &'a CudaSlice<f32>, y: &'a mut CudaSlice<f32> }
    Address<'a> { n: u32, alpha: f32, x: CUdeviceptr, y: &'a mut CudaSlice<f32> }
    Written<'a> { n: u32, alpha: f32, x: &'a CudaSlice<f32>, y: u64 }
    Both { n: u32, alpha: f32, x: u64, y: u64 }
    Pointer<'a> { n: u32, alpha: f32, x: DevicePointer<f32>, y: &'a mut CudaSlice<f32> }
    Size<'a> { n: u32, alpha: f32, x: usize, y: &'a mut CudaSlice<f32> }
    Signed<'a> { n: u32, alpha: f32, x: i64, y: &'a mut CudaSlice<f32> }
    OfWhole { all: Whole }
    OfPair { n: u32, alpha: f32, both: [u64; 2] }
    OfVector { n: u32, alpha: f32, both: ULongLong2 }
    OfTable<'a> { n: u32, alpha: f32, both: &'a CudaSlice<CUdeviceptr> }
    Number<'a> { number: u64, y: &'a mut CudaSlice<f32> }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Whole {
    n: u32,
    alpha: f32,
    x: u64,
    y: u64,
}

struct Kernels {
    ctx: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    slices: Kernel<Slices<'static>>,
    address: Kernel<Address<'static>>,
    both: Kernel<Both>,
    pointer: Kernel<Pointer<'static>>,
    bare_slices: Kernel<Slices<'static>>,
    bare: Kernel<Address<'static>>,
    written: Kernel<Written<'static>>,
    size: Function,
    called: Kernel<Address<'static>>,
    whole: Kernel<OfWhole>,
    pair: Kernel<OfPair>,
    vector: Kernel<OfVector>,
    table: Kernel<OfTable<'static>>,
    counter: Kernel<Number<'static>>,
    compared: Kernel<Number<'static>>,
    cudarc: CudaFunction,
}

impl Kernels {
    fn new() -> Outcome<Self> {
        let (ctx, image) = (context()?, image());
        let module = Module::load(&ctx, &*image)?;
        Ok(Self {
            slices: module.kernel("typed")?,
            address: module.kernel("typed")?,
            both: module.kernel("typed")?,
            pointer: module.kernel("typed")?,
            bare_slices: module.kernel("bare")?,
            bare: module.kernel("bare")?,
            written: module.kernel("bare")?,
            size: module.function("bare")?,
            called: module.kernel("called")?,
            whole: module.kernel("whole")?,
            pair: module.kernel("pair")?,
            vector: module.kernel("vector")?,
            table: module.kernel("table")?,
            counter: module.kernel("counter")?,
            compared: module.kernel("compared")?,
            cudarc: ctx.load_module(Ptx::from_src(&image))?.load_function("bare")?,
            stream: ctx.new_stream()?,
            ctx,
        })
    }

    fn raw(&self) -> CUfunction {
        self.bare.as_function().cu_function()
    }
}

/// How a launch receives the addresses of `x` and `y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Slices,
    BareSlices,
    Address,
    Both,
    Pointer,
    Bare,
    Written,
    Size,
    Signed,
    List,
    Called,
    Whole,
    Pair,
    Vector,
    Table,
    Cudarc,
    Raw,
    RawSize,
    Promised,
}

impl Form {
    const ALL: [Self; 19] = [
        Self::Slices,
        Self::BareSlices,
        Self::Address,
        Self::Both,
        Self::Pointer,
        Self::Bare,
        Self::Written,
        Self::Size,
        Self::Signed,
        Self::List,
        Self::Called,
        Self::Whole,
        Self::Pair,
        Self::Vector,
        Self::Table,
        Self::Cudarc,
        Self::Raw,
        Self::RawSize,
        Self::Promised,
    ];

    fn is_slices(self) -> bool {
        matches!(self, Self::Slices | Self::BareSlices)
    }
}

/// Some memory, with its address, and a table with two addresses for each pair.
struct Memory {
    slices: Vec<CudaSlice<f32>>,
    addresses: Vec<CUdeviceptr>,
    tables: Vec<CudaSlice<CUdeviceptr>>,
}

const SLICES: usize = 4;

impl Memory {
    fn new(stream: &Arc<CudaStream>) -> Outcome<Self> {
        let slice = |index| stream.clone_htod(&[index as f32 + 1.0; N as usize]);
        let slices = (0..SLICES).map(slice).collect::<Result<Vec<_>, _>>()?;
        let addresses: Vec<_> = slices.iter().map(|slice| slice.device_ptr(stream).0).collect();
        let pair = |index| stream.clone_htod(&[addresses[index / SLICES], addresses[index % SLICES]]);
        let tables = (0..SLICES * SLICES).map(pair).collect::<Result<_, _>>()?;
        Ok(Self { slices, addresses, tables })
    }

    fn values(&self, stream: &Arc<CudaStream>) -> Outcome<Vec<Vec<f32>>> {
        Ok(self.slices.iter().map(|slice| stream.clone_dtoh(slice)).collect::<Result<_, _>>()?)
    }
}

#[derive(Clone, Copy, Debug)]
struct Step {
    form: Form,
    x: usize,
    y: usize,
    alpha: f32,
}

/// `slices` and `tables` are the memory with these `addresses`.
fn perform(
    kernels: &Kernels,
    step: Step,
    slices: &mut [impl core::ops::DerefMut<Target = CudaSlice<f32>>],
    tables: &[&CudaSlice<CUdeviceptr>],
    addresses: &[CUdeviceptr],
    on: &impl AsStream,
    run: Option<&Run>,
) -> Result<(), Error> {
    let Step { form, x: from, y: to, alpha } = step;
    let ([x, y], n) = ([addresses[from], addresses[to]], N);
    let table = tables[from * SLICES + to];
    let Ok([from, to]) = slices.get_disjoint_mut([from, to]) else { unreachable!("two slices") };
    macro_rules! launched {
        ($kernel:expr, $args:expr) => {
            // SAFETY: all memory has `N` elements, and is allocated until the end of the program.
            unsafe { launch!($kernel, 1, N, $args, stream = on) }
        };
    }
    match form {
        Form::Slices => launched!(kernels.slices, Slices { n, alpha, x: from, y: to }),
        Form::BareSlices => launched!(kernels.bare_slices, Slices { n, alpha, x: from, y: to }),
        Form::Address => launched!(kernels.address, Address { n, alpha, x, y: to }),
        Form::Both => launched!(kernels.both, Both { n, alpha, x, y }),
        Form::Pointer => launched!(kernels.pointer, Pointer { n, alpha, x: DevicePointer::from_raw(x), y: to }),
        Form::Bare => launched!(kernels.bare, Address { n, alpha, x, y: to }),
        Form::Written => launched!(kernels.written, Written { n, alpha, x: from, y }),
        Form::Size => launched!(kernels.size, Size { n, alpha, x: x as usize, y: to }),
        Form::Signed => launched!(kernels.size, Signed { n, alpha, x: x.cast_signed(), y: to }),
        Form::List => {
            let mut args = ArgList::new();
            args.push(n).push(alpha).push(x).push(&mut **to);
            launched!(kernels.size, args)
        }
        Form::Called => launched!(kernels.called, Address { n, alpha, x, y: to }),
        Form::Whole => launched!(kernels.whole, OfWhole { all: Whole { n, alpha, x, y } }),
        Form::Pair => launched!(kernels.pair, OfPair { n, alpha, both: [x, y] }),
        Form::Vector => launched!(kernels.vector, OfVector { n, alpha, both: ULongLong2::new(x, y) }),
        Form::Table => launched!(kernels.table, OfTable { n, alpha, both: table }),
        Form::Cudarc => launched!(kernels.cudarc, Address { n, alpha, x, y: to }),
        Form::Raw => launched!(kernels.raw(), Address { n, alpha, x, y: to }),
        Form::RawSize => launched!(kernels.raw(), Size { n, alpha, x: x as usize, y: to }),
        Form::Promised => {
            let launch = |stream: &Arc<CudaStream>| {
                let mut builder = stream.launch_builder(&kernels.cudarc);
                builder.arg(&n).arg(&alpha).arg(&x).arg(&y);
                let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (N, 1, 1), shared_mem_bytes: 0 };
                // SAFETY: the same.
                Ok(unsafe { builder.launch(config) }.map(drop)?)
            };
            match run {
                // SAFETY: the memory is allocated until the end of the program, and the arguments are the addresses.
                Some(run) => unsafe { run.external_with((n, alpha, x, y), |stream, _| launch(stream)) },
                None => launch(&kernels.stream),
            }
        }
    }
}

/// Runs the steps in a sequence, and compares the memory with the same steps as plain launches. Returns the longest
/// chain.
fn compare(kernels: &Kernels, sequence: &mut Sequence, memory: [&mut Memory; 2], steps: &[Step]) -> Outcome<usize> {
    let stream = &kernels.stream;
    let [plain, recorded] = memory;
    let Memory { slices, addresses, tables } = &mut *plain;
    let (mut all, tables): (Vec<_>, Vec<_>) = (slices.iter_mut().collect(), tables.iter().collect());
    for step in steps {
        perform(kernels, *step, &mut all, &tables, addresses, stream, None)?;
    }
    let Memory { slices, addresses, tables } = &mut *recorded;
    sequence.run(|s| {
        let mut slices = slices.iter_mut().map(|slice| s.hold(slice)).collect::<Result<Vec<_>, _>>()?;
        let tables = tables.iter().map(|table| s.hold(table)).collect::<Result<Vec<_>, _>>()?;
        steps.iter().try_for_each(|step| perform(kernels, *step, &mut slices, &tables, addresses, s, Some(s)))
    })?;
    assert_eq!(recorded.values(stream)?, plain.values(stream)?, "{steps:?}");
    Ok(sequence.longest_chain())
}

fn parallel(kernels: &Kernels) -> Sequence {
    // SAFETY: the kernels use only the memory of their arguments.
    unsafe { new_sequence(&kernels.stream).parallel() }
}

/// `y = 3 x`, then `z += y` in each form, then `x += z`.
fn each() -> Outcome {
    let kernels = Kernels::new()?;
    let mut missed = Vec::new();
    for form in Form::ALL {
        let (mut plain, mut recorded) = (Memory::new(&kernels.stream)?, Memory::new(&kernels.stream)?);
        let step = |form, x, y, alpha| Step { form, x, y, alpha };
        let before_and_after =
            [step(Form::Slices, 0, 1, 3.0), step(form, 1, 2, 1.0), step(Form::BareSlices, 2, 0, 1.0)];
        let mut sequence = parallel(&kernels);
        let chain = compare(&kernels, &mut sequence, [&mut plain, &mut recorded], &before_and_after)?;
        assert_eq!(chain, 3, "{form:?}");
        // Of other memory.
        let independent = [step(Form::Slices, 0, 1, 3.0), step(form, 2, 3, 1.0), step(Form::Slices, 0, 1, 3.0)];
        let chain = compare(&kernels, &mut sequence, [&mut plain, &mut recorded], &independent)?;
        if (chain == 2) != form.is_slices() {
            missed.push(form);
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
    Ok(())
}

/// What the types or the code of a kernel show to be a number.
fn numbers() -> Outcome {
    let kernels = Kernels::new()?;
    let mut memory = Memory::new(&kernels.stream)?;
    for kernel in [&kernels.counter, &kernels.compared] {
        let mut sequence = parallel(&kernels);
        sequence.run(|s| {
            for slice in &mut memory.slices {
                let mut y = s.hold(slice)?;
                // SAFETY: the kernel writes the first element at most.
                unsafe { launch!(kernel, 1, 1, Number { number: 1 << 40, y: &mut y }, stream = s)? };
            }
            Ok(())
        })?;
        assert_eq!(sequence.longest_chain(), 1, "{}", kernel.name());
    }
    Ok(())
}

fn random() -> Outcome {
    let programs = if env::var_os("KERNEL_ARGS_FULL").is_some() { 300 } else { 30 };
    let (kernels, mut shortened) = (Kernels::new()?, 0);
    for seed in 1..=programs {
        let mut rng = Rng::new(seed, 56);
        let (mut plain, mut recorded) = (Memory::new(&kernels.stream)?, Memory::new(&kernels.stream)?);
        let mut sequence = parallel(&kernels);
        for _ in 0..4 {
            let mut step = || {
                let form =
                    if rng.below(3) == 0 { Form::ALL[rng.below(Form::ALL.len())] } else { Form::ALL[rng.below(2)] };
                let x = rng.below(SLICES);
                let y = (x + 1 + rng.below(SLICES - 1)) % SLICES;
                Step { form, x, y, alpha: [0.5, -0.25, 0.125, 1.0][rng.below(4)] }
            };
            let steps: Vec<_> = (0..8).map(|_| step()).collect();
            for _ in 0..2 {
                let chain = compare(&kernels, &mut sequence, [&mut plain, &mut recorded], &steps)?;
                shortened += usize::from(chain < steps.len());
            }
        }
    }
    assert!(shortened > 0, "steps run at the same time");
    kernels.ctx.synchronize()?;
    Ok(())
}
