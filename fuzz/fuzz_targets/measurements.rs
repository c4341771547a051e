#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| keller_fuzz::check_measurements(data));
