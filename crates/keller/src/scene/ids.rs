//! Indices of different types, so that they cannot be mixed up.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(u32);

        impl $name {
            /// The id of entry `index`.
            ///
            /// # Panics
            /// If `index` does not fit in 32 bits.
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 entries"))
            }

            /// The index of the entry.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A planar face of a [`Scene`](super::Scene).
    FaceId
);
id!(
    /// A plane that contains one or more faces. It identifies a reflection.
    PlaneId
);
id!(
    /// A wedge or free edge of a [`Scene`](super::Scene).
    EdgeId
);
id!(
    /// A material of a [`Scene`](super::Scene).
    MaterialId
);

impl PlaneId {
    /// The group of the plane's triangles in the [index](super::Scene::index).
    pub(crate) fn group(self) -> u32 {
        self.0
    }
}
