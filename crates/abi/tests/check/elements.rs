//! The type that accesses show, and the types that they exclude.

use kernel_args_abi::{
    CppBase,
    check::contradicts,
    signature::{ElementClass, Elements},
};

/// A generated field of the inferred type must fit its own kernel.
#[test]
fn the_inferred_type_is_never_excluded() {
    let mut inferred = 0;
    for class in ElementClass::ALL {
        for size in 0..=16 {
            for step in 0..=32 {
                let elements = Elements { class, is_computed: true, size, step };
                assert_eq!(elements.scalar().is_some(), elements.name().is_some());
                if let Some(base) = elements.scalar() {
                    assert!(!contradicts(elements, base), "{elements:?}: {base}");
                    inferred += 1;
                }
            }
        }
    }
    assert!(inferred > 1000, "{inferred}");
}

#[test]
fn parts_of_larger_elements_show_no_type() {
    let of = |class, size, step| Elements { class, is_computed: true, size, step }.scalar();
    let integer = |bits| {
        let signed = false;
        Some(CppBase::Integer { signed, bits })
    };
    assert_eq!(of(ElementClass::Unknown, 4, 4), integer(32));
    assert_eq!(of(ElementClass::Integer, 8, 0), integer(64));
    assert_eq!(of(ElementClass::Unknown, 4, 8), None);
    assert_eq!(of(ElementClass::Unknown, 16, 16), None);
    assert_eq!(of(ElementClass::F16, 4, 4), Some(CppBase::Named("__half")), "two halves at once");
}
