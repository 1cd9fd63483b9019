//! Arguments as text.

use kernel_args::{
    DevicePointer, DeviceType, KernelArgs,
    vector::{CuFloatComplex, Float3, Float4, LongLong2, UChar4},
};
use kernel_args_marshalling_tests::params;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Padded {
    small: u8,
    large: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(i16)]
enum Side {
    Below = 3,
}

#[derive(KernelArgs)]
struct Args {
    yes: bool,
    byte: i8,
    wide: u128,
    real: f64,
    data: DevicePointer<f32>,
    none: Option<DevicePointer<f32>>,
    vector: Float4,
    three: Float3,
    bytes: UChar4,
    long: LongLong2,
    complex: CuFloatComplex,
    padded: Padded,
    side: Side,
    table: [u8; 40],
}

#[test]
fn each_line_has_name_type_offset_value_and_bytes() {
    let args = Args {
        yes: true,
        byte: -3,
        wide: 5,
        real: 0.5,
        data: DevicePointer::from_raw(0x7f00_1000),
        none: None,
        vector: Float4::new(1.0, 2.0, 3.0, f32::NAN),
        three: Float3::new(0.5, -0.0, f32::INFINITY),
        bytes: UChar4::new(1, 2, 3, 255),
        long: LongLong2::new(-1, 2),
        complex: CuFloatComplex::new(1.0, -1.0),
        padded: Padded { small: 1, large: 2 },
        side: Side::Below,
        table: [0xab; 40],
    };
    let text = args.with_arguments(|arguments| {
        assert_eq!(format!("{arguments:?}"), arguments.to_string());
        arguments.to_string()
    });
    let expected = include_str!("arguments.txt");
    assert_eq!(text, expected.trim_end_matches('\n'), "\n{text}\n");
}

#[derive(KernelArgs)]
struct Nothing;

#[test]
fn no_arguments_are_no_text() {
    assert_eq!(Nothing.with_arguments(|arguments| arguments.to_string()), "");
}

#[test]
fn the_text_shows_the_bytes_of_the_launch() {
    #[derive(KernelArgs)]
    struct Two {
        padded: Padded,
        n: u16,
    }
    let two = || Two { padded: Padded { small: 1, large: 2 }, n: 3 };
    let shown = two().with_arguments(|arguments| {
        let bytes = |(_, bytes): (_, &[u8])| bytes.to_vec();
        arguments.iter().map(bytes).collect::<Vec<_>>()
    });
    assert_eq!(shown, params(two()));
}
