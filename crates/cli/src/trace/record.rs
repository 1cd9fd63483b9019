//! `--record`: one launch of the program in a file, for `kernel-args replay`.

use super::{
    connections::WantedLaunch,
    kernels::Images,
    protocol::{self, Recorded, memory_file},
};
use crate::{
    error::{self, Error},
    escape::terminal,
};
use kernel_args_image::{
    fatbin::MEMBER_LIMIT,
    recording::{Attribute, ElementType, Machine, Manifest, Memory, Moment, Parameter, Pointer, Writer},
};
use kernel_args_nvrtc::{NewFile, open_to_read};
use std::{
    io::{self, BufReader, BufWriter, Read as _, Write as _},
    path::{Path, PathBuf},
};

/// Their values contain an address: `CUlaunchAttributeID` 1, 7, 12 and 13.
const WITH_ADDRESS: [(u32, &str); 4] = [
    (1, "access_policy_window"),
    (7, "programmatic_event"),
    (12, "launch_completion_event"),
    (13, "device_updatable_node"),
];

/// In bytes.
const MEMORY: u64 = 512 << 30;

pub(crate) struct Record {
    pub(crate) wanted: WantedLaunch,
    /// Otherwise it is named after the kernel, in the current folder.
    pub(crate) file: Option<PathBuf>,
}

impl Record {
    /// Reports on standard error that the launch is in a file, or why not.
    pub(super) fn write(&self, recorded: &Recorded, folder: &Path, images: &Images) {
        let symbol = &recorded.symbol;
        let file = self.file.clone().unwrap_or_else(|| {
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
            let name: String = symbol.chars().map(plain).take(100).collect();
            PathBuf::from(format!("{name}.{}.launch", self.wanted.nth))
        });
        let (manifest, image) = described(recorded, images);
        let image = image.and_then(|image| read(&image).ok());
        let write = || -> io::Result<()> {
            let to = BufWriter::with_capacity(1 << 20, NewFile::create(&file)?);
            let mut writer = Writer::new(to, &manifest, image.as_deref())?;
            let mut add = |moment, name: &str| {
                (0..manifest.memory.len()).try_for_each(|index| {
                    let from = open_to_read(&folder.join(memory_file(index, name)), MEMORY)?;
                    writer.memory(moment, index, BufReader::with_capacity(1 << 20, from))
                })
            };
            add(Moment::Before, "before")?;
            if recorded.status == 0 {
                add(Moment::After, "after")?;
            }
            writer.finish(recorded.status)?.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
        };
        if let Err(error) = write() {
            let error = Error::new(file.display(), error);
            return error::print(&format_args!("the launch was not recorded: {error}"));
        }
        let without = if image.is_some() { "" } else { ", without its image" };
        // If standard error is closed, the line is discarded.
        _ = writeln!(
            io::stderr(),
            "{} was recorded{without}: {}",
            terminal(symbol),
            terminal(&file.display().to_string())
        );
    }
}

fn read(image: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_to_read(image, MEMBER_LIMIT)?.take(MEMBER_LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the manifest, and the file of the image.
fn described(recorded: &Recorded, images: &Images) -> (Manifest, Option<PathBuf>) {
    let found = images.find(&recorded.symbol, &recorded.values);
    let machine = Machine {
        recorder: concat!("kernel-args ", env!("CARGO_PKG_VERSION")).into(),
        gpu: recorded.gpu.clone(),
        sm: recorded.sm.clone(),
        driver: recorded.driver.clone(),
    };
    let mut manifest = Manifest::new(recorded.symbol.clone(), machine);
    let name = images.known_name(&recorded.symbol, true);
    manifest.name = (name != recorded.symbol).then(|| name.to_owned());
    (manifest.grid, manifest.block, manifest.shared_memory) = (recorded.grid, recorded.block, recorded.shared);
    for protocol::Attribute { id, value } in &recorded.attributes {
        if let Some((_, lost)) = WITH_ADDRESS.iter().find(|(known, _)| known == id) {
            manifest.lost_attributes.push((*lost).into());
        } else if *id != 0 {
            let text = format!("attribute {id}");
            manifest.attributes.push(Attribute { id: *id, text, value: *value });
        }
    }
    let arguments = found.arguments(&recorded.values);
    let elements = arguments.iter().map(|argument| elements(&argument.ty)).collect::<Vec<_>>();
    manifest.parameters = arguments
        .into_iter()
        .map(|argument| Parameter {
            name: argument.name,
            ty: argument.ty,
            value: argument.value,
            bytes: argument.passed.bytes.clone(),
        })
        .collect();
    manifest.memory =
        recorded.allocations.iter().map(|&[address, size]| Memory { address, size, elements: None }).collect();
    for &[parameter, at, memory, offset] in &recorded.pointers {
        let [parameter, at, memory] =
            [parameter, at, memory].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        if let (Some(known), Some(elements)) = (manifest.memory.get_mut(memory), elements.get(parameter)) {
            known.elements = *elements;
        }
        manifest.pointers.push(Pointer { parameter, at, memory, offset });
    }
    let kernel = found.kernel.and_then(|kernel| kernel.images.first());
    (manifest, kernel.map(|image| PathBuf::from(&*image.place.unit.file)))
}

/// Returns the elements behind a pointer of this C++ type.
fn elements(ty: &str) -> Option<ElementType> {
    match ty.strip_suffix('*')?.trim_end_matches('*').trim_end_matches(" const") {
        "float" => Some(ElementType::F32),
        "double" => Some(ElementType::F64),
        _ => None,
    }
}
