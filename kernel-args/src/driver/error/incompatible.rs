//! Images that this GPU or this driver cannot run.

use core::fmt;
use kernel_args_abi::Sm;
use kernel_args_image::{Code, CodeKind, CudaVersion, Features, Target, Unfit};

/// An image without any code that the GPU and the driver can run. `Display` lists the code in the image, why each piece
/// does not run, and what to do.
///
/// [`Target`] and [`RELEASES`](kernel_args_image::RELEASES) document the rules.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IncompatibleImage {
    /// The GPU.
    pub gpu: Sm,
    /// The release of CUDA that the driver is for, if it is known.
    pub driver: Option<CudaVersion>,
    /// The code in the image, each piece with the reason why it does not run; `None` if no reason is known.
    pub contents: Vec<(Code, Option<Unfit>)>,
}

impl IncompatibleImage {
    pub(crate) fn new(contents: &[Code], gpu: Sm, driver: Option<CudaVersion>) -> Self {
        let contents = contents.iter().map(|code| (*code, code.runs_on(gpu, driver).err()));
        Self { gpu, driver, contents: contents.collect() }
    }

    pub(crate) fn is_certain(&self) -> bool {
        !self.contents.is_empty() && self.contents.iter().all(|(_, unfit)| unfit.is_some())
    }

    pub(crate) fn list(&self, f: &mut dyn fmt::Write) -> fmt::Result {
        for (code, unfit) in &self.contents {
            write!(f, "\n  {code}")?;
            if let Some(unfit) = unfit {
                f.write_str(": ")?;
                reason(f, code, *unfit)?;
            }
        }
        Ok(())
    }

    pub(crate) fn help(&self, f: &mut dyn fmt::Write) -> fmt::Result {
        let gpu = self.gpu.0;
        let has = |wanted| self.contents.iter().any(|(_, unfit)| *unfit == Some(wanted));
        if has(Unfit::Gpu) || has(Unfit::LtoIr) {
            write!(
                f,
                "\nhelp: compile it for this GPU, and for later ones: `nvcc -gencode arch=compute_{gpu},code=[sm_{gpu},compute_{gpu}]`"
            )?;
        }
        let specific = self.contents.iter().find_map(|(code, unfit)| match code.target {
            Some(target) if *unfit == Some(Unfit::Gpu) && target.features != Features::Baseline => Some(target),
            _ => None,
        });
        if let Some(target) = specific {
            write!(
                f,
                "\nhelp: the `{}` of `{target}` allows instructions that other GPUs lack: remove it if the kernels do not use \
                 them",
                target.suffix()
            )?;
        }
        if has(Unfit::PtxVersion) {
            self.help_with_ptx(f)?;
        }
        if has(Unfit::TileIr) {
            write!(
                f,
                "\nhelp: compile it to a cubin, which this driver runs if it is from the same major release of CUDA: \
                 `nvcc --enable-tile --tilecubin -arch=sm_{gpu}`"
            )?;
        }
        if has(Unfit::AddressSize) {
            f.write_str("\nhelp: compile it for 64 bits: `nvcc -m64`, which is the default")?;
        }
        Ok(())
    }

    fn help_with_ptx(&self, f: &mut dyn fmt::Write) -> fmt::Result {
        let Some(driver) = self.driver else {
            return Ok(());
        };
        let gpu = self.gpu.0;
        let newer = self.contents.iter().filter(|(_, unfit)| *unfit == Some(Unfit::PtxVersion));
        // The driver needs to support only one of the PTX texts in the image.
        let nearest = newer.filter_map(|(code, _)| first_release(code)).min_by_key(|release| release.cuda);
        let needed = nearest.map_or("a newer driver".into(), |release| format!("a driver for {release} or newer"));
        write!(f, "\nhelp: install {needed}, or compile with CUDA {driver} or older")?;
        if nearest.is_some_and(|release| release.cuda.major == driver.major) {
            write!(
                f,
                "\nhelp: or ship a cubin, which the driver accepts from every CUDA {}: `nvcc -gencode arch=compute_{gpu},code=sm_{gpu}`",
                driver.major
            )?;
        }
        Ok(())
    }
}

