//! The page of the book's Reference about tables, from the columns of their rows.

use std::fmt::Write;

use super::{
    CellRow, Column, LinkColumns, LinkRow, LocatedRow, MeasuredRow, MultipathRow, PathRow, RayRow,
    Row, TileRow, Value,
};

/// Every column of every table with its type, unit and meaning, as Markdown.
///
/// ```
/// assert!(keller_io::reports::table::reference().contains("| `delay_s` | number | s |"));
/// ```
pub fn reference() -> String {
    let mut page = String::from(INTRODUCTION);
    page += &section("Paths", PATHS, PathRow::COLUMNS);
    let [links, beside] = [false, true].map(|has_beside| LinkColumns {
        has_beside,
        has_omitted: false,
    });
    let [links, beside] = [links, beside].map(|chosen| chosen.columns().len());
    page += &section("Channels", CHANNELS, &LinkRow::COLUMNS[..links]);
    let of_beside = &LinkRow::COLUMNS[links..beside];
    page += &section("Channels with more power", CHANNELS_BESIDE, of_beside);
    let of_omitted = &LinkRow::COLUMNS[beside..];
    page += &section("Channels with a threshold", CHANNELS_OMITTED, of_omitted);
    page += &section("Coverage", COVERAGE, CellRow::COLUMNS);
    let num_cells = CellRow::COLUMNS.len();
    let of_multipath = &MultipathRow::COLUMNS[num_cells..];
    page += &section("Coverage with `multipath = true`", MULTIPATH, of_multipath);
    page += &section("Surfaces", SURFACES, TileRow::COLUMNS);
    page += &section("Rays to surfaces", RAYS, RayRow::COLUMNS);
    page += &section("Measurements", MEASUREMENTS, MeasuredRow::COLUMNS);
    page += &section("Located devices", LOCATED, LocatedRow::COLUMNS);
    page
}

/// A table of these columns, below a heading.
fn section<R: Row>(title: &str, about: &str, columns: &[Column<R>]) -> String {
    let mut text =
        format!("\n## {title}\n\n{about}\n| column | type | unit, meaning |\n|---|---|---|\n");
    let row = R::default();
    for column in columns {
        let kind = match (column.value)(&row) {
            Value::Index(_) => "whole number",
            Value::Number(_) => "number",
            Value::Maybe(_) => "number or empty",
            Value::Letters(_) | Value::Name(_) => "text",
            Value::Points(_) => "points",
            Value::Ids(_) => "whole numbers",
        };
        writeln!(text, "| `{}` | {kind} | {} |", column.name, column.unit)
            .expect("writing to a String does not fail");
    }
    text
}

const INTRODUCTION: &str = "\
# Columns of tables

`-o` writes tables as CSV, Parquet or JSON, by the extension. Indices of devices count from 0 in the order of the
scenario. Numbers have the fewest digits that read back to the same number. Angles are radians: the zenith counts from
+z, the azimuth from +x towards +y, and arrival points to where the wave comes from.

| type | CSV | JSON | Parquet |
|---|---|---|---|
| whole number, number | the number; `-inf` for minus infinity | the number; `null` for minus infinity | integer, double |
| number or empty | an empty field | `null` | NaN |
| text | text, in quotes where it needs them | string | string |
| points | `x y z;x y z` | a list of `[x, y, z]` | a list of `[x, y, z]` |
| whole numbers | `3;14` | a list | a list |

The scenario's text, keller's version and the units travel with every table: in the key-value metadata of Parquet; as
`keller`, `scenario` and `units` beside the rows in JSON; and for CSV in `OUT.meta.json`. If the scene says where on
earth it lies, `crs` and `origin` (easting, northing and height of (0, 0, 0)) travel with them.
";

const PATHS: &str = "\
`keller paths`: one row for each path, sorted by Tx, Rx and length.

- The coefficients `a_..` relate unit fields along theta (v) and phi (h) at both ends, without antennas. They contain
  spreading, interactions and the carrier phase, for a time factor e^{+jwt}. Line of sight is diag(+1, -1) times λ/4πd,
  as in 3GPP TR 38.901.
- `gain_db` counts the antennas of the scenario. A Tx of two ports shares its power between them; an Rx of two ports
  adds up what both receive. Without any received power it is minus infinity.
- `length_m` is the unfolded length. `delay_s` is absolute and includes the delay of walls that the path passes.
- `objects` are ids of faces, and of edges where the letter is D.
";

const CHANNELS: &str = "\
`keller channel`: one row for each pair of a Tx and an Rx, also without any path. Quantities that are undefined without
received power are left empty.

- `received_power_dbm` is `power_dbm` of the Tx plus the incoherent gain.
- `k_factor_db` is infinite for a single path.
- Angular spreads are circular, as in 3GPP TR 38.901, annex A.
";

const CHANNELS_BESIDE: &str = "\
With `[diffuse]` or `[background]` in the scenario, these columns follow those above. `gain_incoherent_db` and
`received_power_dbm` then hold paths, diffuse field and background together, added as powers. All other columns are of
the paths alone: the diffuse field has no phase, and arrives from all sides.
";

const CHANNELS_OMITTED: &str = "\
With `power_threshold_db` or `relative_threshold_db` in `[paths]`, this column comes last. It is the sum of the path
gains of all paths that were found and left out, added up like `gain_incoherent_db`; with none it is minus infinity.
Without a threshold, `gain_incoherent_db` would be both together. It is empty where the search `tiles` itself leaves
paths out (`power_threshold_db` alone), because it does not tell how much it left out, and where paths are replayed with
other fields.
";

const COVERAGE: &str = "\
`keller coverage`: one row for each cell and Tx that a path joins. With `per_tx = false` there is one row for each cell,
of its best server.
";

const MULTIPATH: &str = "\
These columns follow those above. Each is about all paths of the Tx to the cell, weighted by their powers.
";

const SURFACES: &str = "\
`keller coverage` with `engine = \"surfaces\"`: one row for each side of a tile that a Tx reaches. `front` is the side to
which the normal of the tile's face points. (x, y, z) is the tile's centre.
";

const MEASUREMENTS: &str = "\
A row for each measurement, as `keller compare -o OUT.csv` writes it ([Measurements](../guide/measurements.md)).
";

const LOCATED: &str = "\
A row for each device, as `keller fingerprint -o OUT.csv` writes it ([Fingerprints](../guide/fingerprints.md)).
";

const RAYS: &str = "\
`keller coverage --rays`: one row for each path to the centre of a tile. The coefficients are those of paths.
";
