#!/usr/bin/env python3
"""Times of `keller paths` for more and more receivers, by `launch` and by `tubes`, and the power of a link that each search misses.

    many_receivers.py PROGRAM SCENE RX.csv [--depth N] [--below DB] [--most-of-launch N] [--counts N,N,...]

SCENE is munich.xml of the `sionna-rt` wheel, and RX.csv comes from `peer/munich.py receivers RX.csv COUNT`. 3.5 GHz, Tx (8.5, 21, 27), up to
three walls passed and one diffraction, up to N interactions and walls together, paths down to DB below the sum of their link.
`launch --effort thorough` for the first hundred receivers, with all that the other two find, is what a link has.
"""

import argparse
import csv
import math
import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path

SCENARIO = """frequency_hz = 3.5e9
[scene]
file = "{scene}"
[[tx]]
position = [8.5, 21.0, 27.0]
[[rx]]
file = "{rx}"
[paths]
search = "{search}"
effort = "{effort}"
max_reflections = {depth}
max_diffractions = 1
max_transmissions = 3
max_depth = {depth}
relative_threshold_db = {below}
"""


def run(args, folder, count, search, effort="default"):
    rx = folder / "rx.csv"
    rx.write_text("".join(args.rx.read_text().splitlines(keepends=True)[: count + 1]))
    scenario = folder / "scenario.toml"
    text = SCENARIO.format(scene=args.scene.resolve(), rx=rx, search=search, effort=effort, depth=args.depth, below=args.below)
    scenario.write_text(text)
    table = folder / f"{search}-{effort}.csv"
    start = time.perf_counter()
    subprocess.run([args.program, "paths", scenario, "-o", table, "--quiet"], check=True)
    seconds = time.perf_counter() - start
    links = defaultdict(dict)
    with table.open() as rows:
        for row in csv.DictReader(rows):
            links[int(row["rx"])][row["types"], row["objects"]] = 10 ** (float(row["gain_db"]) / 10)
    return seconds, links


def missing(links, all_links):
    """How many links fall short by at most 0.2 and 1 dB, and the worst, dB."""
    short = []
    for rx, paths in all_links.items():
        found = sum(links.get(rx, {}).values())
        short.append(10 * math.log10(sum(paths.values()) / found) if found else math.inf)
    return sum(db <= 0.2 for db in short), sum(db <= 1 for db in short), max(short)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("scene", type=Path)
    parser.add_argument("rx", type=Path)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--below", type=float, default=40)
    parser.add_argument("--most-of-launch", type=int, default=1000)
    parser.add_argument("--counts", default="1,100,1000,10000")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        found = {
            (search, effort): run(args, folder, 100, search, effort)[1]
            for search, effort in [("launch", "thorough"), ("launch", "default"), ("tubes", "default")]
        }
        everything = defaultdict(dict)
        for links in found.values():
            for rx, paths in links.items():
                everything[rx].update(paths)
        print(f"{len(everything)} links of 100 receivers; those within 0.2 dB and 1 dB of all paths, and the worst")
        for (search, effort), links in found.items():
            near, nearer, worst = missing(links, everything)
            print(f"{search}, {effort}: {near}, {nearer}, {worst:.1f} dB")
        for count in map(int, args.counts.split(",")):
            searches = ["launch", "tubes"] if count <= args.most_of_launch else ["tubes"]
            for search in searches:
                seconds, links = run(args, folder, count, search)
                paths = sum(len(paths) for paths in links.values())
                print(f"{count} receivers, {search}: {seconds:.1f} s, {paths} paths")


main()
