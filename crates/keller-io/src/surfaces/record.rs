//! The finished field of a Tx as bytes, every number to its last bit.

use keller::coverage::tiles::{Recall, SIDES, StrongestPath, TileField};
use keller::coverage::{AngleSpread, CellPaths, CellSpreads};
use keller::{Complex64, DVec3, Direction};

use crate::table::{Device, PathRow, RayRow};

/// What is finished of a Tx.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedTx {
    /// Both sides of every tile.
    pub fields: Vec<[TileField; 2]>,
    /// How much of the paths of several interactions may be missing.
    pub recall: Recall,
    /// The rows of its rays, if they were asked for.
    pub rays: Vec<RayRow>,
}

/// Bytes in the making.
#[derive(Debug, Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn finished(&mut self, finished: &FinishedTx) {
        self.count(finished.fields.len());
        for field in finished.fields.as_flattened() {
            self.field(field);
        }
        let recall = &finished.recall;
        self.maybe(recall.reflections);
        self.maybe(recall.diffractions);
        self.reals(&[recall.longer_gain, recall.missing_gain, recall.all_gain]);
        self.count(finished.rays.len());
        finished.rays.iter().for_each(|ray| self.ray(ray));
    }

    fn field(&mut self, field: &TileField) {
        self.reals(&[field.path_gain, field.diffuse_gain, field.incident_power]);
        let paths = &field.paths;
        self.whole(paths.num_paths);
        self.flag(paths.has_line_of_sight);
        self.reals(&[paths.strongest_gain, paths.coherent_gain]);
        self.flag(paths.spreads.is_some());
        if let Some(spreads) = &paths.spreads {
            self.reals(&[spreads.mean_delay, spreads.delay_spread]);
            for angle in spreads.departure.iter().chain(&spreads.arrival) {
                self.reals(&[angle.mean, angle.spread]);
            }
        }
        self.flag(field.strongest.is_some());
        if let Some(StrongestPath { delay, arrival }) = &field.strongest {
            self.reals(&[*delay, arrival.zenith, arrival.azimuth]);
        }
        self.maybe(field.mean_delay);
        self.maybe(field.delay_spread);
    }

    fn ray(&mut self, ray: &RayRow) {
        self.whole(ray.tile);
        self.flag(ray.side == SIDES[1]);
        self.whole(ray.face);
        self.reals(&ray.middle);
        let path = &ray.path;
        self.whole(path.tx);
        self.whole(path.rx);
        self.device(&path.tx_device);
        self.device(&path.rx_device);
        self.count(path.types.len());
        self.0.extend_from_slice(path.types.as_bytes());
        self.count(path.points.len());
        for point in &path.points {
            self.reals(&point.to_array());
        }
        self.reals(&[path.length, path.delay, path.gain_db, path.clutter_loss_db]);
        for value in path.coefficient.as_flattened() {
            self.reals(&[value.re, value.im]);
        }
        self.reals(&path.departure);
        self.reals(&path.arrival);
        self.count(path.objects.len());
        path.objects.iter().for_each(|object| self.whole(*object));
    }

    fn device(&mut self, device: &Device) {
        self.count(device.name.len());
        self.0.extend_from_slice(device.name.as_bytes());
        self.flag(device.lon_lat.is_some());
        device.lon_lat.iter().for_each(|at| self.reals(at));
    }

    fn reals(&mut self, values: &[f64]) {
        for value in values {
            self.0.extend_from_slice(&value.to_le_bytes());
        }
    }

    fn maybe(&mut self, value: Option<f64>) {
        self.flag(value.is_some());
        if let Some(value) = value {
            self.reals(&[value]);
        }
    }

    fn whole(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn count(&mut self, value: usize) {
        self.0.extend_from_slice(&(value as u64).to_le_bytes());
    }

    fn flag(&mut self, value: bool) {
        self.0.push(value.into());
    }
}

