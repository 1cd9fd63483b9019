//! The pictures of the guide, drawn from what the library returns. `KERNEL_ARGS_BLESS=1` writes them.

mod svg;

use cudarc::driver::CudaSlice;
use kernel_args::{
    DevicePointerMut, Kernel, KernelArgs,
    abi::Signature,
    launch,
    sequence::{RunMode, Sequence},
};
use kernel_args_abi::check::{Report, report};
use kernel_args_image::Image;
use kernel_args_stand_in::{Control, Settings, within};
use std::{collections::BTreeMap, env, fs, path::Path};
use svg::{COLUMNS, LINE, Look, Picture, WIDTH};

const SAXPY: &str = include_str!("../../../../ptx/saxpy.ptx");

/// The distance between two boxes in a column, and their height.
const ROW: usize = 28;
const BOX: usize = 22;

#[derive(KernelArgs)]
struct Saxpy<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

/// A struct with a mistake, compared with its kernel.
fn comparison() -> Picture {
    #[derive(KernelArgs)]
    struct Saxpy<'a> {
        n: u32,
        alpha: f64,
        x: &'a CudaSlice<f32>,
        y: &'a mut CudaSlice<f32>,
    }

    let kernels = Image::read(SAXPY.as_bytes()).expect("an image").kernels().expect("kernels");
    let kernel = kernels.kernel("saxpy", None).expect("the kernel");
    let parameters = kernel.parameters();
    let found: Report<'_> = report(&Saxpy::SIGNATURE, &Signature { name: "saxpy", parameters: &parameters });
    let mismatch = *found.mismatches().first().expect("a mistake");
    let message = found.message(mismatch);

    let mut picture = Picture::new("A struct compared with its kernel: one parameter has another size and type");
    let (width, right) = (207, WIDTH - 207);
    picture.text(0, 14, "struct Saxpy<'a>");
    picture.text(width + 18, 14, "bytes");
    picture.text(right, 14, ".entry saxpy");
    for (index, (field, parameter)) in Saxpy::PARAMETERS.iter().zip(&parameters).enumerate() {
        let is_wrong = message.as_str().starts_with(&format!("`{}`", field.name));
        let (look, sign) = if is_wrong { (Look::Wrong, '≠') } else { (Look::Plain, '=') };
        let top = 24 + index * ROW;
        picture.boxed((0, top), (width, BOX), look, &format!("{}: {}", field.name, field.spelling));
        picture.text(width + 14, top + 16, &format!("{} {sign} {}", field.size, parameter.size));
        picture.boxed((right, top), (width, BOX), look, parameter.spelling);
    }
    let top = 32 + parameters.len() * ROW;
    let text = format!("error: {}", message.as_str());
    let lines: Vec<String> = text.lines().flat_map(|line| wrapped(line.trim_end(), COLUMNS - 2)).collect();
    picture.boxed((0, top), (WIDTH, lines.len() * LINE + 10), Look::Wrong, "");
    for (index, line) in lines.iter().enumerate() {
        picture.text(6, top + 18 + index * LINE, line);
    }
    picture
}

/// The line in parts of at most `most` characters, which begin with its indentation.
fn wrapped(line: &str, most: usize) -> Vec<String> {
    let indentation = &line[..line.len() - line.trim_start().len()];
    let (mut lines, mut rest) = (Vec::new(), line.trim_start());
    while indentation.len() + rest.chars().count() > most {
        let end = rest.char_indices().map(|(at, _)| at).nth(most - indentation.len()).expect("the line is longer");
        let space = rest[..end].rfind(' ').expect("words are shorter than a line");
        lines.push(format!("{indentation}{}", &rest[..space]));
        rest = &rest[space + 1..];
    }
    lines.push(format!("{indentation}{rest}"));
    lines
}

