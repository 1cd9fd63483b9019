//! The locations of over-aligned parameters on each GPU generation: queried, and in launches.

use crate::raw::*;
use cudarc::driver::CudaContext;
use kernel_args_test_driver::{Settings, within};

/// `echo(out, char, double4_32a, int)`.
const SIGNATURE: &str = ".u8, .align 32 .b8 [32], .u32";

fn offsets(echo: &Echo) -> Vec<usize> {
    (0..).map_while(|index| parameter(echo.function, index).ok()).map(|(offset, _)| offset).collect()
}

/// Packs at `offsets`, launches, and compares the echo.
fn packed_echo(echo: &Echo, offsets: &[usize]) -> Result<(), u32> {
    let values: [&[u8]; 4] = [&echo.address.to_le_bytes(), &[0xc1], &[0xd2; 32], &[1, 2, 3, 4]];
    let mut buffer = vec![0; offsets[3] + 4];
    for (offset, value) in offsets.iter().zip(values) {
        buffer[*offset..][..value.len()].copy_from_slice(value);
    }
    launch_packed(echo.function, &buffer, buffer.len())?;
    assert_eq!(echo.echoed(37), values[1..].concat());
    Ok(())
}

#[test]
fn sm_80_follows_c_up_to_32() {
    within(&Settings::new().sm(80), |_| {
        let echo = Echo::new(SIGNATURE);
        assert_eq!(offsets(&echo), [0, 8, 32, 64]);
        assert_eq!(packed_echo(&echo, &[0, 8, 32, 64]), Ok(()));
    });
}

#[test]
fn sm_90_shifts_alignment_32_by_half() {
    within(&Settings::new().sm(90), |_| {
        let echo = Echo::new(SIGNATURE);
        assert_eq!(offsets(&echo), [0, 8, 16, 48]);
        assert_eq!(packed_echo(&echo, &[0, 8, 16, 48]), Ok(()));
        assert_eq!(packed_echo(&echo, &[0, 8, 32, 64]), OUT_OF_RESOURCES, "C's layout is too long there");
        // `kernelParams` needs no offsets.
        let values: [&[u8]; 4] = [&echo.address.to_le_bytes(), &[1], &[2; 32], &[3; 4]];
        assert_eq!(launch(echo.function, ONE, &values), Ok(()));
        assert_eq!(echo.echoed(37), values[1..].concat());
    });
}

#[test]
fn sm_100_follows_c_at_every_alignment() {
    within(&Settings::new().sm(100), |_| {
        let echo = Echo::new(".align 128 .b8 [128]");
        assert_eq!(offsets(&echo), [0, 128]);
        assert_eq!(offsets(&Echo::new(SIGNATURE)), [0, 8, 32, 64]);
    });
}

#[test]
fn one_process_can_meet_several_generations() {
    within(&Settings::new(), |driver| {
        for (sm, tensor_map) in [(75u32, 32), (80, 32), (89, 32), (90, 112), (100, 128), (120, 128)] {
            assert!(driver.set_sm(sm));
            let echo = Echo::new(".align 128 .b8 [128]");
            let seen = parameter(echo.function, 1);
            assert_eq!(seen, Ok((tensor_map, 128)), "sm_{sm}");
            assert_eq!(parameter(echo.function, 2), INVALID_VALUE.map(|()| (0, 0)));
            let capability = CudaContext::new(0).and_then(|context| context.compute_capability());
            assert_eq!(capability.ok(), Some((sm.cast_signed() / 10, sm.cast_signed() % 10)));
        }
        assert!(!driver.set_sm(60));
    });
}
