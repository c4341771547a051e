// The points that a viewpoint sees. It follows index.wgsl.
//
// A group of 64 threads takes one viewpoint and one block of 4 096 points: 16 parts of 16 runs of 16 points. It sends
// four rays to each part, and asks whether a wall that one of them hits hides all of it; then the same with one ray to
// each run of the other parts; then one ray to each point of the other runs, if none of these walls hides it. That last
// ray decides, and has the bits of the processor's. Walls hide nothing that such a ray would find free: a ray that
// passes their border by less than a margin does not count as hidden, and the margin is several times the rounding
// here. So nothing but `traced` needs exact rounding.

struct Look {
    // The starts of these lists in `place`, in quads.
    run_boxes: u32,
    part_boxes: u32,
    wall_of: u32,
    walls: u32,
    num_points: u32,
    num_blocks: u32,
    num_rows: u32,
    groups_per_row: u32,
    // The number of doubts for which there is room.
    room: u32,
    margin: f32,
    // The distance from a plane from which on a point is not in it.
    beside: f32,
}

@group(1) @binding(0) var<uniform> look: Look;
// First the points, two quads each: place and number; normal and group, with bit 31 if the point lies in its plane. Then boxes of runs
// and of parts, two quads each: centre, and 1 if it has points; half its size. Then the number of the wall of each triangle. Then the
// walls, four quads each: a corner and, spread over the first three, the normal.
@group(1) @binding(1) var<storage, read> place: array<vec4<u32>>;
// The viewpoints, as the points.
@group(1) @binding(2) var<storage, read> eyes: array<vec4<u32>>;
// The 128 words of each viewpoint and block: a bit for each point that is seen.
@group(1) @binding(3) var<storage, read_write> seen: array<u32>;
// The number of doubts, and then the viewpoint and the point of each.
@group(1) @binding(4) var<storage, read_write> doubts: array<atomic<u32>>;

const LANES: u32 = 64u;
const PARTS: u32 = 16u;
const RUNS: u32 = 256u;
const RUN: u32 = 16u;
const WORDS: u32 = 128u;
const RAYS_PER_PART: u32 = 4u;
const IN_PLANE: u32 = 0x80000000u;

// The bits of the largest number below 1.
const BELOW_ONE: u32 = 0x3f7fffffu;

// Several times the rounding of a number.
const ROUNDING: f32 = 1e-6;

// A wall and the group of its plane, for each ray to each part.
var<workgroup> part_walls: array<vec2<u32>, 64>;
// Bit k: part k is hidden.
var<workgroup> hidden_parts: atomic<u32>;
// Runs that are not hidden, in any order, and the wall before each.
var<workgroup> open_runs: array<u32, 256>;
var<workgroup> open_walls: array<vec2<u32>, 256>;
var<workgroup> num_open: atomic<u32>;
var<workgroup> all_open: u32;
var<workgroup> bits: array<atomic<u32>, 128>;

struct Eye {
    at: vec3<f32>,
    number: u32,
    normal: vec3<f32>,
    group: u32,
    is_in_plane: bool,
}

struct Box {
    centre: vec3<f32>,
    half: vec3<f32>,
    has_points: bool,
}

fn eye_of(first: vec4<u32>, second: vec4<u32>) -> Eye {
    let at = bitcast<vec3<f32>>(first.xyz);
    let normal = bitcast<vec3<f32>>(second.xyz);
    return Eye(at, first.w, normal, second.w & ~IN_PLANE, (second.w & IN_PLANE) != 0u);
}

fn box_at(base: u32, number: u32) -> Box {
    let first = place[base + 2u * number];
    let second = place[base + 2u * number + 1u];
    return Box(bitcast<vec3<f32>>(first.xyz), bitcast<vec3<f32>>(second.xyz), first.w != 0u);
}

fn none() -> vec2<u32> { return vec2(NOTHING, NOTHING); }