/// The bytes of a struct's parameters, and the two forms in which a launch passes them.
fn forms() -> Picture {
    #[derive(KernelArgs)]
    struct Scale {
        n: u32,
        y: DevicePointerMut<f32>,
        factor: f32,
    }

    let scale = || Scale { n: 1024, y: DevicePointerMut::from_raw(0x7f10_c000_0000), factor: 2.0 };
    let block = scale().with_packed(<[u8]>::to_vec);
    let count = scale().with_kernel_params(|pointers| {
        for (parameter, pointer) in Scale::PARAMETERS.iter().zip(&*pointers) {
            let offset = parameter.offset.expect("a field has an offset");
            // SAFETY: the pointer is to a parameter of this size, which is initialized, and valid in this closure.
            let value = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), parameter.size) };
            assert_eq!(value, &block[offset..offset + parameter.size]);
        }
        pointers.len()
    });

    let mut picture = Picture::new("The bytes of three parameters: as an array of pointers, and as one packed buffer");
    let (left, width) = (108, 296);
    picture.text(0, 14, "kernelParams");
    picture.text(left, 14, "byte  parameter block");
    picture.text(left + width + 16, 14, "packed");
    let (mut end, mut row) = (0, 0);
    let mut add = |picture: &mut Picture, look, start: usize, end: usize, name: &str| {
        let bytes: Vec<String> = block[start..end].iter().map(|byte| format!("{byte:02x}")).collect();
        let top = 24 + row * ROW;
        picture.boxed((left, top), (width, BOX), look, &format!("{start:>3}  {name:<7} {}", bytes.join(" ")));
        row += 1;
        top
    };
    for (index, parameter) in Scale::PARAMETERS.iter().enumerate() {
        let start = parameter.offset.expect("a field has an offset");
        if start > end {
            add(&mut picture, Look::Dashed, end, start, "padding");
        }
        end = start + parameter.size;
        let top = add(&mut picture, Look::Plain, start, end, parameter.name);
        picture.boxed((0, top), (44, BOX), Look::New, &format!("[{index}]"));
        picture.path(format_args!("M44 {} H{} m-6 -4 l6 4 l-6 4", top + 11, left - 2));
    }
    assert_eq!((end, count), (block.len(), Scale::PARAMETERS.len()));
    let bottom = 24 + row * ROW + BOX - ROW;
    let x = left + width;
    picture.path(format_args!("M{} 24 h8 V{bottom} h-8", x + 4));
    let middle = usize::midpoint(24, bottom);
    picture.text(x + 20, middle, &format!("{end}"));
    picture.text(x + 20, middle + LINE, "bytes");
    picture.text(0, bottom + 26, &format!("kernelParams: {count} pointers, one to each value"));
    picture.text(0, bottom + 26 + LINE, &format!("packed: one pointer, and the size {end}"));
    picture
}

/// What the runs of a sequence create and update.
fn runs(driver: &Control) -> Picture {
    const SET: &str = "cuGraphExecKernelNodeSetParams_v2";
    /// The factor of each launch, for each run.
    const RUNS: [&[u8]; 5] = [&[1, 2, 3], &[1, 2, 3], &[1, 5, 3], &[1, 5, 3, 4], &[1, 5, 6]];
    const N: usize = 1024;

    let ctx = kernel_args::context(0).expect("a context");
    let stream = ctx.new_stream().expect("a stream");
    let saxpy = Kernel::<Saxpy>::from_image(&ctx, SAXPY, "saxpy").expect("the kernel");
    let x = stream.clone_htod(&[1.0_f32; N]).expect("a slice");
    let mut y = stream.alloc_zeros::<f32>(N).expect("a slice");

    let mut picture = Picture::new("Five runs of a sequence: the nodes that each run creates and updates");
    let mut graphs = BTreeMap::<usize, &[u8]>::new();
    let mut step = Sequence::new(&stream);
    let most = RUNS.iter().map(|factors| factors.len()).max().unwrap_or_default();
    for (run, factors) in RUNS.into_iter().enumerate() {
        let (calls, launches) = (driver.calls(SET), driver.calls("cuGraphLaunch"));
        step.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            for &factor in factors {
                let args = Saxpy { n: 1024, alpha: f32::from(factor), x, y: &mut y };
                // SAFETY: both slices have `n` elements.
                unsafe { launch!(saxpy, 4, 256, args, stream = s)? };
            }
            Ok(())
        })
        .expect("the run works");
        let (calls, launches) = (driver.calls(SET) - calls, driver.calls("cuGraphLaunch") - launches);
        assert_eq!(launches, 1);

        let left = run * 97;
        picture.text(left, 14, &format!("run {}", run + 1));
        let (mode, before) = (step.mode(), graphs.insert(factors.len(), factors));
        let mut updated = 0;
        for (index, factor) in factors.iter().enumerate() {
            let look = match before {
                None => Look::New,
                Some(before) if before[index] != *factor => Look::Changed,
                Some(_) => Look::Plain,
            };
            updated += usize::from(look == Look::Changed);
            picture.boxed((left, 24 + index * ROW), (88, BOX), look, &format!("alpha {:?}", f32::from(*factor)));
        }
        let expected = if before.is_none() { RunMode::Built } else { RunMode::Updated(updated) };
        assert_eq!((&expected, updated as u64), (mode, calls));
        picture.text(left, 40 + most * ROW, &format!("{mode:?}"));
    }
    let top = 56 + most * ROW;
    for (x, look, text) in
        [(0, Look::New, "a new node"), (150, Look::Changed, "an update"), (300, Look::Plain, "unchanged")]
    {
        picture.boxed((x, top), (BOX, BOX), look, "");
        picture.text(x + BOX + 8, top + 16, text);
    }
    picture
}

