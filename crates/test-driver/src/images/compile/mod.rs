//! The image of a module in PTX: what a driver refuses in a text that is PTX, and the memory of kernels.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    mem,
    sync::Arc,
};

use crate::{
    error::Status,
    execute::Program,
    images::image::{Image, Kernel, Refusal, Variable},
    ptx::{self, Function, Mistake, Module, Statement, placement},
};

/// The newest PTX version that the driver accepts, as a driver for CUDA 13.0 does.
const NEWEST: (u32, u32) = (9, 0);
/// A placeholder: the registers that ptxas would allocate are not known here.
const REGISTERS: u32 = 32;

/// The constant memory of a module, in bytes.
const MAX_CONSTANTS: usize = 64 << 10;

/// In the wording of ptxas, which users know from its log.
fn refusal(mistakes: &[Mistake], status: Status) -> Refusal {
    let line =
        |Mistake { line, text }: &Mistake| format!("ptxas application ptx input, line {line}; error   : {text}\n");
    let lines: String = mistakes.iter().map(line).collect();
    Refusal::new(status, lines + "ptxas fatal   : Ptx assembly aborted due to errors")
}

/// Reads PTX for a device of compute capability `sm`.
pub(crate) fn compile(text: &[u8], sm: u32) -> Result<Image, Refusal> {
    let mut module = ptx::read(text).map_err(|mistake| {
        // The driver treats text that does not begin like PTX as an invalid image.
        refusal(&[mistake], if ptx::begins(text) { Status::INVALID_PTX } else { Status::INVALID_IMAGE })
    })?;
    let (major, minor) = module.version;
    if module.version > NEWEST {
        let text = format!("Unsupported .version {major}.{minor}; current version is '{}.{}'", NEWEST.0, NEWEST.1);
        return Err(refusal(&[Mistake::new(1, text)], Status::UNSUPPORTED_PTX_VERSION));
    }
    if !module.target.runs_on(sm) {
        let text =
            format!("SM version specified by .target ({}) does not run on this device (sm_{sm})", module.target.sm);
        return Err(refusal(&[Mistake::new(1, text)], Status::INVALID_PTX));
    }
    let mistakes = ptx::mistakes(&module);
    if !mistakes.is_empty() {
        return Err(refusal(&mistakes, Status::INVALID_PTX));
    }
    let (mut variables, mut constants) = (Vec::new(), 0);
    for variable in module.variables.iter_mut().filter(|variable| !variable.is_external && variable.space != ".shared")
    {
        let (mut bytes, relocations) = (mem::take(&mut variable.bytes), mem::take(&mut variable.relocations));
        bytes.resize(bytes.len().max(variable.size as usize), 0);
        if variable.space == ".const" {
            constants += bytes.len();
        }
        variables.push(Variable { name: variable.name.clone(), bytes, relocations });
    }
    if constants > MAX_CONSTANTS {
        let text = format!(
            "ptxas error   : File uses too much global constant data ({constants:#x} bytes, {MAX_CONSTANTS:#x} max)"
        );
        return Err(Refusal::new(Status::INVALID_PTX, text));
    }
    let entries = module.functions.iter().filter(|function| function.is_entry && function.body.is_some());
    let kernels = entries.map(|entry| kernel(&module, entry, sm)).collect::<Result<Vec<_>, _>>();
    let kernels = kernels.map_err(|mistake| refusal(&[mistake], Status::INVALID_PTX))?;
    let program = Some(Arc::new(Program::of(text, module)));
    let kernels = kernels.into_iter().map(|kernel| Arc::new(Kernel { program: program.clone(), ..kernel }));
    Ok(Image { kernels: kernels.collect(), variables })
}

fn kernel(module: &Module, entry: &Function, sm: u32) -> Result<Kernel, Mistake> {
    let limit = placement::limit(module.version, module.target.sm);
    let shapes: Vec<_> = entry.parameters.iter().map(ptx::Variable::shape).collect();
    let size = placement::c_size(&shapes);
    if size > limit {
        let text = format!(
            "Formal parameter space overflowed ({size} bytes required, max {limit} bytes allowed) in function {}",
            entry.name
        );
        return Err(Mistake::new(entry.line, text));
    }
    let product = |threads: [u32; 3]| threads.iter().product();
    let directives = entry.directives;
    let local = variables(entry).filter(|variable| variable.space == ".local");
    Ok(Kernel {
        name: entry.name.clone(),
        parameters: placement::place(&shapes, sm),
        max_threads: directives.required_threads.or(directives.max_threads).map_or(1024, product),
        required_threads: directives.required_threads,
        is_tile: false,
        cluster: directives.cluster,
        blocks_are_clusters: directives.blocks_are_clusters,
        static_shared: static_shared(module, entry),
        registers: directives.max_registers.map_or(REGISTERS, |most| most.min(REGISTERS)),
        local: local.map(|variable| variable.size as u32).sum(),
        ptx_version: module.target.sm,
        binary_version: sm,
        program: None,
    })
}

/// Returns the variables of a body.
fn variables(function: &Function) -> impl Iterator<Item = &ptx::Variable> {
    function.body.iter().flatten().filter_map(|statement| match statement {
        Statement::Variable(variable) => Some(variable),
        _ => None,
    })
}

/// Returns the static shared memory of a kernel, and of the functions that it names. First comes what the kernel uses,
/// then what is used of the module, then what the functions use, and at last what is only declared.
fn static_shared(module: &Module, entry: &Function) -> u32 {
    let bodies =
        module.functions.iter().enumerate().filter(|(_, function)| !function.is_entry && function.body.is_some());
    let by_name: HashMap<_, _> = bodies.map(|(number, function)| (&function.name, (number, function))).collect();
    let (mut names, mut functions, mut next) = (HashSet::new(), BTreeMap::new(), vec![entry]);
    while let Some(function) = next.pop() {
        let new = function.names.iter().filter(|name| names.insert(*name));
        for (number, function) in new.filter_map(|name| by_name.get(name)) {
            functions.insert(*number, *function);
            next.push(function);
        }
    }
    let of = |function: &Function, is_used: bool| {
        let of_body = variables(function).filter(|variable| variable.space == ".shared");
        let found = of_body.filter(|variable| function.names.contains(&variable.name) == is_used);
        found.map(ptx::Variable::shape).collect::<Vec<_>>()
    };
    let of_module = module.variables.iter().filter(|variable| variable.space == ".shared");
    let of_module = of_module.filter(|variable| variable.size == 0 || names.contains(&variable.name));
    let mut shapes = of(entry, true);
    shapes.extend(of_module.map(ptx::Variable::shape));
    shapes.extend(functions.values().flat_map(|function| of(function, true)));
    shapes.extend(std::iter::once(&entry).chain(functions.values()).flat_map(|function| of(function, false)));
    placement::place_shared(&shapes).1 as u32
}

#[cfg(test)]
mod tests;
