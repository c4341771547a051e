//! The interactions that paths have used of the limits when they are scattered, and those that are left.
//!
//! Waves that have used the same of the limits may go the same ways, so their powers are added up. Limits that cannot
//! be reached are not counted: with as many reflections allowed as interactions, reflections need no count of their own.

use crate::Error;
use crate::paths::{InteractionCounts, InteractionKind, Limits};

/// The interactions of a wave between one tile and the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Leg {
    pub(super) reflections: usize,
    pub(super) transmissions: usize,
    pub(super) diffractions: usize,
}

/// The limits, and the numbers under which powers are added up.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    /// The largest number of reflections that is counted.
    most_reflections: usize,
    most_diffractions: usize,
    most_transmissions: usize,
    /// The interactions of the paths of each combination. Reflections and diffractions that are not counted are none.
    states: Vec<InteractionCounts>,
    /// The number of each combination by its place in the table of all counts; `None` for those that cannot occur.
    numbers: Vec<Option<usize>>,
}

/// The largest number of powers that are kept apart.
const MAX_STATES: usize = 128;

/// Largest number of diffractions between two scatterings.
const DIFFRACTIONS: usize = 1;

impl Budget {
    pub(super) fn new(limits: &Limits) -> Result<Self, Error> {
        let most = limits.interactions();
        // A scattering leaves room for one interaction less.
        let counted = |limit: usize| if limit + 1 < most { limit } else { 0 };
        let mut budget = Self {
            limits: *limits,
            most_reflections: counted(limits.max_reflections),
            most_diffractions: counted(limits.max_diffractions),
            most_transmissions: limits.transmissions_beside(1),
            states: Vec::new(),
            numbers: Vec::new(),
        };
        for interactions in 1..=most {
            for reflections in 0..=budget.most_reflections {
                for diffractions in 0..=budget.most_diffractions {
                    for transmissions in 0..=budget.most_transmissions {
                        budget.add(InteractionCounts {
                            interactions,
                            reflections,
                            diffractions,
                            transmissions,
                            ..InteractionCounts::NONE
                        });
                    }
                }
            }
        }
        if budget.len() > MAX_STATES {
            return Err(Error::SearchTooLarge(format!(
                "scattering from tile to tile tells apart {MAX_STATES} combinations of numbers of interactions, reflections, diffractions and transmissions at most; these limits have {}",
                budget.len()
            )));
        }
        Ok(budget)
    }

    /// Adds a place of the table, and a number for it if scattered paths may have used that much.
    fn add(&mut self, used: InteractionCounts) {
        let is_possible =
            used.reflections + used.diffractions < used.interactions && self.limits.allow(&used);
        self.numbers.push(is_possible.then_some(self.states.len()));
        if is_possible {
            self.states.push(used);
        }
    }

    /// The number of combinations that are kept apart.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The combination with one scattering more; `None` if the limits do not allow it.
    pub(super) fn scattered(&self, used: InteractionCounts) -> Option<usize> {
        self.number(used.with(InteractionKind::Scattering))
    }

    /// The combination with another scattering.
    pub(super) fn scattered_again(&self, state: usize) -> Option<usize> {
        self.scattered(self.states[state])
    }

    /// The combination behind a leg.
    pub(super) fn after(&self, state: usize, leg: Leg) -> Option<usize> {
        let mut used = self.states[state].plus(leg.reflections, leg.diffractions);
        used.transmissions += leg.transmissions;
        self.number(used)
    }

    /// All legs that a scattered wave may have.
    pub(super) fn legs(&self) -> Vec<Leg> {
        let scattered = InteractionCounts::NONE.with(InteractionKind::Scattering);
        let diffractions = self.limits.diffractions_beside(&scattered);
        let legs = (0..=diffractions.min(DIFFRACTIONS)).flat_map(|diffractions| {
            let beside = scattered.plus(0, diffractions);
            let reflections = self.limits.reflections_beside(&beside).unwrap_or(0);
            (0..=reflections).flat_map(move |reflections| {
                (0..=self.most_transmissions).map(move |transmissions| Leg {
                    reflections,
                    transmissions,
                    diffractions,
                })
            })
        });
        legs.collect()
    }

    /// The number of the combination of these interactions; `None` if the limits do not allow it.
    fn number(&self, used: InteractionCounts) -> Option<usize> {
        if !self.limits.allow(&used) {
            return None;
        }
        let reflections = used.reflections.min(self.most_reflections);
        let diffractions = used.diffractions.min(self.most_diffractions);
        let place = (used.interactions - 1) * (self.most_reflections + 1) + reflections;
        let place = place * (self.most_diffractions + 1) + diffractions;
        self.numbers[place * (self.most_transmissions + 1) + used.transmissions]
    }
}

/// The powers that one scattering adds up, and where they go.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) legs: Vec<Leg>,
    /// The pairs, for each leg, of a slot in which power is gathered and a column of the power that tiles send.
    pub(super) reads: Vec<Vec<(usize, usize)>>,
    /// The columns that the power of each combination is in.
    pub(super) columns_of: Vec<Vec<usize>>,
    pub(super) num_columns: usize,
    pub(super) num_slots: usize,
}

impl Plan {
    /// The plan of the last scattering, behind which nothing needs to be kept apart: a column for each leg has the
    /// power that may go this leg, and all of it is gathered in one slot.
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

    /// Whether some power may go a leg with or without a diffraction, and with any interaction at all.
    pub(super) fn has_legs(&self, with_diffraction: bool) -> bool {
        let legs = self.legs.iter().zip(&self.reads);
        legs.filter(|(_, reads)| !reads.is_empty())
            .any(|(leg, _)| *leg != Leg::default() && (leg.diffractions > 0) == with_diffraction)
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
            max_interactions: 6,
            max_reflections: 2,
            max_transmissions: 3,
            max_diffractions: 1,
            max_scatterings: 2,
            ..Limits::default()
        };
        let budget = Budget::new(&limits).unwrap();
        for (state, used) in budget.states.iter().enumerate() {
            assert_eq!(budget.number(*used), Some(state));
        }
        let two = Leg {
            reflections: 2,
            transmissions: 1,
            diffractions: 0,
        };
        let after = budget.after(0, two);
        let expected = InteractionCounts {
            interactions: 3,
            reflections: 2,
            transmissions: 1,
            ..InteractionCounts::NONE
        };
        assert_eq!(after.map(|state| budget.states[state]), Some(expected));
        let again = budget.scattered_again(after.unwrap()).unwrap();
        assert_eq!(
            budget.after(again, two),
            None,
            "four reflections are too many"
        );
        let bent = Leg {
            diffractions: 1,
            ..Leg::default()
        };
        let once = budget.after(again, bent).unwrap();
        let once = budget.scattered_again(once).unwrap();
        assert_eq!(budget.after(once, bent), None, "two edges are too many");
    }

    #[test]
    fn limits_that_are_out_of_reach_need_no_count() {
        let limits = Limits {
            max_interactions: 4,
            max_reflections: 3,
            max_diffractions: 3,
            ..Limits::default()
        };
        assert_eq!(Budget::new(&limits).unwrap().len(), 4);
    }
}
