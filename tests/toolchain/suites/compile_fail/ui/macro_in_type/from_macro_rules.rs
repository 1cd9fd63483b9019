use kernel_args::{DeviceType, KernelArgs};
use kernel_args_test_macros::next;

macro_rules! fragments {
    ($ty:ty, $length:expr, $block:block, $($tokens:tt)*) => {
        #[derive(KernelArgs)]
        struct Args {
            ty: $ty,
            length: [u8; $length],
            block: [u8; $block],
            tokens: $($tokens)*,
        }
    };
}

fragments!(
    [next!(of_type: u8); 2],
    next!(of_length: 2),
    { next!(of_block: 2) },
    next!(of_tokens: u8)
);

macro_rules! item {
    ($item:item) => {
        #[derive(Clone, Copy, DeviceType)]
        #[repr(C)]
        $item
    };
}

item! { struct Item(next!(of_item: u8)); }
