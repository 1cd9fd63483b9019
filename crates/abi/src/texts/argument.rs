//! Hints for a list of arguments, which has no fields to declare.

use super::{
    body,
    rust::{Declaration, alternatives, is_index, push_types, types},
    spelling::push_separator,
    templates as say,
};
use crate::{
    bytes::same,
    check::{Difference, Differences, Mismatch, Pairing, Report},
    message::Hint,
    signature::Parameter,
};

/// The name of the signature of a list of arguments. Its parameters have their indices as names.
pub const LIST: &str = "ArgList";

impl<const N: usize> Report<'_, N> {
    pub(super) const fn is_list(&self) -> bool {
        let host = self.host();
        same(host.name, LIST) && (host.parameters.is_empty() || is_index(host.parameters[0].name))
    }

    /// Returns what to push instead. `None` if the hint for structs also applies to a list.
    pub(super) const fn argument_hint(&self, mismatch: Mismatch) -> Option<Hint> {
        let Pairing { host, kernel, .. } = self.pairing();
        Some(match mismatch {
            Mismatch::Differs { exchanged: Some(_), .. }
            | Mismatch::Missing { moved: Some(_), .. }
            | Mismatch::Extra { moved: Some(_), .. } => return None,
            Mismatch::Differs { field, parameter, differences, .. } => {
                let (own, kernel) = (&host[field], &kernel[parameter]);
                if !is_of_type(differences) || body::contradicting(own, kernel, differences).is_some() {
                    return None;
                }
                text!(push_argument, &values(Some(own), kernel), field)
            }
            Mismatch::Missing { parameter, before, .. } => {
                text!(push_argument, &values(None, &kernel[parameter]), before)
            }
            Mismatch::Extra { .. } if host.len() > kernel.len() => text!(remove_argument, kernel.len(), host.len()),
            Mismatch::Extra { .. } => text!(remove_or_move_argument),
        })
    }
}

const fn is_of_type(differences: Differences) -> bool {
    matches!(
        differences.first(),
        Some(
            Difference::Size
                | Difference::Class
                | Difference::Pointer
                | Difference::Type
                | Difference::Signedness
                | Difference::Pointee
                | Difference::Constness
        )
    )
}

/// Values for a parameter: `` `2.0_f32` ``, `` `1_u32` or `1_i32` ``. Types, if they have no literals.
const fn values(host: Option<&Parameter<'_>>, kernel: &Parameter<'_>) -> Declaration {
    let spelled = types("", host, kernel);
    let (offered, count) = alternatives(host, kernel);
    let mut values = Declaration::new();
    let mut i = 0;
    while i < count {
        let ty = offered[i];
        let one = match ty.as_bytes() {
            b"f32" | b"f64" => "2.0",
            [b'u' | b'i', b'0'..=b'9', ..] => "1",
            _ => return spelled,
        };
        push_separator(&mut values, i, i + 1);
        say::literal(&mut values, one, ty);
        i += 1;
    }
    let mut listed = Declaration::new();
    push_types(&mut listed, "", offered.split_at(count).0);
    if count > 0 && same(listed.as_str(), spelled.as_str()) { values } else { spelled }
}
