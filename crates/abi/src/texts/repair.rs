//! Hints for unpaired fields and parameters, and for several differences with one cause.

use super::{
    hint::hint,
    message::{Hint, Message},
    part_names::is_part,
    pointer::declaration,
    rust::types,
    templates as say,
};
use crate::{
    bytes::same,
    check::{Difference, Mismatch, Repair, Report, is_made},
    class::Class,
    cpp::{CppBase, name, vectors_of},
    signature::Parameter,
};

impl<const N: usize> Report<'_, N> {
    /// The cause of a mistake and what to write, in one line.
    pub(super) const fn hint(&self, mismatch: Mismatch) -> Hint {
        let mut text = Message::new();
        let (host, kernel) = (self.host().parameters, self.kernel().parameters);
        if self.fits_in_several_orders() {
            say::several_orders(&mut text);
            return self.or_in_order(&text);
        }
        if self.is_list()
            && let Some(hint) = self.argument_hint(mismatch)
        {
            return hint;
        }
        match (self.repair(mismatch), mismatch) {
            (Repair::Exchange(first, second), Mismatch::Differs { differences, .. })
                if !matches!(differences.first(), Some(Difference::ParameterName)) =>
            {
                say::exchanged(&mut text, host[first].name, host[second].name);
                return self.or_in_order(&text);
            }
            (_, Mismatch::Differs { field, parameter, differences, .. }) => {
                return hint(self, field, parameter, differences);
            }
            (Repair::Move { field, before }, Mismatch::Missing { .. }) => {
                say::move_field(&mut text, host[field].name, between(host, before).as_str());
            }
            (Repair::Move { before, .. }, Mismatch::Extra { moved: Some(parameter), .. }) => {
                say::move_away(&mut text, parameter, between(host, before).as_str());
                return self.or_in_order(&text);
            }
            (Repair::Add { parameter, before }, _) => return self.add(mismatch, parameter, before),
            (Repair::Replace { field, parameter, before }, _) => {
                let declare = declaration(&host[field], &kernel[parameter]);
                say::replace_field(&mut text, parameter, between(host, before).as_str(), declare.as_str());
            }
            (Repair::Remove(_), _) => return self.remove(mismatch),
            (Repair::Join { first, last, parameter }, _) => {
                let whole = &kernel[parameter];
                let declare = together(host, first, last, whole);
                say::split_struct(&mut text, last - first + 1, whole.size, parameter, declare.as_str());
            }
            (Repair::Split { field, first, last }, _) => {
                let whole = &host[field];
                let count = last - first + 1;
                if is_array_of(whole, &kernel[first], count) {
                    say::spread_array(&mut text, first, last, whole.spelling);
                } else {
                    say::joined_struct(&mut text, first, last, whole.size, whole.spelling, count);
                }
            }
            _ => {}
        }
        text
    }

    /// A change of the order. If only one field does not fit, adds the declaration for the current order.
    const fn or_in_order(&self, order: &Hint) -> Hint {
        let Some(Mismatch::Differs { field, parameter, differences, .. }) = self.in_place() else {
            return *order;
        };
        let mut text = Message::new();
        let declare = hint(self, field, parameter, differences);
        say::or_in_order(&mut text, order.as_str(), declare.as_str());
        text
    }

    /// The hint for a parameter without a field: `before` is the index of the field before which one is missing.
    const fn add(&self, mismatch: Mismatch, parameter: usize, before: usize) -> Hint {
        let mut text = Message::new();
        let (host, kernel) = (self.host().parameters, self.kernel().parameters);
        let ty = types("", None, &kernel[parameter]);
        let (first, last) = self.alike_to(mismatch);
        if first == last {
            let (place, name) = (between(host, before), kernel[parameter].name);
            let field = if is_made(name) { ty } else { types(name, None, &kernel[parameter]) };
            say::add_field(&mut text, place.as_str(), field.as_str());
        } else {
            let (from, to) = (before + first - parameter, before + last - parameter);
            let (from, to) = (host[from].name, host[to - 1].name);
            let mut either = Message::<768>::new();
            let others = types("", None, &kernel[if parameter == first { last } else { first }]);
            if last == first + 1 && !same(ty.as_str(), others.as_str()) {
                let (before, after) = if parameter == first { (&ty, &others) } else { (&others, &ty) };
                say::add_before_or_after(&mut text, from, before.as_str(), after.as_str(), first, last);
                return self.or_move(mismatch, &text);
            }
            if same(ty.as_str(), others.as_str()) {
                either = ty;
            } else {
                let Parameter { size, align, .. } = kernel[parameter];
                say::some_type(&mut either, (size, align));
            }
            if last == first + 1 {
                say::add_beside(&mut text, from, either.as_str(), first, last);
            } else {
                say::add_among(&mut text, from, to, either.as_str(), first, last);
            }
        }
        self.or_move(mismatch, &text)
    }

    /// The hint to add a field; or to move one, if a field without a parameter fits there.
    const fn or_move(&self, mismatch: Mismatch, add: &Hint) -> Hint {
        if let Some(Mismatch::Extra { field, .. }) = self.counterpart_of(mismatch) {
            let mut both = Message::new();
            say::add_or_move(&mut both, add.as_str(), self.host().parameters[field].name);
            return both;
        }
        *add
    }

    /// The hint for a field without a parameter.
    const fn remove(&self, mismatch: Mismatch) -> Hint {
        let mut text = Message::new();
        let (host, kernel) = (self.host().parameters, self.kernel().parameters);
        if host.len() <= kernel.len() {
            say::no_parameter(&mut text);
            return text;
        }
        let (first, last) = self.alike_to(mismatch);
        let (one, other) = (host[first].name, host[last].name);
        if first == last {
            say::remove_field(&mut text, kernel.len(), host.len());
        } else if last == first + 1 {
            say::remove_one(&mut text, one, other, kernel.len(), host.len());
        } else {
            say::remove_one_of(&mut text, one, other, kernel.len(), host.len());
        }
        text
    }

    /// The neighbours that can each be the mistake.
    pub(super) const fn alike_to(&self, mismatch: Mismatch) -> (usize, usize) {
        match (self.position(mismatch), mismatch) {
            (Some(position), _) => self.alike(position),
            (None, Mismatch::Missing { parameter, .. }) => (parameter, parameter),
            (None, Mismatch::Extra { field, .. }) => (field, field),
            _ => (0, 0),
        }
    }
}

