//! Loops over all threads.
//!
//! The compiler makes a dozen functions of every loop over rayon's iterators. Here the part that shares work among
//! threads is compiled once; only a few lines are compiled for every loop.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of parts into which a loop is cut for each thread: parts take unequal times.
const PARTS_PER_THREAD: usize = 64;

/// The parts into which a loop over `0..num` is cut.
struct Parts {
    num: usize,
    /// Items of a part; the last may have fewer.
    size: usize,
}

impl Parts {
    /// Parts of at least `min_size` items.
    fn new(num: usize, min_size: usize) -> Self {
        let threads = rayon::current_num_threads();
        let size = if threads == 1 {
            num
        } else {
            num.div_ceil(PARTS_PER_THREAD * threads)
        };
        Self {
            num,
            size: size.max(min_size).max(1),
        }
    }

    fn len(&self) -> usize {
        self.num.div_ceil(self.size)
    }

    fn range(&self, part: usize) -> Range<usize> {
        let start = part * self.size;
        start..self.num.min(start + self.size)
    }
}

/// Calls `work` with every number below `num`, on all threads.
fn share(num: usize, work: &(dyn Fn(usize) + Sync)) {
    use rayon::prelude::*;

    if num <= 1 {
        (0..num).for_each(work);
    } else {
        (0..num).into_par_iter().with_max_len(1).for_each(work);
    }
}

/// No lock is held while the work of a caller runs, so a panic leaves nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work` with every number below `num`, in any order and on all threads.
pub fn each(num: usize, work: impl Fn(usize) + Sync) {
    let parts = Parts::new(num, 1);
    share(parts.len(), &|part| parts.range(part).for_each(&work));
}

/// Calls `work` as [`each`] does, with a state of each thread, which `init` makes.
pub fn each_with<W: Send>(
    num: usize,
    init: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, usize) + Sync,
) {
    // A list of units takes no memory.
    map_with(num, init, work);
}

/// The values of `f` for `0..num`, in order, computed on all threads.
pub fn map<T: Send>(num: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    collect(num, 1, &|range, values| values.extend(range.map(&f)))
}

/// The values of `f` as from [`map`], where one takes well below a microsecond: a thread takes at least `min_size`
/// numbers at a time.
pub fn map_cheap<T: Send>(num: usize, min_size: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    collect(num, min_size, &|range, values| values.extend(range.map(&f)))
}

/// The values of `f` for a list, in order, computed on all threads.
pub fn map_slice<'s, S: Sync, T: Send>(list: &'s [S], f: impl Fn(&'s S) -> T + Sync) -> Vec<T> {
    collect(list.len(), 1, &|range, values| {
        values.extend(list[range].iter().map(&f));
    })
}

/// The values of `f` as from [`map`], with a state of each thread, which `init` makes. Values must not depend on what
/// a state saw before.
pub fn map_with<W: Send, T: Send>(
    num: usize,
    init: impl Fn() -> W + Sync,
    f: impl Fn(&mut W, usize) -> T + Sync,
) -> Vec<T> {
    let idle = Mutex::new(Vec::new());
    collect(num, 1, &|range, values| {
        let state = lock(&idle).pop();
        let mut state = state.unwrap_or_else(&init);
        values.extend(range.map(|n| f(&mut state, n)));
        lock(&idle).push(state);
    })
}

/// The values of `f` for `0..num`, in order, computed on all threads.
///
/// # Errors
/// The error of the lowest number among those that failed. After an error `f` is called for no more numbers, except
/// where threads are at work already.
pub fn try_map<T: Send, E: Send>(
    num: usize,
    f: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let has_failed = AtomicBool::new(false);
    let first = Mutex::new(None);
    let values = collect(num, 1, &|range, values| {
        for n in range {
            if has_failed.load(Ordering::Relaxed) {
                return;
            }
            match f(n) {
                Ok(value) => values.push(value),
                Err(error) => {
                    has_failed.store(true, Ordering::Relaxed);
                    let mut first = lock(&first);
                    if first.as_ref().is_none_or(|(other, _)| n < *other) {
                        *first = Some((n, error));
                    }
                    return;
                }
            }
        }
    });
    match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(values),
    }
}

/// The values that `f` appends to a list for each of `0..num`, in order, computed on all threads.
pub fn flat_map<T: Send>(num: usize, f: impl Fn(usize, &mut Vec<T>) + Sync) -> Vec<T> {
    collect(num, 1, &|range, values| range.for_each(|n| f(n, values)))
}