// The wall that a ray from the viewpoint meets first on its way to a place.
fn wall_before(eye: Eye, to: vec3<f32>) -> vec2<u32> {
    var ray = prepared(eye.at, to - eye.at, bitcast<f32>(BELOW_ONE), vec2(eye.group, NOTHING));
    let found = traced(&ray, false);
    if found.name.y >= UNKNOWN {
        return none();
    }
    let wall = place[look.wall_of + (found.name.y >> 2u)][found.name.y & 3u];
    return vec2(wall, found.name.x);
}

// Whether a wall surely hides all of a box from the viewpoint.
fn hides(wall: vec2<u32>, eye: Eye, centre: vec3<f32>, half: vec3<f32>) -> bool {
    if wall.x == NOTHING || wall.y == eye.group {
        return false;
    }
    let base = look.walls + 4u * wall.x;
    let quads = array<vec4<f32>, 4>(
        bitcast<vec4<f32>>(place[base]),
        bitcast<vec4<f32>>(place[base + 1u]),
        bitcast<vec4<f32>>(place[base + 2u]),
        bitcast<vec4<f32>>(place[base + 3u]),
    );
    let normal = vec3(quads[0].w, quads[1].w, quads[2].w);
    let height = dot(normal, eye.at - quads[0].xyz);
    let depth = dot(normal, centre - quads[0].xyz);
    let reach = dot(abs(normal), half);
    let before = abs(height);
    let is_between = (height < 0.0) == (depth > 0.0);
    if !is_between || before <= look.margin || abs(depth) - reach <= look.margin {
        return false;
    }
    let corners = array<vec3<f32>, 4>(
        quads[0].xyz - eye.at,
        quads[1].xyz - eye.at,
        quads[2].xyz - eye.at,
        quads[3].xyz - eye.at,
    );
    let sides = array<vec3<f32>, 4>(
        quads[1].xyz - quads[0].xyz,
        quads[2].xyz - quads[1].xyz,
        quads[3].xyz - quads[2].xyz,
        quads[0].xyz - quads[3].xyz,
    );
    let middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
    let way = centre - eye.at;
    let farthest = length(way) + length(half);
    // The target must be inside the sides of the cone by enough where the line crosses the wall.
    let enough = look.margin * (before + abs(depth) + reach);
    var turn = 0.0;
    for (var s = 0u; s < 4u; s++) {
        let size = length(corners[s]) * length(sides[s]);
        if size == 0.0 {
            // A triangle has no fourth side.
            continue;
        }
        let across = cross(corners[s], sides[s]);
        let towards = dot(across, middle);
        // All corners must be passed the same way around, without doubt.
        let way_around = sign(towards);
        if !(abs(towards) > 4.0 * ROUNDING * size * length(middle)) || way_around * turn < 0.0 {
            return false;
        }
        turn = way_around;
        let inwards = (way_around / length(across)) * across;
        let doubt = ROUNDING * size / length(across) * farthest;
        let inside = dot(inwards, way) - dot(abs(inwards), half) - doubt;
        if !(inside * before > enough) {
            return false;
        }
    }
    return true;
}

// Whether the viewpoint sees a point, and whether that is in doubt.
fn sees(eye: Eye, point: Eye) -> vec2<bool> {
    var is_near_plane = false;
    if point.group == eye.group {
        if point.is_in_plane || eye.is_in_plane {
            return vec2(false, false);
        }
    } else {
        let way = point.at - eye.at;
        is_near_plane = !(min(abs(dot(eye.normal, way)), abs(dot(point.normal, way))) > look.beside);
    }
    var start = eye.at;
    var end = point.at;
    if point.number < eye.number {
        start = point.at;
        end = eye.at;
    }
    let way = vec3(sub(end.x, start.x), sub(end.y, start.y), sub(end.z, start.z));
    // Points at one place have nothing between them.
    let limit = select(bitcast<f32>(BELOW_ONE), -1.0, way.x == 0.0 && way.y == 0.0 && way.z == 0.0);
    var ray = prepared(start, way, limit, vec2(eye.group, point.group));
    let found = traced(&ray, true).name.y;
    if found < UNKNOWN {
        return vec2(false, false);
    }
    return vec2(true, found == UNKNOWN || is_near_plane);
}

