//! The types in the symbols of random kernels. NVRTC writes C++, so all of them must count.

use kernel_args_abi::{CppBase, CppType};
use kernel_args_image::{Image, mangled::Demangled};
use kernel_args_test_generator::{Shape, cpp, signatures};
use kernel_args_toolchain_tests::{folder, nvrtc};
use std::fs;

/// The target and an option of each set of kernels. From compute_100 on, PTX marks pointers.
const COMPILED: [(&str, &[&str]); 3] = [("compute_75", &[]), ("compute_100", &[]), ("compute_90", &["--device-debug"])];

/// An enum of 64 bits in code that uses it as a value. Only the code shows that it is no pointer.
const WIDE: &str = r"
enum class Wide : long long { A, B = 5000000000ll, C };
__device__ int words[64];
__device__ char bytes[64];
__global__ void compared(Wide e, Wide f, int* p) { if (e == Wide::B || e == f) *p = 1; }
__global__ void selected(Wide e, int* p) {
    switch (e) { case Wide::A: *p = 1; break; case Wide::B: *p = 7; break; case Wide::C: p[2] = 9; }
}
__global__ void indexed(Wide e, int* p, char* q, long long n) { p[(long long)e] = words[(long long)e]; (q + n)[(long long)e] = 1; }
__global__ void of_bytes(Wide e, int* p) { *p = bytes[(long long)e]; }
__global__ void of_shared(Wide e, int* p, char c) {
    __shared__ char shared[64];
    shared[threadIdx.x] = c;
    __syncthreads();
    *p = shared[(long long)e];
}
__global__ void converted(Wide e, float* p) { *p = (float)(long long)e; }
__global__ void computed(Wide e, int* p) { *p = (long long)e * 3 + 1 > 77; }
";

/// What was compared.
#[derive(Default)]
pub(crate) struct Amount {
    pub(crate) kernels: usize,
    pub(crate) types: usize,
    /// Enums of 64 bits whose code does not show that they are no pointers.
    pub(crate) unclear: usize,
}

/// Every type that does not count.
pub(crate) fn ignored(seed: u64, count: usize) -> Result<(Vec<String>, Amount), String> {
    let (mut found, mut amount) = (Vec::new(), Amount::default());
    for (set, (target, options)) in COMPILED.iter().enumerate() {
        let folder = folder(&format!("oracle/symbols/{set}"))?;
        let random = |shape, count| cpp::source(&signatures(seed, shape, count), false);
        let sources = [random(Shape::Plain, count), random(Shape::Echo, count / 4), WIDE.to_owned()];
        let mut places = Vec::new();
        for (number, source) in sources.iter().enumerate() {
            let place = folder.join(format!("{number}.cu"));
            fs::write(&place, source.replace("extern \"C\" ", "")).map_err(|error| error.to_string())?;
            places.push(place);
        }
        nvrtc::compile_with(&folder, target, &[], options, &places)?;
        for place in places {
            let text = fs::read(place.with_extension("ptx")).map_err(|error| error.to_string())?;
            compare(&text, &mut found, &mut amount).map_err(|error| error.to_string())?;
        }
    }
    Ok((found, amount))
}

fn compare(text: &[u8], found: &mut Vec<String>, amount: &mut Amount) -> Result<(), kernel_args_image::Error> {
    let image = Image::read(text)?;
    let mut kernels = image.kernels()?;
    image.add_bodies(&mut kernels, |_| true)?;
    for symbol in kernels.symbols() {
        let (Some(kernel), Some(name)) = (kernels.kernel(symbol, None), Demangled::new(symbol)) else {
            found.push(format!("{symbol}: not read"));
            continue;
        };
        amount.kernels += 1;
        // The random kernels do not use their parameters, or store them somewhere.
        let is_random = name.name().contains("::");
        let (types, parameters) = (name.parameters().unwrap_or_default(), kernel.parameters());
        if types.len() != parameters.len() || kernel.demangled.as_ref() != Some(&name) {
            found.push(format!("{name}: its symbol is ignored"));
            continue;
        }
        for (ty, parameter) in types.iter().zip(&parameters) {
            let is_enum = matches!(ty, CppType { base: CppBase::Named(_), depth: 0, .. });
            amount.types += usize::from(!ty.is_unknown());
            if parameter.cpp.is_unknown() && is_enum && parameter.size == 8 && is_random {
                amount.unclear += 1;
            } else if parameter.cpp != *ty {
                found.push(format!("{name}: {parameter:?}"));
            }
        }
    }
    Ok(())
}
