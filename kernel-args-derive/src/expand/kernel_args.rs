//! `#[derive(KernelArgs)]`.

use super::wrap;
use crate::{
    attr::{ArgsAttr, FieldAttr},
    diagnostics::Diagnostics,
    erase, generics,
    input::Field,
    suspect,
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Path, ext::IdentExt, spanned::Spanned};

pub(crate) fn kernel_args(input: &DeriveInput) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let attr = ArgsAttr::parse(&input.attrs, &mut diagnostics);
    let fields = parameters(input, &mut diagnostics);
    let body = expand(input, &attr, &fields);
    wrap(&body, diagnostics)
}

/// A field that is a parameter of the kernel.
struct ParameterField<'a> {
    field: Field<'a>,
    opaque: bool,
}

fn parameters<'a>(
    input: &'a DeriveInput,
    diagnostics: &mut Diagnostics,
) -> Vec<ParameterField<'a>> {
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            diagnostics.error(
                data.enum_token.span(),
                "an enum cannot hold the arguments of a kernel: derive `KernelArgs` on a struct with one \
                 field for each parameter (an enum that is one argument takes `#[derive(DeviceType)]`)",
            );
            return Vec::new();
        }
        Data::Union(data) => {
            diagnostics.error(
                data.union_token.span(),
                "a union cannot hold the arguments of a kernel: derive `KernelArgs` on a struct with one \
                 field for each parameter",
            );
            return Vec::new();
        }
    };
    Field::all(fields)
        .into_iter()
        .filter_map(|field| {
            let attr = FieldAttr::parse(field.attrs, diagnostics);
            (!attr.skip).then_some(ParameterField {
                field,
                opaque: attr.opaque,
            })
        })
        .collect()
}

fn expand(input: &DeriveInput, attr: &ArgsAttr, fields: &[ParameterField<'_>]) -> TokenStream {
    let ident = &input.ident;
    let krate = &attr.krate;
    let used: TokenStream = fields
        .iter()
        .map(|parameter| &parameter.field.ty)
        .map(|ty| quote!(#ty,))
        .collect();
    let bounded = generics::bounded(&input.generics, &used, krate);
    let (impl_generics, _, where_clause) = bounded.split_for_impl();
    let (_, ty_generics, _) = input.generics.split_for_impl();

    let image_generics = generics::without_lifetimes(&bounded);
    let (image_impl, image_ty, image_where) = image_generics.split_for_impl();
    let type_params = input
        .generics
        .type_params()
        .map(|parameter| &parameter.ident);
    let erased = generics::erased_type(ident, &input.generics);

    let slots = fields.iter().enumerate().map(|(i, parameter)| {
        let (slot, span) = (Field::slot(i), parameter.field.span());
        let ty = erased_field(&parameter.field, input);
        let words = suspect::words(parameter.field.ty, krate, span);
        quote_spanned!(span=> #slot: <#ty as #words>::Slot)
    });
    let descriptions = fields.iter().enumerate().map(|(i, parameter)| {
        let (slot, span) = (Field::slot(i), parameter.field.span());
        let ty = erased_field(&parameter.field, input);
        let words = suspect::words(parameter.field.ty, krate, span);
        let (name, spelling) = (&parameter.field.name, parameter.field.spelling());
        let view = quote::format_ident!("{}", if parameter.opaque { "opaque" } else { "typed" });
        quote_spanned! {span=>
            #krate::__private::parameter(
                #name,
                #spelling,
                #krate::__private::core::mem::offset_of!(__Image #image_ty, #slot),
                <#ty as #words>::KIND,
            ).#view()
        }
    });
    let puts = fields.iter().enumerate().map(|(i, parameter)| {
        let (slot, span) = (Field::slot(i), parameter.field.span());
        let (ty, member) = (parameter.field.ty, &parameter.field.member);
        let words = suspect::words(ty, krate, span);
        let guard = quote::format_ident!("guard{i}", span = proc_macro2::Span::mixed_site());
        quote_spanned! {span=>
            let #guard = unsafe {
                <#ty as #words>::put::<__Form>(
                    &mut self.#member, scope, &raw mut (*image).#slot, pointers, #i,
                )
            };
        }
    });

    let name = ident.unraw().to_string();
    let count = fields.len();
    let force = force_constants(input, &erased, krate);
    quote! {
        #[repr(C)]
        pub struct __Image #image_impl #image_where {
            #(#slots,)*
            parameters: #krate::__private::core::marker::PhantomData<fn() -> (#(#type_params,)*)>,
        }

        #[automatically_derived]
        unsafe impl #impl_generics #krate::KernelArgs for #ident #ty_generics #where_clause {
            type Erased = #erased;
            type Image = __Image #image_ty;
            type Pointers = [*mut #krate::__private::core::ffi::c_void; #count];

            const NAME: &'static #krate::__private::core::primitive::str = #name;
            const PARAMETERS: &'static [#krate::abi::Parameter<'static>] = &[#(#descriptions),*];
            const BLOCK: #krate::abi::Block = #krate::__private::block(Self::NAME, Self::PARAMETERS);

            #[inline]
            unsafe fn lower<__Form: #krate::__private::Form, __Returned>(
                &mut self,
                scope: &#krate::Scope<'_>,
                image: *mut Self::Image,
                pointers: *mut *mut #krate::__private::core::ffi::c_void,
                launch: impl #krate::__private::core::ops::FnOnce() -> __Returned,
            ) -> __Returned {
                const { #krate::__private::evaluate::<Self>() };
                #(#puts)*
                launch()
            }
        }

        #force
    }
}

fn erased_field(field: &Field<'_>, input: &DeriveInput) -> TokenStream {
    let ty = field.ty;
    erase::lifetimes(quote!(#ty), &input.generics)
}

/// Has rustc evaluate the struct's constants even where nobody launches it; impossible while there are
/// type or const parameters.
fn force_constants(input: &DeriveInput, erased: &TokenStream, krate: &Path) -> Option<TokenStream> {
    let open = input.generics.type_params().next().is_some()
        || input.generics.const_params().next().is_some();
    (!open).then(|| quote!(const _: () = #krate::__private::evaluate::<#erased>();))
}
