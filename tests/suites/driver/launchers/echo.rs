//! Each kind of argument, with random values, compared byte for byte with what the function receives.

use super::{Outcome, functions::bytes};
use cudarc::driver::{CudaSlice, sys::CUstream};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, KernelArgs, TextureObject, launch,
    vector::{Double2, Float4, UChar4},
};
use kernel_args_tests::{
    driver::{context, trial},
    values::{Draw, Source},
};
use libtest_mimic::Trial;
use std::{cell::RefCell, ffi::c_void, thread_local};

thread_local! {
    static RECEIVED: RefCell<Vec<(&'static str, Vec<u8>)>> = const { RefCell::new(Vec::new()) };
}

/// Structs by value of several classes of C's calling convention: in registers of two kinds, in memory, with padding.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Pair {
    real: f32,
    count: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Mixed {
    at: u64,
    by: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Large {
    words: [u64; 5],
    last: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Padded {
    flag: u8,
    of: Pair,
    tail: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(u8)]
enum Mode {
    Fast = 3,
    Exact = 200,
}

macro_rules! echoed {
    ($($(#[$attr:meta])* $field:ident: $ty:ty => $c:ty;)*) => {
        /// It keeps what it receives.
        unsafe extern "C" fn echo($($field: $c,)* stream: CUstream) {
            RECEIVED.with_borrow_mut(|received| {
                $(received.push((stringify!($field), kept($field)));)*
                received.push(("stream", bytes(stream)));
            });
        }

        #[derive(KernelArgs)]
        #[kernel_args(launcher = echo)]
        struct Echo<'a> {
            $($(#[$attr])* $field: $ty,)*
            #[kernel_args(skip)]
            _skipped: &'a str,
        }
    };
}

/// The fields of a value, without its padding.
fn kept<T: Fields>(value: T) -> Vec<u8> {
    value.fields()
}

trait Fields {
    fn fields(self) -> Vec<u8>;
}

macro_rules! whole {
    ($($ty:ty)*) => {$(
        impl Fields for $ty {
            fn fields(self) -> Vec<u8> {
                bytes(self)
            }
        }
    )*};
}

whole!(u8 i8 u16 i16 u32 i32 u64 i64 usize isize f32 f64 bool Pair Mixed Mode Float4 Double2 UChar4 *const f32 *mut f64 *const c_void *mut c_void *const u16 *mut i64
    *const *const f32 *mut *mut f64 *const *mut c_void);

impl Fields for Large {
    fn fields(self) -> Vec<u8> {
        [bytes(self.words), bytes(self.last)].concat()
    }
}

impl Fields for Padded {
    fn fields(self) -> Vec<u8> {
        [bytes(self.flag), bytes(self.of), bytes(self.tail)].concat()
    }
}

echoed! {
    a: u8 => u8;
    b: i8 => i8;
    c: u16 => u16;
    d: i16 => i16;
    e: u32 => u32;
    f: f32 => f32;
    large: Large => Large;
    g: i32 => i32;
    h: u64 => u64;
    pair: Pair => Pair;
    i: f64 => f64;
    j: i64 => i64;
    flag: bool => bool;
    mode: Mode => Mode;
    mixed: Mixed => Mixed;
    count: usize => usize;
    #[kernel_args(as = i32)]
    narrow: usize => i32;
    padded: Padded => Padded;
    vector: Float4 => Float4;
    double2: Double2 => Double2;
    color: UChar4 => UChar4;
    read: &'a CudaSlice<f32> => *const f32;
    written: &'a mut CudaSlice<f64> => *mut f64;
    untyped: &'a CudaSlice<u32> => *const c_void;
    untyped_mut: &'a mut CudaSlice<u8> => *mut c_void;
    absent: Option<&'a CudaSlice<f32>> => *const f32;
    present: Option<&'a mut CudaSlice<f64>> => *mut f64;
    number: &'a CudaSlice<i64> => u64;
    pointer: DevicePointer<f32> => *const f32;
    pointer_mut: DevicePointerMut<f64> => *mut f64;
    nothing: DevicePointerMut<c_void> => *mut c_void;
    rows: DevicePointer<DevicePointer<f32>> => *const *const f32;
    rows_mut: DevicePointerMut<DevicePointerMut<f64>> => *mut *mut f64;
    rows_read: DevicePointerMut<DevicePointerMut<c_void>> => *const *mut c_void;
    #[kernel_args(opaque)]
    half: &'a CudaSlice<i16> => *const u16;
    #[kernel_args(shared_write)]
    shared: &'a CudaSlice<i64> => *mut i64;
    texture: TextureObject => u64;
}

#[allow(clippy::many_single_char_names, clippy::too_many_lines, reason = "one value for each kind of argument")]
fn drawn(from: &mut Source) -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let (read, untyped, number) =
        (stream.alloc_zeros::<f32>(3)?, stream.alloc_zeros::<u32>(3)?, stream.alloc_zeros::<i64>(3)?);
    let (half, shared) = (stream.alloc_zeros::<i16>(3)?, stream.alloc_zeros::<i64>(3)?);
    let (mut written, mut untyped_mut, mut present) =
        (stream.alloc_zeros::<f64>(3)?, stream.alloc_zeros::<u8>(3)?, stream.alloc_zeros::<f64>(3)?);
    let address = |address: &dyn Fn() -> u64| bytes(address());
    macro_rules! of {
        ($slice:expr) => {
            address(&|| cudarc::driver::DevicePtr::device_ptr(&$slice, &stream).0)
        };
    }
    let pair = Pair { real: f32::draw(from), count: i32::draw(from) };
    let large = Large { words: std::array::from_fn(|_| u64::draw(from)), last: u16::draw(from) };
    let (mixed, padded) = (
        Mixed { at: u64::draw(from), by: f64::draw(from) },
        Padded { flag: u8::draw(from), of: pair, tail: u8::draw(from) },
    );
    let (narrow, mode) = (i32::draw(from) & i32::MAX, if bool::draw(from) { Mode::Fast } else { Mode::Exact });
    let (pointer, pointer_mut) = (u64::draw(from), u64::draw(from));
    let (a, b, c, d, e, f) =
        (u8::draw(from), i8::draw(from), u16::draw(from), i16::draw(from), u32::draw(from), f32::draw(from));
    let (g, h, i, j, flag, count) = (
        i32::draw(from),
        u64::draw(from),
        f64::draw(from),
        i64::draw(from),
        bool::draw(from),
        u64::draw(from) as usize,
    );
    let vector = Float4::new(f32::draw(from), f32::draw(from), f32::draw(from), f32::draw(from));
    let (double2, color) = (
        Double2::new(f64::draw(from), f64::draw(from)),
        UChar4::new(u8::draw(from), u8::draw(from), u8::draw(from), u8::draw(from)),
    );
    let expected = [
        kept(a),
        kept(b),
        kept(c),
        kept(d),
        kept(e),
        kept(f),
        kept(large),
        kept(g),
        kept(h),
        kept(pair),
        kept(i),
        kept(j),
        kept(flag),
        kept(mode),
        kept(mixed),
        kept(count),
        kept(narrow),
        kept(padded),
        kept(vector),
        kept(double2),
        kept(color),
        of!(read),
        of!(written),
        of!(untyped),
        of!(untyped_mut),
        bytes(0_u64),
        of!(present),
        of!(number),
        bytes(pointer),
        bytes(pointer_mut),
        bytes(pointer),
        bytes(pointer_mut),
        bytes(pointer),
        bytes(pointer_mut),
        of!(half),
        of!(shared),
        bytes(pointer_mut),
        bytes(stream.cu_stream()),
    ];
    RECEIVED.take();
    let args = Echo {
        a,
        b,
        c,
        d,
        e,
        f,
        large,
        g,
        h,
        pair,
        i,
        j,
        flag,
        mode,
        mixed,
        count,
        narrow: narrow as usize,
        padded,
        vector,
        double2,
        color,
        read: &read,
        written: &mut written,
        untyped: &untyped,
        untyped_mut: &mut untyped_mut,
        absent: None,
        present: Some(&mut present),
        number: &number,
        pointer: DevicePointer::from_raw(pointer),
        pointer_mut: DevicePointerMut::from_raw(pointer_mut),
        nothing: DevicePointerMut::from_raw(pointer),
        rows: DevicePointer::from_raw(pointer_mut),
        rows_mut: DevicePointerMut::from_raw(pointer),
        rows_read: DevicePointerMut::from_raw(pointer_mut),
        half: &half,
        shared: &shared,
        texture: TextureObject(pointer_mut),
        _skipped: "",
    };
    // SAFETY: the function only keeps its arguments.
    unsafe { launch!(echo, args, stream = &stream)? };
    let received = RECEIVED.take();
    assert_eq!(received.len(), expected.len());
    for ((name, received), expected) in received.iter().zip(&expected) {
        assert_eq!(received, expected, "{name}");
    }
    Ok(())
}

pub(super) fn trials() -> Vec<Trial> {
    vec![trial("each_kind_of_argument_is_received_byte_for_byte", || {
        (0..100).try_for_each(|seed| drawn(&mut Source::new(seed)))
    })]
}
