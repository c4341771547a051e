//! How much memory a coverage may take.

use std::fs;

use bytesize::ByteSize;

use crate::failure::Failure;

/// What a cell takes while a block is filled: its sum, and as much again for what engines keep beside it.
const CELL_BYTES: u64 = 16;

/// What it takes where figures of its paths are asked for: their sums, and what follows from them, together for a while.
const MULTIPATH_CELL_BYTES: u64 = 448;

/// Smaller blocks than this are not worth their beginning, cells.
const LEAST_CELLS: u64 = 1 << 14;

/// Where the system does not say how much memory there is.
const UNKNOWN: ByteSize = ByteSize::gib(2);

/// How many cells may be filled at a time; `cap` is for the whole program, absent half of the machine's memory. Call this when the scene
/// is there.
pub(super) fn most_cells(cap: Option<ByteSize>, has_multipath: bool) -> Result<usize, Failure> {
    let cell_bytes = if has_multipath {
        MULTIPATH_CELL_BYTES
    } else {
        CELL_BYTES
    };
    let taken = status_bytes("VmRSS:").unwrap_or(0);
    let least = taken + LEAST_CELLS * cell_bytes;
    match cap {
        Some(cap) if cap.as_u64() < least => Err(Failure::Input(format!(
            "--memory {cap}: the scene and what belongs to it take {} already; accepted: at least {}",
            ByteSize(taken),
            ByteSize(least)
        ))),
        // Nobody chose it, so it does not stop anybody.
        cap => {
            let cap = cap.unwrap_or_else(half_of_machine).as_u64().max(least);
            Ok(usize::try_from((cap - taken) / cell_bytes).unwrap_or(usize::MAX))
        }
    }
}

/// Whether a result of so many bytes may be held.
pub(super) fn fits(cap: Option<ByteSize>, bytes: u64) -> bool {
    let taken = status_bytes("VmRSS:").unwrap_or(0);
    taken + bytes <= cap.unwrap_or_else(half_of_machine).as_u64()
}

/// Half of what the machine, or the control group that this runs in, has.
fn half_of_machine() -> ByteSize {
    let machine = kibibytes("/proc/meminfo", "MemTotal:");
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max");
    let group = group.ok().and_then(|text| text.trim().parse().ok());
    let all = [machine, group].into_iter().flatten().min();
    all.map_or(UNKNOWN, |bytes| ByteSize(bytes / 2))
}

/// What the system says of this process, bytes.
fn status_bytes(name: &str) -> Option<u64> {
    kibibytes("/proc/self/status", name)
}

fn kibibytes(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}
