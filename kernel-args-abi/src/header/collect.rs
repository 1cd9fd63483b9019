//! From parameters to what a header has to declare for them.

use super::{
    Header, Item,
    cuda::{self, Include},
    definition::{Base, Definition, Kind, Member, Type},
    error::{HeaderError, Origin, Problem},
    layout,
    names::{Local, Path},
};
use crate::{
    class::Class,
    cpp::{CppBase, CppType},
    signature::{Members, Opaque, Parameter},
};
use alloc::{
    collections::BTreeMap,
    string::{String, ToString},
    vec::Vec,
};

/// How deep structs lie in each other, at most.
const DEEPEST: usize = 64;

/// What a header has to declare, in an order in which it can.
pub(super) struct Collector<'h, 'a> {
    pub(super) header: &'h Header<'a>,
    /// Those that others need before them.
    pub(super) definitions: Vec<Definition>,
    /// Types that something points to, and the error where one is not declared.
    pub(super) pointees: Vec<(Path, HeaderError)>,
    pub(super) includes: Vec<Include>,
    /// Types that the header uses and does not declare, with their size and alignment.
    pub(super) assumed: Vec<(String, usize, Option<usize>)>,
    /// The names of the kernel or type, and of the members, that lead to what is being looked at.
    place: Vec<String>,
    /// The alignments of types that parameters of kernels tell.
    told: BTreeMap<Path, usize>,
}

/// How much was collected at a time.
pub(super) struct Mark([usize; 5]);

