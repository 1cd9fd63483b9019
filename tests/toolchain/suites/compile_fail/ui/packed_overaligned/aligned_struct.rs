use kernel_args::{DeviceType, KernelArgs};

#[derive(Clone, Copy, DeviceType)]
#[repr(C, align(32))]
struct Wide {
    values: [f32; 8],
}

#[derive(KernelArgs)]
struct Args {
    n: u32,
    wide: Wide,
}

fn main() {
    let args = Args {
        n: 1,
        wide: Wide { values: [0.0; 8] },
    };
    args.with_packed(|_| ());
}
