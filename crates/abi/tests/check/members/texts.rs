//! The texts for members that differ.

use super::{super::sides::*, *};
use kernel_args_abi::check::{Report, report};

const LIGHT: Parameter<'static> =
    structure("light", "Light", 12, &[at(0, f32("intensity")), at(4, u32("kind")), at(8, f32("range"))]);
const fn light(members: &'static [Parameter<'static>]) -> Parameter<'static> {
    structure("light", "Light", 12, members)
}

/// Evaluated while the test compiles.
#[test]
fn a_difference_says_both_members_and_what_to_declare() {
    const KERNEL: &[Parameter<'static>] = &[LIGHT];
    const fn message(host: &'static [Parameter<'static>]) -> kernel_args_abi::texts::Message {
        let report: Report = report(&signature("Shade", host), &signature("shade", KERNEL));
        match report.field_message(0) {
            Some(message) => message,
            None => kernel_args_abi::texts::Message::new(),
        }
    }
    const RIGHT: &[Parameter<'static>] = &[LIGHT];
    const _: () = assert!(message(RIGHT).is_empty());
    const TYPE: &[Parameter<'static>] = &[light(&[at(0, f32("intensity")), at(4, f32("kind")), at(8, f32("range"))])];
    const PLACE: &[Parameter<'static>] = &[light(&[at(0, f32("intensity")), at(4, u32("kind"))])];
    const NAME: &[Parameter<'static>] = &[light(&[at(0, f32("range")), at(4, u32("kind")), at(8, f32("intensity"))])];
    const TEXTS: [kernel_args_abi::texts::Message; 3] = [message(TYPE), message(PLACE), message(NAME)];
    let sides = "`light` does not match parameter 0 of kernel `shade`\n  host    Light  Light  12 bytes, aligned to 4\n  kernel  Light  Light  12 bytes, aligned to 4\n  help: ";
    for (text, help) in TEXTS.iter().zip([
        "the kernel's struct has `kind` at byte 4 (unsigned int), this one has `kind` at byte 4 (`f32`): declare `kind: u32`; \
         `#[kernel_args(opaque)]` on the field turns this check off",
        "the kernel's struct has `range` (float) at byte 8, this one has no such member there: add `range: f32` at the \
         end; `#[kernel_args(opaque)]` on the field turns this check off",
        "the kernel's struct has `intensity` at byte 0, where this one has `range`, the name of another member of the \
         kernel's struct: put the members in the kernel's order, `intensity`, `kind`, `range`; or, if this one is `intensity`, rename it to `intensity` or \
         write `#[device_type(name = \"intensity\")]` on it; `#[kernel_args(opaque)]` on the field turns this check off",
    ]) {
        assert_eq!(text.as_str(), format!("{sides}{help}"));
    }
}
