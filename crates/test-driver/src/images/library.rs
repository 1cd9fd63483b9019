//! Libraries: images without a context (`cuLibrary*`, `cuKernel*`).

use std::{
    collections::BTreeMap,
    ffi::{c_uint, c_void},
    sync::Arc,
};

use crate::{
    entry::{In, Out, Text},
    error::{Outcome, Status},
    handle::Handle,
    images::{
        function::Function,
        image::{Image, Source},
        jit::Options,
        module::{info, source_at},
    },
    state::Driver,
};

/// A loaded library.
#[derive(Debug)]
pub(crate) struct Library {
    image: Arc<Image>,
    kernels: Vec<Handle>,
    /// Its module in each context where one of its functions was requested.
    modules: BTreeMap<Handle, Handle>,
}

impl Driver {
    fn load_library(&mut self, source: &Source, options: Options) -> Outcome<Handle> {
        let sm = self.config.sm;
        let image = Arc::new(options.report(Image::read(source, sm), |image| info(image, sm))?);
        let library = self.libraries.reserve();
        let kernels = image
            .kernels
            .iter()
            .map(|kernel| self.functions.insert(Function::new(kernel.clone(), None, library)))
            .collect();
        self.libraries.insert_at(library, Library { image, kernels, modules: BTreeMap::new() });
        Ok(library)
    }

    /// Returns the library's module in a context.
    pub(crate) fn library_module(&mut self, library: Handle, context: Handle) -> Outcome<Handle> {
        let held = self.libraries.get(library)?;
        match held.modules.get(&context) {
            Some(module) if self.modules.contains(*module) => Ok(*module),
            _ => {
                let image = Arc::clone(&held.image);
                let module = self.instantiate(&image, context)?;
                self.libraries.get_mut(library)?.modules.insert(context, module);
                Ok(module)
            }
        }
    }

    /// The module of a library's kernel is loaded when the kernel is first used. Without a context that is later.
    pub(crate) fn load_lazily(&mut self, kernel: Handle) {
        if let Ok(library) = self.kernel(kernel).map(|held| held.owner) {
            let _ = self.healthy().and_then(|context| self.library_module(library, context));
        }
    }

    /// Returns a kernel of a library, which is not a function.
    fn kernel(&self, kernel: Handle) -> Outcome<&Function> {
        let held = self.functions.get(kernel)?;
        if held.context.is_some() { Err(Status::INVALID_HANDLE) } else { Ok(held) }
    }
}

entry_points! {
    fn cuLibraryLoadData(
        driver, library: Out<Handle>, code: In<c_void>, options: In<c_uint>, values: Out<usize>, count: c_uint,
        _library_options: In<c_uint>, _library_values: In<usize>, _library_count: c_uint,
    ) {
        library.set(Handle::NULL)?;
        let options = Options::read(count, options, values)?;
        library.set(driver.load_library(&source_at(code)?, options)?)
    }

    fn cuLibraryUnload(driver, library: Handle) {
        let held = driver.libraries.remove(library)?;
        for kernel in held.kernels {
            driver.functions.remove(kernel)?;
        }
        for module in held.modules.into_values() {
            // The module was destroyed with its context.
            let _ = driver.unload(module);
        }
        Ok(())
    }

    fn cuLibraryGetKernel(driver, kernel: Out<Handle>, library: Handle, name: Text) {
        let name = name.get()?;
        let kernels = &driver.libraries.get(library)?.kernels;
        let named = |kernel: &&Handle| driver.functions.get(**kernel).is_ok_and(|held| held.kernel.name == name);
        kernel.set(kernels.iter().find(named).copied().ok_or(Status::NOT_FOUND)?)
    }

    fn cuKernelGetFunction(driver, function: Out<Handle>, kernel: Handle) {
        let held = driver.kernel(kernel)?;
        let (library, name) = (held.owner, held.kernel.name.clone());
        let context = driver.healthy()?;
        let module = driver.library_module(library, context)?;
        function.set(driver.function_named(module, &name)?)
    }
}
