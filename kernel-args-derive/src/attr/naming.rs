//! The attributes that name a struct's kernels.

use super::{alternatives, set};
use crate::{
    diagnostics::Diagnostics,
    path::{DebugInfoOption, ImagePath},
    texts,
};
use proc_macro2::Span;
use syn::{
    GenericArgument, Generics, Ident, Lit, LitInt, LitStr, Path, Token, bracketed, meta::ParseNestedMeta,
    parse::ParseStream, punctuated::Punctuated, spanned::Spanned,
};

/// The kernels that a struct names.
pub(crate) enum Naming {
    /// `ptx = "…", entry = "…"`.
    Image { path: ImagePath, entry: Option<LitStr>, debug_info: Option<DebugInfoOption> },
    /// `kernel = module::name`.
    Item(Path),
    /// `kernel = module, entries = ["…"], except = "…", T = f32 => "_f32"`.
    Pattern { module: Path, entries: Vec<LitStr>, except: Vec<LitStr>, bindings: Vec<Binding> },
}

/// `T = f32 => "_f32"`: kernels whose names end with `_f32` take `f32` for `T`.
pub(crate) struct Binding {
    pub(crate) parameter: Ident,
    pub(crate) argument: GenericArgument,
    pub(crate) suffix: LitStr,
    pub(crate) presence: Presence,
}

/// Whether an image must have the kernels of a binding.
#[derive(Clone, Copy)]
pub(crate) enum Presence {
    Required,
    /// `if_present`.
    Optional,
    /// `if sm >= 89`.
    Since(u16),
}

impl Presence {
    /// What follows the suffix of a binding.
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() || input.peek(Token![,]) {
            return Ok(Self::Required);
        }
        let start = input.cursor().span();
        let unknown = |_| syn::Error::new(start, texts::UNKNOWN_AFTER_SUFFIX);
        if !input.peek(Token![if]) {
            let ident: Ident = input.parse().map_err(unknown)?;
            let known = ident == "if_present";
            return known.then_some(Self::Optional).ok_or_else(|| unknown(syn::Error::new(start, "")));
        }
        input.parse::<Token![if]>()?;
        let sm: Ident = input.parse().map_err(unknown)?;
        input.parse::<Token![>=]>().map_err(unknown)?;
        let first: LitInt = input.parse().map_err(unknown)?;
        if sm != "sm" {
            return Err(unknown(syn::Error::new(start, "")));
        }
        Ok(Self::Since(first.base10_parse()?))
    }
}

/// One pattern, or a list of patterns in brackets. Each pattern with alternatives is several patterns.
fn patterns(input: ParseStream<'_>) -> syn::Result<Vec<LitStr>> {
    let written: Vec<LitStr> = if input.peek(syn::token::Bracket) {
        let list;
        let brackets = bracketed!(list in input);
        let list = Punctuated::<LitStr, Token![,]>::parse_terminated(&list)?;
        if list.is_empty() {
            return Err(syn::Error::new(brackets.span.join(), texts::NO_PATTERN));
        }
        list.into_iter().collect()
    } else {
        vec![input.parse()?]
    };
    Ok(written
        .iter()
        .flat_map(|pattern| {
            let each = alternatives::expand(&pattern.value());
            each.into_iter().map(|text| LitStr::new(&text, pattern.span()))
        })
        .collect())
}

/// The attributes that name kernels, before validation.
#[derive(Default)]
pub(super) struct Parts {
    ptx: Option<ImagePath>,
    debug_info: Option<DebugInfoOption>,
    entry: Option<LitStr>,
    kernel: Option<Path>,
    entries: Option<Vec<LitStr>>,
    except: Option<Vec<LitStr>>,
    bindings: Vec<Binding>,
}

