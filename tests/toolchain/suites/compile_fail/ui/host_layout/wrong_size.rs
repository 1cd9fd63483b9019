use kernel_args::{
    DeviceType, KernelArgs,
    abi::{Class, CppType, Layout},
};

#[derive(Clone, Copy)]
struct Wide([u8; 64]);

unsafe impl DeviceType for Wide {
    const LAYOUT: Layout = u8::LAYOUT;
    const CLASS: Class = Class::Bytes;
    const CPP: CppType<'static> = CppType::UNKNOWN;
}

#[derive(KernelArgs)]
struct Args {
    wide: Wide,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Member {
    wide: Wide,
}

fn main() {
    Args { wide: Wide([0; 64]) }.with_packed(|_| ());
    [Wide([0; 64]); 2].store_both();
}

trait StoreBoth {
    fn store_both(&self);
}

impl StoreBoth for [Wide; 2] {
    fn store_both(&self) {
        let mut bytes = [0; 2];
        unsafe { self.store(bytes.as_mut_ptr()) };
    }
}
