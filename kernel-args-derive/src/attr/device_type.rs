//! `#[device_type(…)]` on a struct or an enum.

use super::{default_crate, each, flag, set};
use crate::{diagnostics::Diagnostics, texts};
use syn::{Attribute, Ident, LitStr, Path, ext::IdentExt};

pub(crate) struct TypeAttr {
    pub(crate) krate: Path,
    pub(crate) cpp: Option<LitStr>,
    pub(crate) skip_device_repr: bool,
}

impl TypeAttr {
    pub(crate) fn parse(attrs: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let (mut krate, mut cpp, mut skip_device_repr) = (None, None::<LitStr>, false);
        each(attrs, "device_type", diagnostics, |name, meta| match name {
            "crate" => set(&mut krate, meta.value()?.call(Path::parse_mod_style)?, meta),
            "cpp" => set(&mut cpp, meta.value()?.parse()?, meta),
            "skip_device_repr" => flag(&mut skip_device_repr, meta),
            _ => Err(meta.error(texts::unknown(texts::UNKNOWN_ON_DEVICE_TYPE, name))),
        });
        Self { krate: krate.unwrap_or_else(default_crate), cpp, skip_device_repr }
    }

    /// Returns the explicit C++ name, otherwise the name of the type.
    pub(crate) fn cpp_name(&self, ident: &Ident) -> String {
        self.cpp.as_ref().map_or_else(|| ident.unraw().to_string(), LitStr::value)
    }
}
