//! Reads the sections of object files, programs and libraries.

use object::{
    Endianness, Object as _, ObjectSection as _, SectionKind, elf,
    read::{
        FileKind, ReadRef,
        elf::{FileHeader, SectionHeader as _},
    },
};

/// The names of sections that contain fat binaries. `__nv_relfatbin` contains relocatable device code.
const SECTIONS: [&[u8]; 3] = [b".nv_fatbin", b"__nv_relfatbin", b"__nv_fatbin"];

pub(super) struct Section {
    /// Otherwise it contains data.
    pub(super) is_device_code: bool,
    /// The offset from the start of the object file.
    pub(super) at: u64,
    pub(super) length: u64,
}

type Sections = object::Result<Vec<Section>>;

/// `None` for an unknown format.
pub(super) fn of_object<'d, R: ReadRef<'d>>(data: R) -> Option<(&'static str, Sections)> {
    Some(match FileKind::parse(data).ok()? {
        FileKind::Elf64 => ("ELF file", of_elf::<elf::FileHeader64<Endianness>, _>(data)),
        FileKind::Elf32 => ("ELF file", of_elf::<elf::FileHeader32<Endianness>, _>(data)),
        FileKind::Pe32 | FileKind::Pe64 => ("PE file", any(data)),
        FileKind::Coff | FileKind::CoffBig => ("COFF file", any(data)),
        FileKind::MachO32 | FileKind::MachO64 => ("Mach-O file", any(data)),
        _ => return None,
    })
}

/// Skips the symbols of a library, which take tens of megabytes.
fn of_elf<'d, H: FileHeader<Endian = Endianness>, R: ReadRef<'d>>(data: R) -> Sections {
    let header = H::parse(data)?;
    let endian = header.endian()?;
    let table = header.sections(endian, data)?;
    let sections = table.iter().filter_map(|section| {
        let name = table.section_name(endian, section).unwrap_or_default();
        let flags = section.sh_flags(endian);
        let is_loaded = section.sh_type(endian) == elf::SHT_PROGBITS
            && flags.contains(elf::SHF_ALLOC)
            && !flags.contains(elf::SHF_EXECINSTR);
        self::section(name, is_loaded, section.file_range(endian))
    });
    Ok(sections.collect())
}

fn any<'d, R: ReadRef<'d>>(data: R) -> Sections {
    let file = object::File::parse(data)?;
    let sections = file.sections().filter_map(|section| {
        let name = section.name_bytes().unwrap_or_default();
        let is_loaded = matches!(
            section.kind(),
            SectionKind::Data
                | SectionKind::ReadOnlyData
                | SectionKind::ReadOnlyDataWithRel
                | SectionKind::ReadOnlyString
        );
        self::section(name, is_loaded, section.file_range())
    });
    Ok(sections.collect())
}

fn section(name: &[u8], is_loaded: bool, range: Option<(u64, u64)>) -> Option<Section> {
    let (at, length) = range?;
    let is_device_code = is_device_code(name);
    (is_device_code || is_loaded).then_some(Section { is_device_code, at, length })
}

fn is_device_code(name: &[u8]) -> bool {
    // COFF images truncate names to 8 characters.
    SECTIONS.iter().any(|known| name.starts_with(known) || name == &known[..8])
}

#[cfg(test)]
mod tests {
    use super::is_device_code;

    #[test]
    fn sections_with_device_code_are_recognized_by_name() {
        for name in [".nv_fatbin", ".nv_fatb", "__nv_relfatbin", "__nv_fatbin", ".nv_fatbin.sm_90"] {
            assert!(is_device_code(name.as_bytes()), "{name}");
        }
        for name in [".nvFatBinSegment", ".text", "", ".nv_fat", "__nv_module_id"] {
            assert!(!is_device_code(name.as_bytes()), "{name}");
        }
    }
}
