#[cfg(feature = "observe")]
use super::PointerUses;
use super::{
    by_symbol::BySymbol,
    code::{self, Analyse, Analysed, analyser, without_bodies},
    debug_info::{DebugInfo, Name},
    variables::{VariableDescription, read_variables},
};
use kernel_args_abi::{
    Parameter, Sm,
    check::is_untyped,
    compiled::{CompiledImage, CompiledKernel},
};
use kernel_args_image::{
    self as image, Directives, Kernel, Limits, ParameterList, dwarf,
    mangled::{Spelled, candidates_by_name, nearest_by_name},
    same_sizes,
};
use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

pub(crate) struct Description {
    pub(crate) symbol: Cow<'static, str>,
    pub(crate) directives: Directives,
    /// Whether it uses dynamic shared memory; `false` if that is unknown.
    pub(crate) dynamic_shared: bool,
    pub(crate) debug_info: DebugInfo,
    /// The GPU generations whose code has the kernel, if the code that this GPU runs does not; and that code's.
    pub(crate) elsewhere: Option<(Vec<Sm>, Option<Sm>)>,
    name: Option<Name>,
    parameters: Parameters,
    /// What the code does with pointers, if pointers are checked.
    #[cfg(feature = "observe")]
    pub(crate) pointer_uses: Option<Arc<PointerUses>>,
    /// The code, if it can show more about the parameters.
    code: Option<Arc<Analyse>>,
    /// The kernel with what its code does, or `None` if the code cannot be read.
    analysed: OnceLock<Option<Analysed>>,
}

enum Parameters {
    /// In a table of the program. They are decoded when they are needed.
    Compiled { kernel: CompiledKernel, has_code: bool },
    /// From an image that was read.
    Read(ParameterList),
}

impl Description {
    /// `debug_error` is the reason why the kernel's own debug information could not be read. `compiled` is the same
    /// kernel as it was read when the program was compiled. `has_code` is true if its code is compared.
    fn new(
        mut kernel: Kernel<'_>,
        debug_error: Option<dwarf::Error>,
        compiled: Option<&CompiledKernel>,
        has_code: bool,
    ) -> Self {
        let from_table: Vec<Parameter<'_>> = compiled.map_or_else(Vec::new, |kernel| kernel.parameters().collect());
        if same_sizes(&kernel.parameters(), &from_table) {
            let bodies = from_table.iter().map(|parameter| parameter.body).collect();
            kernel = kernel.with_bodies(bodies);
        }
        let mut parameters = kernel.parameters();
        let debug_info = DebugInfo::complete(&kernel.debug_info, &from_table, &mut parameters, || debug_error);
        if !has_code {
            without_bodies(&mut parameters);
        }
        let name = kernel.demangled.as_ref().map(Name::of);
        Self {
            symbol: Cow::Owned(kernel.name.into()),
            directives: kernel.directives(),
            dynamic_shared: kernel.dynamic_shared().unwrap_or(false),
            debug_info,
            elsewhere: None,
            name,
            parameters: Parameters::Read(ParameterList::new(&parameters)),
            #[cfg(feature = "observe")]
            pointer_uses: None,
            code: None,
            analysed: OnceLock::new(),
        }
    }

    pub(super) fn compiled(kernel: &CompiledKernel, limits: &Limits, has_code: bool) -> Self {
        Self {
            symbol: Cow::Borrowed(kernel.symbol()),
            directives: limits.directives,
            dynamic_shared: limits.dynamic_shared,
            debug_info: DebugInfo::compiled(kernel),
            elsewhere: None,
            name: Name::compiled(kernel),
            parameters: Parameters::Compiled { kernel: *kernel, has_code },
            #[cfg(feature = "observe")]
            pointer_uses: None,
            code: None,
            analysed: OnceLock::new(),
        }
    }

    /// Returns the parameters, with what the code of the kernel does with them. The first call analyses the code.
    pub(crate) fn analysed(&self) -> Vec<Parameter<'_>> {
        let analysed = || {
            let analyse = self.code.as_ref()?;
            analyse(&self.symbol)
        };
        match self.analysed.get_or_init(analysed) {
            Some(analysed) => analysed.parameters.parameters(),
            None => self.parameters(),
        }
    }

    /// Returns the parameters in the model that all formats share.
    pub(crate) fn parameters(&self) -> Vec<Parameter<'_>> {
        match &self.parameters {
            Parameters::Compiled { kernel, has_code } => {
                let mut parameters: Vec<Parameter<'_>> = kernel.parameters().collect();
                if !has_code {
                    without_bodies(&mut parameters);
                }
                parameters
            }
            Parameters::Read(list) => list.parameters(),
        }
    }

    /// Returns the demangled name if there is one, otherwise the symbol. It can be shorter after
    /// [`analysed`](Self::analysed).
    pub(crate) fn spelled(&self) -> &str {
        let name = match self.analysed.get() {
            Some(Some(analysed)) => &analysed.name,
            _ => &self.name,
        };
        name.as_ref().map_or(&self.symbol, Name::text)
    }

    fn name(&self) -> Option<Spelled<'_>> {
        self.name.as_ref().map(Name::spelled)
    }
}

