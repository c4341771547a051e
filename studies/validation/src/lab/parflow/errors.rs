//! The differences of two fields, by how the receivers are reached.

use keller::Complex64;
use keller::units::power_to_db;

use super::rays::Reach;

/// Receivers along the side of a patch, which is a wavelength.
const PATCH: usize = 4;

/// One region of a place.
#[derive(Debug, Clone, Default)]
pub(super) struct Errors {
    /// Receivers, the power of the waves there, and that of the difference.
    pub(super) receivers: usize,
    power: f64,
    difference: f64,
    /// dB of the powers of whole patches, less those of the waves.
    patches: Vec<f64>,
}

impl Errors {
    /// Power of the difference over that of the waves, dB.
    pub(super) fn field_db(&self) -> f64 {
        power_to_db(self.difference / self.power)
    }

    pub(super) fn patches(&self) -> usize {
        self.patches.len()
    }

    /// The mean of patches, dB.
    pub(super) fn mean_db(&self) -> f64 {
        self.patches.iter().sum::<f64>() / self.patches.len() as f64
    }

    /// Standard deviation of patches, dB.
    pub(super) fn deviation_db(&self) -> f64 {
        let mean = self.mean_db();
        let squares = self.patches.iter().map(|db| (db - mean).powi(2));
        (squares.sum::<f64>() / self.patches.len() as f64).sqrt()
    }
}

/// Fields of the receivers of a square place, row after row; none where there is no receiver.
pub(super) type Fields = [Option<Complex64>];

/// The errors of `fields` where `reach` holds, relative to the fields of the waves.
pub(super) fn errors(
    fields: &Fields,
    waves: &Fields,
    reaches: &[Option<Reach>],
    wanted: impl Fn(Reach) -> bool,
) -> Errors {
    let mut errors = Errors::default();
    for ((field, wave), reach) in fields.iter().zip(waves).zip(reaches) {
        if let (Some(field), Some(wave), Some(reach)) = (field, wave, reach)
            && wanted(*reach)
        {
            errors.receivers += 1;
            errors.power += wave.norm_sqr();
            errors.difference += (field - wave).norm_sqr();
        }
    }
    for patch in patches(fields.len()) {
        let reach: Option<Vec<Reach>> = patch.iter().map(|k| reaches[*k]).collect();
        let reach = reach.and_then(|reaches| reaches.into_iter().max());
        if reach.is_some_and(&wanted) {
            let db = power_to_db(power(fields, &patch) / power(waves, &patch));
            errors.patches.extend(db.is_finite().then_some(db));
        }
    }
    errors
}

/// dB of the mean power of each patch for all its receivers, minus infinity without power, NaN where one has no field.
pub(super) fn by_patches(fields: &Fields) -> Vec<f64> {
    let mut all = vec![f64::NAN; fields.len()];
    for patch in patches(fields.len()) {
        if patch.iter().all(|k| fields[*k].is_some()) {
            let db = power_to_db(power(fields, &patch) / patch.len() as f64);
            for k in patch {
                all[k] = db;
            }
        }
    }
    all
}

fn power(fields: &Fields, patch: &[usize]) -> f64 {
    let fields = patch.iter().filter_map(|k| fields[*k]);
    fields.map(|field| field.norm_sqr()).fold(0.0, |a, b| a + b)
}

/// The receivers of each patch, of so many in a square.
fn patches(count: usize) -> impl Iterator<Item = Vec<usize>> {
    let side = count.isqrt();
    let abreast = side / PATCH;
    (0..abreast * abreast).map(move |patch| {
        let (column, row) = (patch % abreast, patch / abreast);
        let of = |k: usize| (row * PATCH + k / PATCH) * side + column * PATCH + k % PATCH;
        (0..PATCH * PATCH).map(of).collect()
    })
}
