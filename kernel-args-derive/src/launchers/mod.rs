//! `#[launchers(library = "…")]`: declarations of host functions, compared with the library that contains them.
//!
//! The parameters of all functions of a block are one table, as for `kernels!`; without their streams a second time,
//! for structs of arguments.

mod block;
mod spelling;

use crate::{
    diagnostics::{Diagnostics, private_at},
    expand::{is_primitive, kernels},
    field_errors::ungrouped,
    image::{Library, library, owners},
    input,
};
use block::{Block, Declared, Options};
use kernel_args_image::{Encoder, Launcher, List};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::sync::Arc;
use syn::{Path, Type, spanned::Spanned};

pub(crate) fn launchers(options: TokenStream, item: &TokenStream) -> TokenStream {
    let parsed = syn::parse2(options).and_then(|options| Ok((options, syn::parse2(item.clone())?)));
    let (options, block): (Options, Block) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // The item remains, so the rest of the crate has only its own errors.
            let error = error.to_compile_error();
            return quote!(#item #error);
        }
    };
    let mut diagnostics = Diagnostics::default();
    let libraries: Vec<Arc<Library>> =
        options.libraries.iter().filter_map(|path| library(path, &mut diagnostics)).collect();
    let mut encoder = Encoder::new();
    let mut found = Vec::new();
    let is_complete = libraries.len() == options.libraries.len();
    for function in &block.functions {
        // After an error about a library, its functions would be missing.
        if !is_complete && !libraries.iter().any(|library| library.launchers.exports(&function.symbol)) {
            continue;
        }
        match find(&libraries, &function.symbol) {
            Ok(launcher) => {
                for list in [List::All, List::WithoutStream, List::Result] {
                    encoder.push(&launcher.as_kernel(list), None, false);
                }
                found.push((function, launcher));
            }
            Err(what) => diagnostics.error(function.name.span(), format!("launcher `{}`: {what}", function.symbol)),
        }
    }
    let krate = &options.krate;
    let (table, names) = encoder.finish();
    let table = Literal::byte_string(&table);
    let checks = found.iter().zip(0..).map(|((function, launcher), at)| check(function, launcher, 3 * at, &options));
    let by_size = found.iter().filter_map(|(function, launcher)| by_size(function, launcher, krate));
    let with_type = found.iter().filter(|(function, _)| !is_primitive(&function.name));
    let types = with_type.map(|(Declared { conditions, visibility, name, .. }, _)| {
        quote! {
            #(#conditions)*
            #[doc(hidden)]
            #[allow(non_camel_case_types, dead_code, missing_debug_implementations, reason = "it has the name of the function")]
            #visibility enum #name {}
        }
    });
    let tracked = options.libraries.iter().zip(&libraries).map(|(path, library)| {
        let (variables, file, core) = (path.tracked(&quote!(#krate)), &library.path, quote!(#krate::__private::core));
        // A function that is never called is not compiled, so the program does not contain the file.
        quote!(#variables const _: () = { fn __library() { let _: &[#core::primitive::u8] = #core::include_bytes!(#file); } };)
    });
    let (tokens, errors) = (&block.tokens, diagnostics.into_compile_errors());
    quote! {
        #tokens
        #(#types)*
        #(#by_size)*
        #errors
        #[doc(hidden)]
        #[allow(
            dead_code, deprecated, long_running_const_eval, unused_imports, unused_qualifications,
            clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction,
            reason = "generated code"
        )]
        const _: () = {
            use #krate::__private::AnyType as _;
            static __IMAGE: #krate::__private::CompiledImage = #krate::__private::CompiledImage::table(#table, #names);
            #(#tracked)*
            #(#checks)*
        };
    }
}

fn find<'l>(libraries: &'l [Arc<Library>], symbol: &str) -> Result<Launcher<'l>, String> {
    if let [first, second, ..] = owners(symbol).as_slice() {
        return Err(format!(
            "`{first}` and `{second}` both export it, and the linker uses one of them for the whole program\nhelp: rename it in one of them"
        ));
    }
    let owner = libraries.iter().find(|library| library.launchers.exports(symbol));
    let unread = || libraries.iter().find(|library| library.launchers.unread().next().is_some());
    let Some(library) = owner.or_else(unread).or_else(|| libraries.first()) else {
        return Err(String::new());
    };
    let skip = if owner.is_some() { "; `#[kernel_args(skip)]` leaves it out" } else { "" };
    library.launchers.get(symbol).map_err(|what| format!("`{}`: {what}{skip}", library.written))
}

