//! The finished field of a Tx as bytes, every number to its last bit.

use keller::coverage::tiles::{Recall, SIDES, StrongestPath, TileField};
use keller::coverage::{AngleSpread, CellPaths, CellSpreads};
use keller::{Complex64, DVec3, Direction};

use crate::formats::bytes::{ByteReader, ByteWriter};
use crate::reports::table::{Device, PathRow, RayRow};

/// The finished results of a Tx.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedTx {
    /// Both sides of every tile.
    pub fields: Vec<[TileField; 2]>,
    /// The share of the paths of several interactions that may be missing.
    pub recall: Recall,
    /// The rows of its rays, if they were asked for.
    pub rays: Vec<RayRow>,
}

impl FinishedTx {
    /// The results as bytes, every number to its last bit.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.finished(self);
        writer.0.into_bytes()
    }

    /// The results that [`Self::to_bytes`] wrote; `None` if they are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        reader.finished().filter(|_| reader.0.is_at_end())
    }
}

/// Bytes in the making.
#[derive(Debug, Default)]
struct Writer(ByteWriter);

impl Writer {
    fn finished(&mut self, finished: &FinishedTx) {
        self.0.count(finished.fields.len());
        for field in finished.fields.as_flattened() {
            self.field(field);
        }
        let recall = &finished.recall;
        self.0.maybe(recall.reflections);
        self.0.maybe(recall.diffractions);
        self.0
            .reals(&[recall.longer_gain, recall.missing_gain, recall.all_gain]);
        self.0.reals(&[recall.unfollowed_power]);
        self.0.count(finished.rays.len());
        finished.rays.iter().for_each(|ray| self.ray(ray));
    }

    fn field(&mut self, field: &TileField) {
        self.0.reals(&[
            field.path_gain,
            field.diffuse_gain,
            field.sampled_gain,
            field.incident_power,
        ]);
        let paths = &field.paths;
        self.0.whole(paths.num_paths);
        self.0.flag(paths.has_line_of_sight);
        self.0.reals(&[paths.strongest_gain, paths.coherent_gain]);
        self.0.flag(paths.spreads.is_some());
        if let Some(spreads) = &paths.spreads {
            self.0.reals(&[spreads.mean_delay, spreads.delay_spread]);
            for angle in spreads.departure.iter().chain(&spreads.arrival) {
                self.0.reals(&[angle.mean, angle.spread]);
            }
        }
        self.0.flag(field.strongest.is_some());
        if let Some(StrongestPath { delay, arrival }) = &field.strongest {
            self.0.reals(&[*delay, arrival.zenith, arrival.azimuth]);
        }
        self.0.maybe(field.mean_delay);
        self.0.maybe(field.delay_spread);
        self.0.reals(&[field.omitted_gain]);
    }

    fn ray(&mut self, ray: &RayRow) {
        self.0.whole(ray.tile);
        self.0.flag(ray.side == SIDES[1]);
        self.0.whole(ray.face);
        self.0.reals(&ray.centre);
        let path = &ray.path;
        self.0.whole(path.tx);
        self.0.whole(path.rx);
        self.device(&path.tx_device);
        self.device(&path.rx_device);
        self.0.count(path.types.len());
        self.0.raw(path.types.as_bytes());
        self.0.count(path.points.len());
        for point in &path.points {
            self.0.reals(&point.to_array());
        }
        self.0
            .reals(&[path.length, path.delay, path.gain_db, path.clutter_loss_db]);
        for value in path.coefficient.as_flattened() {
            self.0.reals(&[value.re, value.im]);
        }
        self.0.reals(&path.departure);
        self.0.reals(&path.arrival);
        self.0.count(path.objects.len());
        path.objects.iter().for_each(|object| self.0.whole(*object));
    }

    fn device(&mut self, device: &Device) {
        self.0.count(device.name.len());
        self.0.raw(device.name.as_bytes());
        self.0.flag(device.lon_lat.is_some());
        device.lon_lat.iter().for_each(|at| self.0.reals(at));
    }
}

