//! The attributes of one launch, and what the table says about each attribute.

use super::{
    AccessPolicyWindow, ClusterSchedulingPolicy, DeviceNode, MemorySyncDomain, MemorySyncDomainMap,
    PortableClusterMode, ProgrammaticEvent, SharedMemoryMode, attribute_table::attribute_table,
    attribute_values::EncodedValue,
};
use crate::{device::vector::Dim3, driver::api::LaunchAttribute};
use core::fmt::Display;
use cudarc::driver::CudaEvent;

/// What is known about an attribute, whatever its value is.
pub(crate) struct Attribute {
    /// The method of [`Launch`](crate::Launch), and the option of `launch!`.
    pub(crate) name: &'static str,
    /// `CUlaunchAttributeID`.
    pub(crate) id: u32,
    /// The oldest driver that supports it, as `cuDriverGetVersion` returns it: 12080 is CUDA 12.8.
    pub(crate) version: u32,
    /// The oldest GPU that supports it, 90 for sm_90; 0 if every GPU supports it.
    pub(crate) sm: u16,
    /// Whether it is also valid for a kernel node of a graph, not only for launches.
    #[cfg(feature = "graphs")]
    pub(crate) nodes: bool,
    /// Whether its value contains an address, which has no meaning in another process.
    #[cfg(feature = "record")]
    pub(crate) has_address: bool,
}

macro_rules! declare {
    ($($(#[$doc:meta])* $name:ident($given:ident: $from:ty) -> $ty:ty = $value:expr, $id:literal, $cuda:literal,
        $major:literal . $minor:literal $(, sm $sm:literal)? $(, nodes $nodes:literal)? $(, address $address:literal)?;)*) => {
        /// The launch attributes of one launch. An attribute that is not set is not passed to the driver.
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct Attributes<'a> {
            $(pub(crate) $name: Option<$ty>,)*
        }

        #[allow(non_upper_case_globals, reason = "an attribute has the name of its method")]
        impl Attribute {
            $(pub(crate) const $name: Self = Self {
                name: stringify!($name),
                id: $id,
                version: $major * 1000 + $minor * 10,
                sm: 0 $(+ $sm)?,
                #[cfg(feature = "graphs")]
                nodes: true $(&& $nodes)?,
                #[cfg(feature = "record")]
                has_address: false $(|| $address)?,
            };)*

            pub(crate) const ALL: &'static [Self] = &[$(Self::$name),*];
        }

        impl<'e> Attributes<'e> {
            pub(crate) fn for_each(&self, visit: &mut dyn FnMut(&'static Attribute, LaunchAttribute<'e>, &dyn Display)) {
                $(if let Some(value) = self.$name {
                    value.encoded($id, &mut |encoded, text| visit(&Attribute::$name, encoded, text));
                })*
            }
        }
    };
}
attribute_table!(declare);

impl<'e> Attributes<'e> {
    /// Returns the first result of `find`, which is not called afterwards.
    pub(crate) fn find_map<T>(
        &self,
        mut find: impl FnMut(&'static Attribute, LaunchAttribute<'e>) -> Option<T>,
    ) -> Option<T> {
        let mut found = None;
        self.for_each(&mut |attribute, encoded, _| {
            if found.is_none() {
                found = find(attribute, encoded);
            }
        });
        found
    }
}

impl Attribute {
    /// `shared_memory_mode` with a value for oversized configurations.
    pub(crate) const OVERSIZED: Self = Self { version: 13040, ..Self::shared_memory_mode };
}
