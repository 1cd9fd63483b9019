//! A kernel in several images: once per list of parameters and limits.

use kernel_args_abi::{Alignment, Parameter, Sm};
use kernel_args_image::{Directives, Image, InImage, Kernels, Observed, ParameterList, Variant, variants};

/// What the image with this number contains about a kernel.
fn observed(
    number: u32,
    is_cubin: bool,
    sm: u16,
    parameters: &[Parameter<'static>],
    directives: Directives,
) -> Observed<u32> {
    Observed {
        is_cubin,
        parameters: ParameterList::new(parameters),
        directives,
        dynamic_shared: None,
        described: None,
        images: vec![InImage { place: number, sm: Some(Sm(sm)), resources: None }],
        bodies: None,
    }
}

fn places<P: Copy>(variant: &Variant<P>) -> Vec<P> {
    variant.images.iter().map(|image| image.place).collect()
}

#[test]
fn ptx_is_listed_with_cubins_of_its_offsets() {
    let aligned = |number, is_cubin: bool, sm, offset: Option<usize>, align| {
        let first = Parameter {
            offset: offset.map(|_| 0),
            align: Alignment::new(if is_cubin { 0 } else { 8 }),
            ..Parameter::record(0, 8)
        };
        let second = Parameter { offset, align: Alignment::new(align), ..Parameter::record(0, 128) };
        observed(number, is_cubin, sm, &[first, second], Directives::default())
    };
    let list =
        [aligned(0, true, 80, Some(32), 0), aligned(1, true, 100, Some(64), 0), aligned(2, false, 120, None, 64)];
    let found = |list: Vec<Observed<u32>>| variants(None, list).iter().map(places).collect::<Vec<_>>();
    assert_eq!(found(list.to_vec()), [vec![0], vec![1, 2]]);
    // No cubin has its offsets.
    let [first, _, text] = list;
    assert_eq!(found(vec![text, first]), [[0], [2]]);
}

/// Whether PTX is the source of cubins: the limits are equal.
#[test]
fn ptx_matches_cubins_with_equal_limits() {
    let limited = |number, is_cubin, threads| {
        let mut directives = Directives::default();
        directives.max_threads = Some([threads, 1, 1]);
        observed(number, is_cubin, 90, &[], directives)
    };
    let found = |[a, b, text]: [u32; 3]| {
        let merged = variants(None, vec![limited(0, true, a), limited(1, true, b), limited(2, false, text)]);
        merged.iter().map(|v| (v.directives.max_threads.unwrap()[0], places(v))).collect::<Vec<_>>()
    };
    assert_eq!(found([64, 128, 128]), [(64, vec![0]), (128, vec![1, 2])]);
    assert_eq!(found([64, 128, 256]), [(64, vec![0]), (128, vec![1]), (256, vec![2])]);
}

#[test]
fn equal_data_is_listed_once_with_the_bodies_of_the_first_text() {
    let mut list = Vec::new();
    for number in [3, 1, 2] {
        let bodies = Some((number, ParameterList::default()));
        Observed { bodies, ..observed(number, false, 90, &[], Directives::default()) }.add_to(&mut list);
    }
    let [one] = &list[..] else { panic!("{list:?}") };
    assert_eq!(one.bodies.as_ref().unwrap().0, 1);
    assert_eq!(places(&variants(None, list)[0]), [1, 2, 3]);
}

#[test]
fn a_declaration_is_listed_without_its_name() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(\n.param .u64 .ptr .global .align 4 \
                k_param_0, .param .align 8 .b8 k_param_1[16], .param .f32 alpha){ret;}";
    let kernels = Kernels::of_ptx(text.as_bytes()).unwrap();
    let [variant] = &kernels.variants("k")[..] else { panic!("one variant") };
    let parameters = variant.parameters.parameters();
    let seen: Vec<_> = parameters.iter().map(|p| (p.name, p.spelling)).collect();
    assert_eq!(seen, [("", ".u64 .ptr .global .align 4"), ("", ".align 8 .b8[16]"), ("alpha", ".f32")]);
    assert_eq!(variant.images, [InImage { place: 0, sm: Some(Sm(90)), resources: None }]);
    assert!(kernels.variants("other").is_empty());
}

/// A text for two GPUs that pass another list of parameters each.
#[test]
fn an_image_has_one_variant_for_each_list() {
    let text = |sm: u32, ty: &str| format!(".version 9.0\n.target sm_{sm}\n.visible .entry k(.param .{ty} n){{ret;}}");
    let texts = [text(80, "u32"), text(90, "u64"), text(100, "u32")];
    let [first, second, third] = texts.each_ref().map(|text| Image::read(text.as_bytes()).unwrap());
    let found = first.with(second).with(third).kernels().unwrap().variants("k");
    let seen: Vec<_> = found.iter().map(|v| (v.parameters.parameters()[0].size, places(v))).collect();
    assert_eq!(seen, [(4, vec![0, 2]), (8, vec![1])]);
}
