//! Accessors: positions and indices from the bytes of the buffers, sparse and quantized ones too
//! (`KHR_mesh_quantization`).

use glam::DVec3;

use super::buffers::{Buffers, slice};
use super::schema::{Component, Root, Sparse};
use crate::formats::{ImportError, Place};

/// The largest number of elements of an accessor without bytes of its own: nothing else limits its count.
const MAX_EMPTY: u64 = 1 << 16;

/// The positions of accessor `index`.
pub(super) fn positions(
    root: &Root,
    index: usize,
    buffers: &mut Buffers<'_>,
) -> Result<Vec<DVec3>, ImportError> {
    let accessor = Accessor::new(root, index, "VEC3", 3, buffers)?;
    let normalized = root.accessors[index].normalized;
    accessor.read(buffers, DVec3::ZERO, |bytes, component| {
        let size = component.size();
        let part = |axis: usize| number(&bytes[axis * size..][..size], component, normalized);
        DVec3::new(part(0), part(1), part(2))
    })
}

/// The indices of accessor `index`.
pub(super) fn indices(
    root: &Root,
    index: usize,
    buffers: &mut Buffers<'_>,
) -> Result<Vec<u32>, ImportError> {
    let accessor = Accessor::new(root, index, "SCALAR", 1, buffers)?;
    if !is_unsigned(accessor.component) {
        return Err(accessor.malformed(buffers, "indices must be unsigned integers"));
    }
    accessor.read(buffers, 0, unsigned)
}

/// An accessor whose type has been checked.
struct Accessor<'r> {
    root: &'r Root,
    index: usize,
    component: Component,
    /// The size of an element, bytes.
    size: usize,
}

impl<'r> Accessor<'r> {
    fn new(
        root: &'r Root,
        index: usize,
        needed: &str,
        num_components: usize,
        buffers: &Buffers<'_>,
    ) -> Result<Self, ImportError> {
        let accessor = &root.accessors[index];
        if accessor.kind != needed {
            let problem = format!("its type is {}, but {needed} is needed", accessor.kind);
            return Err(malformed(buffers, index, &problem));
        }
        if accessor.buffer_view.is_none() && accessor.sparse.is_none() {
            let problem = "it has neither a bufferView nor a sparse part";
            return Err(malformed(buffers, index, problem));
        }
        let component = accessor.component_type;
        Ok(Self {
            root,
            index,
            component,
            size: component.size() * num_components,
        })
    }

    /// Reads all elements; `decode` makes one from its bytes.
    fn read<T: Copy>(
        &self,
        buffers: &mut Buffers<'_>,
        zero: T,
        decode: impl Fn(&[u8], Component) -> T,
    ) -> Result<Vec<T>, ImportError> {
        let accessor = &self.root.accessors[self.index];
        let count = accessor.count;
        let mut values = if let Some(view) = accessor.buffer_view {
            let stride = self.root.buffer_views[view].byte_stride;
            let stride = stride.unwrap_or(self.size);
            let offset = accessor.byte_offset;
            let bytes = self.bytes(buffers, view, offset, stride, self.size, count)?;
            let elements = bytes.chunks(stride.max(1));
            elements
                .map(|element| decode(&element[..self.size], self.component))
                .collect()
        } else if count <= MAX_EMPTY {
            let count = usize::try_from(count).expect("at most 65536");
            vec![zero; count]
        } else {
            let problem = format!("{count} elements are announced, but there is no bufferView");
            return Err(self.malformed(buffers, &problem));
        };
        if let Some(sparse) = &accessor.sparse {
            let places = self.sparse_places(buffers, sparse)?;
            let (view, offset) = (sparse.values.buffer_view, sparse.values.byte_offset);
            let bytes = self.bytes(buffers, view, offset, self.size, self.size, sparse.count)?;
            let elements = bytes.chunks_exact(self.size);
            let news: Vec<T> = elements
                .map(|element| decode(element, self.component))
                .collect();
            for (place, new) in places.into_iter().zip(news) {
                let Some(value) = values.get_mut(place as usize) else {
                    let problem = format!("its sparse part names element {place} of {count}");
                    return Err(self.malformed(buffers, &problem));
                };
                *value = new;
            }
        }
        Ok(values)
    }

