//! Copies of two and three dimensions, also to and from arrays: `cuMemcpy2D*`, `cuMemcpy3D*`.

use std::ffi::c_uint;

use crate::{
    entry::In,
    error::{Outcome, Status},
    handle::Handle,
    memory::Place,
    state::{Driver, Operation},
};

/// One side of a `CUDA_MEMCPY3D`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Side {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    /// `CUmemorytype`.
    memory: c_uint,
    host: u64,
    device: u64,
    array: Handle,
    reserved: usize,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Copy3D {
    from: Side,
    to: Side,
    width: usize,
    height: usize,
    depth: usize,
}

impl Copy3D {
    /// Returns a copy of rows between linear memory: each side with the distance of its rows.
    pub(crate) fn of_rows(to: (Place, usize), from: (Place, usize), width: usize, height: usize) -> Self {
        let side = |(place, pitch)| {
            let (memory, host, device) = match place {
                Place::Host(address) => (HOST, address, 0),
                Place::Device(address) => (DEVICE, 0, address),
            };
            Side {
                x: 0,
                y: 0,
                z: 0,
                level: 0,
                memory,
                host,
                device,
                array: Handle::NULL,
                reserved: 0,
                pitch,
                height: 0,
            }
        };
        Self { from: side(from), to: side(to), width, height, depth: 1 }
    }
}

/// One side of a `CUDA_MEMCPY2D`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Side2D {
    x: usize,
    y: usize,
    memory: c_uint,
    host: u64,
    device: u64,
    array: Handle,
    pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Copy2D {
    from: Side2D,
    to: Side2D,
    width: usize,
    height: usize,
}

/// `CU_MEMORYTYPE_HOST`, `CU_MEMORYTYPE_DEVICE`, `CU_MEMORYTYPE_ARRAY`.
const HOST: c_uint = 1;
const DEVICE: c_uint = 2;
const ARRAY: c_uint = 3;

impl Side2D {
    fn in_3d(self) -> Side {
        let Self { x, y, memory, host, device, array, pitch } = self;
        Side { x, y, z: 0, level: 0, memory, host, device, array, reserved: 0, pitch, height: 0 }
    }
}

impl Copy2D {
    fn in_3d(self) -> Copy3D {
        let Self { from, to, width, height } = self;
        Copy3D { from: from.in_3d(), to: to.in_3d(), width, height, depth: 1 }
    }
}

/// Memory of rows, without the offsets of a copy.
struct Rows {
    start: Place,
    pitch: usize,
    height: usize,
}

impl Side {
    /// Returns the memory of the whole side. An array must contain the region.
    fn rows(&self, copy: &Copy3D, driver: &Driver) -> Outcome<Rows> {
        let linear = |start| {
            let is_short = |size: usize, offset: usize, room: usize, several: bool| several && size + offset > room;
            if is_short(copy.width, self.x, self.pitch, copy.height * copy.depth > 1)
                || is_short(copy.height, self.y, self.height, copy.depth > 1)
            {
                return Err(Status::INVALID_VALUE);
            }
            Ok(Rows { start, pitch: self.pitch, height: self.height })
        };
        match self.memory {
            HOST => linear(Place::Host(self.host)),
            DEVICE => linear(Place::Device(self.device)),
            ARRAY => {
                let array = driver.arrays.get(self.array)?;
                let [width, height, depth] = array.extent();
                if self.x + copy.width > width || self.y + copy.height > height || self.z + copy.depth > depth {
                    return Err(Status::INVALID_VALUE);
                }
                Ok(Rows { start: Place::Device(array.address), pitch: width, height })
            }
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// Returns a place of one row, without offsets.
    fn row(&self) -> Option<Place> {
        match self.memory {
            _ if (self.x, self.y, self.z) != (0, 0, 0) => None,
            HOST => Some(Place::Host(self.host)),
            DEVICE => Some(Place::Device(self.device)),
            _ => None,
        }
    }

    pub(crate) fn is_on_host(&self) -> bool {
        self.memory == HOST
    }

    /// Returns the place of a row of the region.
    fn place(&self, rows: &Rows, row: usize, slice: usize) -> Place {
        let offset = ((self.z + slice) * rows.height + self.y + row) * rows.pitch + self.x;
        match rows.start {
            Place::Device(address) => Place::Device(address + offset as u64),
            Place::Host(address) => Place::Host(address + offset as u64),
        }
    }
}

impl Copy3D {
    /// Returns one row.
    pub(crate) fn of_row(to: Place, from: Place, width: usize) -> Self {
        let side = |place| {
            let (memory, host, device) = match place {
                Place::Host(address) => (HOST, address, 0),
                Place::Device(address) => (DEVICE, 0, address),
            };
            let (x, y, z, level, array, reserved) = (0, 0, 0, 0, Handle::NULL, 0);
            Side { x, y, z, level, memory, host, device, array, reserved, pitch: width, height: 1 }
        };
        Self { from: side(from), to: side(to), width, height: 1, depth: 1 }
    }

    pub(crate) fn operation(&self) -> Outcome<Operation> {
        if (self.from.level, self.to.level) != (0, 0) {
            return Err(Status::NOT_SUPPORTED);
        }
        if self.width * self.height * self.depth == 0 {
            return Err(Status::INVALID_VALUE);
        }
        Ok(match (self.to.row(), self.from.row()) {
            (Some(to), Some(from)) if (self.height, self.depth) == (1, 1) => {
                Operation::Copy { to, from, length: self.width }
            }
            _ => Operation::Region(Box::new(*self)),
        })
    }

    pub(crate) fn sides(&self) -> [&Side; 2] {
        [&self.from, &self.to]
    }
}

impl Driver {
    /// Copies the rows of a region.
    pub(crate) fn copy_region(&mut self, copy: &Copy3D) -> Outcome {
        let (from, to) = (copy.from.rows(copy, self)?, copy.to.rows(copy, self)?);
        for slice in 0..copy.depth {
            for row in 0..copy.height {
                let (to, from) = (copy.to.place(&to, row, slice), copy.from.place(&from, row, slice));
                self.memory.copy(to, from, copy.width)?;
            }
        }
        Ok(())
    }
}

entry_points! {
    fn cuMemcpy2D_v2(driver, copy: In<Copy2D>) {
        driver.submit(Handle::NULL, copy.get()?.in_3d().operation()?)
    }

    fn cuMemcpy2DUnaligned_v2(driver, copy: In<Copy2D>) {
        driver.submit(Handle::NULL, copy.get()?.in_3d().operation()?)
    }

    fn cuMemcpy2DAsync_v2(driver, copy: In<Copy2D>, stream: Handle) {
        driver.submit(stream, copy.get()?.in_3d().operation()?)
    }

    fn cuMemcpy3D_v2(driver, copy: In<Copy3D>) {
        driver.submit(Handle::NULL, copy.get()?.operation()?)
    }

    fn cuMemcpy3DAsync_v2(driver, copy: In<Copy3D>, stream: Handle) {
        driver.submit(stream, copy.get()?.operation()?)
    }
}
