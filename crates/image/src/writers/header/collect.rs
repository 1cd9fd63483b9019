//! Collects the declarations that a header needs for parameters.

use super::{
    Base, Declared, Definition, TypeUse,
    cuda::{self, Include},
    error::{FROM_RUST, HeaderError, Origin, extent, spelled},
    item::Header,
    names::Path,
};
use crate::prelude::*;
use kernel_args_abi::{Alignment, Class, CppBase, CppType, Opaque, Parameter};

#[derive(Clone)]
pub(super) struct Collector<'h, 'a> {
    pub(super) header: &'h Header<'a>,
    pub(super) definitions: Vec<Definition>,
    places: BTreeMap<String, usize>,
    /// Types behind pointers, where each is used, and the error if it is not declared.
    pub(super) pointees: Vec<(Path, Origin, HeaderError)>,
    pub(super) includes: Vec<Include>,
    /// Types that the header does not declare, with their size and alignment.
    pub(super) assumed: Vec<(String, usize, Option<usize>)>,
    /// The kernel or type, then the members.
    pub(super) place: Vec<String>,
    pub(super) param_aligns: BTreeMap<String, usize>,
    /// The maximum alignment of the current member, from the offsets, sizes and alignments of the enclosing types.
    pub(super) bound: usize,
}

impl<'h, 'a> Collector<'h, 'a> {
    pub(super) fn new(header: &'h Header<'a>) -> Self {
        let mut param_aligns = BTreeMap::new();
        for parameter in header.items.iter().flat_map(|item| item.ty.iter().chain(&item.parameters)) {
            if let (CppBase::Named(name), Some(align)) = (parameter.cpp.base, parameter.align)
                && !parameter.cpp.is_pointer()
            {
                let path = Path::new(name, header.namespace);
                param_aligns.entry(path.full().to_string()).or_insert(align.bytes());
            }
        }
        Self {
            header,
            definitions: Vec::new(),
            places: BTreeMap::new(),
            pointees: Vec::new(),
            includes: Vec::new(),
            assumed: Vec::new(),
            place: Vec::new(),
            param_aligns,
            bound: usize::MAX,
        }
    }

    pub(super) fn error(&self, problem: impl Into<String>) -> HeaderError {
        HeaderError::new(self.place.join("."), problem)
    }

    /// Runs `then` one level deeper. After an error, the position stays.
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

    pub(super) fn bounded<R>(&mut self, bound: usize, then: impl FnOnce(&mut Self) -> R) -> R {
        let around = self.bound;
        self.bound = around.min(bound);
        let result = then(self);
        self.bound = around;
        result
    }

    pub(super) fn definition(&self, path: &Path) -> Option<&Definition> {
        self.definitions.get(*self.places.get(path.full())?)
    }

    pub(super) fn add(&mut self, definition: Definition) {
        let place = self.definitions.len();
        self.places.insert(definition.path.full().to_string(), place);
        self.definitions.push(definition);
    }

    pub(super) fn device_type(&mut self, ty: &Parameter<'a>) -> Result<(), HeaderError> {
        let name = if let CppBase::Named(name) = ty.cpp.base { name } else { ty.spelling };
        self.at(name, |this| this.ty(ty).map(drop))
    }

    pub(super) fn ty(&mut self, parameter: &Parameter<'a>) -> Result<TypeUse, HeaderError> {
        let cpp = parameter.cpp;
        if cpp.is_pointer() {
            return Ok(TypeUse::new(self.pointee(parameter)?, cpp));
        }
        let size = parameter.size / cpp.elements().max(1);
        let is_opaque = match cpp.base {
            CppBase::Unknown => matches!(parameter.class, Class::Bytes | Class::Unknown),
            // The source specifies that it is a different type in C++.
            CppBase::Named(_) => parameter.members.why_opaque() == Some(Opaque::Declared),
            _ => false,
        };
        match cpp.base {
            _ if is_opaque => {
                let base = Base::Bytes(parameter.align.map_or(1, Alignment::bytes));
                Ok(TypeUse::new(base, CppType::UNKNOWN.array(parameter.size as u32)))
            }
            CppBase::Named(name) => Ok(TypeUse::new(self.named(name, parameter, size)?, cpp)),
            base => {
                let unknown =
                    || self.error(format!("its C++ type is unknown{}{FROM_RUST}", spelled(parameter.spelling)));
                let name = fundamental(base).ok_or_else(unknown)?;
                if matches!(base, CppBase::Long { .. }) {
                    self.assume(name, size, None)?;
                }
                Ok(TypeUse::new(Base::Known(name.to_string(), Some(size)), cpp))
            }
        }
    }

