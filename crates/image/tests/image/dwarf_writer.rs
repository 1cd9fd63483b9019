//! Hand-written debug information, as PTX: for cases that no available compiler writes.
#![allow(dead_code)] // Each test uses a part of it.

use std::fmt::Write as _;

/// Tags, attributes and forms of DWARF 5, "7.5 Format of Debugging Information".
pub(crate) mod dw {
    pub(crate) const ARRAY: u8 = 0x01;
    pub(crate) const ENUMERATION: u8 = 0x04;
    pub(crate) const FORMAL_PARAMETER: u8 = 0x05;
    pub(crate) const MEMBER: u8 = 0x0d;
    pub(crate) const POINTER: u8 = 0x0f;
    pub(crate) const COMPILE_UNIT: u8 = 0x11;
    pub(crate) const STRUCTURE: u8 = 0x13;
    pub(crate) const TYPEDEF: u8 = 0x16;
    pub(crate) const SUBRANGE: u8 = 0x21;
    pub(crate) const BASE: u8 = 0x24;
    pub(crate) const CONST: u8 = 0x26;
    pub(crate) const ENUMERATOR: u8 = 0x28;
    pub(crate) const SUBPROGRAM: u8 = 0x2e;

    pub(crate) const AT_NAME: u8 = 0x03;
    pub(crate) const AT_BYTE_SIZE: u8 = 0x0b;
    pub(crate) const AT_UPPER_BOUND: u8 = 0x2f;
    pub(crate) const AT_CONST_VALUE: u8 = 0x1c;
    pub(crate) const AT_ABSTRACT_ORIGIN: u8 = 0x31;
    pub(crate) const AT_COUNT: u8 = 0x37;
    pub(crate) const AT_DATA_MEMBER_LOCATION: u8 = 0x38;
    pub(crate) const AT_DECLARATION: u8 = 0x3c;
    pub(crate) const AT_ENCODING: u8 = 0x3e;
    pub(crate) const AT_EXTERNAL: u8 = 0x3f;
    pub(crate) const AT_SPECIFICATION: u8 = 0x47;
    pub(crate) const AT_TYPE: u8 = 0x49;
    pub(crate) const AT_DATA_BIT_OFFSET: u8 = 0x6b;
    pub(crate) const AT_LINKAGE_NAME: u8 = 0x6e;
    pub(crate) const AT_ALIGNMENT: u8 = 0x88;
    pub(crate) const AT_STR_OFFSETS_BASE: u8 = 0x72;

    pub(crate) const BLOCK1: u8 = 0x0a;
    pub(crate) const DATA1: u8 = 0x0b;
    pub(crate) const DATA2: u8 = 0x05;
    pub(crate) const DATA4: u8 = 0x06;
    pub(crate) const STRING: u8 = 0x08;
    pub(crate) const FLAG: u8 = 0x0c;
    pub(crate) const STRP: u8 = 0x0e;
    pub(crate) const UDATA: u8 = 0x0f;
    pub(crate) const REF_ADDR: u8 = 0x10;
    pub(crate) const REF4: u8 = 0x13;
    pub(crate) const SEC_OFFSET: u8 = 0x17;
    pub(crate) const FLAG_PRESENT: u8 = 0x19;
    pub(crate) const STRX1: u8 = 0x25;
    pub(crate) const LINE_STRP: u8 = 0x1f;
}

/// The sections, one after another.
#[derive(Clone, Default)]
pub(crate) struct Sections {
    pub(crate) info: Vec<u8>,
    pub(crate) abbrev: Vec<u8>,
    pub(crate) strings: Vec<u8>,
    pub(crate) line_strings: Vec<u8>,
    pub(crate) string_offsets: Vec<u8>,
}

impl Sections {
    /// Defines the abbreviation `code` of one byte.
    pub(crate) fn abbreviate(&mut self, code: u8, tag: u8, children: bool, attributes: &[(u8, u8)]) {
        self.abbrev.extend([code, tag, u8::from(children)]);
        for &(attribute, form) in attributes {
            self.abbrev.push(attribute);
            // A LEB128 number.
            if attribute >= 0x80 {
                self.abbrev.push(1);
            }
            self.abbrev.push(form);
        }
        self.abbrev.extend([0, 0]);
    }

    /// Ends the table of abbreviations.
    pub(crate) fn end_table(&mut self) {
        self.abbrev.push(0);
    }

