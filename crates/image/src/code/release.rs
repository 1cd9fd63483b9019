//! CUDA releases, and the PTX versions that their drivers compile.

/// A CUDA release: `13.0`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct CudaVersion {
    /// 13 of 13.0.
    pub major: u16,
    /// 0 of 13.0.
    pub minor: u16,
}

/// A PTX version: `9.0`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct PtxVersion {
    /// 9 of 9.0.
    pub major: u16,
    /// 0 of 9.0.
    pub minor: u16,
}

/// A CUDA release with its PTX version and its driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Release {
    /// The release.
    pub cuda: CudaVersion,
    /// The PTX version that its compiler writes: the newest that its driver compiles.
    pub ptx: PtxVersion,
    /// The version of the driver in the release: 580 for 580.65.06. `None` if no source states it.
    pub driver: Option<u16>,
}

/// CUDA, PTX, driver; 0 if no source states it.
macro_rules! releases {
    ($($major:literal $minor:literal $ptx:literal $ptx_minor:literal $driver:literal;)*) => {
        [$(Release {
            cuda: CudaVersion { major: $major, minor: $minor },
            ptx: PtxVersion { major: $ptx, minor: $ptx_minor },
            driver: if $driver > 0 { Some($driver) } else { None },
        }),*]
    };
}

/// The known CUDA releases in order: PTX ISA, table "PTX Release History",
/// <https://docs.nvidia.com/cuda/parallel-thread-execution/#release-notes-ptx-release-history>.
///
/// # Compatibility of drivers
/// - A driver loads **a cubin** of a compiler from the same major release, also from a newer minor one, and of older
///   releases: CUDA Compatibility, "Minor Version Compatibility",
///   <https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html>.
/// - A driver compiles **PTX** up to the version of its own release (same page, "Limitations and caveats"): a driver
///   for 13.0 returns `CUDA_ERROR_UNSUPPORTED_PTX_VERSION` (222) for PTX 9.1.
pub const RELEASES: [Release; 31] = releases! {
    9 0 6 0 384; 9 1 6 1 387; 9 2 6 2 396; 10 0 6 3 400; 10 1 6 4 418; 10 2 6 5 440; 11 0 7 0 445; 11 1 7 1 455;
    11 2 7 2 460; 11 3 7 3 465; 11 4 7 4 470; 11 5 7 5 495; 11 6 7 6 510; 11 7 7 7 515; 11 8 7 8 520; 12 0 8 0 525;
    12 1 8 1 530; 12 2 8 2 535; 12 3 8 3 545; 12 4 8 4 550; 12 5 8 5 555; 12 6 8 5 560; 12 7 8 6 565; 12 8 8 7 570;
    12 9 8 8 575; 13 0 9 0 580; 13 1 9 1 590; 13 2 9 2 595; 13 3 9 3 610; 13 4 9 4 615; 13 5 9 5 0;
};

impl CudaVersion {
    /// The first release whose driver compiles Tile IR.
    pub const TILE_IR: Self = Self { major: 13, minor: 1 };

    /// Converts the number that `cuDriverGetVersion` and `cudaRuntimeGetVersion` return: 13000 for 13.0.
    #[must_use]
    pub const fn from_number(number: u32) -> Self {
        Self { major: (number / 1000) as u16, minor: (number % 1000 / 10) as u16 }
    }

    /// Returns the newest PTX version that a driver of this version compiles. `None` if [`RELEASES`] does not contain
    /// the version.
    #[must_use]
    pub fn newest_ptx(self) -> Option<PtxVersion> {
        RELEASES.iter().find(|release| release.cuda == self).map(|release| release.ptx)
    }
}

impl PtxVersion {
    /// Returns the first release whose driver compiles this PTX version. `None` if the version is newer than
    /// [`RELEASES`].
    #[must_use]
    pub fn first_release(self) -> Option<Release> {
        RELEASES.into_iter().find(|release| release.ptx >= self)
    }
}

display!(Release, |this, f| {
    write!(f, "CUDA {}", this.cuda)?;
    match this.driver {
        Some(driver) => write!(f, " ({driver})"),
        None => Ok(()),
    }
});

display!(CudaVersion, |this, f| write!(f, "{}.{}", this.major, this.minor));

display!(PtxVersion, |this, f| write!(f, "{}.{}", this.major, this.minor));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_releases_have_later_drivers_and_no_older_ptx() {
        for pair in RELEASES.windows(2) {
            assert!(pair[0].cuda < pair[1].cuda, "{pair:?}");
            assert!(pair[1].driver.is_none() || pair[0].driver < pair[1].driver, "{pair:?}");
            assert!(pair[0].ptx <= pair[1].ptx, "{pair:?}");
        }
    }

    #[test]
    fn a_driver_compiles_its_own_ptx_and_none_that_needs_a_later_one() {
        for release in RELEASES {
            assert_eq!(release.cuda.newest_ptx(), Some(release.ptx));
            let first = release.ptx.first_release().unwrap();
            assert!(first.cuda <= release.cuda);
            assert_eq!(first.ptx, release.ptx);
        }
        assert_eq!(CudaVersion::from_number(12080), RELEASES[23].cuda);
        assert_eq!(CudaVersion::from_number(99000).newest_ptx(), None);
        let far = PtxVersion { major: 99, minor: 0 };
        assert_eq!(far.first_release(), None);
    }
}
