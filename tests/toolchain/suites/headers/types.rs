//! A header for each device type.

use crate::headers::compilers;
use kernel_args::{DeviceType, cpp};

/// A struct with a member of the type, after padding.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Holder<T> {
    first: u8,
    value: T,
}

/// The header of a struct with a member of each type.
fn headers() -> Result<Vec<(String, String)>, cpp::HeaderError> {
    let mut headers = Vec::new();
    macro_rules! all {
        ($($rust:ty = $cpp:literal, $passed:ident $count:literal x $size:literal aligned $align:literal,
           $drawn:ident $(of $inner:ty)?;)*) => {{
            use core::num::*;
            use kernel_args::{*, vector::*};
            $(
                let namespace = format!("types_{}", headers.len());
                let header = cpp::Header::new().namespace(&namespace);
                let text = header.item(cpp::device_type::<Holder<$rust>>()).write()?;
                headers.push((format!("type_{}.h", headers.len()), text));
            )*
        }};
    }
    kernel_args_test_generator::cuda_types!(all);
    Ok(headers)
}

pub(crate) fn by_nvrtc() -> Result<String, String> {
    let headers = headers().map_err(|error| error.to_string())?;
    // One source supports only one alignment of tensor maps.
    let (old, new): (Vec<_>, Vec<_>) =
        headers.iter().partition(|(_, text)| text.contains("alignas(64) CUtensorMap_st"));
    let source = |group: &[&(String, String)]| {
        let files = group.iter().map(|(file, _)| file);
        files.fold(String::new(), |text, file| text + "#include \"" + file + "\"\n")
    };
    compilers::nvrtc("types", &headers, &[source(&old), source(&new)])?;
    if old.is_empty() || new.len() < 60 {
        return Err(format!("{} and {} types", old.len(), new.len()));
    }
    Ok(format!("{} types", headers.len()))
}
