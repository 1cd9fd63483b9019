//! Each variable, written by the host and read by a kernel, and the other way around.

use crate::globals::{
    Outcome, PTX, World, described, plain,
    types::{Light, Mode, PowersData},
};
use kernel_args::{
    DevicePointerMut, DeviceType, Image, Module,
    global::GlobalType,
    image::{DebugInfo, Verification},
    vector::Float4,
};
use kernel_args_tests::{
    driver::{context, trial},
    tally,
    values::{Bytes, Draw, Source},
};
use libtest_mimic::Trial;

/// Rounds with other values for each variable.
const ROUNDS: u64 = 8;

/// Whether kernels write the variable too.
#[derive(Clone, Copy, PartialEq)]
enum Kernels {
    Read,
    ReadAndFill,
}

/// The images of the same source: PTX with types from debug information, and without.
fn worlds() -> Result<Vec<(World, bool)>, Box<dyn std::error::Error>> {
    let ctx = context()?;
    let load = |image: Image<'_>| -> Result<World, Box<dyn std::error::Error>> {
        World::new(Module::load(&ctx, image)?, ctx.clone())
    };
    Ok(vec![(load(described::IMAGE.into())?, true), (load(plain::IMAGE.into())?, false), (load(PTX.into())?, false)])
}

fn check<T: DeviceType + Bytes>(name: &str, kernel: &str, kernels: Kernels) -> Outcome {
    for (world, is_described) in worlds()? {
        let global = world.module.global::<T>(name)?;
        assert_eq!(global.size(), size_of::<T>());
        let Verification::Verified { driver: true, image: true, debug_info, not_compared, .. } = global.verification()
        else {
            panic!("{:?}", global.verification());
        };
        assert_eq!(*debug_info == DebugInfo::Verified, is_described);
        assert_eq!(not_compared.as_slice(), []);
        let mut from = Source::new(size_of::<T>() as u64);
        for _ in 0..ROUNDS {
            let value = T::draw(&mut from);
            let bytes = value.bytes();
            global.write(&value)?;
            tally::compare(kernel, "written", &world.seen(kernel, bytes.len())?, &bytes)?;
            tally::compare(kernel, "read", &global.read()?.bytes(), &bytes)?;

            let value = T::draw(&mut from);
            let bytes = value.bytes();
            global.write_on(&world.stream, &value)?;
            tally::compare(kernel, "written on a stream", &world.seen(kernel, bytes.len())?, &bytes)?;
            if kernels == Kernels::ReadAndFill {
                let value = T::draw(&mut from);
                let bytes = value.bytes();
                world.fill(kernel, &bytes)?;
                let pending = global.read_on(&world.stream)?;
                tally::compare(kernel, "read on a stream", &pending.wait()?.bytes(), &bytes)?;
                tally::compare(kernel, "filled", &global.read()?.bytes(), &bytes)?;
            }
        }
    }
    Ok(())
}

fn initial<T: DeviceType + Bytes>(name: &str, value: T) -> Outcome {
    for (world, _) in worlds()? {
        let read = world.module.global::<T>(name)?.read()?;
        tally::compare(name, "its initial value", &read.bytes(), &value.bytes())?;
    }
    Ok(())
}

/// A slice of the elements, with random parts.
fn elements<T: DeviceType + Bytes>(name: &str, kernel: &str, len: usize) -> Outcome
where
    [T]: GlobalType,
{
    for (world, _) in worlds()? {
        let slice = world.module.global::<[T]>(name)?;
        assert_eq!((slice.len(), slice.size()), (len, len * size_of::<T>()));
        let mut from = Source::new(len as u64);
        let all: Vec<T> = (0..len).map(|_| T::draw(&mut from)).collect();
        slice.write_at(0, &all)?;
        let mut expected: Vec<Vec<u8>> = all.iter().map(Bytes::bytes).collect();
        for round in 0..ROUNDS {
            let [a, b]: [usize; 2] =
                [u32::draw(&mut from) as usize % (len + 1), u32::draw(&mut from) as usize % (len + 1)];
            let (start, end) = (a.min(b), a.max(b));
            let part: Vec<T> = (start..end).map(|_| T::draw(&mut from)).collect();
            if round % 2 == 0 {
                slice.write_at(start, &part)?;
            } else {
                slice.write_at_on(&world.stream, start, &part)?;
            }
            for (at, value) in (start..).zip(&part) {
                expected[at] = value.bytes();
            }
            let seen = world.seen(kernel, slice.size())?;
            tally::compare(kernel, "a part", &seen, &expected.concat())?;
            let bytes = |values: Vec<T>| values.iter().flat_map(Bytes::bytes).collect::<Vec<u8>>();
            let read = bytes(slice.read_at(start, end - start)?);
            tally::compare(kernel, "a part, read", &read, &expected[start..end].concat())?;
            if start < end {
                let pending = slice.read_at_on(&world.stream, start, end - start)?;
                let read = bytes(pending.wait()?);
                tally::compare(kernel, "a part, read on a stream", &read, &expected[start..end].concat())?;
            }
            tally::compare(kernel, "all", &bytes(slice.to_vec()?), &expected.concat())?;
        }
        for (start, count) in [(0, len + 1), (len, 1), (usize::MAX, 2), (1, usize::MAX)] {
            let error = slice.read_at(start, count).err().expect("they are not inside").to_string();
            assert!(error.contains(&format!("has {len} elements")), "{error}");
        }
        assert!(slice.write_at(1, &all).is_err() && slice.write_at_on(&world.stream, 1, &all).is_err());
        assert!(slice.read_at(len, 0)?.is_empty());
    }
    Ok(())
}