impl<'h, 'a> Collector<'h, 'a> {
    pub(super) fn new(header: &'h Header<'a>) -> Self {
        let mut told = BTreeMap::new();
        for parameter in header.items.iter().flat_map(Item::parameters) {
            if let (CppBase::Named(name), Some(align)) = (parameter.cpp.base, parameter.align)
                && !parameter.cpp.is_pointer()
            {
                let path = Path::new(name, header.namespace);
                told.entry(path).or_insert(align.bytes());
            }
        }
        Self {
            header,
            definitions: Vec::new(),
            pointees: Vec::new(),
            includes: Vec::new(),
            assumed: Vec::new(),
            place: Vec::new(),
            told,
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark([
            self.definitions.len(),
            self.pointees.len(),
            self.includes.len(),
            self.assumed.len(),
            self.place.len(),
        ])
    }

    /// Forgets what was collected since.
    pub(super) fn reset(&mut self, mark: &Mark) {
        let Mark([definitions, pointees, includes, assumed, place]) = *mark;
        self.definitions.truncate(definitions);
        self.pointees.truncate(pointees);
        self.includes.truncate(includes);
        self.assumed.truncate(assumed);
        self.place.truncate(place);
    }

    /// The error at the place that is being looked at.
    pub(super) fn error(&self, problem: Problem) -> HeaderError {
        HeaderError {
            place: self.place.join("."),
            problem,
        }
    }

    /// Runs `then` at a place further in. The place stays where an error was found, until [`reset`](Self::reset).
    pub(super) fn at<R>(
        &mut self,
        name: &str,
        then: impl FnOnce(&mut Self) -> Result<R, HeaderError>,
    ) -> Result<R, HeaderError> {
        self.place.push(name.to_string());
        let result = then(self)?;
        self.place.pop();
        Ok(result)
    }

    pub(super) fn definition(&self, path: &Path) -> Option<&Definition> {
        self.definitions.iter().find(|known| known.path == *path)
    }

    /// A type of the list.
    pub(super) fn device_type(&mut self, ty: &Parameter<'a>) -> Result<(), HeaderError> {
        let name = match ty.cpp.base {
            CppBase::Named(name) => name,
            _ => ty.spelling,
        };
        self.at(name, |this| this.ty(ty).map(drop))
    }

    /// The C++ type of a parameter or member, and all that it needs.
    pub(super) fn ty(&mut self, parameter: &Parameter<'a>) -> Result<Type, HeaderError> {
        let cpp = parameter.cpp;
        let shaped = |base| Type {
            base,
            depth: cpp.depth,
            const_mask: cpp.const_mask,
            extents: cpp.extents.into_iter().take_while(|n| *n > 0).collect(),
        };
        if cpp.is_pointer() {
            let base = self.pointee(parameter)?;
            return Ok(shaped(base));
        }
        let size = parameter.size / cpp.elements().max(1);
        let is_opaque = match cpp.base {
            CppBase::Unknown => matches!(parameter.class, Class::Bytes | Class::Unknown),
            // Its source says that it is not this type in C++.
            CppBase::Named(_) => parameter.members.why_opaque() == Some(Opaque::Said),
            _ => false,
        };
        match cpp.base {
            _ if is_opaque => Ok(Type {
                base: Base::Bytes(parameter.align.map_or(1, |align| align.bytes())),
                depth: 0,
                const_mask: 0,
                extents: alloc::vec![parameter.size as u32],
            }),
            CppBase::Named(name) => Ok(shaped(self.named(name, parameter, size)?)),
            base => {
                let Some(name) = fundamental(base) else {
                    let spelling = parameter.spelling.to_string();
                    return Err(self.error(Problem::Unknown { spelling }));
                };
                if matches!(base, CppBase::Long { .. }) {
                    self.assume(name, size, None)?;
                }
                Ok(shaped(Base::Fundamental(name, size)))
            }
        }
    }

    /// What a pointer points to.
    fn pointee(&mut self, pointer: &Parameter<'a>) -> Result<Base, HeaderError> {
        let name = match pointer.cpp.base {
            CppBase::Named(name) => name,
            base => {
                return match fundamental(base) {
                    Some(name) => Ok(Base::Fundamental(name, 0)),
                    None => {
                        let spelling = pointer.spelling.to_string();
                        Err(self.error(Problem::UnknownPointee { spelling }))
                    }
                };
            }
        };
        if let Some(known) = cuda::known(name, None) {
            self.include(known.include);
            return Ok(Base::Cuda(known.name.to_string(), None));
        }
        if let Some(include) = cuda::without_row(name) {
            self.include(include);
            return Ok(Base::Cuda(name.to_string(), None));
        }
        let path = Path::new(name, self.header.namespace);
        if self.header.is_included(&path) {
            return Ok(Base::Own(path));
        }
        path.check().map_err(|problem| self.error(problem))?;
        if !self.pointees.iter().any(|(known, _)| *known == path) {
            let name = path.full().to_string();
            let error = self.error(Problem::Undeclared { name });
            self.pointees.push((path.clone(), error));
        }
        Ok(Base::Own(path))
    }

    /// A struct, an enum or a type of CUDA's of this name, `size` bytes each.
    fn named(
        &mut self,
        name: &'a str,
        parameter: &Parameter<'a>,
        size: usize,
    ) -> Result<Base, HeaderError> {
        let align = parameter.align.map(|align| align.bytes());
        let path = Path::new(name, self.header.namespace);
        if self.header.is_included(&path) {
            self.assume(path.full(), size, align)?;
            return self.define(path, parameter, size);
        }
        if let Some(known) = cuda::known(name, parameter.align) {
            if let Some(cuda) = known.layout
                && cuda != (size, align.unwrap_or(cuda.1))
            {
                return Err(self.error(Problem::NotCuda {
                    name: known.name.to_string(),
                    size,
                    align: align.unwrap_or(cuda.1),
                    cuda,
                }));
            }
            let align = known.layout.map(|(_, align)| align).or(align);
            self.include(known.include);
            self.assume(known.name, size, align)?;
            return Ok(Base::Cuda(known.name.to_string(), align));
        }
        if let Some(include) = cuda::without_row(name) {
            self.include(include);
            self.assume(name, size, align)?;
            return Ok(Base::Cuda(name.to_string(), align));
        }
        path.check().map_err(|problem| self.error(problem))?;
        self.define(path, parameter, size)
    }

    fn include(&mut self, include: Include) {
        if !self.includes.contains(&include) {
            self.includes.push(include);
        }
    }

    /// Notes the layout of a type that the header uses and does not declare.
    fn assume(&mut self, name: &str, size: usize, align: Option<usize>) -> Result<(), HeaderError> {
        let known = self.assumed.iter().find(|(known, ..)| known == name);
        if let Some(&(_, known_size, known_align)) = known {
            if known_size == size && (known_align == align || align.is_none()) {
                return Ok(());
            }
            if known_size != size || known_align.is_some() {
                return Err(self.error(Problem::TwoLayouts {
                    name: name.to_string(),
                    first: (known_size, known_align),
                    second: (size, align),
                }));
            }
        }
        self.assumed.push((name.to_string(), size, align));
        Ok(())
    }

    /// Notes the definition of a type of the program's own.
    fn define(
        &mut self,
        path: Path,
        parameter: &Parameter<'a>,
        size: usize,
    ) -> Result<Base, HeaderError> {
        let told = parameter.align.map(|align| align.bytes());
        let told = told.or_else(|| self.told.get(&path).copied());
        let origin = Origin {
            spelling: parameter.spelling.to_string(),
            place: self.place.join("."),
        };
        let is_included = self.header.is_included(&path);
        let kind = if is_included {
            Kind::Included
        } else {
            match self.kind(&path, parameter, size)? {
                Some(kind) => kind,
                // Its members are told elsewhere in the list.
                None => return self.refer(path, parameter, size, origin),
            }
        };
        let mut definition = Definition {
            path,
            origin,
            size,
            align: told,
            is_align_told: told.is_some(),
            alignas: None,
            kind,
        };
        self.lay_out(&mut definition)?;
        let base = Base::Own(definition.path.clone());
        self.push(definition)?;
        Ok(base)
    }

    /// Adds a definition, if it is not there already.
    pub(super) fn push(&mut self, definition: Definition) -> Result<(), HeaderError> {
        match self.definition(&definition.path) {
            None => self.definitions.push(definition),
            Some(known) if known.same(&definition) => {}
            Some(known) => return Err(self.two_types(known, definition.origin)),
        }
        Ok(())
    }

    fn two_types(&self, known: &Definition, second: Origin) -> HeaderError {
        self.error(Problem::TwoTypes {
            name: known.path.full().to_string(),
            first: known.origin.clone(),
            second,
        })
    }

    /// What a type consists of; `None` where it is told elsewhere in the list.
    fn kind(
        &mut self,
        path: &Path,
        parameter: &Parameter<'a>,
        size: usize,
    ) -> Result<Option<Kind>, HeaderError> {
        let members = parameter.members;
        if members.is_enum() {
            return self.enumeration(path, members, size).map(Some);
        }
        if let Some(why) = members.why_opaque() {
            return Ok(Some(Kind::Opaque(Some(why))));
        }
        if members.is_known() {
            let members = flattened(parameter);
            return self.structure(members).map(|m| Some(Kind::Struct(m)));
        }
        let listed = self.header.device_type_of(path);
        let is_told = |ty: &&Parameter<'a>| ty.members.is_known() || ty.members.is_enum();
        if let Some(listed) = listed.filter(is_told) {
            self.ty(&listed.clone())?;
        }
        if self.definition(path).is_some() {
            return Ok(None);
        }
        let name = path.full().to_string();
        Err(self.error(match parameter.class {
            Class::Integer => Problem::Variants { name },
            _ => Problem::Members { name },
        }))
    }

    /// A use of a type whose members are told elsewhere.
    fn refer(
        &self,
        path: Path,
        parameter: &Parameter<'a>,
        size: usize,
        origin: Origin,
    ) -> Result<Base, HeaderError> {
        if let Some(known) = self.definition(&path) {
            let align = parameter.align.map(|align| align.bytes());
            if known.size != size || align.is_some() && align != known.align {
                return Err(self.two_types(known, origin));
            }
        }
        Ok(Base::Own(path))
    }

    fn structure(&mut self, members: Members<'a>) -> Result<Vec<Member>, HeaderError> {
        if self.place.len() > DEEPEST {
            let name = self.place.join(".");
            return Err(self.error(Problem::Members { name }));
        }
        let members: Vec<Parameter<'a>> = members.iter().filter(|member| member.size > 0).collect();
        let names = Local::all(members.iter().map(Parameter::cpp_name));
        let names = names.map_err(|problem| self.error(problem))?;
        let members = members.iter().zip(names);
        let members = members.map(|(member, name)| {
            let place = name.was.clone().unwrap_or_else(|| name.name.clone());
            self.at(&place, |this| {
                let Some(offset) = member.offset else {
                    return Err(this.error(Problem::Offset));
                };
                let ty = this.ty(member)?;
                let alignas = match ty.base {
                    Base::Bytes(align) if ty.depth == 0 && align > 1 => Some(align),
                    _ => None,
                };
                Ok(Member {
                    name,
                    ty,
                    offset,
                    size: member.size,
                    alignas,
                })
            })
        });
        members.collect()
    }

    fn enumeration(
        &self,
        path: &Path,
        members: Members<'a>,
        size: usize,
    ) -> Result<Kind, HeaderError> {
        let variants: Vec<_> = members.variants().collect();
        let is_signed = variants.iter().any(|variant| variant.value < 0);
        let Some(underlying) = integer(is_signed, size) else {
            let name = path.full().to_string();
            return Err(self.error(Problem::WideEnum { name }));
        };
        let names = Local::all(variants.iter().map(|variant| variant.name));
        let names = names.map_err(|problem| self.error(problem))?;
        let values = variants.iter().map(|variant| variant.value);
        Ok(Kind::Enum {
            underlying,
            variants: names.into_iter().zip(values).collect(),
        })
    }

    /// Gives a definition the alignment that it has in C++, and its members theirs.
    fn lay_out(&self, definition: &mut Definition) -> Result<(), HeaderError> {
        match &mut definition.kind {
            Kind::Struct(members) => {
                let placed = layout::place(
                    members,
                    |ty| self.align_of(ty),
                    definition.align,
                    definition.size,
                );
                let placed = placed.map_err(|(member, problem)| {
                    let mut error = self.error(problem);
                    if let Some(member) = member {
                        error.place.push('.');
                        error.place.push_str(&members[member].name.name);
                    }
                    error
                })?;
                definition.align = Some(placed.align);
                definition.alignas = placed.alignas;
            }
            Kind::Enum { .. } => definition.align = Some(definition.size),
            Kind::Opaque(_) => definition.alignas = definition.align.filter(|align| *align > 1),
            Kind::Included => {}
        }
        Ok(())
    }

    /// The alignment of a type in C++, in bytes.
    pub(super) fn align_of(&self, ty: &Type) -> Option<usize> {
        if ty.depth > 0 {
            return Some(8);
        }
        match &ty.base {
            Base::Fundamental(_, align) | Base::Bytes(align) => Some(*align),
            Base::Cuda(_, align) => *align,
            Base::Own(path) => {
                let known = self.definition(path)?;
                match known.kind {
                    // Declared as bytes, it is aligned to 1 unless the source tells more.
                    Kind::Opaque(_) => Some(known.align.unwrap_or(1)),
                    _ => known.align,
                }
            }
        }
    }
}

/// The members of a struct. A struct around one value with a name of its own, as of `repr(transparent)`, has those of the
/// struct that it is around.
fn flattened<'a>(parameter: &Parameter<'a>) -> Members<'a> {
    let members = parameter.members;
    if !parameter.class.same(Class::Unknown) {
        return members;
    }
    let mut inner = members.iter().filter(|member| member.size > 0);
    match (inner.next(), inner.next()) {
        (Some(only), None)
            if only.members.is_known() && is_own_struct(only.cpp) && !only.cpp.is_array() =>
        {
            flattened(&only)
        }
        _ => members,
    }
}