    /// Appends a unit whose table of abbreviations is at `table`. Returns its position.
    pub(crate) fn unit(&mut self, version: u8, table: u32, entries: &[u8]) -> usize {
        let start = self.info.len();
        let mut header = vec![version, 0];
        if version == 5 {
            header.extend([1, 8]);
            header.extend(table.to_le_bytes());
        } else {
            header.extend(table.to_le_bytes());
            header.push(8);
        }
        let length = u32::try_from(header.len() + entries.len()).unwrap();
        self.info.extend(length.to_le_bytes());
        self.info.extend(header);
        self.info.extend(entries);
        start
    }

    /// The length of a unit's header.
    pub(crate) fn header(version: u8) -> usize {
        if version == 5 { 12 } else { 11 }
    }

    /// The number of bytes.
    pub(crate) fn size(&self) -> usize {
        let all = [&self.info, &self.abbrev, &self.strings, &self.line_strings, &self.string_offsets];
        all.iter().map(|section| section.len()).sum()
    }

    /// The sections as an ELF file for CUDA.
    pub(crate) fn elf(&self) -> Vec<u8> {
        self.object(190, &[])
    }

    /// The sections as an ELF file for a machine that exports these functions.
    pub(crate) fn object(&self, machine: u8, functions: &[&str]) -> Vec<u8> {
        let (mut symbols, mut texts) = (vec![0; 24], vec![0]);
        for function in functions {
            symbols.extend(u32::try_from(texts.len()).unwrap().to_le_bytes());
            // Global, a function, in section 1.
            symbols.extend([0x12, 0, 1, 0]);
            symbols.extend([0; 16]);
            texts.extend(function.bytes());
            texts.push(0);
        }
        let sections: [(&str, &[u8]); 7] = [
            (".debug_info", &self.info),
            (".debug_abbrev", &self.abbrev),
            (".debug_str", &self.strings),
            (".debug_line_str", &self.line_strings),
            (".debug_str_offsets", &self.string_offsets),
            (".symtab", &symbols),
            (".strtab", &texts),
        ];
        let mut names = b"\0.shstrtab\0".to_vec();
        let mut bytes = vec![0; 64];
        let mut table = vec![0; 64];
        for (name, content) in sections {
            let kind = match name {
                ".symtab" => 2,
                ".strtab" => 3,
                _ => 1,
            };
            let mut header = section_header(names.len(), kind, bytes.len(), content.len());
            // The texts of the symbols.
            header[40] = 7 * u8::from(kind == 2);
            table.extend(header);
            names.extend(name.bytes());
            names.push(0);
            bytes.extend(content);
        }
        table.extend(section_header(1, 3, bytes.len(), names.len()));
        bytes.extend(&names);
        let table_at = bytes.len() as u64;
        bytes.extend(table);
        bytes[..16].copy_from_slice(b"\x7fELF\x02\x01\x01\x41\0\0\0\0\0\0\0\0");
        bytes[16..20].copy_from_slice(&[2, 0, machine, 0]);
        bytes[40..48].copy_from_slice(&table_at.to_le_bytes());
        bytes[52..64].copy_from_slice(&[64, 0, 56, 0, 0, 0, 64, 0, 9, 0, 8, 0]);
        bytes
    }

    /// The sections as a PTX text with these declarations.
    pub(crate) fn ptx(&self, declarations: &str) -> String {
        let mut text = format!(".version 9.0\n.target sm_90, debug\n{declarations}\n");
        for (name, bytes) in [
            (".debug_info", &self.info),
            (".debug_abbrev", &self.abbrev),
            (".debug_str", &self.strings),
            (".debug_line_str", &self.line_strings),
            (".debug_str_offsets", &self.string_offsets),
        ] {
            let _ = write!(text, ".section {name} {{");
            for bytes in bytes.chunks(64) {
                let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
                let _ = write!(text, "\n.b8 {}", bytes.join(","));
            }
            text.push_str("\n}\n");
        }
        text
    }
}

fn section_header(name: usize, kind: u32, offset: usize, size: usize) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend(u32::try_from(name).unwrap().to_le_bytes());
    header.extend(kind.to_le_bytes());
    header.extend([0; 16]);
    header.extend((offset as u64).to_le_bytes());
    header.extend((size as u64).to_le_bytes());
    header.extend([0; 8]);
    header.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    header.extend([0; 8]);
    header
}
