//! Random signatures: a correct one causes no error, and one mistake is reported at its field.

use super::sides::*;
use kernel_args_abi::check::{Difference, Differences, Mismatch, Report, compare, fits, fits_records, report_at};
use kernel_args_abi::{Alignment, Class, CppBase, CppType, Layout, ParamLayout, Parameter, Signature};
use kernel_args_test_generator::size;
use proptest::prelude::*;
use proptest::sample::Index;

type Fields = Vec<Parameter<'static>>;

/// One field of every kind that the library passes.
fn palette() -> Fields {
    let half = CppType::named("__half");
    let vector = |name, size, align| field("v", name, size, align, Class::Bytes, CppType::named(name));
    let integer = |signed, bits: u16| {
        let size = usize::from(bits) / 8;
        field("i", "i", size, size, Class::Integer, CppType::integer(signed, bits))
    };
    vec![
        u32("n"),
        i32("i"),
        f32("a"),
        f64("d"),
        usize("z"),
        boolean("b"),
        integer(true, 8),
        integer(false, 16),
        integer(true, 64),
        integer(true, 128),
        field("h", "f16", 2, 2, Class::Float, half),
        slice("x", FLOAT),
        slice_mut("y", FLOAT),
        slice("x", DOUBLE),
        slice_mut("y", half),
        slice("p", CppType::named("sim::Params")),
        vector("float2", 8, 8),
        vector("float3", 12, 4),
        vector("float4", 16, 16),
        vector("double4_32a", 32, 32),
        vector("CUtensorMap", 128, 128),
        vector("sim::Params<float>", 24, 8),
        field("e", "Color", 4, 4, Class::Integer, CppType::named("Color")),
        slice("v", CppType::of(CppBase::Void)),
    ]
}

/// A field that resembles no other field.
const UNLIKE: Parameter<'static> = field("u", "Unlike", 40, 8, Class::Bytes, CppType::named("ns::Unlike"));

fn signatures(length: std::ops::Range<usize>) -> impl Strategy<Value = Fields> {
    proptest::collection::vec(proptest::sample::select(palette()), length)
}

