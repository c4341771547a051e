//! The tree of nodes: the meshes that the scene shows, and their transforms.

use std::path::Path;

use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3};

use super::schema::{Node, Root};
use crate::formats::kept::DRAWING;
use crate::formats::{ImportError, Place};

/// A mesh in the scene.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) mesh: usize,
    pub(super) world: DAffine3,
    /// The node that shows it.
    pub(super) node: usize,
}

/// The meshes of the default scene (of the first if none is, of all nodes if there is no scene), each with its
/// transform to the world, in the order of the tree. keller's own drawings of results are left out.
pub(super) fn meshes(root: &Root, file: &Path) -> Result<Vec<Placed>, ImportError> {
    let scene = root.scene.unwrap_or(0);
    let starts: Vec<usize> = match root.scenes.get(scene) {
        Some(scene) => scene.nodes.clone(),
        None => parentless(root),
    };
    let mut meshes = Vec::new();
    let mut is_seen = vec![false; root.nodes.len()];
    let mut open: Vec<(usize, DAffine3)> = Vec::new();
    open.extend(starts.iter().rev().map(|&node| (node, DAffine3::IDENTITY)));
    while let Some((index, parent)) = open.pop() {
        let place = || Place::Item("node".to_owned(), index);
        // A node has one parent, and so the tree has no circles and no more nodes than the file.
        if std::mem::replace(&mut is_seen[index], true) {
            let problem = "the node has two parents, or is its own ancestor";
            return Err(ImportError::malformed(file, place(), problem));
        }
        if root.nodes[index].extras[DRAWING] == true {
            continue;
        }
        let Some(local) = root.nodes[index].local() else {
            let problem = "the transform is not affine, or its rotation is zero";
            return Err(ImportError::malformed(file, place(), problem));
        };
        let world = parent * local;
        let node = &root.nodes[index];
        meshes.extend(node.mesh.map(|mesh| Placed {
            mesh,
            world,
            node: index,
        }));
        open.extend(node.children.iter().rev().map(|&child| (child, world)));
    }
    Ok(meshes)
}

impl Node {
    /// The transform to the parent; `None` if its numbers are no transform.
    fn local(&self) -> Option<DAffine3> {
        if let Some(matrix) = &self.matrix {
            let matrix = DMat4::from_cols_array(matrix);
            let is_affine = matrix.row(3).to_array() == [0.0, 0.0, 0.0, 1.0];
            return is_affine.then(|| DAffine3::from_mat4(matrix));
        }
        let rotation = match self.rotation {
            None => DMat3::IDENTITY,
            Some(rotation) => {
                let length = DQuat::from_array(rotation).length();
                let is_usable = length > 0.0 && length.is_finite();
                let unit = rotation.map(|part| part / length);
                is_usable.then(|| DMat3::from_quat(DQuat::from_array(unit)))?
            }
        };
        let scale = DVec3::from_array(self.scale.unwrap_or([1.0; 3]));
        let translation = DVec3::from_array(self.translation.unwrap_or([0.0; 3]));
        Some(DAffine3 {
            matrix3: rotation * DMat3::from_diagonal(scale),
            translation,
        })
    }
}

/// The nodes without a parent.
fn parentless(root: &Root) -> Vec<usize> {
    let mut is_child = vec![false; root.nodes.len()];
    for child in root.nodes.iter().flat_map(|node| &node.children) {
        is_child[*child] = true;
    }
    (0..root.nodes.len())
        .filter(|&node| !is_child[node])
        .collect()
}