    /// `size` is the size of one element.
    fn named(&mut self, name: &'a str, parameter: &Parameter<'a>, size: usize) -> Result<Base, HeaderError> {
        let align = parameter.align.map(Alignment::bytes);
        let path = Path::new(name, self.header.namespace);
        if self.header.is_included(&path) {
            self.assume(path.full(), size, align)?;
            return self.define(path, parameter, size);
        }
        if let Some(known) = cuda::known(name, parameter.align) {
            if let Some(cuda) = known.layout
                && cuda != (size, align.unwrap_or(cuda.1))
            {
                return Err(self.error(format!(
                    "`{}` is a CUDA type of {} bytes, aligned to {}; this one has {size} bytes, aligned to {}\n  \
                     help: give it another name in C++: `#[device_type(cpp = \"…\")]`",
                    known.name,
                    cuda.0,
                    cuda.1,
                    align.unwrap_or(cuda.1)
                )));
            }
            let align = known.layout.map(|(_, align)| align).or(align);
            self.include(known.include);
            self.assume(known.name, size, align)?;
            return Ok(Base::Known(known.name.to_string(), align));
        }
        path.check().map_err(|problem| self.error(problem))?;
        self.define(path, parameter, size)
    }

    pub(super) fn include(&mut self, include: Include) {
        if !self.includes.contains(&include) {
            self.includes.push(include);
        }
    }

    fn assume(&mut self, name: &str, size: usize, align: Option<usize>) -> Result<(), HeaderError> {
        if let Some(&(_, known_size, known_align)) = self.assumed.iter().find(|(known, ..)| known == name) {
            if known_size == size && (known_align == align || align.is_none()) {
                return Ok(());
            }
            if known_size != size || known_align.is_some() {
                return Err(self.error(format!(
                    "`{name}` has two layouts: {}, and {}\n  help: use the same Rust type everywhere \
                     (a `CUtensorMap` of CUDA 13 is `TensorMap`, one of CUDA 12 `TensorMapA64`)",
                    extent((known_size, known_align)),
                    extent((size, align))
                )));
            }
        }
        self.assumed.push((name.to_string(), size, align));
        Ok(())
    }

    pub(super) fn align_of(&self, ty: &TypeUse) -> Option<usize> {
        if ty.shape.depth > 0 {
            return Some(8);
        }
        match &ty.base {
            Base::Bytes(align) => Some(*align),
            Base::Known(_, align) => *align,
            Base::Own(path) => {
                let known = self.definition(path)?;
                // A type declared as bytes has alignment 1, unless the source specifies one.
                known.align.or(matches!(known.kind, Declared::Opaque(_)).then_some(1))
            }
        }
    }
}

/// `None` if no name is available in every compiler.
pub(super) fn fundamental(base: CppBase<'_>) -> Option<&str> {
    let is_fundamental = match base {
        CppBase::Void | CppBase::Bool | CppBase::Char | CppBase::Long { .. } => true,
        CppBase::Float { bits } => matches!(bits, 32 | 64),
        CppBase::Integer { bits, .. } => matches!(bits, 8 | 16 | 32 | 64 | 128),
        _ => false,
    };
    is_fundamental.then(|| base.spelling())
}

pub(super) fn integer(signed: bool, size: usize) -> Option<&'static str> {
    matches!(size, 1 | 2 | 4 | 8).then(|| CppBase::Integer { signed, bits: size as u16 * 8 }.spelling())
}
