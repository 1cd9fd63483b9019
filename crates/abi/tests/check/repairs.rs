//! A reader follows each hint literally. The struct then fits. If a field is missing or too many, no other change of
//! this size is equally likely, unless the text names it.

use super::advice::{Advice, Change, as_field};
use super::oracle::typed;
use super::sides::*;
use kernel_args_abi::check::{Mismatch, Report, compare, fits, report};
use kernel_args_abi::{Class, CppBase, CppType, Parameter, Signature};
use kernel_args_test_generator::size;
use proptest::{prelude::*, sample::Index};
use std::collections::BTreeSet;

pub(crate) type Fields = Vec<Parameter<'static>>;

/// `f0`, `f1`, …
const NAMES: [&str; 24] = [
    "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14", "f15", "f16", "f17",
    "f18", "f19", "f20", "f21", "f22", "f23",
];

/// Types, several of which resemble each other.
fn palette() -> Fields {
    let vector = |name, rust, size, align| field("", rust, size, align, Class::Bytes, CppType::named(name));
    vec![
        u32(""),
        i32(""),
        f32(""),
        f64(""),
        usize(""),
        boolean(""),
        u8(""),
        slice("", FLOAT),
        slice_mut("", FLOAT),
        slice("", DOUBLE),
        slice("", CppType::of(CppBase::Void)),
        vector("float2", "Float2", 8, 8),
        vector("float3", "Float3", 12, 4),
        vector("float4", "Float4", 16, 16),
        vector("sim::Params", "Params", 24, 8),
    ]
}

fn named(fields: &[Parameter<'static>]) -> Fields {
    let named = fields.iter().zip(NAMES);
    named.map(|(field, name)| Parameter { name, ..*field }).collect()
}

/// Few kinds of fields in one list, so neighbours are often alike.
pub(crate) fn signatures(length: std::ops::Range<usize>) -> impl Strategy<Value = Fields> {
    let kinds = proptest::collection::vec(proptest::sample::select(palette()), 1..5);
    (kinds, proptest::collection::vec(any::<Index>(), length))
        .prop_map(|(kinds, picks)| named(&picks.iter().map(|pick| *pick.get(&kinds)).collect::<Vec<_>>()))
}

/// The kernel of these fields, from the source with this number: C++ names, PTX only, or a cubin.
pub(crate) fn kernel(fields: &[Parameter<'static>], source: u8) -> Fields {
    let in_ptx = |field: &Parameter<'static>| {
        let class = match field.class {
            Class::Pointer => Class::Integer,
            class => class,
        };
        Parameter { name: "", spelling: "", class, cpp: CppType::UNKNOWN, ..*field }
    };
    match source {
        0 => fields.iter().map(|field| Parameter { cpp: field.cpp, ..in_ptx(field) }).collect(),
        1 => fields.iter().map(in_ptx).collect(),
        _ => records(fields),
    }
}

fn fit(host: &[Parameter<'_>], kernel: &[Parameter<'_>]) -> bool {
    fits(host, kernel, None)
}

/// The number of fields that C++ would convert, and of scalars for bytes that fit anything.
fn conversions<'a>(
    host: impl IntoIterator<Item = &'a Parameter<'a>>,
    kernel: impl IntoIterator<Item = &'a Parameter<'a>>,
) -> usize {
    let converts = |(h, k): &(&Parameter<'_>, &Parameter<'_>)| {
        let is_for_bytes = k.cpp.is_unknown() && k.class == Class::Bytes && h.class != Class::Bytes;
        let (h, k) = (h.cpp, k.cpp);
        let void = |cpp: CppType<'_>| matches!(cpp.base, CppBase::Void);
        let is_byte = h.base == CppBase::Bool && k.base != CppBase::Bool;
        is_for_bytes
            || !h.is_unknown()
                && !k.is_unknown()
                && (is_byte || h.is_pointer() != k.is_pointer() || h.const_mask != k.const_mask || void(h) != void(k))
    };
    host.into_iter().zip(kernel).filter(converts).count()
}

