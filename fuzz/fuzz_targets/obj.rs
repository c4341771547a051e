#![no_main]

use std::path::Path;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (scene, read) = keller_fuzz::part(data);
    keller_fuzz::check(keller_io::formats::import::obj::parse(
        scene,
        Path::new("fuzz.obj"),
        &read,
    ));
});