/// Whether a field is an array of this many values like the parameter.
const fn is_array_of(field: &Parameter<'_>, parameter: &Parameter<'_>, count: usize) -> bool {
    field.cpp.is_array()
        && field.cpp.elements() == count
        && field.size == parameter.size * count
        && !is_part(field.name)
}

/// The hint for several fields that are one parameter.
const fn together(host: &[Parameter<'_>], first: usize, last: usize, whole: &Parameter<'_>) -> Message<1024> {
    let mut text = Message::new();
    let (is_vector, name) = match (whole.cpp.base, whole.align) {
        (CppBase::Named(spelled), _) => (name::is_builtin(spelled), spelled),
        (CppBase::Unknown, Some(align)) => (vectors_of::<1>(whole.size, align.bytes()).1 > 0, ""),
        _ => (false, ""),
    };
    if is_vector {
        say::as_one_field(&mut text, types("", None, whole).as_str());
        return text;
    }
    let mut pointers = Message::<128>::new();
    let mut i = first;
    while i <= last {
        if matches!(host[i].class, Class::Pointer) {
            say::with_pointers(&mut pointers);
            break;
        }
        i += 1;
    }
    if name.is_empty() {
        say::as_struct(&mut text, pointers.as_str());
    } else {
        say::as_named_struct(&mut text, name, pointers.as_str());
    }
    text
}

/// The position of a new field, relative to the fields before and after it.
const fn between(host: &[Parameter<'_>], before: usize) -> Message<320> {
    let mut text = Message::new();
    if host.is_empty() {
        say::to_the_struct(&mut text);
    } else if before == 0 {
        say::before_field(&mut text, host[0].name);
    } else if before >= host.len() {
        say::after_field(&mut text, host[host.len() - 1].name);
    } else {
        say::between_fields(&mut text, host[before - 1].name, host[before].name);
    }
    text
}
