//! The text for a struct that fits none of several kernels.

use super::{message::Message, templates as say};
use crate::{
    check::{Report, nearest, report},
    signature::Signature,
};

/// The room for one name in the list of kernels, and for what tells that some are left out.
const ROOM: usize = 192;

/// That none of several kernels takes the fields of a struct: the kernels, as many as there is room for, and what is wrong
/// for the nearest of them.
#[doc(hidden)]
#[must_use]
pub const fn none_fits(host: &Signature<'_>, kernels: &[Signature<'_>]) -> Message<4096> {
    let mut message = Message::new();
    say::none_fits(&mut message, host.name);
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
