//! The text of a single signature contains exactly the definitions that it uses.

use kernel_args_test_generator::{Shape, Signature, Type, cpp::PRELUDE, signature};

fn alone(parameters: &[Type]) -> String {
    let any = signature(1, Shape::Plain, 0);
    let parameters = parameters.to_vec();
    let signature = Signature { parameters, open: 0, ..any };
    signature.cpp_alone()
}

#[test]
fn only_the_used_lines_of_the_prelude_are_shown() {
    assert_eq!(alone(&[Type::named("f32")]).lines().count(), 1);
    assert_eq!(alone(&[Type::named("BFloat162")]).lines().count(), 3);
    assert_eq!(alone(&[Type::named("TensorMap")]).lines().count(), 2);
    let array = Type::Array(Box::new(Type::named("CuFloatComplex")), 3);
    let text = alone(&[array]);
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.lines().take(2).all(|line| PRELUDE.contains(line)));
}
