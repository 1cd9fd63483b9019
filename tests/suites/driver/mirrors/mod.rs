//! Structs in device memory, which a program mirrors by hand: compared with debug information at compile time and when
//! they are loaded, to any depth of pointers.
#![allow(dead_code, reason = "descriptions of structs, of which no value is made")]

mod wrong;

use cudarc::driver::{CudaSlice, CudaView};
use kernel_args::{
    ArgList, DevicePointer, DevicePointerMut, DeviceType, Error, KernelArgs, Module,
    error::VerifyError,
    image::{NotCompared, NotComparedReason, Verification},
    vector::Float4,
};
use kernel_args_tests::driver::{context, suite, trial};
use std::{ffi::c_void, process::ExitCode};

kernel_args::kernels! {
    pub mod mirrors = "../ptx/mirrors.ptx", debug_info = "../ptx/mirrors.debug.ptx";
    /// Without debug information.
    pub mod plain = "../ptx/mirrors.ptx";
}

/// The structs that `kernels!` generates fit, with slices and with device pointers.
#[allow(missing_docs, reason = "each has its own")]
mod generated {
    kernel_args::kernels! {
        pub(crate) mod slices = "../ptx/mirrors.ptx", debug_info = "../ptx/mirrors.debug.ptx", generate;
        pub(crate) mod raw = "../ptx/mirrors.ptx", debug_info = "../ptx/mirrors.debug.ptx", generate(pointers = raw);
    }
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Light {
    intensity: f32,
    range: f32,
    kind: u32,
    color: Float4,
    direction: [f32; 3],
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum Op {
    Add = 0,
    Sub = 1,
    Load = 16,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct ExecutionState<T: DeviceType> {
    pc: T,
    timestamp: T,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct AdapterCols {
    from_state: ExecutionState<u32>,
    rd_ptr: u32,
    rs1_ptr: u32,
    reads_aux: [[u32; 3]; 2],
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct CoreCols {
    a: [u8; 4],
    b: [u8; 4],
    opcode_flags: [u32; 3],
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct BaseAluCols {
    adapter: AdapterCols,
    core: CoreCols,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Record {
    tag: u32,
    timestamp: u32,
    #[device_type(opaque)]
    operand: u32,
    op: Op,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Span {
    records: DevicePointer<Record>,
    len: usize,
    height: usize,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Flags {
    bits: u32,
    address: u32,
    length: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Header {
    air_id: u32,
    height: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Trace {
    header: Header,
    width: u32,
    offset: u32,
}

/// Not the kernel's: the kernel's source only declares it.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Hidden {
    anything: u8,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Node {
    key: f32,
    weight: f32,
    left: DevicePointerMut<Node>,
    right: DevicePointerMut<Node>,
    spans: [Span; 2],
}

/// Pointers to structs of any types.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Machine<S: DeviceType, N: DeviceType, T: DeviceType, R: DeviceType, F: DeviceType> {
    spans: DevicePointer<S>,
    root: DevicePointerMut<N>,
    traces: [DevicePointerMut<T>; 2],
    hidden: DevicePointerMut<Hidden>,
    scratch: DevicePointerMut<c_void>,
    bytes: DevicePointerMut<u8>,
    rows: DevicePointerMut<[R; 4]>,
    flags: DevicePointerMut<F>,
}

type Right = Machine<Span, Node, Trace, BaseAluCols, Flags>;

#[derive(KernelArgs)]
#[kernel_args(kernel = mirrors::run)]
struct Run<'a, M: DeviceType> {
    machine: M,
    all: &'a mut CudaSlice<M>,
    each: DevicePointerMut<DevicePointerMut<M>>,
    out: DevicePointerMut<u32>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Buffer<T: DeviceType> {
    data: DevicePointerMut<T>,
    rows: u32,
    columns: u32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = mirrors::lit)]
struct Lit<'a> {
    lights: CudaView<'a, Light>,
    out: &'a mut CudaSlice<f32>,
    n: i32,
}

/// A struct of any type of records is compared where it is used.
#[derive(KernelArgs)]
#[kernel_args(kernel = mirrors::records)]
#[expect(clippy::struct_field_names, reason = "the kernel's names")]
struct Records<'a, R: DeviceType, F: DeviceType, T: DeviceType> {
    records: &'a CudaSlice<R>,
    flags: DevicePointer<F>,
    traces: Option<&'a CudaSlice<T>>,
    out: &'a mut CudaSlice<u32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = mirrors::walk)]
struct Walk {
    root: DevicePointerMut<Node>,
    out: DevicePointerMut<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = mirrors::fill)]
struct Fill {
    rows: DevicePointerMut<BaseAluCols>,
    spans: DevicePointer<Span>,
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = mirrors::buffers)]
struct Buffers {
    r#in: Buffer<f32>,
    records: DevicePointer<Buffer<Record>>,
    rows: DevicePointerMut<[f32; 4]>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Scene {
    buffers: [DevicePointer<Buffer<Record>>; 2],
    depth: DevicePointerMut<Buffer<f32>>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = mirrors::draw)]
struct Draw {
    scene: DevicePointer<Scene>,
    by_value: Scene,
    out: DevicePointerMut<f32>,
}

/// Two structs that point to each other.
mod circle {
    use super::{DevicePointer, DeviceType};

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(super) struct One<T: DeviceType> {
        pub(super) other: DevicePointer<Other<T>>,
        pub(super) value: T,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(super) struct Other<T: DeviceType> {
        pub(super) one: DevicePointer<One<T>>,
        pub(super) ones: [DevicePointer<DevicePointer<One<T>>>; 2],
    }

    const _: () = assert!(One::<u64>::MEMBERS.len() == 2);

    /// A generic struct that contains its element, which points to it.
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(super) struct List<T: DeviceType> {
        pub(super) item: T,
        pub(super) more: DevicePointer<[List<T>; 2]>,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(super) struct Item {
        pub(super) list: DevicePointer<List<Item>>,
        pub(super) by_value: Holder<Item>,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(super) struct Holder<T: DeviceType> {
        pub(super) item: DevicePointer<T>,
    }

    /// A struct that is the element of what it points to, and points to it in several ways.
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub(super) struct Tree {
        pub(super) children: [DevicePointer<List<Tree>>; 2],
        pub(super) parent: DevicePointer<DevicePointer<One<Holder<Tree>>>>,
        pub(super) value: Holder<List<Tree>>,
        pub(super) marker: core::marker::PhantomData<Holder<Holder<Tree>>>,
    }

    const _: () = assert!(Tree::MEMBERS.len() == 4);

    const _: () = assert!(List::<Item>::MEMBERS.len() == 2);
}

/// The error text of loading a struct.
#[track_caller]
fn refused<A: KernelArgs>(module: &Module, kernel: &str, words: &str) {
    let error = module.kernel::<A>(kernel).expect_err("it does not fit");
    assert!(matches!(error, Error::Verify(VerifyError::Mismatch(_))), "{error}");
    assert!(error.to_string().contains(words), "{error}\n  without: {words}");
}

fn right_structs_fit_at_load() -> Outcome {
    let ctx = context()?;
    let module = Module::load(&ctx, mirrors::IMAGE)?;
    module.kernel::<Lit<'_>>("lit")?;
    module.kernel::<Records<'_, Record, Flags, Trace>>("records")?;
    module.kernel::<Walk>("walk")?;
    module.kernel::<Fill>("fill")?;
    module.kernel::<Run<'_, Right>>("run")?;
    module.kernel::<Buffers>("buffers")?;
    module.kernel::<Draw>("draw")?;
    // The debug information is in the image itself.
    let image = include_str!("../../../../ptx/mirrors.debug.ptx");
    let module = Module::load(&ctx, image)?;
    module.kernel::<Walk>("walk")?;
    refused::<wrong::Walk>(&module, "walk", "`root[].spans.records[].tag`");
    Ok(())
}

type Wrong<'a, R, F, T> = Records<'a, R, F, T>;

fn wrong_members_behind_pointers_are_refused() -> Outcome {
    let ctx = context()?;
    let module = Module::load(&ctx, mirrors::IMAGE)?;
    let (m, exchanged) = (&module, "the name of another member of the kernel's struct");
    refused::<Wrong<'_, wrong::Record, Flags, Trace>>(
        m,
        "records",
        "has `records[].tag` at byte 0, where this one has `records[].timestamp`, the name of another member",
    );
    refused::<Wrong<'_, wrong::Tagged, Flags, Trace>>(
        m,
        "records",
        "the kernel's struct has `records[].operand` at byte 8, this one has `records[].operand` at byte 0: put the members in the kernel's order",
    );
    refused::<Wrong<'_, wrong::Short, Flags, Trace>>(
        m,
        "records",
        "the kernel's struct has `records[].op` (vm::Op) at byte 12, this one has no such member there: add `op: Op` at the end",
    );
    refused::<Wrong<'_, Record, wrong::Flags, Trace>>(
        m,
        "records",
        "has `flags[].address` at byte 0 (`u32`): exchange `address` and `bits`;",
    );
    refused::<Wrong<'_, Record, Flags, wrong::Trace>>(m, "records", "has `traces[].air_id` at byte 0, where");
    refused::<Wrong<'_, Record, Flags, wrong::OwnMembers>>(m, "records", "has `traces[].width` at byte 8, where");
    refused::<wrong::Walk>(m, "walk", "has `root[].spans.records[].tag` at byte 0, where");
    refused::<wrong::Fill>(m, "fill", "the kernel's struct has `rows[].adapter");
    refused::<Run<'_, Machine<Span, Node, Trace, wrong::BaseAluCols, Flags>>>(
        m,
        "run",
        "the kernel's struct has `rows[].adapter",
    );
    refused::<Run<'_, Machine<Span, Node, wrong::Trace, BaseAluCols, Flags>>>(
        m,
        "run",
        "has `traces[].air_id` at byte 0, where",
    );
    refused::<Run<'_, Machine<Span, Node, Trace, BaseAluCols, wrong::Flags>>>(
        m,
        "run",
        "has `flags[].address` at byte 4",
    );
    refused::<Run<'_, Machine<wrong::Spans, Node, Trace, BaseAluCols, Flags>>>(m, "run", exchanged);
    refused::<wrong::Draw<wrong::Depth, Scene>>(m, "draw", "has `scene[].depth[].rows` at byte 8, where");
    refused::<wrong::Draw<Scene, wrong::Depth>>(m, "draw", "has `depth[].rows` at byte 8, where");
    refused::<wrong::Draw<wrong::Records, Scene>>(m, "draw", "has `scene[].buffers[].data[].tag` at byte 0, where");
    // Without debug information only the names of structs are compared.
    let module = Module::load(&ctx, plain::IMAGE)?;
    module.kernel::<wrong::Walk>("walk")?;
    module.kernel::<wrong::Fill>("fill")?;
    Ok(())
}

/// The types of a list are compared at its first launch.
fn lists_of_arguments_are_compared() -> Outcome {
    let ctx = context()?;
    let function = Module::load(&ctx, mirrors::IMAGE)?.function("walk")?;
    let mut list = ArgList::new();
    list.push(DevicePointerMut::<wrong::Node>::NULL);
    list.push(DevicePointerMut::<f32>::NULL);
    // SAFETY: the launch is refused.
    let refused = unsafe { kernel_args::launch!(function, 1, 1, &mut list) };
    let error = refused.expect_err("it does not fit").to_string();
    assert!(
        error
            .contains("has `root[].spans.records[].tag` at byte 0, where this one has `0[].spans.records[].timestamp`"),
        "{error}"
    );
    Ok(())
}

fn what_is_not_compared_is_listed() -> Outcome {
    let ctx = context()?;
    let module = Module::load(&ctx, mirrors::IMAGE)?;
    let listed = |kernel: &str| -> Result<Vec<String>, Box<dyn std::error::Error>> {
        match module.function(kernel)?.verification() {
            Verification::Verified { not_compared, .. } => Ok(not_compared.iter().map(ToString::to_string).collect()),
            other => Err(format!("{other:?}").into()),
        }
    };
    assert_eq!(listed("lit")?, [""; 0]);
    assert_eq!(
        listed("records")?,
        ["`records[].operand` of parameter `records`: a union", "`flags[].is_write` of parameter `flags`: bit fields",]
    );
    assert_eq!(
        listed("run")?[0],
        "`hidden[]` of parameter `machine`: a struct that the kernel's source declares but does not define"
    );
    let kernel = module.kernel::<Walk>("walk")?;
    let Verification::Verified { not_compared, .. } = kernel.verification() else {
        return Err("it is verified".into());
    };
    let [NotCompared { path, reason, .. }] = &not_compared[..] else {
        return Err(format!("{not_compared:?}").into());
    };
    assert_eq!(path, "root[].spans.records[].operand");
    assert!(matches!(reason, NotComparedReason::Opaque(_)));
    let module = Module::load(&ctx, plain::IMAGE)?;
    let function = module.function("records")?;
    assert!(matches!(function.verification(), Verification::Verified { not_compared, .. } if not_compared.is_empty()));
    Ok(())
}

pub(crate) fn main() -> ExitCode {
    suite(
        "mirrors",
        |_| {
            vec![
                trial("right_structs", right_structs_fit_at_load),
                trial("wrong_structs", wrong_members_behind_pointers_are_refused),
                trial("lists_of_arguments", lists_of_arguments_are_compared),
                trial("not_compared", what_is_not_compared_is_listed),
            ]
        },
        |_| (),
    )
}
