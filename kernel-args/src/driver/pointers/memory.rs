use crate::driver::{
    api::{Allocation, Api, CallError},
    query::device_attribute,
};

/// `CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS`.
const PAGEABLE_MEMORY_ACCESS: u32 = 88;

#[derive(Clone, Copy)]
pub(super) enum MemoryAt {
    Allocated(Allocation),
    /// One past the end of an allocation: a valid end pointer.
    End,
    /// Memory of the process that the driver does not know. Kernels can access it if the GPU shares the page tables of
    /// the process.
    Host {
        is_accessible: bool,
    },
    None,
}

impl MemoryAt {
    /// Returns the memory at an address other than 0, for kernels of the current context.
    pub(super) fn at(api: &Api, address: u64) -> Result<Self, CallError> {
        if let Some(allocation) = api.allocation(address)? {
            return Ok(Self::Allocated(allocation));
        }
        let before = api.allocation(address - 1)?;
        if before.is_some() {
            return Ok(Self::End);
        }
        // Whether kernels can access all memory of the process: HMM, ATS.
        let is_shared = device_attribute(PAGEABLE_MEMORY_ACCESS)? != 0;
        Ok(match is_mapped(address) {
            Some(true) => Self::Host { is_accessible: is_shared },
            // It cannot be known whether it is memory of the process.
            None if is_shared => Self::Host { is_accessible: true },
            Some(false) | None => Self::None,
        })
    }
}

/// Returns whether an address is in readable memory of the process. `None` if the system does not report it.
#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "other systems may not report it")]
fn is_mapped(address: u64) -> Option<bool> {
    Some(crate::driver::api::is_mapped(address))
}

#[cfg(not(windows))]
fn is_mapped(address: u64) -> Option<bool> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    Some(maps.lines().filter_map(readable).any(|range| range.contains(&address)))
}

/// Returns the addresses of a line of `/proc/self/maps`, if it describes readable memory:
/// `7f00-7f10 rw-p 00000000 00:00 0 [stack]`.
#[cfg(any(test, not(windows)))]
fn readable(line: &str) -> Option<core::ops::Range<u64>> {
    let mut words = line.split_ascii_whitespace();
    let ((begin, end), access) = (words.next()?.split_once('-')?, words.next()?);
    let number = |text| u64::from_str_radix(text, 16).ok();
    let range = number(begin)?..number(end)?;
    // The driver reserves address ranges for the GPU without access, and maps its devices.
    (access.starts_with('r') && !line.contains("/dev/nvidia")).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::{is_mapped, readable};

    #[test]
    fn a_line_of_the_map_holds_its_addresses() {
        let holds = |line, address: u64| readable(line).is_some_and(|range| range.contains(&address));
        let line = "7f00-7f10 rw-p 00000000 00:00 0    [stack]";
        assert!(holds(line, 0x7f00) && holds(line, 0x7f0f));
        assert!(!holds(line, 0x7eff) && !holds(line, 0x7f10));
        for other in [
            "7f00-7f10 ---p 00000000 00:00 0",
            "7f00-7f10 rw-s 00000000 00:05 41    /dev/nvidia0",
            "7f00 rw-p",
            "x-y rw-p",
            "7f00-7f10",
            "",
        ] {
            assert!(!holds(other, 0x7f00), "{other}");
        }
    }

    #[test]
    fn a_local_variable_is_memory_of_the_process() {
        let (local, constant) = (1_u8, "constant");
        let places = [&raw const local, constant.as_ptr()].map(|place| is_mapped(place.addr() as u64));
        let is_known = cfg!(any(windows, target_os = "linux"));
        assert_eq!(places, [is_known.then_some(true); 2]);
        assert_eq!(is_mapped(1), is_known.then_some(false));
    }
}