fn is_own_struct(cpp: CppType<'_>) -> bool {
    match cpp.base {
        CppBase::Named(name) => cuda::known(name, None).is_none() && !cpp.is_pointer(),
        _ => false,
    }
}

/// The name of a fundamental type; `None` where it has none that every compiler knows.
pub(super) fn fundamental(base: CppBase<'_>) -> Option<&'static str> {
    Some(match base {
        CppBase::Void => CppBase::Void.spelling(),
        CppBase::Bool => CppBase::Bool.spelling(),
        CppBase::Char => CppBase::Char.spelling(),
        CppBase::Long { signed } => CppBase::Long { signed }.spelling(),
        CppBase::Float {
            bits: bits @ (32 | 64),
        } => CppBase::Float { bits }.spelling(),
        CppBase::Integer { signed, bits } => integer(signed, usize::from(bits) / 8)
            .filter(|_| bits.is_multiple_of(8))
            .or(match bits {
                128 => Some(CppBase::Integer { signed, bits }.spelling()),
                _ => None,
            })?,
        _ => return None,
    })
}

/// The integer of so many bytes, up to 8.
fn integer(signed: bool, size: usize) -> Option<&'static str> {
    match size {
        1 | 2 | 4 | 8 => {
            let bits = size as u16 * 8;
            Some(CppBase::Integer { signed, bits }.spelling())
        }
        _ => None,
    }
}
