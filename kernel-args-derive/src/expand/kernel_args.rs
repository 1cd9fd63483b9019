//! `#[derive(KernelArgs)]`.

use super::{
    comparison::Comparison,
    contracts::contracts,
    field::{ParameterField, Parameters, end_of_places},
    local, part_errors, parts,
    pattern::CheckedField,
    respan, wrap,
};
use crate::{
    attr::{ArgsAttr, FieldAttr, FieldKind, Naming},
    diagnostics::Diagnostics,
    field_errors, generics,
    input::Field,
    repeated::{refuse_macros, refuse_macros_in_generics},
    texts,
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Path, ext::IdentExt, spanned::Spanned};

pub(crate) fn kernel_args(input: &DeriveInput) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let attr = ArgsAttr::parse(&input.attrs, &input.generics, &mut diagnostics);
    let fields = fields(input, &mut diagnostics);
    let attrs: Vec<FieldAttr> = fields.iter().map(|field| FieldAttr::parse(field.attrs, &mut diagnostics)).collect();
    let contracts = contracts(input, &attr.krate, &attr.contracts, &fields, &attrs, &mut diagnostics);
    let mut fields = parameters(fields, &attrs, &attr);
    refuse_macros_in_generics(&input.generics, &mut diagnostics);
    for parameter in &fields {
        refuse_macros(parameter.field.ty, &mut diagnostics);
    }
    fields.retain(|field| {
        !part_errors::refuse_number(field, &mut diagnostics)
            && !part_errors::refuse_type_parameter(field, &input.generics, &mut diagnostics)
    });
    // After an error in an attribute, the comparison would report follow-up errors.
    let comparison =
        diagnostics.is_empty().then(|| Comparison::new(&attr, &input.generics, &mut diagnostics)).flatten();
    // After an error in an attribute, the struct counts as one that names a kernel: `load` reports no follow-up error.
    let names_kernel = !diagnostics.is_empty() || matches!(attr.kernel, Some(Naming::Image { .. } | Naming::Item(_)));
    let body = expand(input, &attr, &fields, &contracts, comparison.as_ref(), names_kernel);
    wrap(&body, diagnostics)
}

/// All fields of the struct.
fn fields<'a>(input: &'a DeriveInput, diagnostics: &mut Diagnostics) -> Vec<Field<'a>> {
    match &input.data {
        Data::Struct(data) => Field::all(&data.fields),
        Data::Enum(data) => {
            diagnostics.error(data.enum_token.span(), texts::ARGUMENTS_IN_ENUM);
            Vec::new()
        }
        Data::Union(data) => {
            diagnostics.error(data.union_token.span(), texts::ARGUMENTS_IN_UNION);
            Vec::new()
        }
    }
}

fn parameters<'a>(fields: Vec<Field<'a>>, attrs: &'a [FieldAttr], args: &ArgsAttr) -> Vec<ParameterField<'a>> {
    fields
        .into_iter()
        .zip(attrs)
        .filter_map(|(field, attr)| {
            let own = || match &field.member {
                syn::Member::Named(ident) if args.strict_names => Some(syn::LitStr::new(&field.name, ident.span())),
                _ => None,
            };
            let element_names = attr.element_names();
            let name = attr.name.as_ref();
            let kernel_name = name.map(|name| syn::LitStr::new(&name.value(), name.span())).or_else(own);
            let narrowed = attr.contracts.narrowed.as_ref();
            (attr.kind != FieldKind::Skipped).then_some(ParameterField {
                wide: narrowed.map(|_| field.ty),
                field: Field { ty: narrowed.map_or(field.ty, |narrowed| &narrowed.value), ..field },
                kind: attr.kind,
                kernel_name,
                shape: attr.shape,
                element_names,
                strict_names: args.strict_names,
                strict_code: args.strict_code,
            })
        })
        .collect()
}

