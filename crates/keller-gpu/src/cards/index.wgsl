// A ray against the index of keller (crates/keller/src/geometry/bvh/), with the same answer bit for bit.
//
// What decides a hit is the test of a triangle. It is computed as on the processor: the same operations in the same
// order, each rounded once. WGSL allows a compiler to fuse a multiplication and an addition, to reorder sums, and to
// divide inexactly. So each product and sum goes through `kept`, whose exclusive or with a number that is zero, which no
// compiler can know, must have the rounded value; and quotients are corrected to the nearest number (`divide`). Tests of
// boxes may be rounded in any way: boxes are grown by more than that.
//
// Theory page: `cards`.
//
// Some cards take the smallest numbers for zero. Where one is at hand, the answer is UNKNOWN, and the processor looks.

struct Space {
    // Corners of the box around all triangles.
    low: vec3<f32>,
    high: vec3<f32>,
    zero: u32,
}

// Sixteen quads a node: min x of the children, max x, min y, max y, min z, max z, the children, the order of each octant.
@group(0) @binding(0) var<storage, read> nodes: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> corners: array<f32>;
// Group and index of each triangle.
@group(0) @binding(2) var<storage, read> names: array<vec2<u32>>;
@group(0) @binding(3) var<uniform> space: Space;

const NOTHING: u32 = 0xffffffffu;
const UNKNOWN: u32 = 0xfffffffeu;
const LEAF: u32 = 0x80000000u;
const INDEX: u32 = 0x0fffffffu;

// The constants are those of `geometry/bvh/ray.rs`.
const MIN_SLOPE: f32 = 9.094947017729282e-13;
const OWN_BOX_GROWTH: f32 = 9.5367431640625e-7;
const TREE_BOX_GROWTH: f32 = 1.9073486328125e-6;

// 2^-99 and 2^100: between them products and quotients keep all their bits on every card.
const TINY: f32 = 1.5777218104420236e-30;
const HUGE: f32 = 1.2676506002282294e30;
// The bits of 2^-100, 2^-60 and 2^-50.
const SMALLEST_ORIGIN: u32 = 0x0d800000u;
const SMALLEST_SLOPE: u32 = 0x21800000u;
const SMALLEST_DISTANCE: u32 = 0x26800000u;

// The values of t for a triangle without a certain hit.
const MISS: f32 = -1.0;
const UNSURE: f32 = -2.0;

fn kept(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ space.zero); }
fn add(a: f32, b: f32) -> f32 { return kept(a + b); }
fn sub(a: f32, b: f32) -> f32 { return kept(a - b); }
fn mul(a: f32, b: f32) -> f32 { return kept(a * b); }

// The difference of a and q b, to the last bit (Dekker's product).
fn remainder(a: f32, b: f32, q: f32) -> f32 {
    let p = mul(q, b);
    let q_part = mul(4097.0, q);
    let q_high = sub(q_part, sub(q_part, q));
    let q_low = sub(q, q_high);
    let b_part = mul(4097.0, b);
    let b_high = sub(b_part, sub(b_part, b));
    let b_low = sub(b, b_high);
    let error = sub(sub(sub(p, mul(q_high, b_high)), mul(q_low, b_high)), mul(q_high, b_low));
    return sub(sub(a, p), sub(mul(q_low, b_low), error));
}

// a / b, rounded to the nearest number whatever the card's division does.
fn divide(a: f32, b: f32) -> f32 {
    let first = kept(a / b);
    let q = add(first, kept(remainder(a, b, first) / b));
    let above = bitcast<f32>(bitcast<u32>(q) + 1u);
    let below = bitcast<f32>(bitcast<u32>(q) - 1u);
    var best = q;
    var error = abs(remainder(a, b, q));
    let error_above = abs(remainder(a, b, above));
    if error_above < error {
        best = above;
        error = error_above;
    }
    if abs(remainder(a, b, below)) < error {
        best = below;
    }
    return best;
}

fn with_sign(a: f32, b: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(a) & 0x7fffffffu) | (bitcast<u32>(b) & 0x80000000u));
}

// Whether a number other than zero is below one whose bits are these: bits, because a card may take it for zero.
fn is_small(x: f32, bits: u32) -> bool {
    let size = bitcast<u32>(x) & 0x7fffffffu;
    return size != 0u && size < bits;
}

// Whether a product may have lost bits that the processor keeps.
fn is_lost(a: f32, b: f32) -> bool {
    return a != 0.0 && b != 0.0 && abs(a * b) < TINY;
}

