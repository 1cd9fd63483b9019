//! `kernel-args rust` and `kernel-args header`: write kernels as Rust structs and as a C++ header.

use crate::{
    error::{self, Error},
    kernel::Kernel,
    options::Options,
    output::{Output, Status},
    read::{Files, Wanted},
    report,
    select::Select,
    style::count,
};
use kernel_args_abi::{Class, Members, Parameter};
use kernel_args_image::{ParameterList, generate, header};
use std::{
    collections::HashMap,
    io::{self, Write as _},
    path::PathBuf,
};

pub(crate) fn rust(given: Options<'_>, output: &mut Output) -> io::Result<Status> {
    let select = given.select();
    let wanted = |symbol: &str| select.wants(symbol);
    let Some(All { name, described, variables }) = described(given, &wanted)? else {
        return Ok(Status::Error);
    };
    let variables: Vec<_> = variables
        .iter()
        .filter_map(|variable| {
            let debug_info = variable.members();
            Some(generate::Variable { value: debug_info.get(0)?, debug_info })
        })
        .collect();
    let kernels = described.iter().map(|described| generate::Kernel {
        symbol: &described.kernel.symbol,
        demangled: described.kernel.demangled.as_ref(),
        parameters: described.parameters(),
        debug_info: described.described(),
        varies: described.varies,
    });
    let kernels: Vec<_> = kernels.collect();
    let [image, items] = ["image", "items"].map(|name| given.value::<String>(name));
    let image = image.map(|path| format!("{path:?}"));
    let mut options = generate::Options::default();
    options.source = &name;
    (options.half, options.float8) = (given.is("half"), given.is("float8"));
    options.textures = given.is("textures");
    if given.is("raw") {
        options.pointers = generate::Pointers::Raw;
    }
    if let Some(items) = &items {
        options.naming = generate::Naming::Items(items);
    }
    let debug_info = given.value::<PathBuf>("debug-info");
    let debug_info = debug_info.map(|path| format!("{:?}", path.to_string_lossy()));
    if let Some(path) = &image {
        options.naming = generate::Naming::Image { path, debug_info: debug_info.as_deref() };
    }
    output.to.write_all(generate::rust(&kernels, &variables, &options).as_bytes())?;
    output.to.flush()?;
    if debug_info.is_none() {
        names(&name, &described);
    }
    Ok(Status::Success)
}

/// Parameters without names, or structs without members.
fn names(name: &str, described: &[Described]) {
    let is_unnamed = |parameter: &Parameter<'_>| {
        let is_struct = parameter.class == Class::Bytes && parameter.cpp.is_unknown();
        parameter.name.is_empty() || is_struct && !parameter.members.is_known()
    };
    let is_unnamed =
        |described: &&Described| described.kernel.described.is_none() && described.parameters().iter().any(is_unnamed);
    let unnamed = described.iter().filter(is_unnamed).count();
    if unnamed > 0 {
        let what = format!(
            "without names of parameters or members: {unnamed} of {}\nhelp: `--debug-info FILE` gives names: the same kernels, \
             compiled with `nvcc -G` or NVRTC's `--device-debug`",
            count(described.len(), "kernel"),
        );
        error::warn(&Error::new(name, what));
    }
}

pub(crate) fn header(options: Options<'_>, output: &mut Output) -> io::Result<Status> {
    let Some(All { name, described, .. }) = described(options, &|_| false)? else {
        return Ok(Status::Error);
    };
    let [guard, namespace] = ["guard", "namespace"].map(|name| options.value::<String>(name));
    // An image does not contain the types that pointers point to.
    let mut header = header::Header::new().forward_declare_pointees();
    for described in &described {
        let parameters = described.parameters();
        header = header.item(header::Item::kernel(&described.kernel.symbol, &parameters));
    }
    if let Some(guard) = &guard {
        header = header.guard(guard);
    }
    if let Some(namespace) = &namespace {
        header = header.namespace(namespace);
    }
    if !options.is("strict") {
        header = header.leave_out_kernels();
    }
    let (text, left_out) = header.write_with_left_out().map_err(|error| Error::new(&name, error))?;
    output.to.write_all(text.as_bytes())?;
    output.to.flush()?;
    let Some(first) = left_out.first() else {
        return Ok(Status::Success);
    };
    if left_out.len() == described.len() {
        let what = format!("none of the kernels can be declared ({}): {first}", left_out.len());
        return Err(Error::new(name, what).into());
    }
    let verb = if left_out.len() == 1 { "is" } else { "are" };
    error::warn(&format_args!(
        "{name}: {} of {} kernels {verb} not declared: the header contains the reasons",
        left_out.len(),
        described.len()
    ));
    Ok(Status::Success)
}

struct Described {
    kernel: Kernel,
    varies: bool,
    debug_info: Option<ParameterList>,
}

impl Described {
    fn parameters(&self) -> Vec<Parameter<'_>> {
        let mut parameters = self.kernel.parameters();
        self.described().complete(&mut parameters);
        parameters
    }

    /// From the additional file if there is one, otherwise from the same file.
    fn described(&self) -> Members<'_> {
        let described = self.debug_info.as_ref().or(self.kernel.described.as_ref());
        described.map_or(Members::UNKNOWN, ParameterList::members)
    }
}

struct All {
    name: String,
    /// The selected kernels, each symbol once.
    described: Vec<Described>,
    /// The variables that debug information describes.
    variables: Vec<ParameterList>,
}

fn described(options: Options<'_>, wanted: &Wanted<'_>) -> io::Result<Option<All>> {
    let Some((files, name)) = read(&options.files(), &options.select(), wanted)? else {
        return Ok(None);
    };
    let (mut debug_info, mut variables) = (HashMap::new(), HashMap::new());
    if let Some(path) = options.value::<PathBuf>("debug-info") {
        let Some((files, name)) = read(&[path], &Select::default(), &|_| false)? else {
            return Ok(None);
        };
        for kernel in files.kernels {
            if let Some(list) = kernel.described {
                debug_info.entry(kernel.symbol).or_insert(list);
            }
        }
        if debug_info.is_empty() {
            let what = "no debug information of kernels: compile with `nvcc -G`, or NVRTC's `--device-debug`";
            return Err(Error::new(name, what).into());
        }
        variables = files.globals.described();
    }
    // With patterns for kernels, only what these kernels need is written.
    let own = files.globals.iter();
    let variables = own
        .filter(|_| options.select().patterns.is_empty())
        .filter_map(|global| variables.remove(&global.symbol).or(global.described.clone()))
        .collect();
    let mut described: Vec<Described> = Vec::new();
    for kernel in files.kernels {
        let last = described.last_mut();
        if let Some(last) = last.filter(|last| last.kernel.symbol == kernel.symbol) {
            last.varies = true;
            continue;
        }
        let debug_info = debug_info.remove(&kernel.symbol);
        described.push(Described { kernel, varies: false, debug_info });
    }
    Ok(Some(All { name, described, variables }))
}

fn read(paths: &[PathBuf], select: &Select, wanted: &Wanted<'_>) -> io::Result<Option<(Files, String)>> {
    let (mut files, name, status) = report::read(paths, Some(wanted));
    if status == Status::Error {
        return Ok(None);
    }
    select.apply(&mut files, &name)?;
    Ok(Some((files, name)))
}
