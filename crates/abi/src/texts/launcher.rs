//! The texts of a report about the declaration of a host function that launches kernels.
//!
//! Each parameter has a Rust type to declare, which the macro writes: `declare`.

use super::{
    hint,
    rust::{Declaration, push_type},
    side::Side,
    templates as say,
};
use crate::{
    bytes::{same, starts_with},
    check::{Difference, Elsewhere, Mismatch, Pairing, Report, compare},
    class::Class,
    cpp::{
        CppBase, CppType,
        name::{agree, is_half},
        rust_scalar,
    },
    message::{Hint, Message},
    passing::{Convention, Passing},
    signature::{Members, Parameter, Signature},
};

impl<const N: usize> Report<'_, N> {
    /// Returns the error at an argument of the declaration. `None` if the argument is right.
    pub const fn argument_message(&self, argument: usize, declare: &[&str]) -> Option<Message> {
        match self.of_field(argument) {
            Some(mismatch) if !is_right(&self.pairing(), &mismatch) => {
                Some(self.declaration_message(mismatch, declare))
            }
            _ => self.passing_message(argument),
        }
    }

    /// Returns the error at an argument of the same bytes that is passed in another way. A value that nothing describes
    /// is not compared.
    const fn passing_message(&self, argument: usize) -> Option<Message> {
        let Pairing { host, kernel: launcher, .. } = self.pairing();
        if host.len() != launcher.len() || host[argument].size != launcher[argument].size {
            return None;
        }
        let (own, other) = (&host[argument], &launcher[argument]);
        let is_known = own.members.is_described() && other.members.is_described();
        if !is_known || Passing::of(own).is_like(&Passing::of(other), Convention::HOST) {
            return None;
        }
        let mut message = text!(argument_passed, own.name, argument, self.kernel().name);
        push_sides(&mut message, own, other);
        let hint: Hint = text!(leave_out_padding);
        say::help(&mut message, &hint);
        Some(message)
    }

    /// Returns the error at the function: the first parameter that the declaration lacks. `None` if it lacks none.
    pub const fn no_argument_message(&self, declare: &[&str]) -> Option<Message> {
        let mut i = 0;
        while i < self.len() {
            if let missing @ Mismatch::Missing { moved: None, .. } = self.mismatches()[i] {
                return Some(self.declaration_message(missing, declare));
            }
            i += 1;
        }
        None
    }

    #[cold]
    const fn declaration_message(&self, mismatch: Mismatch, declare: &[&str]) -> Message {
        let pairing = self.pairing();
        let (host, launcher, name) = (pairing.host, pairing.kernel, self.kernel().name);
        let mut hint = Hint::new();
        let mut message;
        match mismatch {
            Mismatch::Differs { field, parameter, differences, exchanged } => {
                message = text!(argument_differs, host[field].name, parameter, name);
                let declaration: Declaration = text!(declare, &typed(host[field].name, declare[parameter]));
                push_sides(&mut message, &host[field], &launcher[parameter]);
                if let Some(other) = exchanged {
                    let mut exchanged: Hint = text!(exchanged, host[field].name, host[other].name);
                    // Names show whether two arguments are exchanged.
                    let is_named = same(host[other].name, launcher[parameter].name);
                    if !is_named && !matches!(differences.first(), Some(Difference::ParameterName)) {
                        say::or_in_order(&mut exchanged, &declaration);
                    }
                    push_for_launcher(&mut hint, exchanged.as_str());
                } else {
                    let are_structs = host[field].members.is_known() && launcher[parameter].members.is_known();
                    match differences.first() {
                        Some(Difference::Size) if !are_structs => hint.push(declaration.as_str()),
                        Some(Difference::Members | Difference::Variants | Difference::Name | Difference::Size) => {
                            push_for_launcher(&mut hint, hint::hint(&pairing, field, parameter, differences).as_str());
                        }
                        Some(Difference::ParameterName) => {
                            if let Some(Elsewhere::At(other)) = pairing.elsewhere(field, parameter) {
                                let there = launcher[parameter].name;
                                say::argument_elsewhere(&mut hint, host[field].name, other, field, there);
                            }
                        }
                        Some(Difference::Constness) => {
                            hint.push(declaration.as_str());
                            say::or_allow_const(&mut hint);
                        }
                        _ => hint.push(declaration.as_str()),
                    }
                }
            }
            Mismatch::Missing { parameter, before, .. } => {
                message = text!(no_argument, parameter, name);
                say::cpp_side(&mut message, &Side::alone(&launcher[parameter], None));
                let place: Message<320> =
                    if before < host.len() { text!(before_field, host[before].name) } else { text!(at_end) };
                say::add_argument(&mut hint, &typed(launcher[parameter].name, declare[parameter]), &place);
            }
            Mismatch::Extra { field, moved } => {
                message = text!(argument_extra, host[field].name, name);
                say::rust_side(&mut message, &Side::alone(&host[field], None));
                match moved {
                    Some(parameter) => say::move_argument(&mut hint, parameter),
                    None => say::remove_declared(&mut hint, launcher.len(), host.len()),
                }
            }
        }
        say::help(&mut message, &hint);
        message
    }
}

