//! The attributes that name a struct's kernels.

use super::{alternatives, set};
use crate::{
    diagnostics::Diagnostics,
    generics::parameters,
    path::{DebugInfoOption, ImagePath},
    texts,
};
use kernel_args_abi::compiled::Presence;
use syn::{
    GenericArgument, Generics, Ident, Lit, LitInt, LitStr, Path, Token, bracketed, meta::ParseNestedMeta,
    parse::ParseStream, punctuated::Punctuated, spanned::Spanned,
};

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

/// `if_present`, `if sm >= 89`, or nothing.
fn presence(input: ParseStream<'_>) -> syn::Result<Presence> {
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(Presence::Required);
    }
    let start = input.cursor().span();
    let written = || -> syn::Result<Option<LitInt>> {
        let is_condition = input.parse::<Option<Token![if]>>()?.is_some();
        let ident: Ident = input.parse()?;
        if ident != if is_condition { "sm" } else { "if_present" } {
            return Err(syn::Error::new(start, ""));
        }
        is_condition.then(|| input.parse::<Token![>=]>().and_then(|_| input.parse())).transpose()
    };
    match written().map_err(|_| syn::Error::new(start, texts::UNKNOWN_AFTER_SUFFIX))? {
        Some(first) => Ok(Presence::Since(first.base10_parse()?)),
        None => Ok(Presence::Optional),
    }
}

/// Returns one pattern, or a list of patterns in brackets. Each pattern with alternatives is several patterns.
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
    pub(super) fn parse(&mut self, name: &str, meta: &ParseNestedMeta<'_>, generics: &Generics) -> syn::Result<()> {
        match name {
            "ptx" | "image" => set(&mut self.ptx, meta.value()?.parse()?, meta),
            "debug_info" => set(&mut self.debug_info, meta.value()?.parse()?, meta),
            "entry" => set(&mut self.entry, meta.value()?.parse()?, meta),
            "kernel" => {
                let value = meta.value()?;
                if value.peek(LitStr) {
                    return Err(value.error(texts::KERNEL_IN_QUOTES));
                }
                set(&mut self.kernel, value.call(Path::parse_mod_style)?, meta)
            }
            "entries" => set(&mut self.entries, patterns(meta.value()?)?, meta),
            "except" => set(&mut self.except, patterns(meta.value()?)?, meta),
            _ => {
                let is_own = |name: &&Ident| parameters(generics).any(|own| own == *name);
                let Some(parameter) = meta.path.get_ident().filter(is_own) else {
                    return Err(meta.error(texts::unknown(texts::UNKNOWN_ON_STRUCT, name)));
                };
                let argument = argument(meta.value()?)?;
                if !meta.input.peek(Token![=>]) {
                    return Err(meta.error(texts::NO_SUFFIX));
                }
                meta.input.parse::<Token![=>]>()?;
                let (parameter, suffix) = (parameter.clone(), meta.input.parse()?);
                self.bindings.push(Binding { parameter, argument, suffix, presence: presence(meta.input)? });
                Ok(())
            }
        }
    }

    pub(super) fn naming(self, diagnostics: &mut Diagnostics) -> Option<Naming> {
        let Self { ptx, debug_info, entry, kernel, entries, except, bindings } = self;
        let (span, text) = match (kernel, ptx, entry, debug_info, entries) {
            (Some(path), Some(_), ..) => (path.span(), texts::KERNEL_AND_PTX),
            (Some(_), None, Some(entry), ..) => (entry.span(), texts::KERNEL_AND_ENTRY),
            (Some(_), None, None, Some(option), _) => (option.span(), texts::KERNEL_AND_DEBUG_INFO),
            (None, None, _, Some(option), _) => (option.span(), texts::DEBUG_INFO_WITHOUT_PTX),
            (.., None) if !bindings.is_empty() => (bindings[0].parameter.span(), texts::BINDING_WITHOUT_ENTRIES),
            (.., None) if except.is_some() => (except.iter().flatten().next()?.span(), texts::EXCEPT_WITHOUT_ENTRIES),
            (Some(module), .., Some(entries)) => {
                return Some(Naming::Pattern { module, entries, except: except.unwrap_or_default(), bindings });
            }
            (None, .., Some(entries)) => (entries.first()?.span(), texts::ENTRIES_WITHOUT_MODULE),
            (Some(path), ..) => return Some(Naming::Item(path)),
            (None, Some(path), entry, debug_info, None) => return Some(Naming::Image { path, entry, debug_info }),
            (None, None, Some(entry), ..) => (entry.span(), texts::ENTRY_WITHOUT_PTX),
            (None, None, None, None, None) => return None,
        };
        diagnostics.error(span, text);
        None
    }
}

/// Returns the type or constant bound to a parameter. (syn's `GenericArgument` parses the `=` of `=>` as in
/// `Item = T`.)
fn argument(input: ParseStream<'_>) -> syn::Result<GenericArgument> {
    if input.peek(Lit) || input.peek(Token![-]) || input.peek(syn::token::Brace) {
        input.parse().map(GenericArgument::Const)
    } else {
        input.parse().map(GenericArgument::Type)
    }
}
