//! The kernels that `#[kernel_args(ptx = "…", entry = "…")]` names, as tokens.

use crate::{attr::ArgsAttr, diagnostics::Diagnostics};
use kernel_args_abi::{Class, CppBase, CppType, Parameter, mangled, ptx};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::{
    collections::HashMap,
    env, fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};
use syn::LitStr;

/// The entries that a struct may be meant for.
pub(crate) struct Kernels {
    /// The file, for `include_str!`: rustc compiles the crate again when it changes.
    pub(crate) path: String,
    /// Where errors about the choice among them belong.
    pub(crate) span: Span,
    /// `[Signature { … }, …]`, in the order of `symbols`.
    pub(crate) signatures: Vec<TokenStream>,
    pub(crate) symbols: Vec<String>,
}

impl Kernels {
    /// Reads the PTX; `None` where the struct names none, or where that was reported.
    pub(crate) fn read(attr: &ArgsAttr, diagnostics: &mut Diagnostics) -> Option<Self> {
        let file = attr.ptx.as_ref()?;
        let path = resolve(file);
        let text = match text(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                diagnostics.error(
                    file.span(),
                    format!("`{}` is no text, as PTX is; is it a cubin?", file.value()),
                );
                return None;
            }
            Err(error) => {
                diagnostics.error(
                    file.span(),
                    format!(
                        "cannot read `{}` in the crate's root (the folder of its Cargo.toml): {error}",
                        file.value()
                    ),
                );
                return None;
            }
        };
        let module = match ptx::Module::parse(&text) {
            Ok(module) => module,
            Err(error) => {
                diagnostics.error(
                    file.span(),
                    format!("`{}` is not PTX that can be read: {error}", file.value()),
                );
                return None;
            }
        };
        let (span, chosen) = match choose(&module, attr, file) {
            Ok(chosen) => chosen,
            Err((span, problem)) => {
                diagnostics.error(span, problem);
                return None;
            }
        };
        Some(Self {
            path: path.to_str()?.to_owned(),
            span,
            signatures: chosen
                .iter()
                .map(|entry| signature(entry, &attr.krate))
                .collect(),
            symbols: chosen.iter().map(|entry| entry.name.to_owned()).collect(),
        })
    }
}

/// A path from the root of the crate that is being compiled.
fn resolve(file: &LitStr) -> PathBuf {
    let root = env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    root.join(file.value())
}

type Entry<'m, 'a> = &'m ptx::Entry<'a>;

/// The entries that the attribute names, and where errors about them belong.
fn choose<'m, 'a>(
    module: &'m ptx::Module<'a>,
    attr: &ArgsAttr,
    file: &LitStr,
) -> Result<(Span, Vec<Entry<'m, 'a>>), (Span, String)> {
    let names = || module.entries.iter().map(|entry| entry.name);
    let Some(wanted) = &attr.entry else {
        return match module.entries.as_slice() {
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
    let chosen = found
        .iter()
        .filter_map(|symbol| module.entry(symbol))
        .collect();
    Ok((wanted.span(), chosen))
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

/// The text of a file, read once for all structs of a crate that name it.
fn text(path: &Path) -> io::Result<Arc<str>> {
    type Read = HashMap<PathBuf, (SystemTime, Arc<str>)>;
    static READ: Mutex<Option<Read>> = Mutex::new(None);

    let modified = fs::metadata(path)?.modified()?;
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let read = read.get_or_insert_default();
    if let Some((when, text)) = read.get(path)
        && *when == modified
    {
        return Ok(text.clone());
    }
    let text: Arc<str> = fs::read_to_string(path)?.into();
    read.insert(path.to_owned(), (modified, text.clone()));
    Ok(text)
}

/// A kernel's signature as an expression.
fn signature(entry: Entry<'_, '_>, krate: &syn::Path) -> TokenStream {
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
    let (depth, const_mask) = (ty.depth, ty.const_mask);
    quote! {
        #krate::abi::CppType { base: #krate::abi::CppBase::#base, depth: #depth, const_mask: #const_mask }
    }
}
