//! The world that waves travel through: a scene, and the materials of its walls at one frequency.
//!
//! [`World::new`] is the one door: it finds the material of every wall by name and checks it at the frequency. Everything
//! behind, searches, fields and coverages, takes a `World` and can rely on it.

mod transparency;

pub(crate) use transparency::Transparency;

use std::sync::{Arc, OnceLock};

use crate::em::utd::LossyWedge;
use crate::em::{Passages, ScatteringPhase, Surface, Surfaces};
use crate::geometry::bvh::RayAccelerator;
use crate::materials::{Material, Materials, Medium};
use crate::scene::{FaceId, MaterialId, Scene};
use crate::{Error, Frequency};

/// A scene with the materials of its walls at one frequency. Cloning shares it.
///
/// ```
/// use keller::materials::{Material, Materials, Medium, ItuMaterial};
/// use keller::scene::{Mesh, Scene};
/// use keller::{DVec3, Frequency, World};
///
/// let mut mesh = Mesh::default();
/// mesh.add_polygon("concrete", &[[0., 0.], [9., 0.], [9., 9.], [0., 9.]].map(|[x, y]| DVec3::new(x, y, 0.)));
/// mesh.add_polygon("my wall", &[[0., 0.], [9., 0.], [9., 3.], [0., 3.]].map(|[x, z]| DVec3::new(x, 9., z)));
/// let brick = Material::slab(Medium::Itu(ItuMaterial::Brick), 0.24);
/// let world = World::new(Scene::new(&mesh)?, &Materials::from([("my wall", brick)]), Frequency::from_ghz(3.5)?)?;
///
/// // The same place at another frequency shares the scene.
/// let higher = world.at(Frequency::from_ghz(28.)?)?;
/// assert_eq!(higher.scene().faces().len(), 2);
///
/// // A name that nothing defines is an error.
/// let plain = World::new(Scene::new(&mesh)?, &Materials::default(), Frequency::from_ghz(3.5)?);
/// assert!(plain.unwrap_err().to_string().starts_with("material `my wall` is not known"));
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct World(Arc<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    scene: Arc<Scene>,
    /// The materials by [`crate::scene::MaterialId`], like `surfaces`.
    materials: Arc<[Material]>,
    surfaces: Surfaces,
    /// Found when it is first needed: fields do without.
    transparency: OnceLock<Transparency>,
}

impl World {
    /// `scene` with the materials that its walls name, at `frequency`.
    ///
    /// # Errors
    /// The errors of [`Materials::resolve`], and [`Error::MaterialFrequency`] for a frequency at which a material is
    /// not defined.
    pub fn new(
        scene: impl Into<Arc<Scene>>,
        materials: &Materials,
        frequency: Frequency,
    ) -> Result<Self, Error> {
        let scene = scene.into();
        let materials: Arc<[Material]> = of_scene(materials, &scene)?.into();
        let surfaces = Surfaces::new(&materials, frequency)?;
        Ok(Self::of(scene, materials, surfaces))
    }

    fn of(scene: Arc<Scene>, materials: Arc<[Material]>, surfaces: Surfaces) -> Self {
        // Fields need them in many threads at once. They are found in many threads too, which must not wait for each other.
        scene.joints();
        Self(Arc::new(Inner {
            scene,
            materials,
            surfaces,
            transparency: OnceLock::new(),
        }))
    }

    /// This place with its materials at another frequency, to compute other fields along paths that are known.
    ///
    /// # Errors
    /// [`Error::MaterialFrequency`]
    pub fn at(&self, frequency: Frequency) -> Result<Self, Error> {
        self.remade(Arc::clone(&self.0.materials), frequency)
    }

    /// This place at this frequency with other materials, to compute other fields along paths that are known.
    ///
    /// # Errors
    /// The errors of [`Self::new`].
    pub fn with_materials(&self, materials: &Materials) -> Result<Self, Error> {
        self.remade(of_scene(materials, self.scene())?, self.frequency())
    }

    /// This world with these materials, by [`MaterialId`](crate::scene::MaterialId).
    ///
    /// # Errors
    /// The errors of [`Material::check`], and [`Error::MaterialFrequency`].
    ///
    /// # Panics
    /// If there is not one for each of [`Self::materials`].
    pub fn with_each_material(&self, materials: Vec<Material>) -> Result<Self, Error> {
        let count = self.materials().len();
        assert_eq!(materials.len(), count, "one for each material of the scene");
        for (name, material) in self.scene().materials().iter().zip(&materials) {
            material.check(name)?;
        }
        self.remade(materials, self.frequency())
    }

    /// This place with walls that keep at least as much of a wave as those of any of these worlds do, at the lowest of
    /// their frequencies: see [`Surfaces::strongest`]. If all are equal, it is the first.
    ///
    /// # Panics
    /// If there are no worlds, or if they do not share one scene.
    pub(crate) fn strongest(worlds: &[&Self]) -> Self {
        let first = worlds[0];
        let surfaces: Vec<&Surfaces> = worlds.iter().map(|world| world.surfaces()).collect();
        for world in worlds {
            first.assert_same_scene(world);
        }
        let scene = Arc::clone(&first.0.scene);
        let materials = Arc::clone(&first.0.materials);
        Self::of(scene, materials, Surfaces::strongest(&surfaces))
    }

