//! `#[derive(KernelArgs)]`.

use super::{
    comparison::{Comparison, checks},
    contracts::contracts,
    field::ParameterField,
    launcher,
    parts::{self, Parameters},
    wrap,
};
use crate::{
    attr::{ArgsAttr, FieldAttr, Naming},
    diagnostics::Diagnostics,
    generics,
    input::Field,
    repeated::{refuse_macros, refuse_macros_in_generics},
    texts,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Data, DeriveInput, Path, ext::IdentExt, spanned::Spanned};

pub(crate) fn kernel_args(input: &DeriveInput) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let attr = ArgsAttr::parse(&input.attrs, &input.generics, &mut diagnostics);
    let fields = fields(input, &mut diagnostics);
    let attrs: Vec<FieldAttr> = fields.iter().map(|field| FieldAttr::parse(field.attrs, &mut diagnostics)).collect();
    let contracts = contracts(input, &attr, &fields, &attrs, &mut diagnostics);
    let mut fields: Vec<_> =
        fields.into_iter().zip(&attrs).filter_map(|(field, own)| ParameterField::new(field, own, &attr)).collect();
    refuse_macros_in_generics(&input.generics, &mut diagnostics);
    for parameter in &fields {
        refuse_macros(parameter.field.ty, &mut diagnostics);
    }
    fields.retain(|field| field.may_be_parts(&input.generics, &mut diagnostics));
    let has_parts = fields.iter().any(|field| !field.is_one());
    for (index, field) in fields.iter_mut().enumerate() {
        (field.index, field.has_parts) = (index, has_parts);
    }
    let launcher =
        attr.launcher.as_ref().map(|launcher| launcher::launcher(launcher, &fields, &attr.krate, &mut diagnostics));
    // After an error in an attribute, the comparison would report follow-up errors.
    let comparison =
        diagnostics.is_empty().then(|| Comparison::new(&attr, &input.generics, &mut diagnostics)).flatten();
    // After an error in an attribute, the struct counts as one that names a kernel: `load` reports no follow-up error.
    let names_kernel = !diagnostics.is_empty() || matches!(attr.kernel, Some(Naming::Image { .. } | Naming::Item(_)));
    let own = attr.launcher.as_ref().filter(|_| diagnostics.is_empty() && !is_generic(input));
    let erased = generics::erased_type(&input.ident, &input.generics);
    let names = own.map(|launcher| launcher::names(launcher, &fields, &erased, &attr.krate));
    let body = expand(input, &attr, &fields, (&contracts, launcher.as_ref()), comparison.as_ref(), names_kernel);
    let body = quote!(#body #names);
    wrap(&body, diagnostics)
}

fn fields<'a>(input: &'a DeriveInput, diagnostics: &mut Diagnostics) -> Vec<Field<'a>> {
    let (span, problem) = match &input.data {
        Data::Struct(data) => return Field::all(&data.fields),
        Data::Enum(data) => (data.enum_token.span(), texts::ARGUMENTS_IN_ENUM),
        Data::Union(data) => (data.union_token.span(), texts::ARGUMENTS_IN_UNION),
    };
    diagnostics.error(span, problem);
    Vec::new()
}

