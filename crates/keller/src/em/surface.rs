//! A material at one frequency.

mod flat;
mod table;
#[cfg(test)]
mod tests;

use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

use super::TeTm;
use super::fresnel::Wave;
use super::lossy_wedge::LossyWedge;
use super::passages::Passages;
use super::roughness::rayleigh_factor;
use super::slab::{Backing, Film, Response, stack};
use crate::materials::{Layer, Material, Texture};
use crate::scene::MaterialId;
use crate::{Error, Frequency};
use flat::{flat_reflection, flat_transmission, flattened};
use table::Table;

/// Reflection and transmission of a face at one frequency, ready for any angle.
///
/// ```
/// use keller::{Frequency, em::Surface, materials::Material};
///
/// let concrete = Material::from_name("concrete").expect("a known name");
/// let surface = Surface::new(&concrete, Frequency::from_hz(3.5e9)?)?;
/// let reflection = surface.reflection(0.5, true);
/// assert!(surface.is_opaque() && reflection.te.norm() > reflection.tm.norm());
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// The layers as seen by a wave from the side to which the face's normal points.
    front: Stack,
    /// The layers as seen by a wave from the other side.
    back: Stack,
    is_opaque: bool,
    texture: Texture,
    wavelength: f64,
    /// Phase through the air that the layers displace, at normal incidence, rad. Zero where the displaced air is ignored, for flat
    /// transmission losses and for opaque walls.
    displaced: f64,
    /// Amplitudes of reflection and transmission, where they do not depend on the angle.
    flat: [Option<f64>; 2],
    diffraction_loss_db: f64,
    /// The surfaces that it is [as strong as](Surfaces::strongest); empty for an ordinary one.
    variants: Vec<Self>,
}

#[derive(Debug, Clone, PartialEq)]
struct Stack {
    films: Vec<Film>,
    backing: Backing,
    table: Option<Table>,
}

impl Surface {
    /// `material` at `frequency`. Layers behind a perfect conductor have no effect.
    ///
    /// # Errors
    /// [`Error::MaterialFrequency`] if the frequency is outside a medium's ranges.
    pub fn new(material: &Material, frequency: Frequency) -> Result<Self, Error> {
        let (front, back) = match material.wall() {
            Material::Textured { .. }
            | Material::DisplacedAirIgnored(_)
            | Material::Flat { .. } => {
                unreachable!("a wall is nothing but its layers")
            }
            Material::HalfSpace(medium) => {
                let backing = match medium.relative_permittivity(frequency)? {
                    Some(eta) => Backing::Medium(eta),
                    None => Backing::PerfectConductor,
                };
                let whole = Stack::of(Vec::new(), backing);
                (whole.clone(), whole)
            }
            Material::Slab(layers) => (
                Stack::new(layers.iter(), frequency)?,
                Stack::new(layers.iter().rev(), frequency)?,
            ),
        };
        let losses = material.flat_losses();
        let has_no_phase = material.ignores_displaced_air() || losses.transmission_db.is_some();
        let displaced = if has_no_phase || material.is_opaque() {
            0.0
        } else {
            front.films.iter().map(|film| film.phase_thickness).sum()
        };
        Ok(Self {
            front,
            back,
            is_opaque: material.is_opaque(),
            texture: material.texture(),
            wavelength: frequency.wavelength(),
            displaced,
            flat: losses.amplitudes(),
            diffraction_loss_db: losses.diffraction_db,
            variants: Vec::new(),
        })
    }

    /// A surface that keeps at least as much of a wave of any polarisation as any of `variants` does. At each angle it
    /// has the largest amplitude of any of them for both polarisations. So it turns no polarisation into another, and a
    /// wave behind several such surfaces is never weaker than one behind the surfaces that they stand for. It has no
    /// phase of transmission, and the texture of the first.
    ///
    /// # Panics
    /// If there are no variants.
    fn strongest(variants: &[Self]) -> Self {
        let losses = variants.iter().map(|variant| variant.diffraction_loss_db);
        Self {
            is_opaque: variants.iter().all(Self::is_opaque),
            displaced: 0.0,
            diffraction_loss_db: losses.fold(f64::INFINITY, f64::min),
            variants: variants.to_vec(),
            ..variants[0].clone()
        }
    }

