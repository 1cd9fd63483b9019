//! Structs with mistakes in their members.

use super::{DevicePointer, DevicePointerMut, DeviceType, Header, KernelArgs, Op, Span};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(super) struct Record {
    timestamp: u32,
    tag: u32,
    #[device_type(opaque)]
    operand: u32,
    op: Op,
}

/// The union is at the place of the tag.
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Record")]
#[repr(C)]
pub(super) struct Tagged {
    #[device_type(opaque)]
    operand: u32,
    timestamp: u32,
    tag: u32,
    op: Op,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Record")]
#[repr(C)]
pub(super) struct Short {
    tag: u32,
    timestamp: u32,
    #[device_type(opaque)]
    operand: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(super) struct Flags {
    address: u32,
    bits: u32,
    length: u32,
}

/// A member of the base class is exchanged.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(super) struct Trace {
    height: u32,
    air_id: u32,
    width: u32,
    offset: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Trace")]
#[repr(C)]
pub(super) struct OwnMembers {
    header: Header,
    offset: u32,
    width: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(super) struct Node {
    key: f32,
    weight: f32,
    left: DevicePointerMut<Node>,
    right: DevicePointerMut<Node>,
    spans: [Spans; 2],
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Span")]
#[repr(C)]
pub(super) struct Spans {
    records: DevicePointer<Record>,
    len: usize,
    height: usize,
}

#[derive(KernelArgs)]
pub(super) struct Walk {
    pub(super) root: DevicePointerMut<Node>,
    pub(super) out: DevicePointerMut<f32>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(super) struct Buffer<T: DeviceType> {
    data: DevicePointerMut<T>,
    columns: u32,
    rows: u32,
}

/// The members of a buffer are exchanged.
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Scene")]
#[repr(C)]
pub(super) struct Depth {
    buffers: [DevicePointer<super::Buffer<super::Record>>; 2],
    depth: DevicePointerMut<Buffer<f32>>,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Scene")]
#[repr(C)]
pub(super) struct Records {
    buffers: [DevicePointer<super::Buffer<Record>>; 2],
    depth: DevicePointerMut<super::Buffer<f32>>,
}

#[derive(KernelArgs)]
pub(super) struct Draw<A: DeviceType, B: DeviceType> {
    scene: DevicePointer<A>,
    by_value: B,
    out: DevicePointerMut<f32>,
}

/// Rows of other columns.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(super) struct BaseAluCols {
    core: super::CoreCols,
    adapter: super::AdapterCols,
}

#[derive(KernelArgs)]
pub(super) struct Fill {
    pub(super) rows: DevicePointerMut<BaseAluCols>,
    pub(super) spans: DevicePointer<Span>,
    pub(super) n: u32,
}