fn expand(
    input: &DeriveInput,
    attr: &ArgsAttr,
    fields: &[ParameterField<'_>],
    contracts: &TokenStream,
    comparison: Option<&Comparison<'_>>,
    names_kernel: bool,
) -> TokenStream {
    let ident = &input.ident;
    let krate = &attr.krate;
    let used: TokenStream = fields.iter().map(|parameter| &parameter.field.ty).map(|ty| quote!(#ty,)).collect();
    let bounded = generics::bounded_arguments(&input.generics, &used, krate, attr.bound.as_deref());
    let (impl_generics, _, where_clause) = bounded.split_for_impl();
    let (_, ty_generics, _) = input.generics.split_for_impl();

    let erased = generics::erased_type(ident, &input.generics);
    let ParamBuffer { ty: param_buffer, slots } = param_buffer(input, &bounded, &erased, krate, fields);

    let Parameters { each, constants, contexts, lower, in_place } = if parts::has_parts(fields) {
        parts::parameters(fields, input, (&erased, is_generic(input)), krate)
    } else {
        parameters_of(fields, input, krate)
    };

    let name = ident.unraw().to_string();
    let tables = comparison.and_then(|comparison| comparison.tables((!is_generic(input)).then_some(&erased), krate));
    let source = comparison.map(|comparison| comparison.source(is_generic(input), krate));
    let markers = markers(input, &bounded, names_kernel, krate);
    let force = (!is_generic(input)).then(|| quote!(const _: () = #krate::__private::evaluate::<#erased>();));
    let checks = comparison.and_then(|comparison| comparison_checks(input, fields, comparison, &erased, krate));
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

            const NAME: &'static #krate::__private::core::primitive::str = #name;
            #constants
            const LAYOUT: #krate::__private::abi::ParamLayout = #krate::__private::param_layout(<Self as #krate::KernelArgs>::NAME, <Self as #krate::KernelArgs>::PARAMETERS);

            #source

            #contracts

            #[inline]
            fn check_contexts(&self, __stream: &#krate::args::LaunchStream<'_>, __first: #krate::__private::core::primitive::usize) {
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
                #lower
            }

            #in_place
        }

        #markers
        #force
        #checks
    }
}

/// The parameters of a struct, each field of which is one parameter.
fn parameters_of(fields: &[ParameterField<'_>], input: &DeriveInput, krate: &Path) -> Parameters {
    let count = fields.len();
    let descriptions = fields.iter().map(|parameter| {
        let description = parameter.description(parameter.field.ty, &input.generics, krate);
        let said = parameter.kernel_name.as_ref();
        let said = said.map(|name| quote_spanned!(parameter.field.span()=> .with_kernel_name(#name)));
        quote!(#description #said)
    });
    let puts = fields.iter().enumerate().map(|(i, parameter)| put(i, parameter, krate));
    Parameters {
        each: quote!([__T; #count]),
        constants: quote! {
            const PARAMETERS: &'static [#krate::__private::abi::Parameter<'static>] =
                &#krate::__private::place([#(#descriptions),*]);
        },
        contexts: contexts(fields, krate),
        lower: quote!(#(#puts)* __launch()),
        in_place: in_place(fields, krate),
    }
}

/// The statements that write the parameter of a field.
fn put(i: usize, parameter: &ParameterField<'_>, krate: &Path) -> TokenStream {
    // Local names begin with `__`: a `let` with the name of a user's constant would match against the constant.
    let (ty, span) = (parameter.field.ty, parameter.field.span());
    let member = &parameter.field.member;
    let krate = respan(krate, span);
    let errors = field_errors::argument(ty, &krate, span);
    let guard = quote::format_ident!("__guard{i}", span = proc_macro2::Span::mixed_site());
    let [this, stream, buffer, pointers] = ["self", "__stream", "__buffer", "__pointers"].map(|name| local(name, span));
    let field = syn::Ident::new("__field", span);
    let declared = parameter.declared();
    let narrowed = parameter.narrowed(&field, &krate);
    let same = quote_spanned! {span=>
        let Self { #member: #field, .. } = #this;
        let __same = (&*#field,);
        #krate::__private::same_type::<#declared>(&__same);
        #narrowed
    };
    let put = quote_spanned! {span=>
        <#ty as #errors::Arg>::put::<__Writer>(
            #field, #stream, #buffer, const { #krate::__private::offset::<Self>(#i) }, #pointers, #i,
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
}

/// The traits without methods that restrict how the struct can be used.
fn markers(input: &DeriveInput, bounded: &syn::Generics, names_kernel: bool, krate: &Path) -> TokenStream {
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
    let each = fields.iter().enumerate().filter(|(_, parameter)| parameter.wide.is_none()).map(|(i, parameter)| {
        let (ty, span) = (parameter.field.ty, parameter.field.span());
        let member = &parameter.field.member;
        let errors = field_errors::argument(ty, &respan(krate, span), span);
        let (this, stream) = (local("self", span), local("__stream", span));
        let first = local("__first", span);
        quote_spanned!(span=> <#ty as #errors::Arg>::check_context(&#this.#member, #stream, #first + #i);)
    });
    each.collect()
}

/// The constant that is `true` if the bytes of the struct are already the packed form.
fn in_place(fields: &[ParameterField<'_>], krate: &Path) -> TokenStream {
    let places = fields.iter().map(|parameter| {
        let (member, span) = (&parameter.field.member, parameter.field.span());
        let krate = respan(krate, span);
        let is_value = parameter.is_value(&krate);
        quote_spanned!(span=> (#krate::__private::core::mem::offset_of!(Self, #member), #is_value))
    });
    let end = end_of_places(krate);
    quote! {
        const IN_PLACE: #krate::__private::core::primitive::bool = {
            use #krate::__private::NotInPlace as _;
            #krate::__private::is_packed(<Self as #krate::KernelArgs>::PARAMETERS, &[#(#places,)* (0, #end)])
        };
    }
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
    let type_params = input.generics.type_params().map(|parameter| &parameter.ident);
    let each = fields.iter().enumerate().map(|(i, parameter)| {
        let (slot, span) = (Field::slot(i), parameter.field.span());
        let ty = parts::slot(parameter, input, &respan(krate, span));
        quote_spanned!(span=> #slot: #ty)
    });
    let slots = quote! {
        #[repr(C)]
        pub struct __ParamBuffer #impl_generics #where_clause {
            #(#each,)*
            parameters: #krate::__private::core::marker::PhantomData<fn() -> (#(#type_params,)*)>,
        }
    };
    ParamBuffer { ty: quote!(__ParamBuffer #ty_generics), slots: Some(slots) }
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
            let has_parts = parts::has_parts(fields);
            let fields: Vec<CheckedField<'_>> = fields
                .iter()
                .map(|parameter| CheckedField { ty: parameter.field.ty, span: parameter.field.span() })
                .collect();
            Some(pattern.checks(ident, &input.generics, krate, &fields, has_parts))
        }
        _ => (!is_generic(input)).then(|| checks(fields, ident, erased, krate)),
    }
}

/// One constant per field, so rustc reports a mistake at its field.
fn checks(fields: &[ParameterField<'_>], ident: &syn::Ident, erased: &TokenStream, krate: &Path) -> TokenStream {
    let has_parts = parts::has_parts(fields);
    let each = fields.iter().enumerate().map(|(i, parameter)| {
        let span = parameter.field.span();
        let krate = respan(krate, span);
        let fits =
            if has_parts { quote_spanned!(span=> part_fits::<#erased>) } else { quote_spanned!(span=> field_fits) };
        quote_spanned!(span=> const _: () = #krate::__private::#fits(__REPORT, #i);)
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
