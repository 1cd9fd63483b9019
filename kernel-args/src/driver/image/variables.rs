use super::{
    by_symbol::BySymbol,
    debug_info::{DebugInfo, Name},
};
use kernel_args_abi::{
    Parameter, Sm,
    compiled::{CompiledImage, CompiledKernel},
};
use kernel_args_image::{Kernels, ParameterList, VariableSpace, mangled::Spelled};
use std::borrow::Cow;

pub(crate) struct VariableDescription {
    pub(crate) symbol: Cow<'static, str>,
    pub(crate) space: VariableSpace,
    pub(crate) debug_info: DebugInfo,
    name: Option<Name>,
    value: VariableValue,
}

enum VariableValue {
    /// In a table of the program.
    Compiled(Parameter<'static>),
    /// The only parameter of a list, from an image that was read.
    Read(ParameterList),
}

impl VariableDescription {
    pub(crate) fn value(&self) -> Option<Parameter<'_>> {
        let value = match &self.value {
            VariableValue::Compiled(value) => *value,
            VariableValue::Read(list) => list.members().get(0)?,
        };
        Some(Parameter { name: self.spelled(), ..value })
    }

    pub(crate) fn spelled(&self) -> &str {
        self.name.as_ref().map_or(&self.symbol, Name::text)
    }

    pub(crate) fn name(&self) -> Option<Spelled<'_>> {
        self.name.as_ref().map(Name::spelled)
    }
}

pub(super) fn compiled_variables(table: Option<&'static CompiledImage>) -> Vec<VariableDescription> {
    let variables = table.and_then(|table| table.variables).into_iter().flat_map(CompiledImage::kernels);
    let described = variables.map(|variable| {
        let value = variable.variable();
        VariableDescription {
            symbol: Cow::Borrowed(variable.symbol()),
            space: VariableSpace::of(&value),
            debug_info: DebugInfo::compiled(&variable),
            name: Name::compiled(&variable),
            value: VariableValue::Compiled(value),
        }
    });
    described.collect()
}

/// Returns the variables of an image for the GPU `sm`. `table` contains the information that was read when the program
/// was compiled.
pub(super) fn read_variables(
    kernels: &Kernels<'_>,
    table: Option<&'static CompiledImage>,
    sm: Sm,
) -> Vec<VariableDescription> {
    let compiled = table.and_then(|table| table.variables);
    let compiled = BySymbol::new(compiled, CompiledKernel::has_debug_info);
    let describe = |symbol: &str| {
        let variable = kernels.variable(symbol, Some(sm))?;
        let list = variable.as_list();
        let mut value = list.parameters_without_debug_info();
        let from_table = compiled.get(symbol).map(CompiledKernel::variable);
        let error = || kernels.variable_debug_error(&variable);
        let debug_info = DebugInfo::complete(&list.debug_info, from_table.as_slice(), &mut value, error);
        Some(VariableDescription {
            symbol: Cow::Owned(String::from(symbol)),
            space: variable.space,
            debug_info,
            name: variable.demangled().map(Name::of),
            value: VariableValue::Read(ParameterList::new(&value)),
        })
    };
    kernels.variable_symbols().filter_map(describe).collect()
}
