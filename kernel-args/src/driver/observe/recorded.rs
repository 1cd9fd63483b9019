//! A launch as the flight recorder keeps it. The arguments of a struct are not formatted before a fault.

use super::Event;
use crate::{
    driver::{
        api::{Allocation, Api},
        error::{PointsTo, RecordedArgument, RunningLaunch},
    },
    marshal::Value,
};
use kernel_args_abi::{Class, Parameter};

pub(super) struct Recorded {
    /// With the arguments of a list, whose types only the list knows.
    pub(super) launch: RunningLaunch,
    /// The parameters of a struct, their bytes one after another, and what each pointer points to.
    parameters: &'static [Parameter<'static>],
    bytes: Vec<u8>,
    pointers: Vec<PointsTo>,
}

impl Recorded {
    pub(super) fn of(api: &Api, number: u64, event: &Event<'_>) -> Option<Self> {
        let call = event.call();
        let (kernel, stream) = match (event, call) {
            (_, Some(call)) => (call.name(), call.cu_stream()),
            (Event::GraphLaunch(graph), _) => ("a graph".into(), graph.stream.cu_stream()),
            (Event::SequenceRun(run), _) => ("a sequence".into(), run.stream.cu_stream()),
            _ => return None,
        };
        let (grid, block, shared) = match event {
            Event::KernelLaunch(launch) => (Some(launch.grid()), Some(launch.block()), launch.shared_memory()),
            _ => (None, None, 0),
        };
        let parameters = call.and_then(|call| call.parameters);
        let (mut arguments, mut bytes, mut pointers) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(call) = call {
            (call.values)(&mut |parameter, own| {
                let points_to = is_pointer(parameter).then(|| points_to(api, own));
                if parameters.is_some() {
                    bytes.extend_from_slice(own);
                    pointers.extend(points_to);
                } else {
                    arguments.push(argument(parameter, own, points_to));
                }
            });
        }
        let launch = RunningLaunch { number, kernel, grid, block, shared, stream: stream as usize, arguments };
        Some(Self { launch, parameters: parameters.unwrap_or_default(), bytes, pointers })
    }

    pub(super) fn to_running(&self) -> RunningLaunch {
        let mut launch = self.launch.clone();
        let (mut rest, mut pointers) = (&*self.bytes, self.pointers.iter().copied());
        launch.arguments.extend(self.parameters.iter().filter_map(|parameter| {
            let (own, after) = rest.split_at_checked(parameter.size)?;
            rest = after;
            let points_to = if is_pointer(parameter) { pointers.next() } else { None };
            Some(argument(parameter, own, points_to))
        }));
        launch
    }
}

fn argument(parameter: &Parameter<'_>, bytes: &[u8], points_to: Option<PointsTo>) -> RecordedArgument {
    let value = Value::of(parameter, bytes).to_string();
    RecordedArgument { name: parameter.name.into(), value, points_to }
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
