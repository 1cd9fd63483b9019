//! Finds the kernel of a family by the types of a struct.

use super::{Kernel, Module};
use crate::{
    driver::{
        context::sm,
        error::{Error, LoadError},
        function::{StructType, Verified},
    },
    marshal::KernelArgs,
};
use core::any::type_name;
use kernel_args_abi::{
    compiled::{Family, Presence, Target, matches_pattern},
    texts::{Message, templates},
};

const OF_ANOTHER_FAMILY: &str = "the struct was not compared with this kernel when it was compiled; its `entries` are";

impl Module {
    /// Returns the kernel of a family for the types of `A`, verified against `A`: `family` with the suffix that the
    /// struct binds to its types. This is the binding with which the struct was compared when it was compiled.
    ///
    /// You can call this at every launch, as [`kernel`](Self::kernel). [`dtypes`](crate::guide::dtypes) has an example.
    ///
    /// A struct whose types have no binding does not compile here. If an image may lack the kernels of a type, bind it
    /// with `if_present`: then the error is at run time.
    ///
    /// # Errors
    /// [`LoadError::Absent`] if the binding is optional and the module lacks the kernel. [`LoadError::NotFound`] also
    /// if the name matches none of the struct's `entries`. [`LoadError::Unbound`] if a type differs from all bound
    /// types, but its parameters do not. Otherwise as for [`kernel`](Self::kernel).
    #[inline]
    pub fn family<A: KernelArgs>(&self, family: &str) -> Result<Kernel<A>, Error> {
        const { assert_bound::<A>() };
        if let Some(typed) = self.families.get_typed(family) {
            return Ok(Kernel { typed });
        }
        self.find_in(A::FAMILY, family, StructType::of::<A>(), type_name::<A::Erased>()).map(Kernel::from_verified)
    }

    /// `ty` is the name of the struct's type.
    #[cold]
    #[inline(never)]
    fn find_in(
        &self,
        family: Option<&Family>,
        name: &str,
        of: StructType,
        ty: &'static str,
    ) -> Result<&Verified, Error> {
        let Some(family) = family else { unreachable!("`assert_bound` does not compile for it") };
        let mut found = Err(unbound(family, ty));
        // A type can have several bindings.
        for target in family.targets.iter().filter(|target| (target.id)() == of.erased()) {
            match (found, self.find_target(family, target, of, &format!("{name}{}", target.suffix))) {
                (Err(earlier), Err(error)) => found = Err(both(earlier, error)),
                (_, kernel) => {
                    found = kernel;
                    break;
                }
            }
        }
        Ok(self.families.keep(name, found?))
    }

    fn find_target(
        &self,
        family: &Family,
        target: &'static Target,
        of: StructType,
        wanted: &str,
    ) -> Result<Verified, Error> {
        if !is_named(family, wanted) {
            // A name that no kernel has is a mistake of its own.
            self.named(wanted)?;
            let entries = family.entries.iter().copied().map(String::from).collect();
            return Err(LoadError::not_found(wanted, OF_ANOTHER_FAMILY, entries));
        }
        let optional = target.bindings.iter().find_map(|&binding| {
            let binding = &family.bindings[binding];
            let since = match binding.presence {
                Presence::Required => return None,
                Presence::Optional => None,
                Presence::Since(first) => Some(first),
            };
            Some((binding.written, since))
        });
        let found = self.cache.get_verified(wanted, of.erased()).map_or_else(|| self.find_verified(wanted, of), Ok);
        match (found, optional) {
            (Err(Error::Load(LoadError::NotFound { .. } | LoadError::OtherGpu { .. })), Some((binding, since))) => {
                Err(Error::Load(LoadError::Absent {
                    wanted: vec![wanted.into()],
                    arguments: of.host().signature.name,
                    bindings: vec![binding],
                    since,
                    image: family.kernels.compiled_image().gpus,
                    gpu: sm(self.loaded.context())?.0,
                }))
            }
            (found, _) => found,
        }
    }
}

/// Returns whether the struct was compared with this kernel, or would have been if the image of that time had it.
fn is_named(family: &Family, wanted: &str) -> bool {
    let mut kernels = family.kernels.iter().filter(|kernel| kernel.matches(wanted, ""));
    if let Some(first) = kernels.next() {
        return family.names(&first) || kernels.any(|kernel| family.names(&kernel));
    }
    let any = |patterns: &[&str]| patterns.iter().any(|one| matches_pattern(one, wanted));
    any(family.entries) && !any(family.except)
}

/// Returns the error of a type with several bindings: if all are optional, it names all.
fn both(earlier: Error, mut error: Error) -> Error {
    if let (
        Error::Load(LoadError::Absent { wanted: first_wanted, bindings: first_bindings, since: first, .. }),
        Error::Load(LoadError::Absent { wanted, bindings, since, .. }),
    ) = (earlier, &mut error)
    {
        wanted.splice(..0, first_wanted);
        bindings.splice(..0, first_bindings);
        *since = first.zip(*since).map(|(a, b)| a.min(b));
    }
    error
}

fn unbound(family: &Family, arguments: &'static str) -> Error {
    let bindings: Vec<&str> = family.bindings.iter().map(|one| one.written).collect();
    Error::Load(LoadError::Unbound { arguments, bindings })
}

/// If two types have the same parameters, only the run time decides.
///
/// # Panics
/// At compile time, if the types of a struct cannot be bound.
#[track_caller]
const fn assert_bound<A: KernelArgs>() {
    let mut message: Message = Message::new();
    let Some(family) = A::FAMILY else {
        templates::names_no_pattern(&mut message, A::NAME);
        templates::name_pattern(&mut message);
        message.fail()
    };
    if family.may_bind(A::PARAMETERS) {
        return;
    }
    templates::unbound_types(&mut message, A::NAME);
    let mut i = 0;
    while i < family.bindings.len() {
        templates::bound_types(&mut message, family.bindings[i].written);
        i += 1;
    }
    templates::bind_types(&mut message);
    message.fail()
}
