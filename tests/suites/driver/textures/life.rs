//! When arrays, textures and surfaces are destroyed.

use super::{HEIGHT, Outcome, PTX, WIDTH, World, compare};
use cudarc::driver::CudaSlice;
use kernel_args::{
    DevicePointerMut, KernelArgs, Launch, Module, Retained, SurfaceObject, TextureObject,
    args::Form,
    context::{ContextFlags, create_context},
    graph::Graph,
    launch,
    texture::{Array, ReadMode, Surface, Texture, TextureOptions},
    vector::Int3,
};
use kernel_args_stand_in::{Control, LiveObjects};
use kernel_args_tests::driver::{context, device, trial, trial_unless};
use libtest_mimic::Trial;
use std::sync::Arc;

const TEXELS: usize = WIDTH * HEIGHT;

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/textures.ptx", entry = "brighten")]
struct Brighten {
    image: Surface,
    width: i32,
    height: i32,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/textures.ptx", entry = "copy_texels")]
struct CopyTexels {
    image: Texture,
    out: Retained<DevicePointerMut<f32>>,
    width: i32,
    height: i32,
}

pub(super) fn trials() -> Vec<Trial> {
    let missing = Control::attach().is_none().then_some("only the test driver counts objects");
    vec![
        trial_unless(missing, "objects_end_with_their_last_owner", last_owner),
        trial_unless(missing, "an_object_in_use_is_not_destroyed", in_use),
        trial_unless(missing, "kernels_receive_the_objects", arguments),
        trial("a_graph_retains_its_textures", graph),
        trial_unless(missing, "a_reset_has_destroyed_them", reset),
        trial("another_thread_drops_them", threads),
        trial("an_own_context", own_context),
    ]
}

fn live() -> LiveObjects {
    Control::attach().map(|driver| driver.live()).unwrap_or_default()
}

/// Arrays, textures and surfaces.
fn counts() -> (u64, u64, u64) {
    let LiveObjects { arrays, textures, surfaces, .. } = live();
    (arrays, textures, surfaces)
}

fn last_owner() -> Outcome {
    let ctx = context()?;
    let stream = ctx.default_stream();
    drop(Array::<f32>::new(&ctx, 8)?);
    let before = live();
    let array = Array::<f32>::for_surfaces(&ctx, [WIDTH, HEIGHT])?;
    let surface = Surface::new(&array)?;
    let texture = Texture::new(&array, &TextureOptions::new())?;
    assert_eq!(counts(), (1, 1, 1));
    drop(array.clone());
    drop(array);
    assert_eq!(counts(), (1, 1, 1), "the objects retain their array");
    let copy = texture.clone();
    drop(texture);
    assert_eq!(counts(), (1, 1, 1), "a clone is the same texture");
    drop(copy);
    assert_eq!(counts(), (1, 0, 1));
    drop(surface);
    assert_eq!(counts(), (0, 0, 0));

    let memory: Arc<CudaSlice<f32>> = Arc::new(stream.alloc_zeros(TEXELS)?);
    let texture = Texture::linear(&memory, ReadMode::Element)?;
    assert_eq!(Arc::strong_count(&memory), 2);
    drop(texture);
    assert_eq!(Arc::strong_count(&memory), 1);
    drop(memory);
    ctx.synchronize()?;
    // Another thread may still release what an earlier trial has left.
    let after = live();
    assert!(after.allocations <= before.allocations && after.events <= before.events, "{before:?} {after:?}");
    assert_eq!(counts(), (0, 0, 0));
    Ok(())
}

/// The drop waits for the launches. If it cannot wait for them, the object stays.
fn in_use() -> Outcome {
    let world = World::new()?;
    let driver = Control::attach().ok_or("the test driver")?;
    let array = Array::<f32>::for_surfaces(&world.ctx, [WIDTH, HEIGHT])?;
    let surface = Surface::new(&array)?;
    world.brighten(&world.first, &surface)?;
    world.brighten(&world.second, &surface)?;
    driver.reset_calls();
    drop(surface);
    // Reads and writes of two streams.
    assert_eq!(driver.calls("cuEventSynchronize"), 4);
    assert_eq!(counts(), (1, 0, 0));
    let surface = Surface::new(&array)?;
    driver.fail("cuEventSynchronize", 700);
    drop(surface);
    driver.clear_failures();
    assert_eq!(counts(), (1, 0, 1), "a surface that a launch may still use");
    drop(array);
    // Not the array of that surface.
    assert_eq!(counts().2, 1);
    Ok(())
}

/// Each kind of field, in both forms.
fn arguments() -> Outcome {
    let world = World::new()?;
    let driver = Control::attach().ok_or("the test driver")?;
    let array = Array::<f32>::for_surfaces(&world.ctx, [WIDTH, HEIGHT])?;
    let (texture, mut surface) = (Texture::new(&array, &TextureOptions::new())?, Surface::new(&array)?);
    let (image, to) = (texture.object(), surface.object());
    let mut expected = [image.0.to_le_bytes(), to.0.to_le_bytes()].concat();
    expected.extend([3, 0, 0, 0]);
    assert_ne!((image, to), (TextureObject(0), SurfaceObject(0)));
    // The kernel takes two surfaces, which its code shows.
    let function = Module::load(&world.ctx, PTX)?.function("mirror_4")?;
    macro_rules! launched {
        ([$($life:lifetime)?] $image_ty:ty = $image:expr, $to_ty:ty = $to:expr) => {
            for form in [Form::Packed, Form::KernelParams] {
                #[derive(KernelArgs)]
                struct Both$(<$life>)? {
                    #[kernel_args(opaque)]
                    image: $image_ty,
                    to: $to_ty,
                    shape: i32,
                    size: Int3,
                }
                let args = Both { image: $image, to: $to, shape: 3, size: Int3::new(1, 1, 1) };
                // SAFETY: 1 x 1 x 1 texels: the kernel copies the first texel of the texture to the surface.
                unsafe { launch!(function, 1, 32, args, form = form, stream = &world.first) }?;
                let bank = driver.last_launch().ok_or("no launch")?.bank;
                assert_eq!(bank[..20], expected[..], "{form:?}");
            }
        };
    }
    launched!(['a] &'a Texture = &texture, &'a Surface = &surface);
    launched!([] Texture = texture.clone(), Surface = surface.clone());
    launched!(['a] &'a Texture = &texture, &'a mut Surface = &mut surface);
    launched!([] TextureObject = image, SurfaceObject = to);
    Ok(())
}

fn graph() -> Outcome {
    let world = World::new()?;
    let module = Module::load(&world.ctx, PTX)?;
    let (brighten, copy) = (module.kernel::<Brighten>("brighten")?, module.kernel::<CopyTexels>("copy_texels")?);
    let before = counts();
    let array = Array::<f32>::for_surfaces(&world.ctx, [WIDTH, HEIGHT])?;
    array.write(&world.first, &[1.0; TEXELS])?;
    let out = Arc::new(world.first.alloc_zeros::<f32>(TEXELS)?);
    let (width, height) = (WIDTH as i32, HEIGHT as i32);
    let launch = || Launch::new((4, 2), (16, 16));

    let mut graph = Graph::new(&world.ctx)?;
    let args = Brighten { image: Surface::new(&array)?, width, height };
    let first = graph.add_kernel_launch(&brighten, launch(), args, &[])?;
    let image = Texture::new(&array, &TextureOptions::new())?;
    let args = CopyTexels { image, out: Retained::write(&out), width, height };
    let second = graph.add_kernel_launch(&copy, launch(), args, &first)?;
    drop(array);
    let held = (before.0 + 1, before.1 + 1, before.2 + 1);
    assert!(Control::attach().is_none() || counts() == held, "the graph does not retain them: {:?}", counts());
    let mut exec = graph.instantiate()?;
    for _ in 0..3 {
        // SAFETY: the nodes run in order, and `out` has `width * height` elements.
        unsafe { exec.launch(&world.first) }?;
    }
    compare("the copy", &world.first.clone_dtoh(&*out)?, &vec![4.0; TEXELS]);

    // An update releases the texture of the node.
    let other = Array::<f32>::new(&world.ctx, [WIDTH, HEIGHT])?;
    other.write(&world.first, &[9.0; TEXELS])?;
    let image = Texture::new(&other, &TextureOptions::new())?;
    drop(other);
    exec.update_launch(&second, launch(), CopyTexels { image, out: Retained::write(&out), width, height })?;
    // SAFETY: the same.
    unsafe { exec.launch(&world.first) }?;
    compare("the copy of the update", &world.first.clone_dtoh(&*out)?, &vec![9.0; TEXELS]);
    Graph::wait_until_released();
    let held = (before.0 + 2, before.1 + 1, before.2 + 1);
    assert!(Control::attach().is_none() || counts() == held, "after the update: {:?}", counts());
    drop(exec);
    Graph::wait_until_released();
    assert_eq!(counts(), before, "the graph is dropped");
    Ok(())
}

/// `cuDevicePrimaryCtxReset` destroys the objects. Their handles are not passed to the driver again.
fn reset() -> Outcome {
    let driver = Control::attach().ok_or("the test driver")?;
    let ctx = context()?;
    let array = Array::<f32>::for_surfaces(&ctx, 16)?;
    let objects = (Texture::new(&array, &TextureOptions::new())?, Surface::new(&array)?, array);
    // SAFETY: nothing else in this trial is used after the reset, and each trial has objects of its own.
    unsafe { cudarc::driver::sys::cuDevicePrimaryCtxReset_v2(ctx.cu_device()) }.result()?;
    driver.reset_calls();
    drop(objects);
    for call in ["cuTexObjectDestroy", "cuSurfObjectDestroy", "cuArrayDestroy"] {
        assert_eq!(driver.calls(call), 0, "{call}");
    }
    drop(ctx);
    Ok(())
}

fn threads() -> Outcome {
    let world = World::new()?;
    let before = counts();
    let array = Array::<f32>::for_surfaces(&world.ctx, [WIDTH, HEIGHT])?;
    array.write(&world.first, &[0.0; TEXELS])?;
    let surface = Surface::new(&array)?;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let (surface, world) = (surface.clone(), &world);
            scope.spawn(move || {
                for _ in 0..10 {
                    let stream = world.ctx.new_stream().expect("a stream");
                    world.brighten(&stream, &surface).expect("a launch");
                }
                drop(surface);
            });
        }
    });
    drop(surface);
    // Launches of several threads can overlap, so the texels have no certain value.
    assert_eq!(array.read(&world.first)?.len(), TEXELS);
    std::thread::spawn(move || drop(array)).join().map_err(|_| "a panic")?;
    assert_eq!(counts(), before);
    Ok(())
}

/// The objects keep their context, and are destroyed in it, whatever is current.
fn own_context() -> Outcome {
    let before = counts();
    let ctx = create_context(device(), ContextFlags::new())?;
    let array = Array::<u8>::new(&ctx, 64)?;
    let texture = Texture::new(&array, &TextureOptions::new())?;
    drop(ctx);
    let other = context()?;
    other.bind_to_thread()?;
    let stream = array.context().default_stream();
    array.write(&stream, &[3; 64])?;
    assert_eq!(array.read(&stream)?, [3; 64]);
    drop(stream);
    other.bind_to_thread()?;
    drop(array);
    drop(texture);
    assert_eq!(counts(), before);
    Ok(())
}
