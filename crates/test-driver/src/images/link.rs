//! The linker: `cuLinkCreate` to `cuLinkComplete`. The result is a cubin with the kernels of all inputs.

use std::{
    ffi::{c_uint, c_void},
    sync::Arc,
};

use crate::{
    entry::{In, Out, in_at},
    error::{Outcome, Status},
    handle::Handle,
    images::{
        cubin_writer,
        image::{Image, Refusal, Source},
        jit::Options,
        module::source_of,
    },
    state::Driver,
};

/// An active link.
#[derive(Debug)]
pub(crate) struct Link {
    options: Options,
    image: Image,
    /// The PTX of all inputs.
    texts: Vec<Arc<[u8]>>,
    /// Whether all inputs have PTX.
    is_executed: bool,
    /// The device functions that the inputs in PTX define, and those that they only declare.
    defined: Vec<String>,
    declared: Vec<String>,
    /// The finished cubin. The caller gets a pointer into it, valid until the link is destroyed.
    cubin: Vec<u8>,
}

/// `CU_JIT_INPUT_CUBIN`, `CU_JIT_INPUT_PTX`.
const CUBIN: c_uint = 0;
const PTX: c_uint = 1;

impl Driver {
    fn add_to_link(&mut self, link: Handle, kind: c_uint, bytes: Vec<u8>) -> Outcome {
        self.healthy()?;
        let sm = self.config.sm;
        let held = self.links.get_mut(link)?;
        let source = source_of(bytes);
        match (kind, &source) {
            (CUBIN, Source::Cubin(_)) | (PTX, Source::Ptx(_)) => {}
            (CUBIN | PTX, _) => return Err(Status::INVALID_IMAGE),
            _ => return Err(Status::NOT_SUPPORTED),
        }
        let added = Image::read(&source, sm).and_then(|image| {
            match image.kernels.iter().find(|kernel| held.image.kernel(&kernel.name).is_some()) {
                Some(twice) => {
                    let log = format!("error   : Multiple definition of '{}'", twice.name);
                    Err(Refusal::new(Status::INVALID_IMAGE, log))
                }
                None => Ok(image),
            }
        });
        let image = held.options.report(added, |image| crate::images::module::info(image, sm))?;
        match (&source, image.program()) {
            (Source::Ptx(text), _) => held.texts.push(Arc::from(text.as_slice())),
            (_, Some(program)) => held.texts.extend(program.texts().iter().cloned()),
            // Machine code: functions of it are not known.
            _ => held.is_executed = false,
        }
        held.image.kernels.extend(image.kernels);
        held.image.variables.extend(image.variables);
        if let Source::Ptx(text) = &source {
            let text = String::from_utf8_lossy(text);
            held.defined.extend(functions(&text, ".visible .func"));
            held.declared.extend(functions(&text, ".extern .func"));
        }
        Ok(())
    }

    /// As driver 580.159.04: a link with an undefined function fails, unless the process has loaded PTX of an
    /// unsupported version before. Then only the error log reports it.
    fn complete(&self, link: &Link) -> Outcome {
        let undefined = link.declared.iter().find(|name| !link.defined.contains(name));
        let refused = undefined.map_or(Ok(()), |name| {
            let log = format!("error   : Undefined reference to '{name}' in 'image 0'");
            Err(Refusal::new(Status::INVALID_SOURCE, log))
        });
        match link.options.report(refused, |()| String::new()) {
            Err(_) if self.has_refused_a_version => Ok(()),
            outcome => outcome,
        }
    }
}

/// Returns the names of the functions that begin with `linkage`.
fn functions(ptx: &str, linkage: &str) -> Vec<String> {
    let name = |text: &str| {
        let text = text.trim_start();
        let text = match text.strip_prefix('(') {
            Some(result) => result.split_once(')')?.1.trim_start(),
            None => text,
        };
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')?;
        Some(text[..end].to_owned())
    };
    ptx.split(linkage).skip(1).filter_map(name).collect()
}

entry_points! {
    fn cuLinkCreate_v2(driver, count: c_uint, options: In<c_uint>, values: Out<usize>, link: Out<Handle>) {
        driver.healthy()?;
        let options = Options::read(count, options, values)?;
        link.set(Handle::NULL)?;
        link.set(driver.links.insert(Link {
            options, image: Image::default(), texts: Vec::new(), is_executed: true, defined: Vec::new(), declared: Vec::new(), cubin: Vec::new(),
        }))
    }

    fn cuLinkAddData_v2(
        driver, link: Handle, kind: c_uint, data: In<c_void>, length: usize, _name: In<c_void>, _count: c_uint,
        _options: In<c_uint>, _values: Out<usize>,
    ) {
        let bytes = in_at::<u8>(data.address()).take(length)?;
        driver.add_to_link(link, kind, bytes)
    }

    fn cuLinkComplete(driver, link: Handle, cubin: Out<*const u8>, length: Out<usize>) {
        driver.healthy()?;
        let sm = driver.config.sm;
        driver.complete(driver.links.get(link)?)?;
        let held = driver.links.get_mut(link)?;
        let texts = if held.is_executed { &held.texts[..] } else { &[] };
        held.cubin = cubin_writer::write(&held.image, texts, sm);
        cubin.set(held.cubin.as_ptr())?;
        length.set_if_wanted(held.cubin.len());
        Ok(())
    }

    fn cuLinkDestroy(driver, link: Handle) {
        driver.links.remove(link).map(drop)
    }
}
