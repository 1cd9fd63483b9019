//! `dim3` as the extent of a grid or a block. See the vector types for its layout and its default of one block or
//! thread.

use super::vector::Dim3;
use core::hash::{Hash, Hasher};

impl Dim3 {
    /// Returns the number of blocks of a grid, or the number of threads of a block. It saturates.
    #[must_use]
    pub const fn count(self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }
}

impl Eq for Dim3 {}

impl Hash for Dim3 {
    fn hash<H: Hasher>(&self, state: &mut H) {
        [self.x, self.y, self.z].hash(state);
    }
}

display!(Dim3, |this, f| write!(f, "({}, {}, {})", this.x, this.y, this.z));
