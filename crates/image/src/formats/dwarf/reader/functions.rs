//! The entries of a host object's functions, with what the C calling convention passes.

use super::{
    Die, Error, Position, RawValue, Sections, Type, Units,
    kernels::{OF_MAP, Subprogram, complete},
    members::TypeTable,
    passing::Passed,
};
use crate::prelude::*;
use gimli::constants as dw;
use kernel_args_abi::{
    Class, CppBase, CppType, Members, Opaque,
    cpp::name,
    passing::{Convention, Passing},
    signature::stored,
};

/// The functions of an object, with lists in the format of [`stored::members`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Functions {
    pub(crate) convention: Convention,
    table: Vec<u8>,
    found: BTreeMap<String, Result<Function, String>>,
}

/// The numbers of its lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Function {
    pub(crate) parameters: usize,
    pub(crate) without_stream: usize,
    /// The index of the parameter that is a stream.
    pub(crate) stream: Option<usize>,
    /// Empty if it returns nothing.
    pub(crate) result: usize,
}

impl Functions {
    pub(crate) fn read<'n>(
        sections: &Sections<'_>,
        symbols: impl IntoIterator<Item = &'n str>,
        convention: Convention,
    ) -> Result<Self, Error> {
        let units = Units::new(sections)?;
        let mut types = TypeTable::new(&units);
        let mut structs = Structs::default();
        let mut wanted: BTreeMap<&str, Option<Result<Function, String>>> = BTreeMap::new();
        for symbol in symbols {
            units.store(OF_MAP + symbol.len())?;
            wanted.insert(symbol, None);
        }
        for unit in 0..units.len() {
            let mut walk = units.walk_unit(unit)?;
            let (mut is_c, mut is_gcc) = (false, false);
            while let Some((_, entry)) = walk.next()? {
                if let Some(RawValue::Language(language)) = entry.value(dw::DW_AT_language) {
                    is_c = C.contains(&language);
                    if language == dw::DW_LANG_Mips_Assembler {
                        break;
                    }
                }
                if let Some(producer) = entry.value(dw::DW_AT_producer) {
                    let producer = units.text(entry.place, producer)?;
                    if lacks_parameters(producer) {
                        break;
                    }
                    is_gcc = producer.starts_with("GNU ");
                }
                if entry.tag != dw::DW_TAG_subprogram || entry.is_declaration() {
                    continue;
                }
                let function = Subprogram::read(&units, &entry)?;
                if let Some(found @ None) = wanted.get_mut(function.symbol())
                    && function.is_external
                {
                    let read = if is_c && !function.is_prototyped && has_float(&units, &function)? {
                        Err(OLD_STYLE.into())
                    } else if entry.value(dw::DW_AT_calling_convention).is_some_and(|value| value != NORMAL) {
                        Err("it has another calling convention than C".into())
                    } else {
                        read(&units, &mut types, &function, (entry.place, is_gcc), &mut structs)?
                    };
                    *found = Some(read);
                }
            }
        }
        let found = wanted.into_iter().filter_map(|(symbol, found)| Some((String::from(symbol), found?)));
        let mut functions = Self { convention, found: found.collect(), table: types.finish() };
        for (list, index, passed) in structs.0 {
            let Some(rust) = functions.list(list).get(index) else { continue };
            if passed.passing.is_like(&Passing::of(&rust), convention) {
                continue;
            }
            let is_union = rust.members.why_opaque() == Some(Opaque::Union);
            let is = if is_union { "is" } else { "is a struct with" };
            let what = format!(
                "its parameter {index}, `{}`, {is} {}, which C passes in other registers than Rust passes its bytes",
                rust.name, passed.contains
            );
            let own = functions.found.values_mut().find(|own| own.as_ref().is_ok_and(|own| own.parameters == list));
            if let Some(own) = own {
                *own = Err(what);
            }
        }
        Ok(functions)
    }

    /// Adds the symbols without an entry that have the place of a symbol with one.
    pub(crate) fn add_aliases<'n, P: Ord>(&mut self, symbols: impl Iterator<Item = (&'n str, P)> + Clone) {
        let known: BTreeMap<P, _> =
            symbols.clone().filter_map(|(symbol, place)| Some((place, self.found.get(symbol)?.clone()))).collect();
        for (symbol, place) in symbols {
            if let Some(function) = known.get(&place) {
                self.found.entry(String::from(symbol)).or_insert_with(|| function.clone());
            }
        }
    }

    /// `None` if it has no entry.
    pub(crate) fn get(&self, symbol: &str) -> Option<Result<Function, &str>> {
        self.found.get(symbol).map(|found| found.as_ref().copied().map_err(String::as_str))
    }

    pub(crate) fn list(&self, number: usize) -> Members<'_> {
        stored::members(&self.table, number)
    }
}

