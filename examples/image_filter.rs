//! Filters of an image: textures and surfaces. A blur reads a texture between its pixels and writes a surface, and a
//! second kernel finds the edges in the blurred image.
//!
//! The argument is the name of a picture of the three images; the default is `image_filter.png`. Without a GPU it does
//! nothing.

#![expect(
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "places and colors are small numbers"
)]

use cudarc::driver::{CudaContext, CudaSlice};
use kernel_args::{
    Kernel, KernelArgs, Module, launch,
    texture::{Array, FilterMode, ReadMode, Surface, Texture, TextureOptions},
    vector::UChar4,
};
use std::{env, error::Error, fs::File, sync::Arc};

const PTX: &str = include_str!("../ptx/image_filter.ptx");
const WIDTH: usize = 240;
const HEIGHT: usize = 180;

/// `__global__ void blur(cudaTextureObject_t image, cudaSurfaceObject_t out, int width, int height)`
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/image_filter.ptx", entry = "blur")]
struct Blur<'a> {
    image: &'a Texture,
    out: &'a Surface,
    width: i32,
    height: i32,
}

/// `__global__ void edges(cudaTextureObject_t image, uchar4* out, int width, int height)`
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/image_filter.ptx", entry = "edges")]
struct Edges<'a> {
    image: &'a Texture,
    out: &'a mut CudaSlice<UChar4>,
    width: i32,
    height: i32,
}

type Image = Vec<UChar4>;

fn main() -> Result<(), Box<dyn Error>> {
    let ctx = kernel_args_examples::context()?;
    let before = drawing();
    let (blurred, edges) = filtered(&ctx, &before)?;
    compare("blur", &blurred, &blur_on_host(&before))?;
    compare("edges", &edges, &edges_on_host(&blurred))?;
    let name = env::args().nth(1).unwrap_or_else(|| "image_filter.png".into());
    write(&name, &[&before, &blurred, &edges])?;
    println!("{name}: an image of {WIDTH} x {HEIGHT} pixels, blurred, and its edges");
    Ok(())
}

fn filtered(ctx: &Arc<CudaContext>, before: &[UChar4]) -> Result<(Image, Image), Box<dyn Error>> {
    let stream = ctx.new_stream()?;
    let module = Module::load(ctx, PTX)?;
    let (blur, edges): (Kernel<Blur>, Kernel<Edges>) = (module.kernel("blur")?, module.kernel("edges")?);

    // Kernels read bytes as floats from 0 to 1, and between the pixels their mean. Outside of the image they read the
    // nearest pixel.
    let options = TextureOptions::new().filter(FilterMode::Linear).read(ReadMode::NormalizedFloat);
    let image = Array::new(ctx, [WIDTH, HEIGHT])?;
    image.write(&stream, before)?;
    let image = Texture::new(&image, &options)?;
    let blurred = Array::for_surfaces(ctx, [WIDTH, HEIGHT])?;
    let out = Surface::new(&blurred)?;

    let (width, height) = (WIDTH as i32, HEIGHT as i32);
    let (grid, block) = ((WIDTH.div_ceil(16) as u32, HEIGHT.div_ceil(16) as u32), (16, 16));
    let args = Blur { image: &image, out: &out, width, height };
    // SAFETY: the kernel writes the `width * height` texels of the surface.
    unsafe { launch!(blur, grid, block, args, stream = &stream)? };

    let image = Texture::new(&blurred, &options)?;
    let mut found = stream.alloc_zeros(WIDTH * HEIGHT)?;
    let args = Edges { image: &image, out: &mut found, width, height };
    // SAFETY: `found` has `width * height` elements.
    unsafe { launch!(edges, grid, block, args, stream = &stream)? };
    Ok((blurred.read(&stream)?, stream.clone_dtoh(&found)?))
}

