//! Short lists that need no memory of their own.

use std::ops::{Deref, DerefMut};

/// A list that lies where it is kept while it has at most `N` items, and longer ones on the heap.
#[derive(Debug, Clone)]
pub(crate) struct Few<T, const N: usize> {
    len: usize,
    few: [T; N],
    /// All of them, where they are more.
    many: Vec<T>,
}

impl<T: Copy + Default, const N: usize> Few<T, N> {
    pub(crate) fn push(&mut self, item: T) {
        if self.len < N {
            self.few[self.len] = item;
        } else {
            if self.len == N {
                self.many.clear();
                self.many.extend_from_slice(&self.few);
            }
            self.many.push(item);
        }
        self.len += 1;
    }

    pub(crate) fn pop(&mut self) {
        if self.len > N {
            self.many.pop();
            if self.len == N + 1 {
                self.few.copy_from_slice(&self.many);
            }
        }
        self.len = self.len.saturating_sub(1);
    }
}

impl<T: Copy + Default, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Self {
            len: 0,
            few: [T::default(); N],
            many: Vec::new(),
        }
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        if self.len <= N {
            &self.few[..self.len]
        } else {
            &self.many
        }
    }
}

impl<T, const N: usize> DerefMut for Few<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        if self.len <= N {
            &mut self.few[..self.len]
        } else {
            &mut self.many
        }
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Few<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Copy + Default, const N: usize> FromIterator<T> for Few<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut all = Self::default();
        for item in items {
            all.push(item);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_grows_beyond_its_place_and_back() {
        let mut list: Few<u8, 3> = (0..3).collect();
        assert_eq!(*list, [0, 1, 2]);
        list.push(3);
        list.push(4);
        list.reverse();
        assert_eq!(*list, [4, 3, 2, 1, 0]);
        list.pop();
        list.pop();
        assert_eq!(*list, [4, 3, 2]);
        list.push(7);
        assert_eq!(list, [4, 3, 2, 7].into_iter().collect());
        for _ in 0..5 {
            list.pop();
        }
        assert!(list.is_empty(), "{list:?}");
    }
}
