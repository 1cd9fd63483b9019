use super::pointers::{Content, add_memory};
use crate::{
    driver::{
        api::{Api, CallError, Readable, Status, api},
        attributes::to_recording,
        context::{Gpu, current_device, driver_version},
        error::{Error, RecordingError},
        observe::LaunchEvent,
    },
    marshal::Value,
};
use kernel_args_image::recording::{Machine, Manifest, Moment, Parameter, Writer};
use kernel_args_nvrtc::NewFile;
use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

/// Runs the launch between the two copies of its memory. Returns its result, and whether the file was written.
pub(super) fn write<R>(
    launch: &LaunchEvent<'_>,
    file: &Path,
    run: impl FnOnce() -> Result<R, Error>,
) -> (Result<R, Error>, Result<(), Error>) {
    let not_written = |error: io::Error| Error::Recording(RecordingError::Write { file: file.into(), error });
    let begun = (|| {
        let api = api()?;
        let (manifest, memory) = describe(api, launch)?;
        let open = || -> io::Result<_> {
            let file = BufWriter::with_capacity(1 << 20, NewFile::create(file)?);
            let image = launch.image.as_deref().map(Vec::as_slice);
            let mut writer = Writer::new(file, &manifest, image)?;
            copy(api, &mut writer, &memory, Moment::Before)?;
            Ok(writer)
        };
        let writer = open().map_err(not_written)?;
        Ok((api, memory, writer))
    })();
    let result = run();
    let written = begun.and_then(|(api, memory, mut writer)| {
        let status = match (&result, api.cuCtxSynchronize()) {
            (Ok(_), Ok(())) => Status::SUCCESS.0,
            // After a fault of the kernel, its memory cannot be read.
            (_, Err(CallError::Returned(call))) => call.status.0,
            (_, Err(_)) | (Err(_), _) => UNKNOWN,
        };
        let finish = || -> io::Result<()> {
            if status == Status::SUCCESS.0 {
                copy(api, &mut writer, &memory, Moment::After)?;
            }
            writer.finish(status)?.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
        };
        finish().map_err(not_written)
    });
    (result, written)
}

/// `CUDA_ERROR_UNKNOWN`: the launch was refused, or the driver could not be called.
const UNKNOWN: u32 = 999;

fn copy<W: Write>(api: &Api, writer: &mut Writer<W>, memory: &[Readable], moment: Moment) -> io::Result<()> {
    for (index, allocation) in memory.iter().enumerate() {
        writer.memory(moment, index, Content::of(api, allocation))?;
    }
    Ok(())
}

fn describe(api: &Api, launch: &LaunchEvent<'_>) -> Result<(Manifest, Vec<Readable>), Error> {
    api.cuCtxSynchronize()?;
    let gpu = Gpu::of(api, current_device()?)?;
    let machine = Machine {
        recorder: concat!("kernel-args ", env!("CARGO_PKG_VERSION")).into(),
        gpu: gpu.name,
        sm: gpu.sm.to_string(),
        driver: driver_version()?.to_string(),
    };
    let mut manifest = Manifest::new(launch.name(), machine);
    manifest.name = launch.demangled();
    manifest.grid = launch.config.grid;
    manifest.block = launch.config.block;
    manifest.shared_memory = launch.config.shared;
    (manifest.attributes, manifest.lost_attributes) = to_recording(launch.attributes);
    let (mut memory, mut result) = (Vec::new(), Ok(()));
    (launch.call.values)(&mut |parameter, bytes| {
        if result.is_ok() {
            result = add_memory(&mut manifest, &mut memory, api, parameter, bytes, |allocation| {
                // SAFETY: the caller of the launch promises that memory behind its pointers stays allocated until the
                // launch has returned: see `launch()`. `write`, which has called this function, is part of the launch.
                unsafe { allocation.promised() }
            });
        }
        manifest.parameters.push(Parameter {
            name: parameter.name.into(),
            ty: if parameter.cpp.is_unknown() { String::new() } else { parameter.cpp.to_string() },
            value: Value::of(parameter, bytes).to_string(),
            bytes: bytes.into(),
        });
    });
    result?;
    Ok((manifest, memory))
}
