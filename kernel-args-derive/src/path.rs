//! The path of an image: a string literal, or `concat!` and `env!`.

use crate::texts;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};
use syn::{
    Ident, Lit, LitStr, Token,
    ext::IdentExt,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

pub(crate) struct ImagePath {
    pieces: Vec<Piece>,
    pub(crate) span: Span,
}

enum Piece {
    Text(String),
    /// `env!("NAME")`, optionally with an error message.
    Env(LitStr, Option<LitStr>),
}

/// A path after its variables are replaced by their values.
pub(crate) struct Resolved {
    /// Relative to the crate's root, as written.
    pub(crate) written: String,
    /// Absolute: rustc resolves a relative path from the source file's folder.
    pub(crate) path: PathBuf,
}

impl Parse for ImagePath {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let span = input.span();
        Ok(Self { pieces: pieces(input)?, span })
    }
}

fn pieces(input: ParseStream<'_>) -> syn::Result<Vec<Piece>> {
    let span = input.span();
    let no_path = || Err(syn::Error::new(span, texts::NOT_A_PATH));
    if input.peek(Lit) {
        let text = match input.parse()? {
            Lit::Str(text) => text.value(),
            Lit::Char(character) => character.value().into(),
            Lit::Bool(value) => value.value.to_string(),
            Lit::Int(number) => number.base10_digits().into(),
            _ => return no_path(),
        };
        return Ok(vec![Piece::Text(text)]);
    }
    // `core::concat!` is equivalent to `concat!`.
    let mut name = String::new();
    while input.peek(Token![::]) || input.peek(Ident::peek_any) {
        input.parse::<Option<Token![::]>>()?;
        name = input.call(Ident::parse_any)?.to_string();
    }
    if input.parse::<Option<Token![!]>>()?.is_none() {
        return no_path();
    }
    match name.as_str() {
        "concat" => Ok(arguments_of(input, pieces)?.into_iter().flatten().collect()),
        "env" => {
            let mut arguments = arguments_of(input, <LitStr as Parse>::parse)?.into_iter();
            match (arguments.next(), arguments.next(), arguments.next()) {
                (Some(name), message, None) => Ok(vec![Piece::Env(name, message)]),
                _ => no_path(),
            }
        }
        _ => no_path(),
    }
}

/// Returns the arguments of a macro, in brackets of any kind.
fn arguments_of<T>(
    input: ParseStream<'_>,
    parse: fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<Punctuated<T, Token![,]>> {
    let content;
    if input.peek(syn::token::Paren) {
        syn::parenthesized!(content in input);
    } else if input.peek(syn::token::Bracket) {
        syn::bracketed!(content in input);
    } else {
        syn::braced!(content in input);
    }
    Punctuated::parse_terminated_with(&content, parse)
}

impl ImagePath {
    fn evaluate(&self, variable: impl Fn(&str) -> Option<String>) -> syn::Result<String> {
        let value = |piece: &Piece| match piece {
            Piece::Text(text) => Ok(text.clone()),
            Piece::Env(name, message) => variable(&name.value()).ok_or_else(|| {
                let text = message.as_ref().map_or_else(|| texts::unset_variable(&name.value()), LitStr::value);
                syn::Error::new(name.span(), text)
            }),
        };
        self.pieces.iter().map(value).collect()
    }

    #[cfg(feature = "kernels")]
    pub(crate) fn resolve(&self) -> syn::Result<Resolved> {
        let root = std::env::var_os("CARGO_MANIFEST_DIR");
        let written = self.evaluate(|name| std::env::var(name).ok())?;
        let path = absolute(root.as_deref(), &written)
            .map_err(|error| syn::Error::new(self.span, texts::unreadable(&written, Path::new(""), &error)))?;
        Ok(Resolved { written, path })
    }

    /// Reads each variable with `env!`, so rustc compiles the crate again when a variable changes.
    pub(crate) fn tracked(&self, krate: &TokenStream) -> TokenStream {
        let names = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Env(name, _) => Some(name),
        });
        quote!(#(const _: &#krate::__private::core::primitive::str = #krate::__private::core::env!(#names);)*)
    }
}