fn reason(f: &mut dyn fmt::Write, code: &Code, unfit: Unfit) -> fmt::Result {
    match unfit {
        Unfit::Gpu => match code.target {
            Some(target) => runs_on(f, target, matches!(code.kind, CodeKind::Cubin)),
            None => f.write_str("runs on other GPUs"),
        },
        Unfit::PtxVersion => match first_release(code) {
            Some(release) => write!(f, "needs a driver for {release} or newer"),
            None => f.write_str("needs a driver that is newer than all drivers that this crate knows"),
        },
        Unfit::TileIr => write!(f, "needs a driver for CUDA {} or newer", CudaVersion::TILE_IR),
        Unfit::AddressSize => f.write_str("has 32-bit addresses, but the GPU has 64-bit addresses"),
        Unfit::LtoIr => f.write_str("is not executable code: link it with nvcc or nvJitLink"),
        _ => f.write_str("does not run"),
    }
}

fn first_release(code: &Code) -> Option<kernel_args_image::Release> {
    match code.kind {
        CodeKind::Ptx { version, .. } => version.first_release(),
        _ => None,
    }
}

fn runs_on(f: &mut dyn fmt::Write, target: Target, is_cubin: bool) -> fmt::Result {
    let (major, minor) = (target.sm.0 / 10, target.sm.0 % 10);
    write!(f, "runs on GPUs of compute capability {major}.{minor} ")?;
    match target.features {
        Features::Architecture => f.write_str("only"),
        Features::Baseline if !is_cubin => f.write_str("and higher"),
        _ => write!(f, "and higher {major}.x"),
    }
}

display!(IncompatibleImage, |this, f| {
    write!(f, "the image has no code for this GPU ({}", this.gpu)?;
    if let Some(driver) = this.driver {
        write!(f, ", with a driver for CUDA {driver}")?;
        if let Some(ptx) = driver.newest_ptx() {
            write!(f, ", which compiles PTX {ptx} and older")?;
        }
    }
    f.write_str("); it has")?;
    this.list(f)?;
    this.help(f)
});

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_args_image::contents;

    const CUDA_13: CudaVersion = CudaVersion { major: 13, minor: 0 };

    fn ptx(version: &str, target: &str) -> Vec<Code> {
        contents(format!(".version {version}\n.target {target}\n").as_bytes()).unwrap()
    }

    fn is_certain(gpu: u16, contents: &[Code]) -> bool {
        IncompatibleImage::new(contents, Sm(gpu), Some(CUDA_13)).is_certain()
    }

    #[test]
    fn a_cubin_is_advised_where_minor_version_compatibility_holds() {
        let older = CudaVersion { major: 12, minor: 4 };
        let advice = |version: &str| IncompatibleImage::new(&ptx(version, "sm_75"), Sm(90), Some(older)).to_string();
        assert!(advice("8.5").contains("ship a cubin"), "{}", advice("8.5"));
        assert!(!advice("9.0").contains("ship a cubin"), "{}", advice("9.0"));
        assert!(!advice("50.0").contains("ship a cubin"), "{}", advice("50.0"));
    }

    #[test]
    fn the_hint_leads_to_code_that_runs() {
        for gpu in [75, 80, 86, 89, 90, 100, 103, 110, 120, 121] {
            let code = ptx("9.0", &format!("sm_{gpu}"));
            assert_eq!(code[0].runs_on(Sm(gpu), Some(CUDA_13)), Ok(true));
            assert!(!is_certain(gpu, &code));
        }
    }

    #[test]
    fn the_gpu_is_named_before_the_driver() {
        let newer = IncompatibleImage::new(&ptx("9.4", "sm_107"), Sm(90), Some(CUDA_13)).to_string();
        assert!(newer.contains("10.7") && !newer.contains("needs a driver"), "{newer}");
        let older = IncompatibleImage::new(&ptx("9.4", "sm_80"), Sm(90), Some(CUDA_13)).to_string();
        assert!(older.contains("needs a driver"), "{older}");
    }

    #[test]
    fn what_is_not_known_is_not_certain() {
        let both = [ptx("9.0", "sm_100"), ptx("9.0", "sm_80")].concat();
        for (contents, certain) in
            [(Vec::new(), false), (ptx("9.0", "sm_next"), false), (ptx("9.0", "sm_100"), true), (both, false)]
        {
            assert_eq!(is_certain(90, &contents), certain);
        }
    }
}
