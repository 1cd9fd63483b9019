//! The output of the derives.

mod comparison;
mod contracts;
mod copyable;
mod device_memory;
mod device_type;
mod enumeration;
mod field;
mod kernel_args;
mod launcher;
mod parts;
mod pattern;

// The golden files are of the features that `cargo test --workspace` selects.
#[allow(clippy::expect_used, reason = "tests")]
#[cfg(all(test, feature = "bodies", feature = "cudarc", feature = "debug-info", feature = "kernels"))]
mod tests;

pub(crate) use device_type::device_type;
pub(crate) use kernel_args::kernel_args;
#[cfg(all(feature = "kernels", feature = "debug-info"))]
pub(crate) use launcher::is_primitive;

use crate::diagnostics::{Diagnostics, private_at, respan};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;

/// Returns the complete output of a derive, inside one anonymous constant, so it adds no names.
fn wrap(body: &TokenStream, diagnostics: Diagnostics) -> TokenStream {
    let errors = diagnostics.into_compile_errors();
    quote! {
        #errors
        #[doc(hidden)]
        #[allow(
            dead_code, deprecated, long_running_const_eval, non_camel_case_types, unreachable_pub, unused_qualifications,
            clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction,
            reason = "generated code"
        )]
        const _: () = {
            #body
        };
    }
}

/// Returns the constant `__KERNELS`: the signatures of `kernels`, an expression of type `CompiledKernels`.
pub(crate) fn kernels(kernels: &TokenStream, span: Span, private: &TokenStream) -> TokenStream {
    quote_spanned! {span=>
        const __KERNELS: &[#private::abi::Signature<'static>] =
            &#kernels.signatures::<{ #kernels.len() }>(
                &#kernels.parameters::<{ #kernels.parameter_count() }>()
            );
    }
}

/// Returns a local variable or `self` of the output, used at `span`. If a macro contains the derive and another place
/// the field, a variable with the field's hygiene would not be the variable that the derive declares.
fn local(name: &str, span: Span) -> Ident {
    Ident::new(name, span.resolved_at(Span::call_site()))
}
