//! Modules: loading an image, its functions, its variables.

use std::{
    collections::HashMap,
    ffi::{c_uint, c_void},
    sync::Arc,
};

use crate::{
    entry::{In, Out, Text, in_at},
    error::{Outcome, Status},
    handle::Handle,
    images::{
        cubin, cubin_writer, fatbin,
        function::Function,
        image::{Image, Source},
        jit::Options,
    },
    memory::{Kind, Place},
    state::{Driver, cupti},
};

/// A loaded module.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) context: Handle,
    /// In the order of the image.
    pub(crate) functions: Vec<Handle>,
    pub(crate) variables: Arc<Variables>,
}

/// Address and size of variables by name.
pub(crate) type Variables = HashMap<String, (u64, usize)>;

/// The first bytes of nvcc's wrapper around a fat binary.
const WRAPPER: [u8; 4] = 0x4662_43b1_u32.to_le_bytes();

/// Returns the image at an address. Its size is known only from its own bytes.
pub(crate) fn source_at(image: In<c_void>) -> Outcome<Source> {
    if image.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    let bytes = in_at::<u8>(image.address());
    let mut magic = Vec::new();
    for index in 0..4 {
        magic.push(bytes.at(index)?);
        // The text is shorter.
        if magic[index] == 0 {
            return Ok(Source::Ptx(magic));
        }
    }
    let part = |offset: usize, length: usize| in_at::<u8>(image.address() + offset).take(length).unwrap_or_default();
    if magic == *b"\x7fELF" {
        return Ok(Source::Cubin(part(0, cubin::length(part))));
    }
    if magic == fatbin::MAGIC {
        return Ok(Source::Fatbin(part(0, fatbin::length(part))));
    }
    if magic == WRAPPER {
        return Ok(Source::Wrapper);
    }
    let mut text = magic;
    while text.last() != Some(&0) {
        text.push(bytes.at(text.len())?);
    }
    Ok(Source::Ptx(text))
}

/// Returns the image in a slice of bytes.
pub(crate) fn source_of(bytes: Vec<u8>) -> Source {
    match bytes.get(..4) {
        Some(b"\x7fELF") => Source::Cubin(bytes),
        Some(magic) if magic == fatbin::MAGIC => Source::Fatbin(bytes),
        Some(magic) if magic == WRAPPER => Source::Wrapper,
        _ => Source::Ptx(bytes),
    }
}

pub(crate) fn source_in_file(path: &str) -> Outcome<Source> {
    std::fs::read(path).map(source_of).map_err(|_| Status::FILE_NOT_FOUND)
}

