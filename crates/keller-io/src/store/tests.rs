use std::fs;
use std::path::{Path, PathBuf};

use super::*;

const RUN: [u8; 16] = [7; 16];

fn unit(tx: &[usize], range: std::ops::Range<usize>) -> Unit {
    Unit {
        family: 0,
        region: 0,
        tx: tx.to_vec(),
        range,
    }
}

/// Three parts of the units of Tx 0 and 1, of which the second is not whole.
fn parts() -> Vec<Part> {
    vec![
        (unit(&[0], 0..4), vec![1, 2, 3]),
        (unit(&[0], 4..9), vec![4; 40]),
        (unit(&[1], 0..2), Vec::new()),
    ]
}

fn begun(folder: &Path) -> (PathBuf, Vec<u8>) {
    let name = folder.join("a.csv.part");
    let mut store = UnitStore::create(&name, RUN).unwrap();
    for (part, payload) in parts() {
        store.put(part, payload).unwrap();
    }
    drop(store);
    let bytes = fs::read(&name).unwrap();
    (name, bytes)
}

/// All that a store has of units of Tx 0, 1, part after part.
fn found(store: &UnitStore) -> Vec<Part> {
    let mut all = Vec::new();
    for tx in 0..2 {
        let mut left = vec![unit(&[tx], 0..9)];
        while let Some(next) = left.pop() {
            let Some(number) = store.beginning_of(&next) else {
                continue;
            };
            let part = store.unit(number).clone();
            push_all(&mut left, next.after(&part));
            all.push((part, store.payload(number).unwrap()));
        }
    }
    all
}

#[test]
fn units_consist_of_their_parts() {
    let whole = unit(&[2, 5, 7], 3..9);
    let of = |parts: &[Unit]| whole.consists_of(parts);
    assert!(of(std::slice::from_ref(&whole)));
    assert!(of(&[unit(&[2, 5], 3..9), unit(&[7], 3..9)]));
    assert!(of(&[
        unit(&[2], 3..4),
        unit(&[2], 4..9),
        unit(&[5, 7], 3..5),
        unit(&[5, 7], 5..9)
    ]));
    for bad in [
        vec![],
        vec![unit(&[2, 5], 3..9)],
        vec![unit(&[7], 3..9), unit(&[2, 5], 3..9)],
        vec![unit(&[2, 5, 7], 3..8)],
        vec![unit(&[2, 5, 7], 3..9), unit(&[2, 5, 7], 3..9)],
        vec![unit(&[2, 5, 7], 3..3), whole.clone()],
        vec![unit(&[], 3..9)],
        vec![unit(&[2, 5, 7], 3..10)],
    ] {
        assert!(!of(&bad), "{bad:?}");
    }
}

#[test]
fn what_is_finished_is_there_again_and_what_is_torn_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (name, whole) = begun(folder.path());
    for length in 64..=whole.len() {
        fs::write(&name, &whole[..length]).unwrap();
        let mut store = UnitStore::resume(&name, RUN).unwrap();
        let before = found(&store);
        let all = parts();
        assert!(all.starts_with(&before), "{length} bytes");
        assert_eq!(before.len() == all.len(), length == whole.len());
        // The missing parts are added, in any order.
        for (part, payload) in all[before.len()..].iter().rev() {
            store.put(part.clone(), payload.clone()).unwrap();
        }
        drop(store);
        assert_eq!(found(&UnitStore::resume(&name, RUN).unwrap()), all);
    }
}

/// A change of any byte costs the unit that it is in, and no other; or the file is refused.
#[test]
fn changed_bytes_never_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let (name, whole) = begun(folder.path());
    for place in 0..whole.len() {
        for change in [1, 0x5a, 0x80] {
            let mut changed = whole.clone();
            changed[place] ^= change;
            fs::write(&name, &changed).unwrap();
            let Ok(store) = UnitStore::resume(&name, RUN) else {
                assert!(place < 64, "byte {place}");
                continue;
            };
            assert!(place >= 64, "byte {place}");
            let all = parts();
            for part in found(&store) {
                assert!(all.contains(&part), "byte {place}");
            }
            let lost = store.units().count();
            assert!(lost < 3, "byte {place}: nothing is lost");
        }
    }
    // The first record is damaged; those that follow are not.
    let mut changed = whole.clone();
    changed[64 + 24 + 40] ^= 1;
    fs::write(&name, &changed).unwrap();
    let store = UnitStore::resume(&name, RUN).unwrap();
    assert_eq!(store.num_items(), 5 + 2);
    let wanted = store.before_next(unit(&[0], 0..9));
    assert_eq!(wanted, unit(&[0], 0..4), "what is missing, and no more");
}

#[test]
fn nothing_of_worth_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("p");
    let told = |digest, told: &str| {
        let error = UnitStore::create(&name, digest).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    };
    // A run that has finished nothing loses nothing.
    drop(UnitStore::create(&name, [8; 16]).unwrap());
    let mut store = UnitStore::create(&name, RUN).unwrap();
    told(RUN, "another run is writing it");
    store.put(unit(&[0], 0..1), vec![1]).unwrap();
    drop(store);
    told(RUN, "this very run");
    told([8; 16], "another command, scenario");
    let other = UnitStore::resume(&name, [8; 16]).unwrap_err().to_string();
    assert!(other.contains("another command, scenario"), "{other}");
    for mine in [&b"mine"[..], b"keller coverage\x01 and more", &[0; 200]] {
        fs::write(&name, mine).unwrap();
        told(RUN, "no part file");
        assert_eq!(fs::read(&name).unwrap(), mine);
        let error = UnitStore::resume(&name, RUN).unwrap_err().to_string();
        assert!(error.contains("no part file"), "{error}");
    }
}

/// Impossible numbers of bytes take no memory.
#[test]
fn records_that_say_they_are_huge_end_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (name, whole) = begun(folder.path());
    for length in [u64::MAX, u64::MAX - 200, 1 << 40, whole.len() as u64] {
        let record = records::mark_of(length, 5);
        fs::write(&name, [&whole[..64], &record, &[9; 50]].concat()).unwrap();
        let store = UnitStore::resume(&name, RUN).unwrap();
        assert_eq!(store.num_items(), 0, "{length}");
    }
}

#[test]
fn memory_keeps_what_a_file_keeps() {
    let mut store = UnitStore::in_memory();
    for (part, payload) in parts() {
        store.put(part, payload).unwrap();
    }
    assert_eq!(found(&store), parts());
    assert_eq!(store.num_items(), 4 + 5 + 2);
    store.forget(store.beginning_of(&unit(&[0], 0..9)).unwrap());
    assert!(store.beginning_of(&unit(&[0], 0..9)).is_none());
    assert_eq!(store.num_items(), 5 + 2);
}
