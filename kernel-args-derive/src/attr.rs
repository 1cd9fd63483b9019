//! `#[kernel_args(…)]`, `#[device_type(…)]` and `#[repr(…)]`.

use crate::{diagnostics::Diagnostics, path::ImagePath, texts};
use proc_macro2::Span;
use syn::{
    Attribute, GenericArgument, Generics, Ident, Lit, LitInt, LitStr, Path, Token, WherePredicate,
    meta::ParseNestedMeta, parenthesized, parse::ParseStream, punctuated::Punctuated,
    spanned::Spanned,
};

/// `#[kernel_args(…)]` on the struct.
pub(crate) struct ArgsAttr {
    pub(crate) krate: Path,
    pub(crate) kernel: Option<Naming>,
    /// What stands in place of the derived bounds of type parameters.
    pub(crate) bound: Option<Vec<WherePredicate>>,
}

/// The kernels that a struct names.
pub(crate) enum Naming {
    /// `ptx = "…", entry = "…"`.
    Image {
        path: ImagePath,
        entry: Option<LitStr>,
        debug_info: Option<ImagePath>,
    },
    /// `kernel = module::name`.
    Item(Path),
    /// `kernel = module, entries = "…", T = f32 => "_f32"`.
    Pattern {
        module: Path,
        entries: LitStr,
        bindings: Vec<Binding>,
    },
}

/// `T = f32 => "_f32"`: the kernels whose names end so take `f32` for `T`.
pub(crate) struct Binding {
    pub(crate) parameter: Ident,
    pub(crate) argument: GenericArgument,
    pub(crate) suffix: LitStr,
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
    /// The kernel's parameter that the field is.
    pub(crate) name: Option<LitStr>,
}

/// `#[device_type(…)]` on a field.
#[derive(Default)]
pub(crate) struct MemberAttr {
    pub(crate) opaque: bool,
    /// The member of the kernel's struct that the field is.
    pub(crate) name: Option<LitStr>,
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
    pub(crate) fn parse(
        attrs: &[Attribute],
        generics: &Generics,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let mut krate = None;
        let mut named = Parts::default();
        let mut bound = None;
        each(attrs, "kernel_args", diagnostics, |meta| {
            if meta.path.is_ident("crate") {
                let path = meta.value()?.parse()?;
                set(&mut krate, path, &meta)
            } else if meta.path.is_ident("bound") {
                let text: LitStr = meta.value()?.parse()?;
                let predicates =
                    text.parse_with(Punctuated::<WherePredicate, Token![,]>::parse_terminated)?;
                set(&mut bound, predicates.into_iter().collect(), &meta)
            } else if meta.path.is_ident("skip") || meta.path.is_ident("opaque") {
                Err(meta.error(texts::BELONGS_ON_FIELD))
            } else {
                named.parse(&meta, generics)
            }
        });
        Self {
            krate: krate.unwrap_or_else(default_crate),
            kernel: named.naming(diagnostics),
            bound,
        }
    }
}

/// The attributes that name kernels, one by one.
#[derive(Default)]
struct Parts {
    ptx: Option<ImagePath>,
    debug_info: Option<ImagePath>,
    entry: Option<LitStr>,
    kernel: Option<Path>,
    entries: Option<LitStr>,
    bindings: Vec<Binding>,
}

impl Parts {
    fn parse(&mut self, meta: &ParseNestedMeta<'_>, generics: &Generics) -> syn::Result<()> {
        if meta.path.is_ident("ptx") || meta.path.is_ident("image") {
            let path = meta.value()?.parse()?;
            set(&mut self.ptx, path, meta)
        } else if meta.path.is_ident("debug_info") {
            let path = meta.value()?.parse()?;
            set(&mut self.debug_info, path, meta)
        } else if meta.path.is_ident("entry") {
            let name = meta.value()?.parse()?;
            set(&mut self.entry, name, meta)
        } else if meta.path.is_ident("kernel") {
            let value = meta.value()?;
            if value.peek(LitStr) {
                return Err(value.error(texts::KERNEL_IN_QUOTES));
            }
            let path = value.call(Path::parse_mod_style)?;
            set(&mut self.kernel, path, meta)
        } else if meta.path.is_ident("entries") {
            let pattern = meta.value()?.parse()?;
            set(&mut self.entries, pattern, meta)
        } else if let Some(parameter) = parameter(&meta.path, generics) {
            let argument = argument(meta.value()?)?;
            if !meta.input.peek(Token![=>]) {
                return Err(meta.error(texts::NO_SUFFIX));
            }
            meta.input.parse::<Token![=>]>()?;
            let suffix = meta.input.parse()?;
            self.bindings.push(Binding {
                parameter,
                argument,
                suffix,
            });
            Ok(())
        } else {
            Err(meta.error(texts::UNKNOWN_ON_STRUCT))
        }
    }

