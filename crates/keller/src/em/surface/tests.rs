use super::*;
use crate::materials::{FlatLosses, ItuMaterial, Medium};

fn layer(medium: Medium, thickness: f64) -> Layer {
    Layer { medium, thickness }
}

fn frequency() -> Frequency {
    Frequency::from_hz(3.5e9).unwrap()
}

#[test]
fn a_conductor_inside_a_slab_hides_what_lies_behind() {
    let [glass, wood] = [ItuMaterial::Glass, ItuMaterial::Wood].map(Medium::Itu);
    let foil = layer(Medium::PerfectConductor, 1e-5);
    let wall = Material::Slab(vec![layer(glass, 0.01), foil, layer(wood, 0.02)]);
    let surface = Surface::new(&wall, frequency()).unwrap();
    let one_sided = |medium, thickness| {
        let half = Material::Slab(vec![layer(medium, thickness), foil]);
        Surface::new(&half, frequency()).unwrap()
    };
    let front = one_sided(glass, 0.01).reflection(0.6, true);
    let back = one_sided(wood, 0.02).reflection(0.6, true);
    assert_eq!(surface.reflection(0.6, true), front);
    assert_eq!(surface.reflection(0.6, false), back);
    assert!(surface.is_opaque());
    assert_eq!(surface.transmission(0.6, true).te, Complex64::ZERO);
}

#[test]
fn half_spaces_reflect_alike_from_both_sides_and_transmit_nothing() {
    for medium in [Medium::Itu(ItuMaterial::Brick), Medium::PerfectConductor] {
        let surface = Surface::new(&Material::HalfSpace(medium), frequency()).unwrap();
        assert_eq!(
            surface.reflection(0.3, true),
            surface.reflection(0.3, false)
        );
        assert_eq!(surface.transmission(0.3, true).tm, Complex64::ZERO);
    }
}

#[test]
fn flat_losses_hold_at_every_angle_and_energy_is_never_won() {
    let concrete = Material::from_name("concrete").unwrap();
    let slab = Material::slab(concrete.media().next().unwrap(), 0.1);
    let power = |a: TeTm<Complex64>| a.map(|a| a.norm_sqr());
    for (wall, is_opaque) in [(concrete, true), (slab, false)] {
        for (reflection_db, transmission_db) in [
            (None, Some(7.0)),
            (Some(1.0), None),
            (Some(6.0), Some(4.0)),
            (Some(0.0), None),
        ] {
            let flat = wall.with_flat_losses(FlatLosses {
                transmission_db,
                reflection_db,
                diffraction_db: 0.0,
            });
            let surface = Surface::new(&flat, frequency()).unwrap();
            assert_eq!(surface.is_opaque(), is_opaque && transmission_db.is_none());
            for k in 0..=100 {
                let cosine = f64::from(k) / 100.0;
                let [r, t] = surface
                    .reflection_and_transmission(cosine, k % 2 == 0)
                    .map(power);
                for (found, loss) in [(r, reflection_db), (t, transmission_db)] {
                    let Some(loss) = loss else { continue };
                    let wanted = 10_f64.powf(-loss / 10.0);
                    assert!((found.te - wanted).abs() + (found.tm - wanted).abs() < 1e-12);
                }
                assert!(r.te + t.te <= 1.0 + 1e-12 && r.tm + t.tm <= 1.0 + 1e-12);
                if transmission_db.is_some() {
                    assert_eq!(surface.excess_length(cosine), 0.0);
                }
            }
        }
    }
}

#[test]
fn the_front_is_the_first_layer() {
    let [glass, wood] = [ItuMaterial::Glass, ItuMaterial::Wood].map(Medium::Itu);
    let wall = Material::Slab(vec![layer(glass, 50.0), layer(wood, 50.0)]);
    let surface = Surface::new(&wall, frequency()).unwrap();
    for (medium, from_front) in [(glass, true), (wood, false)] {
        let alone = Surface::new(&Material::HalfSpace(medium), frequency()).unwrap();
        let difference = alone.reflection(0.8, true).te - surface.reflection(0.8, from_front).te;
        assert!(difference.norm() < 1e-6, "{medium:?}: {difference}");
    }
}

#[test]
fn a_frequency_outside_any_layer_is_refused() {
    let [glass, ground] = [ItuMaterial::Glass, ItuMaterial::WetGround].map(Medium::Itu);
    let wall = Material::Slab(vec![layer(glass, 0.01), layer(ground, 0.02)]);
    let frequency = Frequency::from_hz(28e9).unwrap();
    let error = Surface::new(&wall, frequency).unwrap_err();
    assert!(error.to_string().contains("`wet_ground`"), "{error}");
}
