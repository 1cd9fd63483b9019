//! A launch as the flight recorder keeps it. Nothing is formatted before a fault.

use super::{Event, LauncherEvent};
use crate::{
    device::vector::Dim3,
    driver::{
        api::{Allocation, Api},
        error::{PointsTo, RecordedArgument, RunningLaunch},
    },
    marshal::Value,
};
use kernel_args_abi::{Class, Parameter};

pub(super) struct Recorded {
    pub(super) number: u64,
    pub(super) stream: usize,
    kernel: String,
    geometry: Option<(Dim3, Dim3, u32)>,
    arguments: RecordedArguments,
    /// What each pointer points to, in the order of the parameters.
    pointers: Vec<PointsTo>,
}

enum RecordedArguments {
    /// The parameters of a struct, and their bytes one after another.
    Struct(&'static [Parameter<'static>], Vec<u8>),
    /// The arguments of a list, whose types only the list knows: the name, the value, and whether it is a pointer.
    List(Vec<(String, String, bool)>),
}

impl Recorded {
    pub(super) fn of(api: &Api, number: u64, event: &Event<'_>) -> Option<Self> {
        let (kernel, stream) = match event {
            Event::KernelLaunch(launch) => {
                let geometry = Some((launch.grid(), launch.block(), launch.shared_memory()));
                return Some(Self { geometry, ..Self::call(api, number, &launch.call) });
            }
            Event::LauncherCall(call) => return Some(Self::call(api, number, call)),
            Event::GraphLaunch(graph) => ("a graph", graph.stream),
            Event::SequenceRun(run) => ("a sequence", run.stream),
            Event::ModuleLoad(_) | Event::Compilation(_) => return None,
        };
        Some(Self {
            number,
            stream: stream.cu_stream() as usize,
            kernel: kernel.into(),
            geometry: None,
            arguments: RecordedArguments::List(Vec::new()),
            pointers: Vec::new(),
        })
    }

    fn call(api: &Api, number: u64, call: &LauncherEvent<'_>) -> Self {
        let mut pointers = Vec::new();
        let (mut all, mut list) = (Vec::new(), Vec::new());
        (call.values)(&mut |parameter, bytes| {
            if is_pointer(parameter) {
                pointers.push(points_to(api, bytes));
            }
            match call.parameters {
                Some(_) => all.extend_from_slice(bytes),
                None => {
                    list.push((parameter.name.into(), Value::of(parameter, bytes).to_string(), is_pointer(parameter)));
                }
            }
        });
        Self {
            number,
            stream: call.cu_stream() as usize,
            kernel: call.name(),
            geometry: None,
            arguments: match call.parameters {
                Some(parameters) => RecordedArguments::Struct(parameters, all),
                None => RecordedArguments::List(list),
            },
            pointers,
        }
    }

    pub(super) fn to_running(&self) -> RunningLaunch {
        let mut pointers = self.pointers.iter().copied();
        let mut argument = |name: &str, value: String, is_pointer: bool| RecordedArgument {
            name: name.into(),
            value,
            points_to: is_pointer.then(|| pointers.next()).flatten(),
        };
        let arguments = match &self.arguments {
            RecordedArguments::List(list) => {
                list.iter().map(|(name, value, is_pointer)| argument(name, value.clone(), *is_pointer)).collect()
            }
            RecordedArguments::Struct(parameters, bytes) => {
                let mut rest = bytes.as_slice();
                let decoded = parameters.iter().filter_map(|parameter| {
                    let (own, after) = rest.split_at_checked(parameter.size)?;
                    rest = after;
                    let value = Value::of(parameter, own).to_string();
                    Some(argument(parameter.name, value, is_pointer(parameter)))
                });
                decoded.collect()
            }
        };
        let (grid, block, shared) = match self.geometry {
            Some((grid, block, shared)) => (Some(grid), Some(block), shared),
            None => (None, None, 0),
        };
        RunningLaunch {
            number: self.number,
            kernel: self.kernel.clone(),
            grid,
            block,
            shared,
            stream: self.stream,
            arguments,
        }
    }
}

fn is_pointer(parameter: &Parameter<'_>) -> bool {
    parameter.class == Class::Pointer && parameter.size == size_of::<u64>()
}

/// Asks the driver, which no longer answers after a fault. Host memory counts as no allocation.
fn points_to(api: &Api, bytes: &[u8]) -> PointsTo {
    let address = bytes.try_into().map_or(0, u64::from_le_bytes);
    if address == 0 {
        return PointsTo::Null;
    }
    match api.allocation(address) {
        Ok(Some(Allocation { start, size, is_host: false, .. })) => {
            PointsTo::Allocation { base: start, size, offset: address - start }
        }
        _ => PointsTo::Nothing,
    }
}
