//! A program that follows the first hint of each report, again and again, ends at the right struct.
//!
//! What a mistake is and how members change is data; the rest is read from the text of the hint, as a user reads it.

use super::sides::*;
use kernel_args_abi::{
    Alignment, Class, CppBase, CppType, Members, Parameter, Pointee, Signature,
    check::{MemberRepair, Mismatch, Report, compare, first_difference_of_any_size, report},
    cpp::{BUILTINS, name},
};
use kernel_args_test_generator::size;
use proptest::{
    prelude::*,
    sample::Index,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};
use std::cell::RefCell;

type Fields = Vec<Parameter<'static>>;

/// The names of the fields and members.
const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

fn leak(text: String) -> &'static str {
    text.leak()
}

/// The alignment of a value in a C struct.
fn natural(value: &Parameter<'_>) -> usize {
    let of_struct = |members: Members<'_>| {
        (0..members.len()).filter_map(|i| members.get(i)).map(|member| natural(&member)).max().unwrap_or(1)
    };
    if let Some(align) = value.align {
        return align.bytes();
    }
    match value.cpp.base {
        _ if value.cpp.is_pointer() => 8,
        CppBase::Named(spelled) => name::builtin(spelled).map_or_else(|| of_struct(value.members), |row| row.align),
        _ => value.size / value.cpp.elements(),
    }
}

/// A struct with these members, laid out by C's rule. The kernel's debug information has no alignments of members.
fn structure(cpp: &'static str, members: &[Parameter<'static>], align: usize) -> Parameter<'static> {
    let (mut end, mut largest) = (0_usize, align);
    let mut placed = Vec::new();
    for member in members {
        let own = natural(member);
        largest = largest.max(own);
        let offset = end.next_multiple_of(own);
        placed.push(Parameter { offset: Some(offset), ..*member });
        end = offset + member.size;
    }
    let size = end.next_multiple_of(largest).max(1);
    let whole = field("", cpp, size, largest, Class::Bytes, CppType::named(cpp));
    whole.with_members(Members::of(placed.leak()))
}

fn members_of(structure: &Parameter<'static>) -> Fields {
    (0..structure.members.len()).filter_map(|i| structure.members.get(i)).collect()
}

fn numbers() -> Fields {
    let integer = |spelling, signed, bits: u16| {
        let size = usize::from(bits) / 8;
        field("", spelling, size, size, Class::Integer, CppType::integer(signed, bits))
    };
    vec![
        f32(""),
        f64(""),
        i32(""),
        u32(""),
        integer("u8", false, 8),
        integer("i16", true, 16),
        integer("i64", true, 64),
        integer("i128", true, 128),
        boolean(""),
    ]
}

fn vectors() -> Fields {
    let row = |cpp: &str| {
        let row = name::builtin(cpp).expect(cpp);
        field("", row.rust, row.size, row.align, Class::Bytes, CppType::named(row.cpp))
    };
    ["float2", "float3", "float4", "cuDoubleComplex", "CUtensorMap"].map(row).into()
}

fn pointers(in_struct: bool) -> Fields {
    let mut all = Vec::new();
    for (element, rust) in [(FLOAT, "f32"), (DOUBLE, "f64"), (INT, "i32"), (CppType::named("__half"), "half::f16")] {
        for to_const in [true, false] {
            let (before, after) = match (in_struct, to_const) {
                (true, true) => ("DevicePointer<", ">"),
                (true, false) => ("DevicePointerMut<", ">"),
                (false, true) => ("&CudaSlice<", ">"),
                (false, false) => ("&mut CudaSlice<", ">"),
            };
            let spelling = leak(format!("{before}{rust}{after}"));
            all.push(field("", spelling, 8, 8, Class::Pointer, element.pointer(to_const)));
        }
    }
    all
}

