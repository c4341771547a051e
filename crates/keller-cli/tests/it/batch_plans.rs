//! Plans of batches that somebody changed.

use crate::batch::{cells, folder, keller};

/// A plan says which Tx a unit is of: one that was changed would give the map of another.
#[test]
fn a_plan_that_was_changed_is_refused() {
    let folder = folder("changed", &cells());
    let keller = keller();
    folder.must(&format!(
        "{keller} batch plan c.toml -o store && {keller} batch run store"
    ));
    let plan: serde_json::Value = serde_json::from_str(&folder.read("store/plan.json")).unwrap();
    let changes: [(&str, serde_json::Value); 6] = [
        ("/units", serde_json::json!([])),
        ("/units/0/tx", serde_json::json!([1])),
        ("/units/0/range/end", serde_json::json!(1_u64 << 40)),
        ("/units/0/family", serde_json::json!(3)),
        ("/families", serde_json::json!([])),
        ("/hash", serde_json::json!("0000")),
    ];
    for (at, value) in changes {
        let mut changed = plan.clone();
        *changed.pointer_mut(at).unwrap() = value;
        folder.write("store/plan.json", &changed.to_string());
        for line in [
            "batch run store",
            "batch verify store",
            "coverage c.toml -o m.npz --batch store",
        ] {
            let run = folder.shell(&format!("{keller} {line}"));
            assert_eq!(run.code, Some(2), "{at}: {line}: {}", run.stderr);
            assert!(
                run.stderr.contains("store/plan.json: this plan is damaged"),
                "{at}: {}",
                run.stderr
            );
        }
    }
    assert!(!folder.names().iter().any(|name| name.starts_with('m')));
}
