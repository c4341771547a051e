//! Bad Mitsuba scenes.

use super::*;

#[test]
fn a_mitsuba_scene() {
    let shape = |inside: &str| format!("<scene version='2.1.0'>\n{inside}\n</scene>").into_bytes();
    let cube = |inside: &str| shape(&format!("<shape type='cube'>\n{inside}</shape>"));
    let mut deep = "<a>".repeat(100_000);
    deep.push_str(&"</a>".repeat(100_000));
    // Each default is twice the one before.
    let mut bomb = "<default name='a' value='xxxxxxxxxxxxxxxx'/>".to_owned();
    for name in b'b'..=b'z' {
        let (name, before) = (name as char, (name - 1) as char);
        write!(bomb, "<default name='{name}' value='${before}${before}'/>").unwrap();
    }
    check(&[
        ("text.xml", b"hello", &["line 1", "XML"]),
        ("open.xml", b"<scene>\n<shape>\n", &["line", "XML"]),
        ("latin.xml", b"<scene a='\xe9'/>", &["UTF-8"]),
        ("root.xml", b"<html/>", &["<html>", "<scene>"]),
        ("none.xml", b"<scene/>", &["no triangles"]),
        (
            "entity.xml",
            b"<!DOCTYPE a [<!ENTITY b 'c'>]><scene/>",
            &["XML"],
        ),
        ("deep.xml", &shape(&deep), &["too deeply"]),
        ("bomb.xml", &shape(&bomb), &["line 2", "too long"]),
        (
            "dollar.xml",
            &cube("<ref id='$wall'/>"),
            &["line 3", "`$wall`", "<default>"],
        ),
        (
            "ref.xml",
            &cube("<ref id='brick'/>"),
            &["line 3", "`brick`", "there are none"],
        ),
        (
            "other.xml",
            &shape(
                "<bsdf type='diffuse' id='stone'/>\n<shape type='cube'><ref id='brick'/></shape>",
            ),
            &["line 3", "`brick`", "there are stone"],
        ),
        (
            "filename.xml",
            &shape("<shape type='ply'/>"),
            &["line 2", "`filename`"],
        ),
        (
            "value.xml",
            &shape("<shape type='ply'><string name='filename'/></shape>"),
            &["line 2", "`value`"],
        ),
        (
            "missing.xml",
            &shape("<shape type='ply'><string name='filename' value='walls.ply'/></shape>"),
            &["walls.ply", "cannot be read"],
        ),
        (
            "twin.xml",
            &shape("<bsdf type='diffuse' id='a'/>\n<bsdf type='diffuse' id='a'/>"),
            &["line 3", "`a`"],
        ),
        (
            "include.xml",
            &shape("<include filename='more.xml'/>"),
            &["more.xml", "cannot be read"],
        ),
        (
            "self.xml",
            &shape("<include filename='self.xml'/>"),
            &["line 2", "includes itself"],
        ),
        (
            "include_nothing.xml",
            &shape("<include/>"),
            &["line 2", "`filename`"],
        ),
        (
            "default.xml",
            &shape("<default name='a'/>"),
            &["line 2", "`value`"],
        ),
        (
            "number.xml",
            &cube("<transform name='to_world'>\n<translate x='a'/></transform>"),
            &["line 4", "`a`", "number"],
        ),
        (
            "nan.xml",
            &cube("<transform name='to_world'><scale value='nan'/></transform>"),
            &["line 3", "`nan`", "finite"],
        ),
        (
            "far.xml",
            &cube(
                "<transform name='to_world'><scale value='1e200'/><scale value='1e200'/></transform>",
            ),
            &["to_world", "finite"],
        ),
        (
            "step.xml",
            &cube("<transform name='to_world'><shear/></transform>"),
            &["<shear>", "translate"],
        ),
        (
            "axis.xml",
            &cube("<transform name='to_world'><rotate angle='90'/></transform>"),
            &["axis"],
        ),
        (
            "angle.xml",
            &cube("<transform name='to_world'><rotate x='1'/></transform>"),
            &["`angle`"],
        ),
        (
            "matrix.xml",
            &cube("<transform name='to_world'><matrix value='1 2 3'/></transform>"),
            &["16", "3"],
        ),
        (
            "projective.xml",
            &cube(
                "<transform name='to_world'><matrix value='1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1'/></transform>",
            ),
            &["last row"],
        ),
        (
            "look.xml",
            &cube(
                "<transform name='to_world'><lookat origin='0 0 0' target='0 0 1' up='0 0 1'/></transform>",
            ),
            &["lookat"],
        ),
        (
            "itu.xml",
            &shape("<bsdf type='itu-radio-material' id='wall'/>"),
            &["line 2", "`wall`", "`type`"],
        ),
        (
            "thin.xml",
            &shape(
                "<bsdf type='itu-radio-material' id='wall'><string name='type' value='brick'/>\n<float name='thickness' value='-1'/></bsdf>",
            ),
            &["line 3", "`thickness`", "-1"],
        ),
        (
            "conductivity.xml",
            &shape(
                "<bsdf type='radio-material' id='wall'>\n<float name='conductivity' value='-1'/></bsdf>",
            ),
            &["line 3", "conductivity", "-1"],
        ),
        (
            "permittivity.xml",
            &shape(
                "<bsdf type='radio-material' id='wall'>\n<float name='relative_permittivity' value='0'/></bsdf>",
            ),
            &["line 3", "`relative_permittivity`", "0"],
        ),
    ]);
}

#[test]
fn a_mesh_of_a_mitsuba_scene() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.ply"), "plx").unwrap();
    let scene = folder.path().join("scene.xml");
    let shape = "<shape type='ply'><string name='filename' value='bad.ply'/></shape>";
    fs::write(&scene, format!("<scene>{shape}</scene>")).unwrap();
    let error = import(&scene).unwrap_err().to_string();
    assert!(error.contains("bad.ply`, line 1: "), "{error}");
}