/// The same bytes read again; `None` where they end too early.
#[derive(Debug)]
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn finished(&mut self) -> Option<FinishedTx> {
        let count = self.count()?;
        let fields = (0..count).map(|_| Some([self.field()?, self.field()?]));
        let fields = fields.collect::<Option<_>>()?;
        let (reflections, diffractions) = (self.maybe()?, self.maybe()?);
        let [longer_gain, missing_gain, all_gain] = self.reals()?;
        let count = self.count()?;
        Some(FinishedTx {
            fields,
            recall: Recall {
                reflections,
                diffractions,
                longer_gain,
                missing_gain,
                all_gain,
            },
            rays: (0..count).map(|_| self.ray()).collect::<Option<_>>()?,
        })
    }

    fn field(&mut self) -> Option<TileField> {
        let [path_gain, diffuse_gain, incident_power] = self.reals()?;
        let (num_paths, has_line_of_sight) = (self.whole()?, self.flag()?);
        let [strongest_gain, coherent_gain] = self.reals()?;
        let spreads = if self.flag()? {
            let [mean_delay, delay_spread] = self.reals()?;
            Some(CellSpreads {
                mean_delay,
                delay_spread,
                departure: [self.angle()?, self.angle()?],
                arrival: [self.angle()?, self.angle()?],
            })
        } else {
            None
        };
        let strongest = if self.flag()? {
            let [delay, zenith, azimuth] = self.reals()?;
            let arrival = Direction { zenith, azimuth };
            Some(StrongestPath { delay, arrival })
        } else {
            None
        };
        Some(TileField {
            path_gain,
            diffuse_gain,
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
        })
    }

    fn angle(&mut self) -> Option<AngleSpread> {
        let [mean, spread] = self.reals()?;
        Some(AngleSpread { mean, spread })
    }

    fn ray(&mut self) -> Option<RayRow> {
        let (tile, is_back, face) = (self.whole()?, self.flag()?, self.whole()?);
        let middle = self.reals()?;
        let (tx, rx) = (self.whole()?, self.whole()?);
        let (tx_device, rx_device) = (self.device()?, self.device()?);
        let count = self.count()?;
        let types = String::from_utf8(self.take(count)?.to_vec()).ok()?;
        let count = self.count()?;
        let points = (0..count).map(|_| self.reals().map(DVec3::from_array));
        let points = points.collect::<Option<_>>()?;
        let [length, delay, gain_db, clutter_loss_db] = self.reals()?;
        let mut value = || self.reals().map(|[re, im]| Complex64::new(re, im));
        let coefficient = [[value()?, value()?], [value()?, value()?]];
        let (departure, arrival) = (self.reals()?, self.reals()?);
        let count = self.count()?;
        let objects = (0..count).map(|_| self.whole()).collect::<Option<_>>()?;
        Some(RayRow {
            tile,
            side: SIDES[usize::from(is_back)],
            face,
            middle,
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
        let count = self.count()?;
        let name = std::str::from_utf8(self.take(count)?).ok()?.into();
        let lon_lat = if self.flag()? {
            Some(self.reals()?)
        } else {
            None
        };
        Some(Device { name, lon_lat })
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn reals<const N: usize>(&mut self) -> Option<[f64; N]> {
        let bytes = self.take(8 * N)?;
        let values: &[[u8; 8]; N] = bytes.as_chunks().0.try_into().ok()?;
        Some(values.map(f64::from_le_bytes))
    }

    #[expect(
        clippy::option_option,
        reason = "bytes that end too early, and a value that is not there"
    )]
    fn maybe(&mut self) -> Option<Option<f64>> {
        if !self.flag()? {
            return Some(None);
        }
        let [value] = self.reals()?;
        Some(Some(value))
    }

    fn whole(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn count(&mut self) -> Option<usize> {
        let value = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
        usize::try_from(value).ok()
    }

    fn flag(&mut self) -> Option<bool> {
        Some(self.take(1)? != [0])
    }
}
