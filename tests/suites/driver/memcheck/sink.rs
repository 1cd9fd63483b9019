//! A driver that reads every byte that it receives.

use crate::memcheck::planted;
use kernel_args::KernelArgs;
use kernel_args_tests::{derived::visit, values::Visitor};
use std::process::ExitCode;

/// CRC-32 of every byte. A byte becomes an index of a table; memcheck reports it if the byte is not initialized.
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
    /// Reads `size` bytes.
    ///
    /// # Safety
    /// `from` is valid for reads of `size` bytes.
    #[inline(never)]
    unsafe fn look(&mut self, from: *const u8, size: usize) {
        for i in 0..size {
            // SAFETY: the caller guarantees all of them.
            let place = unsafe { from.add(i) };
            // SAFETY: the caller guarantees all bytes. The read is volatile, to read the byte from the same address as
            // the driver.
            let byte = unsafe { place.read_volatile() };
            self.crc = TABLE[((self.crc ^ u32::from(byte)) & 0xff) as usize] ^ (self.crc >> 8);
        }
        self.bytes += size;
    }

    /// The accesses of `cuLaunchKernel` with `kernelParams`.
    pub(crate) fn params<A: KernelArgs>(&mut self, args: A) {
        args.with_kernel_params(|params| {
            for (&from, parameter) in params.iter().zip(A::PARAMETERS) {
                // SAFETY: each pointer is valid for its parameter.
                unsafe { self.look(from.cast(), parameter.size) };
            }
        });
    }

    /// The accesses with `CU_LAUNCH_PARAM_BUFFER_POINTER`.
    pub(crate) fn packed(&mut self, buffer: &[u8]) {
        // SAFETY: it is a slice.
        unsafe { self.look(buffer.as_ptr(), buffer.len()) };
    }
}

/// The number of random values of each struct.
const ROUNDS: u64 = 3;

impl Visitor for Sink {
    fn packable<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        args.with_packed(|buffer| self.packed(buffer));
        self.over_aligned(index, args);
    }

    fn over_aligned<A: KernelArgs + Copy>(&mut self, _: usize, args: A) {
        self.params(args);
        let offsets: Vec<usize> = A::PARAMETERS.iter().filter_map(|p| p.offset).collect();
        let size = A::LAYOUT.size();
        // The bytes of the heap count as uninitialized until they are written.
        let mut buffer = Vec::with_capacity(size);
        #[allow(clippy::uninit_vec, reason = "that `pack_at` writes all of them is what is shown")]
        // SAFETY: `pack_at` only writes to it.
        unsafe {
            buffer.set_len(size);
        }
        let packed = args.pack_at(&offsets, &mut buffer);
        self.packed(packed.expect("the offsets match the struct"));
    }
}

/// Runs one mode: `forms`, or a mode that passes an uninitialized byte.
pub(crate) fn run(mode: &str) -> ExitCode {
    let mut sink = Sink::default();
    match mode {
        "forms" => (0..ROUNDS).for_each(|seed| visit(seed, 0, &mut sink)),
        "planted-params" => sink.params(planted::args()),
        "planted-packed" => planted::args().with_packed(|buffer| sink.packed(buffer)),
        _ => return ExitCode::from(2),
    }
    println!("{} bytes, CRC-32 {:08x}", sink.bytes, sink.crc);
    ExitCode::SUCCESS
}
