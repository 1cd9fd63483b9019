//! The prototypes of kernels.

use super::{
    Argument, Base, CppMember, Declared, Definition, Prototype, TypeUse,
    collect::{Collector, fundamental},
    error::{HeaderError, Origin},
    item::Item,
    names::{Local, Path, is_identifier},
};
use crate::mangled::Demangled;
use crate::prelude::*;
use kernel_args_abi::{Body, Class, CppBase, CppType, Members, Parameter, check::compare};

/// Returns the path, and the C++ name if the symbol is mangled.
fn read_symbol(symbol: &str) -> Result<(Path, Option<Demangled>), String> {
    let read = || {
        Demangled::new(symbol).filter(Demangled::has_parameters).ok_or(
            "it is not the mangled name of a C++ function\n  help: use the symbol from the image, or the C++ name of \
             the kernel",
        )
    };
    let demangled = symbol.starts_with("_Z").then(read).transpose()?;
    if demangled.as_ref().is_some_and(|demangled| demangled.template_arguments().is_some()) {
        return Err(
            "it is an instance of a template, and only the template itself can be declared\n  help: declare an \
             `extern \"C\"` kernel that calls the template, or leave the kernel out"
                .into(),
        );
    }
    if demangled.is_none() && !symbol.contains("::") && !is_identifier(symbol) {
        return Err("it is not a valid C++ function name\n  help: use the symbol from the image, or the C++ name of \
                    the kernel: `sim::step`"
            .into());
    }
    let path = Path::new(demangled.as_ref().map_or(symbol, Demangled::name), "");
    path.check()?;
    Ok((path, demangled))
}

impl<'a> Collector<'_, 'a> {
    pub(super) fn kernel(&mut self, kernel: &Item<'a>) -> Result<Prototype, HeaderError> {
        let (path, demangled) =
            self.at(kernel.symbol, |this| read_symbol(kernel.symbol).map_err(|problem| this.error(problem)))?;
        let name = path.full().to_string();
        self.at(&name, |this| this.prototype(kernel, path, demangled.as_ref()))
    }

    fn prototype(
        &mut self,
        kernel: &Item<'a>,
        path: Path,
        demangled: Option<&Demangled>,
    ) -> Result<Prototype, HeaderError> {
        let parameters = &kernel.parameters;
        let names = Local::all(parameters.iter().map(Parameter::cpp_name)).map_err(|problem| self.error(problem))?;
        let of_symbol = demangled.and_then(Demangled::parameters);
        if let Some(types) = &of_symbol
            && types.len() != parameters.len()
        {
            return Err(self.error(format!(
                "the symbol has {} parameters, but the struct has {}\n  help: give the struct one field for each parameter",
                types.len(),
                parameters.len()
            )));
        }
        for constant in &kernel.grid_constants {
            if !parameters.iter().any(|p| p.cpp_name() == *constant) {
                let problem = format!("it has no parameter `{constant}`\n  help: use the name of the struct's field");
                return Err(self.error(problem));
            }
        }
        let mut arguments = Vec::with_capacity(parameters.len());
        for (i, (parameter, name)) in parameters.iter().zip(names).enumerate() {
            let place = name.was.clone().unwrap_or_else(|| name.name.clone());
            let argument = self.at(&place, |this| {
                let mut ty = this.ty(parameter)?;
                if let Some(ty_in_symbol) = of_symbol.as_ref().and_then(|types| types.get(i)) {
                    ty = this.type_of_symbol(ty, parameter, *ty_in_symbol)?;
                }
                if ty.shape.is_array() {
                    ty = this.wrapped(ty, parameter, &path, &name)?;
                }
                let is_grid_constant = kernel.grid_constants.contains(&parameter.cpp_name())
                    // The driver does not copy a tensor map elsewhere: the kernel must read it from the parameter.
                    || matches!(&ty.base, Base::Known(name, _) if name == "CUtensorMap" && ty.shape.depth == 0);
                Ok(Argument { name, ty, is_grid_constant })
            })?;
            arguments.push(argument);
        }
        Ok(Prototype {
            symbol: kernel.symbol.to_string(),
            path,
            is_extern_c: demangled.is_none() && !kernel.symbol.contains("::"),
            parameters: arguments,
        })
    }

    /// Returns the type in the symbol: a different type would declare another kernel.
    fn type_of_symbol(
        &self,
        ty: TypeUse,
        parameter: &Parameter<'a>,
        in_symbol: CppType<'_>,
    ) -> Result<TypeUse, HeaderError> {
        if in_symbol.is_unknown() {
            return Ok(ty);
        }
        let kernel = Parameter {
            name: "",
            spelling: "",
            cpp: in_symbol,
            align: None,
            offset: None,
            class: Class::Unknown,
            members: Members::UNKNOWN,
            body: Body::UNKNOWN,
            ..*parameter
        };
        let is_same_path = match (&ty.base, in_symbol.base) {
            (Base::Own(path), CppBase::Named(name)) => *path == Path::new(name, ""),
            (Base::Own(_), _) | (Base::Bytes(_), CppBase::Named(_)) => false,
            _ => true,
        };
        if !compare(parameter, &kernel).is_empty() || !is_same_path {
            return Err(self.error(format!(
                "its type is `{in_symbol}` in the symbol, but `{}` here\n  help: give the field that type; for a \
                 struct or an enum, write its name: `#[device_type(cpp = \"{in_symbol}\")]`",
                parameter.cpp
            )));
        }
        let base = match fundamental(in_symbol.base) {
            Some(name) => Base::Known(name.to_string(), Some(parameter.size)),
            None => ty.base,
        };
        Ok(TypeUse::new(base, CppType { extents: ty.shape.extents, ..in_symbol }))
    }

    /// Returns a struct around an array, or around bytes that have no C++ type: C++ functions cannot take these by
    /// value.
    fn wrapped(
        &mut self,
        ty: TypeUse,
        parameter: &Parameter<'a>,
        kernel: &Path,
        name: &Local,
    ) -> Result<TypeUse, HeaderError> {
        let path = Path::new(&format!("{}_{}", kernel.name(), name.name), self.header.namespace);
        let align = self.align_of(&ty);
        let (member, alignas) = match ty.base {
            Base::Bytes(align) => ("bytes", (align > 1).then_some(align)),
            _ => ("elements", None),
        };
        let base = Base::Own(path.clone());
        let definition = Definition {
            path,
            origin: Origin { spelling: parameter.spelling.to_string(), place: String::new() },
            size: parameter.size,
            align,
            has_source_align: align.is_some(),
            alignas: None,
            pack: None,
            kind: Declared::Struct(vec![CppMember {
                name: Local { name: member.to_string(), was: None },
                ty,
                offset: 0,
                size: parameter.size,
                alignas,
            }]),
        };
        self.push(definition)?;
        Ok(TypeUse::new(base, CppType::UNKNOWN))
    }
}