/// Returns the code at which rustc warns of a struct or enum of which only the size is compared.
fn by_size(
    Declared { conditions, arguments, .. }: &Declared,
    launcher: &Launcher<'_>,
    krate: &Path,
) -> Option<TokenStream> {
    let parameters = launcher.parameters();
    let described = arguments.iter().zip(parameters.iter()).filter(|(_, parameter)| {
        !parameter.cpp.is_pointer() && (parameter.members.is_known() || parameter.members.is_enum())
    });
    let each: Vec<_> = described
        .map(|((_, ty), _)| {
            let private = private_at(krate, ty.span());
            quote_spanned!(ty.span()=> const _: () = <#private::Probe<#ty>>::COMPARED;)
        })
        .collect();
    (arguments.len() == parameters.len() && !each.is_empty()).then(|| {
        quote! {
            #(#conditions)*
            const _: () = {
                #[allow(unused_imports, reason = "generated code")]
                use #krate::__private::AnyType as _;
                #(#each)*
            };
        }
    })
}

/// Compares a declaration, and implements `Launcher` for the type with its name. `at` is the index of its lists in the
/// table.
fn check(function: &Declared, launcher: &Launcher<'_>, at: u32, options: &Options) -> TokenStream {
    let Declared { conditions, name, symbol, arguments, result, .. } = function;
    let (span, krate) = (name.span(), &options.krate);
    let private = quote!(#krate::__private);
    let signatures = |at: u32| {
        let ty = quote!(#private::abi::compiled::CompiledKernels);
        let list = kernels(&quote!(__LIST), span, &private);
        quote!(const __LIST: #ty = #ty::new(&__IMAGE, #at, 1); #list)
    };
    let (parameters, returned) = (signatures(at), signatures(at + 2));
    let host = |name: &str, ty: &Type| {
        let (spelling, info) = (input::spelling(&ty.to_token_stream()), value(ty, options));
        quote!(#private::declared(#name, #spelling, #info))
    };
    let hosts = arguments.iter().map(|(name, ty)| host(name, ty));
    let declare = launcher.parameters().iter().map(|parameter| spelling::raw(&parameter));
    let each = arguments.iter().enumerate().map(|(index, (_, ty))| {
        let at = private_at(krate, ty.span());
        quote_spanned!(ty.span()=> const _: () = #at::declared_right(__REPORT.argument_message(#index, __DECLARE));)
    });
    let whole = private_at(krate, span);
    let whole = quote_spanned!(span=> const _: () = #whole::declared_right(__REPORT.no_argument_message(__DECLARE)););
    let result_span = result.as_ref().map_or(span, Spanned::span);
    let at_result = private_at(krate, result_span);
    let result = result.iter().map(|ty| host("", ty));
    let declare_result = launcher.result().map(|result| spelling::raw(&result)).unwrap_or_default();
    let result = quote_spanned! {result_span=>
        const _: () = #at_result::declared_right(
            #at_result::abi::texts::result_message(&[#(#result),*], &__KERNELS[0], #declare_result)
        );
    };
    let without_stream = at + 1;
    let implementation = (!is_primitive(name)).then(|| {
        quote! {
            impl #krate::launcher::Launcher for #name {
                const KERNEL: #private::CompiledKernel = #private::CompiledKernel::new(&__IMAGE, #without_stream, #symbol);
            }
        }
    });
    quote! {
        #(#conditions)*
        const _: () = {
            const __DECLARE: &[&#private::core::primitive::str] = &[#(#declare),*];
            const __ARGUMENTS: &[#private::abi::Parameter<'static>] = &[#(#hosts),*];
            const __REPORT: &#private::abi::check::Report<'static> = {
                #parameters
                &#private::compare_launcher(#symbol, __ARGUMENTS, __KERNELS)
            };
            #(#each)*
            #whole
            const _: () = { #returned #result };
            #implementation
        };
    }
}

/// Returns the `TypeInfo` of an argument.
fn value(ty: &Type, options: &Options) -> TokenStream {
    let private = private_at(&options.krate, ty.span());
    let written = options.allows_const.then(|| quote!(.written()));
    match ty {
        Type::Ptr(_) | Type::Reference(_) => {
            let behind = behind(ty, &private);
            quote_spanned!(ty.span()=> #behind.value::<#ty>() #written)
        }
        ty => quote_spanned!(ty.span()=> <#private::Probe<#ty>>::VALUE #written),
    }
}

/// Returns the `Behind` of a type, through the pointers that the macro sees.
fn behind(ty: &Type, private: &TokenStream) -> TokenStream {
    let (of, to_const) = match ungrouped(ty) {
        Type::Ptr(pointer) => (&pointer.elem, matches!(pointer.mutability, syn::PointerMutability::Const(_))),
        Type::Reference(reference) => (&reference.elem, reference.mutability.is_none()),
        ty => return quote_spanned!(ty.span()=> <#private::Probe<#ty>>::BEHIND),
    };
    let inner = behind(of, private);
    quote_spanned!(ty.span()=> #inner.pointer(#to_const))
}
