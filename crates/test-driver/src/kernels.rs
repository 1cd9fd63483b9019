//! The effects of kernels, by the name of their function (see the table in the crate's documentation).

use std::ffi::c_int;

use crate::{
    error::{Outcome, Status},
    graph_inside::Conditions,
    handle::Handle,
    launch::KernelCall,
    memory::Memory,
};

/// A running kernel: its parameters, and the memory that its context can access.
struct Run<'a> {
    call: &'a KernelCall,
    memory: &'a mut Memory,
    context: Handle,
    device: c_int,
    conditions: &'a mut Conditions,
}

/// Runs `call` in `context`. Returns whether this driver knows what the kernel does.
///
/// # Errors
/// The error that the kernel leaves in its context: `CUDA_ERROR_ILLEGAL_ADDRESS`, `CUDA_ERROR_MISALIGNED_ADDRESS`.
pub(crate) fn run(
    call: &KernelCall,
    memory: &mut Memory,
    context: Handle,
    device: c_int,
    conditions: &mut Conditions,
) -> Outcome<bool> {
    let sizes: Vec<usize> = call.kernel.parameters.iter().map(|parameter| parameter.size).collect();
    let mut run = Run { call, memory, context, device, conditions };
    match (function_name(&call.kernel.name), sizes.as_slice()) {
        (name, [8, ..]) if name.starts_with("echo") => run.echo(),
        ("saxpy", [4, 4, 8, 8]) => run.saxpy(),
        ("sum", [8, 4, 8]) => run.sum(),
        (name, [8]) if name.starts_with("read_") => run.copy_variable(true),
        (name, [8]) if name.starts_with("fill_") => run.copy_variable(false),
        ("vector_add", [8, 8, 8, 4]) => run.vector_add(),
        ("reduce_sum", [8, 8, 4]) => run.reduce_sum(),
        ("cluster_ranks" | "cluster_of_two" | "clusters_up_to_four", [8]) => run.cluster_ranks(),
        ("grid_barrier", [8, 8]) => run.grid_barrier(),
        ("set_condition", [8, 4]) => {
            run.conditions.set(run.pointer(0), run.word(1));
            Ok(())
        }
        ("count_down", [8, 8]) => run.count_down(),
        _ => return Ok(false),
    }
    .map(|()| true)
}

/// The unqualified name of the function: `echo` for `echo`, `_Z4echoPhi` and `_ZN5tests4echoIiEEvPhT_`.
fn function_name(symbol: &str) -> &str {
    let Some(mangled) = symbol.strip_prefix("_Z") else {
        return symbol;
    };
    let nested = mangled.strip_prefix('N');
    let mut rest = nested.unwrap_or(mangled);
    let mut name = None;
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length = rest[..digits].parse::<usize>().ok();
        match length.and_then(|length| Some((rest.get(digits..digits + length)?, digits + length))) {
            Some((part, end)) => {
                name = Some(part);
                rest = &rest[end..];
                if nested.is_none() {
                    break;
                }
            }
            None => break,
        }
    }
    name.unwrap_or(symbol)
}

