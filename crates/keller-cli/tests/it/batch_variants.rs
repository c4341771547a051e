//! Variants of a scenario: each has the bytes of a run of its own, and they share what they can.

use crate::batch::{folder, keller, links, scenario};

/// Variants by a grid over tilts, powers, places and frequencies: each has the bytes of a run of its own, and those that
/// differ in tilt or power alone share a trace.
#[test]
fn variants_share_what_they_can_and_keep_their_bytes() {
    let masts = scenario(
        2,
        "[paths]\nmax_interactions = 2\nmax_reflections = 2\nmax_diffractions = 1\n",
    );
    let masts = masts.replace("position", "antenna = \"tr38901\"\nposition");
    let region =
        "min = [0, -40]\nmax = [150, 40]\nresolution = 8\nheights = [1.5]\nnoise_dbm = -90\n";
    let grid =
        "[variants.grid]\n\"tx.mast 0.downtilt_deg\" = [0, 5]\n\"tx.*.power_dbm\" = [30, 43]\n";
    for (name, engine, num_units) in [("tubes", "tubes", 4), ("points", "points", 6)] {
        let more = format!(
            "[coverage]\nengine = \"{engine}\"\n{region}{grid}frequency_hz = [2e9, 3.5e9]\n"
        );
        let folder = folder(&format!("variants-{name}"), &format!("{masts}{more}"));
        let keller = keller();
        folder.must(&format!("{keller} batch plan c.toml -o store"));
        let status = folder.must(&format!("{keller} batch status store"));
        // Each frequency has units: by tubes one a place, by points one a tilt.
        assert!(
            status.contains(&format!("0 of {num_units} units")),
            "{status}"
        );
        folder.must(&format!("{keller} batch run store --shard 1/2"));
        folder.must(&format!("{keller} batch run store --shard 0/2"));
        let table = folder.must(&format!("{keller} batch collect store -o batched.npz"));
        assert!(
            table.contains("tx.mast 0.downtilt_deg = 5, tx.*.power_dbm = 43, frequency_hz = 2e9"),
            "{table}"
        );
        for number in 0..8 {
            let before = folder.must(&format!(
                "{keller} coverage 'c.toml#{number}' -o whole.npz --threads 1; ls"
            ));
            assert!(
                before.contains(&format!("batched-{number}.npz")),
                "{before}"
            );
            let same = folder.read_bytes("whole.npz")
                == folder.read_bytes(&format!("batched-{number}.npz"));
            assert!(same, "{name}: variant {number}");
        }
        // Other variants have other results.
        assert_ne!(
            folder.read_bytes("batched-0.npz"),
            folder.read_bytes("batched-4.npz")
        );
        assert_ne!(
            folder.read_bytes("batched-0.npz"),
            folder.read_bytes("batched-1.npz")
        );
    }
}

#[test]
fn variants_of_other_results_are_units_of_their_own() {
    let text = links().replace("power_threshold_db", "# power_threshold_db");
    let folder = folder(
        "variants-table",
        &format!("{text}[variants]\ntable = \"v.csv\"\n"),
    );
    folder.write(
        "v.csv",
        "tx.1.position,paths.max_reflections\n\"[30, 1, 7]\",1\n,\n\"[60, 2, 9]\",2\n",
    );
    let keller = keller();
    folder.must(&format!(
        "{keller} batch plan c.toml -o store --result paths"
    ));
    folder.must(&format!("{keller} batch run store"));
    folder.must(&format!("{keller} batch collect store -o batched.csv"));
    for number in 0..3 {
        folder.must(&format!("{keller} paths 'c.toml#{number}' -o whole.csv"));
        let batched = folder.read(&format!("batched-{number}.csv"));
        assert!(folder.read("whole.csv") == batched, "variant {number}");
        assert!(batched.lines().count() > 100, "variant {number}");
    }
    let refused = |line: &str, told: &str| {
        let run = folder.shell(&format!("{keller} {line}"));
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(told), "{line}: {}", run.stderr);
    };
    refused(
        "paths c.toml",
        "makes 3 variants of it; accepted: one of them, 'c.toml#0' to 'c.toml#2', or `keller batch plan` for all",
    );
    refused("paths 'c.toml#3'", "makes 3 variants");
    refused("paths 's.toml#0'", "found #0; accepted: the file alone");
    folder.write("v.csv", "tx.7.position\n\"[30, 1, 7]\"\n");
    refused(
        "paths 'c.toml#0'",
        "c.toml: [variants] tx.7.position: there is no [[tx]] 7",
    );
    refused("batch collect store -o batched.csv", "variants");
    // A value that only the second variant has.
    folder.write("v.csv", "paths.max_reflections\n1\nmany\n");
    refused("batch plan c.toml -o other --result paths", "c.toml#1:");
}
