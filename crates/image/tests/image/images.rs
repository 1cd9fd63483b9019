//! Cubins and fat binaries that nvcc 13.0 built from `data/kernels.cu`, and the errors for broken ones.

use kernel_args_abi::{Alignment, Class, Sm};
use kernel_args_image::{
    Directives, Image,
    cubin::{self, Cubin},
    fatbin::{self, Compression, Kind},
    mangled::Demangled,
    ptx::{Module, Pointee, Space},
};

const SM_75: &[u8] = include_bytes!("../data/kernels.sm_75.cubin");
const SM_100: &[u8] = include_bytes!("../data/kernels.sm_100.cubin");
const LARGE: &[u8] = include_bytes!("../data/large.sm_90.cubin");
const TILE: &[u8] = include_bytes!("../data/tile.sm_90.cubin");
const PTX: &[u8] = include_bytes!("../data/kernels.ptx");
const FATBINS: [(&[u8], Compression, Compression); 3] = [
    (include_bytes!("../data/one.none.fatbin"), Compression::None, Compression::None),
    (include_bytes!("../data/one.speed.fatbin"), Compression::Lz4, Compression::None),
    (include_bytes!("../data/one.size.fatbin"), Compression::Zstd, Compression::Zstd),
];

/// Offset and size of each parameter.
fn records(cubin: &Cubin<'_>, symbol: &str) -> Vec<(usize, usize)> {
    let kernel = cubin.kernel(symbol).unwrap_or_else(|| panic!("{symbol}"));
    kernel.parameters.iter().map(|p| (p.offset, p.size)).collect()
}

/// ptxas records the same directives as the PTX.
#[test]
fn directives_of_clusters_are_read_from_a_cubin() {
    let (ptx, cubin) = (include_bytes!("../data/clusters.ptx"), include_bytes!("../data/clusters.sm_90.cubin"));
    let ptx = Module::read(ptx).unwrap();
    let cubin = cubin::parse(cubin).unwrap();
    assert_eq!((ptx.entries().len(), cubin.kernels.len()), (8, 8));
    for entry in ptx.entries() {
        let recorded = cubin.kernel(entry.name).unwrap().directives;
        let completed = recorded.completed_by(entry.directives);
        assert_eq!(completed, entry.directives, "{}", entry.name);
        let plain = entry.name == "plain";
        assert_eq!(recorded == Directives::default(), plain, "{}", entry.name);
    }
}

/// The cubin runs; only PTX contains `.minnctapersm`.
/// Whatever number of threads the compiler has selected, a launch of a kernel of CUDA Tile has blocks of one thread.
#[test]
fn a_tile_kernel_has_blocks_of_one_thread() {
    let cubin = cubin::parse(TILE).unwrap();
    assert_eq!(records(&cubin, "add"), [(0, 8), (8, 4), (12, 4)]);
    let directives = cubin.kernel("add").unwrap().directives;
    assert!(directives.tile);
    assert_eq!(directives.required_threads, Some([1, 1, 1]));
    for other in [SM_75, SM_100, LARGE] {
        let cubin = cubin::parse(other).unwrap();
        assert!(cubin.kernels.iter().all(|kernel| !kernel.directives.tile));
    }
}

#[test]
fn a_kernel_has_the_directives_of_the_cubin_that_runs() {
    let text = include_str!("../data/clusters.ptx").replace("maxclusterrank 12", "maxclusterrank 6");
    let cubin = include_bytes!("../data/clusters.sm_90.cubin");
    let image = Image::read(text.as_bytes()).unwrap();
    let kernels = image.with(Image::read(cubin).unwrap()).kernels().unwrap();
    let directives = |sm| {
        let kernel = kernels.kernel("rank_12", Some(Sm(sm))).unwrap();
        let directives = kernel.directives();
        (directives.max_cluster_rank, directives.min_blocks)
    };
    assert_eq!(directives(90), (Some(12), Some(2)));
    assert_eq!(directives(100), (Some(6), Some(2)));
}

