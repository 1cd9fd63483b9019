//! The text for a struct that fits none of several kernels.

use super::templates as say;
use crate::{
    check::{Report, nearest, report},
    message::Message,
    signature::Signature,
};

/// The reserved length for one name in the list of kernels, and for the note about omitted kernels.
const ROOM: usize = 192;

/// The error for a struct that none of several kernels takes: their names, as far as they fit, and the mistakes for the
/// nearest kernel.
#[doc(hidden)]
pub const fn none_fits(host: &Signature<'_>, kernels: &[Signature<'_>]) -> Message<4096> {
    let mut message = text!(none_fits, host.name);
    if kernels.is_empty() {
        return message;
    }
    let nearest = &kernels[nearest(host, kernels)];
    let report: Report<'_> = report(host, nearest);
    let wrong = report.whole_message();
    let mut i = 0;
    while i < kernels.len() {
        if !message.has_room_for(wrong.as_str(), 2 * ROOM) {
            say::and_more(&mut message, kernels.len() - i);
            break;
        }
        say::kernel_in_list(&mut message, kernels[i].name);
        i += 1;
    }
    say::nearest(&mut message, nearest.name);
    message.push("\n");
    message.push(wrong.as_str());
    message
}
