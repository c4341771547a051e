//! The errors of the core: bad values at the door. The numeric stages behind it do not fail.

use thiserror::Error;

use crate::End;

/// An error in the values given to the simulator. Every message names the thing, its value and the accepted range.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A carrier frequency that is not a positive finite number.
    #[error("frequency {0} Hz is not a positive finite number")]
    Frequency(f64),
    /// Tiles that cannot be cut.
    #[error("the tiles cannot be cut: {0}")]
    Tiles(String),
    /// A diffuse field that cannot be computed.
    #[error("the diffuse field: {0}")]
    Diffuse(String),
    /// A region of cells that cannot be filled.
    #[error("the region of the coverage cannot be used: {0}")]
    Region(String),
    /// A coverage by beams that cannot be computed.
    #[error("the coverage by beams: {0}")]
    Beams(String),
    /// A path loss model with a parameter that it does not take.
    #[error("the path loss model: {0}")]
    Model(String),
    /// A band that is no band, or that reaches below zero.
    #[error(
        "a band of {bandwidth} Hz at {num_frequencies} frequencies around {carrier} Hz is not accepted; it must be 0 to twice the carrier wide, and wider than 0 for more than one frequency"
    )]
    Bandwidth {
        /// Its width, Hz.
        bandwidth: f64,
        /// The number of frequencies that are asked for.
        num_frequencies: usize,
        /// Its centre, Hz.
        carrier: f64,
    },
    /// A frequency outside the range in which a material's parameters hold.
    #[error(
        "frequency {frequency_ghz} GHz is outside the range of material `{material}`: {ranges}"
    )]
    MaterialFrequency {
        /// The material's name.
        material: String,
        /// The frequency asked for, GHz.
        frequency_ghz: f64,
        /// The closed ranges that are accepted, in words.
        ranges: String,
    },
    /// A material parameter that no material has.
    #[error("material `{material}`: {parameter} = {value} is not accepted; {accepted}")]
    MaterialParameter {
        /// The material's name.
        material: String,
        /// The parameter's name.
        parameter: &'static str,
        /// The value found.
        value: f64,
        /// The accepted values, in words.
        accepted: &'static str,
    },
    /// A material name that nothing defines.
    #[error(
        "material `{name}` is not known{suggestion}: define it or give a default material; known are {known}"
    )]
    UnknownMaterial {
        /// The name found.
        name: String,
        /// The nearest known name in words, or nothing.
        suggestion: String,
        /// The names that need no definition.
        known: String,
    },
    /// A material name that two definitions fit.
    #[error("material `{name}` could be `{first}` or `{second}`: keep one, or call it `{name}`")]
    AmbiguousMaterial {
        /// The name in the scene.
        name: String,
        /// One definition's name.
        first: String,
        /// The other's.
        second: String,
    },
    /// An antenna setting that is not known.
    #[error("{parameter} `{value}` is not known; accepted are {accepted}")]
    Antenna {
        /// `antenna` or `polarization`.
        parameter: &'static str,
        /// The value that was found.
        value: String,
        /// The accepted values, in words.
        accepted: &'static str,
    },
    /// An antenna pattern that no antenna has.
    #[error("antenna pattern: {0}")]
    Pattern(String),
    /// An array of elements that cannot be.
    #[error("antenna array: {0}")]
    Array(String),
    /// A volume of clutter that cannot be one.
    #[error("clutter: {0}")]
    Clutter(String),
    /// A model of a building for which no replaced building can be found.
    #[error("{0}")]
    Building(String),
    /// A mesh without a single usable triangle.
    #[error("the scene has no triangles")]
    EmptyScene,
    /// A vertex with a NaN or infinite coordinate.
    #[error("vertex {index} has the coordinates ({x}, {y}, {z}); they must be finite and within 1e7 m of the origin", x = position[0], y = position[1], z = position[2])]
    VertexPosition {
        /// The vertex's index in the mesh.
        index: usize,
        /// Its coordinates.
        position: [f64; 3],
    },
    /// A triangle that names a vertex or a material the mesh does not have.
    #[error("triangle {triangle} names {what} {index}, but the mesh has {count}")]
    IndexOutOfRange {
        /// The triangle's index in the mesh.
        triangle: usize,
        /// `vertex` or `material`.
        what: &'static str,
        /// The index found.
        index: usize,
        /// The number of all.
        count: usize,
    },
    /// A Tx or Rx position that cannot be used.
    #[error("{end} {index} at ({x}, {y}, {z}): {reason}", x = position[0], y = position[1], z = position[2])]
    DevicePosition {
        /// The end of the link.
        end: End,
        /// Its index among the devices of this end.
        index: usize,
        /// Its coordinates.
        position: [f64; 3],
        /// The reason, and the accepted positions.
        reason: String,
    },
    /// A search without a transmitter or without a receiver.
    #[error("there is no {}: at least one is needed", .0.name())]
    NoDevice(End),
    /// A search that would take too long to be meant.
    #[error("{0}")]
    SearchTooLarge(String),
    /// A parameter or a set of measurements that nothing can be calibrated with.
    #[error("{0}")]
    Calibration(String),
    /// The caller asked to stop.
    #[error("stopped before the end")]
    Cancelled,
}
