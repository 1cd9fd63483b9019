//! Libraries: images that belong to no context (`cuLibrary*`, `cuKernel*`).

use std::{
    collections::BTreeMap,
    ffi::{c_int, c_uint, c_void},
    sync::Arc,
};

use crate::{
    entry::{In, Out, Text},
    error::{Outcome, Status},
    function::Function,
    handle::Handle,
    image::{Image, Source},
    jit::Options,
    module::{info, source_at, source_in_file},
    state::Driver,
};

/// A loaded library.
#[derive(Debug)]
pub(crate) struct Library {
    image: Arc<Image>,
    kernels: Vec<Handle>,
    /// The module that it became in each context where one of its functions was asked for.
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
            .map(|kernel| {
                self.functions
                    .insert(Function::new(kernel.clone(), None, library))
            })
            .collect();
        self.libraries.insert_at(
            library,
            Library {
                image,
                kernels,
                modules: BTreeMap::new(),
            },
        );
        Ok(library)
    }

    /// The library's module in the current context.
    fn library_module(&mut self, library: Handle) -> Outcome<Handle> {
        let context = self.healthy()?;
        let held = self.libraries.get(library)?;
        match held.modules.get(&context) {
            Some(module) if self.modules.contains(*module) => Ok(*module),
            _ => {
                let image = Arc::clone(&held.image);
                let module = self.instantiate(&image, context)?;
                self.libraries
                    .get_mut(library)?
                    .modules
                    .insert(context, module);
                Ok(module)
            }
        }
    }

    /// A library's kernel, which a function is not.
    fn kernel(&self, kernel: Handle) -> Outcome<&Function> {
        let held = self.functions.get(kernel)?;
        if held.context.is_some() {
            Err(Status::INVALID_HANDLE)
        } else {
            Ok(held)
        }
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

    fn cuLibraryLoadFromFile(
        driver, library: Out<Handle>, path: Text, options: In<c_uint>, values: Out<usize>, count: c_uint,
        _library_options: In<c_uint>, _library_values: In<usize>, _library_count: c_uint,
    ) {
        library.set(Handle::NULL)?;
        let options = Options::read(count, options, values)?;
        library.set(driver.load_library(&source_in_file(&path.get()?)?, options)?)
    }

    fn cuLibraryUnload(driver, library: Handle) {
        let held = driver.libraries.remove(library)?;
        for kernel in held.kernels {
            driver.functions.remove(kernel)?;
        }
        for module in held.modules.into_values() {
            // A destroyed context took its module along.
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

    fn cuLibraryGetKernelCount(driver, count: Out<c_uint>, library: Handle) {
        count.set(driver.libraries.get(library)?.kernels.len() as c_uint)
    }

    fn cuLibraryEnumerateKernels(driver, kernels: Out<Handle>, capacity: c_uint, library: Handle) {
        kernels.fill(&driver.libraries.get(library)?.kernels, capacity as usize)
    }

    fn cuLibraryGetModule(driver, module: Out<Handle>, library: Handle) {
        module.set(driver.library_module(library)?)
    }

    fn cuLibraryGetGlobal(driver, address: Out<u64>, bytes: Out<usize>, library: Handle, name: Text) {
        let module = driver.library_module(library)?;
        let (place, length) = driver.variable_named(module, &name.get()?)?;
        address.set_if_wanted(place);
        bytes.set_if_wanted(length);
        Ok(())
    }

    fn cuKernelGetFunction(driver, function: Out<Handle>, kernel: Handle) {
        let held = driver.kernel(kernel)?;
        let (library, name) = (held.owner, held.kernel.name.clone());
        let module = driver.library_module(library)?;
        function.set(driver.function_named(module, &name)?)
    }

    fn cuKernelGetLibrary(driver, library: Out<Handle>, kernel: Handle) {
        library.set(driver.kernel(kernel)?.owner)
    }

    fn cuKernelGetAttribute(driver, value: Out<c_int>, attribute: c_uint, kernel: Handle, device: c_int) {
        driver.device(device)?;
        value.set(driver.functions.get(kernel)?.attribute(attribute)?)
    }

    fn cuKernelSetAttribute(driver, attribute: c_uint, value: c_int, kernel: Handle, device: c_int) {
        driver.device(device)?;
        let figures = driver.figures();
        driver.functions.get_mut(kernel)?.set_attribute(attribute, value, figures)
    }
}
