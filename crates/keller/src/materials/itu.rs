//! placeholder
/// placeholder
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItuMaterial {
    /// placeholder
    Concrete,
}