fn pick(list: &[Parameter<'static>], index: Index) -> Parameter<'static> {
    *index.get(list)
}

fn member_palette() -> Fields {
    let array = |length: u32| {
        let spelling = leak(format!("[f32; {length}]"));
        field("", spelling, 4 * length as usize, 4, Class::Bytes, FLOAT.array(length))
    };
    [numbers(), vectors()[..3].to_vec(), pointers(true), vec![array(3), array(4)]].concat()
}

fn named(list: Fields) -> Fields {
    list.into_iter().zip(NAMES).map(|(parameter, name)| Parameter { name, ..parameter }).collect()
}

/// A struct of the program.
fn structures() -> impl Strategy<Value = Parameter<'static>> {
    let members = proptest::collection::vec(any::<Index>(), 1..6);
    (members, 0..3_u8).prop_map(|(picks, number)| {
        let members = named(picks.into_iter().map(|index| pick(&member_palette(), index)).collect());
        structure(leak(format!("Struct{number}")), &members, 1)
    })
}

/// A slice of such structs.
fn behind_a_pointer(to: &Parameter<'static>) -> Parameter<'static> {
    let slice = field("", to.spelling, 8, 8, Class::Pointer, to.cpp.pointer(true));
    slice.with_pointee(Pointee::of(Box::leak(Box::new(Parameter { name: "", ..*to }))))
}

/// The struct of a field, or behind it.
fn inner(field: &Parameter<'static>) -> Option<Parameter<'static>> {
    if field.cpp.is_pointer() { field.pointee.get() } else { field.members.is_known().then_some(*field) }
}

/// The field with another struct.
fn with_inner(field: &Parameter<'static>, inner: &Parameter<'static>) -> Parameter<'static> {
    let changed = if field.cpp.is_pointer() { behind_a_pointer(inner) } else { *inner };
    Parameter { name: field.name, ..changed }
}

fn right() -> impl Strategy<Value = Fields> {
    let scalar = any::<Index>().prop_map(|index| pick(&[numbers(), vectors()].concat(), index));
    let pointer = any::<Index>().prop_map(|index| pick(&pointers(false), index));
    let behind = structures().prop_map(|to| behind_a_pointer(&to));
    let any = prop_oneof![3 => scalar, 3 => pointer, 2 => structures(), 1 => behind];
    proptest::collection::vec(any, 1..8).prop_map(named)
}

/// What the source of the kernel shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    DebugInfo,
    Symbol,
    Ptx,
}

fn kernel(right: &[Parameter<'static>], source: Source) -> Fields {
    let of = |(i, field): (usize, &Parameter<'static>)| {
        let class = match (field.class, field.size) {
            (Class::Pointer, _) => Class::Integer,
            (Class::Integer, 16) => Class::Bytes,
            (class, _) => class,
        };
        let ptx =
            Parameter { name: leak(format!("k_param_{i}")), spelling: "", class, cpp: CppType::UNKNOWN, ..*field };
        let unknown = ptx.with_members(Members::UNKNOWN).with_pointee(Pointee::UNKNOWN);
        match source {
            Source::Ptx => unknown,
            Source::Symbol => Parameter { cpp: field.cpp, ..unknown },
            Source::DebugInfo => {
                let plain = |own: &Parameter<'static>| {
                    let members = members_of(own).into_iter();
                    let members: Fields =
                        members.map(|member| Parameter { align: None, spelling: "", ..member }).collect();
                    own.with_members(Members::of(members.leak()))
                };
                let known = Parameter { name: field.name, cpp: field.cpp, ..ptx };
                match inner(field) {
                    Some(own) if field.cpp.is_pointer() => known.with_pointee(behind_a_pointer(&plain(&own)).pointee),
                    Some(own) => known.with_members(plain(&own).members),
                    None => known,
                }
            }
        }
    };
    right.iter().enumerate().map(of).collect()
}

/// One mistake of a programmer.
#[derive(Clone, Debug)]
enum Mistake {
    Exchange(Index, Index),
    Move(Index, Index),
    Remove(Index),
    Add(Index, Index),
    Retype(Index, Index),
    /// In a struct.
    Member(Index, Box<Mistake>),
    Align(Index, bool),
    OtherName(Index),
}

fn mistakes() -> impl Strategy<Value = Mistake> {
    let index = any::<Index>;
    let basic = || {
        prop_oneof![
            (index(), index()).prop_map(|(a, b)| Mistake::Exchange(a, b)),
            (index(), index()).prop_map(|(a, b)| Mistake::Move(a, b)),
            index().prop_map(Mistake::Remove),
            (index(), index()).prop_map(|(a, b)| Mistake::Add(a, b)),
            (index(), index()).prop_map(|(a, b)| Mistake::Retype(a, b)),
        ]
    };
    prop_oneof![
        5 => basic(),
        4 => (index(), basic()).prop_map(|(at, inner)| Mistake::Member(at, Box::new(inner))),
        1 => (index(), any::<bool>()).prop_map(|(at, more)| Mistake::Align(at, more)),
        1 => index().prop_map(Mistake::OtherName),
    ]
}

/// The list with a mistake. `None` if it would not change.
fn wrong(list: &[Parameter<'static>], mistake: &Mistake, palette: &[Parameter<'static>]) -> Option<Fields> {
    let mut list = list.to_vec();
    if list.is_empty() {
        return None;
    }
    let structs: Vec<usize> = (0..list.len()).filter(|&i| inner(&list[i]).is_some()).collect();
    match mistake {
        Mistake::Exchange(a, b) => {
            let (a, b) = (a.index(list.len()), b.index(list.len()));
            list.swap(a, b);
        }
        Mistake::Move(a, b) => {
            let moved = list.remove(a.index(list.len()));
            list.insert(b.index(list.len() + 1), moved);
        }
        Mistake::Remove(at) => drop(list.remove(at.index(list.len()))),
        Mistake::Add(at, ty) => {
            list.insert(at.index(list.len() + 1), Parameter { name: "added", ..*ty.get(palette) });
        }
        Mistake::Retype(at, ty) => {
            let at = at.index(list.len());
            list[at] = Parameter { name: list[at].name, ..*ty.get(palette) };
        }
        Mistake::Member(at, inner) if !structs.is_empty() => {
            let at = *at.get(&structs);
            let own = self::inner(&list[at])?;
            let members = wrong(&members_of(&own), inner, &member_palette())?;
            list[at] = with_inner(&list[at], &again(&own, &members));
        }
        Mistake::Align(at, true) if !structs.is_empty() => {
            let field = &mut list[*at.get(&structs)];
            let own = inner(field).filter(|_| !field.cpp.is_pointer())?;
            *field = with_inner(field, &structure(own.spelling, &members_of(&own), 2 * own.align?.bytes()));
        }
        Mistake::OtherName(at) if !structs.is_empty() => {
            let field = &mut list[*at.get(&structs)];
            let own = Parameter { cpp: CppType::named("Other"), ..inner(field)? };
            *field = with_inner(field, &own);
        }
        _ => return None,
    }
    Some(list)
}

/// The struct with other members, if there are any.
fn again(own: &Parameter<'static>, members: &[Parameter<'static>]) -> Parameter<'static> {
    let CppBase::Named(cpp) = own.cpp.base else {
        return *own;
    };
    Parameter { name: own.name, ..structure(cpp, members, 1) }
}

