//! The code in an image, and which of it runs on a GPU with a driver.

use kernel_args_abi::Sm;
use kernel_args_image::{
    self as image, Code, CudaVersion, Features, Image, PtxVersion, RELEASES, Target, Unfit, contents, fatbin,
};
use proptest::prelude::*;

const TARGETS: &[u8] = include_bytes!("../data/targets.fatbin");
const SM_75: &[u8] = include_bytes!("../data/kernels.sm_75.cubin");
const PTX: &[u8] = include_bytes!("../data/kernels.ptx");

const CUDA_13: CudaVersion = CudaVersion { major: 13, minor: 0 };

fn spelled(image: &[u8]) -> Vec<String> {
    let code = contents(image).unwrap();
    code.iter().map(ToString::to_string).collect()
}

fn ptx(version: &str, target: &str, rest: &str) -> Code {
    let text = format!("// made up\n.version {version}\n.target {target}\n{rest}\n.entry k() {{ ret; }}");
    contents(text.as_bytes()).unwrap()[0]
}

/// The targets of members in the output of nvcc 13.0.
#[test]
fn the_members_of_a_fat_binary_have_features() {
    let mut members = spelled(TARGETS);
    members.sort();
    assert_eq!(
        members,
        [
            "LTO-IR for sm_80",
            "PTX 9.0 for sm_100f",
            "PTX 9.0 for sm_90a",
            "a cubin for sm_100f",
            "a cubin for sm_80",
            "a cubin for sm_90a",
        ]
    );
    assert_eq!(spelled(SM_75), ["a cubin for sm_75"]);
    assert_eq!(spelled(PTX), ["PTX 9.0 for sm_75"]);
    assert!(contents(b"\x7fELF").is_err() && contents(&TARGETS[..100]).is_err());
    assert!(contents(b"not PTX").is_err());
}

#[test]
fn which_member_runs_on_which_gpu() {
    let code = contents(TARGETS).unwrap();
    let running = |gpu| -> Vec<_> {
        let runs = |code: &&Code| code.runs_on(Sm(gpu), Some(CUDA_13)) == Ok(true);
        let mut running: Vec<_> = code.iter().filter(runs).map(Code::to_string).collect();
        running.sort();
        running
    };
    assert_eq!(running(75), [""; 0]);
    assert_eq!(running(86), ["a cubin for sm_80"]);
    assert_eq!(running(90), ["PTX 9.0 for sm_90a", "a cubin for sm_90a"]);
    for family in [100, 103] {
        let expected = ["PTX 9.0 for sm_100f", "a cubin for sm_100f"];
        assert_eq!(running(family), expected);
    }
    assert_eq!(running(120), [""; 0]);
    let lto: Vec<_> = code
        .iter()
        .filter_map(|code| code.runs_on(Sm(80), None).err())
        .filter(|unfit| *unfit == Unfit::LtoIr)
        .collect();
    assert_eq!(lto.len(), 1);
}

/// A driver for CUDA 13.1 or newer compiles Tile IR; whether for this GPU is not documented.
#[test]
fn tile_ir_needs_a_newer_driver() {
    let image = include_bytes!("../data/no_kernels/tile.fatbin");
    let code = contents(image).unwrap();
    assert_eq!(spelled(image), ["Tile IR for sm_90"]);
    let on = |minor| code[0].runs_on(Sm(90), Some(CudaVersion { major: 13, minor }));
    assert_eq!(on(0), Err(Unfit::TileIr));
    assert_eq!(on(1), Ok(false));
    assert_eq!(code[0].runs_on(Sm(90), None), Ok(false));
    let members = fatbin::members(image).unwrap();
    assert_eq!(members[0].kind, fatbin::Kind::TileIr);
    let error = members[0].bytes().unwrap_err().to_string();
    assert!(error.contains("a member of a fat binary is Tile IR"), "{error}");
}

