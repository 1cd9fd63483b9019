//! The text of prototypes.

use super::{
    definition::{Argument, Prototype},
    error::HeaderError,
    text::{HeaderWriter, note},
};
use crate::writers::escape::cpp_comment;
use alloc::{collections::BTreeSet, format, string::String, vec::Vec};

const WIDTH: usize = 100;

impl HeaderWriter<'_, '_, '_> {
    pub(super) fn kernels(&mut self, kernels: &[Prototype], left_out: &[HeaderError]) {
        if kernels.is_empty() && left_out.is_empty() {
            return;
        }
        self.line("");
        for error in left_out {
            let text = format!("{}: {}", error.place, error.problem);
            for (i, line) in text.lines().enumerate() {
                let begin = if i == 0 { "// Left out: " } else { "//   " };
                self.line(&format!("{begin}{}", cpp_comment(line.trim())));
            }
        }
        if kernels.is_empty() {
            return;
        }
        self.line("#if defined(__CUDACC__)");
        for kernel in kernels {
            self.enter(kernel.path.namespace());
            self.kernel(kernel);
        }
        self.enter("");
        self.line("#endif");
    }

    fn kernel(&mut self, kernel: &Prototype) {
        let parameters = &kernel.parameters;
        let mut hidden = BTreeSet::new();
        hidden.extend(parameters.iter().map(|p| p.name.name.as_str()));
        let declare = |argument: &Argument| {
            let constant = if argument.is_grid_constant { "const __grid_constant__ " } else { "" };
            let name = &argument.name.name;
            format!("{constant}{}", self.declare(kernel.path.namespace(), &hidden, &argument.ty, name))
        };
        let declarations: Vec<String> = parameters.iter().map(declare).collect();
        let linkage = if kernel.is_extern_c { "extern \"C\" " } else { "" };
        let begin = format!("{linkage}__global__ void {}(", kernel.path.name());
        let one_line = format!("{begin}{});", declarations.join(", "));
        let is_renamed = parameters.iter().any(|argument| argument.name.was.is_some());
        if one_line.len() <= WIDTH && !is_renamed {
            return self.line(&one_line);
        }
        self.line(&begin);
        let last = declarations.len().saturating_sub(1);
        for (i, (declaration, argument)) in declarations.iter().zip(parameters).enumerate() {
            let comma = if i == last { ");" } else { "," };
            let note = note(argument.name.was.as_deref());
            self.line(&format!("    {declaration}{comma}{note}"));
        }
    }
}