/// A field of the type that a text names. `kernel` is the parameter, for structs of the program.
pub(crate) fn typed(ty: &str, kernel: &Parameter<'static>) -> Option<Parameter<'static>> {
    let all = [numbers(), pointers(false), pointers(true), member_palette()].concat();
    let known = all.into_iter().find(|known| known.spelling == ty);
    let integer = |text: &str| {
        let bits: u16 = text.get(1..)?.parse().ok()?;
        let size = usize::from(bits) / 8;
        let signed = text.starts_with('i');
        let is_integer = signed || text.starts_with('u');
        is_integer.then(|| field("", leak(text.into()), size, size, Class::Integer, CppType::integer(signed, bits)))
    };
    let of_cuda = || {
        let row = BUILTINS.iter().find(|row| row.rust == ty)?;
        Some(field("", row.rust, row.size, row.align, Class::Bytes, CppType::named(row.cpp)))
    };
    let any = || {
        let cpp = CppType::of(CppBase::Void).pointer(true);
        (ty == "&CudaSlice<…>").then(|| field("", "&CudaSlice<_>", 8, 8, Class::Pointer, cpp))
    };
    let own = || match kernel.cpp.base {
        CppBase::Named(spelled) if name::plain(spelled) == ty => Some(own_struct(kernel, spelled)),
        CppBase::Named(spelled) if ty == format!("&CudaSlice<{}>", name::plain(spelled)) => {
            let of = kernel.pointee.get().unwrap_or(field("", spelled, 4, 4, Class::Bytes, CppType::named(spelled)));
            Some(behind_a_pointer(&own_struct(&of, spelled)))
        }
        _ => None,
    };
    known.or_else(|| integer(ty)).or_else(of_cuda).or_else(any).or_else(own)
}

/// The struct that a program declares as the kernel's.
fn own_struct(kernel: &Parameter<'static>, cpp: &'static str) -> Parameter<'static> {
    let align = kernel.align.map_or(1, Alignment::bytes);
    if kernel.members.is_known() {
        return structure(cpp, &members_of(kernel), align);
    }
    field("", cpp, kernel.size, align, Class::Bytes, CppType::named(cpp))
}

