//! `#[derive(DeviceType)]`.

use super::{
    copyable::{assert_copy, if_copy, inert},
    device_memory::{device_memory, has_zero_bits},
    enumeration::enumeration,
    local, private_at, wrap,
};
use crate::{
    attr::{MemberAttr, Repr, TypeAttr},
    diagnostics::Diagnostics,
    field_errors, generics,
    input::Field,
    repeated::{refuse_macros, refuse_macros_in_generics},
    texts,
};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Fields, Path, spanned::Spanned};

pub(crate) fn device_type(input: &DeriveInput) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let attr = TypeAttr::parse(&input.attrs, &mut diagnostics);
    let repr = Repr::parse(&input.attrs);
    if let Some(lifetime) = input.generics.lifetimes().next() {
        diagnostics.error(lifetime.span(), texts::LIFETIME);
    }
    refuse_macros_in_generics(&input.generics, &mut diagnostics);
    let body = match &input.data {
        Data::Struct(data) => structure(input, &attr, &repr, &data.fields, &mut diagnostics),
        Data::Enum(data) => enumeration(input, &attr, &repr, data, &mut diagnostics),
        Data::Union(data) => {
            diagnostics.error(data.union_token.span(), texts::UNION);
            None
        }
    };
    let body = body.unwrap_or_else(|| inert(input, &attr));
    wrap(&body, diagnostics)
}

