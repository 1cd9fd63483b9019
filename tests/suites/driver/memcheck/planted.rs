//! An error that memcheck must detect: a device type that does not declare its padding.

use kernel_args::{
    DeviceType, KernelArgs,
    abi::{Class, CppType, Layout},
};

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Lying {
    small: u8,
    large: u32,
}

// SAFETY: this is not sound: `HAS_PADDING` is left `false`, so three uninitialized bytes are copied. Only a run under
// memcheck uses it.
unsafe impl DeviceType for Lying {
    const LAYOUT: Layout = match Layout::from_size_align(8, 4) {
        Ok(layout) => layout,
        Err(_) => panic!("4 is a power of two"),
    };
    const CLASS: Class = Class::Bytes;
    const CPP: CppType<'static> = CppType::named("Lying");
}

#[derive(KernelArgs)]
pub(crate) struct Args {
    n: u64,
    lying: OnHeap,
}

/// The value is on the heap, where its padding was never written.
pub(crate) struct OnHeap(Box<Lying>);

impl kernel_args::KernelArg for OnHeap {
    type Device = Lying;

    fn lower<'s>(&'s mut self, _: &'s kernel_args::args::LaunchStream<'_>) -> (Lying, kernel_args::args::Guard<'s>) {
        (*self.0, kernel_args::args::Guard::NONE)
    }

    fn in_place(&self) -> Option<&Lying> {
        Some(&self.0)
    }
}

/// Arguments with three uninitialized bytes.
pub(crate) fn args() -> Args {
    let mut lying = Box::<Lying>::new_uninit();
    let at = lying.as_mut_ptr();
    // SAFETY: the address is a field of the box.
    let small = unsafe { &raw mut (*at).small };
    // SAFETY: the address is a field of the box.
    let large = unsafe { &raw mut (*at).large };
    // SAFETY: a field of the box is valid for writes of its type.
    unsafe { small.write(1) };
    // SAFETY: as above.
    unsafe { large.write(2) };
    // SAFETY: both fields have been written.
    let lying = OnHeap(unsafe { lying.assume_init() });
    Args { n: 1, lying }
}
