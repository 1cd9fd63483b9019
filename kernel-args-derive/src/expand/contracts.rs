//! The contracts of a struct as one method, which a launch inlines.
//!
//! Each contract is a comparison, and a closure that only runs if the comparison does not hold: it computes again with more bits, and
//! decides.

use super::{
    expression::{Mode, Scope},
    local,
};
use crate::{
    attr::{Axes, Expression, FieldAttr, FieldContracts, Range, StructContracts, Written},
    diagnostics::Diagnostics,
    input::Field,
    repeated::refuse_macros,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Path, ext::IdentExt};

/// The names of the extents of a grid or block.
const EXTENTS: [(&str, &str); 3] = [("x", "X"), ("y", "Y"), ("z", "Z")];

/// The items of the impl that check the contracts; empty without contracts.
pub(super) fn contracts(
    input: &DeriveInput,
    krate: &Path,
    of_struct: &StructContracts,
    fields: &[Field<'_>],
    attrs: &[FieldAttr],
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    let scope = Scope {
        fields,
        generics: &input.generics,
        krate,
    };
    for expression in expressions(of_struct, attrs) {
        scope.check(expression, diagnostics);
    }
    for narrowed in attrs
        .iter()
        .filter_map(|attr| attr.contracts.narrowed.as_ref())
    {
        refuse_macros(&narrowed.value, diagnostics);
    }
    let output = Output {
        scope,
        name: input.ident.unraw().to_string(),
    };
    let each = || fields.iter().zip(attrs.iter().map(|attr| &attr.contracts));
    let narrowed: Vec<TokenStream> = each()
        .filter_map(|(field, contracts)| output.narrowed(field, contracts))
        .collect();
    let mut checks: Vec<TokenStream> = each()
        .flat_map(|(field, contracts)| {
            output
                .narrowed(field, contracts)
                .into_iter()
                .chain(output.of_field(field, contracts))
        })
        .collect();
    checks.extend(output.of_struct(of_struct));
    if checks.is_empty() {
        return TokenStream::new();
    }
    let (shared, stream) = (of_struct.shared.is_some(), of_struct.stream.is_some());
    let narrowed = (!narrowed.is_empty()).then(|| {
        quote! {
            #[inline(always)]
            fn check_narrowed(&self) -> #krate::__private::core::result::Result<(), #krate::__private::contract::ContractError> {
                #(#narrowed)*
                #krate::__private::core::result::Result::Ok(())
            }
        }
    });
    quote! {
        const CONTRACTS: #krate::__private::contract::Contracts = #krate::__private::contract::Contracts {
            any: true,
            shared: #shared,
            stream: #stream,
        };

        #[inline(always)]
        fn check_contracts(
            &self,
            mut __geometry: #krate::__private::contract::Geometry,
        ) -> #krate::__private::core::result::Result<#krate::__private::contract::Geometry, #krate::__private::contract::ContractError> {
            #(#checks)*
            #krate::__private::core::result::Result::Ok(__geometry)
        }

        #narrowed
    }
}

/// All expressions of all contracts.
fn expressions<'a>(
    of_struct: &'a StructContracts,
    attrs: &'a [FieldAttr],
) -> impl Iterator<Item = &'a Expression> {
    let axes = [
        &of_struct.block,
        &of_struct.block_multiple_of,
        &of_struct.max_block,
        &of_struct.grid_covers,
    ];
    let axes = axes.into_iter().flatten().flat_map(|axes| axes.value.all());
    let of_fields = attrs.iter().flat_map(|attr| {
        let contracts = &attr.contracts;
        let plain = [&contracts.len, &contracts.capacity, &contracts.multiple_of];
        let plain = plain.into_iter().flatten().map(|written| &written.value);
        let range = contracts.range.as_ref().map(|range| &range.value);
        plain.chain(
            range
                .into_iter()
                .flat_map(|range| range.low.iter().chain(&range.high)),
        )
    });
    let shared = of_struct.shared.iter().map(|shared| &shared.value);
    of_fields.chain(axes).chain(shared)
}

/// The code of the contracts.
struct Output<'a> {
    scope: Scope<'a>,
    /// The name of the struct.
    name: String,
}