/// Returns whether a declaration may differ in this way, although a new struct may not. Exchanged names are a mistake.
const fn is_right(pairing: &Pairing<'_>, mismatch: &Mismatch) -> bool {
    let Mismatch::Differs { field, parameter, differences, .. } = *mismatch else {
        return false;
    };
    let (own, other) = (&pairing.host[field], &pairing.kernel[parameter]);
    match differences.first() {
        _ if other.cpp.is_stream() && own.size == 8 && matches!(own.class, Class::Integer) => true,
        Some(Difference::ParameterName) => !any!(i < pairing.host.len(), same(pairing.host[i].name, other.name)),
        Some(Difference::Pointee) if own.cpp.const_mask & !other.cpp.const_mask == 0 => {
            points_to_bits(own.cpp, other.cpp) || points_to_elements(own, other) || points_to_elements(other, own)
        }
        _ => false,
    }
}

/// Returns whether one points to the bits of the other one's type: bytes for `bool`, 16 bits for `__half` and
/// `__nv_bfloat16`.
const fn points_to_bits(own: CppType<'_>, other: CppType<'_>) -> bool {
    let ((CppBase::Integer { signed: false, bits }, of) | (of, CppBase::Integer { signed: false, bits })) =
        (own.base, other.base)
    else {
        return false;
    };
    let is_alike = match of {
        CppBase::Bool => bits == 8,
        CppBase::Float { bits: 16 } => bits == 16,
        CppBase::Named(of) => bits == 16 && (is_half(of) || agree(of, "__nv_bfloat16")),
        _ => false,
    };
    is_alike && own.depth == other.depth && !own.is_array() && !other.is_array()
}

/// Returns whether all members of the struct behind the pointer `whole` have the type behind `part`, which is a number.
const fn points_to_elements(part: &Parameter<'_>, whole: &Parameter<'_>) -> bool {
    let is_deep = part.cpp.depth != 1 || whole.cpp.depth != 1 || part.cpp.is_array() || whole.cpp.is_array();
    let element = rust_scalar(part.cpp.base, 0);
    if is_deep || element.is_empty() {
        return false;
    }
    are_elements(some!(whole.pointee.get(), false).members, element, 8)
}

const fn are_elements(members: Members<'_>, element: &str, depth: usize) -> bool {
    let has_other = any!(i, member = members.get(i), {
        let is_element = member.cpp.depth == 0 && same(rust_scalar(member.cpp.base, 0), element);
        !is_element && (depth == 0 || !are_elements(member.members, element, depth - 1))
    });
    !members.is_empty() && !has_other
}

/// `None` if the returned type is right. A returned pointer may be declared with or without `const`.
pub const fn result_message(host: &[Parameter<'_>], launcher: &Signature<'_>, declare: &str) -> Option<Message> {
    let (name, mut hint) = (launcher.name, Hint::new());
    let mut message;
    match (host, launcher.parameters) {
        ([host], [launcher]) => {
            let differences = compare(host, launcher);
            if matches!(differences.first(), None | Some(Difference::Constness)) {
                return None;
            }
            message = text!(result_differs, name);
            push_sides(&mut message, host, launcher);
            say::declare_result(&mut hint, declare);
        }
        ([], [launcher]) => {
            message = text!(result_ignored, name);
            say::cpp_side(&mut message, &Side::alone(launcher, None));
            say::declare_result(&mut hint, declare);
        }
        ([host], []) => {
            message = text!(result_extra, name);
            say::rust_side(&mut message, &Side::alone(host, None));
            say::remove_result(&mut hint);
        }
        _ => return None,
    }
    say::help(&mut message, &hint);
    Some(message)
}

const fn push_sides(message: &mut Message, host: &Parameter<'_>, launcher: &Parameter<'_>) {
    let [left, right] = Side::lines(&Side::new(host, None), &Side::new(launcher, None));
    say::rust_side(message, &left);
    say::cpp_side(message, &right);
}

const fn typed(name: &str, ty: &str) -> Declaration {
    let mut field = Declaration::new();
    push_type(&mut field, name, ty);
    field
}

/// Appends a hint about a kernel and its fields, up to the attributes of a field, which an argument cannot have.
const fn push_for_launcher(hint: &mut Hint, text: &str) {
    const WORDS: [(&str, &str); 2] = [("kernel", "launcher"), ("field", "argument")];
    let bytes = text.as_bytes();
    let (mut from, mut at, mut is_quoted) = (0, 0, false);
    while at < bytes.len() && !starts_with(bytes.split_at(at).1, b"; `#[kernel_args(") {
        is_quoted ^= bytes[at] == b'`';
        let mut word = 0;
        while word < WORDS.len() && !is_quoted {
            let (old, new) = WORDS[word];
            if starts_with(bytes.split_at(at).1, old.as_bytes()) {
                hint.push(text.split_at(at).0.split_at(from).1);
                hint.push(new);
                from = at + old.len();
                at = from - 1;
                break;
            }
            word += 1;
        }
        at += 1;
    }
    hint.push(text.split_at(at).0.split_at(from).1);
}
