//! The lists of a glTF file: a city has hundreds of thousands of entries, so they are plain structs that go straight to
//! text.

use serde::Serialize;

use super::legend::Legend;

/// The codes of glTF for kinds of numbers, and for triangles.
pub(super) const FLOAT: u32 = 5126;
pub(super) const UNSIGNED_INT: u32 = 5125;
pub(super) const UNSIGNED_SHORT: u32 = 5123;
pub(super) const TRIANGLES: u32 = 4;

/// An object of the scene.
#[derive(Debug, Serialize)]
pub(super) struct Node<'a> {
    pub(super) name: &'a str,
    pub(super) mesh: usize,
    pub(super) translation: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extras: Option<NodeExtras<'a>>,
}

/// keller's entries for a node.
#[derive(Debug, Serialize)]
pub(super) struct NodeExtras<'a> {
    /// The mark [`crate::formats::kept::DRAWING`].
    pub(super) drawing: bool,
    /// The legend of its colours.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) legend: Option<&'a Legend>,
}

#[derive(Debug, Serialize)]
pub(super) struct MeshPart<'a> {
    pub(super) name: &'a str,
    pub(super) primitives: Vec<Primitive>,
}

/// The triangles of one material.
#[derive(Debug, Serialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: usize,
    pub(super) material: usize,
    pub(super) mode: u32,
}

/// The accessors of the attributes of vertices.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: usize,
    /// The accessor of [`crate::formats::kept::POSITION_LOW`], with an underscore.
    #[serde(rename = "_POSITION_LOW", skip_serializing_if = "Option::is_none")]
    pub(super) low: Option<usize>,
    #[serde(rename = "COLOR_0", skip_serializing_if = "Option::is_none")]
    pub(super) colour: Option<usize>,
}

/// The numbers of an accessor in a view.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: View,
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max: Option<[f32; 3]>,
}

/// The bytes of the file that accessors share.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    buffer: usize,
    byte_offset: usize,
    byte_length: usize,
    /// The distance from vertex to vertex, bytes: views that several accessors share must state it (section 3.6.2.4),
    /// and those of indices must not.
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_stride: Option<usize>,
    target: u32,
}

impl BufferView {
    pub(super) fn new(view: View, byte_offset: usize, byte_length: usize) -> Self {
        /// The codes of vertex attributes, and of indices.
        const ARRAY_BUFFER: u32 = 34962;
        const ELEMENT_ARRAY_BUFFER: u32 = 34963;
        let (byte_stride, target) = match view {
            View::Vectors => (Some(3 * size_of::<f32>()), ARRAY_BUFFER),
            View::Colours => (Some(4 * size_of::<u16>()), ARRAY_BUFFER),
            View::Indices => (None, ELEMENT_ARRAY_BUFFER),
        };
        Self {
            buffer: 0,
            byte_offset,
            byte_length,
            byte_stride,
            target,
        }
    }
}

/// The views that all accessors share, by their contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// Three 32-bit numbers for each vertex.
    Vectors,
    /// One 32-bit number for each corner of a triangle.
    Indices,
    /// Four 16-bit numbers for each vertex.
    Colours,
}

impl View {
    pub(super) const ALL: [Self; 3] = [Self::Vectors, Self::Indices, Self::Colours];
}

/// A view is written as its index in the file's list of views.
impl Serialize for View {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (*self as usize).serialize(serializer)
    }
}
