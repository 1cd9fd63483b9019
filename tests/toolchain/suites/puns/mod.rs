//! Kernels whose code uses other types than their right structs: they pun on purpose. No right struct may be refused,
//! at compile time when the kernel is loaded, with or without debug information, or when it is launched with checked
//! pointers. A shared borrow that is written through is still refused.
//!
//! `kernels.cu` contains the kernels, each with the fields of its right struct.

mod checked;

use checked::Pun;
use kernel_args::{Module, observe::check_pointers};
use kernel_args_abi::{
    Class, CppBase, CppType, Layout, Meaning, Members, Parameter, Signature,
    check::{Report, report},
    compiled::{CompiledImage, CompiledKernels},
    signature::SlotKind,
};
use kernel_args_image::{Encoder, Image, Kernel};
use kernel_args_stand_in::{Settings, reexec_with_stand_in};
use kernel_args_test_generator::tools::{self as tools, trial};
use kernel_args_toolchain_tests::{
    folder,
    nvrtc::{self, HEADERS, NVRTC},
    write,
};
use libtest_mimic::{Arguments, Failed};
use std::{
    fs,
    process::ExitCode,
    slice,
    sync::{Mutex, PoisonError},
};

const SOURCE: &str = include_str!("kernels.cu");
/// The least number of kernels that the suite is meant to have.
const KERNELS: usize = 90;

/// The target and the options of each compilation.
const COMPILED: [(&str, &[&str]); 7] = [
    ("compute_75", &[]),
    ("compute_80", &["--device-debug"]),
    ("compute_90", &[]),
    ("compute_90", &["--device-debug", "--dopt=on"]),
    ("compute_100", &["--use_fast_math", "--extra-device-vectorization"]),
    ("compute_120", &["--device-debug"]),
    ("compute_86", &["--relocatable-device-code=true", "--generate-line-info"]),
];

