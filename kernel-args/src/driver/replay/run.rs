use super::{Replay, ReplayOptions, ReplayedMemory, memory::ReplayMemory};
use crate::driver::{
    api::{ReplayPromise, Status},
    attributes::from_recording,
    config::Launch,
    error::{Error, RecordingError},
    function::Function,
    launch::{ByteArguments, ByteLaunch, prepare},
    module::Module,
};
use core::time::Duration;
use cudarc::driver::{CudaContext, CudaStream, sys::CUevent_flags};
use kernel_args_image::recording::{Entry, Error as ReadError, Manifest, Moment, Reader};
use std::{
    fs::File,
    io::{BufReader, Read},
    path::Path,
    sync::Arc,
};

pub(super) struct ReplayRun<'r, 'i> {
    context: &'r Arc<CudaContext>,
    stream: Arc<CudaStream>,
    file: &'r Path,
    options: &'r ReplayOptions<'i>,
    promise: ReplayPromise,
}

struct Ready {
    function: Function,
    launch: Launch<'static>,
    arguments: ByteArguments,
}

impl<'r, 'i> ReplayRun<'r, 'i> {
    pub(super) fn new(
        context: &'r Arc<CudaContext>,
        file: &'r Path,
        options: &'r ReplayOptions<'i>,
        promise: ReplayPromise,
    ) -> Result<Self, Error> {
        Ok(Self { context, stream: context.new_stream()?, file, options, promise })
    }

    /// Reads the recording from its start to its end, once.
    pub(super) fn run<R: Read>(mut self, reader: &mut Reader<R>) -> Result<Replay, Error> {
        let file = self.file;
        let unread = |error| unread(file, error);
        let mut entries = reader.entries().map_err(unread)?;
        let manifest = entries.manifest().clone();
        let stream = self.stream.clone();
        let memory = manifest.memory.iter().map(|recorded| ReplayMemory::new(&stream, *recorded));
        let mut memory = memory.collect::<Result<Vec<_>, _>>()?;
        let (mut image, mut launched, mut compared) = (None, None, Vec::new());
        let is_kept = self.options.repetitions > 0;
        while let Some(entry) = entries.next_entry().map_err(unread)? {
            match entry {
                Entry::Image(bytes) => image = Some(bytes),
                Entry::Memory { moment: Moment::Before, index, content } => {
                    memory[index].fill(&stream, content, unread, is_kept)?;
                }
                Entry::Memory { moment: Moment::After, index, content } => {
                    if launched.is_none() {
                        launched = Some(self.first(&manifest, image.take(), &memory)?);
                    }
                    if let Some((_, Status::SUCCESS)) = launched {
                        let (difference, is_written) = memory[index].compare(&stream, content, unread)?;
                        compared.push(ReplayedMemory { size: memory[index].recorded.size, is_written, difference });
                    }
                }
                Entry::Status(recorded) => {
                    let (mut ready, status) = match launched.take() {
                        Some(launched) => launched,
                        None => self.first(&manifest, image.take(), &memory)?,
                    };
                    let times = match status {
                        Status::SUCCESS => self.times(&mut ready, &mut memory)?,
                        _ => Vec::new(),
                    };
                    return Ok(Replay { recorded: Status(recorded), status, memory: compared, times });
                }
            }
        }
        // The reader returns an error for a recording without a result.
        Err(unread(ReadError::Invalid("it has no result".into())))
    }

    fn first(
        &mut self,
        manifest: &Manifest,
        image: Option<Vec<u8>>,
        memory: &[ReplayMemory],
    ) -> Result<(Ready, Status), Error> {
        let mut ready = self.ready(manifest, image, memory)?;
        self.launch(&mut ready)?;
        let status = self.stream.synchronize().err().map_or(Status::SUCCESS, |error| error.0.into());
        Ok((ready, status))
    }

    fn ready(&self, manifest: &Manifest, image: Option<Vec<u8>>, memory: &[ReplayMemory]) -> Result<Ready, Error> {
        let image = match (&self.options.image, image) {
            (Some(image), _) => image.clone(),
            (None, Some(bytes)) => bytes.into(),
            (None, None) => return Err(Error::Recording(RecordingError::NoImage)),
        };
        let function = Module::load(self.context, image)?.function(&manifest.kernel)?;
        let attributes = manifest.attributes.iter().map(|recorded| {
            from_recording(recorded).ok_or(Error::Recording(RecordingError::Attribute { id: recorded.id }))
        });
        let attributes = attributes.collect::<Result<Vec<_>, _>>()?;
        let mut values: Vec<_> = manifest.parameters.iter().map(|parameter| parameter.bytes.clone()).collect();
        for pointer in &manifest.pointers {
            let address = memory[pointer.memory].address(&self.stream) + pointer.offset;
            values[pointer.parameter][pointer.at..pointer.at + size_of::<u64>()]
                .copy_from_slice(&address.to_le_bytes());
        }
        let text = manifest.parameters.iter().map(|parameter| format!("{} = {}", parameter.name, parameter.value));
        let text = text.collect::<Vec<_>>().join("\n");
        Ok(Ready {
            function,
            launch: self.options.launch(manifest),
            arguments: ByteArguments { values, text, attributes },
        })
    }

    fn launch(&mut self, ready: &mut Ready) -> Result<(), Error> {
        let Ready { function, launch, arguments } = ready;
        let launch = ByteLaunch { function, launch, stream: &self.stream, arguments, promise: self.promise.launch() };
        prepare(launch).map_err(|error| *error)
    }

    fn times(&mut self, ready: &mut Ready, memory: &mut [ReplayMemory]) -> Result<Vec<Duration>, Error> {
        let event = || self.context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        let (start, end) = (event()?, event()?);
        let stream = self.stream.clone();
        let mut times = Vec::new();
        for _ in 0..self.options.repetitions {
            for memory in &mut *memory {
                memory.restore(&stream)?;
            }
            start.record(&stream)?;
            self.launch(ready)?;
            end.record(&stream)?;
            end.synchronize()?;
            let milliseconds = start.elapsed_ms(&end)?;
            times.push(Duration::from_secs_f64(f64::from(milliseconds) / 1000.0));
        }
        Ok(times)
    }
}

pub(super) fn opened(file: &Path) -> Result<BufReader<File>, ReadError> {
    const PIECE: usize = 1 << 20;
    Ok(BufReader::with_capacity(PIECE, File::open(file)?))
}

pub(super) fn unread(file: &Path, error: ReadError) -> Error {
    Error::Recording(RecordingError::Read { file: file.into(), error })
}
