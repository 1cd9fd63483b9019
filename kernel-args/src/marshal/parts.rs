//! Fields that are not one parameter: `#[kernel_args(spread)]` and `#[kernel_args(flatten)]`.

use super::KernelArgs;
use kernel_args_abi::Parameter;

/// The parameters of one field of a struct that spreads or flattens a field.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The parameters, at their offsets by C's rule from the first one.
    pub parameters: &'static [Parameter<'static>],
    /// The offset of the field in the struct on the host.
    pub offset: usize,
    /// Whether the memory of the field contains the parameters at these offsets.
    pub in_place: bool,
}

/// Returns the index of the first parameter of a field. For the index after the last field, the number of parameters.
#[must_use]
pub const fn first<A: KernelArgs>(field: usize) -> usize {
    if A::PARTS.is_empty() {
        return field;
    }
    let (mut first, mut i) = (0, 0);
    while i < field {
        first += A::PARTS[i].parameters.len();
        i += 1;
    }
    first
}

/// A field with `#[kernel_args(spread)]`: an array, each element of which is a parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be spread: only an array can",
    label = "not an array",
    note = "`#[kernel_args(spread)]` passes each element of an array as a parameter of its own: write `[T; N]`",
    note = "for the fields of a struct with `#[derive(KernelArgs)]`, write `#[kernel_args(flatten)]`",
    note = "if the number of parameters is known only at run time, use an `ArgList` and its method `spread`"
)]
pub trait Spread {
    /// The array itself: generated code names it so, and rustc then reports one error for a type that is not an array.
    type This: Spread<Element = Self::Element>;
    /// The type of an element.
    type Element;
    /// Room for a value for each element.
    type Each<T>;
    /// The number of elements.
    const LEN: usize;

    /// Returns the elements.
    fn elements(&self) -> &[Self::Element];

    /// Calls `put` with each element and its index, then `then`, then drops the results of `put`. For `values` they own
    /// nothing, and are not stored.
    fn put_each<'s, G, R>(
        &'s mut self,
        values: bool,
        put: impl FnMut(&'s mut Self::Element, usize) -> G,
        then: impl FnOnce() -> R,
    ) -> R;
}

#[diagnostic::do_not_recommend]
impl<A, const N: usize> Spread for [A; N] {
    type This = Self;
    type Element = A;
    type Each<T> = [T; N];
    const LEN: usize = N;

    #[inline(always)]
    fn elements(&self) -> &[A] {
        self
    }

    #[inline(always)]
    fn put_each<'s, G, R>(
        &'s mut self,
        values: bool,
        mut put: impl FnMut(&'s mut A, usize) -> G,
        then: impl FnOnce() -> R,
    ) -> R {
        let mut index = 0;
        let mut next = |element| {
            let result = put(element, index);
            index += 1;
            result
        };
        if values {
            for element in self {
                next(element);
            }
            return then();
        }
        let guards = self.each_mut().map(next);
        let returned = then();
        drop(guards);
        returned
    }
}
