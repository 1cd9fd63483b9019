//! A driver that looks at every byte that it is given.

use crate::planted;
use fastrand::Rng;
use kernel_args::KernelArgs;
use kernel_args_tests::structs::{RandomArgs, Visit, visit_all};
use std::process::ExitCode;

/// CRC-32 of every byte. A byte becomes an index of a table, which memcheck reports where it is not initialised.
#[derive(Default)]
pub(crate) struct Sink {
    crc: u32,
    bytes: usize,
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut value = i as u32;
        let mut bit = 0;
        while bit < 8 {
            value = (value >> 1) ^ (0xedb8_8320 * (value & 1));
            bit += 1;
        }
        table[i] = value;
        i += 1;
    }
    table
};

impl Sink {
    /// Looks at `size` bytes.
    ///
    /// # Safety
    /// `from` is valid for reads of `size` bytes.
    #[inline(never)]
    unsafe fn look(&mut self, from: *const u8, size: usize) {
        for i in 0..size {
            // SAFETY: the caller vouches for all of them.
            let place = unsafe { from.add(i) };
            // SAFETY: as above; volatile, so that the byte is read from where the driver would read it.
            let byte = unsafe { place.read_volatile() };
            self.crc = TABLE[((self.crc ^ u32::from(byte)) & 0xff) as usize] ^ (self.crc >> 8);
        }
        self.bytes += size;
    }

    /// What `cuLaunchKernel` does with `kernelParams`.
    pub(crate) fn params<A: KernelArgs>(&mut self, args: A) {
        args.with_kernel_params(|params| {
            for (&from, parameter) in params.iter().zip(A::PARAMETERS) {
                // SAFETY: each pointer is valid for its parameter.
                unsafe { self.look(from.cast(), parameter.size) };
            }
        });
    }

    /// What it does with `CU_LAUNCH_PARAM_BUFFER_POINTER`.
    pub(crate) fn packed(&mut self, buffer: &[u8]) {
        // SAFETY: it is a slice.
        unsafe { self.look(buffer.as_ptr(), buffer.len()) };
    }
}

/// How many times each struct is drawn.
const ROUNDS: u64 = 3;

impl Visit for Sink {
    fn visit<A: RandomArgs>(&mut self) {
        for seed in 0..ROUNDS {
            let draw = || A::draw(&mut Rng::with_seed(seed));
            self.params(draw());
            draw().packed(|buffer| self.packed(buffer));
            // The heap's bytes count as uninitialised until they are written.
            let mut buffer = Vec::with_capacity(A::SIZE);
            #[allow(
                clippy::uninit_vec,
                reason = "that `pack_at` writes all of them is what is shown"
            )]
            // SAFETY: `pack_at` only writes to it.
            unsafe {
                buffer.set_len(A::SIZE);
            }
            if let Ok(packed) = draw().pack_at(A::OFFSETS, &mut buffer) {
                self.packed(packed);
            }
        }
    }
}

/// Runs one mode: `forms`, or one that hands an uninitialised byte over.
pub(crate) fn run(mode: &str) -> ExitCode {
    let mut sink = Sink::default();
    match mode {
        "forms" => visit_all(&mut sink),
        "planted-params" => sink.params(planted::args()),
        "planted-packed" => planted::args().with_packed(|buffer| sink.packed(buffer)),
        _ => return ExitCode::from(2),
    }
    println!("{} bytes, CRC-32 {:08x}", sink.bytes, sink.crc);
    ExitCode::SUCCESS
}
