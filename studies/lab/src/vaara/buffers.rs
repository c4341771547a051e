//! Buffers of fixed size between a search and its receiver: nothing is lost, and nothing is kept beyond their size.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// The size at which a buffer is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// No size: everything is handed on together at the end. The slow twin of the others.
    Unbounded,
    /// This number of items in all.
    InAll(usize),
    /// This number of items of one receiver, as in Vaara 2022, who gives each receiver a buffer of its own and hands
    /// all on when one is full.
    PerRx(usize),
}

/// The size and the number of buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffering {
    /// The size at which a buffer is full; 0 counts as 1.
    pub size: Size,
    /// Whether one buffer fills while another is emptied; otherwise the search waits meanwhile.
    pub is_double: bool,
}

/// The traffic through the buffers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Items that the search gave, doubles included.
    pub num_items: usize,
    /// The number of times that a buffer was handed on.
    pub num_batches: usize,
    /// The largest number of items that a buffer held.
    pub largest: usize,
}

/// Puts everything that `produce` gives into buffers, and gives each full one, and the last, to `empty` on a thread
/// of its own. `produce` may call the function it is given from any thread; it must not wait for a thread that
/// `empty` needs.
///
/// # Panics
/// If `empty` panics, or an item's receiver is not below `num_rx`.
pub fn pass<T: Copy + Send>(
    buffering: Buffering,
    num_rx: usize,
    rx: impl Fn(&T) -> usize + Sync,
    produce: impl FnOnce(&(dyn Fn(&[T]) + Sync)),
    mut empty: impl FnMut(&mut Vec<T>) + Send,
) -> Traffic {
    let (full, to_empty) = channel::<Vec<T>>();
    let (emptied, to_fill) = channel::<Vec<T>>();
    // There are never more buffers: the one that fills, and with double buffering the one that is emptied.
    if buffering.is_double {
        emptied.send(Vec::new()).expect("its other end is here");
    }
    let filling = Mutex::new(Filling {
        size: buffering.size,
        items: Vec::new(),
        of_rx: vec![0; num_rx],
        traffic: Traffic::default(),
        full,
        to_fill,
    });
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Moved here, so that waiting for an empty buffer ends if this thread does.
            let emptied = emptied;
            for mut items in to_empty {
                empty(&mut items);
                items.clear();
                // No thread takes the last ones.
                drop(emptied.send(items));
            }
        });
        produce(&|items| {
            let mut filling = filling.lock().unwrap_or_else(PoisonError::into_inner);
            for item in items {
                filling.push(*item, rx(item));
            }
        });
        let filling = filling.into_inner().unwrap_or_else(PoisonError::into_inner);
        filling.finish()
    })
}

/// The buffer that is being filled.
struct Filling<T> {
    size: Size,
    items: Vec<T>,
    /// Number of items of each receiver in the buffer.
    of_rx: Vec<usize>,
    traffic: Traffic,
    full: Sender<Vec<T>>,
    to_fill: Receiver<Vec<T>>,
}

impl<T> Filling<T> {
    fn push(&mut self, item: T, rx: usize) {
        self.items.push(item);
        self.of_rx[rx] += 1;
        self.traffic.num_items += 1;
        self.traffic.largest = self.traffic.largest.max(self.items.len());
        let is_full = match self.size {
            Size::Unbounded => false,
            Size::InAll(size) => self.items.len() >= size,
            Size::PerRx(size) => self.of_rx[rx] >= size,
        };
        if is_full {
            self.hand_on();
            self.items = self.to_fill.recv().expect("the emptying thread works");
            self.of_rx.fill(0);
        }
    }

    fn hand_on(&mut self) {
        self.traffic.num_batches += 1;
        let items = std::mem::take(&mut self.items);
        self.full.send(items).expect("the emptying thread works");
    }

    /// Hands on the rest. The emptying thread then ends.
    fn finish(mut self) -> Traffic {
        if !self.items.is_empty() {
            self.hand_on();
        }
        self.traffic
    }
}