#[test]
fn records_of_cubins_are_read() {
    let step = "_ZN3sim4stepENS_6ParamsEhNS_4LineEPi";
    // `Line` is aligned to 64: its offset depends on the GPU.
    for (bytes, sm, line) in [(SM_75, 75, 32), (SM_100, 100, 64)] {
        let cubin = cubin::parse(bytes).unwrap();
        assert_eq!(cubin.sm, Sm(sm));
        let mut names: Vec<_> = cubin.kernels.iter().map(|kernel| &*kernel.name).collect();
        names.sort_unstable();
        let expected = ["_Z4fillIfLi4EEvPT_S0_", step, "_Z5saxpyifPKfPf", "nothing", "plain"];
        assert_eq!(names, [expected[0], expected[2], expected[1], expected[3], expected[4]]);
        assert_eq!(records(&cubin, "_Z5saxpyifPKfPf"), [(0, 4), (4, 4), (8, 8), (16, 8)]);
        assert_eq!(records(&cubin, "nothing"), []);
        assert_eq!(records(&cubin, "plain"), [(0, 1), (16, 16), (32, 8)]);
        assert_eq!(records(&cubin, step), [(0, 16), (16, 1), (line, 64), (line + 64, 8)]);
        let size = |symbol| cubin.kernel(symbol).unwrap().size;
        assert_eq!((size("nothing"), size("plain"), size(step)), (0, 40, line + 72));
        assert_eq!(cubin.kernel("plain").unwrap().directives.max_threads, Some([128, 1, 1]));
        let nothing = cubin.kernel("nothing").unwrap();
        assert_eq!(nothing.directives, Directives::default());
    }
}

#[test]
fn pointers_are_read_if_the_cubin_contains_them() {
    let cubin = cubin::parse(SM_100).unwrap();
    let saxpy = cubin.kernel("_Z5saxpyifPKfPf").unwrap();
    let pointee = Pointee { space: Space::Generic, align: None };
    let pointees: Vec<_> = saxpy.parameters.iter().map(|p| p.pointee).collect();
    assert_eq!(pointees, [None, None, Some(pointee), Some(pointee)]);
    let demangled = Demangled::new(&saxpy.name);
    let parameters = saxpy.signature_parameters(demangled.as_ref());
    let seen: Vec<_> = parameters.iter().map(|p| (p.class, p.cpp.to_string())).collect();
    let expected = [
        (Class::Unknown, "int"),
        (Class::Unknown, "float"),
        (Class::Pointer, "float const*"),
        (Class::Pointer, "float*"),
    ];
    assert_eq!(seen, expected.map(|(class, cpp)| (class, cpp.to_string())));
}

#[test]
fn records_of_large_blocks_are_read() {
    let cubin = cubin::parse(LARGE).unwrap();
    assert_eq!(cubin.sm, Sm(90));
    let symbol = "_Z5large3BigbPi";
    assert_eq!(records(&cubin, symbol), [(0, 4360), (4360, 1), (4368, 8)]);
    assert_eq!(cubin.kernel(symbol).unwrap().size, 4376);
}

#[test]
fn the_sm_version_is_where_older_toolkits_put_it() {
    let mut bytes = SM_75.to_vec();
    bytes[7] = 0x33; // OSABI
    bytes[48..52].copy_from_slice(&0x0056_0556_u32.to_le_bytes()); // e_flags of an sm_86 cubin of CUDA 12
    assert_eq!(cubin::parse(&bytes).unwrap().sm, Sm(0x56));
}

#[test]
fn a_cubin_is_read_at_any_address() {
    let mut buffer = vec![0; SM_75.len() + 8];
    for shift in 0..8 {
        buffer[shift..shift + SM_75.len()].copy_from_slice(SM_75);
        let cubin = cubin::parse(&buffer[shift..shift + SM_75.len()]).unwrap();
        assert_eq!(cubin.kernels.len(), 5);
    }
}

