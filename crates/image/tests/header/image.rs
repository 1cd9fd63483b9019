//! Headers for the debug information of an image.

use kernel_args_abi::Parameter;
use kernel_args_image::header::{Header, HeaderError, Item};
use kernel_args_image::{Image, Kernel};
use proptest::prelude::*;

const IMAGES: [&[u8]; 2] = [
    include_bytes!("../../../../tests/fuzz/seeds/debug_image/nvrtc.ptx"),
    include_bytes!("../../../../tests/fuzz/seeds/debug_image/nvrtc.sm_75.cubin"),
];

fn header_of(image: &[u8], leave_out: bool) -> Option<Result<String, HeaderError>> {
    let kernels = Image::read(image).and_then(|image| image.kernels()).ok()?;
    let mut symbols: Vec<&str> = kernels.symbols().collect();
    symbols.sort_unstable();
    let all: Vec<_> = symbols.iter().filter_map(|symbol| kernels.kernel(symbol, None)).collect();
    let parameters: Vec<Vec<Parameter<'_>>> = all.iter().map(Kernel::parameters).collect();
    let mut header = Header::new().forward_declare_pointees();
    for (kernel, parameters) in all.iter().zip(&parameters) {
        header = header.item(Item::kernel(kernel.name, parameters));
    }
    if leave_out {
        header = header.leave_out_kernels();
    }
    Some(header.write())
}

#[test]
fn a_header_is_written_from_debug_information() {
    for image in IMAGES {
        let error = header_of(image, false).expect("an image").expect_err("an instance of a template");
        assert!(error.to_string().contains("`sim::Pair<int>`"), "{error}");
        let text = header_of(image, true).expect("an image").expect("it is left out");
        for part in [
            "namespace sim {\n\nenum class Mode : short {\n    Off = -1,\n    On = 7,\n};\n",
            "struct Inner {\n    float4 color;\n    sim::Mode modes[2][3];\n    // 4 bytes of padding\n};\n",
            "// A union: its bytes.\nstruct Either {\n    unsigned char bytes[12];\n};\n",
            // The alignment of `Inner` is unknown, but its offset is known.
            "struct Params {\n    unsigned char first;\n    // 31 bytes of padding\n    alignas(32) Inner inner;\n    \
             Either either;\n    // 4 bytes of padding\n    Params const* next;\n    // 8 bytes of padding\n};\n\
             static_assert(sizeof(Params) == 96",
            "// Left out: sim::step.pairs: ",
            "// Left out: pair.pair: ",
            "\nextern \"C\" __global__ void by_value(Params params, sim::Mode mode, int n);\n",
        ] {
            assert!(text.contains(part), "{text}\nlacks\n{part}");
        }
        assert_eq!(text.matches("__global__").count(), 1);
        // PTX contains the alignment of a parameter, a cubin does not.
        let is_ptx = image.starts_with(b"//");
        assert_eq!(text.contains(" && alignof(Params) == 32"), is_ptx);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any debug information: an error, or a text with balanced brackets.
    #[test]
    fn broken_debug_information_is_an_error_or_a_header(
        which in 0..IMAGES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..24),
    ) {
        let mut image = IMAGES[which].to_vec();
        let debug = image.windows(11).rposition(|text| text == b".debug_info").unwrap_or(0);
        for (at, byte) in changes {
            // In PTX, change only digits of the section, so it stays a text.
            let start = if which == 0 { debug } else { 0 };
            let at = start + at.index(image.len() - start);
            if which == 1 {
                image[at] = byte;
            } else if image[at].is_ascii_digit() {
                image[at] = b'0' + byte % 10;
            }
        }
        for leave_out in [false, true] {
            match header_of(&image, leave_out) {
                Some(Ok(text)) => {
                    let code = || text.lines().filter(|line| !line.starts_with("//"));
                    let count = |c| code().map(|line| line.matches(c).count()).sum::<usize>();
                    prop_assert_eq!(count('{'), count('}'), "{}", text);
                    prop_assert_eq!(count('('), count(')'), "{}", text);
                }
                Some(Err(error)) => prop_assert!(error.to_string().contains("help: ")),
                None => {}
            }
        }
    }
}
