//! Size and alignment of every device type: in the crate, in rustc, and in several compilers.

use crate::oracle::{engine, read_ptx};
use kernel_args_test_generator::tools::{self as tools, GXX, Tool};
use kernel_args_test_generator::{
    Leaf, cpp,
    leaf::{FOREIGN, LEAVES},
};
use kernel_args_toolchain_tests::{
    folder,
    golden::COMMAND,
    nvrtc::{self, HEADERS},
};
use std::{fmt::Write as _, fs, path::PathBuf};

/// C++ types, and the leaf that each must be equal to, by its Rust name.
type Names = Vec<(&'static str, &'static str)>;

/// Every device type by its C++ name.
fn all() -> Names {
    let cuda = LEAVES.iter().map(|leaf| (leaf.cpp, leaf.rust));
    cuda.chain(FOREIGN.iter().map(|ty| (ty.cpp, ty.rust))).collect()
}

/// Types that NVIDIA's headers define, and the generator's sources replace.
fn of_headers() -> Names {
    vec![
        ("__half", "half::f16"),
        ("__half2", "Half2"),
        ("__nv_bfloat16", "half::bf16"),
        ("__nv_bfloat162", "BFloat162"),
        ("cuFloatComplex", "CuFloatComplex"),
        ("cuComplex", "CuFloatComplex"),
        ("cuDoubleComplex", "CuDoubleComplex"),
        ("__nv_fp8_e4m3", "float8::F8E4M3"),
        ("__nv_fp8_e5m2", "float8::F8E5M2"),
    ]
}

/// Types that a host compiler knows through `vector_types.h`.
fn of_host() -> Names {
    let stand_ins = ["TensorMap", "cuda", "cu", "__half", "__nv", "Array<"];
    let mut names = all();
    names.retain(|(cpp, _)| !stand_ins.iter().any(|name| cpp.starts_with(name)));
    names
}

/// Size and alignment from a compiler, in the order of the names.
pub(crate) struct Table {
    names: Names,
    numbers: Vec<usize>,
}

impl Table {
    fn new(names: Names, numbers: Vec<usize>) -> Result<Self, String> {
        if numbers.len() == 2 * names.len() {
            return Ok(Self { names, numbers });
        }
        Err(format!("{} numbers for {} types", numbers.len(), names.len()))
    }

    fn rows(&self) -> impl Iterator<Item = (&'static str, &'static str, usize, usize)> {
        let pairs = self.numbers.chunks(2);
        self.names.iter().zip(pairs).map(|((cpp, rust), pair)| (*cpp, *rust, pair[0], pair[1]))
    }

    /// The number of types.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The table in its committed form.
    pub(crate) fn render(&self, version: &str) -> String {
        let mut text = format!("# {version}: Rust, C++, size, alignment.\n# Written by: {COMMAND}\n");
        for (cpp, rust, size, align) in self.rows() {
            let _ = writeln!(text, "{rust}\t{cpp}\t{size}\t{align}");
        }
        text
    }

    /// The committed table.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut rows = all().into_iter();
        let mut numbers = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            let expected = rows.next().map(|(cpp, rust)| [rust, cpp]);
            if columns.len() != 4 || expected != Some([columns[0], columns[1]]) {
                return Err(format!("not the table of these types: {line}: run {COMMAND}"));
            }
            for number in &columns[2..] {
                numbers.push(number.parse().map_err(|_| format!("no number: {line}"))?);
            }
        }
        Self::new(all(), numbers)
    }

    /// Every difference to the crate, to rustc and to the generator.
    pub(crate) fn differences(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (cpp, rust, size, align) in self.rows() {
            let foreign = engine::foreign_kind(rust);
            let Some(kind) = engine::kind(rust).or(foreign) else {
                found.push(format!("{rust}: no device type of this name"));
                continue;
            };
            let ours = (kind.layout.size(), kind.layout.align().bytes());
            if ours != (size, align) {
                found.push(format!("{rust} is {}/{}, the compiler's {cpp} {size}/{align}", ours.0, ours.1));
            }
            // Up to 16 bytes, a foreign type may have a smaller alignment on the host.
            let less = foreign.is_some() && kind.host_align < align && align <= 16;
            if kind.host_size != size || kind.host_align != align && !less {
                let (size_of, align_of) = (kind.host_size, kind.host_align);
                found.push(format!("{rust} is {size_of}/{align_of} to rustc, the compiler's {cpp} {size}/{align}"));
            }
            let foreign = FOREIGN.iter().find(|ty| ty.rust == rust);
            let row = Leaf::named(rust).map(|leaf| (leaf.size(), leaf.align)).or(foreign.map(|ty| (ty.size, ty.align)));
            if row != Some((size, align)) {
                found.push(format!("{rust}: the generator's table is wrong, {cpp} is {size}/{align}"));
            }
        }
        found
    }
}

