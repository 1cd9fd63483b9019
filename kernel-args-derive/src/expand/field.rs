//! A field of a struct of arguments, and what the derive emits for it. If a field is spread or flattened, only rustc
//! knows the number of parameters.

use super::{local, private_at, respan};
use crate::{
    attr::{ArgsAttr, FieldAttr, FieldKind, INDEX, Names, Shape},
    diagnostics::Diagnostics,
    erase,
    field_errors::{INTEGERS, argument, is_named, ungrouped},
    generics,
    input::{self, Field},
    spelling, texts,
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Generics, Ident, LitStr, Member, Type, parse_quote_spanned, spanned::Spanned};

pub(super) struct ParameterField<'a> {
    /// The field; its type is the type of the parameter, if that is narrower.
    pub(super) field: Field<'a>,
    /// The type of the field, if its parameter is narrower.
    wide: Option<&'a Type>,
    attr: &'a FieldAttr,
    args: &'a ArgsAttr,
    /// The path of the crate at the span of the field, and its module `__private`.
    krate: TokenStream,
    private: TokenStream,
    pub(super) index: usize,
    /// Whether a field of the struct is not one parameter.
    pub(super) has_parts: bool,
}

impl<'a> ParameterField<'a> {
    /// `None` for a skipped field.
    pub(super) fn new(field: Field<'a>, attr: &'a FieldAttr, args: &'a ArgsAttr) -> Option<Self> {
        let narrowed = attr.contracts.narrowed.as_ref();
        let wide = narrowed.map(|_| field.ty);
        let field = Field { ty: narrowed.map_or(field.ty, |narrowed| &narrowed.value), ..field };
        let (krate, private) = (respan(&args.krate, field.span()), private_at(&args.krate, field.span()));
        let is_parameter = attr.kind != FieldKind::Skipped;
        is_parameter.then_some(Self { field, wide, attr, args, krate, private, index: 0, has_parts: false })
    }

    pub(super) fn span(&self) -> Span {
        self.field.span()
    }

    pub(super) fn is_one(&self) -> bool {
        matches!(self.attr.shape, Shape::One)
    }

    /// Reports a spread field whose type is certainly not an array, which rustc would report more than once; and a
    /// flattened field whose type is a type parameter: rustc does not accept a constant that contains parameters of an
    /// unknown number.
    pub(super) fn may_be_parts(&self, generics: &Generics, diagnostics: &mut Diagnostics) -> bool {
        const NAMES: [&str; 8] = ["bool", "f32", "f64", "Vec", "Box", "Arc", "Option", "CudaSlice"];
        let mut ty = self.field.ty;
        let problem = match self.attr.shape {
            Shape::One => return true,
            Shape::Spread(_) => {
                let is_other = match ty {
                    Type::Path(path) => is_named(&path.path, &NAMES) || is_named(&path.path, &INTEGERS),
                    Type::Array(_) | Type::Paren(_) | Type::Group(_) | Type::Macro(_) => false,
                    _ => true,
                };
                is_other.then_some(texts::NOT_AN_ARRAY)
            }
            Shape::Flatten(_) => {
                while let Type::Reference(syn::TypeReference { elem: inner, .. })
                | Type::Paren(syn::TypeParen { elem: inner, .. })
                | Type::Group(syn::TypeGroup { elem: inner, .. }) = ty
                {
                    ty = inner;
                }
                let is_parameter = |ty: &Type| matches!(ty, Type::Path(path) if generics.type_params().any(|own| path.path.is_ident(&own.ident)));
                is_parameter(ty).then_some(texts::FLATTENED_PARAMETER)
            }
        };
        problem.map(|problem| diagnostics.error(ty.span(), problem)).is_none()
    }