fn expand(
    input: &DeriveInput,
    attr: &ArgsAttr,
    fields: &[ParameterField<'_>],
    (contracts, launcher): (&TokenStream, Option<&TokenStream>),
    comparison: Option<&Comparison<'_>>,
    names_kernel: bool,
) -> TokenStream {
    let ident = &input.ident;
    let krate = &attr.krate;
    let used = fields.iter().map(|parameter| parameter.field.ty);
    let bounded = generics::bounded_arguments(&input.generics, &quote!(#(#used),*), krate, attr.bound.as_deref());
    let (impl_generics, _, where_clause) = bounded.split_for_impl();
    let (_, ty_generics, _) = input.generics.split_for_impl();

    let erased = generics::erased_type(ident, &input.generics);
    let (param_buffer, slots) = param_buffer(input, &bounded, &erased, krate, fields);

    let Parameters { each, constants, contexts, lower, in_place } =
        parts::parameters(fields, input, (&erased, is_generic(input)), krate);

    let private = quote!(#krate::__private);
    let name = ident.unraw().to_string();
    let tables = comparison.and_then(|comparison| comparison.tables((!is_generic(input)).then_some(&erased), krate));
    let source = comparison.map(|comparison| comparison.source(is_generic(input), krate));
    // The traits without methods that restrict how the struct can be used.
    let is_owned = input.generics.lifetimes().next().is_none();
    let markers = is_owned.then(|| quote!(OwnedArgs)).into_iter().chain(names_kernel.then(|| quote!(NamesKernel)));
    let force = (!is_generic(input)).then(|| quote!(const _: () = #private::evaluate::<#erased>();));
    let launcher = launcher.map(|items| {
        quote! {
            #[automatically_derived]
            impl #impl_generics #krate::args::LauncherArgs for #ident #ty_generics #where_clause {
                #items
            }
        }
    });
    // A generic struct that names its kernel is compared where its types are known.
    let checks = comparison.and_then(|comparison| match comparison {
        Comparison::Pattern(pattern) => Some(pattern.checks(input, krate, fields)),
        Comparison::Kernels { .. } => (!is_generic(input)).then(|| checks(fields, input, &erased, krate)),
    });
    quote! {
        #tables
        #slots

        // SAFETY: `evaluate` asserts the size of the buffer; `place` and `param_layout` compute offsets and layout
        // from the same list; `lower` puts each parameter in order and calls `__launch` once; `is_packed` compares the
        // offset of each field with the offset of its parameter, and `lower` compiles only if the fields have the
        // declared types.
        #[automatically_derived]
        unsafe impl #impl_generics #krate::KernelArgs for #ident #ty_generics #where_clause {
            type Erased = #erased;
            type ParamBuffer = #param_buffer;
            type Each<__T> = #each;

            const NAME: &'static #private::core::primitive::str = #name;
            #constants
            const LAYOUT: #private::abi::ParamLayout = #private::param_layout(<Self as #krate::KernelArgs>::NAME, <Self as #krate::KernelArgs>::PARAMETERS);

            #source

            #contracts

            #[inline]
            fn check_contexts(&self, __stream: &#krate::args::LaunchStream<'_>, __first: #private::core::primitive::usize) {
                #contexts
            }

            #[inline(always)]
            unsafe fn lower<__Writer: #private::ParamWriter, __Returned>(
                &mut self,
                __stream: &#krate::args::LaunchStream<'_>,
                __buffer: *mut #private::core::primitive::u8,
                __pointers: *mut *mut #private::core::ffi::c_void,
                __launch: impl #private::core::ops::FnOnce() -> __Returned,
            ) -> __Returned {
                const { #private::evaluate::<Self>() };
                #lower
            }

            #in_place
        }

        #(
            #[automatically_derived]
            impl #impl_generics #krate::args::#markers for #ident #ty_generics #where_clause {}
        )*
        #launcher
        #force
        #checks
    }
}

/// Returns the type of the buffer, and its definition: an array of bytes if rustc can compute its length. In a generic
/// struct it cannot. The buffer is then a struct with one slot per parameter, which is at least as large.
fn param_buffer(
    input: &DeriveInput,
    bounded: &syn::Generics,
    erased: &TokenStream,
    krate: &Path,
    fields: &[ParameterField<'_>],
) -> (TokenStream, Option<TokenStream>) {
    if !is_generic(input) {
        let ty = quote!(#krate::__private::ParamBuffer<{ #krate::__private::param_buffer_len::<#erased>() }>);
        return (ty, None);
    }
    let generics = generics::without_lifetimes(bounded);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let type_params = input.generics.type_params().map(|parameter| &parameter.ident);
    let each = fields.iter().map(|field| {
        let (slot, ty) = (format_ident!("f{}", field.index), field.slot(&input.generics));
        quote_spanned!(field.span()=> #slot: #ty)
    });
    let slots = quote! {
        #[repr(C)]
        pub struct __ParamBuffer #impl_generics #where_clause {
            #(#each,)*
            parameters: #krate::__private::core::marker::PhantomData<fn() -> (#(#type_params,)*)>,
        }
    };
    (quote!(__ParamBuffer #ty_generics), Some(slots))
}

fn is_generic(input: &DeriveInput) -> bool {
    input.generics.type_params().next().is_some() || input.generics.const_params().next().is_some()
}
