//! A limit on the memory that the content of a compressed file may take.
//!
//! A few megabytes of deflated zeros become gigabytes. Readers add up the sizes in the headers of a file and ask here
//! before they unpack any of it.

/// The memory that every file may take, bytes: a map of eight million cells, however empty it is.
const ALWAYS: u64 = 64 << 20;

/// The ratio of memory to its own size that a larger file may take. Files of keller take 2 to 30 times their size:
/// measured numbers differ in their last digits, and a map with values in one cell of twenty is at 26.
const TIMES: u64 = 100;

/// The memory that a file may still take.
#[derive(Debug, Clone)]
pub(crate) struct Allowance {
    left: u64,
    file: u64,
}

impl Allowance {
    /// The allowance of a file, or of all files of a folder, of so many bytes.
    pub(crate) fn of(file: u64) -> Self {
        Self {
            left: ALWAYS.saturating_add(TIMES.saturating_mul(file)),
            file,
        }
    }

    /// Takes `count` things of `each` bytes from the rest, or says that they are too many.
    pub(crate) fn take(&mut self, count: u64, each: u64) -> Result<(), String> {
        let wanted = count.saturating_mul(each);
        if let Some(left) = self.left.checked_sub(wanted) {
            self.left = left;
            return Ok(());
        }
        Err(format!(
            "it would take {} in memory, with what was read before more than a file of {} may; accepted: {TIMES} times its size and {} more",
            told(wanted),
            told(self.file),
            told(ALWAYS),
        ))
    }
}

/// A number of bytes in the largest unit that it fills.
fn told(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) => format!("{:.1} {unit}", bytes as f64 / *size as f64),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_unpack_to_some_megabytes_and_large_ones_to_a_hundred_times_their_size() {
        let mut small = Allowance::of(100);
        small.take(8 << 20, 8).unwrap();
        small.take(10_000, 1).unwrap();
        let told = small.take(1, 1).unwrap_err();
        assert_eq!(
            told,
            "it would take 1 bytes in memory, with what was read before more than a file of 100 bytes may; accepted: 100 times its size and 64.0 MiB more"
        );
        let mut large = Allowance::of(14 << 20);
        assert!(large.clone().take(3 << 30, 1).is_err());
        large.take(1 << 30, 1).unwrap();
        assert!(large.take(u64::MAX, u64::MAX).is_err());
    }
}