impl Output<'_> {
    fn narrowed(&self, field: &Field<'_>, contracts: &FieldContracts) -> Option<TokenStream> {
        let narrowed = contracts.narrowed.as_ref()?;
        let (ty, span) = (&narrowed.value, narrowed.span);
        let (value, bounds) = (self.own(field, span), self.scope.item("Narrowed", span));
        let within = self.scope.function(Mode::Quick, "within", span);
        Some(self.check(
            narrowed,
            Some((field, "integer")),
            &quote_spanned!(span=> #within(&#value, <#ty as #bounds>::MIN, <#ty as #bounds>::MAX)),
            &quote!(narrow::<#ty>(__own)),
            &[],
        ))
    }

    /// The other contracts of a field, in the order in which they are checked.
    fn of_field(&self, field: &Field<'_>, contracts: &FieldContracts) -> Vec<TokenStream> {
        let range = contracts
            .range
            .as_ref()
            .map(|range| self.range(field, range));
        let multiple = contracts.multiple_of.as_ref().map(|of| {
            let (value, span) = (self.own(field, of.span), of.span);
            let quick = self.scope.function(Mode::Quick, "multiple", span);
            let [quick_of, exact] = self.both(&of.value);
            self.check(
                of,
                Some((field, "integer")),
                &quote_spanned!(span=> #quick(&#value, #quick_of)),
                &quote!(multiple(__own, #exact)),
                &[&of.value],
            )
        });
        let len = contracts.len.as_ref().map(|len| {
            let span = len.span;
            let required = self.scope.required(&len.value, Mode::Quick);
            let exact = self.scope.required(&len.value, Mode::Exact);
            let reaches = self.scope.function(Mode::Quick, "reaches", span);
            if let Some(capacity) = &contracts.capacity {
                let [quick_found, exact_found] = self.both(&capacity.value);
                return self.check(
                    len,
                    Some((field, "")),
                    &quote!(#reaches(#quick_found, #required)),
                    &quote!(len(#exact_found, #exact)),
                    &[&capacity.value, &len.value],
                );
            }
            let value = self.own(field, span);
            let elements = self.scope.function(Mode::Quick, "elements", span);
            self.check(
                len,
                Some((field, "elements")),
                &quote_spanned!(span=> #reaches(#elements(&#value), #required)),
                &quote!(len(__own, #exact)),
                &[&len.value],
            )
        });
        [range, multiple, len].into_iter().flatten().collect()
    }

    fn range(&self, field: &Field<'_>, range: &Written<Range>) -> TokenStream {
        let span = range.span;
        let Range {
            low,
            high,
            exclusive,
        } = &range.value;
        let own = self.own(field, span);
        let krate = self.scope.krate;
        let option = quote!(#krate::__private::core::option::Option);
        let bound = |bound: &Option<Expression>| match bound {
            Some(bound) => {
                let bound = self.scope.value(bound, Mode::Exact);
                quote!(#option::Some(#bound))
            }
            None => quote!(#option::None),
        };
        let constant = |bound: &Option<Expression>, absent: i128| match bound {
            Some(bound) => bound.constant(),
            None => Some(absent),
        };
        let quick = match (constant(low, i128::MIN), constant(high, i128::MAX)) {
            (Some(low), Some(high)) => {
                let high =
                    high.saturating_sub(i128::from(*exclusive && range.value.high.is_some()));
                let within = self.scope.function(Mode::Quick, "within", span);
                quote_spanned!(span=> #within(&#own, #low, #high))
            }
            _ => {
                let integer = self.scope.function(Mode::Quick, "integer", span);
                let reaches = self.scope.function(Mode::Quick, "reaches", span);
                let value = quote_spanned!(span=> #integer(&#own));
                let low = low.as_ref().map(|low| {
                    let low = self.scope.value(low, Mode::Quick);
                    quote!(#reaches(#value, #low))
                });
                let high = high.as_ref().map(|high| {
                    let high = self.scope.value(high, Mode::Quick);
                    if *exclusive {
                        let exceeds = self.scope.function(Mode::Quick, "exceeds", span);
                        quote!(#exceeds(#high, #value))
                    } else {
                        quote!(#reaches(#high, #value))
                    }
                });
                let parts = [low, high].into_iter().flatten();
                quote!(#(#parts)&&*)
            }
        };
        let (low, high) = (bound(low), bound(high));
        let bounds = [&range.value.low, &range.value.high];
        let bounds: Vec<&Expression> = bounds.into_iter().flatten().collect();
        self.check(
            range,
            Some((field, "integer")),
            &quick,
            &quote!(range(__own, #low, #high, #exclusive)),
            &bounds,
        )
    }

    /// The contracts of the struct, in the order in which they are checked.
    fn of_struct(&self, contracts: &StructContracts) -> Vec<TokenStream> {
        let one = Expression::Number(1);
        let mut checks = Vec::new();
        checks.extend(
            contracts
                .block
                .as_ref()
                .map(|block| self.block(block, &one)),
        );
        if let Some(of) = &contracts.block_multiple_of {
            checks.extend(extents(&of.value, None).map(|(extent, value)| {
                let threads = self.extent("block", extent, of.span);
                let divides = self.scope.function(Mode::Quick, "divides", of.span);
                let [quick, exact] = self.both(value);
                let quick = quote!(#divides(#quick, #threads));
                self.geometric(of, value, &quick, "block_multiple", extent, &exact)
            }));
        }
        if let Some(max) = &contracts.max_block {
            checks.extend(extents(&max.value, Some(&one)).map(|(extent, value)| {
                let threads = self.extent("block", extent, max.span);
                let reaches = self.scope.function(Mode::Quick, "reaches", max.span);
                let [quick, exact] = self.both(value);
                let quick = quote!(#reaches(#quick, #threads));
                self.geometric(max, value, &quick, "max_block", extent, &exact)
            }));
        }
        if let Some(covers) = &contracts.grid_covers {
            let span = covers.span;
            checks.extend(extents(&covers.value, None).map(|(extent, value)| {
                let [grid, block] = ["grid", "block"].map(|dim| self.extent(dim, extent, span));
                let reaches = self.scope.function(Mode::Quick, "reaches", span);
                let mul = self.scope.function(Mode::Quick, "mul", span);
                let required = self.scope.required(value, Mode::Quick);
                let exact = self.scope.required(value, Mode::Exact);
                let which = self.which(extent);
                self.check(
                    covers,
                    None,
                    &quote!(#reaches(#mul(#grid, #block), #required)),
                    &quote!(covers(__geometry, #which, #exact)),
                    &[value],
                )
            }));
        }
        checks.extend(contracts.shared.as_ref().map(|shared| self.shared(shared)));
        checks.extend(contracts.stream.as_ref().map(|stream| {
            let (quick, exact) = (
                quote!(__geometry.names_stream),
                quote!(stream(__geometry.names_stream)),
            );
            self.check(stream, None, &quick, &exact, &[])
        }));
        checks
    }

    /// `block = (32, 8)`
    fn block(&self, block: &Written<Axes>, one: &Expression) -> TokenStream {
        let values = block.value.all();
        let all = [0, 1, 2].map(|axis| values.get(axis).unwrap_or(one));
        let equal = self.scope.function(Mode::Quick, "equal", block.span);
        let quick = all.iter().zip(EXTENTS).map(|(value, (axis, _))| {
            let found = self.extent("block", Some(axis), block.span);
            let value = self.scope.value(value, Mode::Quick);
            quote!(#equal(#found, #value))
        });
        let quick = quote!(#(#quick)&&*);
        let exact = all.map(|value| self.scope.value(value, Mode::Exact));
        let exact = quote!(block(__geometry.block, [#(#exact),*]));
        let values: Vec<&Expression> = values.iter().collect();
        self.exchangeable(block, &quick, &exact, &values)
    }

    /// A contract about the block along one axis, or about all its threads.
    fn geometric(
        &self,
        written: &Written<Axes>,
        value: &Expression,
        quick: &TokenStream,
        method: &str,
        extent: Option<&'static str>,
        exact: &TokenStream,
    ) -> TokenStream {
        let (method, which) = (Ident::new(method, Span::call_site()), self.which(extent));
        let exact = quote!(#method(__geometry.block, #which, #exact));
        self.exchangeable(written, quick, &exact, &[value])
    }

    /// `shared = "block.x * 4"`
    fn shared(&self, shared: &Written<Expression>) -> TokenStream {
        let krate = self.scope.krate;
        let option = quote!(#krate::__private::core::option::Option);
        let quick = self.scope.function(Mode::Quick, "shared", shared.span);
        let exactly = self.scope.item("exactly", shared.span);
        let [quick_value, exact] = self.both(&shared.value);
        let read = self.scope.read_all(&[&shared.value]);
        let contract = self.contract("", shared, &[&shared.value]);
        quote! {
            __geometry.shared = #option::Some(match #quick(__geometry.shared, #quick_value) {
                #option::Some(__bytes) => __bytes,
                #option::None => {
                    #read
                    #exactly(move || #contract.shared(__geometry.shared, #exact))?
                }
            });
        }
    }

    /// A comparison, and the decision if it does not hold. The decision can use `__own`, the value of the field that the function
    /// reads.
    fn check<T>(
        &self,
        written: &Written<T>,
        own: Option<(&Field<'_>, &str)>,
        quick: &TokenStream,
        exact: &TokenStream,
        expressions: &[&Expression],
    ) -> TokenStream {
        let span = written.span;
        let exactly = self.scope.item("exactly", span);
        let read = self.scope.read_all(expressions);
        let own_value = own.filter(|(_, function)| !function.is_empty()).map(|(field, function)| {
            let value = self.own(field, span);
            let function = self.scope.function(Mode::Exact, function, span);
            let value = quote_spanned!(span=> #function(&#value));
            quote!(let __own = #value;)
        });
        let field = own.map_or("", |(field, _)| &field.name);
        let contract = self.contract(field, written, expressions);
        quote! {
            if !(#quick) {
                #own_value
                #read
                #exactly(move || #contract.#exact)?;
            }
        }
    }

    /// Same as [`check`](Self::check), for a contract on the struct that an exchanged grid and block could break.
    fn exchangeable<T>(
        &self,
        written: &Written<T>,
        quick: &TokenStream,
        exact: &TokenStream,
        expressions: &[&Expression],
    ) -> TokenStream {
        let exactly = self.scope.item("exactly", written.span);
        let geometry = self.scope.item("Geometry", written.span);
        let read = self.scope.read_all(expressions);
        let contract = self.contract("", written, expressions);
        quote! {
            if !(#quick) {
                #read
                #exactly(move || {
                    let __decide = |__geometry: #geometry| #contract.#exact;
                    __decide(__geometry).map_err(|__error| {
                        __error.unless_exchanged(&__decide(__geometry.exchanged()))
                    })
                })?;
            }
        }
    }

    /// The contract, for its error.
    fn contract<T>(
        &self,
        field: &str,
        written: &Written<T>,
        expressions: &[&Expression],
    ) -> TokenStream {
        let contract = self.scope.item("Contract", written.span);
        let operands = self.scope.operands(expressions);
        let (name, text) = (&self.name, &written.text);
        quote!(#contract::new(#name, #field, #text, #operands))
    }

    /// The field itself, for errors at its contract.
    fn own(&self, field: &Field<'_>, span: Span) -> TokenStream {
        let (this, member) = (local("self", span), &field.member);
        quote_spanned!(span=> #this.#member)
    }

    /// The blocks or threads along one axis, or all of them.
    fn extent(&self, dim: &str, axis: Option<&str>, span: Span) -> TokenStream {
        let dim = Ident::new(dim, span);
        let geometry = local("__geometry", span);
        match axis {
            Some(axis) => {
                let function = self.scope.function(Mode::Quick, "axis", span);
                let axis = Ident::new(axis, span);
                quote_spanned!(span=> #function(#geometry.#dim.#axis))
            }
            None => {
                let function = self.scope.function(Mode::Quick, "count", span);
                quote_spanned!(span=> #function(#geometry.#dim))
            }
        }
    }

    fn which(&self, axis: Option<&str>) -> TokenStream {
        let name = EXTENTS.iter().find(|(name, _)| Some(*name) == axis);
        let name = Ident::new(
            name.map_or("All", |(_, variant)| variant),
            Span::call_site(),
        );
        let extent = self.scope.item("Extent", Span::call_site());
        quote!(#extent::#name)
    }

    fn both(&self, value: &Expression) -> [TokenStream; 2] {
        [Mode::Quick, Mode::Exact].map(|mode| self.scope.value(value, mode))
    }
}

/// The axes with their values; no axis for a value that applies to all threads. `absent` is the value of an axis without one.
fn extents<'a>(
    axes: &'a Axes,
    absent: Option<&'a Expression>,
) -> impl Iterator<Item = (Option<&'static str>, &'a Expression)> {
    let (one, each) = match axes {
        Axes::One(value) => (Some((None, value)), &[][..]),
        Axes::Each(values) => (None, values.as_slice()),
    };
    let each = EXTENTS
        .iter()
        .enumerate()
        .filter_map(move |(i, (axis, _))| {
            let value = each.get(i).or(absent.filter(|_| one.is_none()))?;
            Some((Some(*axis), value))
        });
    one.into_iter().chain(each)
}
