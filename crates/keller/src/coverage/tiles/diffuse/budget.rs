//! What paths have used of the limits when they are scattered, and what they may still use.
//!
//! Waves that have used the same of the limits may go the same ways, so their powers are added up. Limits that cannot
//! be reached are not counted: with as many reflections allowed as interactions, reflections need no count of their own.

use super::super::used::Used;
use crate::Error;
use crate::paths::Limits;

/// What a wave does between one tile and the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Leg {
    pub(super) reflections: usize,
    pub(super) transmissions: usize,
}

/// The limits, and the numbers under which powers are added up.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    /// Largest number of reflections that is told apart.
    most_reflections: usize,
    most_transmissions: usize,
}

/// Powers that are kept apart, at most.
const MAX_STATES: usize = 128;

impl Budget {
    pub(super) fn new(limits: &Limits) -> Result<Self, Error> {
        let most = limits.interactions();
        // A scattering leaves room for one interaction less.
        let binds = limits.max_reflections + 1 < most;
        let budget = Self {
            limits: *limits,
            most_reflections: if binds { limits.max_reflections } else { 0 },
            most_transmissions: limits.transmissions_beside(1),
        };
        if budget.len() > MAX_STATES {
            return Err(Error::SearchTooLarge(format!(
                "scattering from tile to tile tells apart {MAX_STATES} combinations of numbers of interactions, reflections and transmissions at most; these limits have {}",
                budget.len()
            )));
        }
        Ok(budget)
    }

    /// The number of combinations that are told apart.
    pub(super) fn len(&self) -> usize {
        self.limits.interactions() * (self.most_reflections + 1) * (self.most_transmissions + 1)
    }

    /// The combination with one scattering more; `None` if the limits do not allow it.
    pub(super) fn scattered(&self, used: Used) -> Option<usize> {
        let next = Used {
            interactions: used.interactions + 1,
            ..used
        };
        self.allows(next).then(|| self.index(next))
    }

    /// The combination with another scattering.
    pub(super) fn scattered_again(&self, state: usize) -> Option<usize> {
        self.scattered(self.used(state))
    }

    /// The combination behind a leg.
    pub(super) fn after(&self, state: usize, leg: Leg) -> Option<usize> {
        let used = self.used(state);
        let next = Used {
            interactions: used.interactions + leg.reflections,
            reflections: used.reflections + leg.reflections,
            transmissions: used.transmissions + leg.transmissions,
        };
        self.allows(next).then(|| self.index(next))
    }

    /// All legs that a scattered wave may have.
    pub(super) fn legs(&self) -> Vec<Leg> {
        let reflections = self.limits.interactions().saturating_sub(1);
        let reflections = reflections.min(self.limits.max_reflections);
        let legs = (0..=reflections).flat_map(|reflections| {
            (0..=self.most_transmissions).map(move |transmissions| Leg {
                reflections,
                transmissions,
            })
        });
        legs.collect()
    }

    fn allows(&self, used: Used) -> bool {
        used.interactions <= self.limits.interactions()
            && used.reflections <= self.limits.max_reflections
            && used.transmissions <= self.limits.transmissions_beside(used.interactions)
    }

    fn index(&self, used: Used) -> usize {
        let reflections = used.reflections.min(self.most_reflections);
        let of_interactions = (used.interactions - 1) * (self.most_reflections + 1) + reflections;
        of_interactions * (self.most_transmissions + 1) + used.transmissions
    }

    /// What paths of a combination have used. Reflections that are not counted are none.
    fn used(&self, state: usize) -> Used {
        let per = self.most_transmissions + 1;
        let (rest, transmissions) = (state / per, state % per);
        let per = self.most_reflections + 1;
        Used {
            interactions: rest / per + 1,
            reflections: rest % per,
            transmissions,
        }
    }
}

/// Which powers one scattering adds up, and where they go.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) legs: Vec<Leg>,
    /// For each leg, the pairs of a slot in which power is gathered and a column of what tiles send.
    pub(super) reads: Vec<Vec<(usize, usize)>>,
    /// For each combination, the columns that its power is in.
    pub(super) columns_of: Vec<Vec<usize>>,
    pub(super) num_columns: usize,
    pub(super) num_slots: usize,
}

impl Plan {
    /// The plan of the last scattering, behind which nothing needs to be told apart: a column for each leg has the power
    /// that may go this leg, and all of it is gathered in one slot.
    pub(super) fn last(budget: &Budget) -> Self {
        let legs = budget.legs();
        let columns_of = (0..budget.len())
            .map(|state| {
                let legs = legs.iter().enumerate();
                let possible = legs.filter(|(_, leg)| budget.after(state, **leg).is_some());
                possible.map(|(column, _)| column).collect()
            })
            .collect();
        Self {
            reads: (0..legs.len()).map(|column| vec![(0, column)]).collect(),
            columns_of,
            num_columns: legs.len(),
            num_slots: 1,
            legs,
        }
    }

    /// The plan of a scattering that others follow: a column and a slot for each combination.
    pub(super) fn inner(budget: &Budget) -> Self {
        let legs = budget.legs();
        let read = |leg: &Leg| {
            let states = 0..budget.len();
            states
                .filter_map(|state| Some((budget.after(state, *leg)?, state)))
                .collect()
        };
        Self {
            reads: legs.iter().map(read).collect(),
            columns_of: (0..budget.len()).map(|state| vec![state]).collect(),
            num_columns: budget.len(),
            num_slots: budget.len(),
            legs,
        }
    }

    /// The number of a leg by which some power may go.
    pub(super) fn leg(&self, wanted: Leg) -> Option<usize> {
        let found = self.legs.iter().position(|leg| *leg == wanted)?;
        (!self.reads[found].is_empty()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_come_back_from_their_numbers() {
        let limits = Limits {
            max_interactions: 5,
            max_reflections: 2,
            max_transmissions: 3,
            max_scatterings: 2,
            ..Limits::default()
        };
        let budget = Budget::new(&limits).unwrap();
        for state in 0..budget.len() {
            assert_eq!(budget.index(budget.used(state)), state);
        }
        let two = Leg {
            reflections: 2,
            transmissions: 1,
        };
        let after = budget.after(0, two).map(|state| budget.used(state));
        let expected = Used {
            interactions: 3,
            reflections: 2,
            transmissions: 1,
        };
        assert_eq!(after, Some(expected));
        let twice = after.and_then(|used| budget.after(budget.index(used), two));
        assert_eq!(twice, None, "four reflections are too many");
    }

    #[test]
    fn limits_that_are_out_of_reach_need_no_count() {
        let limits = Limits {
            max_interactions: 4,
            max_reflections: 3,
            ..Limits::default()
        };
        assert_eq!(Budget::new(&limits).unwrap().len(), 4);
    }
}
