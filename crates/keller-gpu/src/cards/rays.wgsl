// A batch of rays, one thread a ray. It follows index.wgsl.

struct Job {
    num_rays: u32,
    // 1 if any hit will do.
    any: u32,
    groups_per_row: u32,
}

@group(1) @binding(0) var<uniform> job: Job;
// Nine numbers a ray: origin, direction, the largest t that counts, two groups that are not hit.
@group(1) @binding(1) var<storage, read> rays: array<u32>;
// Three numbers a ray: t, group, triangle.
@group(1) @binding(2) var<storage, read_write> answers: array<u32>;

fn number(at: u32) -> f32 { return bitcast<f32>(rays[at]); }

@compute @workgroup_size(64)
fn trace(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = (group.y * job.groups_per_row + group.x) * 64u + lane;
    if index >= job.num_rays {
        return;
    }
    let base = index * 9u;
    let origin = vec3(number(base), number(base + 1u), number(base + 2u));
    let direction = vec3(number(base + 3u), number(base + 4u), number(base + 5u));
    var ray = prepared(origin, direction, number(base + 6u), vec2(rays[base + 7u], rays[base + 8u]));
    let found = traced(&ray, job.any == 1u);
    let at = index * 3u;
    answers[at] = bitcast<u32>(found.t);
    answers[at + 1u] = found.name.x;
    answers[at + 2u] = found.name.y;
}