    /// # Panics
    /// If the other world has another scene, or a copy of it.
    pub(crate) fn assert_same_scene(&self, other: &Self) {
        assert!(
            Arc::ptr_eq(&self.0.scene, &other.0.scene),
            "both worlds must share one scene: make the second from the first, or from its shared scene"
        );
    }

    /// This world with another form of the diffraction at lossy wedges.
    #[must_use]
    pub fn with_lossy_wedge(self, lossy_wedge: LossyWedge) -> Self {
        self.with_surfaces(|surfaces| surfaces.with_lossy_wedge(lossy_wedge))
    }

    /// This world with other phases of scattered waves.
    #[must_use]
    pub fn with_scattering_phase(self, scattering_phase: ScatteringPhase) -> Self {
        self.with_surfaces(|surfaces| surfaces.with_scattering_phase(scattering_phase))
    }

    /// This world for paths that may pass so many walls. Edges of more walls are opaque, so that the field behind them
    /// has no step where the search leaves out passing waves. [`Limits::world`](crate::paths::Limits::world) takes it
    /// from the limits of a search; coverages do so by themselves.
    #[must_use]
    pub fn with_passages(self, passages: Passages) -> Self {
        if self.surfaces().passages() == passages {
            return self;
        }
        self.with_surfaces(|surfaces| surfaces.with_passages(passages))
    }

    /// This world with a scene whose large batches of rays `accelerator` answers ([`Scene::with_accelerator`]).
    #[must_use]
    pub fn with_accelerator(self, accelerator: Arc<dyn RayAccelerator>) -> Self {
        let inner = Arc::unwrap_or_clone(self.0);
        let scene = Arc::unwrap_or_clone(inner.scene).with_accelerator(accelerator);
        Self(Arc::new(Inner {
            scene: Arc::new(scene),
            ..inner
        }))
    }

    /// This world with reflection and transmission from tables: see [`Surfaces::tabulated`].
    pub(crate) fn tabulated(self) -> Self {
        // The transparency is not read from tables.
        self.transparency();
        self.with_surfaces(Surfaces::tabulated)
    }

    /// This world with these materials, by [`MaterialId`], which are not checked, at any frequency.
    ///
    /// # Errors
    /// [`Error::MaterialFrequency`]
    pub(crate) fn remade(
        &self,
        materials: impl Into<Arc<[Material]>>,
        frequency: Frequency,
    ) -> Result<Self, Error> {
        let materials = materials.into();
        let surfaces = self.surfaces().at(&materials, frequency)?;
        Ok(Self::of(Arc::clone(&self.0.scene), materials, surfaces))
    }

    fn with_surfaces(self, change: impl FnOnce(Surfaces) -> Surfaces) -> Self {
        let inner = Arc::unwrap_or_clone(self.0);
        Self(Arc::new(Inner {
            surfaces: change(inner.surfaces),
            ..inner
        }))
    }

    /// The place.
    pub fn scene(&self) -> &Scene {
        &self.0.scene
    }

    /// The place, to be shared.
    pub fn shared_scene(&self) -> &Arc<Scene> {
        &self.0.scene
    }

    /// The frequency of the materials.
    pub fn frequency(&self) -> Frequency {
        self.0.surfaces.frequency()
    }

    /// The material of each of [`Scene::materials`].
    pub fn materials(&self) -> &[Material] {
        &self.0.materials
    }

    /// The surfaces of the materials at the frequency.
    pub fn surfaces(&self) -> &Surfaces {
        &self.0.surfaces
    }

    /// The surface of a face, at the frequency.
    pub fn surface(&self, face: FaceId) -> &Surface {
        self.surfaces().surface(self.scene().face(face).material)
    }

    /// Whether any wall scatters waves diffusely.
    pub fn scatters(&self) -> bool {
        self.transparency().scatters.contains(&true)
    }

    pub(crate) fn transparency(&self) -> &Transparency {
        let inner = &self.0;
        (inner.transparency).get_or_init(|| Transparency::of(&inner.scene, &inner.surfaces))
    }
}

/// The material of each of the scene's names. Those that no face has need no definition, and stand as perfect conductors.
fn of_scene(materials: &Materials, scene: &Scene) -> Result<Vec<Material>, Error> {
    let mut is_used = vec![false; scene.materials().len()];
    for face in scene.faces() {
        is_used[face.material.index()] = true;
    }
    let ids = || (0..is_used.len()).filter(|id| is_used[*id]);
    let used = ids().map(|id| {
        let definition = scene.definition(MaterialId::from_index(id));
        (scene.materials()[id].as_str(), definition)
    });
    let mut all = vec![Material::HalfSpace(Medium::PerfectConductor); is_used.len()];
    for (id, material) in ids().zip(materials.resolve(used)?) {
        all[id] = material;
    }
    Ok(all)
}
