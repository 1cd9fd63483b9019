//! `#[kernel_args(…)]`, `#[device_type(…)]` and `#[repr(…)]`.

mod alternatives;
mod contract;
mod device_type;
mod expression;
mod field;
mod naming;
mod repr;

pub(crate) use contract::{Axes, FieldContracts, Range, Stream, StructContracts, Written};
pub(crate) use device_type::TypeAttr;
pub(crate) use expression::{Expression, Place, Read, Root};
pub(crate) use field::{FieldAttr, FieldKind, INDEX, MemberAttr, Names, Shape};
pub(crate) use naming::{Binding, Naming};
pub(crate) use repr::Repr;

use crate::{diagnostics::Diagnostics, repeated::refuse_macros, texts};
use naming::Parts;
use syn::{
    Attribute, Generics, LitStr, Path, Token, WherePredicate, meta::ParseNestedMeta, punctuated::Punctuated,
    spanned::Spanned,
};

/// `launcher = path`, a function that takes the arguments.
pub(crate) struct Launcher {
    pub(crate) path: Path,
    /// Where it takes the stream; last without it.
    pub(crate) stream: Option<Written<Stream>>,
}

pub(crate) struct ArgsAttr {
    pub(crate) krate: Path,
    pub(crate) kernel: Option<Naming>,
    pub(crate) launcher: Option<Launcher>,
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
        let (mut krate, mut bound, mut launcher, mut named) = (None, None, None, Parts::default());
        let (mut strict_names, mut strict_code, mut contracts) = (false, false, StructContracts::default());
        each(attrs, "kernel_args", diagnostics, |name, meta| match name {
            "crate" => set(&mut krate, meta.value()?.call(Path::parse_mod_style)?, meta),
            "bound" => {
                let text: LitStr = meta.value()?.parse()?;
                let predicates = text.parse_with(Punctuated::<WherePredicate, Token![,]>::parse_terminated)?;
                set(&mut bound, predicates.into_iter().collect(), meta)
            }
            "launcher" => set(&mut launcher, meta.value()?.call(Path::parse_mod_style)?, meta),
            "strict_names" => flag(&mut strict_names, meta),
            "strict_code" => flag(&mut strict_code, meta),
            "skip" | "opaque" | "shared_write" | "spread" | "flatten" | "len" | "capacity" | "multiple_of"
            | "range" | "as" => Err(meta.error(texts::BELONGS_ON_FIELD)),
            _ if contracts.parse(name, meta)? => Ok(()),
            _ => named.parse(name, meta, generics),
        });
        let kernel = named.naming(diagnostics);
        let launcher = launcher.map(|path| Launcher { path, stream: contracts.stream.take() });
        match (&launcher, &contracts.stream) {
            (Some(launcher), _) => {
                if kernel.is_some() {
                    diagnostics.error(launcher.path.span(), texts::LAUNCHER_AND_KERNEL);
                }
                for span in contracts.of_kernels() {
                    diagnostics.error(span, texts::LAUNCHER_AND_GRID);
                }
            }
            (None, Some(Written { value: Stream::None | Stream::Before(_), span, .. })) => {
                diagnostics.error(*span, texts::STREAM_REQUIRED);
                contracts.stream = None;
            }
            (None, _) => {}
        }
        for predicate in bound.iter().flatten() {
            refuse_macros(predicate, diagnostics);
        }
        if let Some(Naming::Pattern { bindings, .. }) = &kernel {
            for binding in bindings {
                refuse_macros(&binding.argument, diagnostics);
            }
        }
        Self {
            krate: krate.unwrap_or_else(default_crate),
            kernel,
            launcher,
            strict_names,
            strict_code,
            bound,
            contracts,
        }
    }
}

fn default_crate() -> Path {
    syn::parse_quote!(::kernel_args)
}

fn set<T>(slot: &mut Option<T>, value: T, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    match slot.replace(value) {
        Some(_) => Err(meta.error(texts::DUPLICATE_ATTRIBUTE)),
        None => Ok(()),
    }
}

fn flag(slot: &mut bool, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    takes_no_value(meta)?;
    set(&mut slot.then_some(()), (), meta)?;
    *slot = true;
    Ok(())
}

fn takes_no_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(Token![=]) || meta.input.peek(syn::token::Paren) {
        return Err(meta.error(texts::TAKES_NO_VALUE));
    }
    Ok(())
}

/// Calls `parse` with the name of each item of each `#[name(…)]`.
fn each(
    attrs: &[Attribute],
    name: &str,
    diagnostics: &mut Diagnostics,
    mut parse: impl FnMut(&str, &ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        let parsed = attr.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(ToString::to_string);
            parse(&name.unwrap_or_default(), &meta)
        });
        if let Err(error) = parsed {
            diagnostics.push(error);
        }
    }
}
