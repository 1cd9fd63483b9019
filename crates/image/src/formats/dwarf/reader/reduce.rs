//! Reduces a debug build to the data about parameters.

use super::{ABBREV, Error, INFO, LINE_STRINGS, NAMES, STRING_OFFSETS, STRINGS, Sections, Slice};
use crate::formats::ptx::{Header, Module};
use crate::prelude::*;
use core::{fmt::Write, ops::Range};
use gimli::{AttributeValue, DebugAbbrev, DebugInfo, LittleEndian, UnitHeader, constants};

/// Returns the declarations and types of kernels and variables in the PTX text of a debug build, as a PTX text without
/// code, lines and the compilation folder: the same on every machine. `of_ptx` returns the same for it. It is not
/// intended for the driver.
///
/// # Errors
/// If the text or its debug information cannot be read, or contains references that NVIDIA's compilers do not write.
pub fn reduce(text: &[u8]) -> Result<String, Error> {
    let header = Header::read(text).map_err(Error::Ptx)?;
    let module = Module::read(text).map_err(Error::Ptx)?;
    let sections = Sections::of_ptx(text)?;
    let (major, minor) = header.version;
    let mut written = format!(
        "// The parameters of kernels: declarations, and debug information without code and lines.\n\
         .version {major}.{minor}\n.target {}\n.address_size {}\n",
        header.target.text,
        header.address_size.unwrap_or(64),
    );
    for entry in module.entries() {
        if let Some((_, declaration)) = module.declaration(entry.name) {
            let declaration = String::from_utf8_lossy(declaration);
            let _ = write!(written, "\n.visible .entry {}\n{{ ret; }}\n", declaration.trim());
        }
    }
    for declaration in module.variable_declarations() {
        let declaration = String::from_utf8_lossy(declaration);
        let _ = write!(written, "\n.visible {declaration};\n");
    }
    let info = without_paths(&sections)?;
    write_section(&mut written, NAMES[INFO], &info);
    for section in [ABBREV, STRINGS, LINE_STRINGS, STRING_OFFSETS] {
        write_section(&mut written, NAMES[section], sections.get(section));
    }
    Ok(written)
}

fn write_section(text: &mut String, name: &str, bytes: &[u8]) {
    const LINE: usize = 32;
    if bytes.is_empty() {
        return;
    }
    let _ = write!(text, "\n.section {name} {{");
    for (place, byte) in bytes.iter().enumerate() {
        let before = if place % LINE == 0 { "\n.b8 " } else { "," };
        let _ = write!(text, "{before}{byte}");
    }
    text.push_str("\n}\n");
}

fn without_paths(sections: &Sections<'_>) -> Result<Vec<u8>, Error> {
    let abbreviations = DebugAbbrev::new(sections.get(ABBREV), LittleEndian);
    let info = DebugInfo::new(sections.get(INFO), LittleEndian);
    let mut written = Vec::with_capacity(sections.get(INFO).len());
    let mut units = info.units();
    while let Some(unit) = units.next()? {
        let start = unit.debug_info_offset().map_or(0, |offset| offset.0);
        let end = start.saturating_add(unit.length_including_self());
        let bytes = sections.get(INFO).get(start..end).unwrap_or_default();
        written.extend(unit_without_paths(&unit, &abbreviations, bytes)?);
    }
    Ok(written)
}

fn unit_without_paths(
    unit: &UnitHeader<Slice<'_>>,
    abbreviations: &DebugAbbrev<Slice<'_>>,
    bytes: &[u8],
) -> Result<Vec<u8>, Error> {
    let table = unit.abbreviations(abbreviations)?;
    let mut entries = unit.entries_raw(&table, None)?;
    let mut cut: Vec<Range<usize>> = Vec::new();
    let mut references = Vec::new();
    let mut is_first = true;
    while !entries.is_empty() {
        let Some(entry) = entries.read_abbreviation()? else {
            continue;
        };
        for attribute in entry.attributes() {
            let start = entries.next_offset().0;
            let value = entries.read_attribute(*attribute)?.raw_value();
            let is_path = matches!(attribute.name(), constants::DW_AT_name | constants::DW_AT_comp_dir);
            match value {
                AttributeValue::String(text) if is_first && is_path => {
                    cut.push(start..start + text.len());
                }
                AttributeValue::UnitRef(to) if attribute.form() == constants::DW_FORM_ref4 => {
                    references.push((start, to.0));
                }
                AttributeValue::UnitRef(_) | AttributeValue::DebugInfoRef(_) | AttributeValue::DebugInfoRefSup(_) => {
                    return Err(Error::Dwarf("a reference that is not of 4 bytes".into()));
                }
                _ => {}
            }
        }
        is_first = false;
    }
    let mut written = bytes.to_vec();
    let shorter = |place: usize| cut.iter().filter(|range| range.end <= place).map(Range::len).sum::<usize>();
    let mut set = |place: usize, value: usize| {
        if let Some(field) = written.get_mut(place..place.saturating_add(4)) {
            field.copy_from_slice(&(value as u32).to_le_bytes());
        }
    };
    for (place, to) in references {
        set(place, to - shorter(to));
    }
    if unit.format() != gimli::Format::Dwarf32 {
        return Err(Error::Dwarf("units of 64-bit DWARF".into()));
    }
    set(0, bytes.len() - 4 - shorter(bytes.len()));
    for range in cut.iter().rev() {
        written.drain(range.clone());
    }
    Ok(written)
}