/// The same bytes read again; `None` if they end too early.
#[derive(Debug)]
struct Reader<'a>(ByteReader<'a>);

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self(ByteReader::new(bytes))
    }

    /// Reads numbers, none of which is NaN.
    fn numbers<const N: usize>(&mut self) -> Option<[f64; N]> {
        let values = self.0.reals()?;
        (!values.iter().any(|value| value.is_nan())).then_some(values)
    }

    fn finished(&mut self) -> Option<FinishedTx> {
        let count = self.0.count()?;
        let fields = (0..count).map(|_| Some([self.field()?, self.field()?]));
        let fields = fields.collect::<Option<_>>()?;
        let (reflections, diffractions) = (self.maybe()?, self.maybe()?);
        let [longer_gain, missing_gain, all_gain, unfollowed_power] = self.numbers()?;
        let count = self.0.count()?;
        Some(FinishedTx {
            fields,
            recall: Recall {
                reflections,
                diffractions,
                longer_gain,
                missing_gain,
                all_gain,
                unfollowed_power,
            },
            rays: (0..count).map(|_| self.ray()).collect::<Option<_>>()?,
        })
    }

    fn field(&mut self) -> Option<TileField> {
        let [path_gain, diffuse_gain, sampled_gain, incident_power] = self.numbers()?;
        // Arrays hold counts as i32.
        let num_paths = self
            .0
            .whole()
            .filter(|count| i32::try_from(*count).is_ok())?;
        let has_line_of_sight = self.0.flag()?;
        let [strongest_gain, coherent_gain] = self.numbers()?;
        let spreads = if self.0.flag()? {
            let [mean_delay, delay_spread] = self.numbers()?;
            Some(CellSpreads {
                mean_delay,
                delay_spread,
                departure: [self.angle()?, self.angle()?],
                arrival: [self.angle()?, self.angle()?],
            })
        } else {
            None
        };
        let strongest = if self.0.flag()? {
            let [delay, zenith, azimuth] = self.numbers()?;
            let arrival = Direction { zenith, azimuth };
            Some(StrongestPath { delay, arrival })
        } else {
            None
        };
        Some(TileField {
            path_gain,
            diffuse_gain,
            sampled_gain,
            incident_power,
            paths: CellPaths {
                num_paths,
                has_line_of_sight,
                strongest_gain,
                coherent_gain,
                spreads,
            },
            strongest,
            mean_delay: self.maybe()?,
            delay_spread: self.maybe()?,
            omitted_gain: self.numbers::<1>()?[0],
        })
    }

    #[expect(
        clippy::option_option,
        reason = "bytes that end too early, and a value that is not there"
    )]
    fn maybe(&mut self) -> Option<Option<f64>> {
        let value = self.0.maybe()?;
        (!value.is_some_and(f64::is_nan)).then_some(value)
    }

    fn angle(&mut self) -> Option<AngleSpread> {
        let [mean, spread] = self.numbers()?;
        Some(AngleSpread { mean, spread })
    }

    fn ray(&mut self) -> Option<RayRow> {
        let (tile, is_back, face) = (self.0.whole()?, self.0.flag()?, self.0.whole()?);
        let centre = self.numbers()?;
        let (tx, rx) = (self.0.whole()?, self.0.whole()?);
        let (tx_device, rx_device) = (self.device()?, self.device()?);
        let count = self.0.count()?;
        let types = String::from_utf8(self.0.take(count)?.to_vec()).ok()?;
        let count = self.0.count()?;
        let points = (0..count).map(|_| self.numbers().map(DVec3::from_array));
        let points = points.collect::<Option<_>>()?;
        let [length, delay, gain_db, clutter_loss_db] = self.numbers()?;
        let mut value = || self.numbers().map(|[re, im]| Complex64::new(re, im));
        let coefficient = [[value()?, value()?], [value()?, value()?]];
        let (departure, arrival) = (self.numbers()?, self.numbers()?);
        let count = self.0.count()?;
        let objects = (0..count).map(|_| self.0.whole()).collect::<Option<_>>()?;
        Some(RayRow {
            tile,
            side: SIDES[usize::from(is_back)],
            face,
            centre,
            path: PathRow {
                tx,
                rx,
                types,
                points,
                length,
                delay,
                coefficient,
                gain_db,
                clutter_loss_db,
                departure,
                arrival,
                objects,
                tx_device,
                rx_device,
            },
        })
    }

    fn device(&mut self) -> Option<Device> {
        let count = self.0.count()?;
        let name = std::str::from_utf8(self.0.take(count)?).ok()?.into();
        let lon_lat = if self.0.flag()? {
            Some(self.numbers()?)
        } else {
            None
        };
        Some(Device { name, lon_lat })
    }
}
