//! The Tx of a scenario, as engines and maps take them.

use keller::Tx;
use keller::paths::Devices;
use keller_io::reports::coverage::MapTx;

use super::cautions;
use crate::{Error, Job};

impl Job {
    /// Every Tx in the form that engines of coverages need.
    ///
    /// # Errors
    /// [`Error::Input`] for a Tx that cannot be used.
    pub fn transmitters(&self) -> Result<Vec<Tx>, Error> {
        let scenario = &self.scenario;
        cautions::of_arrays(self);
        let positions = &self.positions.tx;
        Devices::tx(self.world.scene(), &positions[..])
            .map_err(|error| Error::in_scenario(scenario, &error))?;
        let of = |(tx, position): (&keller_io::scenario::ScenarioTx, &keller::DVec3)| Tx {
            position: *position,
            antenna: tx.antenna.clone(),
        };
        Ok(scenario.tx.iter().zip(positions).map(of).collect())
    }

    /// Every Tx in the form that maps show.
    pub fn map_tx(&self) -> Vec<MapTx> {
        let of = |(index, tx): (usize, &keller_io::scenario::ScenarioTx)| MapTx {
            name: self.tx[index].name.clone(),
            position: self.positions.tx[index],
            power_dbm: tx.power_dbm,
        };
        self.scenario.tx.iter().enumerate().map(of).collect()
    }
}
