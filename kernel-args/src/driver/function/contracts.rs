use super::LoadedFunction;
use crate::{
    contract::{ContractError, Geometry},
    driver::{
        config::Launch,
        error::{BrokenContract, Error, LaunchError},
    },
    marshal::KernelArgs,
};

/// Also sets the dynamic shared memory that a contract computes. A node has no stream.
#[inline(always)]
pub(crate) fn check_contracts<A: KernelArgs>(
    args: &A,
    launch: &mut Launch<'_>,
    function: Option<&LoadedFunction>,
    is_node: bool,
    name: impl FnOnce() -> String,
) -> Result<(), Error> {
    if const { !A::CONTRACTS.any } {
        return Ok(());
    }
    let mut geometry = Geometry::new(launch.grid, launch.block);
    geometry.shared = launch.shared_given.then_some(launch.shared);
    geometry.names_stream = is_node || launch.stream.is_some();
    // Two calls, because most launches keep the sizes in registers.
    let checked = match function {
        Some(function) if const { A::CONTRACTS.grid } && function.attribute_limits.directives.blocks_are_clusters => {
            args.check_contracts(function.attribute_limits.geometry(geometry))
        }
        _ => args.check_contracts(geometry),
    };
    match checked {
        Ok(Geometry { shared: Some(shared), .. }) if const { A::CONTRACTS.shared } => {
            launch.shared = shared;
            launch.shared_given = true;
        }
        Ok(_) => {}
        Err(error) => return Err(Error::Launch(LaunchError::Contract(broken(name, error)))),
    }
    Ok(())
}

/// Returns no `Error`: the inlined code would compare its tag with the one of a launch that succeeded, and keep the
/// launch's values for that case.
#[cold]
#[inline(never)]
fn broken(name: impl FnOnce() -> String, contract: ContractError) -> Box<BrokenContract> {
    let kernel = name();
    Box::new(BrokenContract { kernel, contract })
}