/// The numbers of a row of a table, after its first column.
fn measured(file: &str, row: &str) -> Vec<usize> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text = fs::read_to_string(&place).expect("the document");
    let rows = text.lines().filter(|line| line.starts_with(&format!("| {row} |")));
    let numbers = |line: &str| line.split('|').skip(2).map_while(|cell| cell.trim().parse().ok()).collect();
    rows.map(numbers).find(|numbers: &Vec<usize>| !numbers.is_empty()).expect("a row with numbers")
}

/// What a launch and a token cost.
fn numbers() -> Picture {
    const BENCHES: &str = "tests/benches/README.md";
    const DECODER: &str = "examples/decoder/README.md";
    let (own, cpp) = (measured(BENCHES, "**kernel-args, `launch!`**"), measured(BENCHES, "CUDA C++, `<<<>>>`"));
    let token = |mode| measured(DECODER, &format!("`{mode}`"))[0];
    let mut picture = Picture::new("The time of a launch, and tokens per second of an example");
    let mut top = 14;
    for (title, unit, rows) in [
        ("a launch of 8 parameters", "ns", [("kernel-args", own[0]), ("C++ <<<>>>", cpp[0])]),
        ("a launch of 512 parameters", "ns", [("kernel-args", own[3]), ("C++ <<<>>>", cpp[3])]),
        ("a decoder", "tokens/s", [("in segments", token("segments")), ("launches", token("plain"))]),
    ] {
        let largest = rows[0].1.max(rows[1].1);
        picture.text(0, top, title);
        for (index, (name, value)) in rows.into_iter().enumerate() {
            let look = if index == 0 { Look::New } else { Look::Plain };
            let y = top + 8 + index * ROW;
            picture.text(0, y + 16, name);
            picture.boxed((96, y), (250 * value / largest, BOX), look, "");
            picture.text(96 + 250 * value / largest + 8, y + 16, &format!("{value} {unit}"));
        }
        top += 2 * ROW + 30;
    }
    picture
}

/// Pages outside of the documentation have no colours that a picture can take.
fn on_white(picture: &Picture) -> String {
    let text = picture.to_string().replace("currentColor", "#1f2328");
    text.replacen("</title>", "</title>\n<rect x=\"-1\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>", 1)
}

#[test]
fn the_guide_shows_what_the_library_returns() {
    within(&Settings::new(), |driver| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel-args/guide/pictures");
        let pictures = [
            ("comparison.svg", comparison().to_string()),
            ("comparison.page.svg", on_white(&comparison())),
            ("numbers.svg", on_white(&numbers())),
            ("forms.svg", forms().to_string()),
            ("runs.svg", runs(driver).to_string()),
        ];
        for (name, drawn) in pictures {
            let place = folder.join(name);
            if env::var_os("KERNEL_ARGS_BLESS").is_some_and(|value| value == "1") {
                fs::write(&place, &drawn).expect("the picture is written");
            }
            let kept = fs::read_to_string(&place).unwrap_or_default();
            assert!(kept == drawn, "{}: draw it again: guide/pictures/draw.sh", place.display());
        }
    });
}
