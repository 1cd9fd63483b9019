//! Arrays, texture objects and surface objects: `cuArray*`, `cuTexObject*`, `cuSurfObject*`.

use std::ffi::{c_int, c_uint, c_void};

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    execute::{Channel, Image, Objects, Sampling},
    handle::Handle,
    memory::Kind,
    state::Driver,
};

/// An array. Its texels are rows without gaps, in memory of their own.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) context: Handle,
    pub(crate) address: u64,
    shape: Shape,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Shape {
    /// Width, height, depth or number of layers, in texels.
    size: [usize; 3],
    format: Format,
    flags: c_uint,
}

/// `CUarray_format`, and the number of channels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Format(c_uint, c_uint);

/// `CUDA_ARRAY_DESCRIPTOR`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Shape2D {
    size: [usize; 2],
    format: Format,
}

/// `CUDA_ARRAY3D_LAYERED`, `CUDA_ARRAY3D_SURFACE_LDST`, `CUDA_ARRAY3D_TEXTURE_GATHER`.
const LAYERED: c_uint = 1;
const SURFACE: c_uint = 2;
const GATHER: c_uint = 8;

/// `CUDA_RESOURCE_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Resource {
    kind: c_uint,
    fields: [usize; 16],
    flags: c_uint,
}

/// `CUDA_TEXTURE_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Sampler {
    address: [c_uint; 3],
    filter: c_uint,
    flags: c_uint,
    anisotropy: c_uint,
    mipmap: [u32; 4],
    border: [f32; 4],
    reserved: [c_int; 12],
}

/// What a texture or surface object refers to.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) context: Handle,
    /// Null for memory that is not in an array.
    array: Handle,
    image: Image,
}

impl Format {
    /// Returns the bytes of a texel.
    fn bytes(self) -> Outcome<usize> {
        let channel = match self.0 {
            1 | 8 => 1,
            2 | 9 | 0x10 => 2,
            3 | 10 | 0x20 => 4,
            _ => return Err(Status::INVALID_VALUE),
        };
        if !matches!(self.1, 1 | 2 | 4) {
            return Err(Status::INVALID_VALUE);
        }
        Ok(channel * self.1 as usize)
    }

    /// Returns the memory at an address, with these sizes in texels.
    fn image(self, address: u64, size: [usize; 3], pitch: usize, sampling: Option<Sampling>) -> Image {
        let (channel, bits) = match self.0 {
            1 => (Channel::Unsigned, 8),
            2 => (Channel::Unsigned, 16),
            3 => (Channel::Unsigned, 32),
            8 => (Channel::Signed, 8),
            9 => (Channel::Signed, 16),
            10 => (Channel::Signed, 32),
            0x10 => (Channel::Float, 16),
            _ => (Channel::Float, 32),
        };
        Image { address, size, pitch, channel, bits, channels: self.1 as usize, sampling }
    }

    fn of(resource: usize) -> Self {
        Self(resource as c_uint, (resource >> 32) as c_uint)
    }
}

impl Array {
    fn image(&self, sampling: Option<Sampling>) -> Image {
        self.shape.format.image(self.address, self.shape.size, self.extent()[0], sampling)
    }

    /// Returns the bytes of a row, the rows of a slice, and the slices.
    pub(crate) fn extent(&self) -> [usize; 3] {
        let [width, height, depth] = self.shape.size;
        // The format was checked when the array was created.
        [width * self.shape.format.bytes().unwrap_or(0), height.max(1), depth.max(1)]
    }
}

/// Returns the largest width, height and depth or number of layers, as an H100 reports them.
fn largest(size: [usize; 3], flags: c_uint) -> [usize; 3] {
    match (size, flags & LAYERED != 0, flags & SURFACE != 0) {
        ([_, 0, _], true, _) => [32_768, 0, 2_048],
        (_, true, _) => [32_768, 32_768, 2_048],
        ([_, 0, 0], _, false) => [131_072, 0, 0],
        ([_, 0, 0], _, true) => [32_768, 0, 0],
        ([_, _, 0], ..) => [131_072, 65_536, 0],
        _ => [16_384; 3],
    }
}

/// Returns the attributes of a device that are limits of textures and surfaces.
pub(crate) fn attribute(attribute: c_uint) -> Option<u32> {
    Some(match attribute {
        14 => 512,
        51 => 32,
        21 | 22 | 56 | 70 => 131_072,
        23 | 57 => 65_536,
        24..=26 | 58..=60 => 16_384,
        27 | 28 | 42 | 55 | 61 | 63 | 64 => 32_768,
        29 | 43 | 62 | 65 => 2_048,
        69 => 1 << 28,
        71 => 65_000,
        72 => 2_097_120,
        _ => return None,
    })
}

impl Driver {
    fn create_array(&mut self, array: Out<Handle>, shape: Shape) -> Outcome {
        let context = self.healthy()?;
        let (texel, [width, height, depth]) = (shape.format.bytes()?, shape.size);
        let is_layered = shape.flags & LAYERED != 0;
        let limits = largest(shape.size, shape.flags);
        if width == 0
            || is_layered && depth == 0
            || !is_layered && height == 0 && depth > 0
            || shape.flags & !(LAYERED | SURFACE | GATHER) != 0
            || shape.size.iter().zip(limits).any(|(size, limit)| *size > limit)
        {
            return Err(Status::INVALID_VALUE);
        }
        let device = self.contexts.get(context)?.device;
        let length = texel * width * height.max(1) * depth.max(1);
        let address = self.memory.allocate(length, Kind::Array, context, device)?;
        array.set(self.arrays.insert(Array { context, address, shape }))
    }

