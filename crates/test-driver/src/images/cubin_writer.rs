//! Writes the cubin that `cuLinkComplete` returns. It contains the records of its kernels and no code.

use std::sync::Arc;

use crate::images::{
    cubin::{ABI_13, ENTRY, MACHINE, PTX, attribute, reserved_shared},
    image::{Image, Kernel},
};

/// A section to write.
struct Section {
    name: String,
    kind: u32,
    bytes: Vec<u8>,
    /// The value of `sh_size` if the section has no bytes in the file.
    size: usize,
    link: u32,
    entry_size: u64,
}

const PROGRAM_BITS: u32 = 1;
const SYMBOLS: u32 = 2;
const STRINGS: u32 = 3;
const NO_BITS: u32 = 8;
/// `SHT_CUDA_INFO`.
const CUDA_INFO: u32 = 0x7000_0000;

const HEADER_SIZE: usize = 64;
const SECTION_HEADER_SIZE: usize = 64;
const SYMBOL_SIZE: u64 = 24;
const GLOBAL_FUNCTION: u8 = 0x12;
const GLOBAL_OBJECT: u8 = 0x11;

impl Section {
    fn new(name: impl Into<String>, kind: u32, bytes: Vec<u8>) -> Self {
        let size = bytes.len();
        Self { name: name.into(), kind, bytes, size, link: 0, entry_size: 0 }
    }
}

/// Returns an image as a cubin for `sm`, with the PTX from which its kernels are executed.
pub(crate) fn write(image: &Image, texts: &[Arc<[u8]>], sm: u32) -> Vec<u8> {
    // 0 is the null section, 1 the symbols, 2 the symbol names.
    let mut sections = vec![
        Section::new("", 0, Vec::new()),
        Section { link: 2, entry_size: SYMBOL_SIZE, ..Section::new(".symtab", SYMBOLS, Vec::new()) },
        Section::new(".strtab", STRINGS, Vec::new()),
    ];
    let mut strings = vec![0];
    let mut symbols = vec![0; SYMBOL_SIZE as usize];
    let mut registers = Vec::new();
    for kernel in &image.kernels {
        let index = (symbols.len() / SYMBOL_SIZE as usize) as u32;
        registers.extend(record(attribute::REGISTERS, &[index, kernel.registers].map(u32::to_le_bytes).concat()));
        sections.push(Section::new(format!(".nv.info.{}", kernel.name), CUDA_INFO, info(kernel)));
        if kernel.static_shared > 0 {
            let name = format!(".nv.shared.{}", kernel.name);
            sections.push(Section {
                size: (kernel.static_shared + reserved_shared(sm)) as usize,
                ..Section::new(name, NO_BITS, Vec::new())
            });
        }
        sections.push(Section::new(format!(".text.{}", kernel.name), PROGRAM_BITS, vec![0; 128]));
        symbol(&mut symbols, &mut strings, &kernel.name, [GLOBAL_FUNCTION, ENTRY], sections.len() - 1, [0, 128]);
    }
    let mut globals = Vec::new();
    for variable in &image.variables {
        let place = [globals.len() as u64, variable.bytes.len() as u64];
        globals.extend_from_slice(&variable.bytes);
        symbol(&mut symbols, &mut strings, &variable.name, [GLOBAL_OBJECT, 0], sections.len(), place);
    }
    sections.push(Section::new(".nv.global.init", PROGRAM_BITS, globals));
    sections.push(Section::new(".nv.info", CUDA_INFO, registers));
    if !texts.is_empty() {
        let bytes = texts.iter().flat_map(|text| text.iter().filter(|byte| **byte != 0).chain(&[0])).copied().collect();
        sections.push(Section::new(PTX, PROGRAM_BITS, bytes));
    }
    sections[1] = Section { link: 2, entry_size: SYMBOL_SIZE, ..Section::new(".symtab", SYMBOLS, symbols) };
    sections[2].size = strings.len();
    sections[2].bytes = strings;
    assemble(sections, sm)
}

/// Returns the `.nv.info` of a kernel: its parameters, the last one first like in ptxas's output, and its limits.
fn info(kernel: &Kernel) -> Vec<u8> {
    // A record whose value is in its head.
    let mut bytes = vec![3, attribute::BLOCK_SIZE];
    bytes.extend((kernel.bank_size() as u16).to_le_bytes());
    for (ordinal, parameter) in kernel.parameters.iter().enumerate().rev() {
        let place = [ordinal as u16, parameter.offset as u16].map(u16::to_le_bytes).concat();
        let index = 0u32.to_le_bytes();
        if kernel.bank_size() > 4352 {
            let tail = [parameter.size as u16, 0].map(u16::to_le_bytes).concat();
            bytes.extend(record(attribute::PARAMETER_V2, &[&index[..], &place, &tail].concat()));
        } else {
            let flags = ((parameter.size as u32) << 18 | 0x1f000).to_le_bytes();
            bytes.extend(record(attribute::PARAMETER, &[&index[..], &place, &flags].concat()));
        }
    }
    let extents = |extents: [u32; 3]| extents.map(u32::to_le_bytes).concat();
    if let Some(threads) = kernel.required_threads {
        bytes.extend(record(attribute::REQUIRED_THREADS, &extents(threads)));
    } else if kernel.max_threads < 1024 {
        bytes.extend(record(attribute::MAX_THREADS, &extents([kernel.max_threads, 1, 1])));
    }
    if let Some(cluster) = kernel.cluster {
        bytes.extend(record(attribute::CLUSTER, &extents(cluster)));
    }
    if kernel.blocks_are_clusters {
        bytes.extend(record(attribute::BLOCKS_ARE_CLUSTERS, &[]));
    }
    bytes
}