pub(crate) struct ImageContents {
    pub(crate) kernels: Vec<Description>,
    pub(crate) variables: Vec<VariableDescription>,
}

pub(crate) fn candidates<'k>(wanted: &str, kernels: impl IntoIterator<Item = &'k Description>) -> Vec<&'k str> {
    let names = kernels.into_iter().map(|kernel| (&*kernel.symbol, kernel.name()));
    candidates_by_name(wanted, names)
}

/// Returns a name for each kernel: the readable name, or the symbol if several of these kernels have the same name.
pub(crate) fn distinct_names(kernels: &[&Arc<Description>]) -> Vec<String> {
    let name = |kernel: &&Arc<Description>| {
        let same = kernels.iter().filter(|other| other.spelled() == kernel.spelled());
        match same.count() {
            1 => kernel.spelled().into(),
            _ => kernel.symbol.clone().into_owned(),
        }
    };
    kernels.iter().map(name).collect()
}

/// Returns the kernels with the most similar names, each as shortly as it can be written: `saxpy<float>`, with
/// parameters where several kernels have this name.
pub(crate) fn nearest(wanted: &str, kernels: &[&Description]) -> Vec<String> {
    fn short(kernel: &Description) -> Option<&str> {
        let Spelled { text, name, arguments } = kernel.name()?;
        text.get(name.start..arguments.map_or(name.end, |arguments| arguments.end + 1))
    }
    let names = kernels.iter().map(|kernel| {
        let name = kernel.name().and_then(|name| name.text.get(name.name));
        (&*kernel.symbol, name.unwrap_or(&kernel.symbol))
    });
    let shown = |symbol: &str| {
        let kernel = kernels.iter().find(|kernel| kernel.symbol == symbol);
        let name = kernel.and_then(|kernel| short(kernel));
        let is_unique = kernels.iter().filter(|other| short(other) == name).count() == 1;
        name.filter(|_| is_unique).unwrap_or(symbol).into()
    };
    nearest_by_name(wanted, names).into_iter().map(shown).collect()
}

/// Returns the kernels and variables of several images as one, for the GPU `sm`, or the reason why the image could not
/// be read. `table` contains the information that was read when the program was compiled. `has_code` is true if
/// arguments are compared with the code.
pub(super) fn read_kernels(
    images: Vec<Arc<Vec<u8>>>,
    table: Option<&'static CompiledImage>,
    sm: Sm,
    has_code: bool,
) -> Result<ImageContents, image::Error> {
    let compiled = BySymbol::new(table, |kernel| kernel.has_debug_info() || kernel.has_bodies());
    let kernels = code::read(&images, image::Image::read)?.kernels()?.into_owned();
    // The code of an image with a table was analysed when the program was compiled.
    let is_analysed = table.is_some() || !cfg!(feature = "bodies");
    let (mut descriptions, mut untyped) = (Vec::new(), Vec::new());
    // The driver takes the newest code that is not newer than the GPU.
    let runs = kernels.generations().flatten().filter(|generation| *generation <= sm).max();
    for symbol in kernels.symbols() {
        let only_for = kernels.only_for(symbol);
        let is_elsewhere = !only_for.is_empty() && runs.is_none_or(|runs| !only_for.contains(&runs));
        let kernel = kernels.kernel(symbol, Some(sm));
        let Some(kernel) = kernel.or_else(|| kernels.kernel(symbol, None).filter(|_| is_elsewhere)) else {
            continue;
        };
        let debug_error = kernels.debug_error(&kernel);
        let is_unclear = !has_code && kernel.has_unclear_types();
        let is_defined = kernel.entry.as_ref().is_some_and(|entry| entry.is_defined);
        let mut description = Description::new(kernel, debug_error, compiled.get(symbol), has_code);
        description.elsewhere = is_elsewhere.then_some((only_for, runs));
        let is_untyped = || has_code && description.parameters().iter().any(is_untyped);
        if !is_analysed && is_defined && (is_unclear || is_untyped()) {
            untyped.push(descriptions.len());
        }
        descriptions.push(description);
    }
    let variables = read_variables(&kernels, table, sm);
    if !untyped.is_empty() {
        let code = analyser(images, sm, has_code, kernels);
        for index in untyped {
            descriptions[index].code = Some(code.clone());
        }
    }
    Ok(ImageContents { kernels: descriptions, variables })
}