    /// `errors::Arg` of a type, at the field.
    fn arg(&self, ty: &Type) -> TokenStream {
        let errors = argument(ty, &self.private, self.span());
        quote_spanned!(self.span()=> <#ty as #errors::Arg>)
    }

    /// Returns the type of the elements of a spread field. The derive sees it if the type is written as an array, not
    /// as an alias.
    fn element(&self) -> Type {
        let (ty, private) = (ungrouped(self.field.ty), &self.private);
        match ty {
            Type::Array(syn::TypeArray { elem, .. }) => parse_quote_spanned!(elem.span()=> #elem),
            _ => parse_quote_spanned!(ty.span()=> <#ty as #private::Spread>::Element),
        }
    }

    /// Returns the type of the field, or one with the same parameters, named by the trait that it must implement: then
    /// rustc reports a missing impl once.
    fn this(&self) -> TokenStream {
        let Self { krate, private, .. } = self;
        let (ty, span) = (self.field.ty, self.span());
        match self.attr.shape {
            Shape::One => quote!(#ty),
            Shape::Spread(_) => quote_spanned!(span=> <#ty as #private::Spread>::This),
            Shape::Flatten(_) => quote_spanned!(span=> <#ty as #krate::KernelArgs>::Erased),
        }
    }

    /// Returns whether the field contains the value that the kernel reads: a constant expression.
    pub(super) fn is_value(&self) -> TokenStream {
        let (Self { krate, private, .. }, ty) = (self, self.field.ty);
        match (self.wide, self.attr.shape) {
            (Some(_), _) => quote!(false),
            (None, Shape::Flatten(_)) => quote_spanned!(self.span()=> <#ty as #krate::KernelArgs>::IN_PLACE),
            (None, _) => quote_spanned!(self.span()=> <#private::InPlace<#ty>>::IS_VALUE),
        }
    }

    pub(super) fn host_offset(&self) -> TokenStream {
        let (private, member) = (&self.private, &self.field.member);
        quote_spanned!(self.span()=> #private::core::mem::offset_of!(Self, #member))
    }

    /// Returns the type of the room for the field in the parameter buffer of a generic struct.
    pub(super) fn slot(&self, generics: &Generics) -> TokenStream {
        let Self { krate, private, .. } = self;
        let (span, declared) = (self.span(), self.field.ty);
        let ty = erase::lifetimes(quote!(#declared), generics);
        match self.attr.shape {
            Shape::One => {
                let errors = argument(declared, private, span);
                quote_spanned!(span=> #errors::Slot<#ty>)
            }
            Shape::Spread(_) => {
                let element = self.element();
                let errors = argument(&element, private, span);
                let element = erase::lifetimes(element.to_token_stream(), generics);
                quote_spanned!(span=> <#ty as #private::Spread>::Each<#errors::Slot<#element>>)
            }
            Shape::Flatten(_) => {
                quote_spanned!(span=> #private::FlatSlot<<#ty as #krate::KernelArgs>::Erased>)
            }
        }
    }

    /// Room for a `__T` for each parameter.
    pub(super) fn each(&self) -> TokenStream {
        let Self { krate, private, .. } = self;
        let (ty, span, this) = (self.field.ty, self.span(), self.this());
        match self.attr.shape {
            Shape::One => quote!(__T),
            Shape::Spread(_) => quote_spanned!(span=> <#ty as #private::Spread>::Each<__T>),
            Shape::Flatten(_) => quote_spanned!(span=> <#this as #krate::KernelArgs>::Each<__T>),
        }
    }

    /// Returns the parameter of a field that is one parameter: an expression.
    pub(super) fn description(&self, generics: &Generics) -> TokenStream {
        let own = match (&self.attr.names, &self.field.member) {
            (Some(Names::One(name)), _) => Some(name.to_token_stream()),
            (None, Member::Named(ident)) if self.args.strict_names => {
                Some(LitStr::new(&self.field.name, ident.span()).into_token_stream())
            }
            _ => None,
        };
        let description = self.description_of(self.field.ty, generics);
        let named = own.map(|name| quote_spanned!(self.span()=> .with_kernel_name(#name)));
        quote!(#description #named)
    }

    /// Returns the parameter of a value of type `ty`, which is the field or one of its elements: an expression.
    fn description_of(&self, ty: &Type, generics: &Generics) -> TokenStream {
        let (private, span, name, arg) = (&self.private, self.span(), &self.field.name, self.arg(ty));
        let info = quote_spanned!(span=> #arg::TYPE_INFO);
        let spelling = match (self.wide, self.attr.shape, self.field.ty) {
            (Some(wide), ..) => {
                let wide = input::spelling(&wide.to_token_stream());
                let both = format!("{wide} as {}", self.field.spelling());
                quote_spanned!(span=> #both)
            }
            // The derive does not see the element of an array whose type is an alias.
            (None, Shape::Spread(_), Type::Path(_)) => {
                spelling::instantiated(["", &self.field.spelling(), ""], span, private, &info)
            }
            _ => spelling::expression(ty, span, generics, private, &info),
        };
        let view = match self.attr.kind {
            FieldKind::Typed | FieldKind::Skipped => "typed",
            FieldKind::Opaque => "opaque",
            FieldKind::SharedWrite => "shared_write",
        };
        let view = Ident::new(view, span);
        let strict_code = self.args.strict_code.then(|| quote_spanned!(span=> .strict_code()));
        quote_spanned!(span=> #private::parameter(#name, #spelling, #info)#strict_code.#view())
    }

    /// Returns a `Part`, in a struct with a field that is not one parameter.
    pub(super) fn part(&self, generics: &Generics) -> TokenStream {
        let (private, span, name, this) = (&self.private, self.span(), &self.field.name, self.this());
        let parameters = match self.attr.shape {
            Shape::One => {
                let description = self.description(generics);
                quote!(const { &[#description] })
            }
            Shape::Spread(_) => {
                let (one, names) = (self.description_of(&self.element(), generics), self.element_names());
                quote_spanned! {span=>
                    const {
                        &#private::spread::<#this>(
                            #one, const { &#private::element_names::<#this>(#name) }.as_slice(), #names,
                        )
                    }.as_slice()
                }
            }
            Shape::Flatten(_) => {
                let ArgsAttr { strict_names, strict_code, .. } = self.args;
                quote_spanned! {span=>
                    const {
                        &#private::flattened::<#this>(
                            const { &#private::nested_names::<#this>(#name) }.as_slice(),
                            #strict_names,
                            #strict_code,
                        )
                    }.as_slice()
                }
            }
        };
        let (offset, in_place) = (self.host_offset(), self.is_value());
        quote_spanned! {span=>
            #private::Part { parameters: #parameters, offset: #offset, in_place: #in_place }
        }
    }

    fn element_names(&self) -> TokenStream {
        let (private, span, this) = (&self.private, self.span(), self.this());
        let (kind, text) = match &self.attr.names {
            Some(Names::List(names)) => {
                return quote_spanned!(span=> #private::ElementNames::Listed(&[#(#names),*]));
            }
            Some(Names::One(name)) => ("Numbered", name.value()),
            None => {
                let is_strict = self.args.strict_names && matches!(self.field.member, Member::Named(_));
                (if is_strict { "Numbered" } else { "Implied" }, format!("{}_{INDEX}", self.field.name))
            }
        };
        let (before, after) = text.split_once(INDEX).unwrap_or_default();
        let kind = Ident::new(kind, span);
        quote_spanned! {span=>
            #private::ElementNames::#kind(
                const { &#private::numbered_names::<#this>(#before, #after) }.as_slice()
            )
        }
    }

    /// Returns the index of the first parameter of the field.
    fn first(&self) -> TokenStream {
        let (private, index) = (&self.private, self.index);
        if self.has_parts {
            quote_spanned!(self.span()=> const { #private::first::<Self>(#index) })
        } else {
            quote!(#index)
        }
    }

    /// Compares the context of each argument with the stream's.
    pub(super) fn contexts(&self) -> TokenStream {
        let Self { krate, private, .. } = self;
        let (ty, member, span) = (self.field.ty, &self.field.member, self.span());
        let [own, stream, before] = ["self", "__stream", "__first"].map(|name| local(name, span));
        let (this, first) = (self.this(), self.first());
        match self.attr.shape {
            Shape::One if self.wide.is_some() => TokenStream::new(),
            Shape::One => {
                let arg = self.arg(ty);
                quote_spanned!(span=> #arg::check_context(&#own.#member, #stream, #before + #first);)
            }
            Shape::Spread(_) => {
                let arg = self.arg(&self.element());
                quote_spanned! {span=>
                    let mut __index = #before + #first;
                    for __element in <#this as #private::Spread>::elements(&#own.#member) {
                        #arg::check_context(__element, #stream, __index);
                        __index += 1;
                    }
                }
            }
            Shape::Flatten(_) => {
                quote_spanned!(span=> <#ty as #krate::KernelArgs>::check_contexts(&#own.#member, #stream, #before + #first);)
            }
        }
    }

    /// Returns the argument of a launcher, whose type rustc infers from the function: an expression.
    pub(super) fn c_argument(&self) -> TokenStream {
        let (private, span, index) = (&self.private, self.span(), self.index);
        let (arg, params) = (self.arg(self.field.ty), local("__params", span));
        let device = quote_spanned!(span=> #arg::Device);
        let device = match self.attr.kind {
            FieldKind::Typed | FieldKind::Skipped => device,
            FieldKind::Opaque => quote_spanned!(span=> #private::OpaqueArgument<#device>),
            FieldKind::SharedWrite => quote_spanned!(span=> #private::SharedWriteArgument<#device>),
        };
        quote_spanned!(span=> #private::c_argument::<#device, _>(#params, #index))
    }

    fn variable(&self) -> Ident {
        format_ident!("__field{}", self.index, span = Span::mixed_site())
    }

    /// Borrows the field. All fields are borrowed first: a closure of edition 2018 would borrow the whole struct.
    pub(super) fn borrow(&self) -> TokenStream {
        let (private, span, member) = (&self.private, self.span(), &self.field.member);
        let declared = self.wide.unwrap_or(self.field.ty);
        let (this, variable) = (local("self", span), self.variable());
        quote_spanned! {span=>
            let Self { #member: #variable, .. } = #this;
            let __same = (&*#variable,);
            #private::same_type::<#declared>(&__same);
        }
    }

    /// Writes the parameters of the field, then does the `rest`.
    ///
    /// SAFETY of the generated calls: the pattern and `same_type` prove that the field belongs to the struct and has
    /// the type from which `PARTS` and `PARAMETERS` were computed. So offsets and indices are in the bounds that the
    /// caller of `lower` guarantees. The blocks have the span of the derive, so `#![forbid(unsafe_code)]` in the user's
    /// crate does not apply to them.
    pub(super) fn put(&self, rest: &TokenStream) -> TokenStream {
        let Self { krate, private, index, .. } = self;
        let (ty, span) = (self.field.ty, self.span());
        let (variable, first, this) = (self.variable(), self.first(), self.this());
        let [stream, buffer, pointers] = ["__stream", "__buffer", "__pointers"].map(|name| local(name, span));
        match self.attr.shape {
            Shape::One => {
                let (arg, guard) = (self.arg(ty), format_ident!("__guard{index}", span = Span::mixed_site()));
                let put = quote_spanned! {span=>
                    #arg::put::<__Writer>(
                        #variable, #stream, #buffer, const { #private::offset::<Self>(#first) }, #pointers, #first,
                    )
                };
                // The variable borrows the narrow value then.
                let narrowed = self.wide.map(|_| {
                    quote_spanned! {span=>
                        let __wide = #variable;
                        let #variable = &mut #private::contract::narrow::<#ty>(&*__wide);
                    }
                });
                quote! {
                    #narrowed
                    let #guard = unsafe { #put };
                    #rest
                }
            }
            Shape::Spread(_) => {
                let arg = self.arg(&self.element());
                let put = quote_spanned! {span=>
                    #arg::put::<__Writer>(
                        __element, #stream, #buffer, #private::offset_at::<Self>(#first + __index), #pointers, #first + __index,
                    )
                };
                let put_each = quote_spanned!(span=> <#this as #private::Spread>::put_each);
                let values = quote_spanned!(span=> const { <Self as #krate::KernelArgs>::PARTS[#index].in_place });
                let [element, at] = ["__element", "__index"].map(|name| local(name, span));
                quote!(#put_each(#variable, #values, |#element, #at| unsafe { #put }, || { #rest }))
            }
            Shape::Flatten(_) => {
                let lower = quote_spanned! {span=>
                    <#ty as #krate::KernelArgs>::lower::<#private::Within<__Writer, Self, #index>, __Returned>
                };
                let then = format_ident!("__rest{index}", span = Span::mixed_site());
                quote! {
                    let #then = || { #rest };
                    unsafe { #lower(#variable, #stream, #buffer, #pointers, #then) }
                }
            }
        }
    }

    /// Returns the constant that reports a mistake at the field.
    pub(super) fn check(&self, generics: &Generics) -> TokenStream {
        let (index, private, span, ty) = (self.index, &self.private, self.span(), self.field.ty.to_token_stream());
        let is_generic = generics::parameters(generics).any(|parameter| generics::mentions(&ty, parameter));
        let fits = if self.has_parts {
            quote_spanned!(span=> part_fits(__REPORT, __FIRSTS, #index, #is_generic))
        } else {
            quote_spanned!(span=> field_fits(__REPORT, #index, #is_generic))
        };
        quote_spanned!(span=> const _: () = #private::#fits;)
    }
}