/// Returns the text of the info log for an image in verbose mode.
pub(crate) fn info(image: &Image, sm: u32) -> String {
    let lines = image.kernels.iter().map(|kernel| {
        format!(
            "ptxas info    : Compiling entry function '{}' for 'sm_{sm}'\n\
             ptxas info    : Used {} registers, {} bytes smem, {} bytes of parameters",
            kernel.name,
            kernel.registers,
            kernel.static_shared,
            kernel.bank_size()
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

impl Driver {
    /// Loads `source` into the current context.
    pub(crate) fn load(&mut self, source: &Source, options: Options) -> Outcome<Handle> {
        let context = self.healthy()?;
        let sm = self.config.sm;
        let image = options.report(Image::read(source, sm), |image| info(image, sm)).inspect_err(|&status| {
            self.has_refused_a_version |= status == Status::UNSUPPORTED_PTX_VERSION;
        })?;
        self.instantiate(&image, context)
    }

    /// Creates a module from `image` in `context`.
    pub(crate) fn instantiate(&mut self, image: &Image, context: Handle) -> Outcome<Handle> {
        if cupti::wants_modules() {
            let texts = image.program().map_or(&[][..], |program| program.texts());
            let cubin = cubin_writer::write(image, texts, self.config.sm);
            self.loaded.push(cubin);
        }
        let module = self.modules.reserve();
        let functions = image
            .kernels
            .iter()
            .map(|kernel| self.functions.insert(Function::new(kernel.clone(), Some(context), module)))
            .collect();
        let variables = self.place_variables(image, context)?;
        self.modules.insert_at(module, Module { context, functions, variables: Arc::new(variables) });
        Ok(module)
    }

    pub(crate) fn place_variables(&mut self, image: &Image, context: Handle) -> Outcome<Variables> {
        let device = self.context(context)?.device;
        let mut places = HashMap::new();
        for variable in image.variables.iter().filter(|variable| !variable.bytes.is_empty()) {
            let length = variable.bytes.len();
            let address = self.memory.allocate(length, Kind::Variable, context, device)?;
            let initial = Place::Host(variable.bytes.as_ptr().expose_provenance() as u64);
            self.memory.copy(Place::Device(address), initial, length)?;
            places.insert(variable.name.clone(), (address, length));
        }
        self.relocate(image, &places)?;
        Ok(places)
    }

    /// Writes the addresses in initial values.
    fn relocate(&mut self, image: &Image, places: &Variables) -> Outcome {
        for variable in &image.variables {
            let Some((start, _)) = places.get(&variable.name) else { continue };
            for relocation in &variable.relocations {
                let of_function = || image.program().and_then(|program| program.function_address(&relocation.name));
                let address = places.get(&relocation.name).map(|(address, _)| *address).or_else(of_function);
                let value = address.unwrap_or(0).wrapping_add(relocation.offset) >> relocation.shift;
                let bytes = &value.to_le_bytes()[..relocation.size.min(8)];
                self.memory.set(start + relocation.at as u64, bytes, 1)?;
            }
        }
        Ok(())
    }

    pub(crate) fn unload(&mut self, module: Handle) -> Outcome {
        let held = self.modules.remove(module)?;
        for function in held.functions {
            // The module was destroyed with its context.
            let _ = self.functions.remove(function);
        }
        for (address, _) in held.variables.values() {
            self.memory.free(*address, &[Kind::Variable])?;
        }
        Ok(())
    }

    /// Returns the module's function `name`.
    pub(crate) fn function_named(&self, module: Handle, name: &str) -> Outcome<Handle> {
        let functions = &self.modules.get(module)?.functions;
        let named = |function: &&Handle| self.functions.get(**function).is_ok_and(|held| held.kernel.name == name);
        functions.iter().find(named).copied().ok_or(Status::NOT_FOUND)
    }

    pub(crate) fn variable_named(&self, module: Handle, name: &str) -> Outcome<(u64, usize)> {
        self.modules.get(module)?.variables.get(name).copied().ok_or(Status::NOT_FOUND)
    }
}

entry_points! {
    fn cuModuleLoadData(driver, module: Out<Handle>, image: In<c_void>) {
        module.set(Handle::NULL)?;
        module.set(driver.load(&source_at(image)?, Options::default())?)
    }

    fn cuModuleLoadDataEx(
        driver, module: Out<Handle>, image: In<c_void>, count: c_uint, options: In<c_uint>, values: Out<usize>,
    ) {
        module.set(Handle::NULL)?;
        let options = Options::read(count, options, values)?;
        module.set(driver.load(&source_at(image)?, options)?)
    }

    fn cuModuleLoad(driver, module: Out<Handle>, path: Text) {
        module.set(Handle::NULL)?;
        module.set(driver.load(&source_in_file(&path.get()?)?, Options::default())?)
    }

    fn cuModuleUnload(driver, module: Handle) {
        driver.current()?;
        driver.unload(module)
    }

    fn cuModuleGetFunction(driver, function: Out<Handle>, module: Handle, name: Text) {
        // No context needs to be current (seen on an H100 with driver 580).
        match driver.healthy() {
            Err(Status::INVALID_CONTEXT) => driver.check(driver.modules.get(module)?.context)?,
            state => drop(state?),
        }
        function.set(driver.function_named(module, &name.get()?)?)
    }

    fn cuModuleGetFunctionCount(driver, count: Out<c_uint>, module: Handle) {
        count.set(driver.modules.get(module)?.functions.len() as c_uint)
    }

    fn cuModuleEnumerateFunctions(driver, functions: Out<Handle>, capacity: c_uint, module: Handle) {
        functions.fill(&driver.modules.get(module)?.functions, capacity as usize)
    }

    fn cuModuleGetGlobal_v2(driver, address: Out<u64>, bytes: Out<usize>, module: Handle, name: Text) {
        driver.healthy()?;
        let name = name.get()?;
        // Seen on driver 580.
        if name.is_empty() {
            return Err(Status::INVALID_VALUE);
        }
        let (place, length) = driver.variable_named(module, &name)?;
        address.set_if_wanted(place);
        bytes.set_if_wanted(length);
        Ok(())
    }
}
