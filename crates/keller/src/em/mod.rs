//! Electromagnetics of single interactions.
