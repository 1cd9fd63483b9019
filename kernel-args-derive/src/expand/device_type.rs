//! `#[derive(DeviceType)]`.

use super::{respan, wrap};
use crate::{
    attr::{Repr, TypeAttr},
    diagnostics::Diagnostics,
    generics,
    input::Field,
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DataEnum, DeriveInput, Fields, ext::IdentExt, spanned::Spanned};

pub(crate) fn device_type(input: &DeriveInput) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let attr = TypeAttr::parse(&input.attrs, &mut diagnostics);
    let repr = Repr::parse(&input.attrs);
    if let Some(lifetime) = input.generics.lifetimes().next() {
        diagnostics.error(
            lifetime.span(),
            "a device type borrows nothing: what it refers to would be host memory; use `DevicePointer<T>`",
        );
    }
    let body = match &input.data {
        Data::Struct(data) => structure(input, &attr, &repr, &data.fields, &mut diagnostics),
        Data::Enum(data) => enumeration(input, &attr, &repr, data, &mut diagnostics),
        Data::Union(data) => {
            diagnostics.error(
                data.union_token.span(),
                "a union cannot be a device type: which bytes of it are set is not known; \
                 write a struct with an array of bytes and convert it yourself",
            );
            None
        }
    };
    wrap(&body.unwrap_or_default(), diagnostics)
}

