//! Why a card cannot be used.

/// Why a card cannot be used. The processor computes everything without one.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program was built without cards.
    #[error(
        "keller was built without graphics cards; built from source with `--features gpu`, it has them"
    )]
    NotBuilt,
    /// A name that no card has.
    #[error("no graphics card is called `{name}`; there {}", listed(.there))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names of those there are.
        there: Vec<String>,
    },
    /// A machine without a graphics card.
    #[error("there is no graphics card, or no driver for it{}", imitations(.there))]
    NoCard {
        /// The names of the cards there are.
        there: Vec<String>,
    },
    /// The driver does not open the card.
    #[error("{name} cannot be opened: {reason}")]
    Closed {
        /// The card.
        name: String,
        /// The reason that its driver gives.
        reason: String,
    },
    /// The scene is too large for the card.
    #[error("{name}: the scene needs {size} bytes in one piece, and the card takes {limit}")]
    TooLarge {
        /// The card.
        name: String,
        /// Size of its largest part on the card, bytes.
        size: u64,
        /// Largest part that the card takes, bytes.
        limit: u64,
    },
    /// The scene has coordinates that a card may take for zero.
    #[error(
        "{name}: the scene has a coordinate of {coordinate:e} m, which a card may take for zero"
    )]
    TooSmall {
        /// The card.
        name: String,
        /// The coordinate.
        coordinate: f32,
    },
    /// The card failed while it worked.
    #[error("{name} failed: {reason}")]
    Failed {
        /// The card.
        name: String,
        /// The reason that its driver gives.
        reason: String,
    },
    /// The card computes something else than the processor.
    #[error(
        "{name} does not compute exactly: of {of} rays {wrong} hit something else than on the processor"
    )]
    Inexact {
        /// The card.
        name: String,
        /// Rays with another answer.
        wrong: usize,
        /// Rays compared.
        of: usize,
    },
    /// The device finds other points visible than the processor.
    #[error("{name} does not see what the processor sees from {wrong} of {of} points")]
    WrongSight {
        /// The card.
        name: String,
        /// Points with another answer.
        wrong: usize,
        /// Points compared.
        of: usize,
    },
}

fn imitations(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!(
            "; what software imitates is asked for by name: `{}`",
            names.join("`, `")
        ),
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "is none".into(),
        [name] => format!("is `{name}`"),
        names => format!("are `{}`", names.join("`, `")),
    }
}
