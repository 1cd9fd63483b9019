//! A struct by value: a `float` and a `float4`, with 12 bytes of padding between them on the device.

use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, Kernel, KernelArgs, abi::LayoutTable, launch, vector::Float4};

/// `struct FloatFloat4 { float f; float4 v; }` in the kernel's source.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "FloatFloat4")]
struct Weighted {
    weight: f32,
    value: Float4,
}

/// The kernel writes the bytes of the parameters after `out` to `out`, one after another.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/echo_structs.ptx", entry = "echo_struct_float_float4")]
struct Echo<'a> {
    out: &'a mut CudaSlice<u8>,
    before: i8,
    weighted: Weighted,
    after: i8,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = kernel_args_examples::context()?;
    println!("{}\n", LayoutTable(&Echo::SIGNATURE));
    let weighted = Weighted { weight: 0.5, value: Float4::new(1.0, 2.0, 3.0, 4.0) };
    let stream = ctx.default_stream();
    let kernel = Kernel::<Echo>::load(&ctx)?;
    let mut out = stream.alloc_zeros::<u8>(1 + size_of::<Weighted>() + 1)?;
    let args = Echo { out: &mut out, before: -1, weighted, after: -2 };
    // SAFETY: `out` has space for the parameters after it, and the kernel writes no other memory.
    unsafe { launch!(kernel, 1, 1, args)? };

    let echo = stream.clone_dtoh(&out)?;
    let (weight, value) = (&echo[1..5], &echo[17..33]);
    println!("the kernel received: before {}, after {}", echo[0].cast_signed(), echo[33].cast_signed());
    println!("  weight {weight:02x?}\n  padding {:02x?}\n  value {value:02x?}", &echo[5..17]);
    assert_eq!(weight, weighted.weight.to_ne_bytes());
    assert!(echo[5..17].iter().all(|&byte| byte == 0), "padding carries no host memory");
    let components: [f32; 4] = weighted.value.into();
    assert_eq!(value, components.map(f32::to_ne_bytes).concat());
    Ok(())
}
