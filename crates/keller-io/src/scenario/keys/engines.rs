//! Keys of engines: beams, streets, tiles.

use keller::coverage::beams::Combination;
use keller::models::{City, Streets};

use super::place::{XY, XYZ};
use crate::scenario::key_types::{
    FLAG, Key, Range, Shape, any, at_least, choice, file, key, names_of, positive, tables, vector,
    whole, within,
};

/// The ways to add up beams to one cell.
pub(in crate::scenario) const COMBINATIONS: [(&str, Combination); 2] = [
    ("sum", Combination::Sum),
    ("strongest", Combination::Strongest),
];

/// The kinds of cities.
pub(in crate::scenario) const CITIES: [(&str, City); 2] =
    [("medium", City::Medium), ("metropolitan", City::Large)];

/// The range of a loss: larger numbers are mistakes.
const LOSS: Range = Range::AtMost(1e4);

/// The keys of `[beams]`.
pub(in crate::scenario) const BEAMS: &[Key] = &[
    key(
        "corners",
        whole(0, 16),
        "2",
        "The most corners around which a wave goes from street to street.",
    ),
    key(
        "through_walls",
        FLAG,
        "`true`",
        "Whether the straight line through walls counts.",
    ),
    key(
        "indoors",
        FLAG,
        "`false`",
        "Whether cells in buildings are filled too, through walls and over roofs.",
    ),
    key(
        "combine",
        choice(&names_of(&COMBINATIONS)),
        "`sum`",
        "How several paths to one cell count: the sum of their powers, or the strongest alone.",
    ),
    key(
        "corner_loss_db",
        vector(&["a", "b", "c"], LOSS).unit("dB"),
        "[15, 16, -2.5]",
        "A bend by the angle α (radians) around a corner costs a + b α + c α² dB.",
    ),
    key(
        "roof_loss_db",
        vector(&["a", "b", "c"], LOSS).unit("dB"),
        "[11, 17, -2.7]",
        "The same for a bend over a roof.",
    ),
    key(
        "wall_loss_db",
        vector(&["a", "b"], LOSS).unit("dB"),
        "[10, 8]",
        "n walls on the straight line cost a + b n dB.",
    ),
];

/// The keys of `[streets]`.
pub(in crate::scenario) const STREETS: &[Key] = &[
    key(
        "roof_height",
        within(Streets::ROOF_HEIGHTS[0], Streets::ROOF_HEIGHTS[1], "metres"),
        "15",
        "Height of the roofs over the ground.",
    ),
    key(
        "street_width",
        within(Streets::WIDTHS[0], Streets::WIDTHS[1], "metres"),
        "half of `building_separation`",
        "Width of the street in which the receiver is.",
    ),
    key(
        "building_separation",
        within(Streets::WIDTHS[0], Streets::WIDTHS[1], "metres"),
        "30",
        "From the centre of a row of houses to that of the next.",
    ),
    key(
        "street_angle_deg",
        within(0.0, 90.0, "degrees"),
        "90",
        "Angle between the street and the line from Tx to receiver.",
    ),
    key(
        "city",
        choice(&names_of(&CITIES)),
        "`medium`",
        "Medium-sized cities and suburbs with some trees, or metropolitan centres.",
    ),
];

/// The keys of `[tiles]`.
pub(in crate::scenario) const TILES: &[Key] = &[
    key(
        "side",
        positive("metres"),
        "about 10 m, or less where a scene has fewer than 3 000 such tiles",
        "Wanted length of a tile's side.",
    ),
    key(
        "ground_side",
        positive("metres"),
        "`side`",
        "The same for faces on the ground.",
    ),
    key(
        "min_face_area",
        at_least(0.0, "square metres"),
        "0",
        "Faces of less area get no tiles.",
    ),
    key(
        "terrain_grid",
        FLAG,
        "`true`",
        "Terrain of many facets is cut by one horizontal grid, so that a tile spans the bends in its cell. `false`: each \
         facet has its own tiles, however small it is.",
    ),
    key(
        "under_buildings",
        FLAG,
        "`false`",
        "Whether ground under buildings has tiles, and the undersides of buildings that reach into the ground. `true` \
         for devices in buildings that have no floor of their own.",
    ),
    key(
        "search_from_tiles",
        FLAG,
        "`false`",
        "`true`: coverages of surfaces look for paths with diffractions from every tile, as from a receiver of \
         `search = \"complete\"`. None of one diffraction is then lost; in a city it takes about 20 processor milliseconds a tile. \
         `false`: they go from tile to tile, which loses some of several interactions.",
    ),
    key(
        "sample_beyond",
        whole(1, usize::MAX),
        "all are found",
        "Coverages of surfaces find paths with a diffraction one by one up to so many interactions, where each further \
         diffraction counts twice. Rays sample the power of the others, so that the time hardly depends on how many they \
         are. For paths of many interactions in cities: 3. Less is rough, and refused where `max_diffractions` is above 1.",
    ),
    key(
        "refine",
        tables("RefineOptions", REFINE).said("a list of tables: [[tiles.refine]]"),
        "tiles are as large everywhere",
        "Where tiles are smaller, such as around a Tx.",
    ),
    key(
        "visibility",
        file("a file of `keller visibility`"),
        "found at every run",
        "What the tiles see of each other, kept by `keller visibility` for the same tiles.",
    ),
];

/// The keys of an entry of `refine` of `[tiles]`.
pub(in crate::scenario) const REFINE: &[Key] = &[
    key(
        "centre",
        any(&[
            Shape::Vector(&XY, Range::All),
            Shape::Vector(&XYZ, Range::All),
        ])
        .said("[x, y] or [x, y, z], metres"),
        "needed",
        "The point around which tiles are smaller. Without z, distances from it are those seen from above.",
    ),
    key(
        "radius",
        positive("metres"),
        "needed",
        "How far from that point tiles are smaller.",
    ),
    key(
        "side",
        positive("metres"),
        "needed",
        "Longest side of a tile there.",
    ),
];