fn structure(
    input: &DeriveInput,
    attr: &TypeAttr,
    repr: &Repr,
    fields: &Fields,
    diagnostics: &mut Diagnostics,
) -> Option<TokenStream> {
    if !may_be_passed(input, repr, fields, diagnostics) {
        return None;
    }

    let fields = Field::all(fields);
    for field in &fields {
        TypeAttr::refuse_on_field(field.attrs, diagnostics);
    }
    let krate = &attr.krate;
    let ident = &input.ident;
    let used: TokenStream = fields
        .iter()
        .map(|field| field.ty)
        .map(|ty| quote!(#ty,))
        .collect();
    let bounded = generics::bounded(&input.generics, &used, krate);
    let (impl_generics, _, where_clause) = bounded.split_for_impl();
    let (_, ty_generics, _) = input.generics.split_for_impl();

    let descriptions = fields.iter().map(|field| {
        let (name, spelling, ty, member) = (&field.name, field.spelling(), field.ty, &field.member);
        let krate = respan(krate, field.span());
        quote_spanned! {field.span()=>
            #krate::abi::Parameter::field(
                #name,
                #spelling,
                #krate::__private::core::mem::offset_of!(Self, #member),
                <#ty as #krate::DeviceType>::LAYOUT,
                <#ty as #krate::DeviceType>::CLASS,
                <#ty as #krate::DeviceType>::CPP,
            )
        }
    });
    let checks = fields.iter().enumerate().map(|(i, field)| {
        let krate = respan(krate, field.span());
        quote_spanned!(field.span()=> layout = #krate::__private::next_member(layout, &Self::FIELDS[#i]);)
    });
    let paddings = fields.iter().map(|field| {
        let (ty, krate) = (field.ty, respan(krate, field.span()));
        quote_spanned!(field.span()=> || <#ty as #krate::DeviceType>::HAS_PADDING)
    });
    let stores = fields.iter().map(|field| {
        let (ty, member) = (field.ty, &field.member);
        let krate = respan(krate, field.span());
        quote_spanned! {field.span()=>
            unsafe {
                <#ty as #krate::DeviceType>::store(
                    &self.#member,
                    to.add(#krate::__private::core::mem::offset_of!(Self, #member)),
                )
            };
        }
    });

    let align = repr.align.unwrap_or(1);
    let params = &bounded.params;
    let by_value = (!params.is_empty()).then(|| quote!({#params}));
    let (class, cpp) = names(input, attr, repr, &fields);
    let force = (input.generics.params.is_empty())
        .then(|| quote!(const _: () = { let _ = <#ident as #krate::DeviceType>::LAYOUT; };));
    Some(quote! {
        #[automatically_derived]
        unsafe impl #impl_generics #krate::DeviceType for #ident #ty_generics #where_clause {
            const FIELDS: &'static [#krate::abi::Parameter<'static>] = &[#(#descriptions),*];
            const LAYOUT: #krate::abi::Layout = {
                let mut layout = #krate::__private::first_member(#align);
                #(#checks)*
                #krate::__private::whole::<Self>(layout)
            };
            const CLASS: #krate::abi::Class = #class;
            const CPP: #krate::abi::CppType<'static> = #cpp;
            const HAS_PADDING: #krate::__private::core::primitive::bool =
                #krate::__private::has_gaps(Self::FIELDS, Self::LAYOUT.size()) #(#paddings)*;

            #[inline]
            unsafe fn store(&self, to: *mut #krate::__private::core::primitive::u8) {
                if !Self::HAS_PADDING {
                    return unsafe { to.cast::<Self>().write_unaligned(*self) };
                }
                unsafe { to.write_bytes(0, Self::LAYOUT.size()) };
                #(#stores)*
            }
        }

        #krate::pass_by_value!(#by_value #ident #ty_generics #where_clause);

        #force
    })
}

/// Whether Rust fixes the struct's layout, and C++ has one like it; what is wrong is reported.
fn may_be_passed(
    input: &DeriveInput,
    repr: &Repr,
    fields: &Fields,
    diagnostics: &mut Diagnostics,
) -> bool {
    if input.generics.lifetimes().next().is_some() {
        return false;
    }
    if let Some(span) = repr.packed {
        diagnostics.error(
            span,
            "a packed struct is laid out otherwise on the device: write `#[repr(C)]`, and give the kernel's \
             struct the same fields without packing",
        );
        return false;
    }
    if !repr.c && !repr.transparent {
        diagnostics.error(
            input.ident.span(),
            format!(
                "without `repr(C)` Rust orders the fields of `{}` as it likes: write `#[repr(C)]` on the struct, \
                 or `#[repr(transparent)]` around one field",
                input.ident
            ),
        );
        return false;
    }
    if fields.is_empty() {
        diagnostics.error(
            input.ident.span(),
            "an empty struct has no bytes in Rust, but C++ gives it one: write a field `unused: u8`",
        );
        return false;
    }
    true
}

/// The class and C++ type of a struct.
fn names(
    input: &DeriveInput,
    attr: &TypeAttr,
    repr: &Repr,
    fields: &[Field<'_>],
) -> (TokenStream, TokenStream) {
    let krate = &attr.krate;
    let named = |name: &str| quote!(#krate::abi::CppType::named(#name));
    match (&attr.cpp, repr.transparent, fields) {
        // A class around one value in C++, or another name for the value: PTX tells them apart, we cannot.
        (Some(name), true, _) => (quote!(#krate::abi::Class::Unknown), named(&name.value())),
        (Some(name), false, _) => (quote!(#krate::abi::Class::Bytes), named(&name.value())),
        (None, true, _) => (
            quote!(#krate::__private::transparent(Self::FIELDS).class),
            quote!(#krate::__private::transparent(Self::FIELDS).cpp),
        ),
        (None, false, _) => (
            quote!(#krate::abi::Class::Bytes),
            named(&input.ident.unraw().to_string()),
        ),
    }
}

fn enumeration(
    input: &DeriveInput,
    attr: &TypeAttr,
    repr: &Repr,
    data: &DataEnum,
    diagnostics: &mut Diagnostics,
) -> Option<TokenStream> {
    let mut fieldless = true;
    for variant in &data.variants {
        if !variant.fields.is_empty() {
            fieldless = false;
            diagnostics.error(
                variant.fields.span(),
                "an enum with data has no form in C++: pass a struct with a tag and the data, \
                 or one kernel argument for each",
            );
        }
    }
    let Some(int) = &repr.int else {
        diagnostics.error(
            input.ident.span(),
            format!(
                "the size of `{}` is not fixed: write `#[repr(i32)]`, or whichever integer the C++ enum has \
                 underneath (`int` where it does not say)",
                input.ident
            ),
        );
        return None;
    };
    if !fieldless || data.variants.is_empty() {
        if data.variants.is_empty() {
            diagnostics.error(
                input.ident.span(),
                "an enum without variants has no value to pass",
            );
        }
        return None;
    }
    let (krate, ident) = (&attr.krate, &input.ident);
    let name = attr
        .cpp
        .as_ref()
        .map_or_else(|| input.ident.unraw().to_string(), syn::LitStr::value);
    Some(quote! {
        #[automatically_derived]
        unsafe impl #krate::DeviceType for #ident {
            const LAYOUT: #krate::abi::Layout =
                <#krate::__private::core::primitive::#int as #krate::DeviceType>::LAYOUT;
            const CLASS: #krate::abi::Class = #krate::abi::Class::Integer;
            const CPP: #krate::abi::CppType<'static> = #krate::abi::CppType::named(#name);
        }

        #krate::pass_by_value!(#ident);
    })
}