    /// Returns the array of a resource, or null for other memory, and its texels.
    fn texture_source(&self, resource: &Resource, sampler: &Sampler) -> Outcome<(Handle, Image)> {
        let [first, format, third, height, pitch, ..] = resource.fields;
        let sampling = Some(sampler.sampling());
        let checked = |format: Format| sampler.check(format);
        let memory = |texels: usize, bytes: usize| {
            let is_wrong = !first.is_multiple_of(512) || texels == 0 || !self.memory.holds(first as u64, bytes);
            if is_wrong { Err(Status::INVALID_VALUE) } else { checked(Format::of(format)) }
        };
        let image = |size, pitch| Format::of(format).image(first as u64, size, pitch, sampling);
        match resource.kind {
            0 => {
                let array = self.arrays.get(Handle(first))?;
                checked(array.shape.format)?;
                Ok((Handle(first), array.image(sampling)))
            }
            2 => {
                let texels = third / Format::of(format).bytes()?;
                if texels > 1 << 28 {
                    return Err(Status::INVALID_VALUE);
                }
                memory(texels, third)?;
                Ok((Handle::NULL, image([texels, 0, 0], third)))
            }
            3 => {
                let row = third * Format::of(format).bytes()?;
                let is_wrong =
                    pitch % 32 != 0 || pitch < row || pitch > 2_097_120 || third > 131_072 || height > 65_000;
                if is_wrong || height == 0 {
                    return Err(Status::INVALID_VALUE);
                }
                memory(third, pitch * (height - 1) + row)?;
                Ok((Handle::NULL, image([third, height, 0], pitch)))
            }
            _ => Err(Status::NOT_SUPPORTED),
        }
    }
}

impl Driver {
    /// Returns the textures and surfaces that kernels can read.
    pub(crate) fn texel_objects(&self) -> Objects {
        let all = self.textures.iter().chain(self.surfaces.iter());
        Objects(all.map(|(handle, object)| (handle.0 as u64, object.image)).collect())
    }
}

impl Sampler {
    /// `CU_TRSF_READ_AS_INTEGER`, and all flags.
    const READ_AS_INTEGER: c_uint = 1;
    const ALL: c_uint = 0x73;

    fn sampling(&self) -> Sampling {
        Sampling {
            address: self.address,
            linear: self.filter == 1,
            as_integer: self.flags & Self::READ_AS_INTEGER != 0,
            normalized: self.flags & 2 != 0,
            srgb: self.flags & 0x10 != 0,
            border: self.border,
        }
    }

    fn check(&self, format: Format) -> Outcome {
        let is_float = matches!(format.0, 0x10 | 0x20);
        let is_integer = !is_float && (self.flags & Self::READ_AS_INTEGER != 0 || matches!(format.0, 3 | 10));
        if self.address.iter().any(|mode| *mode > 3)
            || self.filter > 1
            || self.filter == 1 && is_integer
            || self.flags & !Self::ALL != 0
            || self.reserved != [0; 12]
        {
            return Err(Status::INVALID_VALUE);
        }
        Ok(())
    }
}

entry_points! {
    fn cuArrayCreate_v2(driver, array: Out<Handle>, shape: In<Shape2D>) {
        let Shape2D { size: [width, height], format } = shape.get()?;
        driver.create_array(array, Shape { size: [width, height, 0], format, flags: 0 })
    }

    fn cuArray3DCreate_v2(driver, array: Out<Handle>, shape: In<Shape>) {
        driver.create_array(array, shape.get()?)
    }

    /// An array that an object refers to is not destroyed.
    fn cuArrayDestroy(driver, array: Handle) {
        let mut objects = driver.textures.iter().chain(driver.surfaces.iter());
        if objects.any(|(_, object)| object.array == array) {
            return Err(Status::INVALID_VALUE);
        }
        let removed = driver.arrays.remove(array)?;
        driver.memory.free(removed.address, &[Kind::Array])?;
        driver.check(removed.context)
    }

    fn cuTexObjectCreate(driver, texture: Out<Handle>, resource: In<Resource>, sampler: In<Sampler>, view: In<c_void>) {
        let context = driver.healthy()?;
        let resource = resource.get()?;
        if resource.flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        if !view.is_null() {
            return Err(Status::NOT_SUPPORTED);
        }
        let (array, image) = driver.texture_source(&resource, &sampler.get()?)?;
        texture.set(driver.textures.insert(Object { context, array, image }))
    }

    fn cuTexObjectDestroy(driver, texture: Handle) {
        driver.textures.remove(texture).map(drop)
    }

    fn cuSurfObjectCreate(driver, surface: Out<Handle>, resource: In<Resource>) {
        let context = driver.healthy()?;
        let Resource { kind, fields: [array, ..], flags } = resource.get()?;
        let array = Handle(array);
        let held = driver.arrays.get(array)?;
        if kind != 0 || flags != 0 || held.shape.flags & SURFACE == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let image = held.image(None);
        surface.set(driver.surfaces.insert(Object { context, array, image }))
    }

    fn cuSurfObjectDestroy(driver, surface: Handle) {
        driver.surfaces.remove(surface).map(drop)
    }
}