/// The parameters in PTX for these fields, if the kernel's name is not mangled.
fn as_ptx(fields: &[Parameter<'static>]) -> Fields {
    let class = |field: &Parameter| match (field.class, field.size) {
        (Class::Pointer, _) => Class::Integer,
        (Class::Integer, 16) | (Class::Float, 2) => Class::Bytes,
        (class, _) => class,
    };
    let in_ptx =
        |field: &Parameter<'static>| Parameter { offset: None, class: class(field), cpp: CppType::UNKNOWN, ..*field };
    fields.iter().map(in_ptx).collect()
}

/// The driver's parameters for these fields, on a GPU whose block begins at `base`.
fn as_records(fields: &[Parameter<'static>], base: usize) -> Fields {
    let mut block = ParamLayout::at(base);
    let record = |field: &Parameter<'static>| {
        let layout = Layout::new(field.size, field.align.unwrap()).unwrap();
        let (longer, offset) = block.push(layout).unwrap();
        block = longer;
        Parameter::record(offset, field.size)
    };
    fields.iter().map(record).collect()
}

fn found(host: &[Parameter<'static>], kernel: &[Parameter<'static>], base: Option<usize>) -> Vec<Mismatch> {
    if kernel.iter().all(|parameter| parameter.class == Class::Unknown) {
        assert_eq!(fits_records(host, kernel, base), fits(host, kernel, base));
    }
    let host = Signature { name: "Host", parameters: host };
    // Without names: `names.rs` compares them.
    let nameless = |parameter: &Parameter<'static>| Parameter { name: "", ..*parameter };
    let kernel: Fields = kernel.iter().map(nameless).collect();
    let kernel = Signature { name: "kernel", parameters: &kernel };
    let report: Report<'_, 128> = report_at(&host, &kernel, base);
    assert_eq!(report.total(), report.len());
    for mismatch in report.mismatches() {
        assert!(!report.message(*mismatch).is_truncated());
    }
    report.mismatches().to_vec()
}

fn same(a: &[Parameter<'static>], b: &[Parameter<'static>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| compare(a, b) == Differences::NONE)
}

/// Replaces one field by a wrong one, with the expected result.
fn changes(right: Parameter<'static>) -> Vec<(Parameter<'static>, Difference)> {
    let mut wrong = vec![(UNLIKE, Difference::Size)];
    let with = |cpp| Parameter { cpp, ..right };
    if right.size != 8 && right.size <= 16 {
        let cpp = match right.cpp.base {
            CppBase::Integer { signed, .. } => CppType::integer(signed, 64),
            _ => DOUBLE,
        };
        let wide = Parameter { size: 8, align: Alignment::new(8), cpp, ..right };
        wrong.push((wide, Difference::Size));
    }
    match right.class {
        Class::Integer if right.size == 4 => wrong.push((f32("w"), Difference::Class)),
        Class::Integer if right.size == 8 => wrong.push((f64("w"), Difference::Class)),
        Class::Float if right.size == 4 => wrong.push((u32("w"), Difference::Class)),
        Class::Float if right.size == 8 => wrong.push((usize("w"), Difference::Class)),
        Class::Bytes => {
            let align = if right.align == Alignment::new(4) { 2 } else { 4 };
            let align = Alignment::new(align);
            wrong.push((Parameter { align, ..right }, Difference::Alignment));
            wrong.push((with(CppType::named("ns::Other")), Difference::Name));
        }
        Class::Pointer => {
            let to_const = right.cpp.const_mask == 1;
            if !matches!(right.cpp.base, CppBase::Void) {
                wrong.push((with(INT.pointer(to_const)), Difference::Pointee));
            }
            if !to_const {
                let reads = CppType { const_mask: 1, ..right.cpp };
                wrong.push((with(reads), Difference::Constness));
            }
            let number = field("w", "i64", 8, 8, Class::Integer, CppType::integer(true, 64));
            wrong.push((number, Difference::Pointer));
        }
        _ => {}
    }
    if let CppBase::Integer { signed, bits } = right.cpp.base
        && !right.cpp.is_pointer()
    {
        wrong.push((with(CppType::integer(!signed, bits)), Difference::Signedness));
    }
    wrong
}

/// Whether PTX without a mangled name shows this difference.
fn shows_in_ptx(difference: Difference) -> bool {
    matches!(difference, Difference::Size | Difference::Class | Difference::Alignment)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(size::choose(250, 1000) as u32))]

    #[test]
    fn a_right_struct_raises_no_alarm(fields in signatures(0..80), base in proptest::sample::select(vec![0usize, 0x160, 0x210])) {
        prop_assert_eq!(found(&fields, &fields, Some(base)), []);
        prop_assert_eq!(found(&fields, &as_ptx(&fields), Some(base)), []);
        prop_assert_eq!(found(&fields, &as_records(&fields, base), Some(base)), []);
        prop_assert_eq!(found(&fields, &as_records(&fields, base), None), []);
    }

    #[test]
    fn a_changed_field_is_named(fields in signatures(1..80), at in any::<Index>(), which in any::<Index>()) {
        let at = at.index(fields.len());
        let changes = changes(fields[at]);
        let (wrong, difference) = changes[which.index(changes.len())];
        let mut host = fields.clone();
        host[at] = wrong;
        for (kernel, shows) in [(fields.clone(), true), (as_ptx(&fields), shows_in_ptx(difference))] {
            let found = found(&host, &kernel, None);
            if !shows {
                prop_assert_eq!(found, []);
                continue;
            }
            let [Mismatch::Differs { field, parameter, differences, .. }] = found[..] else {
                return Err(TestCaseError::fail(format!("{found:?}")));
            };
            prop_assert_eq!((field, parameter), (at, at));
            prop_assert!(differences.contains(difference), "{:?} in {:?}", difference, differences);
        }
        if difference == Difference::Size {
            let found = found(&host, &as_records(&fields, 0), Some(0));
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(found[0].field(), Some(at));
        }
    }

    #[test]
    fn a_wrong_alignment_shows_in_the_offset_where_it_moves(fields in signatures(1..40), at in any::<Index>()) {
        let at = at.index(fields.len());
        let kernel = as_records(&fields, 0);
        let mut host = fields.clone();
        host[at].align = Alignment::new(if fields[at].align == Some(Alignment::ONE) { 16 } else { 1 });
        let end = if at == 0 { 0 } else { kernel[at - 1].offset.unwrap() + kernel[at - 1].size };
        let moves = host[at].align.unwrap().round_up(end) != kernel[at].offset;
        let found = found(&host, &kernel, Some(0));
        if moves {
            // If the field fits another place, it may be reported as moved.
            let moved = |mismatch: &Mismatch| matches!(mismatch, Mismatch::Extra { field, moved: Some(_) } if *field == at);
            prop_assert!(found.iter().any(moved) || found.len() == 1, "{:?}", found);
            prop_assert!(found.iter().any(|mismatch| mismatch.field() == Some(at)), "{:?}", found);
        } else {
            prop_assert_eq!(found, []);
        }
    }

    #[test]
    fn a_dropped_field_is_named_or_its_equal(fields in signatures(1..80), at in any::<Index>(), stage in 0..2) {
        let kernel = if stage == 0 { fields.clone() } else { as_ptx(&fields) };
        let mut host = fields.clone();
        host.remove(at.index(fields.len()));
        let found = found(&host, &kernel, None);
        let [Mismatch::Missing { parameter, before, .. }] = found[..] else {
            return Err(TestCaseError::fail(format!("{found:?}")));
        };
        prop_assert_eq!(parameter, before);
        let mut rest = kernel;
        rest.remove(parameter);
        prop_assert!(same(&host, &rest));
    }

    #[test]
    fn an_added_field_is_named_or_its_equal(fields in signatures(0..80), at in any::<Index>(), more in proptest::sample::select(palette()), stage in 0..2) {
        let kernel = if stage == 0 { fields.clone() } else { as_ptx(&fields) };
        let mut host = fields.clone();
        host.insert(at.index(fields.len() + 1), more);
        let found = found(&host, &kernel, None);
        let [Mismatch::Extra { field, .. }] = found[..] else {
            return Err(TestCaseError::fail(format!("{found:?}")));
        };
        host.remove(field);
        prop_assert!(same(&host, &kernel));
    }

    #[test]
    fn exchanged_fields_are_found(fields in signatures(2..60), a in any::<Index>(), b in any::<Index>(), stage in 0..2) {
        let kernel = if stage == 0 { fields.clone() } else { as_ptx(&fields) };
        let (a, b) = (a.index(fields.len()), b.index(fields.len()));
        let mut host = fields.clone();
        host.swap(a, b);
        let found = found(&host, &kernel, None);
        if same(&host, &kernel) {
            prop_assert_eq!(found, []);
        } else {
            let names = |mismatch: &Mismatch| mismatch.field().is_some_and(|field| field == a || field == b);
            let moved = |mismatch: &Mismatch| matches!(mismatch, Mismatch::Extra { moved: Some(_), .. });
            prop_assert!(found.iter().any(|mismatch| names(mismatch) || moved(mismatch)), "{:?}", found);
            if a.abs_diff(b) == 1 {
                let (first, second) = (a.min(b), a.max(b));
                let own = |mismatch: &Mismatch| matches!(*mismatch, Mismatch::Differs { field, .. } if field == first || field == second);
                prop_assert!(found.iter().all(own), "{:?}", found);
            }
        }
    }

    #[test]
    fn two_mistakes_far_apart_are_two(fields in signatures(40..120), first in 0..3, second in 0..3) {
        let mut host = fields.clone();
        // From the end, so the first change does not move the second position.
        for (kind, at) in [(second, fields.len() - 4), (first, 3)] {
            match kind {
                0 => host[at] = UNLIKE,
                1 => host.insert(at, UNLIKE),
                _ => { host.remove(at); }
            }
        }
        let found = found(&host, &fields, None);
        if first + second == 3 {
            // One field added, one removed: if the fields in between are alike, this is one changed field.
            prop_assert!((1..=2).contains(&found.len()), "{:?}", found);
        } else {
            prop_assert_eq!(found.len(), 2, "{:?}", found);
        }
    }

    #[test]
    fn any_two_lists_are_compared(host in signatures(0..100), kernel in signatures(0..100)) {
        let found = found(&host, &kernel, None);
        prop_assert_eq!(found.is_empty(), same(&host, &kernel));
    }

    #[test]
    fn no_image_causes_a_panic(host in anything(), kernel in anything(), base in proptest::option::of(any::<usize>())) {
        let host = Signature { name: "Höst<", parameters: &host };
        let kernel = Signature { name: "", parameters: &kernel };
        let report: Report<'_, 8> = report_at(&host, &kernel, base);
        for mismatch in report.mismatches() {
            prop_assert!(!report.message(*mismatch).is_empty());
        }
        let table = report.table().to_string();
        prop_assert_eq!(table.contains("<-"), !report.is_empty());
        for side in [host, kernel] {
            prop_assert!(kernel_args_abi::LayoutTable(&side).to_string().lines().count() < 200);
        }
    }
}