pub(crate) fn main() -> ExitCode {
    match reexec_with_stand_in(&Settings::new().sm(120)) {
        Ok(None) => {}
        Ok(Some(code)) => return code,
        Err(error) => {
            eprintln!("puns: there is no test driver: {error}");
            return ExitCode::FAILURE;
        }
    }
    let trials = vec![
        trial("right_structs_are_accepted", &[NVRTC, HEADERS], right_structs_are_accepted),
        trial("right_arguments_are_launched_with_checked_pointers", &[NVRTC, HEADERS], right_arguments_are_launched),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The name of each kernel, and the fields of its right struct with their types in the source.
fn kernels() -> Vec<(&'static str, Vec<(&'static str, Parameter<'static>)>)> {
    let mut kernels = Vec::new();
    let mut before = "";
    for line in SOURCE.lines() {
        if let Some(rest) = line.strip_prefix("KERNEL ") {
            let name = rest.split('(').next().expect("a name");
            let listed = before.strip_prefix("// ").unwrap_or_else(|| panic!("{name}: no fields")).split(", ");
            let typed = |ty| (ty, field(ty).unwrap_or_else(|| panic!("{name}: `{ty}` is no type")));
            kernels.push((name, listed.map(typed).collect()));
        }
        before = line;
    }
    kernels
}

/// The field of this type.
fn field(ty: &'static str) -> Option<Parameter<'static>> {
    let of = |element| {
        let integer = |signed, bits| (bits / 8, CppType::integer(signed, bits));
        let float = |bits| (bits / 8, CppType::of(CppBase::Float { bits }));
        Some(match element {
            "u8" => integer(false, 8),
            "i8" => integer(true, 8),
            "u16" => integer(false, 16),
            "i16" => integer(true, 16),
            "u32" => integer(false, 32),
            "i32" => integer(true, 32),
            "u64" | "usize" | "address" => integer(false, 64),
            "i64" => integer(true, 64),
            "f32" => float(32),
            "f64" => float(64),
            "f16" => (2, CppType::named("__half")),
            "bf16" => (2, CppType::named("__nv_bfloat16")),
            _ => return None,
        })
    };
    let (element, is_shared) = match ty.strip_prefix("&mut ") {
        Some(element) => (element, Some(false)),
        None => ty.strip_prefix('&').map_or((ty, None), |element| (element, Some(true))),
    };
    let (size, cpp) = of(element)?;
    let (size, class, cpp) = match is_shared {
        Some(is_shared) => (8, Class::Pointer, cpp.pointer(is_shared)),
        None if ty.starts_with('f') => (size, Class::Float, cpp),
        None => (size, Class::Integer, cpp),
    };
    let layout = Layout::from_size_align(size.into(), size.into()).ok()?;
    let field = Parameter::field("field", ty, 0, layout, class, cpp);
    Some(if ty == "usize" { field.with_members(Members::meaning(Meaning::Count)) } else { field })
}

/// Why the fields are refused, at compile time or when the kernel is loaded.
fn refused(found: &Kernel<'_>, fields: &[Parameter<'static>]) -> Option<String> {
    let mut encoder = Encoder::new();
    encoder.push(found, None, false);
    let (table, names) = encoder.finish();
    let table = CompiledKernels::all(Box::leak(Box::new(CompiledImage::table(table.leak(), names.leak()))));
    let parameters = found.parameters();
    let signature = |name, parameters| Signature { name, parameters };
    let (host, kernel) = (signature("Host", fields), signature("kernel", &parameters));
    let at_load: Report<'_> = report(&host, &kernel);
    let is_refused = !at_load.is_empty() || table.only_fitting(fields).is_none();
    is_refused.then(|| at_load.whole_message().to_string())
}

/// The fields as the source declares them: a shared borrow is exclusive if the kernel takes a pointer without `const`.
fn as_declared(fields: &[Parameter<'static>], kernel: &[Parameter<'_>]) -> Vec<Parameter<'static>> {
    let declared = |(field, kernel): (&Parameter<'static>, &Parameter<'_>)| match field.cpp.to_mutable() {
        Some(cpp) if !kernel.cpp.is_shared() => Parameter { cpp, ..*field },
        _ => *field,
    };
    fields.iter().zip(kernel).map(declared).collect()
}

/// The PTX of this compilation.
fn compiled(set: usize) -> Result<Vec<u8>, String> {
    static ONCE: [Mutex<bool>; COMPILED.len()] = [const { Mutex::new(false) }; COMPILED.len()];
    let (target, options) = COMPILED[set];
    let place = folder(&format!("puns/{set}"))?.join("kernels.cu");
    let ptx = place.with_extension("ptx");
    let mut is_compiled = ONCE[set].lock().unwrap_or_else(PoisonError::into_inner);
    if !*is_compiled {
        write(&place, SOURCE)?;
        let folder = place.parent().expect("a folder");
        nvrtc::compile_with(folder, target, &[tools::path(HEADERS)], options, slice::from_ref(&place))?;
        *is_compiled = true;
    }
    fs::read(ptx).map_err(|error| error.to_string())
}

fn right_structs_are_accepted() -> Result<(), Failed> {
    let kernels = kernels();
    assert!(kernels.len() >= KERNELS, "{} kernels", kernels.len());
    let (mut wrong, mut compared) = (Vec::new(), 0);
    let mut shared = [0, 0];
    for (set, (target, options)) in COMPILED.iter().enumerate() {
        let text = compiled(set)?;
        let image = Image::read(&text).map_err(|error| error.to_string())?;
        let mut all = image.kernels().map_err(|error| error.to_string())?;
        image.add_bodies(&mut all, |_| true).map_err(|error| error.to_string())?;
        for (name, typed) in &kernels {
            let mut found = all.kernel(name, None).ok_or_else(|| format!("{name} is missing"))?;
            let what = format!("{name} ({target} {})", options.join(" "));
            if found.bodies.is_empty() {
                wrong.push(format!("{what}: its code was not analysed"));
            }
            let fields: Vec<_> = typed.iter().map(|(_, field)| *field).collect();
            let declared = as_declared(&fields, &found.parameters());
            if let Some(why) = refused(&found, &declared) {
                wrong.push(format!("{what} is refused with its debug information: {why}"));
            }
            found.debug_info = Members::UNKNOWN;
            if let Some(why) = refused(&found, &fields) {
                wrong.push(format!("{what} is refused: {why}"));
            }
            compared += 2;
            for ((ty, field), body) in typed.iter().zip(&found.bodies) {
                let is_pointer = body.at(0).is_some_and(|slot| slot.kind == SlotKind::Pointer);
                if *ty != "address" && field.class == Class::Integer && is_pointer {
                    wrong.push(format!("{what}: the {ty} is a pointer: {body:?}"));
                }
            }
            for index in (0..fields.len()).filter(|index| typed[*index].0.starts_with("&mut")) {
                let mut fields = fields.clone();
                fields[index].cpp = CppType::of(fields[index].cpp.base).pointer(true);
                shared[0] += usize::from(refused(&found, &fields).is_some());
                shared[1] += 1;
            }
        }
    }
    let [found, all] = shared;
    println!("puns: a shared borrow that is written through: {found} of {all} are refused");
    if found * 10 < all * 8 {
        wrong.push(format!("{found} of {all} shared borrows are refused"));
    }
    println!("puns: {} kernels, {compared} comparisons, {} refused", kernels.len(), wrong.len());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The declarations of a kernel's parameters.
fn declared(kernel: &str) -> Vec<&'static str> {
    let line = SOURCE.lines().find_map(|line| line.strip_prefix("KERNEL ")?.strip_prefix(kernel)?.strip_prefix('('));
    let parameters = line.and_then(|line| line.split(')').next()).expect("the kernel is in the source");
    parameters.split(", ").collect()
}

/// With the right arguments, no pointer is refused, and no number is taken for one. A wrong pointer that the code
/// accesses is found.
fn right_arguments_are_launched() -> Result<(), Failed> {
    check_pointers(true);
    let error = |error: &dyn std::error::Error| error.to_string();
    let ctx = kernel_args::context(0).map_err(|why| error(&why))?;
    // SAFETY: one stream at a time uses the memory. A capture cannot wait for events before it.
    unsafe { ctx.disable_event_tracking() };
    let stream = ctx.new_stream().map_err(|why| error(&why))?;
    let memory = stream.alloc_zeros::<u8>(4096).map_err(|why| error(&why))?;
    let (mut refused, mut launched, mut wrong) = (Vec::new(), 0, [0, 0]);
    for (set, (target, options)) in COMPILED.iter().enumerate() {
        let text = compiled(set)?;
        let module = Module::load(&ctx, text).map_err(|why| error(&why))?;
        for (name, typed) in kernels() {
            let function = module.function(name).map_err(|why| error(&why))?;
            let types = typed.iter().map(|(ty, _)| *ty).collect();
            let pun = Pun { function: &function, types, declared: declared(name) };
            let what = format!("{name} ({target} {})", options.join(" "));
            refused.extend(pun.launch_right(&stream, &memory).iter().map(|error| format!("{what}: {error}")));
            launched += 1;
            let found = pun.launch_wrong(&stream, &memory);
            wrong[0] += found.iter().filter(|is_refused| **is_refused).count();
            wrong[1] += found.len();
        }
    }
    let [found, all] = wrong;
    println!("puns: {launched} kernels launched with checked pointers, {} refused", refused.len());
    println!("puns: a pointer to nothing: {found} of {all} are refused; kernels access nothing through the rest");
    if !refused.is_empty() {
        return Err(refused.join("\n").into());
    }
    if found * 10 < all * 9 { Err(format!("{found} of {all} are refused").into()) } else { Ok(()) }
}