/// The type after `declare` or after the place of a new field.
fn declared(hint: &str, kernel: &Parameter<'static>) -> Parameter<'static> {
    let (_, rest) = hint.split_once("declare ").or_else(|| hint.rsplit_once(": ")).unwrap_or_else(|| panic!("{hint}"));
    let rest = if hint.contains("declare ") { rest } else { &hint[hint.find('`').unwrap_or(0)..] };
    if rest.contains("a struct of")
        || rest.starts_with("a `#[repr(C)]` struct of")
        || rest.starts_with("a type of")
        || hint.contains("a type of")
    {
        let cpp = match kernel.cpp.base {
            CppBase::Named(spelled) => spelled,
            _ => "Own",
        };
        return own_struct(kernel, cpp);
    }
    let quoted = rest.split('`').skip(1).step_by(2);
    for part in quoted {
        let ty = part.split_once(": ").map_or(part, |(_, ty)| ty);
        if let Some(found) = typed(ty, kernel) {
            return found;
        }
    }
    panic!("no type in {hint}");
}

/// What a user does after the first mistake of a report.
fn follow(host: &mut Fields, (kernel, right): (&[Parameter<'static>], &[Parameter<'static>]), report: &Report<'_>) {
    let mismatch = report.mismatches()[0];
    let message = report.message(mismatch);
    let hint = message.as_str().rsplit_once("\n  help: ").map_or("", |(_, hint)| hint).to_owned();
    let move_to = |host: &mut Fields, field: usize, before: usize| {
        let moved = host.remove(field);
        host.insert(if before > field { before - 1 } else { before }, moved);
    };
    match mismatch {
        Mismatch::Differs { field, exchanged: Some(other), .. } => host.swap(field, other),
        Mismatch::Differs { field, parameter, .. } if hint.contains("but here it is field") => {
            let (_, other) = hint.split_once("is parameter ").expect("a number");
            let other: usize = other.split(' ').next().and_then(|other| other.parse().ok()).expect("a number");
            move_to(host, field, if other > parameter { other + 1 } else { other });
        }
        _ if hint.contains("`#[kernel_args(flatten)]`") => {
            let name = hint.split('`').nth(1).expect("a field");
            let field = host.iter().position(|field| field.name == name).expect("its field");
            let members = members_of(&host[field]).into_iter().map(|member| Parameter { offset: None, ..member });
            host.splice(field..=field, members);
        }
        Mismatch::Differs { field, parameter, .. } => {
            let changed = changed(&host[field], (&kernel[parameter], &right[parameter]), &hint);
            host[field] = Parameter { name: host[field].name, ..changed };
        }
        Mismatch::Missing { before, moved: Some(field), .. } => move_to(host, field, before),
        Mismatch::Extra { field, moved: Some(_) } => {
            let before = report.mismatches().iter().find_map(|mismatch| match *mismatch {
                Mismatch::Missing { before, moved: Some(moved), .. } if moved == field => Some(before),
                _ => None,
            });
            move_to(host, field, before.expect("its place"));
        }
        Mismatch::Missing { parameter, before, .. } => {
            let kernel = kernel[parameter];
            let name = if kernel.name.starts_with("k_param") { "new" } else { kernel.name };
            let after = hint.split_once(": ").map_or(hint.as_str(), |(_, types)| types);
            host.insert(before, Parameter { name, ..declared(&format!("declare {after}"), &kernel) });
        }
        Mismatch::Extra { field, .. } => drop(host.remove(field)),
        other => panic!("{other:?}: {hint}"),
    }
}

/// The field after a hint for its type or its struct.
fn changed(
    host: &Parameter<'static>,
    (kernel, right): (&Parameter<'static>, &Parameter<'static>),
    hint: &str,
) -> Parameter<'static> {
    if hint.contains("compare their fields one by one") {
        // The user reads the source.
        return *right;
    }
    if hint.contains("if it is your struct") || hint.contains("remove `align`") {
        let CppBase::Named(cpp) = host.cpp.base else { panic!("{hint}") };
        let (_, align) = hint.split_once("aligns it to ").expect("a number");
        let align = align.split([':', ',']).next().and_then(|align| align.parse().ok()).expect("a number");
        let aligned = structure(cpp, &members_of(host), align);
        // Otherwise a member needs the larger alignment.
        return if aligned.align == Alignment::new(align) { aligned } else { *right };
    }
    if hint.contains("is that struct") {
        return Parameter { cpp: kernel.cpp, ..*host };
    }
    if hint.contains("the kernel's struct has") || hint.contains("the kernel's `") {
        let Some(repair) = first_difference_of_any_size(host, kernel).and_then(|mismatch| mismatch.repair()) else {
            return *right;
        };
        let own = inner(host).expect("a struct");
        let members = members_after(&members_of(&own), &repair, hint);
        return with_inner(host, &again(&own, &members));
    }
    declared(hint, kernel)
}

