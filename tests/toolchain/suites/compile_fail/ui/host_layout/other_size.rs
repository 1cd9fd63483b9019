use kernel_args::{
    DeviceType,
    abi::{Class, CppType, Layout},
};

// A type that is aligned to 4 bytes here and to 16 on the device.
#[derive(Clone, Copy)]
#[repr(C)]
struct Quad([f32; 4]);

// SAFETY: four floats without padding; the host's alignment is smaller and at most 16.
unsafe impl DeviceType for Quad {
    const LAYOUT: Layout = match Layout::from_size_align(16, 16) {
        Ok(layout) => layout,
        Err(_) => panic!(),
    };
    const CLASS: Class = Class::Bytes;
    const CPP: CppType<'static> = CppType::named("float4");
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Ray {
    origin: Quad,
    kind: u32,
}
