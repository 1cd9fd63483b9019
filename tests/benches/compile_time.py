#!/usr/bin/env python3
"""Measures the time to compile a derived struct: kernel-args, bytemuck and zerocopy.

    python3 tests/benches/compile_time.py                    the table
    python3 tests/benches/compile_time.py --structs 100 --repetitions 3
    python3 tests/benches/compile_time.py --images           structs that name kernels of large PTX files
    python3 tests/benches/compile_time.py --members          structs and enums by value, compared with debug information
    python3 tests/benches/compile_time.py --framework        40 structs, most of them generic, compared with 688 kernels and their code

Generates crates of structs with 8 fields of 8 bytes, one crate for each library and one without a
derive, and builds them with `cargo build` (debug). Dependencies are built before and not counted.
Repetitions are interleaved. Times are medians: wall time, and processor time of cargo and all its
child processes. "incremental" is a build after one constant next to one struct changed.

With --images the crates embed a generated PTX file of 5.8 MB or 28 MB with some thousand kernels, and
have 1, 20 or 200 structs. Each names a different kernel with `kernels!` or `ptx = "…"`, or no kernel.

With --members the crates have structs of arguments with one struct or enum by value. Each has its own kernel
in a PTX with debug information, which nvcc makes: ptx/toolchain.py installs nvcc.

With --framework the kernels are in a crate of their own, as in a framework: 30 families with a kernel for each of 10
element types, two families with a pattern for many kernels, and 8 kernels alone. Times are a build from scratch, a
build after a comment was added at the top of the file of the structs, and the same with `cargo check`. The same crate
whose structs name no kernels is the difference.

Needs the crates bytemuck and zerocopy (from crates.io) and, for the lines, a nightly toolchain.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIELDS = 8
# The PTX that every struct names. Its only entry takes the 8 fields.
PTX = ROOT / "ptx" / "launch_cost.ptx"

LIBRARIES = {
    "no derive": ("", "", ""),
    "kernel-args": (
        f'kernel-args = {{ path = "{ROOT}/kernel-args", default-features = false, features = ["derive"] }}',
        "use kernel_args::KernelArgs;",
        "#[derive(KernelArgs)]",
    ),
    "kernel-args, PTX": (
        f'kernel-args = {{ path = "{ROOT}/kernel-args", default-features = false, features = ["kernels"] }}',
        "use kernel_args::KernelArgs;",
        '#[derive(KernelArgs)]\n#[kernel_args(ptx = "src/kernels.ptx", entry = "words_8")]',
    ),
    "bytemuck": (
        'bytemuck = { version = "1", features = ["derive"] }',
        "use bytemuck::{Pod, Zeroable};",
        "#[derive(Clone, Copy, Pod, Zeroable)]",
    ),
    "zerocopy": (
        'zerocopy = { version = "0.8", features = ["derive"] }',
        "use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};",
        "#[derive(KnownLayout, IntoBytes, FromBytes, Immutable)]",
    ),
}


def source(uses, derive, structs, touched):
    lines = ["#![allow(dead_code, unused_imports)]", uses, f"pub const TOUCHED: u64 = {touched};"]
    for i in range(structs):
        lines += [derive, "#[repr(C)]", f"pub struct S{i} {{"]
        lines += [f"    pub field_{j}: u64," for j in range(FIELDS)]
        lines += ["}"]
    return "\n".join(lines) + "\n"


class Crate:
    """A generated crate with a separate target directory."""

    def __init__(self, place, name, structs):
        self.name, self.structs = name, structs
        self.dependency, self.uses, self.derive = LIBRARIES[name]
        self.place = place / re.sub(r"\W+", "_", name)
        (self.place / "src").mkdir(parents=True)
        package = "measured"
        (self.place / "Cargo.toml").write_text(
            f'[package]\nname = "{package}"\nversion = "0.0.0"\nedition = "2024"\n'
            f"[dependencies]\n{self.dependency}\n[workspace]\n"
        )
        shutil.copy(PTX, self.place / "src" / "kernels.ptx")
        self.touch(0)

    def touch(self, touched):
        text = source(self.uses, self.derive, self.structs, touched)
        (self.place / "src" / "lib.rs").write_text(text)

    def cargo(self, *arguments):
        return run(["cargo", *arguments], self.place)

    def clean(self):
        self.cargo("clean", "--package", "measured", "--quiet")

    def lines(self):
        """The lines that the derive adds to one struct. None without a nightly toolchain."""
        expanded = subprocess.run(
            ["cargo", "+nightly", "rustc", "--quiet", "--", "-Zunpretty=expanded"],
            cwd=self.place,
            env=os.environ | {"CARGO_TARGET_DIR": str(self.place / "nightly")},
            capture_output=True,
            text=True,
        )
        if expanded.returncode:
            return None
        return len(expanded.stdout.splitlines())


def run(command, place):
    """Runs a command. Returns (wall, processor) seconds, including child processes."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    result = subprocess.run(command, cwd=place, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode:
        sys.exit(f"{' '.join(command)} in {place}:\n{result.stderr}")
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return wall, user + system


