//! Step 8 of a ray's life: from the paths between one Tx and one Rx to a channel.
//!
//! [`ImpulseResponse`] holds one tap a path, with a complex amplitude for each pair of ports. From it follow [`Statistics`], the
//! binned power-delay profile, and, with the delays alone, the response over a [`Band`]. [`replay`] is the other way to a
//! response: it carries the field along the same paths at every frequency, so that materials disperse. Nothing is traced again.
//! [`ElementLink`] has the same between arrays of which every element is traced.
//!
//! Cost: paths times ports times frequencies times snapshots. Assumed: devices and walls move so little during all snapshots that
//! no path appears or goes and no angle changes; only delays do, linearly.

mod band;
mod doppler;
mod elements;
mod impulse;
mod profile;
mod response;
mod spread;
mod statistics;

pub use band::{Band, Window};
pub use doppler::{Motion, doppler_shift, length_rate};
pub use elements::ElementLink;
pub use impulse::{Antennas, ImpulseResponse, Tap};
pub use profile::{binned_profile, delay_powers, delay_response};
pub use response::{FrequencyResponse, replay};
pub(crate) use spread::spread_of;
pub use spread::{circular_mean, circular_spread, mean, spread};
pub use statistics::{Spreads, Statistics};
