//! The contracts of a struct: the grid, the block, the shared memory and the stream of a launch.

use super::{super::local, expression::Mode, output::Output};
use crate::attr::{Axes, Expression, StructContracts, Written};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

const AXES: [&str; 3] = ["x", "y", "z"];

impl Output<'_> {
    /// Returns the contracts of the struct, in the order in which they are checked.
    pub(super) fn of_struct(&self, contracts: &StructContracts) -> Vec<TokenStream> {
        let one = Expression::literal(1);
        let mut checks = Vec::new();
        checks.extend(contracts.block.as_ref().map(|block| self.block(block, &one)));
        let of_block = [
            (&contracts.block_multiple_of, "divides", "block_multiple", None),
            (&contracts.max_block, "reaches", "max_block", Some(&one)),
        ];
        for (written, quick, method, absent) in of_block {
            let Some(written) = written else { continue };
            let (compare, method) = (self.scope.quick(quick, written.span), Ident::new(method, Span::call_site()));
            checks.extend(extents(&written.value, absent).map(|(extent, value)| {
                let (threads, which) = (self.extent("block", extent, written.span), self.which(extent));
                let [quick_value, exact] = self.both(value);
                // All threads of a block can exceed a `u64`, which is no multiple and more than any other number.
                let is_exact = value.is_literal() && (extent.is_some() || quick == "reaches");
                let quick = (&quote!(#compare(#quick_value, #threads)), is_exact);
                self.exchangeable(written, quick, &quote!(#method(__geometry.block, #which, #exact)), &[value])
            }));
        }
        if let Some(covers) = &contracts.grid_covers {
            let span = covers.span;
            checks.extend(extents(&covers.value, None).map(|(extent, value)| {
                let [grid, block] = ["grid", "block"].map(|dim| self.extent(dim, extent, span));
                let reaches = self.scope.quick("reaches", span);
                let [required, exact] = self.both(value);
                let which = self.which(extent);
                self.check(
                    covers,
                    None,
                    (&quote!(#reaches(#grid.mul(#block), #required)), false),
                    &quote!(covers(__geometry, #which, #exact)),
                    &[value],
                )
            }));
        }
        checks.extend(contracts.requires.iter().map(|condition| {
            let [quick, exact] = self.both(&condition.value);
            let holds = self.scope.quick("holds", condition.span);
            let quick = (&quote!(#holds(#quick)), false);
            self.check(condition, None, quick, &quote!(requires(#exact)), &[&condition.value])
        }));
        checks.extend(contracts.shared.as_ref().map(|shared| self.shared(shared)));
        checks.extend(contracts.stream.as_ref().map(|stream| {
            let (quick, exact) = (quote!(__geometry.names_stream), quote!(stream(__geometry.names_stream)));
            self.check(stream, None, (&quick, true), &exact, &[])
        }));
        checks
    }

    /// `block = (32, 8)`
    fn block(&self, block: &Written<Axes>, one: &Expression) -> TokenStream {
        let values = block.value.all();
        let all = [0, 1, 2].map(|axis| values.get(axis).unwrap_or(one));
        let equal = self.scope.quick("equal", block.span);
        let quick = all.iter().zip(AXES).map(|(value, axis)| {
            let found = self.extent("block", Some(axis), block.span);
            let value = self.scope.value(value, Mode::Quick);
            quote!(#equal(#found, #value))
        });
        let quick = quote!(#(#quick)&&*);
        let exact = all.map(|value| self.scope.value(value, Mode::Exact));
        let exact = quote!(block(__geometry.block, [#(#exact),*]));
        let values: Vec<&Expression> = values.iter().collect();
        let quick = (&quick, values.iter().all(|value| value.is_literal()));
        self.exchangeable(block, quick, &exact, &values)
    }

    /// `shared = "block.x * 4"`
    fn shared(&self, shared: &Written<Expression>) -> TokenStream {
        let krate = self.scope.krate;
        let option = quote!(#krate::__private::Option);
        let quick = self.scope.quick("shared", shared.span);
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

    /// Returns the blocks or threads along one axis, or all of them.
    fn extent(&self, dim: &str, axis: Option<&str>, span: Span) -> TokenStream {
        let dim = Ident::new(dim, span);
        let geometry = local("__geometry", span);
        let axis = axis.map(|axis| Ident::new(axis, span));
        let name = if axis.is_some() { "axis" } else { "count" };
        let function = self.scope.quick(name, span);
        let axis = axis.into_iter();
        quote_spanned!(span=> #function(#geometry.#dim #(.#axis)*))
    }

    fn which(&self, axis: Option<&str>) -> TokenStream {
        let name = axis.map_or_else(|| "All".to_owned(), str::to_uppercase);
        let name = Ident::new(&name, Span::call_site());
        let extent = self.scope.item("Extent", Span::call_site());
        quote!(#extent::#name)
    }
}

/// Returns the axes with their values; no axis for a value that applies to all threads. `absent` is the value of an
/// axis without one.
fn extents<'a>(
    axes: &'a Axes,
    absent: Option<&'a Expression>,
) -> impl Iterator<Item = (Option<&'static str>, &'a Expression)> {
    let (one, each) = match axes {
        Axes::One(value) => (Some((None, value)), &[][..]),
        Axes::Each(values) => (None, values.as_slice()),
    };
    let each = AXES.into_iter().enumerate().filter_map(move |(i, axis)| {
        let value = each.get(i).or(absent.filter(|_| one.is_none()))?;
        Some((Some(axis), value))
    });
    one.into_iter().chain(each)
}
