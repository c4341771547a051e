//! The powers that a cell receives from all transmitters, as bytes after the units of a run: index of the best and of
//! the second server, their powers, and the power of all but the best.

use keller::coverage::layers::{Server, Servers};

/// The number of bytes of a cell.
pub(super) const SERVERS_BYTES: usize = 32;

const NOBODY: u32 = u32::MAX;

/// The bytes of the powers in a cell.
pub(super) fn servers_bytes(servers: &Servers) -> [u8; SERVERS_BYTES] {
    let mut bytes = [0; SERVERS_BYTES];
    for (k, server) in [servers.best, servers.second].into_iter().enumerate() {
        let tx = server.map_or(NOBODY, |server| {
            u32::try_from(server.tx).expect("tables count in 32 bits")
        });
        let power = server.map_or(0.0, |server| server.power);
        bytes[4 * k..][..4].copy_from_slice(&tx.to_le_bytes());
        bytes[8 + 8 * k..][..8].copy_from_slice(&power.to_le_bytes());
    }
    bytes[24..].copy_from_slice(&servers.others.to_le_bytes());
    bytes
}

/// The powers of [`servers_bytes`].
pub(super) fn servers_of(bytes: &[u8; SERVERS_BYTES]) -> Servers {
    let index = |at: usize| u32::from_le_bytes(std::array::from_fn(|k| bytes[at + k]));
    let number = |at: usize| f64::from_le_bytes(std::array::from_fn(|k| bytes[at + k]));
    let server = |k: usize| {
        let tx = Some(index(4 * k)).filter(|tx| *tx != NOBODY)?;
        Some(Server {
            tx: tx as usize,
            power: number(8 + 8 * k),
        })
    };
    Servers {
        best: server(0),
        second: server(1),
        others: number(24),
    }
}