#[test]
fn members_of_fat_binaries_are_read_in_every_compression() {
    let mut cubins = Vec::new();
    let mut texts = Vec::new();
    for (bytes, of_ptx, of_elf) in FATBINS {
        let members = fatbin::members(bytes).unwrap();
        let seen: Vec<_> = members.iter().map(|m| (m.kind, m.sm, m.compression)).collect();
        assert_eq!(seen, [(Kind::Elf, Sm(75), of_elf), (Kind::Ptx, Sm(75), of_ptx)]);
        cubins.push(members[0].bytes().unwrap());
        texts.push(members[1].bytes().unwrap());
    }
    for (cubin, text) in cubins.iter().zip(&texts) {
        assert_eq!(records(&cubin::parse(cubin).unwrap(), "plain"), [(0, 1), (16, 16), (32, 8)]);
        let module = Module::read(text).unwrap();
        assert_eq!(module.entries()[0].directives.max_threads, Some([128, 1, 1]));
        assert_eq!(text.trim_ascii_end_nul(), texts[0].trim_ascii_end_nul());
    }
}

/// The text without trailing NULs.
trait TrimNul {
    fn trim_ascii_end_nul(&self) -> &[u8];
}

impl TrimNul for [u8] {
    fn trim_ascii_end_nul(&self) -> &[u8] {
        let end = self.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
        &self[..end]
    }
}

#[test]
fn containers_that_follow_each_other_are_one() {
    let mut bytes = FATBINS[0].0.to_vec();
    bytes.extend([0; 4]);
    bytes.extend(FATBINS[2].0);
    bytes.extend(b"what follows");
    assert_eq!(fatbin::members(&bytes).unwrap().len(), 4);
}

#[test]
fn an_image_of_any_kind_gives_the_same_kernel() {
    let plain = |bytes: &[u8]| {
        let image = Image::read(bytes).unwrap();
        let kernels = image.kernels().unwrap();
        let kernel = kernels.kernel("plain", Some(Sm(75))).unwrap();
        let parameters = kernel.parameters();
        let seen = parameters.iter();
        seen.map(|p| (p.offset, p.size, p.align.map(Alignment::bytes), p.class)).collect::<Vec<_>>()
    };
    let ptx = [(1, 1, Class::Integer), (16, 16, Class::Bytes), (8, 8, Class::Integer)];
    let offsets = [0, 16, 32];
    assert_eq!(plain(PTX), ptx.map(|(size, align, class)| (None, size, Some(align), class)));
    let sizes = ptx.map(|(size, ..)| size);
    let expected: Vec<_> =
        offsets.iter().zip(sizes).map(|(&at, size)| (Some(at), size, None, Class::Unknown)).collect();
    assert_eq!(plain(SM_75), expected);
    for (bytes, ..) in FATBINS {
        let expected = offsets.iter().zip(ptx);
        let expected = expected.map(|(&at, (size, align, class))| (Some(at), size, Some(align), class));
        assert_eq!(plain(bytes), expected.collect::<Vec<_>>());
    }
}

#[test]
fn types_come_from_the_symbol_in_every_format() {
    for bytes in [PTX, SM_75, SM_100] {
        let image = Image::read(bytes).unwrap();
        let kernels = image.kernels().unwrap();
        assert_eq!(kernels.symbols().count(), 5);
        let kernel = kernels.kernel("_ZN3sim4stepENS_6ParamsEhNS_4LineEPi", None).unwrap();
        let types: Vec<_> = kernel.parameters().iter().map(|p| p.cpp.to_string()).collect();
        assert_eq!(types, ["sim::Params", "unsigned char", "sim::Line", "int*"]);
        assert!(kernels.kernel("step", None).is_none());
    }
}

#[test]
fn a_cubin_of_another_generation_is_not_used() {
    let image = Image::read(SM_75).unwrap();
    let kernels = image.kernels().unwrap();
    assert!(kernels.kernel("plain", Some(Sm(75))).is_some());
    assert!(kernels.kernel("plain", Some(Sm(80))).is_none());
}
