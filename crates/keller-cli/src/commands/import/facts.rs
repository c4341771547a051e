//! Summarises an import, for people and for scripts.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use glam::DVec2;
use keller::scene::{Defects, Scene};
use keller_geo::crs::Frame;
use keller_geo::site::GroundKind;
use serde_json::{Value, json};

use super::Joined;
use crate::args::ImportArgs;
use crate::memory;
use crate::report::write_table;
use crate::summary::Clock;

/// The summary of an import.
pub(super) struct Facts {
    out: PathBuf,
    num_buildings: usize,
    num_volumes: usize,
    num_triangles: usize,
    ground: Option<GroundKind>,
    terrain_error: f64,
    crs: Option<String>,
    /// Longitude and latitude of the local (0, 0), degrees.
    lon_lat: Option<[f64; 2]>,
    size: [f64; 3],
    defects: Defects,
    num_free_edges: usize,
    pub(super) clock: Clock,
}

impl Facts {
    pub(super) fn of(joined: &Joined, scene: &Scene, args: &ImportArgs, clock: Clock) -> Self {
        let georeference = joined.imported.georeference.as_ref();
        let frame = georeference.and_then(|georeference| Frame::new(georeference).ok());
        let [low, high] = scene.bounds();
        Self {
            out: args.out.clone(),
            num_buildings: joined.num_buildings,
            num_volumes: joined.clutter.len(),
            num_triangles: joined.imported.mesh.triangles.len(),
            ground: joined.ground,
            terrain_error: args.terrain_error,
            crs: georeference.map(|georeference| georeference.crs.clone()),
            lon_lat: frame
                .and_then(|frame| frame.to_lon_lat(DVec2::ZERO).ok())
                .map(|at| at.to_array()),
            size: (high - low).to_array(),
            defects: scene.defects(),
            num_free_edges: scene.edges().iter().filter(|edge| !edge.is_wedge()).count(),
            clock,
        }
    }

    fn ground(&self) -> String {
        match self.ground {
            None => "as in the files".to_owned(),
            Some(GroundKind::Plane(elevation)) => format!("a plane at {elevation} m"),
            Some(GroundKind::Feet { triangles }) => {
                format!("{triangles} triangles through the feet of the buildings")
            }
            Some(GroundKind::Terrain { nodes, triangles }) => format!(
                "{triangles} triangles within {} m of {nodes} heights",
                self.terrain_error
            ),
        }
    }

    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let [x, y, z] = self.size;
        let crs = self
            .crs
            .as_deref()
            .unwrap_or("not known: metres of the files");
        let mut rows = vec![
            ("file", self.out.display().to_string()),
            ("buildings", self.num_buildings.to_string()),
            ("volumes of vegetation", self.num_volumes.to_string()),
            ("triangles", self.num_triangles.to_string()),
            ("ground", self.ground()),
            ("size", format!("{x:.0} m x {y:.0} m x {z:.0} m")),
            ("coordinate reference system", crs.to_owned()),
        ];
        if let Some([lon, lat]) = self.lon_lat {
            rows.push((
                "longitude, latitude of (0, 0)",
                format!("{lon:.6}, {lat:.6}"),
            ));
        }
        rows.push(("defects", Flaws(&self.defects).to_string()));
        let rows: Vec<Vec<String>> = rows
            .into_iter()
            .map(|(name, value)| vec![name.to_owned(), value])
            .collect();
        write_table(out, &["scene ", " "], &rows)
    }

    pub(super) fn json(&self) -> Value {
        let ground = match self.ground {
            None => Value::Null,
            Some(GroundKind::Plane(elevation)) => json!({ "plane_m": elevation }),
            Some(GroundKind::Feet { triangles }) => json!({ "triangles": triangles }),
            Some(GroundKind::Terrain { nodes, triangles }) => {
                json!({ "triangles": triangles, "heights": nodes, "max_error_m": self.terrain_error })
            }
        };
        json!({
            "file": self.out,
            "buildings": self.num_buildings,
            "volumes": self.num_volumes,
            "triangles": self.num_triangles,
            "ground": ground,
            "size_m": self.size,
            "crs": self.crs,
            "longitude_latitude": self.lon_lat,
            "cracks": self.defects.near_vertices,
            "t_junctions": self.defects.t_junctions,
            "non_manifold_edges": self.defects.non_manifold_edges,
            "overlapping_triangles": self.defects.overlapping_triangles,
            "free_edges": self.num_free_edges,
            "seconds": self.clock.json(),
            "peak_memory_bytes": memory::peak(),
        })
    }
}

/// Defects that there are, in words.
struct Flaws<'a>(&'a Defects);

impl fmt::Display for Flaws<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            ("cracks closed", self.0.near_vertices),
            ("T-junctions", self.0.t_junctions),
            (
                "triangles without area left out",
                self.0.zero_area_triangles,
            ),
            ("duplicate triangles left out", self.0.duplicate_triangles),
            (
                "pairs of overlapping triangles",
                self.0.overlapping_triangles,
            ),
            ("borders of more than two faces", self.0.non_manifold_edges),
        ];
        let found: Vec<String> = all
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(what, count)| format!("{count} {what}"))
            .collect();
        if found.is_empty() {
            return f.write_str("none");
        }
        f.write_str(&found.join(", "))
    }
}
