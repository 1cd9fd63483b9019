//! `#[derive(KernelArgs)]`.

use super::{comparison::Comparison, local, pattern::CheckedField, respan, wrap};
use crate::{
    attr::{ArgsAttr, FieldAttr, FieldKind, Naming},
    diagnostics::Diagnostics,
    erase, field_errors, generics,
    input::Field,
    repeated::{refuse_macros, refuse_macros_in_generics},
    spelling, texts,
};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Ident, Path, ext::IdentExt, spanned::Spanned};

pub(crate) fn kernel_args(input: &DeriveInput) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let attr = ArgsAttr::parse(&input.attrs, &input.generics, &mut diagnostics);
    let fields = parameters(input, attr.strict_names, &mut diagnostics);
    refuse_macros_in_generics(&input.generics, &mut diagnostics);
    for parameter in &fields {
        refuse_macros(parameter.field.ty, &mut diagnostics);
    }
    // After an error in an attribute, the comparison would report follow-up errors.
    let comparison = diagnostics
        .is_empty()
        .then(|| Comparison::new(&attr, &input.generics, &mut diagnostics))
        .flatten();
    // After an error in an attribute, the struct counts as one that names a kernel: `load` reports no follow-up error.
    let names_kernel = !diagnostics.is_empty()
        || matches!(attr.kernel, Some(Naming::Image { .. } | Naming::Item(_)));
    let body = expand(input, &attr, &fields, comparison.as_ref(), names_kernel);
    wrap(&body, diagnostics)
}

/// A field that is a parameter of the kernel.
struct ParameterField<'a> {
    field: Field<'a>,
    kind: FieldKind,
    /// The explicit name of the kernel's parameter.
    kernel_name: Option<syn::LitStr>,
}

fn parameters<'a>(
    input: &'a DeriveInput,
    strict_names: bool,
    diagnostics: &mut Diagnostics,
) -> Vec<ParameterField<'a>> {
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            diagnostics.error(data.enum_token.span(), texts::ARGUMENTS_IN_ENUM);
            return Vec::new();
        }
        Data::Union(data) => {
            diagnostics.error(data.union_token.span(), texts::ARGUMENTS_IN_UNION);
            return Vec::new();
        }
    };
    Field::all(fields)
        .into_iter()
        .filter_map(|field| {
            let attr = FieldAttr::parse(field.attrs, diagnostics);
            let own = || match &field.member {
                syn::Member::Named(ident) if strict_names => {
                    Some(syn::LitStr::new(&field.name, ident.span()))
                }
                _ => None,
            };
            let kernel_name = attr.name.or_else(own);
            (attr.kind != FieldKind::Skipped).then_some(ParameterField {
                field,
                kind: attr.kind,
                kernel_name,
            })
        })
        .collect()
}

