//! Materials of a scenario.

use keller::materials::{FlatLosses, Lobe, Material, Medium, Scattering};

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
fn a_slab_may_ignore_displaced_air() {
    let of = |keys: &str| {
        let text = format!(
            "{SMALL}[materials.wall]\nitu = \"brick\"\nthickness = 0.1\nroughness = 0.001\n{keys}"
        );
        let scenario = Folder::new("bare").parse(&text).unwrap();
        scenario.materials[0].definition.clone()
    };
    let [bare, slab] = [of("ignore_displaced_air = true"), of("")];
    assert!(bare.ignores_displaced_air() && !slab.ignores_displaced_air());
    assert_eq!(bare.texture(), slab.texture());
    assert_eq!(bare.with_displaced_air_ignored(false), slab);
}

#[test]
fn losses_may_be_said_as_numbers() {
    let of = |keys: &str| {
        let text = format!("{SMALL}[materials.wall]\n{keys}");
        let scenario = Folder::new("flat").parse(&text);
        scenario.map(|scenario| scenario.materials[0].definition.clone())
    };
    let losses = |transmission_db, reflection_db, diffraction_db| FlatLosses {
        transmission_db,
        reflection_db,
        diffraction_db,
    };
    let brick = of("itu = \"brick\"\ntransmission_loss_db = 7").unwrap();
    assert_eq!(brick.flat_losses(), losses(Some(7.0), None, 0.0));
    assert!(!brick.is_opaque());
    let wall =
        of("transmission_loss_db = 7\nreflection_loss_db = 6\ndiffraction_loss_db = 1").unwrap();
    assert_eq!(wall.flat_losses(), losses(Some(7.0), Some(6.0), 1.0));
    assert_eq!(*wall.wall(), Material::HalfSpace(Medium::PerfectConductor));
    for (bad, problem) in [
        (
            "transmission_loss_db = 7",
            "nothing says what it is made of",
        ),
        (
            "pec = true\ndiffraction_loss_db = -1",
            "diffraction_loss_db: found -1; accepted: a number from 0 to 200, dB",
        ),
        (
            "transmission_loss_db = 2\nreflection_loss_db = 3",
            "no more than what arrives",
        ),
    ] {
        let error = of(bad).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}
