#!/bin/sh
# Fuzzes each importer, antenna patterns, places, terrain, coordinate systems and visibility files among them, for the given number of seconds (60 if none is given), beginning with the scenes of ../cases.
# Needs cargo-fuzz and a nightly toolchain. What it finds lies in artifacts/.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
[ $# -gt 0 ] && shift
for target in ${*:-ply obj stl gltf mitsuba pattern crs terrain place visibility scenario paths unit plan kept gains table measurements}; do
    mkdir -p "corpus/$target"
    for folder in ../cases/*/; do
        case=$(basename "$folder")
        case $target in
            ply) for mesh in "$folder"meshes/*.ply; do cp "$mesh" "corpus/ply/$case-$(basename "$mesh")"; done ;;
            obj) cp "${folder}scene.obj" "corpus/obj/$case.obj"; cp "${folder}scene_ngon.obj" "corpus/obj/$case-ngon.obj" ;;
            gltf) cp "${folder}scene.glb" "corpus/gltf/$case.glb" ;;
            mitsuba)
                for xml in "$folder"*.xml; do
                    # The scene, a zero, and the mesh that all its shapes get.
                    { cat "$xml"; printf '\0'; cat "$(ls "$folder"meshes/*.ply | head -n 1)"; } > "corpus/mitsuba/$case-$(basename "$xml")"
                done ;;
        esac
    done
    cp seeds/"$target"/* "corpus/$target/" 2>/dev/null || true
    cargo +nightly fuzz run --fuzz-dir . "$target" -- -max_total_time="$seconds" -max_len=40000 -timeout=10 -rss_limit_mb=2048 \
        -dict="dictionaries/$target.txt"
done
