//! The summary of an image as bytes. The macros write it at compile time, so a program needs no reader of images for
//! it.

use crate::prelude::*;
use crate::{
    code::{
        directives::{DirectiveField, Directives},
        release::PtxVersion,
        target::{Features, Target},
    },
    formats::detect::Kind,
    model::{
        contents::{Code, CodeKind},
        kernel::Limits,
        kernels::Kernels,
    },
    table::writer::Writer,
};
use kernel_args_abi::{Sm, signature::reader::Reader};

/// The data about an image that loading needs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// The format of the image.
    pub kind: Kind,
    /// The code in the image.
    pub contents: Vec<Code>,
    /// The limits of each kernel, in the order of the table.
    pub kernels: Vec<Limits>,
}

/// The kinds and features in the order of their stored numbers.
const KINDS: [Kind; 3] = [Kind::Ptx, Kind::Cubin, Kind::Fatbin];
const FEATURES: [Features; 3] = [Features::Baseline, Features::Family, Features::Architecture];
/// Their numbers begin with 1. PTX has 0.
const KINDS_OF_CODE: [CodeKind; 4] = [CodeKind::Cubin, CodeKind::LtoIr, CodeKind::Other, CodeKind::TileIr];

/// Returns the summary of an image, for the kernels with these symbols. `None` if a kernel differs between code of the
/// image: such an image is read at run time, when the GPU is known.
#[must_use]
pub fn summary<'s>(
    kind: Kind,
    contents: &[Code],
    kernels: &Kernels<'_>,
    symbols: impl IntoIterator<Item = &'s str>,
) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes);
    writer.number(kind as usize);
    writer.number(contents.len());
    for code in contents {
        match code.kind {
            CodeKind::Ptx { version, address_size } => {
                let size = usize::from(address_size.unwrap_or(0));
                for number in [0, version.major.into(), version.minor.into(), size] {
                    writer.number(number);
                }
            }
            kind => writer.number(KINDS_OF_CODE.iter().position(|known| *known == kind)? + 1),
        }
        writer.number(code.target.map_or(0, |target| target.features as usize + 1));
        writer.number(code.target.map_or(0, |target| target.sm.0.into()));
    }
    for symbol in symbols {
        write_limits(&mut writer, kernels.same_limits(symbol)?);
    }
    Some(bytes)
}

/// A bit for dynamic shared memory and for each directive that is present, and the values.
fn write_limits(writer: &mut Writer<'_>, mut limits: Limits) {
    let (mut present, mut values) = (usize::from(limits.dynamic_shared), Vec::new());
    limits.directives.each(|row, field| {
        let is_present = match field {
            DirectiveField::Dimensions(value) => {
                values.extend(value.iter().flatten());
                value.is_some()
            }
            DirectiveField::Count(value) => {
                values.extend(*value);
                value.is_some()
            }
            DirectiveField::Flag(value) => *value,
        };
        present |= usize::from(is_present) << (row + 1);
    });
    writer.number(present);
    for value in values {
        writer.number(value as usize);
    }
}

impl Summary {
    /// Reads the bytes of [`summary`]; `kernels` is the number of kernels in the table.
    #[must_use]
    pub fn read(bytes: &[u8], kernels: usize) -> Self {
        let reader = &mut Reader::new(bytes, 0);
        let kind = KINDS[reader.number()];
        let contents = (0..reader.number()).map(|_| read_code(reader)).collect();
        let kernels = (0..kernels).map(|_| read_limits(reader)).collect();
        Self { kind, contents, kernels }
    }
}

fn read_code(reader: &mut Reader<'_>) -> Code {
    let kind = match reader.number() {
        0 => CodeKind::Ptx {
            version: PtxVersion { major: reader.number() as u16, minor: reader.number() as u16 },
            address_size: Some(reader.number() as u8).filter(|size| *size > 0),
        },
        number => KINDS_OF_CODE.get(number - 1).copied().unwrap_or(CodeKind::Other),
    };
    let (features, sm) = (reader.number(), Sm(reader.number() as u16));
    let target = features.checked_sub(1).map(|at| Target { sm, features: FEATURES[at] });
    Code { kind, target }
}

fn read_limits(reader: &mut Reader<'_>) -> Limits {
    let present = reader.number();
    let mut directives = Directives::default();
    directives.each(|row, field| {
        if present >> (row + 1) & 1 == 1 {
            match field {
                DirectiveField::Dimensions(value) => *value = Some([(); 3].map(|()| reader.number() as u32)),
                DirectiveField::Count(value) => *value = Some(reader.number() as u32),
                DirectiveField::Flag(value) => *value = true,
            }
        }
    });
    Limits { directives, dynamic_shared: present & 1 == 1 }
}
