//! The pointees of pointers.

use super::{
    collect::{Collector, fundamental},
    cuda,
    definition::{Base, Pointee},
    error::{HeaderError, Origin, Problem},
    instance,
    names::Path,
};
use alloc::string::ToString;
use kernel_args_abi::{cpp::CppBase, signature::Parameter};

impl<'a> Collector<'_, 'a> {
    pub(super) fn pointee(&mut self, pointer: &Parameter<'a>) -> Result<Base, HeaderError> {
        let name = match pointer.cpp.base {
            CppBase::Named(name) => name,
            base => {
                let spelling = pointer.spelling.to_string();
                let name = fundamental(base);
                return name
                    .map(|name| Base::Fundamental(name, 0))
                    .ok_or_else(|| self.error(Problem::UnknownPointee { spelling }));
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
        let target = Pointee { path: path.clone(), spelling: pointer.spelling.to_string() };
        if !self.pointees.iter().any(|(known, _)| *known == target) {
            let name = path.full().to_string();
            let error = self.error(Problem::Undeclared { name });
            self.pointees.push((target, error));
        }
        Ok(Base::Own(path))
    }

    pub(super) fn check_pointees(&self) -> Result<(), HeaderError> {
        for (pointee, error) in &self.pointees {
            match self.definition(&pointee.path) {
                None if self.header.forward_declares => {}
                None => return Err(error.clone()),
                Some(known) if instance::differ(&known.origin.spelling, &pointee.spelling) => {
                    let place = error.place.clone();
                    let problem = Problem::TwoTypes {
                        name: pointee.path.full().to_string(),
                        first: known.origin.clone(),
                        second: Origin { spelling: pointee.spelling.clone(), place: place.clone() },
                    };
                    return Err(HeaderError::new(place, problem));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}