def dependencies(crate):
    """Builds the library, its dependencies and an empty crate from scratch."""
    crate.cargo("fetch", "--quiet")
    lib = crate.place / "src" / "lib.rs"
    lib.write_text("")
    built = crate.cargo("build", "--quiet")
    crate.touch(0)
    return built


def measure(place, structs, repetitions):
    crates = [Crate(place, name, structs) for name in LIBRARIES]
    times = {}
    for crate in crates:
        times[crate.name, "dependencies"] = [dependencies(crate)]
    for repetition in range(repetitions):
        for crate in crates:
            crate.clean()
            cold = crate.cargo("build", "--quiet")
            crate.touch(repetition + 1)
            incremental = crate.cargo("build", "--quiet")
            crate.touch(0)
            times.setdefault((crate.name, "cold"), []).append(cold)
            times.setdefault((crate.name, "incremental"), []).append(incremental)
        print(f"repetition {repetition + 1} of {repetitions}", file=sys.stderr)
    lines = {crate.name: crate.lines() for crate in crates}
    return times, lines


def median(times, name, kind):
    walls, processors = zip(*times[name, kind])
    return statistics.median(walls), statistics.median(processors)


def table(times, lines, structs):
    base_lines = lines["no derive"]
    base = median(times, "no derive", "cold")
    reference = median(times, "zerocopy", "cold")[1] - base[1]
    print("| derive | cold: wall | processor | per struct | / zerocopy | incremental: wall | processor "
          "| dependencies: wall | processor | lines per struct |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in LIBRARIES:
        cold, incremental = median(times, name, "cold"), median(times, name, "incremental")
        needs = median(times, name, "dependencies")
        own = cold[1] - base[1]
        each = "" if name == "no derive" else f"{own / structs * 1e3:.2f} ms"
        ratio = "" if name == "no derive" else f"{own / reference:.2f}"
        text = "?"
        if lines[name] is not None and base_lines is not None:
            text = f"{(lines[name] - base_lines) / structs:.0f}"
        print(f"| {name} | {cold[0]:.2f} s | {cold[1]:.2f} s | {each} | {ratio} "
              f"| {incremental[0]:.2f} s | {incremental[1]:.2f} s "
              f"| {needs[0]:.1f} s | {needs[1]:.1f} s | {text} |")


# Sizes of PTX files in bytes, and the numbers of structs.
IMAGES = {5_800_000: (1, 20), 28_000_000: (1, 200)}
WAYS = ["include_bytes!", "kernels!", "ptx ="]
# A kernel's parameters: PTX, the letter of the mangled name, and the type of the field.
PARAMETERS = [
    (".u64", "PKf", "DevicePointer<f32>"),
    (".u64", "Pf", "DevicePointerMut<f32>"),
    (".u32", "i", "i32"),
    (".u32", "j", "u32"),
    (".f32", "f", "f32"),
    (".u64", "PKd", "DevicePointer<f64>"),
    (".u64", "m", "u64"),
]


def image_kernels(size):
    """Names and parameters of kernels for a PTX file of about this size."""
    kernels, length = [], 0
    while length < size:
        i = len(kernels)
        taken = [PARAMETERS[(i * 5 + j * 3) % len(PARAMETERS)] for j in range(3 + i % 8)]
        name = f"mul_mat_vec_q{i % 13}_stage{i}"
        if i % 2:
            letters = "".join(letter for _, letter, _ in taken)
            name = f"_ZN4ggml{len(name)}{name}ILi{i % 9}EEEv{letters}"
        kernels.append((name, taken))
        length += len(image_kernel(*kernels[-1]))
    return kernels


def image_kernel(name, taken):
    """A kernel in nvcc's format: declaration, registers, and a body of some kilobytes."""
    declared = ",\n".join(f"\t.param {ty} {name}_param_{j}" for j, (ty, _, _) in enumerate(taken))
    lines = [f".visible .entry {name}(\n{declared}\n)\n{{", "\t.reg .pred \t%p<9>;", "\t.reg .f32 \t%f<81>;"]
    for j, (ty, _, _) in enumerate(taken):
        lines.append(f"\tld.param{ty} \t%r{j}, [{name}_param_{j}];")
    for j in range(30):
        lines += [
            "\t// begin inline asm" if j % 5 == 0 else f"$L__BB0_{j}:",
            f"\tmul.wide.u32 \t%rd{j + 5}, %r{j}, 4;",
            f"\tadd.s64 \t%rd{j + 6}, %rd{j}, %rd{j + 5};",
            f"\tld.global.nc.v4.f32 \t{{%f{j}, %f{j + 1}, %f{j + 2}, %f{j + 3}}}, [%rd{j + 6}];",
            f"\tfma.rn.f32 \t%f{j + 4}, %f{j}, %f{j + 1}, %f{j + 2};",
            f"\tsetp.lt.s32 \t%p{j % 9}, %r{j}, %r{j + 1};",
            f"\t@%p{j % 9} bra \t$L__BB0_{j};",
        ]
    return "\n".join(lines + ["\tret;", "\n}", ""])


def image_source(way, kernels, structs):
    """A crate that embeds the image, with structs for kernels at equal distances in it."""
    lines = ["#![allow(dead_code, unused_imports)]", "use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};"]
    if way == "kernels!":
        lines.append('kernel_args::kernels! { pub mod image = "src/image.ptx"; }')
    elif way == "include_bytes!":
        lines.append('pub static IMAGE: &[u8] = include_bytes!("image.ptx");')
    for i in range(structs):
        name, taken = kernels[i * len(kernels) // structs]
        lines.append("#[derive(KernelArgs)]")
        if way == "kernels!":
            item = name if not name.startswith("_Z") else re.search(r"mul_mat\w+?(?=ILi)", name).group()
            lines.append(f"#[kernel_args(kernel = image::{item})]")
        elif way == "ptx =":
            lines.append(f'#[kernel_args(ptx = "src/image.ptx", entry = "{name}")]')
        lines.append(f"pub struct S{i} {{")
        lines += [f"    pub field_{j}: {ty}," for j, (_, _, ty) in enumerate(taken)]
        lines.append("}")
    return "\n".join(lines) + "\n"


def image_package(place, features=""):
    """An empty package that depends on kernel-args with these features. The dependencies are already built."""
    package = place / "package"
    (package / "src").mkdir(parents=True)
    (package / "Cargo.toml").write_text(
        '[package]\nname = "measured"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n'
        f'kernel-args = {{ path = "{ROOT}/kernel-args", default-features = false, features = ["kernels", {features}] }}\n[workspace]\n'
    )
    build(package, "")
    return package


def build(package, source):
    """Builds the package with this source, without its dependencies. Returns (wall, processor) seconds."""
    (package / "src" / "lib.rs").write_text(source)
    run(["cargo", "clean", "--package", "measured", "--quiet"], package)
    return run(["cargo", "build", "--quiet"], package)


def images(place, repetitions):
    """Prints the table of the crates that embed large images."""
    package = image_package(place)
    print("| PTX | kernels | structs | way | wall | processor | over `include_bytes!` | / one struct |")
    print("|---|---|---|---|---|---|---|---|")
    for size, numbers in IMAGES.items():
        kernels = image_kernels(size)
        head = ".version 9.0\n.target sm_90\n.address_size 64\n\n"
        text = head + "".join(image_kernel(*kernel) for kernel in kernels)
        (package / "src" / "image.ptx").write_text(text)
        times = {}
        for repetition in range(repetitions):
            for structs in numbers:
                for way in WAYS:
                    # rustc keeps the file in memory once per struct.
                    if way == "ptx =" and size * structs > 500_000_000:
                        continue
                    built = build(package, image_source(way, kernels, structs))
                    times.setdefault((structs, way), []).append(built)
            print(f"{size} bytes: repetition {repetition + 1} of {repetitions}", file=sys.stderr)
        for (structs, way), found in times.items():
            wall, processor = (statistics.median(values) for values in zip(*found))
            alone = statistics.median(wall for wall, _ in times[structs, "include_bytes!"])
            one = statistics.median(wall for wall, _ in times[numbers[0], way])
            print(f"| {len(text) / 1e6:.1f} MB | {len(kernels)} | {structs} | {way} | {wall:.2f} s | {processor:.2f} s "
                  f"| {wall - alone:.2f} s | {wall / one:.2f} |")


# The number of kernels, and the number of members or variants of each value.
MEMBERS = [(200, "struct", 8), (20, "struct", 100), (20, "enum", 8), (20, "enum", 100)]
ALIKE = ["as the kernel's", "otherwise"]


def members_source(count, kind, parts):
    """CUDA C++ of kernels that take a value by value."""
    text = []
    for i in range(count):
        if kind == "struct":
            fields = [f"{('int', 'float')[j % 2]} blockSize{j};" for j in range(parts)]
            text.append(f"struct S{i} {{ {' '.join(fields)} }};")
        else:
            variants = [f"S{i}_MODE_{j}" for j in range(parts)]
            text.append(f"enum S{i} : int {{ {', '.join(variants)} }};")
        text.append(f'extern "C" __global__ void k{i}(S{i} s, int* out) {{ *out = *(int*)&s; }}')
    return "\n".join(text) + "\n"


def members_crate(count, kind, parts, alike, compared):
    """A crate with the same values and structs of arguments."""
    lines = ["#![allow(dead_code, non_snake_case)]", "use kernel_args::{DevicePointerMut, DeviceType, KernelArgs};"]
    lines.append('kernel_args::kernels! { pub mod image = "src/image.ptx"; }')
    same = alike == ALIKE[0]
    for i in range(count):
        if kind == "struct":
            name = "blockSize{}" if same else "block_size_{}"
            fields = ", ".join(f"{name.format(j)}: {['i32', 'f32'][j % 2]}" for j in range(parts))
            lines.append(f"#[derive(Clone, Copy, DeviceType)]\n#[repr(C)]\npub struct S{i} {{ {fields} }}")
        else:
            order = range(parts) if same else reversed(range(parts))
            variants = ", ".join(f"Mode{j} = {j}" for j in order)
            lines.append(f"#[derive(Clone, Copy, DeviceType)]\n#[repr(i32)]\npub enum S{i} {{ {variants} }}")
        lines.append("#[derive(KernelArgs)]")
        if compared:
            lines.append(f"#[kernel_args(kernel = image::k{i})]")
        lines.append(f"pub struct K{i} {{ s: S{i}, out: DevicePointerMut<i32> }}")
    return "\n".join(lines) + "\n"


def members(place, repetitions):
    """Prints the table of the cost of comparing members and variants."""
    sys.path.insert(0, str(ROOT / "ptx"))
    import toolchain

    nvcc = str(toolchain.program("nvcc", "nvcc"))
    package = image_package(place, '"debug-info"')
    print("| kernels | by value | names, order | processor | not compared | each comparison |")
    print("|---|---|---|---|---|---|")
    for count, kind, parts in MEMBERS:
        (package / "image.cu").write_text(members_source(count, kind, parts))
        run([nvcc, "-G", "-ptx", "-arch=sm_75", "image.cu", "-o", "src/image.ptx"], package)
        for alike in ALIKE:
            times = {True: [], False: []}
            for _ in range(repetitions):
                for compared, found in times.items():
                    found.append(build(package, members_crate(count, kind, parts, alike, compared))[1])
            own, base = (statistics.median(times[compared]) for compared in (True, False))
            what = f"{kind} of {parts} {'members' if kind == 'struct' else 'variants'}"
            print(f"| {count} | {what} | {alike} | {own:.2f} s | {base:.2f} s | {(own - base) / count * 1e3:.1f} ms |", flush=True)


# The element types of a framework, which are also the suffixes of its kernels.
ELEMENTS = ["f32", "f64", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"]
# The number of families with one kernel for each element type, of unary and binary kernels, and of kernels alone.
FAMILIES, UNARY, BINARY, ALONE = 30, 24, 14, 8


def framework_kernels():
    """Names and parameters of the kernels."""
    pointers, sizes = [".u64"] * 3, [".u64"] * 2
    kernels = []
    for element in ELEMENTS:
        scalar = "." + element if element[0] == "f" else f".u{element[1:]}"
        for i in range(FAMILIES):
            kernels.append((f"family{i}_{element}", sizes + pointers + [scalar] * (i % 4)))
        kernels += [(f"u{i}_{element}", sizes + pointers) for i in range(UNARY)]
        kernels += [(f"b{i}_{element}", sizes + pointers + [".u64"]) for i in range(BINARY)]
    return kernels + [(f"alone{i}", sizes + pointers) for i in range(ALONE)]


def framework_structs(named):
    """The source of the structs, with or without the kernels that they name."""
    bindings = ", ".join(f'T = {element} => "_{element}"' for element in ELEMENTS)
    families = [(f"Family{i}", f"family{i}_*", "".join(f" s{j}: T," for j in range(i % 4))) for i in range(FAMILIES)]
    families += [("Unary", "u*", ""), ("Binary", "b*", " c: DevicePointer<T>,")]
    lines = ["use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs};"]
    fields = "n: usize, dims: usize, info: DevicePointer<usize>, x: DevicePointer<{0}>, y: DevicePointerMut<{0}>,"
    for name, pattern, more in families:
        lines.append("#[derive(KernelArgs)]")
        if named:
            lines.append(f'#[kernel_args(kernel = kernels::image, entries = "{pattern}", {bindings})]')
        lines.append(f"pub struct {name}<T: DeviceType> {{ {fields.format('T')}{more} }}")
    for i in range(ALONE):
        lines.append("#[derive(KernelArgs)]")
        if named:
            lines.append(f"#[kernel_args(kernel = kernels::image::alone{i})]")
        lines.append(f"pub struct Alone{i} {{ {fields.format('f32')} }}")
    return "\n".join(lines) + "\n"


def framework_kernel(name, types):
    """A kernel that computes an index from the lengths, reads through the pointers, and writes through the last one."""
    element = name.rpartition("_")[2] if "_" in name else "f32"
    register = {"f": "%fd" if element == "f64" else "%f", "u": "%rd", "i": "%rd"}[element[0]]
    opcode = element.replace("i", "s")
    declared = ",\n".join(f"\t.param {ty} {name}_param_{j}" for j, ty in enumerate(types))
    loads = [f"\tld.param{ty} \t{'%fp' if ty[1] == 'f' else '%rd'}{j}, [{name}_param_{j}];" for j, ty in enumerate(types)]
    pointers = range(2, 5)
    body = [f"\tcvta.to.global.u64 \t%rd{j + 20}, %rd{j};" for j in pointers]
    body += [
        "\tmov.u32 \t%r1, %ctaid.x;", "\tcvt.u64.u32 \t%rd30, %r1;", "\tsetp.ge.u64 \t%p1, %rd30, %rd0;", "\t@%p1 bra \t$L__BB0_2;",
        "\tmul.lo.s64 \t%rd31, %rd30, %rd1;", "\tld.global.nc.u64 \t%rd32, [%rd22];", "\tmul.lo.s64 \t%rd33, %rd32, %rd31;",
        "\tshl.b64 \t%rd34, %rd33, 3;", "\tadd.s64 \t%rd35, %rd23, %rd34;", "\tadd.s64 \t%rd36, %rd24, %rd34;",
        f"\tld.global.nc.{opcode} \t{register}50, [%rd35];", f"\tadd.{opcode} \t{register}51, {register}50, {register}50;",
        f"\tst.global.{opcode} \t[%rd36], {register}51;", "$L__BB0_2:", "\tret;",
    ]
    return "\n".join([f".visible .entry {name}(", declared, ")", "{", *loads, *body, "}", "", ""])


def framework_packages(place, root, features):
    """The packages `kernels` and `measured`. Everything except `measured` is built."""
    kernels, package = place / "kernels", place / "package"
    features = ", ".join(f'"{feature}"' for feature in features)
    dependency = f'kernel-args = {{ path = "{root}/kernel-args", default-features = false, features = [{features}] }}\n'
    for made, more in ((kernels, ""), (package, 'kernels = { path = "../kernels" }\n[workspace]\n')):
        (made / "src").mkdir(parents=True)
        name = "kernels" if made == kernels else "measured"
        (made / "Cargo.toml").write_text(
            f'[package]\nname = "{name}"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n{dependency}{more}'
        )
    (kernels / "src" / "lib.rs").write_text('kernel_args::kernels! { pub mod image = "src/image.ptx"; }\n')
    head = ".version 9.0\n.target sm_90\n.address_size 64\n\n"
    (kernels / "src" / "image.ptx").write_text(head + "".join(framework_kernel(*kernel) for kernel in framework_kernels()))
    (package / "src" / "lib.rs").write_text("")
    for command in ("build", "check"):
        run(["cargo", command, "--quiet"], package)
    return package


def framework(place, repetitions):
    """Prints the table of a framework's structs."""
    package = framework_packages(place, ROOT, ["bodies", "kernels"])
    lib, times = package / "src" / "lib.rs", {}
    for repetition in range(repetitions):
        for named in (True, False):
            source = framework_structs(named)
            for command in ("build", "check"):
                lib.write_text(source)
                run(["cargo", "clean", "--package", "measured", "--quiet"], package)
                times.setdefault((named, command, "from scratch"), []).append(run(["cargo", command, "--quiet"], package))
                lib.write_text("// A comment.\n" + source)
                edited = run(["cargo", command, "--quiet"], package)
                times.setdefault((named, command, "after a comment"), []).append(edited)
        print(f"repetition {repetition + 1} of {repetitions}", file=sys.stderr)
    kernels = len(framework_kernels())
    print(f"{FAMILIES + 2 + ALONE} structs, {kernels} kernels\n")
    print("| command | | wall | processor | no kernels named: wall | processor | each kernel |")
    print("|---|---|---|---|---|---|---|")
    for command in ("build", "check"):
        for kind in ("from scratch", "after a comment"):
            own, base = (list(map(statistics.median, zip(*times[named, command, kind]))) for named in (True, False))
            each = (own[1] - base[1]) / kernels * 1e3
            print(f"| cargo {command} | {kind} | {own[0]:.2f} s | {own[1]:.2f} s | {base[0]:.2f} s "
                  f"| {base[1]:.2f} s | {each:.2f} ms |")


def version(command):
    result = subprocess.run(command, capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else "unknown"


def main():
    parser = argparse.ArgumentParser(description="What a derived struct costs to compile.")
    parser.add_argument("--structs", type=int, default=500)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--images", action="store_true")
    parser.add_argument("--members", action="store_true")
    parser.add_argument("--framework", action="store_true")
    arguments = parser.parse_args()
    if arguments.images or arguments.members or arguments.framework:
        print(f"{version(['rustc', '--version'])}; median of {arguments.repetitions}; {os.cpu_count()} processors\n")
        with tempfile.TemporaryDirectory(prefix="kernel-args-images-") as place:
            table_of = members if arguments.members else framework if arguments.framework else images
            table_of(pathlib.Path(place), arguments.repetitions)
        return
    with tempfile.TemporaryDirectory(prefix="kernel-args-compile-time-") as place:
        times, lines = measure(pathlib.Path(place), arguments.structs, arguments.repetitions)
        locked = (pathlib.Path(place) / "zerocopy" / "Cargo.lock").read_text()
        locked += (pathlib.Path(place) / "bytemuck" / "Cargo.lock").read_text()
    found = re.findall(r'name = "(zerocopy|bytemuck)"\nversion = "([^"]+)"', locked)
    print(f"{version(['rustc', '--version'])}, {', '.join(' '.join(pair) for pair in found)}; "
          f"{arguments.structs} structs of {FIELDS} fields, median of {arguments.repetitions}; "
          f"{os.cpu_count()} processors\n")
    table(times, lines, arguments.structs)


if __name__ == "__main__":
    main()
