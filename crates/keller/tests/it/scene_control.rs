//! A scene in the making reports its progress, and stops when it is asked to.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use keller::scene::{Mesh, MeshTriangle, Scene};
use keller::{Control, DVec3, Error, Stage};

/// A hilly sheet of `n` times `n` quadrangles.
fn hills(n: u32) -> Mesh {
    let mut mesh = Mesh::default();
    let material = mesh.material_index("concrete");
    for y in 0..=n {
        for x in 0..=n {
            let (x, y) = (f64::from(x), f64::from(y));
            mesh.vertices
                .push(DVec3::new(x, y, (0.37 * x).sin() + (0.29 * y).cos()));
        }
    }
    for y in 0..n {
        for x in 0..n {
            let at = y * (n + 1) + x;
            for vertices in [[at, at + 1, at + n + 1], [at + 1, at + n + 2, at + n + 1]] {
                mesh.triangles.push(MeshTriangle { vertices, material });
            }
        }
    }
    mesh
}

#[test]
fn a_scene_tells_how_far_it_is() {
    let told = Mutex::new(Vec::new());
    let report = |stage, done: f64| {
        assert_eq!(stage, Stage::Scene);
        told.lock().unwrap().push(done);
    };
    let control = Control {
        progress: Some(&report),
        ..Control::default()
    };
    let mesh = hills(60);
    let watched = Scene::with_control(&mesh, &control).unwrap();
    let told = told.into_inner().unwrap();
    assert!(told.len() > 4, "{told:?}");
    assert!(
        told.iter().all(|done| (0.0..=1.0).contains(done)),
        "{told:?}"
    );
    let alone = Scene::new(&mesh).unwrap();
    assert_eq!(watched.faces(), alone.faces());
    assert_eq!(watched.edges(), alone.edges());
}

#[test]
fn a_scene_stops_wherever_it_is() {
    let mesh = hills(60);
    let calls = AtomicUsize::new(0);
    let count = |_, _: f64| {
        calls.fetch_add(1, Ordering::Relaxed);
    };
    let control = Control {
        progress: Some(&count),
        ..Control::default()
    };
    Scene::with_control(&mesh, &control).unwrap();
    for last in 0..calls.into_inner() {
        let (stop, left) = (AtomicBool::new(last == 0), AtomicUsize::new(last));
        let report = |_, _: f64| {
            if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let control = Control {
            cancelled: Some(&stop),
            progress: Some(&report),
        };
        let stopped = Scene::with_control(&mesh, &control);
        assert!(matches!(stopped, Err(Error::Cancelled)), "after {last}");
    }
}
