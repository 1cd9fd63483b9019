//! The definitions of structs and enums.

use super::{
    Base, CppMember, Declared, Definition,
    collect::{Collector, integer},
    cuda,
    error::{FROM_RUST, HeaderError, Origin, two_types, unknown_parts},
    layout,
    names::{Local, Path},
};
use crate::prelude::*;
use crate::writers::layout::largest_alignment;
use kernel_args_abi::{Alignment, Class, CppBase, CppType, Members, Parameter};

const DEEPEST: usize = 64;

impl<'a> Collector<'_, 'a> {
    pub(super) fn define(&mut self, path: Path, parameter: &Parameter<'a>, size: usize) -> Result<Base, HeaderError> {
        let source_align =
            parameter.align.map(Alignment::bytes).or_else(|| self.param_aligns.get(path.full()).copied());
        let origin = Origin { spelling: parameter.spelling.to_string(), place: self.place.join(".") };
        let kind = if self.header.is_included(&path) {
            Some(Declared::Included)
        } else {
            self.kind(&path, parameter, size, source_align)?
        };
        let Some(kind) = kind else {
            return self.refer(path, parameter, size, &origin);
        };
        let mut definition = Definition {
            path,
            origin,
            size,
            align: source_align,
            has_source_align: source_align.is_some(),
            alignas: None,
            pack: None,
            kind,
        };
        self.lay_out(&mut definition)?;
        let base = Base::Own(definition.path.clone());
        self.push(definition)?;
        Ok(base)
    }

    pub(super) fn push(&mut self, definition: Definition) -> Result<(), HeaderError> {
        match self.definition(&definition.path) {
            None => self.add(definition),
            Some(known) if known.same(&definition) => {}
            Some(known) => return Err(self.conflict(known, &definition.origin)),
        }
        Ok(())
    }

    fn conflict(&self, known: &Definition, second: &Origin) -> HeaderError {
        self.error(two_types(known.path.full(), &known.origin, second))
    }

    /// `None` if another item of the list contains it.
    fn kind(
        &mut self,
        path: &Path,
        parameter: &Parameter<'a>,
        size: usize,
        source_align: Option<usize>,
    ) -> Result<Option<Declared>, HeaderError> {
        let members = parameter.members;
        if members.is_enum() {
            return self.enumeration(path, members, size).map(Some);
        }
        if let Some(why) = members.why_opaque() {
            return Ok(Some(Declared::Opaque(Some(why))));
        }
        if members.is_known() {
            let members = flattened(parameter);
            let bound = largest_alignment(size).min(source_align.unwrap_or(usize::MAX));
            let members = self.bounded(bound, |this| this.structure(members))?;
            return Ok(Some(Declared::Struct(members)));
        }
        let listed = self.header.device_type_of(path);
        if let Some(listed) = listed.filter(|ty| ty.members.is_known() || ty.members.is_enum()) {
            self.ty(&listed.clone())?;
        }
        if self.definition(path).is_some() {
            return Ok(None);
        }
        let of = if parameter.class == Class::Integer { "variants of the enum" } else { "members of" };
        Err(self.error(unknown_parts(of, path.full())))
    }

    fn refer(&self, path: Path, parameter: &Parameter<'a>, size: usize, origin: &Origin) -> Result<Base, HeaderError> {
        if let Some(known) = self.definition(&path) {
            let align = parameter.align.map(Alignment::bytes);
            if known.size != size || align.is_some() && align != known.align {
                return Err(self.conflict(known, origin));
            }
        }
        Ok(Base::Own(path))
    }

    fn structure(&mut self, members: Members<'a>) -> Result<Vec<CppMember>, HeaderError> {
        if self.place.len() > DEEPEST {
            return Err(self.error(unknown_parts("members of", &self.place.join("."))));
        }
        let members: Vec<Parameter<'a>> = members.iter().filter(|member| member.size > 0).collect();
        let names = Local::all(members.iter().map(Parameter::cpp_name)).map_err(|problem| self.error(problem))?;
        let members = members.iter().zip(names).map(|(member, name)| {
            let place = name.was.clone().unwrap_or_else(|| name.name.clone());
            self.at(&place, |this| {
                let Some(offset) = member.offset else {
                    return Err(this.error(format!("its offset is unknown{FROM_RUST}")));
                };
                let ty = this.bounded(largest_alignment(offset), |this| {
                    let mut member = *member;
                    if let (CppBase::Named(name), None, false) =
                        (member.cpp.base, member.align, member.cpp.is_pointer())
                    {
                        member.align = cuda::alignment_up_to(name, this.bound);
                    }
                    this.ty(&member)
                })?;
                let alignas = match ty.base {
                    Base::Bytes(align) if ty.shape.depth == 0 && align > 1 => Some(align),
                    _ => None,
                };
                Ok(CppMember { name, ty, offset, size: member.size, alignas })
            })
        });
        members.collect()
    }

    fn enumeration(&self, path: &Path, members: Members<'a>, size: usize) -> Result<Declared, HeaderError> {
        let variants: Vec<_> = members.variants().collect();
        let has_negative = || variants.iter().any(|variant| variant.value < 0);
        let is_signed = members.is_signed().unwrap_or_else(has_negative);
        let Some(underlying) = integer(is_signed, size) else {
            return Err(self.error(format!(
                "`{}` is an enum of 128 bits, which C++ compilers do not support\n  help: use `repr(u64)` or `repr(i64)`",
                path.full()
            )));
        };
        let names = Local::all(variants.iter().map(|variant| variant.name)).map_err(|problem| self.error(problem))?;
        let values = variants.iter().map(|variant| variant.value_in(size, is_signed));
        Ok(Declared::Enum { underlying, variants: names.into_iter().zip(values).collect() })
    }

    fn lay_out(&self, definition: &mut Definition) -> Result<(), HeaderError> {
        match &mut definition.kind {
            Declared::Struct(members) => {
                let placed =
                    layout::place(members, |ty| self.align_of(ty), definition.align, definition.size, self.bound);
                let (align, alignas, pack) = placed.map_err(|(member, problem)| {
                    let mut error = self.error(problem);
                    if let Some(member) = member {
                        error.place.push('.');
                        error.place.push_str(&members[member].name.name);
                    }
                    error
                })?;
                (definition.align, definition.alignas, definition.pack) = (Some(align), alignas, pack);
            }
            Declared::Enum { .. } => definition.align = Some(definition.size),
            Declared::Opaque(_) => definition.alignas = definition.align.filter(|align| *align > 1),
            Declared::Included => {}
        }
        Ok(())
    }
}

/// A struct with an explicit name around one value (`repr(transparent)`) has the members of the inner struct.
fn flattened<'a>(parameter: &Parameter<'a>) -> Members<'a> {
    let members = parameter.members;
    if !parameter.class.same(Class::Unknown) {
        return members;
    }
    let mut inner = members.iter().filter(|member| member.size > 0);
    match (inner.next(), inner.next()) {
        (Some(only), None) if only.members.is_known() && is_own_struct(only.cpp) && !only.cpp.is_array() => {
            flattened(&only)
        }
        _ => members,
    }
}

fn is_own_struct(cpp: CppType<'_>) -> bool {
    let of_cuda = |name| cuda::known(name, None).is_some_and(|known| known.layout.is_some());
    matches!(cpp.base, CppBase::Named(name) if !of_cuda(name) && !cpp.is_pointer())
}