    /// The largest amplitudes of reflection and transmission of any variant and polarisation.
    fn strongest_of_variants(&self, cos_theta: f64, from_front: bool) -> [TeTm<Complex64>; 2] {
        let of_variants = self.variants.iter();
        let all = of_variants.map(|v| v.reflection_and_transmission(cos_theta, from_front));
        let [reflected, transmitted] =
            all.fold([0.0_f64; 2], |[r, t], [reflection, transmission]| {
                let larger =
                    |max: f64, of: TeTm<Complex64>| max.max(of.te.norm()).max(of.tm.norm());
                [larger(r, reflection), larger(t, transmission)]
            });
        [flat_reflection(reflected), flat_transmission(transmitted)]
    }

    /// Reflected field divided by incident field. `cos_theta` is the cosine of incidence in `[0, 1]`; `from_front` says
    /// whether the wave comes from the side to which the face's normal points.
    ///
    /// # Source
    /// ITU-R P.2040-3, equations (31) and (43a), reduced by roughness and scattering. Theory page: `fresnel`, `slab`,
    /// `scattering`.
    pub fn reflection(&self, cos_theta: f64, from_front: bool) -> TeTm<Complex64> {
        if !self.variants.is_empty() {
            return self.strongest_of_variants(cos_theta, from_front)[0];
        }
        self.reflection_of(&self.response(cos_theta, from_front), cos_theta)
    }

    /// [`Self::reflection`] and [`Self::transmission`] for the cost of one.
    pub fn reflection_and_transmission(
        &self,
        cos_theta: f64,
        from_front: bool,
    ) -> [TeTm<Complex64>; 2] {
        if !self.variants.is_empty() {
            return self.strongest_of_variants(cos_theta, from_front);
        }
        let response = self.response(cos_theta, from_front);
        [
            self.reflection_of(&response, cos_theta),
            self.transmission_of(&response, cos_theta),
        ]
    }

    fn reflection_of(&self, response: &Response, cos_theta: f64) -> TeTm<Complex64> {
        let Texture {
            scattering,
            roughness,
        } = self.texture;
        let mut kept = 1.0;
        if let Some(scattering) = scattering {
            kept *= (1.0 - scattering.coefficient.powi(2)).max(0.0).sqrt();
        }
        if roughness > 0.0 {
            kept *= rayleigh_factor(roughness, self.wavelength, cos_theta);
        }
        response.reflection.map(|r| r * kept)
    }

    fn transmission_of(&self, response: &Response, cos_theta: f64) -> TeTm<Complex64> {
        if self.is_opaque {
            return TeTm {
                te: Complex64::ZERO,
                tm: Complex64::ZERO,
            };
        }
        if self.displaced == 0.0 {
            return response.transmission;
        }
        let of_air = Complex64::cis(self.displaced * cos_theta);
        response.transmission.map(|t| t * of_air)
    }

    /// [`Self::reflection`] of a smooth surface, which loses nothing to roughness and scattering.
    pub fn smooth_reflection(&self, cos_theta: f64, from_front: bool) -> TeTm<Complex64> {
        self.response(cos_theta, from_front).reflection
    }

    /// One over the complex relative permittivity of the medium at the face; zero for a perfect conductor.
    pub(super) fn inverse_permittivity(&self, from_front: bool) -> Complex64 {
        let side = if from_front { &self.front } else { &self.back };
        match (side.films.first(), side.backing) {
            (Some(film), _) => film.eta.inv(),
            (None, Backing::Medium(eta)) => eta.inv(),
            (None, Backing::PerfectConductor) => Complex64::ZERO,
        }
    }

    /// Its roughness and scattering.
    pub fn texture(&self) -> Texture {
        self.texture
    }

    /// Field behind the wall divided by the field there without the wall. The wall replaces air of the same thickness,
    /// whose phase is therefore removed. If the material [ignores the displaced air](Material::ignores_displaced_air), it
    /// is P.2040's value from face to face instead. Zero where [`Self::is_opaque`].
    ///
    /// # Source
    /// ITU-R P.2040-3, equations (43b) and (44). Theory page: `slab`.
    pub fn transmission(&self, cos_theta: f64, from_front: bool) -> TeTm<Complex64> {
        if !self.variants.is_empty() {
            return self.strongest_of_variants(cos_theta, from_front)[1];
        }
        self.transmission_of(&self.response(cos_theta, from_front), cos_theta)
    }

