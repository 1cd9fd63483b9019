//! The format of an image, and the errors of reading one.

use crate::formats::{
    bytes::{Class, before_nul, except, skip_long},
    cubin, fatbin, ptx,
};

/// The format of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// PTX text.
    #[default]
    Ptx,
    /// A cubin.
    Cubin,
    /// A fat binary.
    Fatbin,
}

/// Why an image cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// None of the formats: its first bytes.
    Unknown([u8; 4]),
    /// CUDA C++, which no compiler has compiled.
    CudaSource,
    /// A Git LFS pointer: a short text that Git writes instead of a file that was not downloaded.
    LfsPointer,
    /// A web page.
    WebPage,
    /// A file of the host: what kind.
    HostFile(&'static str),
    /// PTX that cannot be parsed.
    Ptx(ptx::Error),
    /// A cubin that cannot be read.
    Cubin(cubin::Error),
    /// A fat binary that cannot be read, or that contains no readable member.
    Fatbin(fatbin::Error),
    /// The data about its kernels would exceed this number of bytes.
    Kernels(usize),
}

display!(error Error, |this, f| match this {
    Self::Unknown(first) => {
        write!(f, "neither PTX, nor a cubin, nor a fat binary: it begins with `{}`", first.escape_ascii())
    }
    Self::CudaSource => f.write_str("this is CUDA C++, not a compiled image"),
    Self::LfsPointer => {
        f.write_str("this is a Git LFS pointer, not the file: download the file with `git lfs pull`")
    }
    Self::WebPage => f.write_str("this is a web page (HTML), not an image: download the file itself"),
    Self::HostFile(kind) => write!(
        f,
        "this is {kind}, not an image: `nvcc -ptx`, `-cubin` and `-fatbin` compile to images, `nvcc -c` to an object file of the host"
    ),
    Self::Ptx(error) => write!(f, "PTX cannot be parsed: {error}"),
    Self::Cubin(error) => error.fmt(f),
    Self::Fatbin(error) => error.fmt(f),
    Self::Kernels(limit) => write!(
        f,
        "an image whose kernels need more than {limit} bytes of memory, which is the limit for a file of this size"
    ),
});

pub(crate) fn format(bytes: &[u8]) -> Result<Kind, Error> {
    if let Some(kind) = binary_format(bytes) {
        kind
    } else if is_text(bytes) {
        foreign_text(bytes).map_or(Ok(Kind::Ptx), Err)
    } else {
        Err(Error::unknown(bytes))
    }
}

/// Returns what a text is that is not PTX, if its beginning shows that.
#[doc(hidden)]
#[must_use]
pub fn foreign_text(text: &[u8]) -> Option<Error> {
    let begin = text.trim_ascii_start();
    let is_tag = |tag: &[u8]| begin.get(..tag.len()).is_some_and(|own| own.eq_ignore_ascii_case(tag));
    if text.starts_with(b"version https://git-lfs.github.com/spec/") {
        Some(Error::LfsPointer)
    } else if is_tag(b"<!doctype html") || is_tag(b"<html") {
        Some(Error::WebPage)
    } else {
        is_cuda_source(text).then_some(Error::CudaSource)
    }
}

pub(crate) fn binary_format(bytes: &[u8]) -> Option<Result<Kind, Error>> {
    if bytes.starts_with(b"\x7fELF") {
        Some(Ok(Kind::Cubin))
    } else if bytes.starts_with(&fatbin::MAGIC.to_le_bytes()) {
        Some(Ok(Kind::Fatbin))
    } else if bytes.starts_with(&fatbin::WRAPPER_MAGIC.to_le_bytes()) {
        Some(Err(Error::Fatbin(fatbin::Error::Wrapper)))
    } else {
        HOST_FILES.iter().find(|(first, _)| bytes.starts_with(first)).map(|(_, kind)| Err(Error::HostFile(kind)))
    }
}

const HOST_FILES: [(&[u8], &str); 5] = [
    (b"!<arch>\n", "a static library"),
    (b"\xcf\xfa\xed\xfe", "an object file, a library or a program for macOS"),
    (b"MZ\x90\0", "a library or a program for Windows"),
    (b"\x64\x86", "an object file for Windows"),
    (b"\x64\xaa", "an object file for Windows"),
];

impl Error {
    #[cold]
    pub(crate) fn unknown(bytes: &[u8]) -> Self {
        Self::Unknown(core::array::from_fn(|at| bytes.get(at).copied().unwrap_or(0)))
    }
}

/// Returns whether the bytes up to the first NUL can be PTX: no control characters, and ASCII at the beginning.
fn is_text(bytes: &[u8]) -> bool {
    let text = before_nul(bytes);
    text.first().is_some_and(u8::is_ascii) && skip_long(text, 0, &TEXT) == text.len()
}

static TEXT: Class = except(
    b"\0\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f",
);

fn is_cuda_source(text: &[u8]) -> bool {
    let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
    !has(b".version") && (has(b"__global__") || has(b"__device__") || has(b"#include"))
}

#[cfg(test)]
mod tests {
    use super::{Error, Kind, format};
    use alloc::{string::ToString as _, vec};

    #[test]
    fn other_texts_are_named() {
        for (text, error) in [
            ("version https://git-lfs.github.com/spec/v1\noid sha256:0f\nsize 12\n", Error::LfsPointer),
            ("<!DOCTYPE html>\n<html><body>404</body></html>", Error::WebPage),
            ("\n<HTML lang=\"en\">", Error::WebPage),
        ] {
            assert_eq!(format(text.as_bytes()), Err(error), "{text}");
        }
    }

    #[test]
    fn a_file_of_the_host_is_named_with_its_machine() {
        let elf = |class: u8, machine: u8| {
            let mut bytes = vec![0; 64];
            bytes[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1, 1]);
            bytes[18] = machine;
            bytes
        };
        for (bytes, what) in [
            (elf(2, 62), "for x86-64, not for NVIDIA GPUs"),
            (elf(2, 183), "for AArch64, not for NVIDIA GPUs"),
            (elf(1, 40), "for Arm (32 bits), not for NVIDIA GPUs"),
            (elf(2, 8), "for the ELF machine 8, not for NVIDIA GPUs"),
            (elf(1, 190), "a cubin with 32-bit device code"),
            (b"!<arch>\nkernels.o/".to_vec(), "this is a static library, not an image"),
            (b"\xcf\xfa\xed\xfe\x0c\0\0\x01".to_vec(), "for macOS, not an image"),
            (b"MZ\x90\0\x03".to_vec(), "for Windows, not an image"),
        ] {
            let error = crate::validate(&bytes).expect_err("no image").to_string();
            assert!(error.contains(what), "{error}");
        }
    }

    #[test]
    fn cuda_source_is_not_ptx() {
        for source in [
            "extern \"C\" __global__ void k() {}",
            "// kernels\n#include \"k.cuh\"\n",
            "__device__ float square(float x) { return x * x; }",
        ] {
            assert_eq!(format(source.as_bytes()), Err(Error::CudaSource), "{source}");
        }
        for ptx in [
            "// __global__ void k()\n.version 8.0\n.target sm_80\n",
            "// #include \"k.cuh\"\n  .version 8.0",
            ".entry k() {}",
            "hello",
        ] {
            assert_eq!(format(ptx.as_bytes()), Ok(Kind::Ptx), "{ptx}");
        }
    }
}