/// Parameters of a damaged or hostile image.
fn anything() -> impl Strategy<Value = Fields> {
    let names = ["", "é::<", "sim::Params<float", ">>", "complex<>", "float", "4", "__nv_fp", "x::"];
    let base = prop_oneof![
        proptest::sample::select(names.to_vec()).prop_map(CppBase::Named),
        Just(CppBase::Unknown),
        Just(CppBase::Void),
        Just(CppBase::Long { signed: true }),
        (any::<bool>(), any::<u16>()).prop_map(|(signed, bits)| CppBase::Integer { signed, bits }),
        any::<u16>().prop_map(|bits| CppBase::Float { bits }),
    ];
    let cpp = (base, 0..=CppType::MAX_DEPTH, any::<u8>()).prop_map(|(base, depth, const_mask)| CppType {
        base,
        depth,
        const_mask,
        extents: [0; 3],
        rows: [if depth > 0 { u32::from(const_mask) / 64 } else { 0 }, 0, 0],
    });
    let size = prop_oneof![0usize..20, any::<usize>()];
    let class = proptest::sample::select(vec![
        Class::Unknown,
        Class::Bits,
        Class::Integer,
        Class::Float,
        Class::Pointer,
        Class::Bytes,
    ]);
    let align = proptest::option::of((0u32..=28).prop_map(|log2| Alignment::new(1 << log2).unwrap()));
    let offset = proptest::option::of(size.clone());
    let parameter = (offset, size, align, class, cpp).prop_map(|(offset, size, align, class, cpp)| Parameter {
        offset,
        align,
        ..field("ñ", "É", size, 1, class, cpp)
    });
    proptest::collection::vec(parameter, 0..40)
}