/// The values that `work` appends for ranges that together are `0..num`, in order. Ranges have at least `min_size`
/// numbers, except the last.
pub fn collect<T: Send>(
    num: usize,
    min_size: usize,
    work: &(dyn Fn(Range<usize>, &mut Vec<T>) + Sync),
) -> Vec<T> {
    let parts = Parts::new(num, min_size);
    let mut all = Vec::new();
    if parts.len() <= 1 {
        if num > 0 {
            work(0..num, &mut all);
        }
        return all;
    }
    let mut lists: Vec<Vec<T>> = Vec::new();
    lists.resize_with(parts.len(), Vec::new);
    let lists = Mutex::new(lists);
    share(parts.len(), &|part| {
        let mut values = Vec::new();
        work(parts.range(part), &mut values);
        lock(&lists)[part] = values;
    });
    let lists = lists.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.reserve_exact(lists.iter().map(Vec::len).sum());
    for mut list in lists {
        all.append(&mut list);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicUsize;

    /// Runs `f` with this many threads.
    fn on<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(f)
    }

    #[test]
    fn parts_cover_all_numbers_once_and_in_order() {
        on(4, || {
            for num in [0, 1, 2, 255, 256, 257, 1000] {
                for min_size in [0, 1, 7, 300, 5000] {
                    let parts = Parts::new(num, min_size);
                    let all = (0..parts.len()).flat_map(|part| parts.range(part));
                    assert!(all.eq(0..num), "{num} in parts of {min_size}");
                    let is_large = |part| parts.range(part).len() >= min_size;
                    assert!((1..parts.len()).all(|part| is_large(part - 1)));
                }
            }
        });
    }

    #[test]
    fn values_keep_the_order_of_numbers_on_any_number_of_threads() {
        for threads in [1, 4] {
            on(threads, || {
                for num in [0, 1, 2, 1000] {
                    let list: Vec<usize> = (0..num).collect();
                    let squares: Vec<usize> = list.iter().map(|n| n * n).collect();
                    assert_eq!(map(num, |n| n * n), squares);
                    assert_eq!(map_cheap(num, 300, |n| n * n), squares);
                    assert_eq!(map_slice(&list, |n| n * n), squares);
                    assert_eq!(map_with(num, || (), |(), n| n * n), squares);
                    assert_eq!(try_map(num, |n| Ok::<_, ()>(n * n)), Ok(squares));
                    let repeated = flat_map(num, |n, all| all.extend(vec![n; n % 3]));
                    let expected = list.iter().flat_map(|n| vec![*n; n % 3]);
                    assert!(expected.eq(repeated));
                    let ranges = collect(num, 300, &|range, all| all.push(range));
                    assert!(list.into_iter().eq(ranges.into_iter().flatten()));
                }
            });
        }
    }

    #[test]
    fn each_number_is_visited_once() {
        on(4, || {
            let visits: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
            let visit = |n: usize| {
                visits[n].fetch_add(1, Ordering::Relaxed);
            };
            each(visits.len(), visit);
            each_with(visits.len(), || (), |(), n| visit(n));
            assert!(visits.iter().all(|n| n.load(Ordering::Relaxed) == 2));
        });
    }

    #[test]
    fn threads_use_their_states_again() {
        let num_states = AtomicUsize::new(0);
        let make = || num_states.fetch_add(1, Ordering::Relaxed);
        on(4, || {
            assert!(map_with(0, make, |_, n| n).is_empty());
            assert_eq!(num_states.load(Ordering::Relaxed), 0);
            let values = map_with(1000, make, |_, n| n);
            assert!(values.into_iter().eq(0..1000));
        });
        assert!((1..=4).contains(&num_states.load(Ordering::Relaxed)));
    }

    #[test]
    fn loops_run_within_loops() {
        let lists = on(4, || map(50, |n| map_with(n, || (), |(), k| k)));
        for (n, list) in lists.into_iter().enumerate() {
            assert!(list.into_iter().eq(0..n));
        }
    }

    #[test]
    fn the_first_error_ends_a_loop() {
        for threads in [1, 4] {
            on(threads, || {
                let num_called = AtomicUsize::new(0);
                let fails = |n: usize| {
                    num_called.fetch_add(1, Ordering::Relaxed);
                    Err::<(), usize>(n)
                };
                let error = try_map(100_000, fails).unwrap_err();
                assert!(error < 100_000);
                assert!((1..=threads).contains(&num_called.load(Ordering::Relaxed)));
                let fails = |n: usize| if n < 700 { Ok(n) } else { Err(n) };
                assert!(try_map(1000, fails).is_err_and(|n| n >= 700));
            });
        }
    }

    #[test]
    fn panics_reach_the_caller() {
        on(4, || {
            let panics = |n: usize| assert!(n != 123, "at {n}");
            let result = catch_unwind(|| each(1000, panics));
            let message = result.unwrap_err().downcast::<String>().unwrap();
            assert_eq!(*message, "at 123");
            let with_state = AssertUnwindSafe(|| map_with(1000, || 0, |_, n| panics(n)));
            assert!(catch_unwind(with_state).is_err());
        });
    }
}
