//! The packed form with the offsets of a specific GPU.

use kernel_args::{
    KernelArgs,
    abi::{ParamLayout, Sm},
    error::PackError,
    vector::Double4A32,
};

#[derive(KernelArgs)]
struct Args {
    a: u8,
    b: u32,
    c: u16,
}

const ARGS: Args = Args { a: 1, b: 2, c: 3 };

#[test]
fn parameters_are_at_the_offsets_with_zeros_between() {
    let mut buffer = [0xff; 24];
    let packed = ARGS.pack_at(&[0, 8, 20], &mut buffer).map(<[u8]>::to_vec);
    let expected = [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0];
    assert_eq!(packed.as_deref(), Ok(&expected[..]));
    assert_eq!(buffer[22..], [0xff, 0xff], "past the block nothing is written");
}

#[test]
fn a_first_offset_above_zero_leaves_zeros_before_it() {
    let mut buffer = [0xff; 16];
    let packed = ARGS.pack_at(&[2, 4, 8], &mut buffer);
    assert_eq!(packed, Ok(&[0, 0, 1, 0, 2, 0, 0, 0, 3, 0][..]));
}

#[test]
fn the_packed_form_has_the_offsets_of_c() {
    let mut buffer = [0xff; 16];
    let packed = ARGS.pack_at(&[0, 4, 8], &mut buffer).map(<[u8]>::to_vec);
    ARGS.with_packed(|expected| assert_eq!(packed.as_deref(), Ok(expected)));
}

#[test]
fn a_wrong_number_of_offsets_is_an_error() {
    for offsets in [&[][..], &[0, 4], &[0, 4, 8, 12]] {
        let mut buffer = [0xff; 16];
        let expected = PackError::Count { parameters: 3, offsets: offsets.len() };
        assert_eq!(ARGS.pack_at(offsets, &mut buffer), Err(expected));
        assert_eq!(buffer, [0xff; 16], "nothing is written");
    }
}

#[test]
fn offsets_that_overlap_are_an_error() {
    let overlap = |offsets| ARGS.pack_at(offsets, &mut [0; 64]).map(<[u8]>::len);
    let error = |field, offset, end| Err(PackError::Overlap { field, offset, end });
    assert_eq!(overlap(&[0, 0, 8]), error("b", 0, 1));
    assert_eq!(overlap(&[0, 4, 7]), error("c", 7, 8));
    assert_eq!(overlap(&[8, 4, 0]), error("b", 4, 9));
    assert_eq!(overlap(&[0, usize::MAX, 8]), error("c", 8, usize::MAX));
    assert_eq!(overlap(&[0, 1, 5]), Ok(7));
}

#[test]
fn a_buffer_that_is_too_small_is_an_error() {
    for len in 0..10 {
        let mut buffer = vec![0xff; len];
        let expected = PackError::Buffer { needed: 10, len };
        assert_eq!(ARGS.pack_at(&[0, 4, 8], &mut buffer), Err(expected));
        assert!(buffer.iter().all(|&byte| byte == 0xff), "nothing is written");
    }
    assert!(ARGS.pack_at(&[0, 4, 8], &mut [0; 10]).is_ok());
    let mut buffer = [0; 10];
    let far = ARGS.pack_at(&[0, 4, usize::MAX], &mut buffer);
    let expected = PackError::Buffer { needed: usize::MAX, len: 10 };
    assert_eq!(far, Err(expected));
}

#[test]
fn errors_name_the_field_and_both_sides() {
    let texts = [ARGS.pack_at(&[0], &mut []), ARGS.pack_at(&[0, 0, 8], &mut []), ARGS.pack_at(&[0, 4, 8], &mut [])]
        .map(|result| result.map(<[u8]>::len).map_err(|error| error.to_string()));
    let expected = [
        "the struct has 3 parameters, but the number of offsets is 1\nhelp: give one offset for each parameter",
        "`b` cannot be placed at offset 0, because the previous parameter ends at 1\nhelp: check that these are the offsets of this kernel",
        "the packed form needs 10 bytes, but the buffer has 0\nhelp: pass a buffer of at least 10 bytes",
    ];
    assert_eq!(texts, expected.map(|text| Err(text.to_owned())));
}

#[derive(KernelArgs)]
struct Aligned {
    n: u8,
    wide: Double4A32,
}

#[test]
fn over_aligned_parameters_go_where_the_gpu_has_them() {
    let bytes: Vec<u8> = [1.0_f64, 2.0, 3.0, 4.0].iter().flat_map(|value| value.to_ne_bytes()).collect();
    // The block begins at 0x210 in the constant bank of an H100: 16 bytes before a multiple of 32.
    for (sm, offset) in [(90, 16), (100, 32)] {
        let base = Sm(sm).param_base(64).expect("this generation is known");
        let mut block = ParamLayout::at(base);
        let offsets: Vec<usize> = Aligned::PARAMETERS
            .iter()
            .map(|parameter| {
                let layout = parameter.layout().expect("a field has a layout");
                let (longer, offset) = block.push(layout).expect("it fits");
                block = longer;
                offset
            })
            .collect();
        assert_eq!(offsets, [0, offset]);
        let args = Aligned { n: 7, wide: Double4A32::new(1.0, 2.0, 3.0, 4.0) };
        let mut buffer = [0xff; 128];
        let packed = args.pack_at(&offsets, &mut buffer).expect("they fit");
        assert_eq!(packed[0], 7);
        assert!(packed[1..offset].iter().all(|&byte| byte == 0));
        assert_eq!(packed[offset..], bytes);
    }
}
