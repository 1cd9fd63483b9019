//! What a text says to write is written, by a reader who does just that: the struct then fits, and no other change of
//! this size is as likely, unless the text says so.

use super::sides::*;
use kernel_args_abi::check::{Mismatch, Report, compare, fits, report};
use kernel_args_abi::cpp::BUILTINS;
use kernel_args_abi::{Class, CppBase, CppType, Layout, ParamLayout, Parameter, Signature};
use kernel_args_test_generator::size;
use proptest::{prelude::*, sample::Index};
use std::collections::BTreeSet;

type Fields = Vec<Parameter<'static>>;

/// `f0`, `f1`, …
const NAMES: [&str; 24] = [
    "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14",
    "f15", "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23",
];

/// Types of which several resemble each other.
fn palette() -> Fields {
    let vector =
        |name, rust, size, align| field("", rust, size, align, Class::Bytes, CppType::named(name));
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
    named
        .map(|(field, name)| Parameter { name, ..*field })
        .collect()
}

/// Few kinds of fields in one list, so that neighbours are often alike.
fn signatures(length: std::ops::Range<usize>) -> impl Strategy<Value = Fields> {
    let kinds = proptest::collection::vec(proptest::sample::select(palette()), 1..5);
    (kinds, proptest::collection::vec(any::<Index>(), length)).prop_map(|(kinds, picks)| {
        named(
            &picks
                .iter()
                .map(|pick| *pick.get(&kinds))
                .collect::<Vec<_>>(),
        )
    })
}

/// The kernel of these fields, as the source of this number describes it: with C++ names, PTX alone, a cubin.
fn kernel(fields: &[Parameter<'static>], source: u8) -> Fields {
    let told = |field: &Parameter<'static>| {
        let class = match field.class {
            Class::Pointer => Class::Integer,
            class => class,
        };
        Parameter {
            name: "",
            spelling: "",
            class,
            cpp: CppType::UNKNOWN,
            ..*field
        }
    };
    match source {
        0 => fields
            .iter()
            .map(|field| Parameter {
                cpp: field.cpp,
                ..told(field)
            })
            .collect(),
        1 => fields.iter().map(told).collect(),
        _ => records(fields),
    }
}

fn fit(host: &[Parameter<'_>], kernel: &[Parameter<'_>]) -> bool {
    fits(host, kernel, None)
}