fn record(attribute: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![4, attribute];
    bytes.extend((payload.len() as u16).to_le_bytes());
    bytes.extend(payload);
    bytes
}

fn name(strings: &mut Vec<u8>, text: &str) -> u32 {
    let at = strings.len() as u32;
    strings.extend(text.as_bytes());
    strings.push(0);
    at
}

fn symbol(
    symbols: &mut Vec<u8>,
    strings: &mut Vec<u8>,
    text: &str,
    [info, other]: [u8; 2],
    section: usize,
    place: [u64; 2],
) {
    symbols.extend(name(strings, text).to_le_bytes());
    symbols.extend([info, other]);
    symbols.extend((section as u16).to_le_bytes());
    symbols.extend(place.map(u64::to_le_bytes).concat());
}

/// Returns the file: header, sections, their names, section headers.
fn assemble(mut sections: Vec<Section>, sm: u32) -> Vec<u8> {
    sections.push(Section::new(".shstrtab", STRINGS, Vec::new()));
    let mut names = Vec::new();
    let name_offsets: Vec<u32> = sections.iter().map(|section| name(&mut names, &section.name)).collect();
    if let Some(last) = sections.last_mut() {
        last.size = names.len();
        last.bytes = names;
    }
    let mut file = vec![0; HEADER_SIZE];
    let mut headers = Vec::new();
    for (section, name) in sections.iter().zip(name_offsets) {
        file.resize(file.len().next_multiple_of(16), 0);
        headers.extend([name, section.kind].map(u32::to_le_bytes).concat());
        headers.extend([0, 0, file.len() as u64, section.size as u64].map(u64::to_le_bytes).concat());
        headers.extend([section.link, u32::from(section.kind == SYMBOLS)].map(u32::to_le_bytes).concat());
        headers.extend([16, section.entry_size].map(u64::to_le_bytes).concat());
        file.extend(&section.bytes);
    }
    file.resize(file.len().next_multiple_of(16), 0);
    let section_headers = file.len() as u64;
    file.extend(headers);
    let mut header = b"\x7fELF\x02\x01\x01".to_vec();
    header.extend([ABI_13, 8, 0, 0, 0, 0, 0, 0, 0]);
    header.extend([2, MACHINE].map(u16::to_le_bytes).concat());
    header.extend(1u32.to_le_bytes());
    header.extend([0, 0, section_headers].map(u64::to_le_bytes).concat());
    header.extend((sm << 8 | 2).to_le_bytes());
    let counts = [HEADER_SIZE, 0, 0, SECTION_HEADER_SIZE, sections.len(), sections.len() - 1];
    header.extend(counts.map(|count| (count as u16).to_le_bytes()).concat());
    file[..HEADER_SIZE].copy_from_slice(&header);
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::image::{Parameter, Variable};

    #[test]
    fn what_is_written_reads_back() {
        for sizes in [vec![8, 4, 16], vec![], vec![8, 5000]] {
            let mut offset = 0;
            let parameters = sizes
                .iter()
                .map(|&size| {
                    let parameter = Parameter { offset, size };
                    offset += size + 3;
                    parameter
                })
                .collect();
            let kernel = Kernel {
                name: "_Z4echoPhi".into(),
                parameters,
                max_threads: 256,
                required_threads: Some([16, 16, 1]),
                cluster: Some([2, 1, 1]),
                blocks_are_clusters: true,
                static_shared: 1234,
                registers: 77,
                ptx_version: 90,
                binary_version: 90,
                ..Kernel::default()
            };
            let variable = Variable { name: "table".into(), bytes: vec![1, 2, 3], relocations: Vec::new() };
            let image = Image { kernels: vec![Arc::new(kernel.clone())], variables: vec![variable] };
            let bytes = write(&image, &[], 90);
            assert_eq!(crate::images::cubin::length(|at, count| bytes[at..at + count].to_vec()), bytes.len());
            let back = crate::images::cubin::read(&bytes, 90).unwrap_or_else(|refusal| panic!("{}", refusal.log));
            assert_eq!(format!("{:?}", back.kernels[0]), format!("{kernel:?}"));
            assert_eq!((back.variables[0].name.as_str(), &back.variables[0].bytes[..]), ("table", &[1u8, 2, 3][..]));
        }
    }

    #[test]
    fn a_cubin_for_another_gpu_is_refused() {
        let bytes = write(&Image::default(), &[], 89);
        for (sm, runs) in [(80, false), (86, false), (89, true), (90, false)] {
            assert_eq!(crate::images::cubin::read(&bytes, sm).is_ok(), runs, "sm_{sm}");
        }
    }
}
