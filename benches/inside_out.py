"""Writes a made-up city with a mall in it, in kind like Hu 2020, chapter 6, and scenarios.

    python3 benches/inside_out.py FOLDER
    keller coverage FOLDER/in.toml -o FOLDER/in.npz      # Tx in the street, cells in city and mall
    keller coverage FOLDER/out.toml -o FOLDER/out.npz    # Tx on a floor of the mall

The city has 4 300 x 3 400 m and about 88 000 triangles, the mall 110 x 59 x 18 m, six floors and glass outside.
"""

import math
import random
import sys
from pathlib import Path

MALL, FLOORS, STOREY = (110.0, 59.0), 6, 3.0
PLACE, TURN = (2100.0, 1650.0), 17.3
SCENARIO = """frequency_hz = 1.9e9
[scene]
file = "city.obj"
up = "z"
unit = "m"
[[building]]
file = "mall.obj"
position = [{x}, {y}, 0]
rotation_deg = {turn}
[materials]
soil.itu = "concrete"
house = {{ itu = "concrete", thickness = 0.2 }}
glass = {{ itu = "glass", thickness = 0.012 }}
slab = {{ itu = "concrete", thickness = 0.2 }}
room = {{ itu = "plasterboard", thickness = 0.1 }}
[[tx]]
position = {tx}
[paths]
max_interactions = {reflections}
max_transmissions = 4
[[coverage]]
name = "city"
engine = "tubes"
min = [0, 0]
max = [4300, 3400]
heights = [1.5]
resolution = 5
path_loss_limit_db = 130
{mall}"""
IN_MALL = """[[coverage]]
name = "mall"
engine = "tubes"
building = "mall"
heights = [1.3]
resolution = 0.5
path_loss_limit_db = 130
"""


class Obj:
    def __init__(self):
        self.vertices, self.faces = [], []

    def polygon(self, material, corners):
        first = len(self.vertices) + 1
        self.vertices += corners
        self.faces.append(f"usemtl {material}\nf {' '.join(str(first + k) for k in range(len(corners)))}")

    def walls(self, material, ring, low, high):
        for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1]):
            self.polygon(material, [(ax, ay, low), (bx, by, low), (bx, by, high), (ax, ay, high)])

    def plate(self, material, ring, z):
        self.polygon(material, [(x, y, z) for x, y in ring])

    def write(self, file):
        vertices = (f"v {x:.4f} {y:.4f} {z:.4f}" for x, y, z in self.vertices)
        file.write_text("\n".join([*vertices, *self.faces]) + "\n")


def rectangle(cx, cy, width, depth, turn):
    cos, sin = math.cos(turn), math.sin(turn)
    corners = [(-width, -depth), (width, -depth), (width, depth), (-width, depth)]
    return [(cx + 0.5 * (cos * x - sin * y), cy + 0.5 * (sin * x + cos * y)) for x, y in corners]


def city():
    obj, draw = Obj(), random.Random(5)
    obj.plate("soil", [(0, 0), (4300, 0), (4300, 3400), (0, 3400)], 0.0)
    cos, sin = math.cos(math.radians(TURN)), math.sin(math.radians(TURN))
    mall = (PLACE[0] + 0.5 * (cos * MALL[0] - sin * MALL[1]), PLACE[1] + 0.5 * (sin * MALL[0] + cos * MALL[1]))
    for i in range(104):
        for j in range(83):
            x, y = 20 + 41 * i, 20 + 41 * j
            if math.hypot(x - mall[0], y - mall[1]) > 95:
                ring = rectangle(x, y, draw.uniform(16, 26), draw.uniform(16, 26), draw.uniform(-0.2, 0.2))
                height = draw.uniform(8, 40)
                obj.walls("house", ring, 0.0, height)
                obj.plate("house", ring, height)
    # The mall as the city knows it: a hull, which the model replaces.
    ring = rectangle(*mall, *MALL, math.radians(TURN))
    obj.walls("house", ring, 0.0, FLOORS * STOREY)
    obj.plate("house", ring, FLOORS * STOREY)
    return obj


def mall():
    obj, (length, width) = Obj(), MALL
    ring = [(0, 0), (length, 0), (length, width), (0, width)]
    core = [(45, 20), (65, 20), (65, 39), (45, 39)]
    for storey in range(FLOORS):
        low, high = storey * STOREY, (storey + 1) * STOREY
        obj.walls("glass", ring, low, high)
        obj.walls("slab", core, low, high)
        for x in range(10, 110, 10):
            for near, far in [(0, 15), (44, 59)]:
                obj.polygon("room", [(x, near, low), (x, far, low), (x, far, high), (x, near, high)])
        for y in (15, 44):
            obj.polygon("room", [(0, y, low), (length, y, low), (length, y, high), (0, y, high)])
    for storey in range(FLOORS + 1):
        obj.plate("slab", ring, storey * STOREY)
    return obj


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    city().write(folder / "city.obj")
    mall().write(folder / "mall.obj")
    turn = math.radians(TURN)

    def in_city(x, y, z):
        cos, sin = math.cos(turn), math.sin(turn)
        return [round(PLACE[0] + cos * x - sin * y, 3), round(PLACE[1] + sin * x + cos * y, 3), z]

    def scenario(tx, reflections, mall):
        keys = {"x": PLACE[0], "y": PLACE[1], "turn": TURN, "tx": tx, "reflections": reflections, "mall": mall}
        return SCENARIO.format(**keys)

    # Between houses, 190 m from the centre of the mall.
    street, floor = [2172.5, 1516.5, 25.0], in_city(33, 8, 3 * STOREY + 2.8)
    (folder / "in.toml").write_text(scenario(street, 3, IN_MALL))
    (folder / "in_city.toml").write_text(scenario(street, 3, ""))
    (folder / "out.toml").write_text(scenario(floor, 2, IN_MALL))
    fine = scenario(street, 3, IN_MALL).replace("[[coverage]]\nname = \"city\"", "[[coverage]]\nname = \"none\"", 1)
    (folder / "fine.toml").write_text(fine.split("[[coverage]]")[0] + "[[coverage]]" + fine.split("[[coverage]]")[2])


if __name__ == "__main__":
    main()
