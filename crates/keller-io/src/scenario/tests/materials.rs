//! Materials of a scenario.

use keller::materials::{Lobe, Scattering};

use super::{Folder, SMALL};

#[test]
fn a_wall_may_scatter() {
    let rough = |keys: &str| {
        let text = format!("{SMALL}[materials.wall]\nitu = \"brick\"\n{keys}");
        let scenario = Folder::new("scatter").parse(&text).unwrap();
        scenario.materials[0].definition.texture()
    };
    let texture = rough(
        "roughness = 0.002\nscattering = 0.3\nscattering_pattern = \"backscattering\"\nscattering_alpha = 6\n\
         cross_polarization = 0.2",
    );
    let lobe = Lobe::Backscattering {
        forward: 6,
        back: 4,
        forward_share: 0.8,
    };
    let scattering = Scattering {
        coefficient: 0.3,
        cross_polarization: 0.2,
        lobe,
    };
    assert_eq!(
        (texture.roughness, texture.scattering),
        (0.002, Some(scattering))
    );
    assert!(rough("scattering = 0").is_smooth());
}

#[test]
fn a_slab_may_keep_its_bare_transmission() {
    let of = |keys: &str| {
        let text = format!(
            "{SMALL}[materials.wall]\nitu = \"brick\"\nthickness = 0.1\nroughness = 0.001\n{keys}"
        );
        let scenario = Folder::new("bare").parse(&text).unwrap();
        scenario.materials[0].definition.clone()
    };
    let [bare, slab] = [of("bare_transmission = true"), of("")];
    assert!(bare.has_bare_transmission() && !slab.has_bare_transmission());
    assert_eq!(bare.texture(), slab.texture());
    assert_eq!(bare.with_bare_transmission(false), slab);
}