    fn naming(self, diagnostics: &mut Diagnostics) -> Option<Naming> {
        if let (Some(path), Some(_)) = (&self.kernel, &self.ptx) {
            diagnostics.error(path.span(), texts::KERNEL_AND_PTX);
            return None;
        }
        if let (Some(_), Some(entry)) = (&self.kernel, &self.entry) {
            diagnostics.error(entry.span(), texts::KERNEL_AND_ENTRY);
            return None;
        }
        if let (None, Some(debug_info)) = (&self.ptx, &self.debug_info) {
            let text = if self.kernel.is_some() {
                texts::KERNEL_AND_DEBUG_INFO
            } else {
                texts::DEBUG_INFO_WITHOUT_PTX
            };
            diagnostics.error(debug_info.span, text);
            return None;
        }
        if let (None, Some(binding)) = (&self.entries, self.bindings.first()) {
            diagnostics.error(binding.parameter.span(), texts::BINDING_WITHOUT_ENTRIES);
            return None;
        }
        match self {
            Self {
                kernel: Some(module),
                entries: Some(entries),
                bindings,
                ..
            } => Some(Naming::Pattern {
                module,
                entries,
                bindings,
            }),
            Self {
                entries: Some(entries),
                ..
            } => {
                diagnostics.error(entries.span(), texts::ENTRIES_WITHOUT_MODULE);
                None
            }
            Self {
                kernel: Some(path), ..
            } => Some(Naming::Item(path)),
            Self {
                ptx: Some(path),
                entry,
                debug_info,
                ..
            } => Some(Naming::Image {
                path,
                entry,
                debug_info,
            }),
            Self {
                entry: Some(entry), ..
            } => {
                diagnostics.error(entry.span(), texts::ENTRY_WITHOUT_PTX);
                None
            }
            Self { .. } => None,
        }
    }
}

/// What a parameter is bound to. (syn's `GenericArgument` takes the `=` of `=>` for that of `Item = T`.)
fn argument(input: ParseStream<'_>) -> syn::Result<GenericArgument> {
    if input.peek(Lit) || input.peek(Token![-]) || input.peek(syn::token::Brace) {
        input.parse().map(GenericArgument::Const)
    } else {
        input.parse().map(GenericArgument::Type)
    }
}

/// The type or const parameter of the struct that an attribute names.
fn parameter(path: &Path, generics: &Generics) -> Option<Ident> {
    let name = path.get_ident()?;
    let mut types = generics.type_params().map(|parameter| &parameter.ident);
    let mut consts = generics.const_params().map(|parameter| &parameter.ident);
    (types.any(|ident| ident == name) || consts.any(|ident| ident == name)).then(|| name.clone())
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

    /// Reports `#[device_type(…)]` on a variant, where it has no meaning.
    pub(crate) fn refuse_inside(attrs: &[Attribute], diagnostics: &mut Diagnostics) {
        for attr in attrs {
            if attr.path().is_ident("device_type") {
                diagnostics.error(attr.path().span(), texts::DEVICE_TYPE_ON_VARIANT);
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
                if let Some(name) = field.name.as_ref().filter(|_| meta.path.is_ident("skip")) {
                    return Err(syn::Error::new(name.span(), texts::SKIP_AND_NAME));
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
            } else if meta.path.is_ident("name") {
                let name = kernel_name(&meta)?;
                if field.skip {
                    return Err(syn::Error::new(name.span(), texts::SKIP_AND_NAME));
                }
                set(&mut field.name, name, &meta)?;
            } else if [
                "crate",
                "ptx",
                "image",
                "debug_info",
                "entry",
                "kernel",
                "entries",
                "bound",
            ]
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

/// `name = "in"`.
fn kernel_name(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    let name: LitStr = meta.value()?.parse()?;
    if name.value().trim().is_empty() {
        return Err(syn::Error::new(name.span(), texts::EMPTY_NAME));
    }
    Ok(name)
}

impl MemberAttr {
    pub(crate) fn parse(attrs: &[Attribute], diagnostics: &mut Diagnostics) -> Self {
        let mut member = Self::default();
        each(attrs, "device_type", diagnostics, |meta| {
            if meta.path.is_ident("opaque") {
                if meta.input.peek(Token![=]) || meta.input.peek(syn::token::Paren) {
                    return Err(meta.error(texts::TAKES_NO_VALUE));
                }
                if member.opaque {
                    return Err(meta.error(texts::DUPLICATE_ATTRIBUTE));
                }
                member.opaque = true;
                Ok(())
            } else if meta.path.is_ident("name") {
                let name = kernel_name(&meta)?;
                set(&mut member.name, name, &meta)
            } else if ["crate", "cpp", "skip_device_repr"]
                .iter()
                .any(|name| meta.path.is_ident(name))
            {
                Err(meta.error(texts::DEVICE_TYPE_ON_FIELD))
            } else {
                Err(meta.error(texts::UNKNOWN_ON_MEMBER))
            }
        });
        member
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
