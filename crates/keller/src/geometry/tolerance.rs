//! The tolerances that several parts of the simulator share, each with its unit and its reason. Tolerances of one
//! algorithm stand next to it.

/// Vertices nearer than this are one vertex, metres. f32 meshes a kilometre from their origin carry rounding of 6e-5 m.
pub const WELD_DISTANCE: f64 = 1e-4;

/// A face may deviate this far from its plane, metres, and two faces nearer than this to a common plane share it.
/// It must stay under the 1 mm steps that models draw on purpose.
pub const COPLANAR_DISTANCE: f64 = 2e-4;

/// Edges and points of one plane lie within this distance of it, metres: both may be off by [`COPLANAR_DISTANCE`].
pub(crate) const SHARED_PLANE_DISTANCE: f64 = 2.0 * COPLANAR_DISTANCE;

/// A point nearer than this to a wall's plane lies in it for waves, metres: they run along the wall, and neither of its
/// sides is visible. Devices keep [`DEVICE_CLEARANCE`], which is the same.
pub(crate) const IN_PLANE_DISTANCE: f64 = 1e-4;

/// Sine of the largest angle between the normals of triangles that may be one planar face. Small triangles carry rounding:
/// 1e-4 m over 0.1 m.
pub const COPLANAR_SINE: f64 = 1e-3;

/// Sine between the normals of triangles that are parts of one: the rounding of f64, at a metre a kilometre from the origin.
pub const SAME_PLANE_SINE: f64 = 1e-8;

/// An interaction point may lie this far outside its face, metres: rounding of the image construction, no more.
pub const ON_FACE_DISTANCE: f64 = 1e-6;

/// Walls reach this far over their own borders when they block a segment, metres, so that no path leaks through a crack.
/// 0.1 mm already hides real paths.
pub const OCCLUDER_GROWTH: f64 = 1e-5;

/// A point nearer than this to a plane or to the end of an edge is on it, metres: the rounding of f64 decides nothing.
pub const TIE_DISTANCE: f64 = 1e-8;

/// A device nearer than this to a face counts as inside the wall, metres.
pub const DEVICE_CLEARANCE: f64 = 1e-4;

/// A path segment shorter than this is none, metres.
pub const MIN_SEGMENT_LENGTH: f64 = 1e-6;

/// Length of a segment between two reflections that happen at one point, the common edge or corner of their walls, metres: more than
/// [`MIN_SEGMENT_LENGTH`], and so short that it changes the length of a path by the rounding of f64 alone.
pub const TIED_SEGMENT: f64 = 2e-6;

/// Coordinates beyond this are refused, metres: f32 tracing would resolve no better than a metre there.
pub const MAX_COORDINATE: f64 = 1e7;

/// Two faces that meet at less than this, radians, are a curved wall and no wedge: its diffraction is beyond measuring.
pub const FLAT_WEDGE_ANGLE: f64 = 1e-2;

/// The largest angle between a face and a wave that travels along it from edge to edge, radians. Faces are flat to 0.2
/// mm, and edges are rarely so close to each other that this makes a larger angle.
pub(crate) const ALONG_FACE_ANGLE: f64 = 1e-3;

/// A stretch of an edge that is shorter than this is none, metres: nobody draws it on purpose.
pub(crate) const MIN_STRETCH_LENGTH: f64 = 1e-3;

/// A normal that differs from that of a facet by a smaller sine is the facet's own: rounding.
pub(crate) const ON_FACET_SINE: f64 = 1e-7;

/// The sine between two corners, seen from a point, below which they lie in one line with it: the rounding of f64 a
/// kilometre away.
pub(crate) const IN_LINE_SINE: f64 = 1e-9;
