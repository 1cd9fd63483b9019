//! Selects kernels by name and GPU.

use crate::{error::Error, escape, kernel::Kernel, read::Files, style::joined};
use kernel_args_abi::{Sm, compiled::matches_pattern};
use kernel_args_image::{
    Target,
    mangled::{self, Demangled},
};
use std::collections::BTreeSet;

/// Of each list, one match is enough.
#[derive(Clone, Default)]
pub(crate) struct Select {
    pub(crate) patterns: Vec<String>,
    pub(crate) gpus: Vec<Sm>,
}

impl Select {
    pub(crate) fn arguments(&self) -> impl Iterator<Item = String> {
        let patterns = self.patterns.iter().map(|pattern| escape::shell(pattern.into()));
        let patterns = patterns.map(|pattern| format!("--kernel {pattern}"));
        let gpus = self.gpus.iter().map(|sm| format!("--arch {sm}"));
        patterns.chain(gpus)
    }

    /// Keeps the selected kernels, and of each the images for the selected GPUs. It is an error if no kernel is
    /// selected.
    pub(crate) fn apply(&self, files: &mut Files, name: &str) -> Result<(), Error> {
        let kernels = &mut files.kernels;
        if kernels.is_empty() {
            return Ok(());
        }
        if !self.gpus.is_empty() {
            let images = kernels.iter().flat_map(|kernel| &kernel.images);
            let all: BTreeSet<Sm> = images.filter_map(|image| image.place.sm).collect();
            let is_asked = |sm: Option<Sm>| sm.is_some_and(|sm| self.gpus.contains(&sm));
            for kernel in kernels.iter_mut() {
                kernel.images.retain(|image| is_asked(image.place.sm));
            }
            kernels.retain(|kernel| !kernel.images.is_empty());
            files.places.retain(|place| is_asked(place.sm));
            if kernels.is_empty() {
                let (asked, all) = (joined(&self.gpus, ", "), joined(all, ", "));
                return Err(Error::new(name, format!("no kernels for {asked}, only for {all}")));
            }
        }
        if !self.patterns.is_empty() {
            let is_asked = |kernel: &Kernel| self.has_name(&kernel.symbol, kernel.demangled.as_ref());
            let (asked, others): (_, Vec<_>) = std::mem::take(kernels).into_iter().partition(is_asked);
            *kernels = asked;
            if kernels.is_empty() {
                let patterns = self.patterns.join("`, `");
                let help = nearest(&others, &self.patterns)
                    .map_or_else(String::new, |name| format!("\nhelp: a kernel with a similar name exists: `{name}`"));
                return Err(Error::new(name, format!("no kernel matches `{patterns}`{help}")));
            }
        }
        Ok(())
    }

    pub(crate) fn wants(&self, symbol: &str) -> bool {
        self.patterns.is_empty() || self.has_name(symbol, Demangled::new(symbol).as_ref())
    }

    fn has_name(&self, symbol: &str, demangled: Option<&Demangled>) -> bool {
        let names = names(symbol, demangled);
        self.patterns.iter().any(|pattern| names.iter().any(|name| matches_pattern(pattern, name)))
    }
}

/// Returns the symbol, and for `void sim::step<float>(int)` also this text, `sim::step<float>`, `step<float>`,
/// `sim::step` and `step`.
fn names(symbol: &str, demangled: Option<&Demangled>) -> Vec<String> {
    let mut names = vec![symbol.to_owned()];
    if let Some(demangled) = demangled {
        let name = demangled.name();
        let last = name.rsplit("::").next().unwrap_or(name);
        names.extend([demangled.text(), name, last].map(str::to_owned));
        if let Some(arguments) = demangled.template_arguments() {
            names.extend([name, last].map(|name| format!("{name}<{arguments}>")));
        }
    }
    names
}

fn nearest<'k>(kernels: &'k [Kernel], patterns: &[String]) -> Option<&'k str> {
    /// Of kernels that are compared.
    const MOST: usize = 1000;
    let pattern = patterns.first()?.trim_matches('*');
    let symbols = kernels.iter().take(MOST).map(|kernel| &*kernel.symbol);
    let nearest = *mangled::nearest(pattern, symbols).first()?;
    let kernel = kernels.iter().find(|kernel| kernel.symbol == nearest)?;
    Some(kernel.demangled.as_ref().map_or(nearest, Demangled::name))
}

/// `sm_90`, `sm_90a`, `compute_90`, `90`.
pub(crate) fn gpu(text: &str) -> Result<Sm, String> {
    let target = Target::parse(text).or_else(|| Target::parse(&format!("sm_{text}")));
    target.map(|target| target.sm).ok_or_else(|| "a GPU generation is written `sm_90` or `90`".to_owned())
}