pub(crate) enum DebugInfoOption {
    /// `"kernels.debug.ptx"`: the file that contains it.
    File(ImagePath),
    /// `if_readable`: debug information of the image that cannot be read is ignored.
    IfReadable(Span),
}

impl Parse for DebugInfoOption {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        if ahead.parse::<Ident>().is_ok_and(|word| word == "if_readable") {
            return Ok(Self::IfReadable(input.parse::<Ident>()?.span()));
        }
        input.parse().map(Self::File)
    }
}

impl DebugInfoOption {
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::File(path) => path.span,
            Self::IfReadable(span) => *span,
        }
    }
}

/// Returns a path from the root of the crate that is being compiled.
fn absolute(root: Option<&OsStr>, file: &str) -> io::Result<PathBuf> {
    std::path::absolute(Path::new(root.unwrap_or_default()).join(file))
}

#[allow(clippy::unwrap_used)]
#[cfg(test)]
mod tests {
    use super::{ImagePath, absolute};
    use std::{ffi::OsStr, path::Path};

    fn evaluate(text: &str) -> Result<String, String> {
        let variable = |name: &str| (name == "OUT_DIR").then(|| "/out".to_owned());
        syn::parse_str::<ImagePath>(text).and_then(|path| path.evaluate(variable)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_path_is_what_rustc_would_make_of_it() {
        for (written, path) in [
            (r#""ptx/k.ptx""#, "ptx/k.ptx"),
            (r##"r#"ptx/k.ptx"#"##, "ptx/k.ptx"),
            (r#"concat!(env!("OUT_DIR"), "/k.ptx")"#, "/out/k.ptx"),
            (r#"::core::concat! { "a", concat!["b", 1, 'c'], true, }"#, "ab1ctrue"),
            (r#"std::env!("OUT_DIR", "no build script")"#, "/out"),
            ("concat!()", ""),
        ] {
            assert_eq!(evaluate(written).as_deref(), Ok(path), "{written}");
        }
    }

    #[test]
    fn what_is_no_path_says_what_to_write() {
        for written in [
            "path",
            "b\"k.ptx\"",
            "1.5",
            r#"format!("k.ptx")"#,
            r#"option_env!("OUT_DIR")"#,
            r#"env!("OUT_DIR", "a", "b")"#,
            "env!()",
        ] {
            let problem = evaluate(written).unwrap_err();
            assert!(problem.contains("help: write"), "{written}: {problem}");
        }
        let unset = evaluate(r#"env!("OTHER")"#).unwrap_err();
        assert!(unset.contains("`OTHER` is not set"), "{unset}");
        let own = evaluate(r#"env!("OTHER", "run make")"#).unwrap_err();
        assert_eq!(own, "run make");
    }

    #[test]
    fn the_variables_are_read_by_rustc_as_well() {
        let path: ImagePath = syn::parse_str(r#"concat!(env!("A"), "/", concat!(env!("B")))"#).unwrap();
        let tracked = path.tracked(&quote::quote!(k)).to_string();
        assert_eq!(tracked.matches("env !").count(), 2, "{tracked}");
    }

    /// rustc resolves a relative path in `include_bytes!` from the source file's folder, the macros from the crate's
    /// root.
    #[test]
    fn the_path_that_is_embedded_is_absolute() {
        let here = std::env::current_dir().unwrap();
        for (root, expected) in [
            (None, here.join("ptx/k.ptx")),
            (Some(""), here.join("ptx/k.ptx")),
            (Some("crates/one"), here.join("crates/one/ptx/k.ptx")),
            (Some("/src"), Path::new("/src/ptx/k.ptx").into()),
        ] {
            let root = root.map(OsStr::new);
            assert_eq!(absolute(root, "ptx/k.ptx").unwrap(), expected, "{root:?}");
            assert!(absolute(root, "/src/k.ptx").unwrap().is_absolute());
        }
    }
}
