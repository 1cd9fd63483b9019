//! Removes entry points from the names that a library exports, for a driver of an earlier release.

use object::read::Error;
use std::io;

/// Removes `names` from the names that the library in these bytes exports.
///
/// # Errors
/// If the library does not export one of them.
pub(crate) fn strike_out(library: &mut [u8], names: &[String]) -> io::Result<()> {
    let is_struck = |name: &[u8]| names.iter().any(|struck| struck.as_bytes() == name);
    let count =
        remove(library, &is_struck).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
    if count == names.len() {
        return Ok(());
    }
    let text = format!("of {names:?} the test driver exports {count}: check their names");
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

/// The control whose name replaces the names of removed entry points.
#[cfg(not(windows))]
const PLACEHOLDER: &[u8] = b"kernel_args_test_driver_absent";

/// Changes the names of the dynamic symbols to [`PLACEHOLDER`]. `dlsym` still finds an entry by its hash, and rejects
/// it when it compares the name. References inside the library also use the name, and resolve to the placeholder.
#[cfg(not(windows))]
fn remove(library: &mut [u8], is_struck: &dyn Fn(&[u8]) -> bool) -> Result<usize, Error> {
    use object::{
        Endianness,
        elf::{FileHeader64, SHT_DYNSYM},
        read::elf::{FileHeader, SectionHeader},
    };
    let (mut places, mut placeholder) = (Vec::new(), None);
    {
        let bytes = &*library;
        let header = FileHeader64::<Endianness>::parse(bytes)?;
        let endian = header.endian()?;
        let sections = header.sections(endian, bytes)?;
        let symbols = sections.symbols(endian, bytes, SHT_DYNSYM)?;
        let table = sections.section(symbols.section())?;
        for (index, symbol) in symbols.enumerate() {
            let name = symbols.symbol_name(endian, symbol)?;
            // `st_name`, the first field.
            let place = table.sh_offset(endian) as usize + index.0 * size_of_val(symbol);
            if name == PLACEHOLDER {
                placeholder = bytes.get(place..place + 4).map(<[u8]>::to_owned);
            } else if is_struck(name) {
                places.push(place);
            }
        }
    }
    let Some(placeholder) = placeholder else { return Ok(0) };
    for place in &places {
        library[*place..*place + 4].copy_from_slice(&placeholder);
    }
    Ok(places.len())
}

/// Removes the names from the table of exports, which is sorted by name and stays so.
#[cfg(windows)]
fn remove(library: &mut [u8], is_struck: &dyn Fn(&[u8]) -> bool) -> Result<usize, Error> {
    use object::{LittleEndian, pe, read::pe::PeFile64};

    let (directory, names, ordinals, kept, count) = {
        let file = PeFile64::parse(&*library)?;
        let sections = file.section_table();
        let exports = file.data_directories().get(pe::IMAGE_DIRECTORY_ENTRY_EXPORT);
        let (Some(table), Some(exports)) = (file.export_table()?, exports) else {
            return Ok(0);
        };
        let mut kept = Vec::new();
        for (name, index) in table.name_iter() {
            if !is_struck(table.name_from_pointer(name)?) {
                kept.push((name, index.0 as u16));
            }
        }
        let header = table.directory();
        let [names, ordinals] = [header.address_of_names, header.address_of_name_ordinals].map(|address| {
            sections.pe_file_range_at(address.get(LittleEndian)).map_or(0, |(offset, _)| offset as usize)
        });
        (exports.file_range(&sections)?.0 as usize, names, ordinals, kept, table.name_pointers().len())
    };
    for (i, (name, index)) in kept.iter().enumerate() {
        library[names + 4 * i..][..4].copy_from_slice(&name.to_le_bytes());
        library[ordinals + 2 * i..][..2].copy_from_slice(&index.to_le_bytes());
    }
    let length = directory + std::mem::offset_of!(pe::ImageExportDirectory, number_of_names);
    library[length..][..4].copy_from_slice(&(kept.len() as u32).to_le_bytes());
    Ok(count - kept.len())
}
