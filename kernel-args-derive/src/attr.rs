//! `#[kernel_args(…)]`, `#[device_type(…)]` and `#[repr(…)]`.

use crate::{diagnostics::Diagnostics, texts};
use proc_macro2::Span;
use syn::{
    Attribute, LitInt, LitStr, Path, Token, WherePredicate, meta::ParseNestedMeta, parenthesized,
    punctuated::Punctuated, spanned::Spanned,
};

/// `#[kernel_args(…)]` on the struct.
pub(crate) struct ArgsAttr {
    pub(crate) krate: Path,
    pub(crate) ptx: Option<LitStr>,
    pub(crate) entry: Option<LitStr>,
    /// What stands in place of the derived bounds of type parameters.
    pub(crate) bound: Option<Vec<WherePredicate>>,
}

/// `#[device_type(…)]`.
pub(crate) struct TypeAttr {
    pub(crate) krate: Path,
    pub(crate) cpp: Option<LitStr>,
    pub(crate) skip_device_repr: bool,
}

/// `#[kernel_args(…)]` on a field.
#[derive(Default)]
pub(crate) struct FieldAttr {
    pub(crate) skip: bool,
    pub(crate) opaque: bool,
}

/// What a device type needs of `#[repr(…)]`.
#[derive(Default)]
pub(crate) struct Repr {
    pub(crate) c: bool,
    pub(crate) transparent: bool,
    pub(crate) packed: Option<Span>,
    pub(crate) align: Option<usize>,
    pub(crate) int: Option<syn::Ident>,
    pub(crate) other: Option<Span>,
}

const INTS: [&str; 12] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
];

fn default_crate() -> Path {
    syn::parse_quote!(::kernel_args)
}

fn set<T>(slot: &mut Option<T>, value: T, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if slot.replace(value).is_some() {
        return Err(meta.error(texts::DUPLICATE_ATTRIBUTE));
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

impl ArgsAttr {
    pub(crate) fn parse(attrs: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let mut krate = None;
        let (mut ptx, mut entry) = (None::<LitStr>, None::<LitStr>);
        let mut bound = None;
        each(attrs, "kernel_args", diagnostics, |meta| {
            if meta.path.is_ident("crate") {
                let path = meta.value()?.parse()?;
                set(&mut krate, path, &meta)
            } else if meta.path.is_ident("ptx") {
                let path = meta.value()?.parse()?;
                set(&mut ptx, path, &meta)
            } else if meta.path.is_ident("entry") {
                let name = meta.value()?.parse()?;
                set(&mut entry, name, &meta)
            } else if meta.path.is_ident("bound") {
                let text: LitStr = meta.value()?.parse()?;
                let predicates =
                    text.parse_with(Punctuated::<WherePredicate, Token![,]>::parse_terminated)?;
                set(&mut bound, predicates.into_iter().collect(), &meta)
            } else if meta.path.is_ident("skip") || meta.path.is_ident("opaque") {
                Err(meta.error(texts::BELONGS_ON_FIELD))
            } else {
                Err(meta.error(texts::UNKNOWN_ON_STRUCT))
            }
        });
        if let (None, Some(entry)) = (&ptx, &entry) {
            diagnostics.error(entry.span(), texts::ENTRY_WITHOUT_PTX);
        }
        Self {
            krate: krate.unwrap_or_else(default_crate),
            ptx,
            entry,
            bound,
        }
    }
}

impl TypeAttr {
    pub(crate) fn parse(attrs: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let (mut krate, mut cpp, mut skip) = (None, None::<LitStr>, None);
        each(attrs, "device_type", diagnostics, |meta| {
            if meta.path.is_ident("crate") {
                let path = meta.value()?.parse()?;
                set(&mut krate, path, &meta)
            } else if meta.path.is_ident("cpp") {
                let name = meta.value()?.parse()?;
                set(&mut cpp, name, &meta)
            } else if meta.path.is_ident("skip_device_repr") {
                if meta.input.peek(Token![=]) || meta.input.peek(syn::token::Paren) {
                    return Err(meta.error(texts::TAKES_NO_VALUE));
                }
                set(&mut skip, (), &meta)
            } else {
                Err(meta.error(texts::UNKNOWN_ON_DEVICE_TYPE))
            }
        });
        Self {
            krate: krate.unwrap_or_else(default_crate),
            cpp,
            skip_device_repr: skip.is_some(),
        }
    }

    /// Reports `#[device_type(…)]` on a field or variant, where it has no meaning.
    pub(crate) fn refuse_inside(attrs: &[Attribute], diagnostics: &mut Diagnostics) {
        for attr in attrs {
            if attr.path().is_ident("device_type") {
                diagnostics.error(attr.path().span(), texts::DEVICE_TYPE_INSIDE);
            }
        }
    }
}

impl FieldAttr {
    pub(crate) fn parse(attrs: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let mut field = Self::default();
        each(attrs, "kernel_args", diagnostics, |meta| {
            if meta.path.is_ident("skip") || meta.path.is_ident("opaque") {
                if meta.input.peek(Token![=]) || meta.input.peek(syn::token::Paren) {
                    return Err(meta.error(texts::TAKES_NO_VALUE));
                }
                let (flag, other) = if meta.path.is_ident("skip") {
                    (&mut field.skip, field.opaque)
                } else {
                    (&mut field.opaque, field.skip)
                };
                if *flag {
                    return Err(meta.error(texts::DUPLICATE_ATTRIBUTE));
                }
                if other {
                    return Err(meta.error(texts::SKIP_AND_OPAQUE));
                }
                *flag = true;
            } else if ["crate", "ptx", "entry", "bound"]
                .iter()
                .any(|name| meta.path.is_ident(name))
            {
                return Err(meta.error(texts::BELONGS_ON_STRUCT));
            } else {
                return Err(meta.error(texts::UNKNOWN_ON_FIELD));
            }
            Ok(())
        });
        field
    }
}

impl Repr {
    pub(crate) fn parse(attrs: &[Attribute]) -> Self {
        let mut repr = Self::default();
        // rustc reports what is wrong in a `repr` itself.
        each(attrs, "repr", &mut Diagnostics::default(), |meta| {
            let path = &meta.path;
            if path.is_ident("C") {
                repr.c = true;
            } else if path.is_ident("transparent") {
                repr.transparent = true;
            } else if path.is_ident("align") {
                let content;
                parenthesized!(content in meta.input);
                let bytes = content.parse::<LitInt>()?.base10_parse::<usize>()?;
                repr.align = repr.align.max(Some(bytes));
            } else if path.is_ident("packed") {
                repr.packed = Some(path.span());
                if meta.input.peek(syn::token::Paren) {
                    let content;
                    parenthesized!(content in meta.input);
                    content.parse::<LitInt>()?;
                }
            } else if let Some(int) = path
                .get_ident()
                .filter(|int| INTS.iter().any(|name| int == name))
            {
                repr.int = Some(int.clone());
            } else {
                repr.other = Some(path.span());
                if meta.input.peek(Token![=]) {
                    meta.value()?.parse::<syn::Expr>()?;
                }
            }
            Ok(())
        });
        repr
    }
}