fn facts(names: &Names) -> String {
    let facts: Vec<String> = names.iter().map(|(cpp, _)| format!("sizeof({cpp}), alignof({cpp})")).collect();
    facts.join(", ")
}

fn facts_of(name: &str, text: &str, includes: &[PathBuf], names: Names) -> Result<Table, String> {
    let folder = folder("oracle/types")?;
    let source = folder.join(format!("{name}.cu"));
    let text = format!("{text}extern \"C\" __device__ unsigned int facts[] = {{ {} }};\n", facts(&names));
    fs::write(&source, text).map_err(|error| error.to_string())?;
    nvrtc::compile(&folder, "compute_75", includes, &[source])?;
    let ptx = fs::read_to_string(folder.join(format!("{name}.ptx"))).map_err(|error| error.to_string())?;
    Table::new(names, read_ptx::numbers(&ptx, "facts").ok_or("no `facts` in the PTX")?)
}

/// The values of NVRTC.
pub(crate) fn by_nvrtc() -> Result<Table, String> {
    facts_of("types", cpp::PRELUDE, &[], all())
}

/// The values of NVRTC with CUDA's own headers.
pub(crate) fn by_nvrtc_headers() -> Result<Table, String> {
    let text = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n#include <cuComplex.h>\n";
    facts_of("headers", text, &[tools::path(HEADERS)], of_headers())
}

/// The values of g++ for the host: by CUDA's rule, device types have the same layout as on the host.
pub(crate) fn by_gxx() -> Result<Table, String> {
    let assembly = host("gxx", GXX, &["-S", "-o", "-"])?;
    let long = |line: &str| line.trim().strip_prefix(".long\t")?.parse().ok();
    Table::new(of_host(), assembly.lines().filter_map(long).collect())
}

/// The compiler whose own layout for NVPTX is compared.
pub(crate) const CLANG: Tool = Tool::program("clang++");

/// The values of clang for NVPTX, which uses LLVM's own data layout.
pub(crate) fn by_clang() -> Result<Table, String> {
    let text = host("clang", CLANG, &["--target=nvptx64-nvidia-cuda", "-S", "-emit-llvm", "-o", "-"])?;
    let list = text
        .split_once("@facts =")
        .and_then(|(_, rest)| rest.split_once("x i32] ["))
        .and_then(|(_, rest)| rest.split_once(']'))
        .ok_or("no `facts` in clang's output")?;
    let number = |item: &str| item.trim().strip_prefix("i32 ")?.parse().ok();
    Table::new(of_host(), list.0.split(',').filter_map(number).collect())
}

/// The output of a compiler for a plain C++ source with `vector_types.h`.
fn host(name: &str, compiler: Tool, options: &[&str]) -> Result<String, String> {
    let folder = folder("oracle/types")?;
    let source = folder.join(format!("{name}.cpp"));
    let text = format!(
        "#include <vector_types.h>\nextern \"C\" {{ extern unsigned int facts[]; }}\nunsigned int facts[] = {{ {} }};\n",
        facts(&of_host())
    );
    fs::write(&source, text).map_err(|error| error.to_string())?;
    let output = tools::command(compiler)
        .args(options)
        .args(["-std=c++17", "-w", "-I"])
        .arg(tools::path(HEADERS))
        .arg(&source)
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The first line of a compiler's version output.
pub(crate) fn version(compiler: Tool) -> String {
    let output = tools::command(compiler).arg("--version").output().expect("it is there");
    String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned()
}