struct Ray {
    // The largest t that counts; below zero if the ray hits nothing.
    limit: f32,
    skip: vec2<u32>,
    inverse: vec3<f32>,
    near_offset: vec3<f32>,
    far_offset: vec3<f32>,
    own_low: vec3<f32>,
    own_high: vec3<f32>,
    // Axes that take the places of x, y, z: the last is the one along which the direction is longest.
    axes: vec3<u32>,
    // The origin on these axes.
    start: vec3<f32>,
    slope: vec2<f32>,
    scale: f32,
    // The quads, of the six of a node's bounds, that the ray meets first on each axis, in the half of lanes 0 to 3. The
    // one met last is its pair, with bit 1 turned.
    near: vec3<u32>,
    // Bit 0 if the direction's x is negative, 1: y, 2: z.
    octant: u32,
    // Whether numbers are too small to be sure of.
    is_unsure: bool,
}

// The vector's components on other axes.
fn on_axes(v: vec3<f32>, axes: vec3<u32>) -> vec3<f32> {
    let turned = select(v.yzx, v, axes.x == 0u);
    return select(turned, v.zxy, axes.x == 2u);
}

// Whether a slope is other than zero and very small.
fn is_flat(slope: f32, direction: f32) -> bool {
    let is_zero = (bitcast<u32>(direction) & 0x7fffffffu) == 0u;
    return !is_zero && !(abs(slope) >= bitcast<f32>(SMALLEST_SLOPE));
}

fn prepared(origin: vec3<f32>, direction: vec3<f32>, limit: f32, skip: vec2<u32>) -> Ray {
    var ray: Ray;
    ray.limit = limit;
    ray.skip = skip;

    let long = abs(direction);
    // The axis after the longest comes first.
    var first = 1u;
    if long.z > long.x && long.z > long.y {
        first = 0u;
    } else if long.y > long.x {
        first = 2u;
    }
    ray.axes = vec3(first, (first + 1u) % 3u, (first + 2u) % 3u);
    let smallest = mul(max(long.x, max(long.y, long.z)), MIN_SLOPE);
    ray.inverse = vec3(
        divide(1.0, with_sign(max(long.x, smallest), direction.x)),
        divide(1.0, with_sign(max(long.y, smallest), direction.y)),
        divide(1.0, with_sign(max(long.z, smallest), direction.z)),
    );
    let far = max(max(abs(origin - space.low), abs(origin - space.high)), abs(origin));
    let reach = max(far.x, max(far.y, far.z));
    let backwards = bitcast<vec3<u32>>(direction) >> vec3(31u);
    let growth = reach * TREE_BOX_GROWTH * (1.0 - 2.0 * vec3<f32>(backwards));
    ray.near_offset = (origin + growth) * ray.inverse;
    ray.far_offset = (origin - growth) * ray.inverse;
    let own_growth = mul(reach, OWN_BOX_GROWTH);
    ray.own_low = vec3(add(origin.x, own_growth), add(origin.y, own_growth), add(origin.z, own_growth));
    ray.own_high = vec3(sub(origin.x, own_growth), sub(origin.y, own_growth), sub(origin.z, own_growth));
    ray.near = vec3(0u, 4u, 8u) + 2u * backwards;
    ray.octant = backwards.x | (backwards.y << 1u) | (backwards.z << 2u);
    ray.start = on_axes(origin, ray.axes);
    let turned = on_axes(direction, ray.axes);
    ray.scale = on_axes(ray.inverse, ray.axes).z;
    ray.slope = vec2(mul(turned.x, ray.scale), mul(turned.y, ray.scale));
    ray.is_unsure = is_small(origin.x, SMALLEST_ORIGIN) || is_small(origin.y, SMALLEST_ORIGIN)
        || is_small(origin.z, SMALLEST_ORIGIN) || is_flat(ray.slope.x, turned.x) || is_flat(ray.slope.y, turned.y);
    return ray;
}

