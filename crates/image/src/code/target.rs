//! The GPUs on which code runs.

use crate::prelude::*;
use kernel_args_abi::Sm;

/// The GPUs for which code was compiled: `sm_90`, `sm_90a`, `sm_100f`.
///
/// # Compatibility
/// | code | for | runs on | source |
/// |---|---|---|---|
/// | a cubin | `sm_86` | GPUs of the same major compute capability, with the same or a higher minor number | [Blackwell Compatibility Guide], "Application Compatibility" |
/// | PTX | `compute_86` | GPUs of this or a higher compute capability | [Blackwell Compatibility Guide], "Application Compatibility" |
/// | either | `sm_90a`, `compute_90a` | GPUs of exactly this compute capability | [CUDA Programming Guide], "Feature Set Compiler Targets" |
/// | either | `sm_100f`, `compute_100f` | GPUs of the same family: the same major compute capability, and the same or a higher minor one | [CUDA Programming Guide], "Feature Set Compiler Targets"; [PTX ISA], "Changes in PTX ISA Version 8.8" |
///
/// The driver must also be new enough: for PTX see [`RELEASES`](crate::RELEASES).
///
/// If the rules do not decide, the result is [`Unknown`](Compatibility::Unknown). Only the driver can then decide:
/// - Code for compute capability 10.1 on a GPU of 11.0, and the reverse: `sm_101` has the name `sm_110` since CUDA
///   13.0 ([PTX ISA], "Changes in PTX ISA Version 9.0").
/// - A cubin for an embedded GPU (8.7 and other Tegra and Jetson GPUs) on another GPU of the same major compute
///   capability, and the reverse. NVIDIA does not support this ([CUDA Programming Guide], "Binary Compatibility"), but
///   does not document that the driver rejects it.
///
/// [Blackwell Compatibility Guide]: https://docs.nvidia.com/cuda/blackwell-compatibility-guide/
/// [CUDA Programming Guide]: https://docs.nvidia.com/cuda/cuda-programming-guide/
/// [PTX ISA]: https://docs.nvidia.com/cuda/parallel-thread-execution/#release-notes
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Target {
    /// The compute capability.
    pub sm: Sm,
    /// The features of the compute capability that the code may use.
    pub features: Features,
}

/// The features of a compute capability that code may use. CUDA Programming Guide, "Feature Set Compiler Targets".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Features {
    /// Features that every later GPU also has: no suffix.
    Baseline,
    /// Also the features of the family: suffix `f`.
    Family,
    /// All features: suffix `a`.
    Architecture,
}

/// Whether code runs on a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Compatibility {
    /// The code runs.
    Yes,
    /// The code does not run.
    No,
    /// The documented rules do not decide.
    Unknown,
}

impl Target {
    /// Parses a name such as `sm_90a` or `compute_100f`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let number = name.strip_prefix("sm_").or_else(|| name.strip_prefix("compute_"))?;
        let (number, features) = match number.as_bytes().last()? {
            b'a' => (&number[..number.len() - 1], Features::Architecture),
            b'f' => (&number[..number.len() - 1], Features::Family),
            _ => (number, Features::Baseline),
        };
        // `parse` also accepts a sign.
        if number.len() < 2 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(Self { sm: Sm(number.parse().ok()?), features })
    }

    /// Returns whether a cubin for this target runs on `gpu`.
    #[must_use]
    pub fn cubin_runs_on(self, gpu: Sm) -> Compatibility {
        if is_renamed(self.sm, gpu) {
            return Compatibility::Unknown;
        }
        match self.features {
            Features::Architecture => known(self.sm == gpu),
            // The encoding of family-specific cubins is not documented: this one may be for one GPU of the family.
            Features::Family | Features::Baseline if !same_major_not_newer(self.sm, gpu) => Compatibility::No,
            _ if self.sm != gpu && (is_embedded(self.sm) || is_embedded(gpu)) => Compatibility::Unknown,
            _ => Compatibility::Yes,
        }
    }

    /// Returns whether the driver can compile PTX for this target to code for `gpu`.
    #[must_use]
    pub fn ptx_compiles_for(self, gpu: Sm) -> Compatibility {
        if is_renamed(self.sm, gpu) {
            return Compatibility::Unknown;
        }
        known(match self.features {
            Features::Architecture => self.sm == gpu,
            Features::Family => same_major_not_newer(self.sm, gpu),
            Features::Baseline => self.sm <= gpu,
        })
    }

    /// Returns the name as a PTX target: `compute_90a`.
    #[must_use]
    pub fn compute(self) -> String {
        format!("compute_{}{}", self.sm.0, self.suffix())
    }

    /// Returns the suffix of its name.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self.features {
            Features::Baseline => "",
            Features::Family => "f",
            Features::Architecture => "a",
        }
    }
}

