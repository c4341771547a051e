//! Turns gains into a network: received power, best and second server, signal to interference and noise.

/// Boltzmann's constant times 290 K, W/Hz: thermal noise at room temperature.
pub const THERMAL_NOISE_DENSITY: f64 = 1.380_649e-23 * 290.0;

/// A transmitter that is received, and its power.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Server {
    /// Its index.
    pub tx: usize,
    /// The power received from it, W.
    pub power: f64,
}

/// The power that a cell receives from all transmitters, which are added one after the other, so that no list of them
/// is kept. All are assumed to send all the time on the same channel.
///
/// ```
/// use keller::coverage::layers::Servers;
///
/// let mut cell = Servers::default();
/// for (tx, power) in [1e-9, 4e-9, 2e-9].into_iter().enumerate() {
///     cell.add(tx, power);
/// }
/// assert_eq!(cell.best.map(|server| server.tx), Some(1));
/// assert_eq!(cell.second.map(|server| server.tx), Some(2));
/// assert!((cell.total() - 7e-9).abs() < 1e-20);
/// assert!((cell.sinr(1e-9) - 1.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Servers {
    /// The transmitter that is received best; `None` where none is.
    pub best: Option<Server>,
    /// The transmitter that is received next best; `None` where fewer than two are.
    pub second: Option<Server>,
    /// The power of all but the best together, W; NaN where no receiver can be. It is kept apart from the best, next to
    /// which it would be lost in rounding.
    pub others: f64,
}

impl Servers {
    /// Adds the power received from one more transmitter, W; zero where it is not received, NaN where no receiver can
    /// be. The first added of several equal ones serves.
    pub fn add(&mut self, tx: usize, power: f64) {
        if power.is_nan() {
            // NaN of one is NaN of all.
            self.others = f64::NAN;
        }
        let is_received = power > 0.0;
        if !is_received {
            return;
        }
        let server = Server { tx, power };
        match self.best {
            None => self.best = Some(server),
            Some(best) if power > best.power => {
                self.others += best.power;
                self.second = Some(best);
                self.best = Some(server);
            }
            Some(_) => {
                self.others += power;
                if self.second.is_none_or(|second| power > second.power) {
                    self.second = Some(server);
                }
            }
        }
    }

    /// The power received from the best server, W; zero where nobody is received, NaN where no receiver can be.
    pub fn power(&self) -> f64 {
        self.best.map_or(self.others, |best| best.power)
    }

    /// The power received from the second best server, W; zero where fewer than two are received, NaN where no receiver can be.
    pub fn second_power(&self) -> f64 {
        let none = if self.others.is_nan() { f64::NAN } else { 0.0 };
        self.second.map_or(none, |second| second.power)
    }

    /// The power received from all transmitters together, W; NaN where no receiver can be.
    pub fn total(&self) -> f64 {
        self.best.map_or(0.0, |best| best.power) + self.others
    }

    /// The power of the best server over that of all others and `noise_power` (W), linear; NaN where nobody is received.
    pub fn sinr(&self, noise_power: f64) -> f64 {
        self.best
            .map_or(f64::NAN, |best| best.power / (self.others + noise_power))
    }

    /// The signal to interference and noise of any transmitter that was added.
    pub fn sinr_of(&self, server: Server, noise_power: f64) -> f64 {
        match self.best {
            Some(best) if best.tx != server.tx => {
                let interference = best.power + (self.others - server.power);
                server.power / (interference + noise_power)
            }
            _ => self.sinr(noise_power),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(powers: &[f64]) -> Servers {
        let mut servers = Servers::default();
        for (tx, power) in powers.iter().enumerate() {
            servers.add(tx, *power);
        }
        servers
    }

    #[test]
    fn the_strongest_serves_and_the_others_interfere() {
        let cell = servers(&[2e-8, 1e-8, 0.0, 4e-8, 4e-8]);
        let tx = |server: Option<Server>| server.map(|server| server.tx);
        assert_eq!((tx(cell.best), tx(cell.second)), (Some(3), Some(4)));
        assert_eq!((cell.power(), cell.second_power()), (4e-8, 4e-8));
        assert!((cell.total() / 11e-8 - 1.0).abs() < 1e-12, "{cell:?}");
        assert!((cell.sinr(1e-8) - 0.5).abs() < 1e-12, "{cell:?}");
        let first = Server { tx: 0, power: 2e-8 };
        assert!((cell.sinr_of(first, 1e-8) - 0.2).abs() < 1e-12, "{cell:?}");
    }

    #[test]
    fn a_weak_interferer_is_not_lost_next_to_the_best() {
        // Twenty orders below: the sum of both would be the best alone.
        for powers in [[1.0, 1e-20], [1e-20, 1.0]] {
            let sinr = servers(&powers).sinr(0.0);
            assert!((sinr / 1e20 - 1.0).abs() < 1e-12, "{sinr}");
        }
    }

    #[test]
    fn nobody_serves_where_nothing_arrives_or_no_receiver_can_be() {
        let silent = servers(&[0.0, 0.0]);
        assert_eq!((silent.best, silent.power()), (None, 0.0));
        assert!(silent.sinr(1e-9).is_nan(), "nobody serves");
        let wall = servers(&[f64::NAN, f64::NAN]);
        assert_eq!(wall.best, None);
        let all = [wall.power(), wall.second_power(), wall.total()];
        assert!(all.iter().all(|power| power.is_nan()), "{all:?}");
        let alone = servers(&[0.0, 3e-9]);
        assert_eq!((alone.second_power(), alone.total()), (0.0, 3e-9));
    }
}
