//! What the derive emits for the fields of a struct of arguments. If a field is spread or flattened, only rustc knows the number of
//! parameters.

use super::{
    field::{ParameterField, Parameters, end_of_places, erased_field},
    local, respan,
};
use crate::{
    attr::{ElementNames, Shape},
    erase, field_errors, generics,
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{DeriveInput, Generics, Path, Type, parse_quote_spanned, spanned::Spanned};

pub(super) fn has_parts(fields: &[ParameterField<'_>]) -> bool {
    fields.iter().any(|parameter| !matches!(parameter.shape, Shape::One))
}

/// The type of the elements of a spread field. The derive sees it if the type is written as an array, not as an alias.
fn element(ty: &Type, krate: &TokenStream) -> Type {
    match ty {
        Type::Array(array) => {
            let element = &array.elem;
            parse_quote_spanned!(element.span()=> #element)
        }
        Type::Paren(inner) => element(&inner.elem, krate),
        Type::Group(inner) => element(&inner.elem, krate),
        _ => parse_quote_spanned!(ty.span()=> <#ty as #krate::__private::Spread>::Element),
    }
}

/// The type of the room for a field in the parameter buffer of a generic struct.
pub(super) fn slot(parameter: &ParameterField<'_>, input: &DeriveInput, krate: &TokenStream) -> TokenStream {
    let span = parameter.field.span();
    let ty = erased_field(&parameter.field, input);
    match parameter.shape {
        Shape::One => {
            let errors = field_errors::argument(parameter.field.ty, krate, span);
            quote_spanned!(span=> #errors::Slot<#ty>)
        }
        Shape::Spread(_) => {
            let element = element(parameter.field.ty, krate);
            let errors = field_errors::argument(&element, krate, span);
            let element = erase::lifetimes(element.to_token_stream(), &input.generics);
            quote_spanned!(span=> <#ty as #krate::__private::Spread>::Each<#errors::Slot<#element>>)
        }
        Shape::Flatten(_) => {
            quote_spanned!(span=> #krate::__private::FlatSlot<<#ty as #krate::KernelArgs>::Erased>)
        }
    }
}

pub(super) fn parameters(
    fields: &[ParameterField<'_>],
    input: &DeriveInput,
    (erased, is_generic): (&TokenStream, bool),
    krate: &Path,
) -> Parameters {
    let has_parts = has_parts(fields);
    let parts = fields.iter().enumerate().map(|(index, parameter)| PartField {
        parameter,
        index,
        has_parts,
        krate: respan(krate, parameter.field.span()),
    });
    let parts: Vec<PartField<'_>> = parts.collect();
    // Without closures, each field is borrowed where it is put: LLVM then stores several pointers at once.
    let puts = parts.iter().rev().fold(quote!(__launch()), |rest, part| {
        let (borrow, put) = ((!has_parts).then(|| part.borrow()), part.put(&rest));
        quote!(#borrow #put)
    });
    let borrows = parts.iter().filter(|_| has_parts).map(PartField::borrow);
    let (lower, contexts) = (quote!(#(#borrows)* #puts), parts.iter().map(PartField::contexts).collect());
    let end = end_of_places(krate);
    if !has_parts {
        let count = fields.len();
        let descriptions = parts.iter().map(|part| part.description(&input.generics, krate));
        let places = parts.iter().map(|part| {
            let (member, span, krate) = (&part.parameter.field.member, part.span(), &part.krate);
            let is_value = part.parameter.is_value(krate);
            quote_spanned!(span=> (#krate::__private::core::mem::offset_of!(Self, #member), #is_value))
        });
        return Parameters {
            each: quote!([__T; #count]),
            constants: quote! {
                const PARAMETERS: &'static [#krate::__private::abi::Parameter<'static>] =
                    &#krate::__private::place([#(#descriptions),*]);
            },
            in_place: quote! {
                const IN_PLACE: #krate::__private::core::primitive::bool = {
                    use #krate::__private::NotInPlace as _;
                    #krate::__private::is_packed(<Self as #krate::KernelArgs>::PARAMETERS, &[#(#places,)* (0, #end)])
                };
            },
            contexts,
            lower,
        };
    }
    let each = parts.iter().map(PartField::each);
    let all = parts.iter().map(|part| part.part(&input.generics, krate));
    Parameters {
        each: if is_generic { quote!((#(#each,)*)) } else { quote!([__T; #krate::__private::count::<#erased>()]) },
        constants: quote! {
            const PARTS: &'static [#krate::__private::Part] = {
                use #krate::__private::NotInPlace as _;
                let _: #krate::__private::core::primitive::bool = #end;
                &[#(#all),*]
            };
            const PARAMETERS: &'static [#krate::__private::abi::Parameter<'static>] =
                const { &#krate::__private::joined::<Self>() }.as_slice();
        },
        in_place: quote! {
            const IN_PLACE: #krate::__private::core::primitive::bool = #krate::__private::are_packed::<Self>();
        },
        contexts,
        lower,
    }
}

/// One constant per field, so rustc reports a mistake at its field, and one for missing fields.
pub(super) fn checks(fields: &[ParameterField<'_>], input: &DeriveInput, krate: &Path) -> TokenStream {
    let has_parts = has_parts(fields);
    let each = fields.iter().enumerate().map(|(i, parameter)| {
        let (ty, span) = (parameter.field.ty, parameter.field.span());
        let krate = respan(krate, span);
        let ty = ty.to_token_stream();
        let is_generic = generics::parameters(&input.generics).any(|parameter| generics::mentions(&ty, parameter));
        let fits = if has_parts {
            quote_spanned!(span=> part_fits(__REPORT, __FIRSTS, #i, #is_generic))
        } else {
            quote_spanned!(span=> field_fits(__REPORT, #i, #is_generic))
        };
        quote_spanned!(span=> const _: () = #krate::__private::#fits;)
    });
    let span = input.ident.span();
    let krate = respan(krate, span);
    let whole = quote_spanned!(span=> const _: () = #krate::__private::nothing_missing(__REPORT););
    quote!(#(#each)* #whole)
}

struct PartField<'a> {
    parameter: &'a ParameterField<'a>,
    index: usize,
    has_parts: bool,
    /// The path of the crate at the span of the field.
    krate: TokenStream,
}

impl PartField<'_> {
    /// The type of the field, or one with the same parameters, named by the trait that it must implement: then rustc reports a missing impl
    /// once.
    fn this(&self) -> TokenStream {
        let (ty, krate, span) = (self.parameter.field.ty, &self.krate, self.span());
        match self.parameter.shape {
            Shape::One => quote!(#ty),
            Shape::Spread(_) => quote_spanned!(span=> <#ty as #krate::__private::Spread>::This),
            Shape::Flatten(_) => quote_spanned!(span=> <#ty as #krate::KernelArgs>::Erased),
        }
    }

    fn span(&self) -> Span {
        self.parameter.field.span()
    }

    /// The parameter of a field that is one parameter: an expression.
    fn description(&self, generics: &Generics, path: &Path) -> TokenStream {
        let Self { parameter, .. } = self;
        let description = parameter.description(parameter.field.ty, generics, path);
        let said = parameter.kernel_name.as_ref();
        let said = said.map(|name| quote_spanned!(self.span()=> .with_kernel_name(#name)));
        quote!(#description #said)
    }

    /// Room for a value for each parameter.
    fn each(&self) -> TokenStream {
        let (ty, krate, span) = (self.parameter.field.ty, &self.krate, self.span());
        let this = self.this();
        match self.parameter.shape {
            Shape::One => quote!(__T),
            Shape::Spread(_) => {
                quote_spanned!(span=> <#ty as #krate::__private::Spread>::Each<__T>)
            }
            Shape::Flatten(_) => quote_spanned!(span=> <#this as #krate::KernelArgs>::Each<__T>),
        }
    }

    fn part(&self, generics: &Generics, path: &Path) -> TokenStream {
        let Self { parameter, krate, .. } = self;
        let (ty, span) = (parameter.field.ty, self.span());
        let (name, member) = (&parameter.field.name, &parameter.field.member);
        let this = self.this();
        let is_value = parameter.is_value(krate);
        let (parameters, in_place) = match parameter.shape {
            Shape::One => {
                let description = self.description(generics, path);
                (quote!(const { &[#description] }), is_value)
            }
            Shape::Spread(_) => {
                let one = parameter.description(&element(ty, krate), generics, path);
                let names = self.element_names();
                let parameters = quote_spanned! {span=>
                    const {
                        &#krate::__private::spread::<#this>(
                            #one, const { &#krate::__private::element_names::<#this>(#name) }.as_slice(), #names,
                        )
                    }.as_slice()
                };
                (parameters, is_value)
            }
            Shape::Flatten(_) => {
                let (strict_names, strict_code) = (parameter.strict_names, parameter.strict_code);
                let parameters = quote_spanned! {span=>
                    const {
                        &#krate::__private::flattened::<#this>(
                            const { &#krate::__private::nested_names::<#this>(#name) }.as_slice(),
                            #strict_names,
                            #strict_code,
                        )
                    }.as_slice()
                };
                (parameters, quote_spanned!(span=> <#ty as #krate::KernelArgs>::IN_PLACE))
            }
        };
        quote_spanned! {span=>
            #krate::__private::Part {
                parameters: #parameters,
                offset: #krate::__private::core::mem::offset_of!(Self, #member),
                in_place: #in_place,
            }
        }
    }

    fn element_names(&self) -> TokenStream {
        let Self { parameter, krate, .. } = self;
        let (this, span) = (self.this(), self.span());
        let is_named = matches!(parameter.field.member, syn::Member::Named(_));
        let (kind, before, after) = match &parameter.element_names {
            Some(ElementNames::Listed(names)) => {
                return quote_spanned!(span=> #krate::__private::ElementNames::Listed(&[#(#names),*]));
            }
            Some(ElementNames::Numbered(before, after)) => ("Numbered", before.clone(), after.as_str()),
            None => {
                let is_strict = parameter.strict_names && is_named;
                let kind = if is_strict { "Numbered" } else { "Implied" };
                (kind, format!("{}_", parameter.field.name), "")
            }
        };
        let kind = syn::Ident::new(kind, span);
        quote_spanned! {span=>
            #krate::__private::ElementNames::#kind(
                const { &#krate::__private::numbered_names::<#this>(#before, #after) }.as_slice()
            )
        }
    }

    fn first(&self) -> TokenStream {
        let (krate, index) = (&self.krate, self.index);
        if !self.has_parts {
            return quote!(#index);
        }
        quote_spanned!(self.span()=> const { #krate::__private::first::<Self>(#index) })
    }

    fn contexts(&self) -> TokenStream {
        let Self { parameter, krate, .. } = self;
        let (ty, member, span) = (parameter.field.ty, &parameter.field.member, self.span());
        let [own, stream, before] = ["self", "__stream", "__first"].map(|name| local(name, span));
        let (this, first) = (self.this(), self.first());
        match parameter.shape {
            Shape::One if parameter.wide.is_some() => TokenStream::new(),
            Shape::One => {
                let errors = field_errors::argument(ty, krate, span);
                quote_spanned!(span=> <#ty as #errors::Arg>::check_context(&#own.#member, #stream, #before + #first);)
            }
            Shape::Spread(_) => {
                let element = element(ty, krate);
                let errors = field_errors::argument(&element, krate, span);
                quote_spanned! {span=>
                    let mut __index = #before + #first;
                    for __element in <#this as #krate::__private::Spread>::elements(&#own.#member) {
                        <#element as #errors::Arg>::check_context(__element, #stream, __index);
                        __index += 1;
                    }
                }
            }
            Shape::Flatten(_) => {
                quote_spanned!(span=> <#ty as #krate::KernelArgs>::check_contexts(&#own.#member, #stream, #before + #first);)
            }
        }
    }

    fn variable(&self) -> syn::Ident {
        format_ident!("__field{}", self.index, span = Span::mixed_site())
    }

    /// Borrows the field. With closures, all fields are borrowed first: a closure of edition 2018 would borrow the whole struct.
    fn borrow(&self) -> TokenStream {
        let (krate, span) = (&self.krate, self.span());
        let (declared, member) = (self.parameter.declared(), &self.parameter.field.member);
        let (this, variable) = (local("self", span), self.variable());
        quote_spanned! {span=>
            let Self { #member: #variable, .. } = #this;
            let __same = (&*#variable,);
            #krate::__private::same_type::<#declared>(&__same);
        }
    }

    /// Writes the parameters of the field, then does the `rest`.
    ///
    /// SAFETY of the generated calls: the pattern and `same_type` prove that the field belongs to the struct and has the type from which
    /// `PARTS` and `PARAMETERS` were computed. So offsets and indices are in the bounds that the caller of `lower` guarantees. The blocks
    /// have the span of the derive, so `#![forbid(unsafe_code)]` in the user's crate does not apply to them.
    fn put(&self, rest: &TokenStream) -> TokenStream {
        let Self { parameter, krate, .. } = self;
        let (ty, span, index) = (parameter.field.ty, self.span(), self.index);
        let (variable, first, this) = (self.variable(), self.first(), self.this());
        let guard = format_ident!("__guard{index}", span = Span::mixed_site());
        let [stream, buffer, pointers] = ["__stream", "__buffer", "__pointers"].map(|name| local(name, span));
        match parameter.shape {
            Shape::One => {
                let errors = field_errors::argument(ty, krate, span);
                let put = quote_spanned! {span=>
                    <#ty as #errors::Arg>::put::<__Writer>(
                        #variable, #stream, #buffer, const { #krate::__private::offset::<Self>(#first) }, #pointers, #first,
                    )
                };
                let narrowed = parameter.narrowed(&variable, krate);
                quote! {
                    #narrowed
                    let #guard = unsafe { #put };
                    #rest
                }
            }
            Shape::Spread(_) => {
                let element = element(ty, krate);
                let errors = field_errors::argument(&element, krate, span);
                let put = quote_spanned! {span=>
                    <#element as #errors::Arg>::put::<__Writer>(
                        __element, #stream, #buffer, #krate::__private::offset_at::<Self>(#first + __index), #pointers, #first + __index,
                    )
                };
                let put_each = quote_spanned!(span=> <#this as #krate::__private::Spread>::put_each);
                let values = quote_spanned!(span=> const { <Self as #krate::KernelArgs>::PARTS[#index].in_place });
                let [element, at] = ["__element", "__index"].map(|name| local(name, span));
                quote! {
                    #put_each(#variable, #values, |#element, #at| unsafe { #put }, || { #rest })
                }
            }
            Shape::Flatten(_) => {
                let lower = quote_spanned! {span=>
                    <#ty as #krate::KernelArgs>::lower::<#krate::__private::Within<__Writer, Self, #index>, __Returned>
                };
                let then = format_ident!("__rest{index}", span = Span::mixed_site());
                quote! {
                    let #then = || { #rest };
                    unsafe { #lower(#variable, #stream, #buffer, #pointers, #then) }
                }
            }
        }
    }
}
