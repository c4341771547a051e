//! Elements of OpenStreetMap XML.

use crate::shown::shown;
use std::path::Path;

use glam::DVec2;
use roxmltree::Node;

use super::{Element, Tags, Want};
use crate::place::PlaceError;

/// Calls `visit` with every wanted child of the root; deleted elements of editors' files are left out.
pub(super) fn visit(
    root: Node<'_, '_>,
    file: &Path,
    want: Want,
    visit: &mut dyn FnMut(Element<'_>),
) -> Result<(), PlaceError> {
    let name = match want {
        Want::Nodes => "node",
        Want::Ways => "way",
        Want::Relations => "relation",
    };
    let wanted = |node: &Node<'_, '_>| {
        node.has_tag_name(name)
            && node.attribute("action") != Some("delete")
            && node.attribute("visible") != Some("false")
    };
    for node in root.children().filter(wanted) {
        let element = match want {
            Want::Nodes => point(node),
            Want::Ways => way(node),
            Want::Relations => relation(node),
        };
        visit(element.map_err(|problem| {
            let at = node.document().text_pos_at(node.range().start);
            PlaceError::malformed(file, format!("line {}", at.row), problem)
        })?);
    }
    Ok(())
}

fn point<'a>(node: Node<'a, '_>) -> Result<Element<'a>, String> {
    let degrees = |key: &str| {
        let text = node.attribute(key).unwrap_or("nothing");
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| {
            format!(
                "the node's {key} is `{text}`; degrees are expected",
                text = shown(text)
            )
        })
    };
    Ok(Element::Node {
        id: integer(node, "id")?,
        at: DVec2::new(degrees("lon")?, degrees("lat")?),
    })
}

fn way<'a>(node: Node<'a, '_>) -> Result<Element<'a>, String> {
    let nodes = node.children().filter(|child| child.has_tag_name("nd"));
    Ok(Element::Way {
        id: integer(node, "id")?,
        nodes: nodes
            .map(|child| integer(child, "ref"))
            .collect::<Result<_, _>>()?,
        tags: tags(node),
    })
}

fn relation<'a>(node: Node<'a, '_>) -> Result<Element<'a>, String> {
    let is_way = |child: &Node<'_, '_>| {
        child.has_tag_name("member") && child.attribute("type") == Some("way")
    };
    let ways = node.children().filter(is_way);
    Ok(Element::Relation {
        id: integer(node, "id")?,
        ways: ways
            .map(|child| {
                Ok((
                    integer(child, "ref")?,
                    child.attribute("role").unwrap_or(""),
                ))
            })
            .collect::<Result<_, String>>()?,
        tags: tags(node),
    })
}

fn tags<'a>(node: Node<'a, '_>) -> Tags<'a> {
    let tags = node.children().filter(|child| child.has_tag_name("tag"));
    tags.filter_map(|tag| Some((tag.attribute("k")?, tag.attribute("v")?)))
        .collect()
}

fn integer(node: Node<'_, '_>, key: &str) -> Result<i64, String> {
    let text = node.attribute(key).unwrap_or("nothing");
    text.parse().map_err(|_| {
        format!(
            "the {key} of <{}> is `{text}`; a whole number is expected",
            node.tag_name().name(),
            text = shown(text)
        )
    })
}
