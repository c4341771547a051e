#![no_main]

use std::path::Path;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    keller_fuzz::check(keller_io::formats::import::stl::parse(
        data,
        Path::new("fuzz.stl"),
    ));
});
