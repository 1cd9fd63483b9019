//! What error codes mean that any call of the driver may return, and those that are the same for a load and a launch.

use super::api::Status;

/// An error of an earlier kernel, after which the context is lost.
const EARLIER_FAILED: &str = "an EARLIER kernel failed on the device, and the context is lost; compute-sanitizer names the kernel and the line";

/// What an error code means whichever call returned it: CUDA Driver API, `CUresult`. `None` for a code that depends on the call.
pub(super) const fn of_any_call(status: Status) -> Option<&'static str> {
    Some(match status.0 {
        3 | 4 => "the driver is not initialised, or the program is shutting down",
        34 => {
            "this is the stub library of the CUDA toolkit, which is for linking only: take its folder out of the library path"
        }
        36 => "the call needs a newer driver than the one that is installed",
        46 => {
            "the GPU is in use by another process that has it for itself, or no process may use it (`nvidia-smi -q -d COMPUTE`)"
        }
        100 => {
            "the driver finds no GPU: look at `nvidia-smi`, at `CUDA_VISIBLE_DEVICES`, and at the GPUs that a container is given"
        }
        101 => "there is no GPU of that ordinal: `CUDA_VISIBLE_DEVICES` hides and renumbers them",
        102 => "the virtual GPU has no license",
        201 | 709 => "no context is current on this thread, or the context was destroyed",
        214 => {
            "the GPU's memory has an error that cannot be corrected (ECC): look at `nvidia-smi -q -d ECC`, and restart the machine"
        }
        220 => {
            "a link between GPUs (NVLink) has an error that cannot be corrected: restart the machine"
        }
        226 => {
            "an EARLIER kernel accessed another GPU's memory where it may not, or the hardware failed, and this process cannot use \
            the GPU any more"
        }
        304 => {
            "a call of the operating system failed in the driver: look at the limits of memory, files and threads"
        }
        700 => {
            "an EARLIER kernel accessed an invalid address (a host pointer, freed memory, an index out of bounds), and the context is \
            lost; compute-sanitizer names the kernel and the line"
        }
        702 => {
            "an EARLIER kernel ran longer than the display's watchdog allows, and the context is lost"
        }
        710 => {
            "an `assert` in an EARLIER kernel failed (its text is on the standard error output), and the context is lost"
        }
        714 => {
            "an EARLIER kernel destroyed its stack, or needed a larger one (`cuCtxSetLimit`), and the context is lost"
        }
        716 => {
            "an EARLIER kernel used a pointer that is not aligned for its type, and the context is lost"
        }
        721 => "an EARLIER kernel ended without freeing its tensor memory, and the context is lost",
        715 | 717 | 718 | 719 => EARLIER_FAILED,
        802 => {
            "the system is not ready to use the GPUs: where they are linked by NVSwitch, its service (nvidia-fabricmanager) must run"
        }
        803 => {
            "the driver's library and its kernel module are of different versions: after an update, restart the machine, or in a \
            container use the host's library"
        }
        804 => {
            "the compatibility package (cuda-compat) does not support this GPU: use the library of the driver that is installed"
        }
        805..=810 => {
            "the Multi-Process Service (MPS) does not take this process: look at its server's log"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `CUresult` names the codes after which nothing works in the context or the process.
    #[test]
    fn an_error_that_stays_says_that_it_is_an_earlier_kernel_s() {
        for code in [226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721] {
            let meaning = of_any_call(Status(code)).unwrap();
            assert!(meaning.contains("EARLIER kernel"), "{code}: {meaning}");
        }
    }

    #[test]
    fn a_code_that_depends_on_the_call_is_left_to_it() {
        for code in [
            0, 1, 2, 200, 209, 218, 400, 500, 701, 720, 801, 900, 912, 999,
        ] {
            assert_eq!(of_any_call(Status(code)), None, "{code}");
        }
    }
}