fn expand(
    input: &DeriveInput,
    attr: &ArgsAttr,
    fields: &[ParameterField<'_>],
    comparison: Option<&Comparison<'_>>,
    names_kernel: bool,
) -> TokenStream {
    let ident = &input.ident;
    let krate = &attr.krate;
    let used: TokenStream = fields
        .iter()
        .map(|parameter| &parameter.field.ty)
        .map(|ty| quote!(#ty,))
        .collect();
    let bounded = generics::bounded_arguments(&input.generics, &used, krate, attr.bound.as_deref());
    let (impl_generics, _, where_clause) = bounded.split_for_impl();
    let (_, ty_generics, _) = input.generics.split_for_impl();

    let erased = generics::erased_type(ident, &input.generics);
    let ParamBuffer {
        ty: param_buffer,
        slots,
    } = param_buffer(input, &bounded, &erased, krate, fields);

    let descriptions = fields.iter().map(|parameter| {
        let (ty, span) = (parameter.field.ty, parameter.field.span());
        let krate = respan(krate, span);
        let errors = field_errors::argument(ty, &krate, span);
        let name = &parameter.field.name;
        let info = quote_spanned!(span=> <#ty as #errors::Arg>::TYPE_INFO);
        let spelling = spelling::expression(&parameter.field, &input.generics, &krate, &info);
        let said = parameter.kernel_name.as_ref();
        let said = said.map(|name| quote_spanned!(span=> .with_kernel_name(#name)));
        let view = view(parameter.kind, span);
        quote_spanned! {span=>
            #krate::__private::parameter(#name, #spelling, #info).#view()#said
        }
    });
    let contexts = contexts(fields, krate);
    // Local names begin with `__`: a `let` with the name of a user's constant would match against the constant.
    let puts = fields.iter().enumerate().map(|(i, parameter)| {
        let (ty, span) = (parameter.field.ty, parameter.field.span());
        let member = &parameter.field.member;
        let krate = respan(krate, span);
        let errors = field_errors::argument(ty, &krate, span);
        let guard = quote::format_ident!("__guard{i}", span = proc_macro2::Span::mixed_site());
        let [this, stream, buffer, pointers] =
            ["self", "__stream", "__buffer", "__pointers"].map(|name| local(name, span));
        let same = quote_spanned! {span=>
            let Self { #member: __field, .. } = #this;
            let __same = (&*__field,);
            #krate::__private::same_type::<#ty>(&__same);
        };
        let put = quote_spanned! {span=>
            <#ty as #errors::Arg>::put::<__Writer>(
                __field, #stream, #buffer, const { #krate::__private::offset::<Self>(#i) }, #pointers, #i,
            )
        };
        // SAFETY of the generated call: the pattern and `same_type` prove that the field belongs to the struct and has
        // the type from which `PARAMETERS` were computed. So offset and index are in the bounds that the caller of
        // `lower` guarantees. The block has the span of the derive, so `#![forbid(unsafe_code)]` in the user's crate
        // does not apply to it.
        quote! {
            #same
            let #guard = unsafe { #put };
        }
    });

    let packed_in_place = packed_in_place(fields, krate);
    let name = ident.unraw().to_string();
    let count = fields.len();
    let tables = comparison
        .and_then(|comparison| comparison.tables((!is_generic(input)).then_some(&erased), krate));
    let source = comparison.map(|comparison| comparison.source(is_generic(input), krate));
    let markers = markers(input, &bounded, names_kernel, krate);
    let force = (!is_generic(input))
        .then(|| quote!(const _: () = #krate::__private::evaluate::<#erased>();));
    let checks = comparison
        .and_then(|comparison| comparison_checks(input, fields, comparison, &erased, krate));
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
            type ParamPointers = [*mut #krate::__private::core::ffi::c_void; #count];

            const NAME: &'static #krate::__private::core::primitive::str = #name;
            const PARAMETERS: &'static [#krate::__private::abi::Parameter<'static>] =
                &#krate::__private::place([#(#descriptions),*]);
            const LAYOUT: #krate::__private::abi::ParamLayout = #krate::__private::param_layout(<Self as #krate::KernelArgs>::NAME, <Self as #krate::KernelArgs>::PARAMETERS);

            #source

            #[inline]
            fn check_contexts(&self, __stream: &#krate::args::LaunchStream<'_>) {
                #contexts
            }

            #[inline]
            unsafe fn lower<__Writer: #krate::__private::ParamWriter, __Returned>(
                &mut self,
                __stream: &#krate::args::LaunchStream<'_>,
                __buffer: *mut #krate::__private::core::primitive::u8,
                __pointers: *mut *mut #krate::__private::core::ffi::c_void,
                __launch: impl #krate::__private::core::ops::FnOnce() -> __Returned,
            ) -> __Returned {
                const { #krate::__private::evaluate::<Self>() };
                #(#puts)*
                __launch()
            }

            #packed_in_place
        }

        #markers
        #force
        #checks
    }
}

/// The method that makes the parameter of a field.
fn view(kind: FieldKind, span: Span) -> Ident {
    let name = match kind {
        FieldKind::Typed | FieldKind::Skipped => "typed",
        FieldKind::Opaque => "opaque",
        FieldKind::SharedWrite => "shared_write",
    };
    Ident::new(name, span)
}

/// The traits without methods that restrict how the struct can be used.
fn markers(
    input: &DeriveInput,
    bounded: &syn::Generics,
    names_kernel: bool,
    krate: &Path,
) -> TokenStream {
    let ident = &input.ident;
    let (impl_generics, _, where_clause) = bounded.split_for_impl();
    let (_, ty_generics, _) = input.generics.split_for_impl();
    let is_owned = input.generics.lifetimes().next().is_none();
    let markers = [("OwnedArgs", is_owned), ("NamesKernel", names_kernel)];
    let markers = markers.into_iter().filter(|(_, holds)| *holds);
    markers
        .map(|(name, _)| {
            let marker = quote::format_ident!("{name}");
            quote! {
                #[automatically_derived]
                impl #impl_generics #krate::args::#marker for #ident #ty_generics #where_clause {}
            }
        })
        .collect()
}

/// The statements that compare the context of each argument with the stream's.
fn contexts(fields: &[ParameterField<'_>], krate: &Path) -> TokenStream {
    let each = fields.iter().enumerate().map(|(i, parameter)| {
        let (ty, span) = (parameter.field.ty, parameter.field.span());
        let member = &parameter.field.member;
        let errors = field_errors::argument(ty, &respan(krate, span), span);
        let (this, stream) = (local("self", span), local("__stream", span));
        quote_spanned!(span=> <#ty as #errors::Arg>::check_context(&#this.#member, #stream, #i);)
    });
    each.collect()
}

/// The method that returns a pointer to the struct itself if its bytes are already the packed form.
fn packed_in_place(fields: &[ParameterField<'_>], krate: &Path) -> TokenStream {
    let places = fields.iter().map(|parameter| {
        let (ty, member, span) = (parameter.field.ty, &parameter.field.member, parameter.field.span());
        let krate = respan(krate, span);
        quote_spanned!(span=> (#krate::__private::core::mem::offset_of!(Self, #member), <#krate::__private::InPlace<#ty>>::IS_VALUE))
    });
    // Not a device type, so the trait is never an unused import. An `allow` is an error in a crate that forbids the
    // lint.
    let end = quote!((0, #krate::__private::InPlace::<#krate::__private::core::convert::Infallible>::IS_VALUE));
    quote! {
        #[inline]
        fn packed_in_place(&self) -> #krate::__private::core::option::Option<*const #krate::__private::core::primitive::u8> {
            use #krate::__private::NotInPlace as _;
            const { #krate::__private::is_packed(<Self as #krate::KernelArgs>::PARAMETERS, &[#(#places,)* #end]) }
                .then_some(#krate::__private::core::ptr::from_ref(self).cast())
        }
    }
}

fn erased_field(field: &Field<'_>, input: &DeriveInput) -> TokenStream {
    let ty = field.ty;
    erase::lifetimes(quote!(#ty), &input.generics)
}

/// The type that stores all parameters.
struct ParamBuffer {
    ty: TokenStream,
    /// The definition of the type, if it is a struct.
    slots: Option<TokenStream>,
}

/// An array of bytes if rustc can compute its length. In a generic struct it cannot. The buffer is then a struct with
/// one slot per parameter, which is at least as large.
fn param_buffer(
    input: &DeriveInput,
    bounded: &syn::Generics,
    erased: &TokenStream,
    krate: &Path,
    fields: &[ParameterField<'_>],
) -> ParamBuffer {
    if !is_generic(input) {
        let ty = quote!(#krate::__private::ParamBuffer<{ #krate::__private::param_buffer_len::<#erased>() }>);
        return ParamBuffer { ty, slots: None };
    }
    let generics = generics::without_lifetimes(bounded);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let type_params = input
        .generics
        .type_params()
        .map(|parameter| &parameter.ident);
    let each = fields.iter().enumerate().map(|(i, parameter)| {
        let (slot, span) = (Field::slot(i), parameter.field.span());
        let ty = erased_field(&parameter.field, input);
        let errors = field_errors::argument(parameter.field.ty, &respan(krate, span), span);
        quote_spanned!(span=> #slot: #errors::Slot<#ty>)
    });
    let slots = quote! {
        #[repr(C)]
        pub struct __ParamBuffer #impl_generics #where_clause {
            #(#each,)*
            parameters: #krate::__private::core::marker::PhantomData<fn() -> (#(#type_params,)*)>,
        }
    };
    ParamBuffer {
        ty: quote!(__ParamBuffer #ty_generics),
        slots: Some(slots),
    }
}

fn is_generic(input: &DeriveInput) -> bool {
    input.generics.type_params().next().is_some() || input.generics.const_params().next().is_some()
}

/// The constants that fail to compile if the struct does not fit. Empty for a generic struct that names its kernel.
fn comparison_checks(
    input: &DeriveInput,
    fields: &[ParameterField<'_>],
    comparison: &Comparison<'_>,
    erased: &TokenStream,
    krate: &Path,
) -> Option<TokenStream> {
    let ident = &input.ident;
    match comparison {
        Comparison::Pattern(pattern) => {
            let fields: Vec<CheckedField<'_>> = fields
                .iter()
                .map(|parameter| CheckedField {
                    ty: parameter.field.ty,
                    span: parameter.field.span(),
                })
                .collect();
            Some(pattern.checks(ident, &input.generics, krate, &fields))
        }
        _ => (!is_generic(input)).then(|| checks(fields, ident, erased, krate)),
    }
}

/// One constant per field, so rustc reports a mistake at its field.
fn checks(
    fields: &[ParameterField<'_>],
    ident: &syn::Ident,
    erased: &TokenStream,
    krate: &Path,
) -> TokenStream {
    let each = fields.iter().enumerate().map(|(i, parameter)| {
        let span = parameter.field.span();
        let krate = respan(krate, span);
        quote_spanned!(span=> const _: () = #krate::__private::field_fits(__REPORT, #i);)
    });
    let span = ident.span();
    let at = respan(krate, span);
    let whole = quote_spanned!(span=> const _: () = #at::__private::nothing_missing(__REPORT););
    quote! {
        // A reference, because each use of the report itself would be a copy that rustc validates again. A branch,
        // because a call would make rustc evaluate the constants of the callee.
        const __REPORT: &#krate::__private::Checked = &if __KERNELS.is_empty() {
            #krate::__private::core::option::Option::None
        } else {
            #krate::__private::compare::<#erased>(__KERNELS)
        };
        #(#each)*
        #whole
    }
}
