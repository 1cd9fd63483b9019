//! The block of declarations, and the attribute: `#[launchers(library = "liblaunchers.a")] unsafe extern "C" { … }`.

use crate::{path::ImagePath, texts};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, Ident, LitStr, Path, Token, Type, Visibility, braced, bracketed,
    ext::IdentExt,
    parenthesized,
    parse::{Parse, ParseStream},
    token,
};

pub(crate) struct Options {
    pub(crate) krate: Path,
    pub(crate) libraries: Vec<ImagePath>,
    /// Whether a `*const T` may be declared for a `T*`.
    pub(crate) allows_const: bool,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut options = Self { krate: syn::parse_quote!(::kernel_args), libraries: Vec::new(), allows_const: false };
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?;
            let wrong = || syn::Error::new(name.span(), texts::LAUNCHERS_OPTION);
            match name.to_string().as_str() {
                "library" => {
                    input.parse::<Token![=]>()?;
                    if input.peek(token::Bracket) {
                        let list;
                        bracketed!(list in input);
                        options.libraries.extend(list.parse_terminated(ImagePath::parse, Token![,])?);
                    } else {
                        options.libraries.push(input.parse()?);
                    }
                }
                "crate" => {
                    input.parse::<Token![=]>()?;
                    options.krate = input.call(Path::parse_mod_style)?;
                }
                "allow" => {
                    let list;
                    parenthesized!(list in input);
                    list.parse::<Token![const]>().map_err(|_| wrong())?;
                    options.allows_const = list.is_empty();
                }
                _ => return Err(wrong()),
            }
            input.parse::<Option<Token![,]>>()?;
        }
        if options.libraries.is_empty() {
            return Err(syn::Error::new(Span::call_site(), texts::LAUNCHERS_OPTION));
        }
        Ok(options)
    }
}

pub(crate) struct Block {
    /// As written, without the attributes of this macro.
    pub(crate) tokens: TokenStream,
    pub(crate) functions: Vec<Declared>,
}

pub(crate) struct Declared {
    /// `#[cfg(…)]`.
    pub(crate) conditions: Vec<TokenStream>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    /// The name, or the name that `link_name` specifies.
    pub(crate) symbol: String,
    pub(crate) arguments: Vec<(String, Type)>,
    pub(crate) result: Option<Type>,
}

impl Parse for Block {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let span = input.span();
        let head = || -> syn::Result<_> {
            let attributes = input.call(Attribute::parse_outer)?;
            let (is_unsafe, is_extern): (Option<Token![unsafe]>, Token![extern]) = (input.parse()?, input.parse()?);
            let abi: Option<LitStr> = input.parse()?;
            let is_c = abi.as_ref().is_none_or(|abi| matches!(abi.value().as_str(), "C" | "C-unwind" | "system"));
            let head = quote!(#(#attributes)* #is_unsafe #is_extern #abi);
            if is_c && input.peek(token::Brace) { Ok(head) } else { Err(input.error("")) }
        };
        let head = head().map_err(|_| syn::Error::new(span, texts::NOT_A_BLOCK))?;
        let content;
        braced!(content in input);
        let inner = content.call(Attribute::parse_inner)?;
        let (mut functions, mut items) = (Vec::new(), TokenStream::new());
        while !content.is_empty() {
            items.extend(item(&content, &mut functions)?);
        }
        let tokens = quote!(#head { #(#inner)* #items });
        Ok(Self { tokens, functions })
    }
}

/// Returns an item as written. Functions are appended to `functions`, except with `#[kernel_args(skip)]`.
fn item(input: ParseStream<'_>, functions: &mut Vec<Declared>) -> syn::Result<TokenStream> {
    let mut attributes = input.call(Attribute::parse_outer)?;
    let is_own = |attribute: &Attribute| attribute.path().is_ident("kernel_args");
    let mut is_skipped = false;
    for attribute in attributes.iter().filter(|attribute| is_own(attribute)) {
        let word: Ident = attribute.parse_args()?;
        if word != "skip" {
            return Err(syn::Error::new(word.span(), texts::ON_DECLARED));
        }
        is_skipped = true;
    }
    let ahead = input.fork();
    let visibility: Visibility = ahead.parse()?;
    // `safe`, `unsafe`.
    while !ahead.peek(Token![fn]) && (ahead.peek(Token![unsafe]) || ahead.peek(Ident)) {
        ahead.call(Ident::parse_any)?;
    }
    if ahead.peek(Token![fn]) && !is_skipped {
        functions.push(function(&ahead, &attributes, visibility)?);
    }
    attributes.retain(|attribute| !is_own(attribute));
    let mut tokens = quote!(#(#attributes)*);
    while !input.is_empty() {
        let token: TokenTree = input.parse()?;
        let is_last = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';');
        token.to_tokens(&mut tokens);
        if is_last {
            break;
        }
    }
    Ok(tokens)
}

fn function(input: ParseStream<'_>, attributes: &[Attribute], visibility: Visibility) -> syn::Result<Declared> {
    input.parse::<Token![fn]>()?;
    let name: Ident = input.parse()?;
    let generics: syn::Generics = input.parse()?;
    let list;
    parenthesized!(list in input);
    let mut arguments = Vec::new();
    while !list.is_empty() {
        list.call(Attribute::parse_outer)?;
        if list.peek(Token![...]) {
            return Err(syn::Error::new(list.span(), texts::VARIADIC));
        }
        let argument = list.call(Ident::parse_any)?;
        list.parse::<Token![:]>()?;
        let ty: Type = list.parse()?;
        let ty: Type = syn::parse2(crate::erase::lifetimes(ty.into_token_stream(), &generics))?;
        let unnamed = if argument == "_" { arguments.len().to_string() } else { argument.unraw().to_string() };
        arguments.push((unnamed, ty));
        list.parse::<Option<Token![,]>>()?;
    }
    let result = match input.parse()? {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) if matches!(&*ty, Type::Tuple(unit) if unit.elems.is_empty()) => None,
        syn::ReturnType::Type(_, ty) => Some(*ty),
    };
    let link_name = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("link_name"))
        .filter_map(|attribute| attribute.meta.require_name_value().ok());
    let link_name = link_name.filter_map(|pair| syn::parse2::<LitStr>(pair.value.to_token_stream()).ok()).next_back();
    let conditions = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    Ok(Declared {
        conditions: conditions.map(ToTokens::to_token_stream).collect(),
        visibility,
        symbol: link_name.map_or_else(|| name.unraw().to_string(), |name| name.value()),
        name,
        arguments,
        result,
    })
}
