//! Keys of the place: scene files, materials, vegetation, moving objects.

use keller::geometry::tolerance::MAX_COORDINATE;
use keller::materials::{ItuEdition, MAX_FLAT_LOSS_DB, MAX_LOBE_EXPONENT};

use crate::formats::import::{Unit, Up};
use crate::scenario::key_types::{
    FLAG, Key, KeyType, Range, Shape, TEXT, any, at_least, at_most, choice, file, key, list, name,
    names_of, number, positive, tables, vector, whole, within,
};

/// The axes that may point up.
pub(in crate::scenario) const UP_NAMES: [(&str, Up); 2] = [("y", Up::Y), ("z", Up::Z)];

pub(super) const XY: [&str; 2] = ["x", "y"];
pub(super) const XYZ: [&str; 3] = ["x", "y", "z"];

/// The range of coordinates in which the simulator keeps its accuracy.
pub(super) const COORDINATE: Range = Range::AtMost(MAX_COORDINATE);

/// The range of angles between facets of terrain, degrees: gentler ones are no wedges in any scene, and larger ones are
/// no slopes.
const WEDGES_DEG: [f64; 2] = [0.57, 90.0];

/// A place, with its height or without.
pub(super) const PLACES: &[Shape] = &[
    Shape::Vector(&XYZ, COORDINATE),
    Shape::Vector(&XY, COORDINATE),
];

/// The range of velocities, well below that of light: shifts are first order in them.
pub(super) const VELOCITIES: KeyType = vector(&["vx", "vy", "vz"], Range::AtMost(1e6)).unit("m/s");

/// The keys of `[scene]`.
pub(in crate::scenario) const SCENE: &[Key] = &[
    key(
        "file",
        file("a scene file"),
        "one of `file`, `files` is needed",
        "The scene file. Its extension says the format.",
    ),
    key(
        "files",
        list(&Shape::File("scene files"))
            .said("a list of names of scene files, relative to the scenario"),
        "one of `file`, `files` is needed",
        "Several files that together are the scene.",
    ),
    key(
        "default_material",
        name("a material of [materials] or of ITU-R P.2040"),
        "an unknown name is an error",
        "The material of names that nothing defines.",
    ),
    key(
        "default_thickness",
        positive("metres"),
        "half spaces",
        "Makes a slab of every wall that has no thickness of its own, so that waves can pass.",
    ),
    key(
        "up",
        choice(&names_of(&UP_NAMES)).note(": of files whose format does not say"),
        "a comment at the head of the file, else the shape of all such files, else `z` with a warning",
        "The axis of OBJ, PLY and STL files that points up.",
    ),
    key(
        "unit",
        choice(&names_of(&Unit::NAMES)).note(": of meshes"),
        "metres, unless a comment at the head of the file says otherwise",
        "The unit of meshes that do not say where on earth they lie. Absurd sizes give a warning.",
    ),
    key(
        "terrain_wedge_deg",
        within(
            WEDGES_DEG[0],
            WEDGES_DEG[1],
            "degrees: what bends less is smooth everywhere",
        ),
        "0.57",
        "Bends between facets of terrain below this angle are no wedges but a smooth surface: waves are reflected there, and not diffracted.",
    ),
    key(
        "terrain_error_m",
        at_least(0.0, "metres"),
        "terrain stays as it is",
        "Terrain becomes fewer facets, nowhere farther than this from the given ones in height. Outlines, borders between \
         materials and the feet of walls stay.",
    ),
    key(
        "cache",
        file("").said(
            "a name that ends in `.keller`, in the folder of the scenario or one below; \
             `--scene-cache` puts it elsewhere",
        ),
        "the scene is built at every run",
        "Keeps the built scene. keller reads it instead of the scene files while these and the keys of this section that shape it are unchanged, and makes it anew with a note otherwise.",
    ),
    key(
        "itu_below_range",
        choice(&["warn", "allow", "forbid"])
            .note(": materials of ITU-R P.2040 below the frequencies that it states"),
        "`warn`",
        "What to do below a material's frequency range: extrapolate down to 100 MHz with or without a warning, or \
         refuse.",
    ),
    key(
        "itu_edition",
        choice(&names_of(&ItuEdition::NAMES)),
        "`P.2040-4`",
        "The edition of ITU-R P.2040 whose table holds. P.2040-4 adds materials and frequencies up to 450 GHz; with \
         P.2040-3 these are errors. Where both state a value, it is the same.",
    ),
];

