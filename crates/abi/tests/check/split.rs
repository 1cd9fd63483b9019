//! Structs written as several fields, and fields that are structs of several parameters.

use super::repairs::{Fields, kernel, signatures, texts};
use super::sides::*;
use kernel_args_abi::check::{Mismatch, Report, report};
use kernel_args_abi::{Class, CppType, Layout, ParamLayout, Signature};
use proptest::{prelude::*, sample::Index};

#[test]
fn members_of_a_struct_are_reported_as_one_parameter() {
    let params = ptx_bytes(24, 8);
    let members = [u32("width"), f32("scale"), f64("step"), slice("data", FLOAT)];
    let host = [&[u32("n")][..], &members, &[f32("a")]].concat();
    let kernel = [ptx_u32(), params, ptx_f32()];
    assert_eq!(
        texts(&host, &kernel),
        [
            "these 4 fields together are the 24 bytes of parameter 1: put them in one struct with `#[derive(Clone, Copy, \
          DeviceType)]` and `#[repr(C)]`, where a device pointer is a `DevicePointer<T>` or `DevicePointerMut<T>`"
        ]
    );
    let kernel = [ptx_u32(), with_cpp(params, CppType::named("sim::Params")), ptx_f32()];
    let host = [u32("n"), f64("a"), f64("b"), u32("c"), f32("d")];
    assert_eq!(
        texts(&host, &kernel),
        [
            "these 3 fields together are the 24 bytes of parameter 1: put them in one struct with `#[derive(Clone, Copy, \
          DeviceType)]`, `#[repr(C)]` and `#[device_type(cpp = \"sim::Params\")]`"
        ]
    );
    let host = [f32("x"), f32("y"), f32("z"), f32("w"), u32("n")];
    let kernel = [with_cpp(ptx_bytes(16, 16), CppType::named("float4")), ptx_u32()];
    assert_eq!(
        texts(&host, &kernel),
        ["these 4 fields together are the 16 bytes of parameter 0: replace them by one field: `Float4`"]
    );
    // A cubin has sizes only: a size that no scalar has is a struct.
    let recorded = records(&[u32("n"), field("p", "", 24, 8, Class::Bytes, CppType::UNKNOWN)]);
    let host = [u32("n"), f64("a"), f64("b"), f64("c")];
    assert!(texts(&host, &recorded)[0].starts_with("these 3 fields together are the 24 bytes of parameter 1"));
}

#[test]
fn a_struct_of_several_parameters_is_reported() {
    let host = [field("light", "Light", 16, 4, Class::Bytes, CppType::named("Light")), u32("n")];
    let kernel = [ptx_f32(), ptx_f32(), ptx_f32(), ptx_u32(), ptx_u32()];
    assert_eq!(
        texts(&host, &kernel),
        ["parameters 0 to 3 together are the 16 bytes of `Light`: replace it by 4 fields, one for each"]
    );
}

/// A struct whose members are written as fields, at any position, with any number of members.
fn members() -> impl Strategy<Value = (Fields, usize, usize)> {
    (signatures(4..12), any::<Index>(), any::<Index>()).prop_map(|(fields, a, b)| {
        let first = a.index(fields.len() - 1);
        let last = first + 1 + b.index(fields.len() - 1 - first);
        (fields, first, last)
    })
}

proptest! {
    /// Combined into one struct they fit, and vice versa.
    #[test]
    fn a_struct_in_parts_is_found((fields, first, last) in members(), typed in any::<bool>(), joined in any::<bool>()) {
        let mut layout = ParamLayout::EMPTY;
        for member in &fields[first..=last] {
            layout = layout.push(member.layout().unwrap()).unwrap().0;
        }
        let align = fields[first..=last].iter().filter_map(|member| member.align).max().unwrap();
        let whole = Layout::new(layout.size(), align).unwrap().pad_to_align();
        let struct_ = field("s", "Own", whole.size(), align.bytes(), Class::Bytes, CppType::named("Own"));
        let mut grouped = fields.clone();
        grouped.splice(first..=last, [struct_]);
        let (host, kernel) = if joined {
            (grouped, kernel(&fields, u8::from(!typed)))
        } else {
            (fields.clone(), kernel(&grouped, u8::from(!typed)))
        };
        let (host, kernel) = (Signature { name: "Host", parameters: &host }, Signature { name: "kernel", parameters: &kernel });
        let report: Report = report(&host, &kernel);
        let table = report.table().to_string();
        let text = report.whole_message();
        for mismatch in report.mismatches() {
            let (a, b) = match *mismatch {
                Mismatch::Split { first, last, .. } if !joined => (first, last),
                Mismatch::Joined { first, last, .. } if joined => (first, last),
                other => return Err(TestCaseError::fail(format!("{other:?}\n{table}"))),
            };
            // If members are alike, or are padding, other members may fit as well.
            prop_assert!(a <= last && b >= first, "{}", table);
            prop_assert!(text.as_str().contains("together are the"), "{}", text);
        }
        prop_assert_eq!(report.total(), 1);
        prop_assert_eq!(table.lines().count(), 2 + fields.len());
    }
}
