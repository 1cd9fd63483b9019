//! Known values, with the expected bytes according to the CUDA documentation.

use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, KernelArgs, TensorMap,
    vector::{Char3, Dim3, Float3, Float4, UChar4},
};
use kernel_args_marshalling_tests::params;
use std::{
    num::{NonZeroU16, Wrapping},
    ptr,
};

#[derive(KernelArgs)]
struct Scalars {
    a: u8,
    b: f64,
    c: bool,
    d: i16,
    e: u128,
    f: NonZeroU16,
    g: Wrapping<i8>,
    h: usize,
    i: f32,
    last: i8,
}

#[test]
fn scalars_lie_at_their_own_alignment_and_the_size_has_no_tail() {
    let scalars = Scalars {
        a: 0x11,
        b: 1.0,
        c: true,
        d: -2,
        e: 0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10,
        f: NonZeroU16::new(0x2233).expect("it is not zero"),
        g: Wrapping(-1),
        h: 0x4455,
        i: -1.5,
        last: 0x66,
    };
    #[rustfmt::skip]
    let expected = [
        0x11, 0, 0, 0, 0, 0, 0, 0,   0, 0, 0, 0, 0, 0, 0xf0, 0x3f,
        1, 0, 0xfe, 0xff, 0, 0, 0, 0,   0, 0, 0, 0, 0, 0, 0, 0,
        0x10, 0x0f, 0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 9,   8, 7, 6, 5, 4, 3, 2, 1,
        0x33, 0x22, 0xff, 0, 0, 0, 0, 0,   0x55, 0x44, 0, 0, 0, 0, 0, 0,
        0, 0, 0xc0, 0xbf, 0x66,
    ];
    scalars.with_packed(|buffer| assert_eq!(buffer, expected));
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Inner {
    small: u8,
    large: u16,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Outer {
    scale: f32,
    color: Float4,
    inner: [Inner; 2],
    tail: u8,
}

#[derive(KernelArgs)]
struct Structs {
    first: u8,
    outer: Outer,
    last: Inner,
}

const OUTER: Outer = Outer {
    scale: 1.0,
    color: Float4::new(2.0, 0.0, 0.0, 2.0),
    inner: [Inner { small: 1, large: 2 }, Inner { small: 3, large: 4 }],
    tail: 5,
};

#[rustfmt::skip]
const OUTER_BYTES: [u8; 48] = [
    0, 0, 0x80, 0x3f, 0, 0, 0, 0,   0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0x40, 0, 0, 0, 0,      0, 0, 0, 0, 0, 0, 0, 0x40,
    1, 0, 2, 0, 3, 0, 4, 0,         5, 0, 0, 0, 0, 0, 0, 0,
];

/// Writes ones into the padding of a value.
fn dirty<T>(value: &mut T, padding: impl IntoIterator<Item = usize>) {
    let bytes = ptr::from_mut(value).cast::<u8>();
    for offset in padding {
        assert!(offset < size_of::<T>());
        // SAFETY: the address is inside the value, as asserted.
        let byte = unsafe { bytes.add(offset) };
        // SAFETY: any byte of the value may be written, and padding may have any value.
        unsafe { byte.write(0xff) };
    }
}

#[test]
fn padding_inside_of_structs_is_zero_in_both_forms() {
    let mut structs = Structs { first: 9, outer: OUTER, last: Inner { small: 6, large: 7 } };
    dirty(&mut structs.outer, (4..16).chain([33, 37]).chain(41..48));
    dirty(&mut structs.last, [1]);
    (&mut structs).with_packed(|buffer| {
        assert_eq!(buffer[0], 9);
        assert_eq!(buffer[1..16], [0; 15]);
        assert_eq!(buffer[16..64], OUTER_BYTES);
        assert_eq!(buffer[64..], [6, 0, 7, 0]);
    });
    let params = params(&mut structs);
    assert_eq!(params, [vec![9], OUTER_BYTES.to_vec(), vec![6, 0, 7, 0]]);
}

#[derive(KernelArgs)]
struct Pointers {
    read: DevicePointer<f32>,
    write: Option<DevicePointerMut<f32>>,
    none: Option<DevicePointer<f32>>,
    none_mut: Option<DevicePointerMut<f32>>,
}

#[test]
fn pointers_are_eight_bytes_and_none_is_null() {
    let pointers = Pointers {
        read: DevicePointer::from_raw(0x0102_0304),
        write: Some(DevicePointerMut::from_raw(0x0a0b)),
        none: None,
        none_mut: None,
    };
    pointers.with_packed(|buffer| {
        let (words, rest) = buffer.as_chunks();
        assert!(rest.is_empty());
        let words: Vec<u64> = words.iter().copied().map(u64::from_le_bytes).collect();
        assert_eq!(words, [0x0102_0304, 0x0a0b, 0, 0]);
    });
}

#[derive(KernelArgs)]
struct Vectors {
    char3: Char3,
    uchar4: UChar4,
    float3: Float3,
    byte: u8,
    dim3: Dim3,
}

#[test]
fn vectors_of_three_are_aligned_as_their_elements() {
    let vectors = Vectors {
        char3: Char3::new(1, 2, 3),
        uchar4: UChar4::new(4, 5, 6, 7),
        float3: Float3::new(0.0, 0.0, 1.0),
        byte: 8,
        dim3: Dim3::new(1, 2, 3),
    };
    #[rustfmt::skip]
    let expected = [
        1, 2, 3, 0, 4, 5, 6, 7,  0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0x80, 0x3f, 8, 0, 0, 0,
        1, 0, 0, 0, 2, 0, 0, 0,  3, 0, 0, 0,
    ];
    vectors.with_packed(|buffer| assert_eq!(buffer, expected));
}

#[derive(KernelArgs)]
struct Mapped {
    n: u8,
    map: TensorMap,
}

#[test]
fn the_first_form_takes_any_alignment() {
    let map = TensorMap(std::array::from_fn(|i| i as u64));
    let passed = params(Mapped { n: 1, map });
    assert_eq!(passed[0], [1]);
    let words: Vec<u8> = (0..16_u64).flat_map(u64::to_le_bytes).collect();
    assert_eq!(passed[1], words);
}