/// The keys of `[[building]]`.
pub(in crate::scenario) const BUILDING: &[Key] = &[
    key(
        "file",
        file("a scene file of any format"),
        "needed",
        "The model: walls, floors and what else is inside, in its own axes. Materials are those of [materials], as \
         in scene files.",
    ),
    key(
        "name",
        TEXT,
        "the name of the file without its extension",
        "A name for messages and results.",
    ),
    key(
        "position",
        any(PLACES).said(
            "three numbers [x, y, z] of at most 1e7, metres; or [x, y] beside \
             `height_above_ground` or `altitude`",
        ),
        "`longitude` and `latitude`, or the place on earth that the model's file states",
        "Where the model's (0, 0, 0) stands in the scene.",
    ),
    key(
        "longitude",
        within(-180.0, 180.0, "degrees on WGS 84, beside `latitude`"),
        "`position`",
        "In place of x, in a scene that says where on earth it lies.",
    ),
    key(
        "latitude",
        within(-90.0, 90.0, "degrees on WGS 84, beside `longitude`"),
        "`position`",
        "In place of y, in a scene that says where on earth it lies.",
    ),
    key(
        "height_above_ground",
        at_most(MAX_COORDINATE, "metres"),
        "z",
        "In place of z: the height of the model's z = 0 above the ground of the scene files at its (0, 0).",
    ),
    key(
        "altitude",
        at_most(MAX_COORDINATE, "metres"),
        "z",
        "In place of z: the height of the model's z = 0 above the zero of heights of the scene's reference system.",
    ),
    key(
        "rotation_deg",
        number("degrees anticlockwise seen from above"),
        "0",
        "How far the model's +x is turned from the scene's +x.",
    ),
    key(
        "replaces",
        any(&[
            Shape::Choice(&["overlap", "nothing"]),
            Shape::List(&Shape::Vector(&XY, COORDINATE)),
            Shape::Tables("ReplacedOptions", REPLACED),
            Shape::List(&Shape::Text),
        ])
        .said(
            "overlap, nothing, a list of points [x, y] of the scene or { longitude, latitude } \
             that lie on buildings, or a list of names of objects of the scene files",
        ),
        "`overlap`",
        "The buildings that the model takes the place of. `overlap`: those of which at least half lies under the \
         model, or that cover at least half of it.",
    ),
    key(
        "leave_out",
        list(&Shape::Text).said("a list of names of materials or objects of the model"),
        "nothing",
        "Parts of the model that do not come along, such as its own ground.",
    ),
    key(
        "up",
        choice(&names_of(&UP_NAMES)).note(": of files whose format does not say"),
        "as in [scene], for this file alone",
        "The axis of an OBJ, PLY or STL model that points up.",
    ),
    key(
        "unit",
        choice(&names_of(&Unit::NAMES)).note(": of meshes"),
        "as in [scene], for this file alone",
        "The unit of a model that does not say where on earth it lies.",
    ),
];

/// The keys of a place of `replaces` of `[[building]]`.
pub(in crate::scenario) const REPLACED: &[Key] = &[
    key(
        "longitude",
        within(-180.0, 180.0, "degrees on WGS 84, beside `latitude`"),
        "needed",
        "Of a point on the building.",
    ),
    key(
        "latitude",
        within(-90.0, 90.0, "degrees on WGS 84, beside `longitude`"),
        "needed",
        "Of a point on the building.",
    ),
];

/// The keys of `[[opening]]`.
pub(in crate::scenario) const OPENING: &[Key] = &[
    key(
        "walls",
        any(&[Shape::Text, Shape::List(&Shape::Text)])
            .said("the name of a material of walls, or a list of them"),
        "walls of all materials; one of `walls`, `buildings` is needed",
        "The walls that get openings, by their material.",
    ),
    key(
        "buildings",
        any(&[Shape::Text, Shape::List(&Shape::Text)]).said(
            "the name of a [[building]] or of an object of the scene files, or a list of them",
        ),
        "all buildings; one of `walls`, `buildings` is needed",
        "The buildings whose walls get openings.",
    ),
    key(
        "material",
        name("a material"),
        "one of `material`, `open` is needed",
        "What fills the openings, such as the glass of windows or the wood of doors.",
    ),
    key("open", FLAG, "`false`", "Nothing fills the openings."),
    key(
        "width",
        at_least(0.01, "metres"),
        "needed",
        "The width of each opening.",
    ),
    key(
        "height",
        at_least(0.01, "metres"),
        "needed",
        "The height of each opening.",
    ),
    key(
        "sill",
        at_least(0.0, "metres"),
        "0",
        "The height of an opening's lower border above the floor, which is the foot of the wall or a whole number of \
         storeys above it.",
    ),
    key(
        "spacing",
        number("metres, at least 0.01 more than `width`"),
        "needed",
        "The distance between the centres of openings along the wall.",
    ),
    key(
        "storey",
        number("metres, at least 0.01 more than `height`"),
        "one row above the foot of the wall",
        "The height of a storey: every storey up to the top of the wall gets a row.",
    ),
    key(
        "margin",
        at_least(0.01, "metres"),
        "0.3",
        "No opening comes nearer to the ends of the wall, to its top and to a face that joins it.",
    ),
];