/// Hills in front of a sun.
fn drawing() -> Image {
    let pixel = |i: usize| {
        let (x, y) = ((i % WIDTH) as f32, (i / WIDTH) as f32);
        let hill = |height: f32, period: f32| HEIGHT as f32 - height - 14.0 * (x / period).sin();
        let sun = (x - 165.0).hypot(y - 60.0);
        let [red, green, blue] = match () {
            () if y > hill(35.0, 23.0) => [38.0, 70.0, 60.0],
            () if y > hill(70.0, 31.0) => [70.0, 120.0, 90.0],
            () if sun < 34.0 => [250.0, 200.0, 70.0],
            () if sun < 40.0 && y as u32 % 4 < 2 => [250.0, 150.0, 60.0],
            () => [230.0 - 0.6 * y, 150.0 - 0.2 * y, 120.0 + 0.6 * y],
        };
        UChar4::new(red as u8, green as u8, blue as u8, 255)
    };
    (0..WIDTH * HEIGHT).map(pixel).collect()
}

/// The red, green and blue of the nearest pixel.
fn nearest(image: &[UChar4], x: i32, y: i32) -> [f32; 3] {
    let (x, y) = (x.clamp(0, WIDTH as i32 - 1), y.clamp(0, HEIGHT as i32 - 1));
    let pixel = image[y as usize * WIDTH + x as usize];
    [pixel.x, pixel.y, pixel.z].map(f32::from)
}

fn on_host(pixel: impl Fn(i32, i32) -> [f32; 3]) -> Image {
    let places = (0..HEIGHT as i32).flat_map(|y| (0..WIDTH as i32).map(move |x| (x, y)));
    places
        .map(|(x, y)| pixel(x, y).map(|color| (color + 0.5) as u8))
        .map(|[r, g, b]| UChar4::new(r, g, b, 255))
        .collect()
}

/// The mean of 6 x 6 pixels.
fn blur_on_host(image: &[UChar4]) -> Image {
    on_host(|x, y| {
        let mut sum = [0.0; 3];
        for (row, column) in (-2..4).flat_map(|row| (-2..4).map(move |column| (row, column))) {
            let color = nearest(image, x + column, y + row);
            sum = std::array::from_fn(|i| sum[i] + color[i]);
        }
        sum.map(|color| color / 36.0)
    })
}

fn edges_on_host(image: &[UChar4]) -> Image {
    let brightness = |x, y| {
        let [red, green, blue] = nearest(image, x, y);
        0.299 * red + 0.587 * green + 0.114 * blue
    };
    on_host(|x, y| {
        let (mut across, mut down) = (0.0, 0.0);
        for (i, weight) in [(-1, 1.0), (0, 2.0), (1, 1.0)] {
            across += weight * (brightness(x + 1, y + i) - brightness(x - 1, y + i));
            down += weight * (brightness(x + i, y + 1) - brightness(x + i, y - 1));
        }
        [f32::hypot(across, down).min(255.0); 3]
    })
}

/// The device may round differently.
fn compare(filter: &str, found: &[UChar4], expected: &[UChar4]) -> Result<(), String> {
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let pairs = [(found.x, expected.x), (found.y, expected.y), (found.z, expected.z), (found.w, expected.w)];
        if pairs.iter().any(|(found, expected)| found.abs_diff(*expected) > 1) {
            let (x, y) = (i % WIDTH, i / WIDTH);
            return Err(format!("{filter}: the pixel ({x}, {y}) is {found:?} instead of {expected:?}"));
        }
    }
    Ok(())
}

/// Writes the images next to each other.
fn write(name: &str, images: &[&Image]) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(File::create(name)?, (WIDTH * images.len()) as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgb);
    let rows = (0..HEIGHT).flat_map(|y| images.iter().flat_map(move |image| &image[y * WIDTH..][..WIDTH]));
    let bytes: Vec<u8> = rows.flat_map(|pixel| [pixel.x, pixel.y, pixel.z]).collect();
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(())
}
