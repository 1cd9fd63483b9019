use kernel_args_abi::Sm;
use kernel_args_image::Target;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Architecture {
    pub(super) name: String,
    pub(super) of_ptx: String,
}

impl Architecture {
    /// Returns the architecture that user code requested (`sm_90a` or `compute_90`), otherwise the GPU's own. If NVRTC
    /// does not support the GPU, PTX for the newest older architecture. `known` are the architectures that NVRTC
    /// supports, in ascending order.
    pub(super) fn choose(requested: Option<&str>, to_ptx: bool, gpu: Sm, known: &[u16]) -> Result<Self, String> {
        if let Some(name) = requested {
            let Some(target) = Target::parse(name) else {
                return Err(format!(
                    "`{name}` is not an architecture\nhelp: write it as nvcc does: `sm_90` for a cubin, `compute_90` for PTX"
                ));
            };
            let own = Self::new(target);
            return Ok(if to_ptx || name.starts_with("compute_") { own.ptx() } else { own });
        }
        let target = |sm| Target::parse(&Sm(sm).to_string());
        let nearest = known.iter().copied().filter(|&sm| sm <= gpu.0).max();
        match nearest.and_then(|sm| Some((sm, target(sm)?))) {
            Some((sm, target)) if sm == gpu.0 && !to_ptx => Ok(Self::new(target)),
            Some((_, target)) => Ok(Self::new(target).ptx()),
            None => {
                let oldest = known.first().map(|oldest| format!("{} and newer", Sm(*oldest)));
                let oldest = oldest.unwrap_or_else(|| "no architecture at all".into());
                Err(format!(
                    "it compiles for {oldest}, but this GPU is {gpu}\nhelp: use the NVRTC of an older CUDA release"
                ))
            }
        }
    }

    fn new(target: Target) -> Self {
        Self { name: target.to_string(), of_ptx: target.compute() }
    }

    fn ptx(self) -> Self {
        Self { name: self.of_ptx.clone(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NVRTC_13: [u16; 12] = [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];

    fn name(requested: Option<&str>, to_ptx: bool, gpu: u16) -> Result<String, String> {
        let chosen = Architecture::choose(requested, to_ptx, Sm(gpu), &NVRTC_13)?;
        Ok(chosen.name)
    }

    #[test]
    fn a_gpu_that_nvrtc_knows_gets_a_cubin_and_a_newer_one_ptx() {
        for gpu in NVRTC_13 {
            assert_eq!(name(None, false, gpu), Ok(format!("sm_{gpu}")));
            assert_eq!(name(None, true, gpu), Ok(format!("compute_{gpu}")));
        }
        assert_eq!(name(None, false, 130).as_deref(), Ok("compute_121"));
        assert_eq!(name(None, false, 91).as_deref(), Ok("compute_90"));
        let error = name(None, false, 70).unwrap_err();
        assert!(error.contains("sm_75 and newer, but this GPU is sm_70"), "{error}");
        assert!(Architecture::choose(None, false, Sm(90), &[]).is_err());
    }

    #[test]
    fn a_requested_architecture_is_used() {
        assert_eq!(name(Some("sm_90a"), false, 90).as_deref(), Ok("sm_90a"));
        assert_eq!(name(Some("sm_90a"), true, 90).as_deref(), Ok("compute_90a"));
        assert_eq!(name(Some("compute_80"), false, 90).as_deref(), Ok("compute_80"));
        let error = name(Some("hopper"), false, 90).unwrap_err();
        assert!(error.contains("help: write it as nvcc does"), "{error}");
    }
}
