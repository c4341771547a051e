#![no_main]

use std::path::Path;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // A GLB is full of zeros, so it comes whole; JSON may bring a buffer behind a zero.
    let (text, read) = keller_fuzz::part(data);
    let scene = if data.starts_with(b"glTF") {
        data
    } else {
        text
    };
    keller_fuzz::check(keller_io::formats::import::gltf::parse(
        scene,
        Path::new("fuzz.gltf"),
        &read,
    ));
});