// The lanes, of four, whose boxes the ray meets with t up to `limit`.
fn met_half(quads: u32, ray: ptr<function, Ray>, limit: f32) -> vec4<bool> {
    let near = (*ray).near;
    let inverse = (*ray).inverse;
    let near_offset = (*ray).near_offset;
    let far_offset = (*ray).far_offset;
    let near_x = bitcast<vec4<f32>>(nodes[quads + near.x]) * inverse.x - near_offset.x;
    let near_y = bitcast<vec4<f32>>(nodes[quads + near.y]) * inverse.y - near_offset.y;
    let near_z = bitcast<vec4<f32>>(nodes[quads + near.z]) * inverse.z - near_offset.z;
    let far_x = bitcast<vec4<f32>>(nodes[quads + (near.x ^ 2u)]) * inverse.x - far_offset.x;
    let far_y = bitcast<vec4<f32>>(nodes[quads + (near.y ^ 2u)]) * inverse.y - far_offset.y;
    let far_z = bitcast<vec4<f32>>(nodes[quads + (near.z ^ 2u)]) * inverse.z - far_offset.z;
    let entry = max(max(near_x, near_y), max(near_z, vec4(0.0)));
    let exit = min(min(far_x, far_y), min(far_z, vec4(limit)));
    return entry <= exit;
}

// The order in which the children are looked at, the nearest last, and which there are.
fn order_of(node: u32, octant: u32) -> u32 {
    return nodes[node * 16u + 14u + (octant >> 2u)][octant & 3u];
}

// The children that the ray meets with t up to `limit`: bit i for the i-th of the octant's order.
fn met_children(node: u32, ray: ptr<function, Ray>, limit: f32) -> u32 {
    let quads = node * 16u;
    let order = order_of(node, (*ray).octant);
    let low = select(vec4(0u), vec4(1u, 2u, 4u, 8u), met_half(quads, ray, limit));
    let high = select(vec4(0u), vec4(16u, 32u, 64u, 128u), met_half(quads + 1u, ray, limit));
    let both = low | high;
    // Only lanes that have a child are kept.
    let lanes = (both.x | both.y | both.z | both.w) & (order >> 24u);
    if lanes == 0u {
        return 0u;
    }
    let first = (vec4(lanes) >> ((vec4(order) >> vec4(0u, 3u, 6u, 9u)) & vec4(7u))) & vec4(1u);
    let last = (vec4(lanes) >> ((vec4(order) >> vec4(12u, 15u, 18u, 21u)) & vec4(7u))) & vec4(1u);
    let placed = (first << vec4(0u, 1u, 2u, 3u)) | (last << vec4(4u, 5u, 6u, 7u));
    return placed.x | placed.y | placed.z | placed.w;
}

// A coordinate of a triangle: of the first corner 0 to 2, of the second 3 to 5, of the third 6 to 8.
fn corner(base: u32, stride: u32, coordinate: u32) -> f32 {
    return corners[base + coordinate * stride];
}

// A corner as the ray sees it.
fn sheared(base: u32, stride: u32, first: u32, ray: ptr<function, Ray>) -> vec3<f32> {
    let axes = (*ray).axes;
    let x = sub(corner(base, stride, first + axes.x), (*ray).start.x);
    let y = sub(corner(base, stride, first + axes.y), (*ray).start.y);
    let z = sub(corner(base, stride, first + axes.z), (*ray).start.z);
    return vec3(sub(x, mul((*ray).slope.x, z)), sub(y, mul((*ray).slope.y, z)), z);
}

// The parameters at which a ray enters and leaves the triangle's own box on one axis.
fn own_slab(base: u32, stride: u32, axis: u32, own_low: f32, own_high: f32, inverse: f32) -> vec2<f32> {
    let p = corner(base, stride, axis);
    let q = corner(base, stride, 3u + axis);
    let r = corner(base, stride, 6u + axis);
    let low = mul(sub(min(min(p, q), r), own_low), inverse);
    let high = mul(sub(max(max(p, q), r), own_high), inverse);
    return vec2(min(low, high), max(low, high));
}

