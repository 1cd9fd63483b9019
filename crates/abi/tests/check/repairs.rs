//! A reader follows each hint literally. The struct then fits, and no other change of this size is equally likely,
//! unless the text names it.

use super::advice::{Advice, Change, as_field, position};
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
        is_for_bytes
            || !h.is_unknown()
                && !k.is_unknown()
                && (h.is_pointer() != k.is_pointer() || h.const_mask != k.const_mask || void(h) != void(k))
    };
    host.into_iter().zip(kernel).filter(converts).count()
}

/// The number of pairs of fields in a different order than in `host`.
fn inversions(host: &[Parameter<'static>], names: &[&str]) -> usize {
    let places: Vec<_> = names.iter().map(|name| position(host, name)).collect();
    (0..places.len()).map(|i| places[i..].iter().filter(|&&later| later < places[i]).count()).sum()
}

/// The number of conversions in the current order, if only one field does not fit. An order with more conversions is
/// less likely than a wrong type.
fn conversions_without_one(host: &[Parameter<'_>], kernel: &[Parameter<'_>]) -> usize {
    let (fitting, wrong): (Vec<_>, Vec<_>) = (host.iter().zip(kernel)).partition(|(h, k)| compare(h, k).is_empty());
    let (host, kernel): (Vec<_>, Vec<_>) = fitting.into_iter().unzip();
    if wrong.len() == 1 { conversions(host, kernel) } else { usize::MAX }
}

/// Every change of this size that makes the struct fit, except the worse ones. It tries all changes.
fn best(host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> BTreeSet<Change> {
    let names: Vec<_> = host.iter().map(|field| field.name).collect();
    let mut found = Vec::new();
    match host.len().cmp(&kernel.len()) {
        std::cmp::Ordering::Equal => {
            let mut orders = BTreeSet::new();
            for a in 0..names.len() {
                for b in 0..names.len() {
                    let (mut moved, mut swapped) = (names.clone(), names.clone());
                    let name = moved.remove(a);
                    moved.insert(b, name);
                    swapped.swap(a, b);
                    orders.extend([moved, swapped]);
                }
            }
            for order in orders {
                let fields: Fields = order.iter().map(|name| host[position(host, name)]).collect();
                if fit(&fields, kernel) {
                    let conversions = conversions(&fields, kernel);
                    if conversions <= conversions_without_one(host, kernel) {
                        let rank = (conversions, inversions(host, &order));
                        found.push((rank, Change::Order(order)));
                    }
                }
            }
        }
        std::cmp::Ordering::Less => {
            for at in 0..=host.len() {
                let mut fields = host.to_vec();
                fields.insert(at, as_field(&kernel[at]));
                if fit(&fields, kernel) {
                    found.push(((conversions(&fields, kernel), 0), Change::Add(at)));
                }
            }
        }
        std::cmp::Ordering::Greater => {
            for at in 0..host.len() {
                let mut fields = host.to_vec();
                let removed = fields.remove(at);
                if fit(&fields, kernel) {
                    found.push(((conversions(&fields, kernel), 0), Change::Remove(removed.name)));
                }
            }
        }
    }
    let lowest = found.iter().map(|(rank, _)| *rank).min();
    let lowest = found.into_iter().filter(|(rank, _)| Some(*rank) == lowest);
    lowest.map(|(_, change)| change).collect()
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
    // Several mistakes at once: a changed type may look like a struct of several fields, or like two differences.
    let is_one = !report
        .mismatches()
        .iter()
        .any(|mismatch| matches!(mismatch, Mismatch::Split { .. } | Mismatch::Joined { .. }));
    prop_assert!(is_one, "{}", table);
    for (change, fields) in advice.changes.iter().zip(advice.apply(host, kernel)) {
        prop_assert!(fit(&fields, kernel), "{:?} does not mend\n{}", change, table);
    }
    let expected = best(host, kernel);
    let retyped = |change: &Change| matches!(change, Change::Retype(_));
    let repairs: BTreeSet<_> = advice.changes.iter().filter(|change| !retyped(change)).cloned().collect();
    if advice.several {
        prop_assert!(expected.len() > 1, "{:?}\n{}", expected, table);
        prop_assert!(repairs.is_empty());
    } else {
        prop_assert_eq!(&repairs, &expected, "\n{}", table);
    }
    // Changing a type is as small a change as another order.
    let wrong = host.iter().zip(kernel).filter(|(h, k)| !compare(h, k).is_empty()).count();
    if host.len() == kernel.len() && wrong == 1 && kernel[0].offset.is_none() {
        prop_assert!(advice.changes.iter().any(retyped), "{}", table);
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
        [
            "if it is parameter 2, move it after `out` and declare `n: u32`; if not, remove it and add a field for that parameter",
            "add a field for it after `out`: `u32`; or, if `n` is this field, move it there",
        ]
    );
}

#[test]
fn an_exchange_and_a_type_are_both_suggested_if_either_helps() {
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
