//! Laws of diffracted fields, whatever the scene: exact solutions, continuity, reciprocity, limits.
mod continuity;
mod exact_wedge;
mod grazing;
mod knife_edges;
mod lossy_wedge;
mod passages;
mod reciprocity;
mod sheets;
mod thin_walls;
mod wall_moments;
mod world;
