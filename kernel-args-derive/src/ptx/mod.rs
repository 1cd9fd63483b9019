//! The kernels that `#[kernel_args(ptx = "…", entry = "…")]` names, as tokens.

mod file;

use crate::{attr::ArgsAttr, diagnostics::Diagnostics};
use file::{File, Problem};
use kernel_args_abi::{
    Class, CppBase, CppType, Parameter, mangled,
    ptx::{Entry, Outline},
};
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote;
use std::{
    env,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use syn::LitStr;

/// The entries that a struct may be meant for.
pub(crate) struct Kernels {
    pub(crate) file: Arc<File>,
    /// Where errors about the choice among them belong.
    pub(crate) span: Span,
    /// `[Signature { … }, …]`, in the order of `symbols`.
    pub(crate) signatures: Vec<TokenStream>,
    pub(crate) symbols: Vec<String>,
    /// `[(at, b"…"), …]`: what was checked of the file, and where it stands there.
    pub(crate) declarations: Vec<TokenStream>,
}

impl Kernels {
    /// Reads the PTX; `None` where the struct names none, or where that was reported.
    pub(crate) fn read(attr: &ArgsAttr, diagnostics: &mut Diagnostics) -> Option<Self> {
        let named = attr.ptx.as_ref()?;
        let root = env::var_os("CARGO_MANIFEST_DIR");
        let file = resolve(root.as_deref(), &named.value())
            .map_err(Problem::from)
            .and_then(|path| file::read(&path));
        let file = match file {
            Ok(file) => file,
            Err(problem) => {
                diagnostics.error(named.span(), problem.say(&named.value()));
                return None;
            }
        };
        let (span, symbols) = match choose(&file.kernels, attr, named) {
            Ok(chosen) => chosen,
            Err((span, problem)) => {
                diagnostics.error(span, problem);
                return None;
            }
        };
        let entries = symbols
            .iter()
            .filter_map(|symbol| file.kernels.entry(symbol));
        let signatures = entries
            .map(|entry| signature(&entry, &attr.krate))
            .collect();
        let declarations = symbols
            .iter()
            .filter_map(|symbol| file.kernels.declaration(symbol))
            .map(|(at, declaration)| {
                let declaration = Literal::byte_string(declaration);
                quote!((#at, #declaration))
            })
            .collect();
        Some(Self {
            span,
            signatures,
            declarations,
            symbols: symbols.into_iter().map(ToOwned::to_owned).collect(),
            file,
        })
    }
}

/// A path from the root of the crate that is being compiled. It is absolute: rustc takes a relative one from the
/// source file's folder.
fn resolve(root: Option<&OsStr>, file: &str) -> io::Result<PathBuf> {
    std::path::absolute(Path::new(root.unwrap_or_default()).join(file))
}

/// The symbols that the attribute names, and where errors about them belong.
fn choose<'k>(
    kernels: &'k Outline,
    attr: &ArgsAttr,
    file: &LitStr,
) -> Result<(Span, Vec<&'k str>), (Span, String)> {
    let names = || kernels.symbols_in_order().into_iter();
    let Some(wanted) = &attr.entry else {
        return match names().as_slice() {
            [only] => Ok((file.span(), vec![only])),
            [] => Err((
                file.span(),
                "this PTX has no kernel: no `.entry` in it".into(),
            )),
            _ => Err((
                file.span(),
                format!(
                    "this PTX has several kernels: write `entry = \"…\"` beside it, one of{}",
                    list(names())
                ),
            )),
        };
    };
    let name = wanted.value();
    let found = mangled::candidates(&name, names());
    if found.is_empty() {
        let nearest = mangled::nearest(&name, names());
        let problem = match nearest.as_slice() {
            [] => format!(
                "there is no kernel `{name}` in this PTX; it has{}",
                list(names())
            ),
            nearest => format!(
                "there is no kernel `{name}` in this PTX; the nearest are{}",
                list(nearest.iter().copied())
            ),
        };
        return Err((wanted.span(), problem));
    }
    Ok((wanted.span(), found))
}

/// How many names a message lists.
const LISTED: usize = 12;

fn list<'s>(names: impl Iterator<Item = &'s str>) -> String {
    let mut names: Vec<&str> = names.collect();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let text: String = names
        .into_iter()
        .map(|symbol| match mangled::demangle(symbol) {
            Some(spelled) => format!("\n  {spelled}"),
            None => format!("\n  {symbol}"),
        })
        .collect();
    match more {
        0 if text.is_empty() => " none".into(),
        0 => text,
        more => text + &format!("\n  … and {more} more"),
    }
}

/// A kernel's signature as an expression.
fn signature(entry: &Entry<'_>, krate: &syn::Path) -> TokenStream {
    let demangled = entry.demangle();
    let name = demangled
        .as_ref()
        .map_or(entry.name, |demangled| demangled.text());
    let parameters = entry.signature_parameters(demangled.as_ref());
    let parameters = parameters
        .iter()
        .map(|parameter| self::parameter(parameter, krate));
    quote! {
        #krate::abi::Signature { name: #name, parameters: &[#(#parameters),*] }
    }
}

fn parameter(parameter: &Parameter<'_>, krate: &syn::Path) -> TokenStream {
    let Parameter {
        name,
        spelling,
        size,
        ..
    } = *parameter;
    let align = parameter.align.map_or(1, kernel_args_abi::Alignment::bytes);
    let class = match parameter.class {
        Class::Bits => quote!(Bits),
        Class::Integer => quote!(Integer),
        Class::Float => quote!(Float),
        Class::Pointer => quote!(Pointer),
        Class::Bytes => quote!(Bytes),
        _ => quote!(Unknown),
    };
    let cpp = cpp(parameter.cpp, krate);
    quote! {
        #krate::__private::kernel_parameter(
            #name, #spelling, #size, #align, #krate::abi::Class::#class, #cpp,
        )
    }
}

fn cpp(ty: CppType<'_>, krate: &syn::Path) -> TokenStream {
    let base = match ty.base {
        CppBase::Void => quote!(Void),
        CppBase::Bool => quote!(Bool),
        CppBase::Char => quote!(Char),
        CppBase::Integer { signed, bits } => quote!(Integer { signed: #signed, bits: #bits }),
        CppBase::Long { signed } => quote!(Long { signed: #signed }),
        CppBase::Float { bits } => quote!(Float { bits: #bits }),
        CppBase::Named(name) => quote!(Named(#name)),
        _ => quote!(Unknown),
    };
    let (depth, const_mask, [first, second, third]) = (ty.depth, ty.const_mask, ty.extents);
    quote! {
        #krate::abi::CppType {
            base: #krate::abi::CppBase::#base,
            depth: #depth,
            const_mask: #const_mask,
            extents: [#first, #second, #third],
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::resolve;
    use std::{ffi::OsStr, path::Path};

    /// rustc takes a relative path in `include_bytes!` from the source file's folder, the derive from the root.
    #[test]
    fn the_path_that_is_embedded_is_absolute() {
        let here = std::env::current_dir().unwrap();
        for (root, expected) in [
            (None, here.join("ptx/k.ptx")),
            (Some(""), here.join("ptx/k.ptx")),
            (Some("crates/one"), here.join("crates/one/ptx/k.ptx")),
            (Some("/work"), Path::new("/work/ptx/k.ptx").into()),
        ] {
            let root = root.map(OsStr::new);
            assert_eq!(resolve(root, "ptx/k.ptx").unwrap(), expected, "{root:?}");
            assert!(resolve(root, "/tmp/k.ptx").unwrap().is_absolute());
        }
    }
}
