//! The pointees of pointers.

use super::{
    collect::{Collector, fundamental},
    cuda,
    definition::Base,
    error::{HeaderError, Origin, spelled, two_types},
    instance,
    names::Path,
};
use alloc::{format, string::ToString};
use kernel_args_abi::{cpp::CppBase, signature::Parameter};

impl<'a> Collector<'_, 'a> {
    pub(super) fn pointee(&mut self, pointer: &Parameter<'a>) -> Result<Base, HeaderError> {
        let name = match pointer.cpp.base {
            CppBase::Named(name) => name,
            base => {
                return fundamental(base).map(|name| Base::Known(name.to_string(), None)).ok_or_else(|| {
                    self.error(format!(
                        "the C++ type that it points to is unknown{}\n  help: point to a number, a vector, or a struct \
                         with `#[derive(DeviceType)]`",
                        spelled(pointer.spelling)
                    ))
                });
            }
        };
        if let Some(known) = cuda::known(name, None) {
            self.include(known.include);
            return Ok(Base::Known(known.name.to_string(), None));
        }
        let path = Path::new(name, self.header.namespace);
        if self.header.is_included(&path) {
            return Ok(Base::Own(path));
        }
        path.check().map_err(|problem| self.error(problem))?;
        let spelling = pointer.spelling;
        if !self.pointees.iter().any(|(known, origin, _)| *known == path && origin.spelling == spelling) {
            let name = path.full();
            let error = self.error(format!(
                "it points to `{name}`, which the header does not declare\n  help: add it to the list: \
                 `cpp::device_type::<{name}>()`; or declare its name alone: `.forward_declare_pointees()`; or include the \
                 file that declares it: `.include(\"file.cuh\", &[\"{name}\"])`"
            ));
            let origin = Origin { spelling: spelling.to_string(), place: error.place.clone() };
            self.pointees.push((path.clone(), origin, error));
        }
        Ok(Base::Own(path))
    }

    pub(super) fn check_pointees(&self) -> Result<(), HeaderError> {
        for (path, origin, error) in &self.pointees {
            match self.definition(path) {
                None if self.header.forward_declares => {}
                None => return Err(error.clone()),
                Some(known) if instance::differ(&known.origin.spelling, &origin.spelling) => {
                    return Err(HeaderError::new(&*origin.place, two_types(path.full(), &known.origin, origin)));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}