// The target of ray `k` to a part: the middle, and three places around it.
fn aim(k: u32) -> vec3<f32> {
    let sides = vec3(f32(k & 1u), f32(k >> 1u), f32((k & 1u) ^ (k >> 1u)));
    return select(0.6 * (2.0 * sides - 1.0), vec3(0.0), k == 0u);
}

@compute @workgroup_size(64)
fn look_around(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let job = group.y * look.groups_per_row + group.x;
    if job >= look.num_rows * look.num_blocks {
        return;
    }
    let row = job / look.num_blocks;
    let block = job % look.num_blocks;
    let eye = eye_of(eyes[2u * row], eyes[2u * row + 1u]);

    let part = lane / RAYS_PER_PART;
    let part_box = box_at(look.part_boxes, block * PARTS + part);
    var wall = none();
    if part_box.has_points {
        wall = wall_before(eye, part_box.centre + aim(lane % RAYS_PER_PART) * part_box.half);
    }
    part_walls[lane] = wall;
    if !part_box.has_points || hides(wall, eye, part_box.centre, part_box.half) {
        atomicOr(&hidden_parts, 1u << part);
    }
    workgroupBarrier();

    for (var run = lane; run < RUNS; run += LANES) {
        let part_of_run = run / (RUNS / PARTS);
        if (atomicLoad(&hidden_parts) & (1u << part_of_run)) != 0u {
            continue;
        }
        let run_box = box_at(look.run_boxes, block * RUNS + run);
        var is_hidden = !run_box.has_points;
        for (var k = 0u; k < RAYS_PER_PART && !is_hidden; k++) {
            is_hidden = hides(part_walls[RAYS_PER_PART * part_of_run + k], eye, run_box.centre, run_box.half);
        }
        if is_hidden {
            continue;
        }
        let own_wall = wall_before(eye, run_box.centre);
        if hides(own_wall, eye, run_box.centre, run_box.half) {
            continue;
        }
        let at = atomicAdd(&num_open, 1u);
        open_runs[at] = run;
        open_walls[at] = own_wall;
    }
    workgroupBarrier();
    if lane == 0u {
        all_open = atomicLoad(&num_open);
    }
    let open = workgroupUniformLoad(&all_open);

    for (var k = lane; k < open * RUN; k += LANES) {
        let run = open_runs[k / RUN];
        let inside = run * RUN + k % RUN;
        let number = block * RUNS * RUN + inside;
        if number >= look.num_points {
            continue;
        }
        let point = eye_of(place[2u * number], place[2u * number + 1u]);
        var is_hidden = hides(open_walls[k / RUN], eye, point.at, vec3(0.0));
        for (var n = 0u; n < RAYS_PER_PART && !is_hidden; n++) {
            let part_of_run = run / (RUNS / PARTS);
            is_hidden = hides(part_walls[RAYS_PER_PART * part_of_run + n], eye, point.at, vec3(0.0));
        }
        if is_hidden {
            continue;
        }
        let answer = sees(eye, point);
        if answer.y {
            let at = atomicAdd(&doubts[0], 1u);
            if at < look.room {
                atomicStore(&doubts[1u + 2u * at], row);
                atomicStore(&doubts[2u + 2u * at], number);
            }
        } else if answer.x {
            atomicOr(&bits[inside / 32u], 1u << (inside % 32u));
        }
    }
    workgroupBarrier();
    for (var word = lane; word < WORDS; word += LANES) {
        seen[job * WORDS + word] = atomicLoad(&bits[word]);
    }
}