fn members_after(members: &[Parameter<'static>], repair: &MemberRepair<'_>, hint: &str) -> Fields {
    let mut members = members.to_vec();
    let at =
        |members: &Fields, name: &str| members.iter().position(|member| member.name == name).unwrap_or(members.len());
    let owned = |kernel: &Parameter<'_>| -> Parameter<'static> {
        let name = NAMES.into_iter().find(|name| *name == kernel.name).expect("a name");
        let all = [member_palette(), vectors()].concat();
        let same = |known: &&Parameter<'static>| known.size == kernel.size && known.cpp == kernel.cpp;
        let found = *all.iter().find(same).unwrap_or_else(|| panic!("{kernel:?}"));
        let spelled = if matches!(repair, MemberRepair::Order(_)) { "" } else { found.spelling };
        assert!(hint.contains(spelled), "{spelled} is not in {hint}");
        Parameter { name, ..found }
    };
    match repair {
        MemberRepair::Order(kernel) => {
            let order = |member: &Parameter<'static>| {
                (0..kernel.len()).position(|i| kernel.get(i).is_some_and(|other| other.name == member.name))
            };
            let (mut known, other): (Fields, Fields) = members.iter().partition(|member| order(member).is_some());
            known.sort_by_key(|member| order(member));
            members = [known, other].concat();
        }
        MemberRepair::Exchange(first, second) => {
            let (a, b) = (at(&members, first), at(&members, second));
            members.swap(a, b);
        }
        MemberRepair::Declare(host, kernel) => {
            let at = at(&members, host.name);
            let owned = Parameter { name: "", ..owned(&Parameter { name: NAMES[0], ..*kernel }) };
            members[at] = Parameter { name: members[at].name, ..owned };
        }
        MemberRepair::Add(kernel, before) => {
            let at = at(&members, before);
            members.insert(at, owned(kernel));
        }
        MemberRepair::Move(name, before) => {
            let moved = members.remove(at(&members, name));
            let to = at(&members, before);
            members.insert(to, moved);
        }
        MemberRepair::Remove(host) => drop(members.remove(at(&members, host.name))),
        MemberRepair::Pad(bytes, before) => {
            let at = at(&members, before);
            let cpp = CppType::integer(false, 8).array(u32::try_from(*bytes).expect("small"));
            members.insert(at, field("_padding", "[u8; _]", *bytes, 1, Class::Bytes, cpp));
        }
        MemberRepair::All(kernel) => {
            members = (0..kernel.len()).filter_map(|i| kernel.get(i)).map(|kernel| owned(&kernel)).collect();
        }
        other => panic!("{other:?}"),
    }
    members
}