impl Parts {
    pub(super) fn parse(&mut self, meta: &ParseNestedMeta<'_>, generics: &Generics) -> syn::Result<()> {
        if meta.path.is_ident("ptx") || meta.path.is_ident("image") {
            let path = meta.value()?.parse()?;
            set(&mut self.ptx, path, meta)
        } else if meta.path.is_ident("debug_info") {
            let option = meta.value()?.parse()?;
            set(&mut self.debug_info, option, meta)
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
            let entries = patterns(meta.value()?)?;
            set(&mut self.entries, entries, meta)
        } else if meta.path.is_ident("except") {
            let except = patterns(meta.value()?)?;
            set(&mut self.except, except, meta)
        } else if let Some(parameter) = parameter(&meta.path, generics) {
            let argument = argument(meta.value()?)?;
            if !meta.input.peek(Token![=>]) {
                return Err(meta.error(texts::NO_SUFFIX));
            }
            meta.input.parse::<Token![=>]>()?;
            let suffix = meta.input.parse()?;
            self.bindings.push(Binding { parameter, argument, suffix, presence: Presence::parse(meta.input)? });
            Ok(())
        } else {
            Err(meta.error(texts::UNKNOWN_ON_STRUCT))
        }
    }

    pub(super) fn naming(self, diagnostics: &mut Diagnostics) -> Option<Naming> {
        if let (Some(path), Some(_)) = (&self.kernel, &self.ptx) {
            diagnostics.error(path.span(), texts::KERNEL_AND_PTX);
            return None;
        }
        if let (Some(_), Some(entry)) = (&self.kernel, &self.entry) {
            diagnostics.error(entry.span(), texts::KERNEL_AND_ENTRY);
            return None;
        }
        if let (None, Some(debug_info)) = (&self.ptx, &self.debug_info) {
            let text = if self.kernel.is_some() { texts::KERNEL_AND_DEBUG_INFO } else { texts::DEBUG_INFO_WITHOUT_PTX };
            diagnostics.error(debug_info.span(), text);
            return None;
        }
        if let (None, Some(binding)) = (&self.entries, self.bindings.first()) {
            diagnostics.error(binding.parameter.span(), texts::BINDING_WITHOUT_ENTRIES);
            return None;
        }
        if let (None, Some([pattern, ..])) = (&self.entries, self.except.as_deref()) {
            diagnostics.error(pattern.span(), texts::EXCEPT_WITHOUT_ENTRIES);
            return None;
        }
        match (self.kernel, self.entries, self.ptx, self.entry) {
            (Some(module), Some(entries), ..) => Some(Naming::Pattern {
                module,
                entries,
                except: self.except.unwrap_or_default(),
                bindings: self.bindings,
            }),
            (None, Some(entries), ..) => {
                let span = entries.first().map_or_else(Span::call_site, LitStr::span);
                diagnostics.error(span, texts::ENTRIES_WITHOUT_MODULE);
                None
            }
            (Some(path), ..) => Some(Naming::Item(path)),
            (None, None, Some(path), entry) => Some(Naming::Image { path, entry, debug_info: self.debug_info }),
            (None, None, None, Some(entry)) => {
                diagnostics.error(entry.span(), texts::ENTRY_WITHOUT_PTX);
                None
            }
            (None, None, None, None) => None,
        }
    }
}

/// The type or constant bound to a parameter. (syn's `GenericArgument` parses the `=` of `=>` as in `Item = T`.)
fn argument(input: ParseStream<'_>) -> syn::Result<GenericArgument> {
    if input.peek(Lit) || input.peek(Token![-]) || input.peek(syn::token::Brace) {
        input.parse().map(GenericArgument::Const)
    } else {
        input.parse().map(GenericArgument::Type)
    }
}

/// The struct's type or const parameter that an attribute names.
fn parameter(path: &Path, generics: &Generics) -> Option<Ident> {
    let name = path.get_ident()?;
    let mut types = generics.type_params().map(|parameter| &parameter.ident);
    let mut consts = generics.const_params().map(|parameter| &parameter.ident);
    (types.any(|ident| ident == name) || consts.any(|ident| ident == name)).then(|| name.clone())
}