/// C89 to C23.
const C: [gimli::DwLang; 6] =
    [dw::DW_LANG_C89, dw::DW_LANG_C, dw::DW_LANG_C99, dw::DW_LANG_C11, dw::DW_LANG_C17, gimli::DwLang(0x3e)];
const OLD_STYLE: &str =
    "it is defined in the old style without a prototype (K&R), so C passes its `float` as a `double`";
const NORMAL: RawValue<'static> = RawValue::CallingConvention(dw::DW_CC_normal);

fn has_float<'s>(units: &Units<'s>, function: &Subprogram<'s>) -> Result<bool, Error> {
    for place in function.listed(units)?.unwrap_or_default() {
        if complete(units, place)?.2.cpp == CppType::of(CppBase::Float { bits: 32 }) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether GCC's option `-g1` was the last one for the level: then functions have neither parameters nor a
/// returned type.
fn lacks_parameters(producer: &str) -> bool {
    let is_level =
        |word: &&str| word.strip_prefix("-g").is_some_and(|level| ["", "0", "1", "2", "3", "gdb"].contains(&level));
    producer.split(' ').rev().find(is_level) == Some("-g1")
}

/// The parameters that are structs by value: the list, the index, and how C passes it; and of each type.
type Structs = (Vec<(usize, usize, Passed)>, BTreeMap<Position, Passed>);

/// Or why Rust cannot call it.
fn read<'s>(
    units: &Units<'s>,
    types: &mut TypeTable<'_, 's>,
    function: &Subprogram<'s>,
    (place, is_gcc): (Position, bool),
    structs: &mut Structs,
) -> Result<Result<Function, String>, Error> {
    let parameters = match function.listed(units)? {
        Ok(listed) => listed,
        Err(what) => return Ok(Err(what.into())),
    };
    let (mut rows, mut streams, mut by_value) = (Vec::new(), Vec::new(), Vec::new());
    for (index, place) in parameters.into_iter().enumerate() {
        let (name, alignment, mut ty) = complete(units, place)?;
        // Each argument has at least 8 bytes, so up to 8 its alignment changes nothing.
        let [alignment, of_type] = [alignment, ty.alignment].map(|align| align.filter(|bytes| *bytes > 8));
        ty.alignment = of_type;
        if let Some(what) = ty.unlike_c(units)? {
            return Ok(Err(format!("its parameter {index}, `{name}`, is {what}")));
        }
        if let (Some(place), Class::Bytes, Some(size)) = (ty.aggregate, ty.class, ty.size) {
            units.store(2 * OF_MAP + size_of::<(usize, usize, Passed)>())?;
            let passed = match structs.1.get(&place) {
                Some(known) => *known,
                None => Passed::read(units, place, usize::try_from(size).unwrap_or(usize::MAX), is_gcc)?,
            };
            structs.1.insert(place, passed);
            ty.alignment = ty.alignment.max(Some(passed.align).filter(|bytes| *bytes > 8));
            by_value.push((index, passed));
        }
        let Some(row) = types.row(name, alignment, &ty, None, 0)? else {
            return Ok(Err(format!("the size of its parameter {index}, `{name}`, is unknown")));
        };
        if ty.cpp.depth == 1 && ty.name == name::STREAM {
            streams.push(index);
        }
        rows.push(row.place);
    }
    let (_, _, ty) = complete(units, place)?;
    let is_nothing = ty.cpp.base == CppBase::Void && !ty.cpp.is_pointer();
    let what = match ty.unlike_c(units)? {
        _ if is_nothing => None,
        Some(what) => Some(what),
        // Registers, or memory that the caller provides: rarely what a launcher needs.
        None => (ty.aggregate.is_some() && ty.class == Class::Bytes).then_some("a struct"),
    };
    if let Some(what) = what {
        return Ok(Err(format!("it returns {what}")));
    }
    let mut result = Vec::new();
    if !is_nothing {
        result.extend(types.row("", None, &ty, None, 0)?.map(|row| row.place));
    }
    let stream = if let [stream] = streams[..] { Some(stream) } else { None };
    let own: Vec<u32> =
        rows.iter().enumerate().filter(|(index, _)| Some(*index) != stream).map(|(_, row)| *row).collect();
    let parameters = types.store(|table| table.structure(&rows))?;
    structs.0.extend(by_value.into_iter().map(|(index, passed)| (parameters, index, passed)));
    Ok(Ok(Function {
        parameters,
        without_stream: types.store(|table| table.structure(&own))?,
        stream,
        result: types.store(|table| table.structure(&result))?,
    }))
}