/// Follows hints until the struct is accepted. The number of steps.
fn repaired(
    host: &mut Fields,
    (kernel, right): (&[Parameter<'static>], &[Parameter<'static>]),
    most: usize,
) -> Result<(usize, String), String> {
    let mut log = String::new();
    for step in 0..=most {
        let fields = host.clone();
        let host_side = Signature { name: "Host", parameters: &fields };
        let kernel_side = Signature { name: "kernel", parameters: kernel };
        let found: Report<'_> = report(&host_side, &kernel_side);
        if found.is_empty() {
            return Ok((step, log));
        }
        log.push_str(found.message(found.mismatches()[0]).as_str());
        log.push('\n');
        follow(host, (kernel, right), &found);
    }
    Err(format!("not accepted after {most} steps:\n{log}"))
}

/// Whether the fields are the right ones, as far as the kernel shows it.
fn is_right(host: &[Parameter<'static>], right: &[Parameter<'static>], source: Source) -> bool {
    let is_elsewhere =
        |own: &Parameter<'static>| right.iter().any(|right| right.name == own.name && compare(own, right).is_empty());
    host.len() == right.len()
        && host.iter().zip(right).all(|(own, right)| {
            let plain = right.with_members(Members::UNKNOWN).with_pointee(Pointee::UNKNOWN);
            match source {
                Source::Ptx => true,
                Source::Symbol => compare(own, &plain).is_empty(),
                // A name shows nothing if the kernel has none or one of another type.
                Source::DebugInfo => compare(own, right).is_empty() && (own.name == right.name || !is_elsewhere(own)),
            }
        })
}

/// `a: Struct { a: f32 }, b: i32`.
fn show(list: &[Parameter<'static>]) -> String {
    let one = |field: &Parameter<'static>| {
        let (name, ty) = (field.name, field.spelling);
        let (size, align) = (field.size, field.align.map_or(0, Alignment::bytes));
        if field.members.is_known() {
            format!("{name}: {ty} {size}/{align} {{ {} }}", show(&members_of(field)))
        } else {
            format!("{name}: {ty} {size}/{align}")
        }
    };
    list.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// How the structs with this number of mistakes ended.
#[derive(Default)]
struct Count {
    structs: usize,
    steps: usize,
    /// In as many steps as there were mistakes, or fewer.
    direct: usize,
}

#[test]
fn followed_hints_end_at_the_right_struct() {
    let config =
        ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(size::choose(1000, 20_000) as u32) };
    let source = prop_oneof![Just(Source::DebugInfo), Just(Source::Symbol), Just(Source::Ptx)];
    let inputs = (right(), proptest::collection::vec(mistakes(), 1..4), source);
    let counts: RefCell<[Count; 4]> = RefCell::default();
    let fixed = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = if size::is_full() { TestRunner::new(config) } else { TestRunner::new_with_rng(config, fixed) };
    let result = runner.run(&inputs, |(right, mistakes, source)| {
        let palette = [numbers(), vectors(), pointers(false)].concat();
        let (mut host, mut made) = (right.clone(), 0);
        for mistake in &mistakes {
            if let Some(wrong) = wrong(&host, mistake, &palette) {
                (host, made) = (wrong, made + 1);
            }
        }
        let (kernel, begin) = (kernel(&right, source), host.clone());
        let count = &mut counts.borrow_mut()[made];
        count.structs += 1;
        match repaired(&mut host, (&kernel, &right), 12) {
            Err(why) => prop_assert!(false, "{}\nfor {}\n{why}\n{mistakes:?}", show(&begin), show(&right)),
            Ok((steps, log)) => {
                count.steps += steps;
                count.direct += usize::from(steps <= made);
                let ended = format!("{}\nfor {}\nended at {}", show(&begin), show(&right), show(&host));
                prop_assert!(is_right(&host, &right, source), "{log}{ended}\nfor {source:?} and {mistakes:?}");
            }
        }
        Ok(())
    });
    for (mistakes, Count { structs, steps, direct }) in counts.take().iter().enumerate() {
        println!(
            "hints: {structs} structs with {mistakes} mistakes: {steps} steps, {direct} with at most one for each mistake"
        );
    }
    result.unwrap_or_else(|error| panic!("{error}"));
}
