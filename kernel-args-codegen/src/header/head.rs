//! What stands before the definitions: includes, what they are assumed to declare, and forward declarations.

use super::{
    cuda::Include,
    definition::{Base, Kind, Prototype, Type},
    names::Path,
    text::Writer,
};
use alloc::{collections::BTreeSet, format, string::String, vec::Vec};

/// NVRTC has no `<cstddef>`, and its front end another name for what `offsetof` expands to.
const OFFSET_OF: &str = "\
#if defined(__CUDACC_RTC__)
#define KERNEL_ARGS_OFFSET_OF(type, member) __INTADDR__(&(((type*)0)->member))
#else
#include <cstddef>
#define KERNEL_ARGS_OFFSET_OF(type, member) offsetof(type, member)
#endif
";

impl Writer<'_, '_, '_> {
    pub(super) fn head(&mut self) {
        self.line("// Written by kernel-args. Do not change it: it is written again.");
        match self.header().guard {
            Some(guard) => {
                let lines = format!("#ifndef {guard}\n#define {guard}");
                self.line(&lines);
            }
            None => self.line("#pragma once"),
        }
        let header = self.collector.header;
        if self.has_offsets() || !self.collector.includes.is_empty() || !header.includes.is_empty()
        {
            self.line("");
        }
        let mut includes = self.collector.includes.clone();
        includes.sort_unstable();
        for include in &includes {
            match include {
                Include::Vectors => {
                    self.line("#if !defined(__CUDACC_RTC__)\n#include <vector_types.h>\n#endif");
                }
                Include::File(file) => self.line(&format!("#include <{file}>")),
                Include::Driver => self.tensor_map(),
            }
        }
        for (file, _) in &header.includes {
            if file.starts_with('<') {
                self.line(&format!("#include {file}"));
            } else {
                self.line(&format!("#include \"{file}\""));
            }
        }
        if self.has_offsets() {
            self.text.push_str(OFFSET_OF);
        }
    }

    /// NVRTC cannot compile `cuda.h`.
    fn tensor_map(&mut self) {
        let of_map = |(name, _, align): &(String, usize, Option<usize>)| {
            (name == "CUtensorMap").then_some(*align).flatten()
        };
        let declaration = match self.collector.assumed.iter().find_map(of_map) {
            Some(align) => format!(
                "struct alignas({align}) CUtensorMap_st {{\n    unsigned long long opaque[16];\n}};\n\
                 typedef CUtensorMap_st CUtensorMap;"
            ),
            None => "struct CUtensorMap_st;\ntypedef CUtensorMap_st CUtensorMap;".into(),
        };
        let text = format!(
            "#if !defined(__CUDACC_RTC__)\n#include <cuda.h>\n\
             #elif !defined(CUDA_VERSION) && !defined(KERNEL_ARGS_TENSOR_MAP)\n\
             #define KERNEL_ARGS_TENSOR_MAP\n{declaration}\n#endif"
        );
        self.line(&text);
    }

    /// Asserts the layout of the types that the header uses and does not declare.
    pub(super) fn assumptions(&mut self) {
        let assumed = self.collector.assumed.clone();
        if !assumed.is_empty() {
            self.line("");
        }
        for (name, size, align) in assumed {
            let is_path = name.contains("::") || name.contains('<');
            let name = if is_path { format!("::{name}") } else { name };
            self.extent(&name, size, align);
        }
    }

    /// Declares what is pointed to before it is defined, or is not defined.
    pub(super) fn forward_declarations(&mut self, kernels: &[Prototype]) {
        let collector = self.collector;
        let mut pointees = BTreeSet::new();
        pointees.extend(collector.pointees.iter().map(|(to, _)| to.path.full()));
        let mut defined = BTreeSet::new();
        let mut needed: Vec<Path> = Vec::new();
        let mut see = |ty: &Type, defined: &BTreeSet<&str>| {
            // Each once: what was seen is removed.
            if let Base::Own(path) = &ty.base
                && !defined.contains(path.full())
                && pointees.remove(path.full())
            {
                needed.push(path.clone());
            }
        };
        for definition in &collector.definitions {
            if let Kind::Struct(members) = &definition.kind {
                for member in members {
                    // Inside of itself a struct is declared.
                    let is_itself =
                        matches!(&member.ty.base, Base::Own(path) if *path == definition.path);
                    if !is_itself {
                        see(&member.ty, &defined);
                    }
                }
            }
            defined.insert(definition.path.full());
        }
        for argument in kernels.iter().flat_map(|kernel| &kernel.parameters) {
            see(&argument.ty, &defined);
        }
        if needed.iter().any(|path| path.namespace().is_empty()) {
            self.line("");
        }
        for path in &needed {
            self.enter(path.namespace());
            let name = path.name();
            let line = match self.collector.definition(path).map(|known| &known.kind) {
                Some(Kind::Enum { underlying, .. }) => format!("enum class {name} : {underlying};"),
                _ => format!("struct {name};"),
            };
            self.line(&line);
        }
    }
}
