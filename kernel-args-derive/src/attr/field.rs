//! `#[kernel_args(…)]` and `#[device_type(…)]` on a field.

use super::{FieldContracts, Shape, contract, each, flag, parts, set, takes_no_value};
use crate::{diagnostics::Diagnostics, texts};
use syn::{Attribute, LitStr, meta::ParseNestedMeta};

#[derive(Default)]
pub(crate) struct FieldAttr {
    pub(crate) kind: FieldKind,
    pub(crate) name: Option<LitStr>,
    pub(crate) listed: Option<Vec<LitStr>>,
    pub(crate) shape: Shape,
    pub(crate) contracts: FieldContracts,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum FieldKind {
    /// The field, with its type.
    #[default]
    Typed,
    /// The field, without its type: `opaque`.
    Opaque,
    /// A shared pointer, although the kernel writes through it: `shared_write`.
    SharedWrite,
    /// Nothing: `skip`.
    Skipped,
}

impl FieldKind {
    fn named(path: &syn::Path) -> Option<Self> {
        [("opaque", Self::Opaque), ("shared_write", Self::SharedWrite), ("skip", Self::Skipped)]
            .into_iter()
            .find_map(|(name, kind)| path.is_ident(name).then_some(kind))
    }

    fn and(self, other: Self) -> &'static str {
        match (self, other) {
            _ if self == other => texts::DUPLICATE_ATTRIBUTE,
            (Self::Skipped, Self::Opaque) | (Self::Opaque, Self::Skipped) => texts::SKIP_AND_OPAQUE,
            (Self::Skipped, _) | (_, Self::Skipped) => texts::SKIP_AND_SHARED_WRITE,
            _ => texts::OPAQUE_AND_SHARED_WRITE,
        }
    }
}

#[derive(Default)]
pub(crate) struct MemberAttr {
    pub(crate) opaque: bool,
    pub(crate) name: Option<LitStr>,
}

impl FieldAttr {
    pub(crate) fn parse(attrs: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let mut field = Self::default();
        each(attrs, "kernel_args", diagnostics, |meta| {
            if let Some(kind) = FieldKind::named(&meta.path) {
                takes_no_value(&meta)?;
                if let Some(name) = field.name.as_ref().filter(|_| kind == FieldKind::Skipped) {
                    return Err(syn::Error::new(name.span(), texts::SKIP_AND_NAME));
                }
                if field.kind != FieldKind::Typed {
                    return Err(meta.error(field.kind.and(kind)));
                }
                field.kind = kind;
            } else if let Some(parsed) = field.shape.parse(&meta) {
                parsed?;
            } else if meta.path.is_ident("name") {
                let is_list = meta.input.peek2(syn::token::Bracket);
                let mut names = parts::names(&meta)?;
                if let Some(name) = names.first().filter(|_| field.kind == FieldKind::Skipped) {
                    return Err(syn::Error::new(name.span(), texts::SKIP_AND_NAME));
                }
                match (is_list, names.pop()) {
                    (false, Some(name)) => set(&mut field.name, name, &meta)?,
                    (_, last) => {
                        names.extend(last);
                        set(&mut field.listed, names, &meta)?;
                    }
                }
            } else if field.contracts.parse(&meta)? {
            } else if super::ON_STRUCT.iter().chain(&contract::ON_STRUCT).any(|name| meta.path.is_ident(name)) {
                return Err(meta.error(texts::BELONGS_ON_STRUCT));
            } else {
                return Err(meta.error(texts::UNKNOWN_ON_FIELD));
            }
            Ok(())
        });
        parts::check(&mut field, diagnostics);
        if let Err(error) = field.contracts.check(field.kind == FieldKind::Skipped) {
            diagnostics.push(error);
        }
        field
    }
}

pub(super) fn kernel_name(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    let name: LitStr = meta.value()?.parse()?;
    if name.value().trim().is_empty() {
        return Err(syn::Error::new(name.span(), texts::EMPTY_NAME));
    }
    Ok(name)
}

impl MemberAttr {
    pub(crate) fn parse(attrs: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let (mut member, mut opaque) = (Self::default(), None);
        each(attrs, "device_type", diagnostics, |meta| {
            if meta.path.is_ident("opaque") {
                flag(&mut opaque, &meta)
            } else if meta.path.is_ident("name") {
                set(&mut member.name, kernel_name(&meta)?, &meta)
            } else if ["crate", "cpp", "skip_device_repr"].iter().any(|name| meta.path.is_ident(name)) {
                Err(meta.error(texts::DEVICE_TYPE_ON_FIELD))
            } else {
                Err(meta.error(texts::UNKNOWN_ON_MEMBER))
            }
        });
        member.opaque = opaque.is_some();
        member
    }
}