/// The fields that can be added or removed so the struct fits, except those with more conversions. It tries all.
fn best(host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> BTreeSet<Change> {
    let is_short = host.len() < kernel.len();
    let change = |at: usize| {
        let mut fields = host.to_vec();
        let change = if is_short {
            fields.insert(at, as_field(&kernel[at]));
            Change::Add(at)
        } else {
            Change::Remove(fields.remove(at).name)
        };
        fit(&fields, kernel).then(|| (conversions(&fields, kernel), change))
    };
    let found: Vec<_> = (0..host.len() + usize::from(is_short)).filter_map(change).collect();
    let lowest = found.iter().map(|(rank, _)| *rank).min();
    found.into_iter().filter(|(rank, _)| Some(*rank) == lowest).map(|(_, change)| change).collect()
}

/// One mistake in correct fields.
fn mistaken(right: &[Parameter<'static>], kind: u8, a: usize, b: usize, other: Parameter<'static>) -> Fields {
    let mut host = right.to_vec();
    let (a, b) = (a % host.len(), b % host.len());
    match kind {
        0 => host.swap(a, b),
        1 => {
            let moved = host.remove(a);
            host.insert(b, moved);
        }
        2 => {
            host.remove(a);
        }
        3 => host.insert(a, Parameter { name: "added", ..other }),
        _ => host[a] = Parameter { name: host[a].name, ..other },
    }
    host
}

fn judge(host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> Result<(), TestCaseError> {
    let (struct_, entry) =
        (Signature { name: "Host", parameters: host }, Signature { name: "kernel", parameters: kernel });
    let report: Report = report(&struct_, &entry);
    if report.is_empty() {
        return Ok(());
    }
    let advice = Advice::of(host, &report);
    let table = report.table().to_string();
    for (change, fields) in advice.changes.iter().zip(advice.apply(host, kernel)) {
        prop_assert!(fit(&fields, kernel), "{:?} does not mend\n{}", change, table);
    }
    // Changing a type, or another order: several can be as likely.
    if host.len() == kernel.len() {
        prop_assert!(!advice.changes.is_empty(), "{}", table);
    } else {
        prop_assert_eq!(&advice.changes, &best(host, kernel), "\n{}", table);
    }
    for ty in &advice.types {
        let Some(field) = typed(ty, &Parameter::record(0, 0)) else { continue };
        prop_assert!(
            kernel.iter().any(|parameter| compare(&field, parameter).is_empty()),
            "`{}` fits nothing\n{}",
            ty,
            table
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(size::choose(2_000, 50_000) as u32))]

    #[test]
    fn what_a_text_says_mends_one_mistake_and_nothing_else_is_as_likely(
        right in signatures(1..9),
        kind in 0u8..5,
        (a, b) in (0usize..9, 0usize..9),
        other in proptest::sample::select(palette()),
        source in 0u8..3,
    ) {
        let host = mistaken(&right, kind, a, b, other);
        judge(&host, &kernel(&right, source))?;
    }
}

pub(crate) fn texts(host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> Vec<String> {
    let (host, kernel) =
        (Signature { name: "Host", parameters: host }, Signature { name: "kernel", parameters: kernel });
    let report: Report = report(&host, &kernel);
    let help = |mismatch: &Mismatch| {
        let message = report.message(*mismatch);
        message.as_str().rsplit_once("\n  help: ").unwrap().1.to_owned()
    };
    report.mismatches().iter().map(help).collect()
}

/// Exchanging `n` and `o` would exchange input and output.
#[test]
fn a_move_keeps_the_order_of_the_others() {
    let kernel = [ptx_u64(), ptx_u64(), ptx_u32()];
    let host = [u32("n"), slice("i", FLOAT), slice_mut("o", FLOAT)];
    assert_eq!(texts(&host, &kernel)[0], "it fits parameter 2: move it after `o`");
    // With another mistake in the struct.
    let kernel = [ptx_u64(), ptx_u64(), ptx_u32(), ptx_f32()];
    let host = [host[0], host[1], host[2], f64("a")];
    assert_eq!(texts(&host, &kernel)[0], "it fits parameter 2: move it between `o` and `a`");
}

#[test]
fn no_field_is_removed_where_the_counts_agree() {
    let kernel = [
        with_cpp(ptx_u64(), FLOAT.pointer(true)),
        with_cpp(ptx_u64(), FLOAT.pointer(false)),
        with_cpp(ptx_u32(), UINT),
    ];
    let host = [f32("n"), slice("input", FLOAT), slice_mut("out", FLOAT)];
    assert_eq!(
        texts(&host, &kernel),
        ["remove it, or move it to where the kernel takes it", "add a field for it after `out`: `u32`",]
    );
}

#[test]
fn an_exchange_of_neighbours_and_a_type_are_both_suggested_if_either_helps() {
    let kernel = [with_cpp(ptx_u64(), FLOAT.pointer(true)), with_cpp(ptx_u64(), FLOAT.pointer(false))];
    let host = [slice_mut("y", FLOAT), slice("x", FLOAT)];
    assert_eq!(
        texts(&host, &kernel),
        [
            "`y` and `x` look exchanged: swap them; or, if the order of the fields is right, the kernel may write through it: \
          declare `x: &mut CudaSlice<f32>`; if the kernel only reads, `#[kernel_args(opaque)]` on the field turns this check off"
        ]
    );
}
