//! `to_world`: translations, scalings, rotations, matrices and `lookat`, applied in the order of the file.

use glam::{DAffine3, DMat3, DVec3};

use super::document::{Document, Node};
use crate::formats::ImportError;

/// The transform that `<transform>` describes; the identity if it is empty.
///
/// # Errors
/// An invalid number, a rotation without an axis, or a matrix that is not affine.
pub(super) fn read(document: &Document, node: &Node) -> Result<DAffine3, ImportError> {
    let mut total = DAffine3::IDENTITY;
    for step in &node.children {
        let matrix = match step.tag.as_str() {
            "translate" => DAffine3::from_translation(vector(document, step, 0.0)?),
            "scale" => DAffine3::from_scale(vector(document, step, 1.0)?),
            "rotate" => rotation(document, step)?,
            "matrix" => matrix(document, step)?,
            "lookat" => look_at(document, step)?,
            tag => {
                return Err(document.malformed(
                    step,
                    format!(
                        "<{tag}> is no step of a transform; accepted are translate, scale, rotate, matrix and lookat"
                    ),
                ));
            }
        };
        total = matrix * total;
    }
    Ok(total)
}

/// The vector of `value="x y z"`, of one `value` for all three, or of `x`, `y` and `z`, each `absent` if it is not
/// given.
fn vector(document: &Document, node: &Node, absent: f64) -> Result<DVec3, ImportError> {
    if let Some(value) = node.attribute("value") {
        return triple(document, node, value);
    }
    let mut vector = DVec3::splat(absent);
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        if let Some(value) = node.attribute(name) {
            vector[axis] = document.number(node, value)?;
        }
    }
    Ok(vector)
}

fn triple(document: &Document, node: &Node, text: &str) -> Result<DVec3, ImportError> {
    match document.numbers(node, text)?[..] {
        [all] => Ok(DVec3::splat(all)),
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        ref numbers => Err(document.malformed(
            node,
            format!(
                "<{}> takes 1 or 3 numbers, but has {}",
                node.tag,
                numbers.len()
            ),
        )),
    }
}

fn rotation(document: &Document, node: &Node) -> Result<DAffine3, ImportError> {
    let axis = vector(document, node, 0.0)?;
    let angle_deg = document.number(node, document.required(node, "angle")?)?;
    let Some(axis) = axis.try_normalize() else {
        return Err(document.malformed(node, "a rotation needs an axis other than 0 0 0"));
    };
    // A quarter turn must leave axis-parallel walls exactly so.
    let (sin, cos) = match angle_deg.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        _ => angle_deg.to_radians().sin_cos(),
    };
    let turned = |v: DVec3| v * cos + axis.cross(v) * sin + axis * axis.dot(v) * (1.0 - cos);
    Ok(DAffine3::from_mat3(DMat3::from_cols(
        turned(DVec3::X),
        turned(DVec3::Y),
        turned(DVec3::Z),
    )))
}

/// The transform of 16 numbers, or of 9 without the translation, row by row.
fn matrix(document: &Document, node: &Node) -> Result<DAffine3, ImportError> {
    let m = document.numbers(node, document.required(node, "value")?)?;
    let (rows, width) = match m.len() {
        9 => (&m[..], 3),
        16 if m[12..] == [0.0, 0.0, 0.0, 1.0] => (&m[..12], 4),
        16 => {
            return Err(document.malformed(node, "the last row of a matrix must be 0 0 0 1"));
        }
        count => {
            let problem = format!("a matrix has 16 or 9 numbers, but this one has {count}");
            return Err(document.malformed(node, problem));
        }
    };
    let column = |c: usize| DVec3::new(rows[c], rows[width + c], rows[2 * width + c]);
    Ok(DAffine3 {
        matrix3: DMat3::from_cols(column(0), column(1), column(2)),
        translation: if width == 4 { column(3) } else { DVec3::ZERO },
    })
}

/// A camera's frame at `origin`, its z axis towards `target`, its y axis near `up`.
fn look_at(document: &Document, node: &Node) -> Result<DAffine3, ImportError> {
    let point = |name| triple(document, node, document.required(node, name)?);
    let (origin, target, up) = (point("origin")?, point("target")?, point("up")?);
    let frame = (target - origin).try_normalize().and_then(|ahead| {
        let left = up.cross(ahead).try_normalize()?;
        Some(DMat3::from_cols(left, ahead.cross(left), ahead))
    });
    let Some(frame) = frame else {
        return Err(document.malformed(
            node,
            "<lookat> has no direction: origin, target and up are in line",
        ));
    };
    Ok(DAffine3 {
        matrix3: frame,
        translation: origin,
    })
}
