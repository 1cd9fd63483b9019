//! Green contexts: parts of a device's multiprocessors, and their streams (CUDA driver API, "Green Contexts").

use std::ffi::{c_int, c_uint};

use crate::{
    contexts::device::MULTIPROCESSORS,
    entry::{In, Out},
    error::{Outcome, Status},
    handle::Handle,
    state::Driver,
    streams::stream::{NON_BLOCKING, Stream},
};

/// `CUdevResource` of CUDA 13.0: 144 bytes, with the type at offset 0 and `CUdevSmResource` at offset 96.
#[derive(Clone, Copy)]
#[repr(C)]
struct Resource {
    kind: c_uint,
    internal: [u8; 92],
    sm_count: c_uint,
    min_partition: c_uint,
    alignment: c_uint,
    rest: [c_uint; 9],
}

const _: () = assert!(size_of::<Resource>() == 144);

/// `CU_DEV_RESOURCE_TYPE_SM`.
const SM: c_uint = 1;
/// `CU_GREEN_CTX_DEFAULT_STREAM`.
const DEFAULT_STREAM: c_uint = 1;
/// The granularity of splitting the multiprocessors of an H100.
const ALIGNMENT: u32 = 8;

/// A green context.
#[derive(Debug)]
pub(crate) struct Green {
    device: c_int,
}

/// The result of `cuDevResourceGenerateDesc`. No call destroys it.
#[derive(Debug)]
pub(crate) struct Description {
    sms: u32,
}

fn resource(sms: u32) -> Resource {
    Resource {
        kind: if sms == 0 { 0 } else { SM },
        internal: [0; 92],
        sm_count: sms,
        min_partition: ALIGNMENT,
        alignment: ALIGNMENT,
        rest: [0; 9],
    }
}

impl Driver {
    /// Returns the multiprocessors of a resource, which must have the type of multiprocessors.
    fn multiprocessors(resource: Resource) -> Outcome<u32> {
        if resource.kind == SM && resource.sm_count > 0 {
            Ok(resource.sm_count)
        } else {
            Err(Status::INVALID_RESOURCE_TYPE)
        }
    }
}

entry_points! {
    fn cuDeviceGetDevResource(driver, device: c_int, place: Out<Resource>, kind: c_uint) {
        driver.device(device)?;
        if kind != SM {
            return Err(Status::INVALID_RESOURCE_TYPE);
        }
        place.set(resource(MULTIPROCESSORS))
    }

    fn cuDevSmResourceSplitByCount(
        _driver, result: Out<Resource>, groups: Out<c_uint>, input: In<Resource>, remaining: Out<Resource>, flags: c_uint,
        least: c_uint,
    ) {
        let (all, wanted) = (Driver::multiprocessors(input.get()?)?, groups.get()?);
        let each = least.max(1).next_multiple_of(ALIGNMENT);
        if flags != 0 || least > all {
            return Err(Status::INVALID_VALUE);
        }
        let made = wanted.min(all / each);
        for index in 0..made {
            result.at(index as usize).set(resource(each))?;
        }
        groups.set(made)?;
        remaining.set_if_wanted(resource(all - made * each));
        Ok(())
    }

    fn cuDevResourceGenerateDesc(driver, description: Out<Handle>, resources: In<Resource>, count: c_uint) {
        let mut sms = 0;
        for resource in resources.take(count as usize)? {
            sms += Driver::multiprocessors(resource)?;
        }
        if sms == 0 {
            return Err(Status::INVALID_VALUE);
        }
        description.set(driver.descriptions.insert(Description { sms }))
    }

    fn cuGreenCtxCreate(driver, green: Out<Handle>, description: Handle, device: c_int, flags: c_uint) {
        let sms = driver.descriptions.get(description)?.sms;
        if flags != DEFAULT_STREAM || sms == 0 {
            return Err(Status::INVALID_VALUE);
        }
        green.set(Handle::NULL)?;
        driver.retain_primary(device)?;
        green.set(driver.greens.insert(Green { device }))
    }

    fn cuGreenCtxDestroy(driver, green: Handle) {
        let held = driver.greens.remove(green).map_err(|_| Status::INVALID_CONTEXT)?;
        driver.release_primary(held.device)
    }

    fn cuGreenCtxStreamCreate(driver, stream: Out<Handle>, green: Handle, flags: c_uint, _priority: c_int) {
        let device = driver.greens.get(green).map_err(|_| Status::INVALID_CONTEXT)?.device;
        if flags != NON_BLOCKING {
            return Err(Status::INVALID_VALUE);
        }
        // A stream of the primary context whose kernels run on a part of the device.
        let context = driver.device(device)?.primary;
        stream.set(Handle::NULL)?;
        let held = Stream { context, flags, capture: None, green: Some(green) };
        stream.set(driver.streams.insert(held))
    }
}
