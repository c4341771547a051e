//! `keller gpus`: the devices that can trace rays besides the processor.

use std::io::{self, Write};

use keller_gpu::{Adapter, Error, HAS_CARDS, Kind, adapters};
use serde_json::{Value, json};

use crate::args::GpusArgs;
use crate::failure::Failure;
use crate::messages::say;
use crate::report::write_table;

/// Bytes of a scene's triangle in the largest part of the index.
const BYTES_PER_TRIANGLE: u64 = 36;

const HEADER: [&str; 5] = ["name ", "kind ", "interface ", "driver ", "triangles"];

pub(crate) fn run(args: &GpusArgs) -> Result<(), Failure> {
    let adapters = adapters();
    let mut stdout = io::stdout().lock();
    if args.json {
        let list: Vec<Value> = adapters.iter().map(json).collect();
        writeln!(stdout, "{:#}", Value::from(list))?;
        return Ok(stdout.flush()?);
    }
    if !HAS_CARDS {
        say!(
            "{}; the processor traces all rays, with the same results",
            Error::NotBuilt
        );
        return Ok(());
    }
    if adapters.is_empty() {
        say!(
            "no graphics card with a driver for Vulkan, Metal or Direct3D 12; the processor traces all rays, with the same results"
        );
        return Ok(());
    }
    let rows: Vec<_> = adapters.iter().map(row).collect();
    write_table(&mut stdout, &HEADER, &rows)?;
    stdout.flush()?;
    if adapters
        .iter()
        .all(|adapter| adapter.kind == Kind::Software)
    {
        say!("no graphics card: software imitates one, for tests; the processor alone is faster");
    }
    Ok(())
}

fn most_triangles(adapter: &Adapter) -> u64 {
    adapter.max_part / BYTES_PER_TRIANGLE
}

fn row(adapter: &Adapter) -> Vec<String> {
    vec![
        adapter.name.clone(),
        adapter.kind.to_string(),
        adapter.backend.clone(),
        adapter.driver.clone(),
        most_triangles(adapter).to_string(),
    ]
}

fn json(adapter: &Adapter) -> Value {
    json!({
        "name": adapter.name,
        "kind": adapter.kind.to_string(),
        "interface": adapter.backend,
        "driver": adapter.driver,
        "triangles": most_triangles(adapter),
    })
}
