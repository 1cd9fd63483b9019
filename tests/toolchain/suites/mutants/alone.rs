//! Mistakes that rustc detects without a kernel: types that have no device form.

use crate::mutants::{
    corpus::Kernel,
    source::{Place, Source},
    workspace::Diagnostic,
};
use kernel_args_test_generator::{Rng, Type};
use std::collections::BTreeMap;

/// A type without a device form, and the expected position of the error.
struct Formless {
    ty: &'static str,
    definition: &'static str,
    at: At,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Field,
    Definition,
    Struct,
}

const fn field(ty: &'static str) -> Formless {
    Formless { ty, definition: "", at: At::Field }
}

const fn definition(ty: &'static str, definition: &'static str) -> Formless {
    Formless { ty, definition, at: At::Definition }
}

const FORMLESS: &[Formless] = &[
    field("String"),
    field("&'static str"),
    field("&'static f32"),
    field("&'static [f32]"),
    field("Vec<f32>"),
    field("Box<f32>"),
    field("Option<f32>"),
    field("(f32, f32)"),
    field("char"),
    field("*const f32"),
    field("fn(f32) -> f32"),
    field("std::sync::Arc<f32>"),
    field("[char; 4]"),
    field("core::marker::PhantomData<f32>"),
    Formless {
        ty: "Plain",
        definition: "#[derive(Clone, Copy)] pub struct Plain { pub x: f32, pub y: f32 }",
        at: At::Field,
    },
    Formless { ty: "[u8; 40_000]", definition: "", at: At::Struct },
    definition("Bare", "#[derive(Clone, Copy, DeviceType)] pub struct Bare { pub x: u8, pub y: f32 }"),
    definition(
        "Packed",
        "#[derive(Clone, Copy, DeviceType)] #[repr(packed)] pub struct Packed { pub x: u8, pub y: f32 }",
    ),
    definition("Empty", "#[derive(Clone, Copy, DeviceType)] #[repr(C)] pub struct Empty {}"),
    definition("Loose", "#[derive(Clone, Copy, DeviceType)] pub enum Loose { A, B }"),
    definition("Full", "#[derive(Clone, Copy, DeviceType)] #[repr(C)] pub enum Full { A(f32), B }"),
    definition(
        "Text",
        "#[derive(Clone, Copy, DeviceType)] #[repr(C)] pub struct Text { pub x: u8, pub y: &'static str }",
    ),
    definition("Either", "#[derive(Clone, Copy, DeviceType)] #[repr(C)] pub union Either { pub x: u32, pub y: f32 }"),
];

/// One field of every struct has a type without a device form.
pub(crate) struct Alone {
    pub(crate) typed: Source,
    /// Types that rustc reports only after the types of all other fields are correct, so they need a separate crate.
    pub(crate) evaluated: Source,
    /// The mistake in each struct.
    cases: Vec<(&'static Formless, String)>,
}

/// The package of each half.
pub(crate) const PACKAGES: [&str; 2] = ["mutants_alone", "mutants_alone_sizes"];

impl Alone {
    /// A struct for every second kernel.
    pub(crate) fn make(kernels: &[Kernel]) -> Self {
        let mut alone = Self { typed: Source::new(), evaluated: Source::new(), cases: Vec::new() };
        for (i, kernel) in kernels.iter().step_by(2).enumerate() {
            let formless = &FORMLESS[i % FORMLESS.len()];
            let types = &kernel.signature.parameters;
            let at = Rng::new(crate::mutants::corpus::SEED, i as u64).below(types.len());
            let is_evaluated = formless.at == At::Struct || formless.ty.contains("PhantomData");
            let source = if is_evaluated { &mut alone.evaluated } else { &mut alone.typed };
            source.formless(i, kernel, formless, at);
            alone.cases.push((formless, format!("p{at}")));
        }
        alone
    }

    /// The number of rejected structs for each type, and the total; and the mistakes that were not detected or reported
    /// at the wrong position.
    pub(crate) fn judge(&self, diagnostics: &[Diagnostic]) -> (BTreeMap<&str, [usize; 2]>, Vec<String>) {
        let mut found: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        let mut faults = Vec::new();
        for (i, (formless, field)) in self.cases.iter().enumerate() {
            let expected = match formless.at {
                At::Field => Place::Field(field.clone()),
                At::Definition => Place::Definition,
                At::Struct => Place::Struct,
            };
            let own: Vec<&Diagnostic> = diagnostics
                .iter()
                .filter(|found| PACKAGES.contains(&found.package.as_str()))
                .filter(|found| matches!(&found.place, Some((case, _)) if *case == i))
                .collect();
            let entry = found.entry(formless.ty).or_default();
            entry[1] += 1;
            if own.iter().any(|found| matches!(&found.place, Some((_, place)) if *place == expected)) {
                entry[0] += 1;
            } else {
                faults.push(format!("`{field}: {}` is not reported at {expected:?}: {own:#?}", formless.ty));
            }
        }
        (found, faults)
    }
}

impl Source {
    /// The correct struct of a kernel, except for field `at`.
    fn formless(&mut self, number: usize, kernel: &Kernel, formless: &Formless, at: usize) {
        let types = &kernel.signature.parameters;
        let known = crate::mutants::corpus::definitions(types).unwrap_or_default();
        self.line(&format!("pub mod k{number} {{ use super::*;"));
        for (_, text) in known {
            self.line(text.trim_end());
        }
        self.placed(number, &Place::Definition, formless.definition);
        self.placed(number, &Place::Struct, "#[derive(KernelArgs)]");
        self.placed(number, &Place::Struct, "pub struct Args {");
        for (i, ty) in types.iter().map(Type::rust).enumerate() {
            let ty = if i == at { formless.ty } else { &ty };
            self.placed(number, &Place::Field(format!("p{i}")), &format!("pub p{i}: {ty},"));
        }
        self.line("}\n}");
    }
}