// t of a hit up to `limit`, or MISS or UNSURE.
fn met_triangle(base: u32, stride: u32, ray: ptr<function, Ray>, limit: f32) -> f32 {
    let a = sheared(base, stride, 0u, ray);
    let b = sheared(base, stride, 3u, ray);
    let c = sheared(base, stride, 6u, ray);
    let u = sub(mul(c.x, b.y), mul(c.y, b.x));
    let v = sub(mul(a.x, c.y), mul(a.y, c.x));
    let w = sub(mul(b.x, a.y), mul(b.y, a.x));
    // Numbers taken for zero make this true more often, never less.
    if !(min(min(u, v), w) >= 0.0 || max(max(u, v), w) <= 0.0) {
        return MISS;
    }
    if is_small(a.z, SMALLEST_DISTANCE) || is_small(b.z, SMALLEST_DISTANCE) || is_small(c.z, SMALLEST_DISTANCE) {
        return UNSURE;
    }
    if min(min(abs(u), abs(v)), abs(w)) < TINY
        && (is_lost(c.x, b.y) || is_lost(c.y, b.x) || is_lost(a.x, c.y) || is_lost(a.y, c.x)
            || is_lost(b.x, a.y) || is_lost(b.y, a.x)) {
        return UNSURE;
    }
    let determinant = add(add(u, v), w);
    // The triangle is seen edge on, or the ray starts on it.
    if determinant == 0.0 || (a.z == 0.0 && b.z == 0.0 && c.z == 0.0) {
        return MISS;
    }
    let along = add(add(mul(u, a.z), mul(v, b.z)), mul(w, c.z));
    let quotient = along / determinant;
    if abs(along) < TINY || abs(determinant) < TINY || abs(quotient) < TINY
        || abs(along) > HUGE || abs(determinant) > HUGE || abs(quotient) > HUGE {
        return UNSURE;
    }
    // Far from the limits there is nothing to correct.
    let rough = quotient * (*ray).scale;
    if rough < 0.0 || 0.999 * rough > limit {
        return MISS;
    }
    let t = mul(divide(along, determinant), (*ray).scale);
    if !(t > 0.0 && t <= limit) {
        return MISS;
    }
    let own_low = (*ray).own_low;
    let own_high = (*ray).own_high;
    let inverse = (*ray).inverse;
    let x = own_slab(base, stride, 0u, own_low.x, own_high.x, inverse.x);
    let y = own_slab(base, stride, 1u, own_low.y, own_high.y, inverse.y);
    let z = own_slab(base, stride, 2u, own_low.z, own_high.z, inverse.z);
    let entry = max(max(x.x, y.x), max(z.x, 0.0));
    let exit = min(min(x.y, y.y), z.y);
    let later = max(entry, t);
    return select(MISS, later, entry <= exit && later <= limit);
}

// Whether a hit comes first: of equally near ones, that with the smaller group, then index.
fn comes_before(t: f32, name: vec2<u32>, best_t: f32, best: vec2<u32>) -> bool {
    if t != best_t {
        return t < best_t;
    }
    return name.x < best.x || (name.x == best.x && name.y < best.y);
}

// The hit of a ray. The name is NOTHING twice, or its index UNKNOWN.
struct Found {
    t: f32,
    // Group and index of the triangle.
    name: vec2<u32>,
}

// The first hit of a ray, or if `any` the one that is found first.
fn traced(ray: ptr<function, Ray>, any: bool) -> Found {
    var best_t = (*ray).limit;
    var best = vec2(NOTHING, NOTHING);
    let can_hit = (*ray).limit > 0.0;
    var unsure = can_hit && (*ray).is_unsure;
    // Nodes of which some children are still to be visited, and those children.
    var stack: array<vec2<u32>, DEPTH>;
    var height = 0u;
    if can_hit && !unsure {
        stack[0] = vec2(0u, met_children(0u, ray, best_t));
        height = 1u;
    }
    while height > 0u {
        let top = stack[height - 1u];
        if top.y == 0u {
            height -= 1u;
            continue;
        }
        let place = firstLeadingBit(top.y);
        stack[height - 1u].y = top.y ^ (1u << place);
        let child_lane = (order_of(top.x, (*ray).octant) >> (3u * place)) & 7u;
        let child = nodes[top.x * 16u + 12u + (child_lane >> 2u)][child_lane & 3u];
        if (child & LEAF) == 0u {
            let met = met_children(child, ray, best_t);
            if met != 0u {
                if height == DEPTH {
                    unsure = true;
                    break;
                }
                stack[height] = vec2(child, met);
                height += 1u;
            }
            continue;
        }
        let first = child & INDEX;
        let stride = ((child >> 28u) & 7u) + 1u;
        for (var i = 0u; i < stride; i++) {
            let t = met_triangle(first * 9u + i, stride, ray, best_t);
            if t == MISS {
                continue;
            }
            let name = names[first + i];
            if name.x == (*ray).skip.x || name.x == (*ray).skip.y {
                continue;
            }
            if t == UNSURE {
                unsure = true;
            } else if comes_before(t, name, best_t, best) {
                best_t = t;
                best = name;
            }
        }
        if select(unsure, best.y != NOTHING, any) {
            break;
        }
    }
    if unsure && (!any || best.y == NOTHING) {
        best.y = UNKNOWN;
    }
    return Found(best_t, best);
}
