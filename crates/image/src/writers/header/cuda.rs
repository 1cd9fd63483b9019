//! Which CUDA header declares a type.

use kernel_args_abi::{Alignment, cpp};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Include {
    /// `vector_types.h`, which nvcc and NVRTC include automatically.
    Vectors,
    /// `cuda.h`, which NVRTC cannot compile.
    Driver,
    File(&'static str),
}

#[derive(Clone, Copy)]
pub(super) struct CudaType<'n> {
    pub(super) name: &'n str,
    pub(super) include: Include,
    /// In bytes, if the type is in the table of CUDA types.
    pub(super) layout: Option<(usize, usize)>,
}

/// Prefixes of types that are not in the table of CUDA types, because they have no Rust type.
const WITHOUT_ROW: [(&str, &str); 3] =
    [("__nv_fp8", "cuda_fp8.h"), ("__nv_fp6", "cuda_fp6.h"), ("__nv_fp4", "cuda_fp4.h")];

/// `None` for a name with a path, and for a user-defined type.
pub(super) fn known(name: &str, align: Option<Alignment>) -> Option<CudaType<'_>> {
    let plain = name.strip_prefix("struct ").unwrap_or(name);
    let row = cpp::builtin(plain).filter(|_| !plain.contains([':', '<', ' ']));
    let Some(row) = row.map(|row| row.aligned_to(align)) else {
        return without_row(name).map(|include| CudaType { name, include, layout: None });
    };
    Some(CudaType { name: row.cpp, include: include(row.cpp), layout: Some((row.size, row.align)) })
}

/// For a member without an alignment. Some types have two alignments in different versions of CUDA: the result is the
/// usual one unless it exceeds `bound`. `None` for every other type.
pub(super) fn alignment_up_to(name: &str, bound: usize) -> Option<Alignment> {
    let usual = known(name, None)?.layout?.1;
    let align = Alignment::new(usual.min(bound))?;
    let row = known(name, Some(align))?.layout?.1;
    (row != usual && row == align.bytes()).then_some(align)
}

fn without_row(name: &str) -> Option<Include> {
    WITHOUT_ROW.iter().find(|(begins, _)| name.starts_with(begins)).map(|(_, file)| Include::File(file))
}

fn include(name: &str) -> Include {
    match name {
        "__half" | "__half2" => Include::File("cuda_fp16.h"),
        "__nv_bfloat16" | "__nv_bfloat162" => Include::File("cuda_bf16.h"),
        "cuFloatComplex" | "cuDoubleComplex" => Include::File("cuComplex.h"),
        "CUtensorMap" => Include::Driver,
        name => without_row(name).unwrap_or(Include::Vectors),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_cuda_are_found_with_the_header_that_has_them() {
        for (name, found, include) in [
            ("float4", "float4", Include::Vectors),
            ("half", "__half", Include::File("cuda_fp16.h")),
            ("nv_bfloat16", "__nv_bfloat16", Include::File("cuda_bf16.h")),
            ("cuComplex", "cuFloatComplex", Include::File("cuComplex.h")),
            ("__nv_fp8_e4m3", "__nv_fp8_e4m3", Include::File("cuda_fp8.h")),
            ("CUtensorMap_st", "CUtensorMap", Include::Driver),
            ("dim3", "dim3", Include::Vectors),
        ] {
            let known = known(name, None).expect(name);
            assert_eq!((known.name, known.include), (found, include));
        }
        for other in ["sim::float4", "Light", "complex<float>", "thrust::complex<float>"] {
            assert!(known(other, None).is_none(), "{other}");
        }
        let map = |align| known("CUtensorMap_st", Alignment::new(align)).and_then(|map| map.layout);
        assert_eq!((map(64), map(128)), (Some((128, 64)), Some((128, 128))));
        let up_to = |bound| alignment_up_to("CUtensorMap", bound).map(Alignment::bytes);
        assert_eq!((up_to(usize::MAX), up_to(128), up_to(64), up_to(32)), (None, None, Some(64), None));
        assert_eq!(alignment_up_to("float4", 8), None);
        assert_eq!(without_row("__nv_fp8x4_e5m2"), Some(Include::File("cuda_fp8.h")));
    }
}