/// The keys of `[materials.NAME]`.
pub(in crate::scenario) const MATERIAL: &[Key] = &[
    key(
        "itu",
        name("a material of ITU-R P.2040"),
        "one of `itu`, `permittivity`, `pec`, `layers` is needed",
        "Takes permittivity and conductivity from ITU-R P.2040 at the carrier, or at each frequency of a band.",
    ),
    key(
        "permittivity",
        at_least(1.0, ""),
        "see `itu`",
        "Real part of the relative permittivity, the same at every frequency.",
    ),
    key(
        "conductivity",
        at_least(0.0, "S/m"),
        "0",
        "Conductivity, beside `permittivity`.",
    ),
    key("pec", FLAG, "see `itu`", "A perfect electric conductor."),
    key(
        "thickness",
        positive("metres"),
        "a half space, which nothing passes",
        "Makes the wall a slab that waves can pass.",
    ),
    key(
        "layers",
        tables("LayerOptions", LAYER).said(
            "a list of tables from front to back, each with thickness and one of itu, \
             permittivity, pec",
        ),
        "see `itu`",
        "A slab of several layers. The front is the side to which the face's normal points.",
    ),
    key(
        "scattering",
        within(0.0, 1.0, ""),
        "0",
        "Amplitude scattered diffusely over the amplitude that a smooth wall reflects.",
    ),
    key(
        "scattering_pattern",
        choice(&["lambertian", "directive", "backscattering"]),
        "`lambertian`",
        "The shape of the scattered lobe.",
    ),
    key(
        "scattering_alpha",
        whole(1, MAX_LOBE_EXPONENT as usize),
        "4",
        "How narrow the forward lobe is.",
    ),
    key(
        "scattering_alpha_back",
        whole(1, MAX_LOBE_EXPONENT as usize),
        "4",
        "How narrow the backward lobe is.",
    ),
    key(
        "scattering_forward_share",
        within(0.0, 1.0, ""),
        "0.8",
        "Weight of the forward lobe of a `backscattering` wall.",
    ),
    key(
        "cross_polarization",
        within(0.0, 1.0, ""),
        "0",
        "Share of the scattered power in the other polarisation.",
    ),
    key(
        "roughness",
        within(0.0, 1000.0, "metres"),
        "0",
        "Standard deviation of the surface's height. It weakens reflections.",
    ),
    key(
        "transmission_loss_db",
        within(0.0, MAX_FLAT_LOSS_DB, "dB"),
        "what the layers let pass",
        "What a passage through the wall costs, at every angle. Waves then pass whatever the wall is made of, without added delay.",
    ),
    key(
        "reflection_loss_db",
        within(0.0, MAX_FLAT_LOSS_DB, "dB"),
        "what the layers reflect",
        "What a reflection costs, at every angle. With `transmission_loss_db` beside it, no medium is needed.",
    ),
    key(
        "diffraction_loss_db",
        within(0.0, MAX_FLAT_LOSS_DB, "dB"),
        "0",
        "What a diffraction at an edge of the wall costs in addition, half of it for each wall of a wedge.",
    ),
    key(
        "ignore_displaced_air",
        FLAG,
        "`false`",
        "`true` keeps the coefficient from face to face, as other tools do. `false` lets the slab replace as much \
         air as it is thick, in phase and delay.",
    ),
];

/// The keys of an entry of `layers`.
pub(in crate::scenario) const LAYER: &[Key] = &[
    key(
        "itu",
        name("a material of ITU-R P.2040"),
        "one of `itu`, `permittivity`, `pec` is needed",
        "As in `[materials.NAME]`.",
    ),
    key(
        "permittivity",
        at_least(1.0, ""),
        "see `itu`",
        "As in `[materials.NAME]`.",
    ),
    key(
        "conductivity",
        at_least(0.0, "S/m"),
        "0",
        "As in `[materials.NAME]`.",
    ),
    key("pec", FLAG, "see `itu`", "As in `[materials.NAME]`."),
    key(
        "thickness",
        positive("metres"),
        "needed",
        "Thickness of the layer.",
    ),
];

/// The keys of `[[clutter]]`.
pub(in crate::scenario) const CLUTTER: &[Key] = &[
    key("name", TEXT, "none", "A name for messages."),
    key(
        "polygon",
        list(&Shape::Vector(&XY, COORDINATE))
            .said("a list of three or more corners [x, y] of at most 1e7, metres"),
        "needed",
        "The outline from above.",
    ),
    key(
        "height",
        positive("metres above `base`"),
        "needed",
        "Height of the volume.",
    ),
    key(
        "base",
        at_most(MAX_COORDINATE, "").note(": z of its foot, metres"),
        "the lowest place of the scene",
        "Where the volume begins.",
    ),
    key(
        "attenuation_db_per_m",
        at_least(0.0, "dB/m"),
        "needed",
        "Loss of a short way inside.",
    ),
    key(
        "max_attenuation_db",
        positive("dB"),
        "no such limit",
        "What the loss of a long way inside comes to.",
    ),
];

/// The keys of `[[moving]]`.
pub(in crate::scenario) const MOVING: &[Key] = &[
    key(
        "material",
        name("a material of the scene"),
        "needed",
        "The material that moves.",
    ),
    key("velocity", VELOCITIES, "needed", "Its velocity."),
];