fn structure(
    input: &DeriveInput,
    attr: &TypeAttr,
    repr: &Repr,
    fields: &Fields,
    diagnostics: &mut Diagnostics,
) -> Option<TokenStream> {
    let (krate, ident) = (&attr.krate, &input.ident);
    let fields = Field::all(fields);
    if !may_be_passed(input, repr, &fields, diagnostics) {
        return None;
    }
    // The type argument of a `PhantomData` need not be a device type.
    let used = fields.iter().map(|field| field.ty).filter(|ty| !field_errors::is_marker(ty));
    let used = quote!(#(#used),*);
    let bounded = generics::bounded(&input.generics, &used, krate);
    let copy = assert_copy(input, &used, krate);
    let bounded = if_copy(bounded, krate);
    let zero_bits: Vec<_> = fields.iter().map(|field| has_zero_bits(field.ty, krate)).collect();
    let memory = device_memory(input, attr, &bounded, &zero_bits);
    let (impl_generics, _, where_clause) = bounded.split_for_impl();
    let (_, ty_generics, _) = input.generics.split_for_impl();

    // Without generic parameters the layout is a separate constant, which rustc evaluates even if it is unused.
    let is_generic = !input.generics.params.is_empty();
    let (this, all) = if is_generic {
        (quote!(Self), quote!(<Self as #krate::DeviceType>::FIELDS))
    } else {
        (quote!(#ident), quote!(__FIELDS))
    };
    let members: Vec<Member<'_>> = fields.iter().map(|field| Member::new(field, krate, diagnostics)).collect();
    let list = members.iter().map(|member| member.description(&this, is_generic));
    let list = quote!(&[#(#list),*]);
    let checks = members.iter().enumerate().map(|(i, member)| member.check(i, &all, repr));
    let paddings = members.iter().map(|Member { span, of, .. }| quote_spanned!(*span=> || #of::HAS_PADDING));
    let values = members.iter().map(Member::is_value);
    let stores = members.iter().map(|member| member.store(repr));

    let align = repr.align.unwrap_or(1);
    let [class, cpp, consists_of, pointee] = type_info(input, attr, repr, &all);
    let private = quote!(#krate::__private);
    let abi = quote!(#private::abi);
    let primitive = quote!(#private::core::primitive);
    // What pointers to the struct point to: the struct can contain such pointers. A generic struct has no `static`.
    let behind = if is_generic {
        quote! {
            const BEHIND_IN_STRUCT: #abi::Pointee<'static> = #abi::Pointee::of(&#private::in_memory::<Self>(
                <Self as #krate::DeviceType>::CLASS,
                <Self as #krate::DeviceType>::CPP,
                #abi::Members::UNKNOWN,
                #abi::Pointee::UNKNOWN,
            ));
        }
    } else {
        quote!(const BEHIND: #abi::Pointee<'static> = #abi::Pointee::of(&__IN_MEMORY);)
    };
    let layout = quote! {{
        let mut __layout = #private::first_member(#align);
        #(#checks)*
        #private::whole::<#this>(__layout)
    }};
    let fields_type = quote!(&'static [#abi::Parameter<'static>]);
    let constants = (!is_generic).then(|| {
        quote! {
            const __FIELDS: #fields_type = #list;
            const __LAYOUT: #abi::Layout = #layout;
            static __IN_MEMORY: #abi::Parameter<'static> =
                #private::in_memory::<#ident>(#class, #cpp, #consists_of, #pointee);
        }
    });
    let names = fields.iter().map(|field| &field.member);
    let (list, layout) = if is_generic { (list, layout) } else { (quote!(__FIELDS), quote!(__LAYOUT)) };
    Some(quote! {
        #copy
        #constants

        // SAFETY: `whole` asserts size and alignment, `next_member` the offset of each field; `store` writes all bytes.
        #[automatically_derived]
        unsafe impl #impl_generics #krate::DeviceType for #ident #ty_generics #where_clause {
            const FIELDS: #fields_type = #list;
            const LAYOUT: #abi::Layout = #layout;
            const CLASS: #abi::Class = #class;
            const CPP: #abi::CppType<'static> = #cpp;
            const MEMBERS: #abi::Members<'static> = #consists_of;
            const RUST_NAME: &'static #primitive::str = #private::core::stringify!(#ident);
            const POINTEE: #abi::Pointee<'static> = #pointee;
            const POINTEE_IN_STRUCT: #abi::Pointee<'static> = #pointee;
            #behind
            const HAS_PADDING: #primitive::bool =
                #private::has_padding(
                    <Self as #krate::DeviceType>::FIELDS,
                    <Self as #krate::DeviceType>::LAYOUT.size(),
                ) #(#paddings)*;

            #[inline]
            unsafe fn store(&self, __to: *mut #primitive::u8) {
                // The pattern lists all fields: `ZeroBits` is a promise about all of them.
                let Self { #(#names: _),* } = self;
                if !<Self as #krate::DeviceType>::HAS_PADDING {
                    // SAFETY: `whole` asserts that `Self` has `LAYOUT.size()` bytes, which the caller guarantees.
                    return unsafe { __to.cast::<Self>().write_unaligned(*self) };
                }
                // SAFETY: the caller guarantees `LAYOUT.size()` bytes.
                unsafe { __to.write_bytes(0, <Self as #krate::DeviceType>::LAYOUT.size()) };
                #(#stores)*
            }

            #[inline]
            fn is_value(__bytes: &[#primitive::u8]) -> #primitive::bool {
                #(#values)&&*
            }
        }

        #memory
    })
}

/// Returns whether Rust defines the struct's layout and C++ can declare the same layout. Reports why not.
fn may_be_passed(input: &DeriveInput, repr: &Repr, fields: &[Field<'_>], diagnostics: &mut Diagnostics) -> bool {
    if input.generics.lifetimes().next().is_some() {
        return false;
    }
    let problem = if !repr.c && !repr.transparent {
        texts::without_repr(&input.ident)
    } else if fields.is_empty() {
        texts::EMPTY_STRUCT.into()
    } else {
        return fields.iter().filter(|field| !refuse_macros(field.ty, diagnostics)).count() == 0;
    };
    diagnostics.error(input.ident.span(), problem);
    false
}

struct Member<'a> {
    field: &'a Field<'a>,
    attr: MemberAttr,
    span: Span,
    /// The module `__private` of the crate, at the field.
    private: TokenStream,
    /// `<Type as Member>`, with the error for a type that cannot be a member.
    of: TokenStream,
}

impl<'a> Member<'a> {
    fn new(field: &'a Field<'a>, krate: &Path, diagnostics: &mut Diagnostics) -> Self {
        let (ty, span) = (field.ty, field.span());
        let private = private_at(krate, span);
        let errors = field_errors::member(ty, &private, span);
        let attr = MemberAttr::parse(field.attrs, diagnostics);
        Self { field, attr, span, of: quote_spanned!(span=> <#ty as #errors::Member>), private }
    }

    fn offset(&self, this: &TokenStream) -> TokenStream {
        let (private, member) = (&self.private, &self.field.member);
        quote_spanned!(self.span=> #private::core::mem::offset_of!(#this, #member))
    }

    /// Returns the `Parameter` of the member of the struct `this`.
    fn description(&self, this: &TokenStream, is_generic: bool) -> TokenStream {
        let Self { field, attr, span, private, of } = self;
        let (span, name, spelling, offset) = (*span, &field.name, field.spelling(), self.offset(this));
        let said = attr.name.as_ref().map(|name| quote_spanned!(span=> .with_kernel_name(#name)));
        let mut member = quote_spanned!(span=> #private::member(#name, #spelling, #offset, #of::TYPE_INFO)#said);
        // Such as `DevicePointer<Buffer<f32>>`. A `static` for each field would take rustc longer.
        if !is_generic && generics::is_nested(field.ty) && !field_errors::is_marker(field.ty) {
            member = quote_spanned! {span=> {
                static __BEHIND: #private::abi::Parameter<'static> = #of::BEHIND;
                #private::pointing_to(#member, &__BEHIND)
            }};
        }
        if attr.opaque { quote_spanned!(span=> #private::opaque_member(#member)) } else { member }
    }

    /// Extends `__layout` by the member with this index in the list `all`.
    fn check(&self, index: usize, all: &TokenStream, repr: &Repr) -> TokenStream {
        let (span, private, layout) = (self.span, &self.private, local("__layout", self.span));
        let mut field = quote_spanned!(span=> #all[#index]);
        if let Some(most) = repr.packed {
            field = quote_spanned!(span=> #private::packed_member(#field, #most));
        }
        quote_spanned!(span=> #layout = #private::next_member(#layout, &#field);)
    }

    fn is_value(&self) -> TokenStream {
        let Self { field, span, private, of, .. } = self;
        let (ty, bytes, offset) = (field.ty, local("__bytes", *span), self.offset(&quote!(Self)));
        quote_spanned!(*span=> #of::is_value(#private::part_of::<#ty>(#bytes, #offset)))
    }

    /// Stores the field at `__to`.
    ///
    /// SAFETY of the generated call: the pattern and `same_type` prove that the field belongs to the struct, or is a
    /// copy of its field, and has the type from which `LAYOUT` was computed. So `offset` and the size of the field are
    /// inside the `LAYOUT.size()` bytes that the caller guarantees. The block has the span of the derive, so
    /// `#![forbid(unsafe_code)]` in the user's crate does not apply to it.
    fn store(&self, repr: &Repr) -> TokenStream {
        let Self { field, span, private, of, .. } = self;
        let (span, ty, member, offset) = (*span, field.ty, &field.member, self.offset(&quote!(Self)));
        let (this, to) = (local("self", span), local("__to", span));
        // A field of a packed struct need not be aligned, so no reference to it may exist: `Self` and the field are
        // copied.
        let field_of = if repr.packed.is_some() {
            quote_spanned! {span=>
                let __copy: Self = *#this;
                let Self { #member: __member, .. } = __copy;
                let __field = &__member;
            }
        } else {
            quote_spanned!(span=> let Self { #member: __field, .. } = #this;)
        };
        let same = quote_spanned! {span=>
            #field_of
            let __same = (__field,);
            #private::same_type::<#ty>(&__same);
        };
        let store = quote_spanned!(span=> #of::store(__field, #to.add(#offset)));
        quote! {
            #same
            unsafe { #store };
        }
    }
}

/// Returns the class, the C++ type, the members and the pointee of a struct. `all` is the list of its fields.
fn type_info(input: &DeriveInput, attr: &TypeAttr, repr: &Repr, all: &TokenStream) -> [TokenStream; 4] {
    let krate = &attr.krate;
    // A transparent struct without an explicit C++ name is the value itself in C++, or a struct around it.
    if repr.transparent && attr.cpp.is_none() {
        let value = quote!(#krate::__private::transparent(#all));
        return [quote!(#value.class), quote!(#value.cpp), quote!(#value.members), quote!(#value.pointee)];
    }
    // A transparent struct with a name is either a class around one value, or another name for the value. The two
    // differ in PTX.
    let class = if repr.transparent { quote!(Unknown) } else { quote!(Bytes) };
    let (abi, name) = (quote!(#krate::__private::abi), attr.cpp_name(&input.ident));
    [
        quote!(#abi::Class::#class),
        quote!(#abi::CppType::named(#name)),
        quote!(#abi::Members::of(#all)),
        quote!(#abi::Pointee::UNKNOWN),
    ]
}