fn an_array_as_a_slice() -> Outcome {
    let module = Module::load(&context()?, PTX)?;
    let table = module.global::<[f32; 256]>("table")?;
    table.as_slice().write_at(255, &[9.5])?;
    assert_eq!(table.read()?[255].to_bits(), 9.5_f32.to_bits());
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    use Kernels::{Read, ReadAndFill};
    vec![
        trial("flag", || check::<bool>("flag", "flag", ReadAndFill)),
        trial("tiny", || check::<i8>("tiny", "tiny", ReadAndFill)),
        trial("half_word", || check::<u16>("half_word", "half_word", ReadAndFill)),
        trial("counter", || check::<i32>("counter", "counter", ReadAndFill)),
        trial("total", || check::<u64>("total", "total", ReadAndFill)),
        trial("scale", || check::<f32>("scale", "scale", ReadAndFill)),
        trial("precise", || check::<f64>("precise", "precise", ReadAndFill)),
        trial("corner", || check::<Float4>("corner", "corner", ReadAndFill)),
        trial("table", || check::<[f32; 256]>("table", "table", ReadAndFill)),
        trial("grid", || check::<[[f32; 4]; 3]>("grid", "grid", ReadAndFill)),
        trial("a_grid_as_one_row", || check::<[f32; 12]>("grid", "grid", ReadAndFill)),
        trial("progress", || check::<i32>("progress", "progress", ReadAndFill)),
        trial("hidden", || check::<i32>("hidden", "hidden", ReadAndFill)),
        trial("mode", || check::<Mode>("mode", "mode", ReadAndFill)),
        trial("powers_data", || check::<PowersData>("powers_data", "powers_data", Read)),
        trial("lights", || check::<[Light; 5]>("lights", "lights", ReadAndFill)),
        trial("current", || check::<DevicePointerMut<Light>>("current", "current", ReadAndFill)),
        trial("coefficients", || check::<[f32; 8]>("sim::coefficients", "coefficients", Read)),
        trial("dt", || check::<f64>("sim::dt", "dt", ReadAndFill)),
        trial("secret", || check::<i32>("sim::secret", "secret", ReadAndFill)),
        trial("buffer", || check::<[i32; 7]>("buffer<7>", "buffer", ReadAndFill)),
        trial("weights", || check::<[f32; 3072]>("weights", "weights", ReadAndFill)),
        trial("palette", || check::<[u8; 4096]>("palette", "palette", Read)),
        trial("initial_values", || {
            initial("counter", 41_i32)?;
            initial("tiny", -3_i8)?;
            initial("scale", 1.5_f32)?;
            initial("progress", 7_i32)?;
            initial("sim::dt", 0.25_f64)?;
            initial("fixed", [2.5_f64, -1.0])?;
            initial("sim::coefficients", [0.5_f32, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        }),
        trial("a_slice_of_floats", || elements::<f32>("table", "table", 256)),
        trial("a_slice_of_a_grid", || elements::<f32>("grid", "grid", 12)),
        trial("a_slice_of_rows", || elements::<[f32; 4]>("grid", "grid", 3)),
        trial("a_slice_of_structs", || elements::<Light>("lights", "lights", 5)),
        trial("a_slice_of_bytes", || elements::<u8>("palette", "palette", 4096)),
        trial("an_array_as_a_slice", an_array_as_a_slice),
    ]
}