/// A change of the fields that a text names; types as the text has them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Change {
    /// The names in their new order.
    Order(Vec<&'static str>),
    /// Before which field a new one stands.
    Add(usize),
    Remove(&'static str),
    Retype(&'static str),
}

/// What the texts of a report say: the changes of which one is to be made, and the types that each retyping and adding
/// offers.
#[derive(Debug, Default)]
struct Advice {
    changes: BTreeSet<Change>,
    types: Vec<String>,
    /// It says that several orders fit and names none.
    several: bool,
}

/// The parts of a text in backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn position(host: &[Parameter<'static>], name: &str) -> usize {
    host.iter()
        .position(|field| field.name == name)
        .unwrap_or_else(|| panic!("no field `{name}`"))
}

/// Before which field a place such as "between `a` and `b`" is.
fn place(host: &[Parameter<'static>], text: &str) -> usize {
    let names = quoted(text);
    match text.split(' ').next().unwrap() {
        "to" => 0,
        "before" => position(host, names[0]),
        "after" => position(host, names[0]) + 1,
        "between" => {
            assert_eq!(
                position(host, names[0]) + 1,
                position(host, names[1]),
                "{text}"
            );
            position(host, names[1])
        }
        other => panic!("{other} in {text}"),
    }
}

impl Advice {
    fn of(host: &[Parameter<'static>], report: &Report<'_>) -> Self {
        let mut advice = Self::default();
        for mismatch in report.mismatches() {
            let message = report.message(*mismatch);
            let (_, help) = message.as_str().rsplit_once("\n  help: ").unwrap();
            let field = mismatch.field().map(|field| host[field].name);
            advice.read(host, field, help);
        }
        advice
    }

    fn read(&mut self, host: &[Parameter<'static>], field: Option<&'static str>, help: &str) {
        let order = |moved: usize, before: usize| {
            let mut names: Vec<_> = host.iter().map(|field| field.name).collect();
            let name = names.remove(moved);
            names.insert(if before > moved { before - 1 } else { before }, name);
            Change::Order(names)
        };
        if let Some((first, second)) =
            help.split_once("; or, if the order of the fields is right, ")
        {
            self.read(host, field, first);
            // What is declared in place names the field itself, or is about the field that the text stands at.
            let declared = quoted(second)
                .into_iter()
                .find_map(|part| part.split_once(": "));
            let own = declared.map_or(field.unwrap(), |(name, _)| host[position(host, name)].name);
            self.read(host, Some(own), second);
        } else if help.contains("they fit in more than one") {
            self.several = true;
        } else if let Some((names, "look exchanged: swap them")) = help
            .rsplit_once(" look")
            .map(|(a, _)| (a, &help[a.len() + 1..]))
        {
            let names = quoted(names);
            let mut swapped: Vec<_> = host.iter().map(|field| field.name).collect();
            swapped.swap(position(host, names[0]), position(host, names[1]));
            self.changes.insert(Change::Order(swapped));
        } else if let Some((name, to)) = help.split_once(" would fit here: move it ") {
            let moved = position(host, quoted(name)[0]);
            self.changes.insert(order(moved, place(host, to)));
        } else if let Some((_, to)) = help.split_once(": move it ") {
            self.changes
                .insert(order(position(host, field.unwrap()), place(host, to)));
        } else if let Some(rest) = help.strip_prefix("add a field for it ") {
            let (at, types) = rest.split_once(": ").unwrap();
            let types = types.split(" (").next().unwrap();
            self.types
                .extend(quoted(types).into_iter().map(String::from));
            let names = quoted(at);
            if at.starts_with("before or after") {
                let one = position(host, names[0]);
                self.changes
                    .extend([Change::Add(one), Change::Add(one + 1)]);
            } else if at.ends_with("between them") {
                let (first, last) = (position(host, names[0]), position(host, names[1]));
                self.changes.extend((first..=last + 1).map(Change::Add));
            } else {
                self.changes.insert(Change::Add(place(host, at)));
            }
        } else if help.starts_with("remove it: ") {
            self.changes.insert(Change::Remove(field.unwrap()));
        } else if let Some((names, _)) = help
            .strip_prefix("remove ")
            .and_then(|rest| rest.split_once(", which are alike"))
        {
            let ends: Vec<_> = quoted(names)
                .iter()
                .map(|name| position(host, name))
                .collect();
            let [first, last] = ends[..] else {
                panic!("{help}")
            };
            self.changes
                .extend((first..=last).map(|field| Change::Remove(host[field].name)));
        } else {
            self.changes.insert(Change::Retype(field.unwrap()));
            let declared = quoted(help)
                .into_iter()
                .filter_map(|part| part.split_once(": "));
            self.types.extend(declared.map(|(_, ty)| ty.to_owned()));
        }
    }

    /// The lists of fields that come of each change. What is added is the parameter itself.
    fn apply(&self, host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> Vec<Fields> {
        let one = |change: &Change| {
            let mut fields = host.to_vec();
            match change {
                Change::Order(names) => {
                    fields = names
                        .iter()
                        .map(|name| host[position(host, name)])
                        .collect();
                }
                Change::Add(at) => fields.insert(*at, as_field(&kernel[*at])),
                Change::Remove(name) => {
                    fields.remove(position(host, name));
                }
                Change::Retype(name) => {
                    let at = position(host, name);
                    fields[at] = as_field(&kernel[at]);
                }
            }
            fields
        };
        self.changes.iter().map(one).collect()
    }
}

/// A field of which nothing is known that a parameter could contradict.
fn as_field(parameter: &Parameter<'static>) -> Parameter<'static> {
    Parameter {
        offset: None,
        ..*parameter
    }
}

/// A field of this Rust type, as the library describes it; `None` for those that this test does not spell.
fn of_rust(ty: &str) -> Option<Parameter<'static>> {
    let integer = |size: usize, signed| {
        let bits = u16::try_from(size * 8).unwrap();
        field(
            "r",
            "",
            size,
            size,
            Class::Integer,
            CppType::integer(signed, bits),
        )
    };
    Some(match ty {
        "u8" => integer(1, false),
        "i8" => integer(1, true),
        "u32" => integer(4, false),
        "i32" => integer(4, true),
        "u64" => integer(8, false),
        "i64" => integer(8, true),
        "bool" => boolean("r"),
        "f32" => f32("r"),
        "f64" => f64("r"),
        "&CudaSlice<f32>" => slice("r", FLOAT),
        "&mut CudaSlice<f32>" => slice_mut("r", FLOAT),
        "&CudaSlice<f64>" => slice("r", DOUBLE),
        "&CudaSlice<…>" => slice("r", CppType::of(CppBase::Void)),
        other => {
            let row = BUILTINS.iter().find(|row| row.rust == other)?;
            field(
                "r",
                row.rust,
                row.size,
                row.align,
                Class::Bytes,
                CppType::named(row.cpp),
            )
        }
    })
}

/// How many fields C++ would have to convert.
fn conversions(host: &[Parameter<'_>], kernel: &[Parameter<'_>]) -> usize {
    let converts = |(h, k): &(&Parameter<'_>, &Parameter<'_>)| {
        let (h, k) = (h.cpp, k.cpp);
        let void = |cpp: CppType<'_>| matches!(cpp.base, CppBase::Void);
        !h.is_unknown()
            && !k.is_unknown()
            && (h.is_pointer() != k.is_pointer()
                || h.const_mask != k.const_mask
                || void(h) != void(k))
    };
    host.iter().zip(kernel).filter(converts).count()
}

/// How many pairs of fields stand in another order than in `host`.
fn inversions(host: &[Parameter<'static>], names: &[&str]) -> usize {
    let places: Vec<_> = names.iter().map(|name| position(host, name)).collect();
    (0..places.len())
        .map(|i| {
            places[i..]
                .iter()
                .filter(|&&later| later < places[i])
                .count()
        })
        .sum()
}

/// Every change of this size that makes the struct fit, without the worse ones: by following all of them.
fn best(host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> BTreeSet<Change> {
    let names: Vec<_> = host.iter().map(|field| field.name).collect();
    let mut found = Vec::new();
    if host.len() == kernel.len() {
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
            let fields: Fields = order
                .iter()
                .map(|name| host[position(host, name)])
                .collect();
            if fit(&fields, kernel) {
                let rank = (conversions(&fields, kernel), inversions(host, &order));
                found.push((rank, Change::Order(order)));
            }
        }
    } else if host.len() < kernel.len() {
        for at in 0..=host.len() {
            let mut fields = host.to_vec();
            fields.insert(at, as_field(&kernel[at]));
            if fit(&fields, kernel) {
                found.push(((conversions(&fields, kernel), 0), Change::Add(at)));
            }
        }
    } else {
        for at in 0..host.len() {
            let mut fields = host.to_vec();
            let removed = fields.remove(at);
            if fit(&fields, kernel) {
                found.push((
                    (conversions(&fields, kernel), 0),
                    Change::Remove(removed.name),
                ));
            }
        }
    }
    let lowest = found.iter().map(|(rank, _)| *rank).min();
    let lowest = found.into_iter().filter(|(rank, _)| Some(*rank) == lowest);
    lowest.map(|(_, change)| change).collect()
}

/// One mistake in right fields.
fn mistaken(
    right: &[Parameter<'static>],
    kind: u8,
    a: usize,
    b: usize,
    other: Parameter<'static>,
) -> Fields {
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
        3 => host.insert(
            a,
            Parameter {
                name: "added",
                ..other
            },
        ),
        _ => {
            host[a] = Parameter {
                name: host[a].name,
                ..other
            }
        }
    }
    host
}

fn judge(host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> Result<(), TestCaseError> {
    let (struct_, entry) = (
        Signature {
            name: "Host",
            parameters: host,
        },
        Signature {
            name: "kernel",
            parameters: kernel,
        },
    );
    let report: Report = report(&struct_, &entry);
    if report.is_empty() {
        return Ok(());
    }
    let advice = Advice::of(host, &report);
    let table = report.table().to_string();
    // Several mistakes at once: one field retyped may look like a struct of several, or be two places that differ.
    let is_one = !report
        .mismatches()
        .iter()
        .any(|mismatch| matches!(mismatch, Mismatch::Split { .. } | Mismatch::Joined { .. }));
    prop_assert!(is_one, "{}", table);
    for (change, fields) in advice.changes.iter().zip(advice.apply(host, kernel)) {
        prop_assert!(
            fit(&fields, kernel),
            "{:?} does not mend\n{}",
            change,
            table
        );
    }
    let expected = best(host, kernel);
    let retyped = |change: &Change| matches!(change, Change::Retype(_));
    let told: BTreeSet<_> = advice
        .changes
        .iter()
        .filter(|change| !retyped(change))
        .cloned()
        .collect();
    if advice.several {
        prop_assert!(expected.len() > 1, "{:?}\n{}", expected, table);
        prop_assert!(told.is_empty());
    } else {
        prop_assert_eq!(&told, &expected, "\n{}", table);
    }
    // A retyping is as small a change as another order.
    let wrong = host
        .iter()
        .zip(kernel)
        .filter(|(h, k)| !compare(h, k).is_empty())
        .count();
    if host.len() == kernel.len() && wrong == 1 && kernel[0].offset.is_none() {
        prop_assert!(advice.changes.iter().any(retyped), "{}", table);
    }
    for ty in &advice.types {
        let Some(field) = of_rust(ty) else { continue };
        prop_assert!(
            kernel
                .iter()
                .any(|parameter| compare(&field, parameter).is_empty()),
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

fn texts(host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> Vec<String> {
    let (host, kernel) = (
        Signature {
            name: "Host",
            parameters: host,
        },
        Signature {
            name: "kernel",
            parameters: kernel,
        },
    );
    let report: Report = report(&host, &kernel);
    let help = |mismatch: &Mismatch| {
        let message = report.message(*mismatch);
        message
            .as_str()
            .rsplit_once("\n  help: ")
            .unwrap()
            .1
            .to_owned()
    };
    report.mismatches().iter().map(help).collect()
}

/// To exchange `n` and `o` would exchange input and output.
#[test]
fn a_move_keeps_the_order_of_the_others() {
    let kernel = [ptx_u64(), ptx_u64(), ptx_u32()];
    let host = [u32("n"), slice("i", FLOAT), slice_mut("o", FLOAT)];
    assert_eq!(
        texts(&host, &kernel)[0],
        "it fits parameter 2: move it after `o`"
    );
    // With another mistake in the struct as well.
    let kernel = [ptx_u64(), ptx_u64(), ptx_u32(), ptx_f32()];
    let host = [host[0], host[1], host[2], f64("a")];
    assert_eq!(
        texts(&host, &kernel)[0],
        "it fits parameter 2: move it between `o` and `a`"
    );
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
            "add a field for it after `out`: `u32`; or, if `n` is it, move it there",
        ]
    );
}

#[test]
fn an_exchange_or_a_type_is_said_where_either_mends() {
    let kernel = [
        with_cpp(ptx_u64(), FLOAT.pointer(true)),
        with_cpp(ptx_u64(), FLOAT.pointer(false)),
    ];
    let host = [slice_mut("y", FLOAT), slice("x", FLOAT)];
    assert_eq!(
        texts(&host, &kernel),
        [
            "`y` and `x` look exchanged: swap them; or, if the order of the fields is right, the kernel may write through it, \
          pass `&mut`: declare `x: &mut CudaSlice<f32>`; if the kernel only reads, `#[kernel_args(opaque)]` on the field turns this check off"
        ]
    );
}

#[test]
fn members_of_a_struct_are_told_as_one_parameter() {
    let params = ptx_bytes(24, 8);
    let members = [
        u32("width"),
        f32("scale"),
        f64("step"),
        slice("data", FLOAT),
    ];
    let host = [&[u32("n")][..], &members, &[f32("a")]].concat();
    let kernel = [ptx_u32(), params, ptx_f32()];
    assert_eq!(
        texts(&host, &kernel),
        [
            "these 4 fields together are the 24 bytes of parameter 1: put them in one struct with `#[derive(Clone, Copy, \
          DeviceType)]` and `#[repr(C)]`, where a device pointer is a `DevicePointer<T>` or `DevicePointerMut<T>`"
        ]
    );
    let kernel = [
        ptx_u32(),
        with_cpp(params, CppType::named("sim::Params")),
        ptx_f32(),
    ];
    let host = [u32("n"), f64("a"), f64("b"), u32("c"), f32("d")];
    assert_eq!(
        texts(&host, &kernel),
        [
            "these 3 fields together are the 24 bytes of parameter 1: put them in one struct with `#[derive(Clone, Copy, \
          DeviceType)]`, `#[repr(C)]` and `#[device_type(cpp = \"sim::Params\")]`"
        ]
    );
    let host = [f32("x"), f32("y"), f32("z"), f32("w"), u32("n")];
    let kernel = [
        with_cpp(ptx_bytes(16, 16), CppType::named("float4")),
        ptx_u32(),
    ];
    assert_eq!(
        texts(&host, &kernel),
        [
            "these 4 fields together are the 16 bytes of parameter 0: write one field in their place: `Float4`"
        ]
    );
    // A cubin has sizes alone: what no scalar has is a struct.
    let recorded = records(&[
        u32("n"),
        field("p", "", 24, 8, Class::Bytes, CppType::UNKNOWN),
    ]);
    let host = [u32("n"), f64("a"), f64("b"), f64("c")];
    assert!(
        texts(&host, &recorded)[0]
            .starts_with("these 3 fields together are the 24 bytes of parameter 1")
    );
}

#[test]
fn a_struct_of_several_parameters_is_told() {
    let host = [
        field(
            "light",
            "Light",
            16,
            4,
            Class::Bytes,
            CppType::named("Light"),
        ),
        u32("n"),
    ];
    let kernel = [ptx_f32(), ptx_f32(), ptx_f32(), ptx_u32(), ptx_u32()];
    assert_eq!(
        texts(&host, &kernel),
        [
            "parameters 0 to 3 together are the 16 bytes of `Light`: write 4 fields in its place, one for each"
        ]
    );
}

/// A struct whose members are written as fields, at any place and any number of them.
fn members() -> impl Strategy<Value = (Fields, usize, usize)> {
    (signatures(4..12), any::<Index>(), any::<Index>()).prop_map(|(fields, a, b)| {
        let first = a.index(fields.len() - 1);
        let last = first + 1 + b.index(fields.len() - 1 - first);
        (fields, first, last)
    })
}

proptest! {
    /// Put in one struct, they fit; and the other way.
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
            // Of members that are alike, or padding, others may fit as well.
            prop_assert!(a <= last && b >= first, "{}", table);
            prop_assert!(text.as_str().contains("together are the"), "{}", text);
        }
        prop_assert_eq!(report.total(), 1);
        prop_assert_eq!(table.lines().count(), 2 + fields.len());
    }
}