impl Run<'_> {
    /// The bytes of parameter `index`.
    fn parameter(&self, index: usize) -> &[u8] {
        let parameter = self.call.kernel.parameters[index];
        &self.call.bank.bytes[parameter.offset..][..parameter.size]
    }

    fn word(&self, index: usize) -> u32 {
        self.parameter(index).try_into().map_or(0, u32::from_le_bytes)
    }

    fn pointer(&self, index: usize) -> u64 {
        self.parameter(index).try_into().map_or(0, u64::from_le_bytes)
    }

    /// The elements that a kernel with one thread per element processes: those below `count` that have a thread.
    fn reached(&self, count: i64) -> usize {
        let geometry = &self.call.geometry;
        let threads = i64::from(geometry.grid[0]) * i64::from(geometry.block[0]);
        usize::try_from(count.clamp(0, threads)).unwrap_or(0)
    }

    fn floats(&self, address: u64, count: usize) -> Outcome<Vec<f32>> {
        if count > 0 && !address.is_multiple_of(4) {
            return Err(Status::MISALIGNED_ADDRESS);
        }
        let bytes = self.memory.load(address, count * 4, self.context, self.device)?;
        Ok(bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect())
    }

    fn store_floats(&mut self, address: u64, values: impl Iterator<Item = f32>) -> Outcome {
        let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
        self.memory.store(address, &bytes, self.context, self.device)
    }

    fn echo(&mut self) -> Outcome {
        let bytes: Vec<u8> =
            (1..self.call.kernel.parameters.len()).flat_map(|index| self.parameter(index).to_vec()).collect();
        self.memory.store(self.pointer(0), &bytes, self.context, self.device)
    }

    /// Copies the variable that the kernel names to its parameter, or from it.
    fn copy_variable(&mut self, is_read: bool) -> Outcome {
        let Some((address, length)) = self.call.variable else {
            return Ok(());
        };
        let (from, to) = if is_read { (address, self.pointer(0)) } else { (self.pointer(0), address) };
        let bytes = self.memory.load(from, length, self.context, self.device)?;
        self.memory.store(to, &bytes, self.context, self.device)
    }

    fn sum(&mut self) -> Outcome {
        let values = self.floats(self.pointer(0), self.word(1) as usize)?;
        let sum = values.iter().fold(0.0, |sum, value| sum + value);
        self.store_floats(self.pointer(2), [sum].into_iter())
    }

    fn saxpy(&mut self) -> Outcome {
        let count = self.reached(i64::from(self.word(0).cast_signed()));
        let alpha = f32::from_bits(self.word(1));
        let x = self.floats(self.pointer(2), count)?;
        let y = self.floats(self.pointer(3), count)?;
        // nvcc contracts to one fused multiply-add.
        self.store_floats(self.pointer(3), x.iter().zip(y).map(|(x, y)| alpha.mul_add(*x, y)))
    }

    fn vector_add(&mut self) -> Outcome {
        let count = self.reached(i64::from(self.word(3).cast_signed()));
        let a = self.floats(self.pointer(0), count)?;
        let b = self.floats(self.pointer(1), count)?;
        self.store_floats(self.pointer(2), a.iter().zip(b).map(|(a, b)| a + b))
    }

    /// For each block, its rank in its cluster, and the blocks of the cluster.
    fn cluster_ranks(&mut self) -> Outcome {
        let [nx, ny, nz] = self.call.geometry.grid;
        let [cx, cy, cz] = self.call.geometry.cluster.unwrap_or([1; 3]);
        let blocks = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
        let ranks = blocks.map(|[x, y, z]| ((z % cz) * cy + y % cy) * cx + x % cx);
        let bytes: Vec<u8> = ranks.flat_map(|rank| [rank, cx * cy * cz].map(u32::to_le_bytes)).flatten().collect();
        self.memory.store(self.pointer(0), &bytes, self.context, self.device)
    }

    /// All blocks arrive, and then each block has seen all blocks.
    fn grid_barrier(&mut self) -> Outcome {
        let blocks = self.call.geometry.grid[0];
        let arrived = blocks.to_le_bytes();
        self.memory.store(self.pointer(0), &arrived, self.context, self.device)?;
        let seen = arrived.repeat(blocks as usize);
        self.memory.store(self.pointer(1), &seen, self.context, self.device)
    }

    /// Subtracts 1 from a counter, and sets a condition to the result.
    fn count_down(&mut self) -> Outcome {
        let counter = self.pointer(1);
        let bytes = self.memory.load(counter, 4, self.context, self.device)?;
        let left = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).wrapping_sub(1);
        self.memory.store(counter, &left.to_le_bytes(), self.context, self.device)?;
        self.conditions.set(self.pointer(0), left);
        Ok(())
    }

    /// Every element counts, for any grid: such kernels use a grid-stride loop.
    fn reduce_sum(&mut self) -> Outcome {
        let values = self.floats(self.pointer(0), self.word(2) as usize)?;
        let before = self.floats(self.pointer(1), 1)?;
        let sum = before.iter().chain(&values).sum();
        self.store_floats(self.pointer(1), std::iter::once(sum))
    }
}

#[cfg(test)]
mod tests {
    use super::function_name;

    #[test]
    fn a_function_is_recognized_by_its_unqualified_name() {
        for (symbol, name) in [
            ("echo", "echo"),
            ("echo_17", "echo_17"),
            ("_Z4echoPhi", "echo"),
            ("_Z7echo_u8PhNS_3FooE", "echo_u8"),
            ("_ZN5tests4echoIiEEvPhT_", "echo"),
            ("_Z5saxpyifPKfPf", "saxpy"),
            ("_Z9", "_Z9"),
            ("_Z", "_Z"),
        ] {
            assert_eq!(function_name(symbol), name);
        }
    }
}