#[test]
fn the_reason_why_ptx_does_not_run() {
    let on_90 = |code: Code| code.runs_on(Sm(90), Some(CUDA_13));
    assert_eq!(on_90(ptx("9.0", "sm_75", ".address_size 64")), Ok(true));
    assert_eq!(on_90(ptx("9.0", "sm_75", "")), Ok(true));
    assert_eq!(on_90(ptx("9.1", "sm_75", "")), Err(Unfit::PtxVersion));
    assert_eq!(on_90(ptx("10.0", "sm_75", "")), Err(Unfit::PtxVersion));
    let narrow = ".address_size /* of old */ 32";
    assert_eq!(on_90(ptx("6.0", "sm_75", narrow)), Err(Unfit::AddressSize));
    assert_eq!(on_90(ptx("9.0", "sm_100", "")), Err(Unfit::Gpu));
    assert_eq!(on_90(ptx("9.0", "sm_90a, debug", "")), Ok(true));
    // The driver decides for targets that this crate does not know. The same applies to a driver newer than the table.
    assert_eq!(on_90(ptx("9.0", "sm_next", "")), Ok(false));
    let later = CudaVersion { major: 99, minor: 0 };
    let far = ptx("12.3", "sm_75", "");
    assert_eq!(far.runs_on(Sm(90), Some(later)), Ok(false));
    assert_eq!(far.runs_on(Sm(90), None), Ok(false));
}

/// A cubin and its PTX, and both again with an image that provides only debug information.
#[test]
fn images_are_read_as_one() {
    let alone = Image::read(SM_75).unwrap().kernels().unwrap();
    let both = Image::read(PTX).unwrap().with(Image::read(SM_75).unwrap());
    let both = both.kernels().unwrap();
    assert_eq!(alone.symbols().collect::<Vec<_>>(), both.symbols().collect::<Vec<_>>());
    for symbol in alone.symbols() {
        let (alone, both) = (alone.kernel(symbol, Some(Sm(75))).unwrap(), both.kernel(symbol, Some(Sm(75))).unwrap());
        assert_eq!(alone.records, both.records);
        assert!(alone.entry.is_none() && both.entry.is_some());
        for (alone, both) in alone.parameters().iter().zip(both.parameters()) {
            assert_eq!((alone.offset, alone.size), (both.offset, both.size), "{symbol}");
        }
    }
}

#[test]
#[cfg(feature = "debug-info")]
fn an_image_gets_its_names_from_a_debug_build() {
    const DEBUG: &[u8] = include_bytes!("../data/debug.ptx");
    let stripped = String::from_utf8_lossy(DEBUG);
    let stripped = &stripped[..stripped.find(".section").unwrap()];
    let names = |image: Image<'_>| -> Vec<String> {
        let kernels = image.kernels().unwrap();
        let kernel = kernels.kernel("scaled", None).unwrap();
        let parameters = kernel.parameters();
        parameters.iter().map(|p| p.name.to_owned()).collect()
    };
    let image = || Image::read(stripped.as_bytes()).unwrap();
    assert_eq!(names(image())[0], "scaled_param_0");
    let debug = Image::read(DEBUG).unwrap();
    assert_eq!(names(image().with(debug.clone())), names(debug));
}

fn any_code() -> impl Strategy<Value = (Code, Target, PtxVersion, bool)> {
    let features = prop_oneof![Just(Features::Baseline), Just(Features::Family), Just(Features::Architecture)];
    (50..130_u16, features, 6..11_u16, 0..10_u16, any::<bool>()).prop_map(|(sm, features, major, minor, narrow)| {
        let target = Target { sm: Sm(sm), features };
        let version = PtxVersion { major, minor };
        let rest = if narrow { ".address_size 32" } else { "" };
        let code = ptx(&version.to_string(), &target.to_string(), rest);
        (code, target, version, narrow)
    })
}

proptest! {
    /// PTX runs if its target, its version and its addresses permit it. Otherwise one of them is the reason.
    #[test]
    fn ptx_runs_where_all_three_rules_allow_it(
        (code, target, version, narrow) in any_code(),
        gpu in 50..130_u16,
        release in 0..RELEASES.len(),
    ) {
        let release = RELEASES[release];
        let compatibility = target.ptx_compiles_for(Sm(gpu));
        let runs = code.runs_on(Sm(gpu), Some(release.cuda));
        let is_new = version > release.ptx;
        let expected = match (narrow, is_new, compatibility) {
            (true, ..) => Err(Unfit::AddressSize),
            (.., image::Compatibility::No) => Err(Unfit::Gpu),
            (_, true, _) => Err(Unfit::PtxVersion),
            (.., image::Compatibility::Yes) => Ok(true),
            (.., image::Compatibility::Unknown) => Ok(false),
        };
        prop_assert_eq!(runs, expected);
        // The first release in the error accepts it.
        if let Some(first) = version.first_release() {
            prop_assert!(code.runs_on(Sm(gpu), Some(first.cuda)) != Err(Unfit::PtxVersion));
        }
    }

    #[test]
    fn any_bytes_have_contents_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0..3000_usize) {
        let _ = contents(&bytes);
        let _ = contents(&TARGETS[..cut.min(TARGETS.len())]);
    }
}
