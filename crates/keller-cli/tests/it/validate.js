// What the Khronos validator of glTF says of a file, as JSON, for the test `readers.rs`.
const { readFileSync } = require("fs");
const validator = require("gltf-validator");

const bytes = new Uint8Array(readFileSync(process.argv[2]));
validator.validateBytes(bytes).then((report) => console.log(JSON.stringify(report.issues)));