impl<'s> Type<'s> {
    /// Returns what it is, if the C calling convention passes it like no type of Rust.
    fn unlike_c(&self, units: &Units<'s>) -> Result<Option<&'static str>, Error> {
        match self.aggregate {
            _ if self.unlike_c.is_some() => Ok(self.unlike_c),
            Some(place) => class_unlike_c(units, place, 0),
            None => {
                let is_unclear = matches!(self.class, Class::Unknown | Class::Bytes);
                Ok(is_unclear.then_some("of a type that Rust does not have"))
            }
        }
    }
}

/// Itanium C++ ABI, "Non-Trivial Parameters". Most compilers do not write `DW_AT_calling_convention`.
fn class_unlike_c(units: &Units<'_>, place: Position, depth: usize) -> Result<Option<&'static str>, Error> {
    const BY_ADDRESS: &str =
        "a class that C++ passes by its address, because it has a copy constructor or a destructor";
    const EMPTY: &str = "a class without members";
    let class = units.entry(place)?;
    if depth > DEEPEST || !matches!(class.tag, dw::DW_TAG_structure_type | dw::DW_TAG_class_type) {
        return Ok(None);
    }
    let name = units.name(&class)?.split('<').next().unwrap_or_default();
    let mut is_empty = class.byte_size() == Some(1);
    let (mut has_deleted, mut has_copy) = (false, false);
    let mut children = units.walk(place)?;
    while let Some(child) = children.next_child()? {
        match child.tag {
            dw::DW_TAG_member | dw::DW_TAG_inheritance if !child.is_static() => {
                is_empty = false;
                let within = Type::read(units, child.ty(units))?;
                let place = within.aggregate.filter(|_| !within.cpp.is_pointer());
                if units.name(&child)?.starts_with("_vptr") {
                    return Ok(Some(BY_ADDRESS));
                }
                if let Some(place) = place
                    && let found @ Some(what) = class_unlike_c(units, place, depth + 1)?
                    && what != EMPTY
                {
                    return Ok(found);
                }
            }
            dw::DW_TAG_subprogram => {
                let own = units.name(&child)?;
                let takes = reference(units, child.place, place)?;
                let copies = own == name && takes.is_some();
                if is_own(&child) && (own.starts_with('~') || copies) {
                    return Ok(Some(BY_ADDRESS));
                }
                // An assignment that moves deletes the copy constructor.
                let deletes = own == "operator=" && takes == Some(dw::DW_TAG_rvalue_reference_type);
                has_deleted |= deletes || copies && child.is(dw::DW_AT_deleted);
                has_copy |= copies && !child.is(dw::DW_AT_deleted);
            }
            _ => {}
        }
    }
    if has_deleted && !has_copy {
        return Ok(Some("a class that C++ passes by its address, because it cannot be copied"));
    }
    Ok(is_empty.then_some(EMPTY))
}

const DEEPEST: usize = 16;

/// Returns whether the program defines a function of a class: not the compiler, as for `= default`, and not nobody.
fn is_own(function: &Die<'_>) -> bool {
    let is_defaulted = function.number(dw::DW_AT_defaulted) == Some(u64::from(dw::DW_DEFAULTED_in_class.0));
    !function.is(dw::DW_AT_artificial) && !is_defaulted && !function.is(dw::DW_AT_deleted)
}

/// Returns the kind of reference to its class that a function of the class takes.
fn reference(units: &Units<'_>, function: Position, class: Position) -> Result<Option<gimli::DwTag>, Error> {
    let mut parameters = units.walk(function)?;
    while let Some(parameter) = parameters.next_child()? {
        if parameter.tag == dw::DW_TAG_formal_parameter && !parameter.is(dw::DW_AT_artificial) {
            let ty = Type::read(units, parameter.ty(units))?;
            let is_own = ty.unlike_c.is_some() && ty.named_by == Some(class);
            let place = parameter.ty(units).filter(|_| is_own);
            return place.map(|place| Ok(units.entry(place)?.tag)).transpose();
        }
    }
    Ok(None)
}