    /// The length by which the straight way through the layers exceeds that through the air that they displace, metres
    /// of air. This is the phase of one passage without echoes. It is zero if the displaced air is ignored, and if
    /// [`Self::is_opaque`].
    ///
    /// # Source
    /// Theory page: `slab`.
    pub fn excess_length(&self, cos_theta: f64) -> f64 {
        if self.displaced == 0.0 {
            return 0.0;
        }
        let of_film = |film: &Film| {
            let longer = Wave::in_medium(cos_theta, film.eta).normal.re - cos_theta;
            film.phase_thickness * longer
        };
        self.front.films.iter().map(of_film).sum::<f64>() * self.wavelength / TAU
    }

    /// Whether nothing is transmitted: half spaces, and slabs that contain a perfect conductor.
    pub fn is_opaque(&self) -> bool {
        self.is_opaque
    }

    /// Maximum number of turns of the phase through all layers and back.
    pub(super) fn max_turns(&self) -> f64 {
        let films = self.front.films.iter();
        films
            .map(|film| film.phase_thickness * film.eta.norm().sqrt())
            .sum::<f64>()
            / PI
    }

    fn response(&self, cos_theta: f64, from_front: bool) -> Response {
        let side = if from_front { &self.front } else { &self.back };
        let response = match &side.table {
            Some(table) => table.response(cos_theta),
            None => side.response(cos_theta),
        };
        match self.flat {
            [None, None] => response,
            flat => flattened(response, flat),
        }
    }

    /// The additional loss of a diffraction at an edge of the wall, dB.
    pub(crate) fn diffraction_loss_db(&self) -> f64 {
        self.diffraction_loss_db
    }

    /// The surfaces that it is [as strong as](Surfaces::strongest), in the order of [`Surfaces::variants`].
    pub(crate) fn variants(&self) -> &[Self] {
        &self.variants
    }
}

impl Stack {
    fn new<'a>(
        layers: impl Iterator<Item = &'a Layer>,
        frequency: Frequency,
    ) -> Result<Self, Error> {
        let mut films = Vec::new();
        for layer in layers {
            let Some(eta) = layer.medium.relative_permittivity(frequency)? else {
                return Ok(Self::of(films, Backing::PerfectConductor));
            };
            films.push(Film {
                eta,
                phase_thickness: frequency.wavenumber() * layer.thickness,
            });
        }
        Ok(Self::of(films, Backing::Medium(Complex64::ONE)))
    }

    fn of(films: Vec<Film>, backing: Backing) -> Self {
        Self {
            films,
            backing,
            table: None,
        }
    }

    fn response(&self, cos_theta: f64) -> Response {
        stack(&self.films, self.backing, cos_theta)
    }
}

/// All materials of a scene at one frequency. To evaluate known paths at another frequency or with other walls, only
/// this is exchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Surfaces {
    frequency: Frequency,
    by_material: Vec<Surface>,
    lossy_wedge: LossyWedge,
    scattering_phase: ScatteringPhase,
    passages: Passages,
    /// Frequency and form of diffraction of each of the surfaces that these are as strong as. Empty for ordinary ones.
    variants: Vec<(Frequency, LossyWedge)>,
}

/// The phase of the wave that one patch of wall scatters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScatteringPhase {
    /// The phase of the path over the patch's centre.
    #[default]
    Geometric,
    /// Each patch has a random phase in addition, the same on every run.
    Random {
        /// The seed: another one gives other phases.
        seed: u64,
    },
}

