//! placeholder
/// placeholder
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItuMaterial {
    /// placeholder
    Concrete,
}

impl ItuMaterial {
    /// placeholder
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix("mat-").unwrap_or(name);
        let name = name.strip_prefix("itu_").unwrap_or(name);
        [
            "vacuum",
            "concrete",
            "brick",
            "plasterboard",
            "wood",
            "glass",
            "ceiling_board",
            "chipboard",
            "plywood",
            "marble",
            "floorboard",
            "metal",
            "very_dry_ground",
            "medium_dry_ground",
            "wet_ground",
        ]
        .contains(&name)
        .then_some(Self::Concrete)
    }
}
