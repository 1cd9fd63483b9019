//! The entries of kernels and variables. DWARF 5, "3.3 Subroutine and Entry Point Entries", "4.1 Data Object Entries".

use super::{DebugInfo, Die, Error, Position, Sections, Type, Units, members::TypeTable};
use crate::prelude::*;
use gimli::constants as dw;
use kernel_args_abi::param_layout::LIMIT;

/// In a map and a list, in bytes.
pub(super) const OF_MAP: usize = 96;

const LONGEST_CHAIN: usize = 8;

/// The number of a list, or why the kernel cannot have these parameters.
type Found = Result<usize, &'static str>;

/// Of several entries for a kernel, uses the first one with parameters that a kernel can have.
pub(crate) fn read(
    sections: &Sections<'_>,
    kernels: &mut dyn Iterator<Item = &str>,
    variables: &mut dyn Iterator<Item = &str>,
) -> Result<DebugInfo, Error> {
    let units = Units::new(sections)?;
    let mut types = TypeTable::new(&units);
    let mut wanted: BTreeMap<&str, (bool, Option<Found>)> = BTreeMap::new();
    let kernels = kernels.map(|symbol| (symbol, false));
    for (symbol, is_variable) in kernels.chain(variables.map(|symbol| (symbol, true))) {
        wanted.entry(symbol).or_insert((is_variable, None));
    }
    for unit in 0..units.len() {
        let mut walk = units.walk_unit(unit)?;
        while let Some((_, entry)) = walk.next()? {
            let is_variable = entry.tag == dw::DW_TAG_variable;
            if !(is_variable || entry.tag == dw::DW_TAG_subprogram) || entry.is_declaration() {
                continue;
            }
            let function = Subprogram::read(&units, &entry)?;
            let Some((of_variable, found)) = wanted.get_mut(function.symbol()) else {
                continue;
            };
            if matches!(found, Some(Ok(_))) || is_variable != *of_variable {
                continue;
            }
            units.store(OF_MAP)?;
            *found = if is_variable {
                variable(&units, &mut types, entry.place)?.map(Ok)
            } else {
                Some(function.parameters(&units, &mut types)?)
            };
        }
    }
    let mut info = DebugInfo::default();
    for (symbol, (is_variable, found)) in wanted {
        match found {
            None => {}
            Some(Ok(list)) => {
                units.store(symbol.len())?;
                let lists = if is_variable { &mut info.variables } else { &mut info.kernels };
                lists.push((String::from(symbol), list));
            }
            Some(Err(what)) => info.errors.push(Error::Kernel { name: String::from(symbol), what }),
        }
    }
    Ok(DebugInfo { table: types.finish(), ..info })
}

fn variable<'s>(units: &Units<'s>, types: &mut TypeTable<'_, 's>, place: Position) -> Result<Option<usize>, Error> {
    let (name, alignment, ty) = complete(units, place)?;
    let row = types.row(name, alignment, &ty, None, 0)?;
    row.map(|row| types.store(|table| table.structure(&[row.place]))).transpose()
}

pub(super) struct Subprogram<'s> {
    name: &'s str,
    linkage_name: &'s str,
    pub(super) is_external: bool,
    pub(super) is_prototyped: bool,
    /// Its own entry, its declaration, its abstract origin: any of them may list the parameters.
    entries: Vec<Position>,
}

impl<'s> Subprogram<'s> {
    pub(super) fn read(units: &Units<'s>, entry: &Die<'s>) -> Result<Self, Error> {
        let mut function =
            Self { name: "", linkage_name: "", is_external: false, is_prototyped: false, entries: Vec::new() };
        let mut completes = function.take(units, entry)?;
        for _ in 0..LONGEST_CHAIN {
            let Some(place) = completes else { break };
            completes = function.take(units, &units.entry(place)?)?;
        }
        Ok(function)
    }

    fn take(&mut self, units: &Units<'s>, entry: &Die<'s>) -> Result<Option<Position>, Error> {
        let linkage_name = entry.value(dw::DW_AT_linkage_name).or_else(|| entry.value(dw::DW_AT_MIPS_linkage_name));
        for (own, found) in [(&mut self.name, entry.value(dw::DW_AT_name)), (&mut self.linkage_name, linkage_name)] {
            if let Some(name) = found
                && own.is_empty()
            {
                *own = units.text(entry.place, name)?;
            }
        }
        self.is_external |= entry.is(dw::DW_AT_external);
        self.is_prototyped |= entry.is(dw::DW_AT_prototyped);
        if entry.has_children {
            self.entries.push(entry.place);
        }
        Ok(entry.completes(units))
    }

    /// A function without a linkage name is `extern "C"`.
    pub(super) fn symbol(&self) -> &'s str {
        if self.linkage_name.is_empty() { self.name } else { self.linkage_name }
    }

    /// Returns the entries of its parameters, or why they are not known.
    pub(super) fn listed(&self, units: &Units<'s>) -> Result<Result<Vec<Position>, &'static str>, Error> {
        let mut parameters = Vec::new();
        // An instance may omit unused parameters, but its abstract origin has all of them. A declaration may omit
        // names.
        for &place in &self.entries {
            let mut listed = Vec::new();
            let mut children = units.walk(place)?;
            while let Some(child) = children.next_child()? {
                match child.tag {
                    dw::DW_TAG_formal_parameter => {
                        units.store(size_of::<Position>())?;
                        listed.push(child.place);
                    }
                    dw::DW_TAG_unspecified_parameters => return Ok(Err("it ends in `...`")),
                    _ => {}
                }
            }
            if listed.len() > parameters.len() {
                parameters = listed;
            }
        }
        Ok(Ok(parameters))
    }

    fn parameters(&self, units: &Units<'s>, types: &mut TypeTable<'_, 's>) -> Result<Found, Error> {
        let parameters = match self.listed(units)? {
            Ok(parameters) => parameters,
            Err(what) => return Ok(Err(what)),
        };
        let mut of_kernel = Vec::new();
        let mut size = 0usize;
        for place in parameters {
            let (name, alignment, ty) = complete(units, place)?;
            let row = match types.row(name, alignment, &ty, None, 0)? {
                Some(row) => row,
                None => types.only_name(name)?,
            };
            // A parameter of unknown size has at least one byte.
            size = size.saturating_add(row.size.max(1));
            if size > LIMIT {
                return Ok(Err("its parameters exceed the size limit of a kernel"));
            }
            of_kernel.push(row.place);
        }
        Ok(Ok(types.store(|table| table.structure(&of_kernel))?))
    }
}

/// Returns the name, the alignment and the type of a parameter or variable, possibly from the entry that it completes.
pub(super) fn complete<'s>(units: &Units<'s>, place: Position) -> Result<(&'s str, Option<u64>, Type<'s>), Error> {
    let (mut name, mut alignment, mut ty, mut next) = ("", None, None, Some(place));
    for _ in 0..=LONGEST_CHAIN {
        let (Some(place), None) = (next, ty) else { break };
        let entry = units.entry(place)?;
        if name.is_empty() {
            name = units.name(&entry)?;
        }
        alignment = alignment.or(entry.alignment());
        (ty, next) = (entry.ty(units), entry.completes(units));
    }
    Ok((name, alignment, Type::read(units, ty)?))
}