const fn known(runs: bool) -> Compatibility {
    if runs { Compatibility::Yes } else { Compatibility::No }
}

fn same_major_not_newer(code: Sm, gpu: Sm) -> bool {
    code.0 / 10 == gpu.0 / 10 && code <= gpu
}

/// Code for sm_101 on a GPU of 11.x, and code for sm_110 on a GPU of 10.1: both names mean the same GPUs.
const fn is_renamed(code: Sm, gpu: Sm) -> bool {
    matches!((code.0, gpu.0), (101, 110..=119) | (110, 101))
}

/// Returns the compute capabilities of embedded GPUs (Tegra, Jetson).
const fn is_embedded(sm: Sm) -> bool {
    matches!(sm.0, 53 | 62 | 72 | 87 | 88 | 101 | 110)
}

display!(Target, |this, f| write!(f, "{}{}", this.sm, this.suffix()));

#[cfg(test)]
mod tests {
    use super::*;
    use Compatibility::{No, Unknown, Yes};
    use std::string::ToString;

    fn target(name: &str) -> Target {
        Target::parse(name).unwrap_or_else(|| panic!("{name}"))
    }

    /// The examples in NVIDIA's guides, and the results of ptxas 13.0 for these targets.
    #[test]
    fn the_documented_examples() {
        for (name, gpu, cubin, ptx) in [
            ("sm_80", 86, Yes, Yes),
            ("sm_86", 80, No, No),
            ("sm_86", 90, No, Yes),
            ("sm_90", 90, Yes, Yes),
            ("sm_90", 100, No, Yes),
            ("sm_90a", 90, Yes, Yes),
            ("sm_90a", 100, No, No),
            ("sm_90a", 86, No, No),
            ("sm_100a", 103, No, No),
            ("sm_100f", 103, Yes, Yes),
            ("sm_103f", 100, No, No),
            ("sm_100f", 120, No, No),
            ("sm_120f", 121, Yes, Yes),
            ("sm_101a", 110, Unknown, Unknown),
            ("sm_110", 101, Unknown, Unknown),
            ("sm_86", 87, Unknown, Yes),
            ("sm_87", 89, Unknown, Yes),
            ("sm_87", 87, Yes, Yes),
        ] {
            let target = target(name);
            let found = (target.cubin_runs_on(Sm(gpu)), target.ptx_compiles_for(Sm(gpu)));
            assert_eq!(found, (cubin, ptx), "{name} on {gpu}");
        }
    }

    const GPUS: [u16; 21] = [50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121];

    fn all() -> impl Iterator<Item = (Target, Sm)> {
        let features = [Features::Baseline, Features::Family, Features::Architecture];
        GPUS.into_iter().flat_map(move |sm| {
            features.into_iter().flat_map(move |features| {
                GPUS.map(|gpu| {
                    let target = Target { sm: Sm(sm), features };
                    (target, Sm(gpu))
                })
            })
        })
    }

    #[test]
    fn code_runs_on_its_own_gpu_and_never_on_an_older_one() {
        for (target, gpu) in all() {
            let both = [target.cubin_runs_on(gpu), target.ptx_compiles_for(gpu)];
            if target.sm == gpu {
                assert_eq!(both, [Yes; 2], "{target}");
            } else if target.sm > gpu {
                assert!(!both.contains(&Yes), "{target} on {gpu}");
            }
        }
    }

    #[test]
    fn more_features_never_run_on_more_gpus_and_a_cubin_on_no_more_than_ptx() {
        for (target, gpu) in all() {
            let with = |features| Target { features, ..target };
            for (narrow, wide) in [(Features::Architecture, Features::Family), (Features::Family, Features::Baseline)] {
                for runs in [Target::cubin_runs_on, Target::ptx_compiles_for] {
                    if runs(with(narrow), gpu) == Yes {
                        assert_eq!(runs(with(wide), gpu), Yes, "{target} on {gpu}");
                    }
                }
            }
            if target.cubin_runs_on(gpu) == Yes {
                assert_eq!(target.ptx_compiles_for(gpu), Yes, "{target} on {gpu}");
            }
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for (target, _) in all() {
            assert_eq!(Target::parse(&target.to_string()), Some(target));
            assert_eq!(Target::parse(&target.compute()), Some(target));
        }
        assert_eq!(target("compute_90a"), target("sm_90a"));
        for wrong in ["", "sm_", "sm_a", "sm_9", "sm_90x", "sm_90af", "sm_+90", "90", "sm_99999999"] {
            assert_eq!(Target::parse(wrong), None, "{wrong}");
        }
    }
}