    /// The indices of the elements that the sparse part replaces.
    fn sparse_places(
        &self,
        buffers: &mut Buffers<'_>,
        sparse: &Sparse,
    ) -> Result<Vec<u32>, ImportError> {
        let unsigned_type = sparse.indices.component_type.filter(|c| is_unsigned(*c));
        let Some(component) = unsigned_type else {
            let problem = "its sparse indices must be unsigned integers";
            return Err(self.malformed(buffers, problem));
        };
        let size = component.size();
        let (view, offset) = (sparse.indices.buffer_view, sparse.indices.byte_offset);
        let bytes = self.bytes(buffers, view, offset, size, size, sparse.count)?;
        let elements = bytes.chunks_exact(size);
        Ok(elements
            .map(|element| unsigned(element, component))
            .collect())
    }

    /// The bytes of `count` elements of `size` bytes, `stride` bytes apart.
    fn bytes<'b>(
        &self,
        buffers: &'b mut Buffers<'_>,
        view: usize,
        offset: u64,
        stride: usize,
        size: usize,
        count: u64,
    ) -> Result<&'b [u8], ImportError> {
        let file = buffers.file;
        let bytes = buffers.view(self.root, view)?;
        let is_packed = stride >= size;
        let length = match count.checked_sub(1) {
            None => Some(0),
            Some(gaps) => gaps
                .checked_mul(stride as u64)
                .and_then(|length| length.checked_add(size as u64)),
        };
        let part = length.and_then(|length| slice(bytes, offset, length));
        part.filter(|_| is_packed).ok_or_else(|| {
            ImportError::malformed(
                file,
                Place::Item("accessor".to_owned(), self.index),
                format!(
                    "{count} elements of {size} bytes, {stride} bytes apart, are announced from byte {offset} of bufferView {view}, which has only {} bytes",
                    bytes.len()
                ),
            )
        })
    }

    fn malformed(&self, buffers: &Buffers<'_>, problem: &str) -> ImportError {
        malformed(buffers, self.index, problem)
    }
}

fn malformed(buffers: &Buffers<'_>, index: usize, problem: &str) -> ImportError {
    let place = Place::Item("accessor".to_owned(), index);
    ImportError::malformed(buffers.file, place, problem)
}

fn is_unsigned(component: Component) -> bool {
    matches!(component, Component::U8 | Component::U16 | Component::U32)
}

/// An unsigned integer, little endian; `bytes` has the component's size.
fn unsigned(bytes: &[u8], _component: Component) -> u32 {
    let mut word = [0; 4];
    word[..bytes.len()].copy_from_slice(bytes);
    u32::from_le_bytes(word)
}

/// A number, little endian; `bytes` has the component's size. Integers become -1 to 1 or 0 to 1 if `normalized`.
fn number(bytes: &[u8], component: Component, normalized: bool) -> f64 {
    let scaled = |value: f64, most: f64| {
        if normalized {
            (value / most).max(-1.0)
        } else {
            value
        }
    };
    match (component, bytes) {
        (Component::I8, &[a]) => scaled(i8::from_le_bytes([a]).into(), 127.0),
        (Component::U8, &[a]) => scaled(a.into(), 255.0),
        (Component::I16, &[a, b]) => scaled(i16::from_le_bytes([a, b]).into(), 32767.0),
        (Component::U16, &[a, b]) => scaled(u16::from_le_bytes([a, b]).into(), 65535.0),
        (Component::U32, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]).into(),
        (Component::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).into(),
        _ => unreachable!("the slice has the component's size"),
    }
}
