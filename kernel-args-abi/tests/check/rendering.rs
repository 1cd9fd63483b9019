//! Tables, to the letter.

use super::sides::{
    self, field, ptx_bytes, ptx_f32, ptx_u32, ptx_u64, signature, slice, slice_mut,
};
use kernel_args_abi::check::{Report, report};
use kernel_args_abi::{Class, CppType, LayoutTable, Parameter, Signature};

#[test]
fn look() {
    let host = [
        Parameter {
            offset: Some(0),
            ..sides::i32("i")
        },
        Parameter {
            offset: Some(16),
            ..field(
                "f4",
                "Float4",
                16,
                16,
                Class::Bytes,
                CppType::named("float4"),
            )
        },
        Parameter {
            offset: Some(32),
            ..sides::u32("c")
        },
        Parameter {
            offset: Some(40),
            ..sides::f64("alpha")
        },
        Parameter {
            offset: Some(48),
            ..slice("x", sides::FLOAT)
        },
    ];
    let mut rec = sides::records(&host);
    rec[2].size = 1;
    rec[3].offset = Some(36);
    rec[3].size = 4;
    rec.insert(4, Parameter::record(40, 8));
    let host = Signature {
        name: "Mix",
        parameters: &host,
    };
    let kernel = Signature {
        name: "mix",
        parameters: &rec,
    };
    let r: Report = report(&host, &kernel);
    println!("{}\n\n{}\n", r.table(), LayoutTable(&host));
    for m in r.mismatches() {
        println!("{}\n", r.message(*m));
    }

    const HOST: Signature = signature(
        "Saxpy",
        &[
            sides::f64("alpha"),
            sides::usize("n"),
            field("v", "[f32; 4]", 16, 4, Class::Bytes, CppType::UNKNOWN),
            slice("x", sides::FLOAT),
            slice("y", sides::FLOAT),
            sides::f32("extra"),
            sides::i32("s"),
        ],
    );
    const KERNEL: Signature = signature(
        "saxpy",
        &[
            ptx_u32(),
            sides::with_cpp(ptx_f32(), sides::FLOAT),
            ptx_bytes(16, 16),
            sides::with_cpp(ptx_u64(), sides::DOUBLE.pointer(true)),
            sides::with_cpp(ptx_u64(), sides::FLOAT.pointer(false)),
            sides::with_cpp(ptx_u32(), sides::UINT),
        ],
    );
    const R: Report = report(&HOST, &KERNEL);
    println!("{}\n", R.table());
    for m in R.mismatches() {
        println!("{}\n", R.message(*m));
    }
    const HOST2: Signature = signature(
        "Saxpy",
        &[
            sides::u32("n"),
            slice_mut("x", sides::FLOAT),
            sides::f32("alpha"),
        ],
    );
    const KERNEL2: Signature = signature("saxpy", &[ptx_f32(), ptx_u64(), ptx_u32(), ptx_u32()]);
    const R2: Report = report(&HOST2, &KERNEL2);
    println!("{}\n", R2.table());
    for m in R2.mismatches() {
        println!("{}\n", R2.message(*m));
    }
    let many: Vec<_> = (0..200)
        .map(|i| {
            if i % 3 == 0 {
                sides::u32("n")
            } else {
                slice("x", sides::FLOAT)
            }
        })
        .collect();
    let mut other: Vec<_> = (0..200)
        .map(|i| if i % 3 == 0 { ptx_u32() } else { ptx_u64() })
        .collect();
    other[100] = ptx_f32();
    other.remove(180);
    let r: Report = report(
        &Signature {
            name: "Many",
            parameters: &many,
        },
        &Signature {
            name: "many",
            parameters: &other,
        },
    );
    println!("{}\n", r.table().colored(false));
    println!(
        "{}\n",
        LayoutTable(&Signature {
            name: "Many",
            parameters: &many
        })
    );
    println!(
        "{}\n",
        LayoutTable(&Signature {
            name: "Large",
            parameters: &[
                sides::u8("flag"),
                field("table", "Table", 32000, 8, Class::Bytes, CppType::UNKNOWN),
                sides::u32("last")
            ]
        })
    );
}
