//! Random launches: what an observer sees is what the kernel echoes.

use crate::observe::seen::{self, Outcome, launched};
use cudarc::driver::{CudaSlice, CudaView, DevicePtrMut};
use kernel_args::{
    ArgList, DevicePointer, DevicePointerMut, Module,
    args::Form,
    launch,
    vector::{Char4, Double2, Float2, Float3, Float4, Int2, UInt4},
};
use kernel_args_tests::{
    driver::{context, trial},
    tally,
    values::{Bytes, Draw, Source},
};
use libtest_mimic::Trial;
use std::{env, fmt::Write as _};

/// A parameter of a random kernel.
struct Parameter {
    size: usize,
    align: usize,
    bytes: Vec<u8>,
    /// The C++ type.
    cpp: &'static str,
    /// The value, if its text is certain.
    value: Option<String>,
    elements: Option<usize>,
}

/// PTX of a kernel that writes the bytes of its parameters, except the first, to the memory behind the first.
fn kernel(parameters: &[Parameter]) -> String {
    let mut ptx =
        String::from(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry echo(\n    .param .u64 out");
    for (index, parameter) in parameters.iter().enumerate() {
        let Parameter { size, align, cpp, .. } = *parameter;
        // Writing to a String cannot fail.
        let _ = match cpp {
            "float" => write!(ptx, ",\n    .param .f32 p{index}"),
            "double" => write!(ptx, ",\n    .param .f64 p{index}"),
            vector if vector.ends_with(char::is_numeric) => {
                write!(ptx, ",\n    .param .align {align} .b8 p{index}[{size}]")
            }
            _ => write!(ptx, ",\n    .param .u{} p{index}", 8 * size),
        };
    }
    ptx += "\n) {\n    .reg .b64 %rd<2>;\n    .reg .b16 %rs<2>;\n    ld.param.u64 %rd1, [out];\n";
    let mut to = 0;
    for (index, Parameter { size, .. }) in parameters.iter().enumerate() {
        for byte in 0..*size {
            let _ = write!(ptx, "    ld.param.u8 %rs1, [p{index}+{byte}];\n    st.global.u8 [%rd1+{to}], %rs1;\n");
            to += 1;
        }
    }
    ptx + "    ret;\n}\n"
}

/// The memory of slices.
struct Slices {
    floats: CudaSlice<f32>,
    bytes: CudaSlice<u8>,
}

/// Appends a random argument to the list.
fn push<'a>(from: &mut Source, list: &mut ArgList<'a>, slices: &'a Slices) -> Parameter {
    /// A value whose text is known.
    macro_rules! value {
        ($ty:ty, $cpp:literal, |$name:ident| $text:expr) => {{
            let $name = <$ty>::draw(from);
            let value: Option<String> = $text;
            let bytes = $name.bytes();
            list.push($name);
            Parameter { size: size_of::<$ty>(), align: align_of::<$ty>(), bytes, cpp: $cpp, value, elements: None }
        }};
    }
    fn pointer(cpp: &'static str, elements: Option<usize>, value: Option<u64>) -> Parameter {
        Parameter {
            size: 8,
            align: 8,
            bytes: value.map_or_else(Vec::new, |value| value.to_le_bytes().to_vec()),
            cpp,
            value: value.map(|value| match value {
                0 => "null".to_owned(),
                value => format!("{value:#x}"),
            }),
            elements,
        }
    }
    match u8::draw(from) % 21 {
        0 => value!(u8, "unsigned char", |v| Some(v.to_string())),
        1 => value!(i8, "signed char", |v| Some(v.to_string())),
        2 => value!(u16, "unsigned short", |v| Some(v.to_string())),
        3 => value!(i16, "short", |v| Some(v.to_string())),
        4 => value!(u32, "unsigned int", |v| Some(v.to_string())),
        5 => value!(i32, "int", |v| Some(v.to_string())),
        6 => value!(u64, "unsigned long long", |v| Some(v.to_string())),
        7 => value!(i64, "long long", |v| Some(v.to_string())),
        8 => value!(f32, "float", |v| Some(format!("{v:?}"))),
        9 => value!(f64, "double", |v| Some(format!("{v:?}"))),
        10 => value!(bool, "bool", |v| Some(v.to_string())),
        11 => value!(Float2, "float2", |v| Some(format!("({:?}, {:?})", v.x, v.y))),
        12 => value!(Float3, "float3", |_v| None),
        13 => value!(Float4, "float4", |_v| None),
        14 => value!(Double2, "double2", |v| Some(format!("({:?}, {:?})", v.x, v.y))),
        15 => value!(Int2, "int2", |v| Some(format!("({}, {})", v.x, v.y))),
        16 => value!(UInt4, "uint4", |v| Some(format!("({}, {}, {}, {})", v.x, v.y, v.z, v.w))),
        17 => value!(Char4, "char4", |v| Some(format!("({}, {}, {}, {})", v.x, v.y, v.z, v.w))),
        18 => {
            let address = u64::draw(from);
            list.push(DevicePointer::<f64>::from_raw(address));
            pointer("double const*", None, Some(address))
        }
        19 => {
            list.push(&slices.floats);
            pointer("float const*", Some(slices.floats.len()), None)
        }
        _ => {
            let length = usize::from(u8::draw(from)) + 1;
            let part: CudaView<'a, u8> = slices.bytes.slice(..length);
            list.push(part);
            pointer("unsigned char const*", Some(length), None)
        }
    }
}

fn observed_arguments_are_what_the_kernel_receives() -> Outcome {
    let full = env::var_os("KERNEL_ARGS_FULL").is_some();
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let slices = Slices { floats: stream.alloc_zeros(123)?, bytes: stream.alloc_zeros(256)? };
    let (_installed, log) = seen::install();
    for seed in 0..if full { 1000 } else { 60 } {
        let from = &mut Source::new(seed);
        let mut list = ArgList::new();
        let mut out = stream.clone_htod(&[0xa5_u8; 1024])?;
        let (address, guard) = out.device_ptr_mut(&stream);
        drop(guard);
        list.push(DevicePointerMut::<u8>::from_raw(address));
        let count = u8::draw(from) % 12;
        let parameters: Vec<_> = (0..count).map(|_| push(from, &mut list, &slices)).collect();
        let function = Module::load(&ctx, kernel(&parameters))?.function("echo")?;
        let loaded = seen::taken(&log)?;
        assert_eq!(loaded.len(), 1);
        let grid = [1 + u32::from(u8::draw(from)), 1 + u32::from(u8::draw(from) % 4), 1];
        let block = [1 + u32::from(u8::draw(from)), 1, 1 + u32::from(u8::draw(from) % 2)];
        let shared = u32::from(u16::draw(from) % 4096);
        for form in [Form::KernelParams, Form::Packed] {
            // SAFETY: `out` has space for the echo, and the kernel writes no other memory.
            unsafe {
                launch!(function, grid, block, &mut list, stream = &stream, shared = shared, form = form)?;
            }
            let launch = launched(&log)?;
            assert_eq!((launch.grid.into(), launch.block.into()), (grid, block));
            assert_eq!((launch.shared, launch.form), (shared, form));
            assert_eq!(launch.arguments.len(), parameters.len() + 1);
            assert_eq!(launch.arguments[0].bytes, address.to_le_bytes());
            for (seen, passed) in launch.arguments[1..].iter().zip(&parameters) {
                let context = format!("seed {seed}, {form:?}: {seen:?}");
                assert_eq!(seen.cpp, passed.cpp, "{context}");
                assert_eq!(seen.elements, passed.elements, "{context}");
                if !passed.bytes.is_empty() {
                    assert_eq!(seen.bytes, passed.bytes, "{context}");
                }
                if let Some(value) = &passed.value {
                    assert_eq!(&seen.value, value, "{context}");
                }
            }
            let all = launch.arguments[1..].iter().map(|one| one.bytes.as_slice());
            let expected: Vec<u8> = all.flatten().copied().collect();
            let echo = stream.clone_dtoh(&out)?;
            let way = format!("observed, {form:?}");
            tally::compare(&format!("seed {seed}"), &way, &echo[..expected.len()], &expected)?;
        }
    }
    Ok(())
}

pub(super) fn trials() -> Vec<Trial> {
    vec![trial("observed_arguments_are_what_the_kernel_receives", observed_arguments_are_what_the_kernel_receives)]
}
