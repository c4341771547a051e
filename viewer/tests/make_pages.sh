#!/usr/bin/env bash
# Makes pages of the examples for browser tests: make_pages.sh KELLER FOLDER
set -euo pipefail
keller=$(realpath "$1")
mkdir -p "$2"
pages=$(realpath "$2")
rm -f "$pages"/*.html
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$(dirname "$0")/../../examples" "$work/examples"
cd "$work"
keller() { "$keller" "$@" >/dev/null 2>log || { cat log >&2; exit 1; }; }

# Paths, channels, and a map of two heights with all layers.
room=examples/room/scenario.toml
keller paths $room -o paths.parquet
keller channel $room -o channel.csv
keller coverage $room -o coverage.npz
keller view $room paths.parquet channel.csv coverage.npz -o "$pages/room.html"

# Surfaces: the room's scenario with another coverage.
sed '/^\[coverage\]/,/^\[tiles\]/{/^\[tiles\]/!d}' $room >examples/room/surfaces.toml
printf '[coverage]\nengine = "surfaces"\n' >>examples/room/surfaces.toml
keller coverage examples/room/surfaces.toml -o surfaces.npz
keller view examples/room/surfaces.toml surfaces.npz -o "$pages/surfaces.html"

# A village that says where on earth it lies, on terrain, from two Tx.
keller import examples/village/village.geojson examples/village/hill.asc -o examples/village/village.glb
keller coverage examples/village/scenario.toml -o village.zarr
keller view examples/village/scenario.toml village.zarr -o "$pages/village.html"

# Measured points beside predictions.
drive=examples/drive_test/scenario.toml
keller compare $drive examples/drive_test/drive.csv -o drive.parquet
keller view $drive drive.parquet -o "$pages/drive.html"

keller demo -o demo
# Receivers of which some have no place: the grid reaches beyond the ground.
sed '/^\[\[rx\]\]/,/^file/c [[rx]]\ngrid = { min = [-100, -60], max = [140, 60], spacing = 12, height_above_ground = 1.5 }' \
    demo/scenario.toml >demo/left_out.toml
keller paths demo/left_out.toml -o left_out.csv
keller view demo/left_out.toml left_out.csv -o "$pages/left_out.html"

# Names of strangers.
hostile='</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>'
sed "s|^usemtl roof|usemtl $hostile|" demo/district.obj >demo/hostile.obj
sed "s|district.obj|hostile.obj|; s|\"mast\"|'$hostile'|; s|^search = .*||; s|^\[materials.roof\]|[materials.\"$hostile\"]|" \
    demo/scenario.toml >demo/hostile.toml
keller paths demo/hostile.toml -o hostile.parquet
keller view demo/hostile.toml hostile.parquet -o "$pages/hostile.html"

# A device that moves: snapshots.
sed 's/^position = .*/position = [100, 40, 10]/' demo/scenario.toml >demo/later.toml
keller paths demo/later.toml -o later.paths
keller view demo/scenario.toml demo/paths.csv demo/later.toml later.paths -o "$pages/town.html"
