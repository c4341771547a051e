//! The arrays of Zarr stores and of numpy's archives.

use std::io::{Cursor, Read};

use serde_json::Value;

use super::Folder;

impl Folder {
    /// All values of an array of a Zarr store, the last dimension running fastest.
    pub(crate) fn zarr(&self, store: &str, array: &str) -> Vec<f64> {
        let about: Value =
            serde_json::from_str(&self.read(&format!("{store}/{array}/.zarray"))).unwrap();
        let sizes = |key: &str| -> Vec<usize> {
            let sizes = about[key].as_array().unwrap().iter();
            sizes
                .map(|n| usize::try_from(n.as_u64().unwrap()).unwrap())
                .collect()
        };
        let (shape, chunk) = (sizes("shape"), sizes("chunks"));
        let kind = about["dtype"].as_str().unwrap();
        let mut values = vec![f64::NAN; shape.iter().product()];
        let grid: Vec<usize> = shape
            .iter()
            .zip(&chunk)
            .map(|(n, c)| n.div_ceil(*c))
            .collect();
        for number in 0..grid.iter().product() {
            let index = place(number, &grid);
            let name: Vec<String> = index.iter().map(ToString::to_string).collect();
            let packed = self.read_bytes(&format!("{store}/{array}/{}", name.join(".")));
            let mut bytes = Vec::new();
            flate2::read::ZlibDecoder::new(&packed[..])
                .read_to_end(&mut bytes)
                .unwrap();
            let own = numbers(kind, &bytes);
            assert_eq!(own.len(), chunk.iter().product::<usize>(), "{array}");
            for (k, value) in own.into_iter().enumerate() {
                let within = place(k, &chunk);
                let at: Vec<usize> = (0..shape.len())
                    .map(|axis| index[axis] * chunk[axis] + within[axis])
                    .collect();
                if at.iter().zip(&shape).all(|(k, n)| k < n) {
                    let offset = at
                        .iter()
                        .zip(&shape)
                        .fold(0, |offset, (k, n)| offset * n + k);
                    values[offset] = value;
                }
            }
        }
        values
    }

    /// Type, shape as Python writes it, and bytes of an array of an archive of numpy.
    pub(crate) fn npz(&self, file: &str, array: &str) -> (String, String, Vec<u8>) {
        let archive = Cursor::new(self.read_bytes(file));
        let mut archive = zip::ZipArchive::new(archive).unwrap();
        let mut bytes = Vec::new();
        let mut entry = archive.by_name(&format!("{array}.npy")).unwrap();
        entry.read_to_end(&mut bytes).unwrap();
        let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let header = String::from_utf8(bytes[10..end].to_vec()).unwrap();
        let between = |from: &str, to: &str| {
            let rest = header.split_once(from).unwrap().1;
            rest.split_once(to).unwrap().0.to_owned()
        };
        (
            between("'descr': '", "'"),
            between("'shape': (", ")"),
            bytes[end..].to_vec(),
        )
    }
}

/// The index along every dimension of a number that counts them all, the last running fastest.
fn place(mut number: usize, shape: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|n| {
            let own = number % n;
            number /= n;
            own
        })
        .collect();
    index.reverse();
    index
}

fn numbers(kind: &str, bytes: &[u8]) -> Vec<f64> {
    match kind {
        "<f8" => bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| f64::from_le_bytes(*b))
            .collect(),
        "<f4" => bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b).into())
            .collect(),
        "<i4" => bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| i32::from_le_bytes(*b).into())
            .collect(),
        "<i2" => bytes
            .as_chunks()
            .0
            .iter()
            .map(|b| i16::from_le_bytes(*b).into())
            .collect(),
        "|i1" => bytes.iter().map(|b| f64::from(b.cast_signed())).collect(),
        other => panic!("type {other}"),
    }
}
