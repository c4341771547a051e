//! Measures the use of the machine by a run, as Linux reports it; zeros elsewhere.

/// The time that this process has computed on all cores together, seconds; zero where the system does not say so in a
/// file.
pub(crate) fn processor_seconds() -> f64 {
    /// The ticks of the system's clock a second.
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The fields are behind the name, which may hold blanks.
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().nth(11);
    ticks
        .and_then(|ticks| ticks.parse::<f64>().ok())
        .unwrap_or(0.0)
        / TICKS
}

/// The largest memory so far, bytes.
pub(crate) fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    1024.0 * number.unwrap_or(0.0)
}

/// Lets the [largest memory](peak_memory) start anew, where the system can, and returns the memory in use, bytes.
pub(crate) fn reset_peak_memory() -> f64 {
    // Refused on other systems: then the largest memory stays that of the whole run.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    peak_memory()
}
