//! The derives' output compiles where the user's crate forbids `unsafe`.
#![forbid(unsafe_code)]

use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use kernel_args::{DevicePointer, DeviceType, KernelArgs};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Padded {
    a: u8,
    b: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(transparent)]
struct Meters(f32);

#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Mode {
    Fast = 1,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

#[derive(KernelArgs)]
struct Args<T> {
    padded: Padded,
    meters: Meters,
    mode: Mode,
    pair: Pair<T>,
    to: DevicePointer<u8>,
}

const fn in_device_memory<T: DeviceRepr + ValidAsZeroBits>() {}
const fn read_back<T: DeviceRepr>() {}

#[test]
fn the_derives_work_under_forbid_unsafe_code() {
    in_device_memory::<Padded>();
    in_device_memory::<Meters>();
    in_device_memory::<Pair<Meters>>();
    read_back::<Mode>();
    read_back::<Pair<Mode>>();
    let args = Args {
        padded: Padded { a: 1, b: 2 },
        meters: Meters(0.0),
        mode: Mode::Fast,
        pair: Pair { a: 3_u16, b: 4 },
        to: DevicePointer::NULL,
    };
    args.with_packed(|bytes| {
        assert_eq!(
            bytes,
            [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        );
    });
}
