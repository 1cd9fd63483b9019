//! `#[kernel_args(…)]`, `#[device_type(…)]` and `#[repr(…)]`.

mod alternatives;
mod contract;
mod device_type;
mod expression;
mod field;
mod naming;
mod parts;
mod repr;

pub(crate) use contract::{Axes, FieldContracts, Range, StructContracts, Written};
pub(crate) use device_type::TypeAttr;
pub(crate) use expression::{Expression, Place, Read, Root};
pub(crate) use field::{FieldAttr, FieldKind, MemberAttr};
pub(crate) use naming::{Binding, Naming, Presence};
pub(crate) use parts::{ElementNames, Shape};
pub(crate) use repr::Repr;

use crate::{diagnostics::Diagnostics, repeated::refuse_macros, texts};
use field::kernel_name;
use naming::Parts;
use syn::{Attribute, Generics, LitStr, Path, Token, WherePredicate, meta::ParseNestedMeta, punctuated::Punctuated};

const ON_STRUCT: [&str; 11] = [
    "crate",
    "ptx",
    "image",
    "debug_info",
    "entry",
    "kernel",
    "entries",
    "except",
    "strict_names",
    "strict_code",
    "bound",
];

pub(crate) struct ArgsAttr {
    pub(crate) krate: Path,
    pub(crate) kernel: Option<Naming>,
    /// Whether a field name that the kernel does not have is an error.
    pub(crate) strict_names: bool,
    /// Whether everything that the kernel's code contradicts is an error.
    pub(crate) strict_code: bool,
    /// The explicit bounds. They replace the derived bounds of type parameters.
    pub(crate) bound: Option<Vec<WherePredicate>>,
    pub(crate) contracts: StructContracts,
}

impl ArgsAttr {
    pub(crate) fn parse(attrs: &[Attribute], generics: &Generics, diagnostics: &mut Diagnostics) -> Self {
        let mut krate = None;
        let mut named = Parts::default();
        let (mut bound, mut strict_names, mut strict_code) = (None, None, None);
        let mut contracts = StructContracts::default();
        each(attrs, "kernel_args", diagnostics, |meta| {
            if meta.path.is_ident("crate") {
                set(&mut krate, meta.value()?.call(Path::parse_mod_style)?, &meta)
            } else if meta.path.is_ident("bound") {
                let text: LitStr = meta.value()?.parse()?;
                let predicates = text.parse_with(Punctuated::<WherePredicate, Token![,]>::parse_terminated)?;
                set(&mut bound, predicates.into_iter().collect(), &meta)
            } else if meta.path.is_ident("strict_names") {
                flag(&mut strict_names, &meta)
            } else if meta.path.is_ident("strict_code") {
                flag(&mut strict_code, &meta)
            } else if ["skip", "opaque", "shared_write", "spread", "flatten"]
                .iter()
                .chain(&contract::ON_FIELD)
                .any(|name| meta.path.is_ident(name))
            {
                Err(meta.error(texts::BELONGS_ON_FIELD))
            } else if contracts.parse(&meta)? {
                Ok(())
            } else {
                named.parse(&meta, generics)
            }
        });
        let kernel = named.naming(diagnostics);
        for predicate in bound.iter().flatten() {
            refuse_macros(predicate, diagnostics);
        }
        if let Some(Naming::Pattern { bindings, .. }) = &kernel {
            for binding in bindings {
                refuse_macros(&binding.argument, diagnostics);
            }
        }
        let (strict_names, strict_code) = (strict_names.is_some(), strict_code.is_some());
        Self { krate: krate.unwrap_or_else(default_crate), kernel, strict_names, strict_code, bound, contracts }
    }
}

fn default_crate() -> Path {
    syn::parse_quote!(::kernel_args)
}

fn set<T>(slot: &mut Option<T>, value: T, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if slot.replace(value).is_some() {
        return Err(meta.error(texts::DUPLICATE_ATTRIBUTE));
    }
    Ok(())
}

fn flag(slot: &mut Option<()>, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    takes_no_value(meta)?;
    set(slot, (), meta)
}

fn takes_no_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) || meta.input.peek(syn::token::Paren) {
        return Err(meta.error(texts::TAKES_NO_VALUE));
    }
    Ok(())
}

/// Calls `parse` for each item of each `#[name(…)]`.
fn each(
    attrs: &[Attribute],
    name: &str,
    diagnostics: &mut Diagnostics,
    mut parse: impl FnMut(ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        if let Err(error) = attr.parse_nested_meta(&mut parse) {
            diagnostics.push(error);
        }
    }
}
