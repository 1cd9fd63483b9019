//! The contracts of a field.

use super::{
    expression::Mode,
    output::{Output, own_field},
};
use crate::{
    attr::{Expression, FieldContracts, Range, Written},
    field_errors::{is_option, is_value},
    input::Field,
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

impl Output<'_> {
    pub(super) fn narrowed(&self, field: &Field<'_>, contracts: &FieldContracts) -> Option<TokenStream> {
        let narrowed = contracts.narrowed.as_ref()?;
        let (ty, span) = (&narrowed.value, narrowed.span);
        let (value, bounds) = (own_field(field, span), self.scope.item("Narrowed", span));
        let within = self.scope.quick("within", span);
        Some(self.check(
            narrowed,
            Some((field, "integer")),
            (&quote_spanned!(span=> #within(&#value, <#ty as #bounds>::MIN, <#ty as #bounds>::MAX)), true),
            &quote!(narrow::<#ty>(__own)),
            &[],
        ))
    }

    /// Returns the other contracts of a field, in the order in which they are checked.
    pub(super) fn of_field(&self, field: &Field<'_>, contracts: &FieldContracts) -> Vec<TokenStream> {
        let range = contracts.range.as_ref().map(|range| self.range(field, range));
        let multiple = contracts.multiple_of.as_ref().map(|of| {
            let (value, span) = (own_field(field, of.span), of.span);
            let quick = self.scope.quick("multiple", span);
            let [quick_of, exact] = self.both(&of.value);
            self.check(
                of,
                Some((field, "integer")),
                (&quote_spanned!(span=> #quick(&#value, #quick_of)), of.value.is_literal()),
                &quote!(multiple(__own, #exact)),
                &[&of.value],
            )
        });
        let len = contracts.len.as_ref().map(|len| {
            let span = len.span;
            let reaches = self.scope.quick("reaches", span);
            if let Some(capacity) = &contracts.capacity {
                let [quick_found, exact_found] = self.both(&capacity.value);
                let [required, exact] = self.both(&len.value);
                // The null pointer has no memory that could be too short.
                let is_null = is_option(field.ty).then(|| {
                    let (value, krate) = (own_field(field, span), self.scope.krate);
                    quote_spanned!(span=> #krate::__private::Option::is_none(&#value) ||)
                });
                return self.check(
                    len,
                    Some((field, "")),
                    (&quote!(#is_null #reaches(#quick_found, #required)), false),
                    &quote!(len(#exact_found, #exact)),
                    &[&capacity.value, &len.value],
                );
            }
            let [required, exact] = [Mode::Quick, Mode::Exact].map(|mode| self.scope.required(&len.value, mode));
            let is_leaf = len.value.is_place || len.value.is_literal();
            if is_value(field.ty) {
                // It was reported.
                return TokenStream::new();
            }
            let value = own_field(field, span);
            let elements = self.scope.quick("elements", span);
            self.check(
                len,
                Some((field, "elements")),
                (&quote_spanned!(span=> #reaches(#elements(&#value), #required)), is_leaf),
                &quote!(len(__own, #exact)),
                &[&len.value],
            )
        });
        [range, multiple, len].into_iter().flatten().collect()
    }

    fn range(&self, field: &Field<'_>, range: &Written<Range>) -> TokenStream {
        let Range { low, high, exclusive } = &range.value;
        let krate = self.scope.krate;
        let option = quote!(#krate::__private::Option);
        let bounds: Vec<&Expression> = low.iter().chain(high).collect();
        let [low, high] = [low, high].map(|bound| {
            let bound = bound.as_ref().map(|bound| self.scope.value(bound, Mode::Exact));
            bound.map_or_else(|| quote!(#option::None), |bound| quote!(#option::Some(#bound)))
        });
        let (quick, is_exact) = self.quick_range(field, range);
        let exact = quote!(range(__own, #low, #high, #exclusive));
        self.check(range, Some((field, "integer")), (&quick, is_exact), &exact, &bounds)
    }

    /// Between constants with any sign, otherwise between numbers that are not negative.
    fn quick_range(&self, field: &Field<'_>, range: &Written<Range>) -> (TokenStream, bool) {
        let span = range.span;
        let Range { low, high, exclusive } = &range.value;
        let own = own_field(field, span);
        let least = low.as_ref().map_or(Some(i128::MIN), |low| low.constant);
        let end = high.as_ref().map_or(Some(i128::MAX), |high| high.constant);
        if let (Some(least), Some(end)) = (least, end) {
            let most = end.saturating_sub((*exclusive && high.is_some()).into());
            let within = self.scope.quick("within", span);
            let quick = quote_spanned!(span=> #within(&#own, #least, #most));
            return (quick, true);
        }
        let [integer, reaches, exceeds] = ["integer", "reaches", "exceeds"].map(|name| self.scope.quick(name, span));
        let value = quote_spanned!(span=> #integer(&#own));
        let low = low.as_ref().map(|low| {
            let low = self.scope.value(low, Mode::Quick);
            quote!(#reaches(#value, #low))
        });
        let high = high.as_ref().map(|high| {
            let high = self.scope.value(high, Mode::Quick);
            let above = if *exclusive { &exceeds } else { &reaches };
            quote!(#above(#high, #value))
        });
        let parts = [low, high].into_iter().flatten();
        (quote!(#(#parts)&&*), false)
    }
}
