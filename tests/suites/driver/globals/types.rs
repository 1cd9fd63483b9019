//! The types of the variables, as a Rust program mirrors them.

use crate::globals::{Outcome, World, described};
use kernel_args::{DevicePointer, DeviceType, Module};
use kernel_args_tests::{
    driver::{context, trial},
    values::{Bytes, Draw, Source, at},
};
use libtest_mimic::Trial;

/// The tables of a transform. Both logarithms are `unsigned`, so only their names distinguish them.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(super) struct PowersData {
    pub(super) coarse_log_count: u32,
    pub(super) fine_log_count: u32,
    pub(super) values: DevicePointer<u32>,
}

/// With padding after the first member and at the end.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(super) struct Light {
    pub(super) kind: i8,
    pub(super) intensity: f64,
    pub(super) direction: [f32; 3],
}

#[derive(Clone, Copy, DeviceType, Debug, PartialEq)]
#[repr(u32)]
pub(super) enum Mode {
    Fast = 1,
    Exact = 5,
}

impl Draw for PowersData {
    fn draw(from: &mut Source) -> Self {
        Self {
            coarse_log_count: Draw::draw(from),
            fine_log_count: Draw::draw(from),
            values: DevicePointer::from_raw(Draw::draw(from)),
        }
    }
}

impl Bytes for PowersData {
    fn bytes(&self) -> Vec<u8> {
        let values = self.values.address().bytes();
        at(16, &[(0, self.coarse_log_count.bytes()), (4, self.fine_log_count.bytes()), (8, values)])
    }
}

impl Draw for Light {
    fn draw(from: &mut Source) -> Self {
        Self { kind: Draw::draw(from), intensity: Draw::draw(from), direction: Draw::draw(from) }
    }
}

impl Bytes for Light {
    fn bytes(&self) -> Vec<u8> {
        at(32, &[(0, self.kind.bytes()), (8, self.intensity.bytes()), (16, self.direction.bytes())])
    }
}

impl Draw for Mode {
    fn draw(from: &mut Source) -> Self {
        if Draw::draw(from) { Self::Fast } else { Self::Exact }
    }
}

impl Bytes for Mode {
    fn bytes(&self) -> Vec<u8> {
        (*self as u32).bytes()
    }
}

/// The bytes of a `bool` or of an enum are compared with its values before they are read.
fn bytes_that_are_no_value_are_an_error() -> Outcome {
    let ctx = context()?;
    let world = World::new(Module::load(&ctx, described::IMAGE)?, ctx)?;
    let (flag, mode) = (world.module.global::<bool>("flag")?, world.module.global::<Mode>("mode")?);
    assert_eq!(mode.read()?, Mode::Exact);
    for (byte, value) in [(0, Some(false)), (1, Some(true)), (2, None), (255, None)] {
        world.fill("flag", &[byte])?;
        assert_eq!(flag.read().ok(), value, "{byte}");
        assert_eq!(flag.read_on(&world.stream)?.wait().ok(), value, "{byte}");
    }
    for (word, value) in [(1, Some(Mode::Fast)), (5, Some(Mode::Exact)), (2, None), (0, None)] {
        world.fill("mode", &u32::to_ne_bytes(word))?;
        assert_eq!(mode.read().ok(), value, "{word}");
    }
    let error = mode.read().expect_err("0 is not a variant").to_string();
    assert!(error.contains("`mode`") && error.contains("Mode`") && error.contains("global_bytes(\"mode\")"), "{error}");
    assert_eq!(world.module.global_bytes("mode")?.to_vec()?, [0; 4]);
    Ok(())
}

#[allow(missing_docs, reason = "each has its own")]
mod generated {
    kernel_args::kernels! {
        pub(crate) mod items = "../ptx/globals.ptx", debug_info = "../ptx/globals.debug.ptx", generate;
    }
}

/// `generate` writes the types that only variables have.
fn generated_types_fit() -> Outcome {
    use generated::items::{self, Light, Mode, PowersData};

    let ctx = context()?;
    let world = World::new(Module::load(&ctx, items::IMAGE)?, ctx)?;
    let powers = world.module.global::<PowersData>(items::POWERS_DATA)?;
    powers.write(&PowersData { coarse_log_count: 9, fine_log_count: 14, values: DevicePointer::NULL })?;
    let written = [9_u64 | 14 << 32, 0].map(u64::to_ne_bytes).concat();
    assert_eq!(world.seen("powers_data", 16)?, written);
    let lights = world.module.global::<[Light; 5]>(items::LIGHTS)?;
    lights.write(&[Light { kind: 3, intensity: 0.5, direction: [1.0, 2.0, 3.0] }; 5])?;
    assert_eq!(world.seen("lights", 5 * 32)?[4 * 32], 3);
    let mode = world.module.global::<Mode>(items::MODE)?;
    mode.write(&Mode::Fast)?;
    assert_eq!(world.seen("mode", 4)?, 1_u32.to_ne_bytes());
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("bytes_that_are_no_value_are_an_error", bytes_that_are_no_value_are_an_error),
        trial("generated_types_fit", generated_types_fit),
    ]
}
