//! The bodies of any PTX are analysed in bounded time, or not at all. The result is consistent, and the same from the
//! table of a program.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_abi::{Body, signature::SlotKind};
use kernel_args_image::{
    ParameterList,
    ptx::{Bodies, Module},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = Module::read(bytes) else {
        return;
    };
    let mut bodies = Bodies::new(bytes);
    for entry in module.entries() {
        let Some(body) = bodies.kernel(&module, entry.name) else {
            continue;
        };
        assert_eq!(body.parameters().len(), entry.parameters.len());
        let mut parameters = entry.signature_parameters(None);
        for (parameter, body) in parameters.iter_mut().zip(body.parameters()) {
            check(body, parameter.size);
            parameter.body = body;
        }
        let stored = ParameterList::new(&parameters);
        assert_eq!(stored.parameters(), parameters);
    }
});

fn check(body: Body<'_>, size: usize) {
    let mut end = 0;
    for slot in body.slots() {
        assert!(slot.offset >= end && slot.offset < size);
        end = slot.offset + 8;
        assert_eq!(body.at(slot.offset), Some(slot));
        if slot.kind == SlotKind::Integer {
            assert!(!slot.read.is_possible() && !slot.written.is_possible());
            assert!(slot.arithmetic.is_some());
        }
        assert!(!slot.written.is_certain() || slot.write.is_some());
        assert!(!slot.is_only_read() || !slot.written.is_possible());
    }
}

#[cfg(not(fuzzing))]
fn main() {}
