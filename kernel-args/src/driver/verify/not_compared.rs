use kernel_args_abi::{
    Opaque, Parameter,
    check::{self, NotComparedReason, not_compared, not_compared_in_variable},
    texts::member_path,
};

/// A part of a kernel's parameters that is not compared with the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotCompared {
    /// The parameter's name.
    pub parameter: String,
    /// The path of the part: `shape` for the parameter itself, `lights[].value` for a member of the struct behind the
    /// pointer `lights`. The path of a member of a struct that is passed by value does not contain the parameter.
    pub path: String,
    /// Why it is not compared.
    pub reason: NotComparedReason,
}

display!(NotCompared, |this, f| {
    let what = match this.reason {
        NotComparedReason::Opaque(Opaque::Union) => "a union",
        NotComparedReason::Opaque(Opaque::BitFields) => "bit fields",
        NotComparedReason::Opaque(Opaque::Bases) => {
            "a class with virtual base classes, or its table of virtual functions"
        }
        NotComparedReason::Incomplete => "a struct that the kernel's source declares but does not define",
        NotComparedReason::Limit => "behind too many pointers, or nested too deep",
        _ => "a type whose members are unknown",
    };
    write!(f, "`{}` of parameter `{}`: {what}", this.path, this.parameter)
});

/// Returns the parts of these parameters that cannot be compared, whatever the arguments are.
pub(super) fn parts(parameters: &[Parameter<'_>]) -> Vec<NotCompared> {
    parameters
        .iter()
        .flat_map(|parameter| collected(parameter.name, |add| not_compared(parameter, parameter, add)))
        .collect()
}

pub(super) fn parts_of_variable(variable: &Parameter<'_>) -> Vec<NotCompared> {
    collected(variable.name, |add| not_compared_in_variable(variable, add))
}

fn collected(name: &str, visit: impl FnOnce(&mut dyn FnMut(check::NotCompared<'_>))) -> Vec<NotCompared> {
    let mut parts = Vec::new();
    visit(&mut |part| {
        let path = member_path(&part.place, name).to_string();
        parts.push(NotCompared { parameter: name.into(), path, reason: part.reason });
    });
    parts
}