impl Surfaces {
    /// `materials` at `frequency`, in the order of their [`MaterialId`]s. [`crate::World`] finds the materials of a
    /// scene by name.
    ///
    /// # Errors
    /// [`Error::MaterialFrequency`] if the frequency is outside a medium's ranges.
    pub fn new(materials: &[Material], frequency: Frequency) -> Result<Self, Error> {
        let by_material = materials
            .iter()
            .map(|material| Surface::new(material, frequency))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            frequency,
            by_material,
            lossy_wedge: LossyWedge::default(),
            scattering_phase: ScatteringPhase::default(),
            passages: Passages::default(),
            variants: Vec::new(),
        })
    }

    /// Surfaces of one scene that keep at least as much of a wave as any of `sets` does: for traces that leave out
    /// nothing that one of them needs. Their frequency is the lowest. If all are equal, they are those. Diffraction has
    /// to be evaluated for each of [`Self::variants`].
    ///
    /// Only powers follow from them, and these are upper bounds.
    ///
    /// # Panics
    /// If there are none, or if they differ in the number of materials.
    pub(crate) fn strongest(sets: &[&Self]) -> Self {
        let first = sets[0];
        if sets.iter().all(|set| *set == first) {
            return first.clone();
        }
        let mut different: Vec<&Self> = Vec::with_capacity(sets.len());
        for set in sets {
            let count = set.by_material.len();
            assert_eq!(count, first.by_material.len(), "materials of one scene");
            if !different.contains(set) {
                different.push(set);
            }
        }
        let lower = |a: Frequency, b: Frequency| if b.hz() < a.hz() { b } else { a };
        let of_material = |id: usize| {
            let variants: Vec<_> = different
                .iter()
                .map(|set| set.by_material[id].clone())
                .collect();
            Surface::strongest(&variants)
        };
        Self {
            frequency: different
                .iter()
                .map(|set| set.frequency)
                .fold(first.frequency, lower),
            by_material: (0..first.by_material.len()).map(of_material).collect(),
            lossy_wedge: first.lossy_wedge,
            scattering_phase: first.scattering_phase,
            passages: first.passages,
            variants: different
                .iter()
                .map(|set| (set.frequency, set.lossy_wedge))
                .collect(),
        }
    }

    /// Frequency and form of diffraction of each of the surfaces that these are [as strong as](Self::strongest). Empty
    /// for ordinary ones.
    pub(crate) fn variants(&self) -> &[(Frequency, LossyWedge)] {
        &self.variants
    }

    /// The surfaces of other materials, with the settings of these.
    pub(crate) fn at(&self, materials: &[Material], frequency: Frequency) -> Result<Self, Error> {
        Ok(Self {
            lossy_wedge: self.lossy_wedge,
            scattering_phase: self.scattering_phase,
            passages: self.passages,
            ..Self::new(materials, frequency)?
        })
    }

    /// These surfaces with another form of diffraction at lossy wedges.
    #[must_use]
    pub fn with_lossy_wedge(self, lossy_wedge: LossyWedge) -> Self {
        Self {
            lossy_wedge,
            ..self
        }
    }

    /// These surfaces with reflection and transmission from tables: error 1e-4 for walls of some wavelengths, below
    /// 1e-3 for all.
    pub(crate) fn tabulated(mut self) -> Self {
        for surface in &mut self.by_material {
            for side in [&mut surface.front, &mut surface.back] {
                let turns = side.films.iter().map(Film::turns_by_angle).sum();
                side.table = Some(Table::new(turns, |cos_theta| side.response(cos_theta)));
            }
        }
        self
    }

    /// The form of diffraction at lossy wedges.
    pub fn lossy_wedge(&self) -> LossyWedge {
        self.lossy_wedge
    }

    /// These surfaces with other phases of scattered waves.
    #[must_use]
    pub fn with_scattering_phase(self, scattering_phase: ScatteringPhase) -> Self {
        Self {
            scattering_phase,
            ..self
        }
    }

    /// The phase of the waves that patches scatter.
    pub fn scattering_phase(&self) -> ScatteringPhase {
        self.scattering_phase
    }

    /// These surfaces for paths that may pass so many walls.
    #[must_use]
    pub fn with_passages(self, passages: Passages) -> Self {
        Self { passages, ..self }
    }

    /// The number of walls that paths may pass: edges of more walls are opaque. By default, all may be passed.
    pub fn passages(&self) -> Passages {
        self.passages
    }

    /// The frequency.
    pub fn frequency(&self) -> Frequency {
        self.frequency
    }

    /// The surface of material `id`.
    ///
    /// # Panics
    /// If there is no such material.
    pub fn surface(&self, id: MaterialId) -> &Surface {
        &self.by_material[id.index()]
    }
}
