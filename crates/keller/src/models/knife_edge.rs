//! One knife edge.

use crate::Frequency;

/// The parameter below which nothing is lost.
const CLEAR: f64 = -0.78;

/// The parameter ν of one edge that stands `height` metres over the straight line between the ends (negative: below
/// it), `before` metres from one end and `after` metres from the other: `h sqrt(2/λ (1/d_1 + 1/d_2))`.
///
/// # Source
/// ITU-R P.526-15, equation (26).
pub fn fresnel_parameter(frequency: Frequency, height: f64, before: f64, after: f64) -> f64 {
    height * (2.0 / frequency.wavelength() * (1.0 / before + 1.0 / after)).sqrt()
}

/// Loss over one knife edge in addition to free space, dB: `J(ν) = 6.9 + 20 log(sqrt((ν - 0.1)² + 1) + ν - 0.1)`, and
/// nothing for ν of -0.78 and less.
///
/// # Source
/// ITU-R P.526-15, equation (31), an approximation of the complex Fresnel integral for ν above -0.78.
pub fn knife_edge_db(nu: f64) -> f64 {
    if nu <= CLEAR {
        return 0.0;
    }
    let x = nu - 0.1;
    6.9 + 20.0 * (x.hypot(1.0) + x).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Fresnel integral says 6.02 dB at grazing, and `-20 log(0.225 / ν)` far in the shadow.
    #[test]
    fn a_knife_edge_costs_what_the_fresnel_integral_says() {
        assert!((knife_edge_db(0.0) - 6.02).abs() < 0.05);
        for nu in [3.0_f64, 5.0, 10.0] {
            let far = -20.0 * (0.225 / nu).log10();
            assert!((knife_edge_db(nu) - far).abs() < 0.3, "{nu}");
        }
        assert_eq!(knife_edge_db(-0.78), 0.0);
        assert!(knife_edge_db(-0.77).abs() < 0.1);
    }

    /// One half of the first Fresnel zone's radius in the way: ν = 1/sqrt(2).
    #[test]
    fn the_parameter_counts_fresnel_zones() {
        let frequency = Frequency::from_ghz(2.0).unwrap();
        let [d_1, d_2] = [300.0, 700.0];
        let radius = (frequency.wavelength() * d_1 * d_2 / (d_1 + d_2)).sqrt();
        let nu = fresnel_parameter(frequency, 0.5 * radius, d_1, d_2);
        assert!((nu - 0.5_f64.sqrt()).abs() < 1e-12, "{nu}");
    }
}
