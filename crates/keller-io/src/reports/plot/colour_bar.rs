//! The colour bar of a picture: the values of the colours, and the ends beyond which values lie.

use svg::node::element::{Group, Polygon, Rectangle};

use super::axes::{Axis, INK, label, line, px, text};
use super::scale::ColourScale;

/// The length of a colour bar.
pub(super) const BAR_LENGTH: f64 = 200.0;

const WIDTH: f64 = 14.0;

/// The length of the arrow at an end.
const ARROW: f64 = 11.0;

/// The distance from the top of a bar up to the line of its title.
const ABOVE: f64 = 20.0;
/// The distance from its bottom down to the next element.
pub(super) const BELOW: f64 = 16.0;

/// The distance below which two words overlap.
const LINE: f64 = 14.0;

/// A bar of all colours of a scale from its top left corner on, with a title above.
///
/// If values lie beyond an end, the bar has an arrow there in the colour of that end, and next to it the value of the
/// end as a limit, such as "≥ 30".
pub(super) fn colour_bar([left, top]: [f64; 2], scale: ColourScale, title: &str) -> Group {
    const STEPS: u32 = 100;
    let bar = Axis {
        values: [scale.low, scale.high],
        page: [top + BAR_LENGTH, top],
    };
    let colour = |share| scale.palette.css(share);
    let mut group = Group::new().add(text([left, top - ABOVE], title, 12.0, "start"));
    let step = BAR_LENGTH / f64::from(STEPS);
    for i in 0..STEPS {
        let share = 1.0 - (f64::from(i) + 0.5) / f64::from(STEPS);
        group = group.add(
            Rectangle::new()
                .set("x", px(left))
                .set("y", px(top + f64::from(i) * step))
                .set("width", WIDTH)
                // The step is a little larger, or hairlines show.
                .set("height", px(step + 0.3))
                .set("fill", colour(share)),
        );
    }
    if scale.is_exceeded[0] {
        group = group.add(arrow([left, bar.page[0]], ARROW, &colour(0.0)));
    }
    if scale.is_exceeded[1] {
        group = group.add(arrow([left, bar.page[1]], -ARROW, &colour(1.0)));
    }
    for (value, words) in labels(&bar, scale) {
        let at = bar.at(value);
        group = group
            .add(line([left + WIDTH, at], [left + WIDTH + 4.0, at], INK, 1.0))
            .add(text([left + WIDTH + 8.0, at + 4.0], &words, 12.0, "start"));
    }
    group
}

/// The values next to the bar and their words: round ones, and ends beyond which values lie, which replace round ones
/// too near to them.
fn labels(bar: &Axis, scale: ColourScale) -> Vec<(f64, String)> {
    let ends = [(0, scale.low, "≤"), (1, scale.high, "≥")];
    let is_exceeded = |end: &(usize, f64, &str)| scale.is_exceeded[end.0];
    let ends: Vec<_> = ends.into_iter().filter(is_exceeded).collect();
    let is_free = |tick: f64| {
        let mut ends = ends.iter();
        ends.all(|(_, value, _)| (bar.at(tick) - bar.at(*value)).abs() >= LINE)
    };
    let ticks = bar.ticks(38.0).into_iter().filter(|tick| is_free(*tick));
    let mut labels: Vec<(f64, String)> = ticks.map(|tick| (tick, label(tick))).collect();
    // Ends are seldom round: they are written to a tenth.
    let tenths = |value: f64| label((10.0 * value).round() / 10.0);
    labels.extend(
        ends.iter()
            .map(|(_, value, sign)| (*value, format!("{sign} {}", tenths(*value)))),
    );
    labels
}

/// A triangle on the end of a bar that points `by` downwards.
fn arrow([left, end]: [f64; 2], by: f64, colour: &str) -> Polygon {
    let points = format!(
        "{},{} {},{} {},{}",
        px(left),
        px(end),
        px(left + WIDTH),
        px(end),
        px(left + 0.5 * WIDTH),
        px(end + by)
    );
    Polygon::new()
        .set("points", points)
        .set("class", "beyond")
        .set("fill", colour)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::reports::palette::Palette;

    /// The marks of values beyond the colour bars of a picture: the words at their ends, and the colours of their
    /// arrows.
    pub(in super::super) fn beyond(svg: &str) -> (Vec<String>, Vec<String>) {
        let document = roxmltree::Document::parse(svg).unwrap();
        let texts = document.descendants().filter_map(|node| {
            let is_text = node.tag_name().name() == "text";
            is_text.then(|| node.text().unwrap_or_default().trim().to_owned())
        });
        let words = texts
            .filter(|words| words.starts_with(['≤', '≥']))
            .collect();
        let arrows = document
            .descendants()
            .filter(|node| node.attribute("class") == Some("beyond"));
        let colours = arrows.filter_map(|node| node.attribute("fill").map(str::to_owned));
        (words, colours.collect())
    }

    #[test]
    fn ends_beyond_which_values_lie_are_labelled_and_no_others() {
        for (is_exceeded, words, shares) in [
            ([false, false], vec![], vec![]),
            ([true, false], vec!["≤ -141.4"], vec![0.0]),
            ([false, true], vec!["≥ -61"], vec![1.0]),
            ([true, true], vec!["≤ -141.4", "≥ -61"], vec![0.0, 1.0]),
        ] {
            let scale = ColourScale {
                low: -141.37,
                high: -61.0,
                is_exceeded,
                palette: Palette::Gain,
            };
            let bar = colour_bar([5.0, 50.0], scale, "gain / dB");
            let colours: Vec<String> = shares
                .into_iter()
                .map(|share| Palette::Gain.css(share))
                .collect();
            let words = words.into_iter().map(str::to_owned).collect();
            assert_eq!(beyond(&bar.to_string()), (words, colours));
        }
    }

    #[test]
    fn arrows_and_words_keep_clear_of_each_other() {
        // A round value lies at one end, and one close to the other.
        let scale = ColourScale {
            low: -140.0,
            high: -59.2,
            is_exceeded: [true; 2],
            palette: Palette::Gain,
        };
        let top = 50.0;
        let bar = colour_bar([5.0, top], scale, "gain / dB").to_string();
        let document = roxmltree::Document::parse(&bar).unwrap();
        let texts = document
            .descendants()
            .filter(|node| node.tag_name().name() == "text");
        let mut lines: Vec<(f64, &str)> = texts
            .map(|node| {
                let y = node.attribute("y").unwrap().parse().unwrap();
                (y, node.text().unwrap().trim())
            })
            .collect();
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        let words: Vec<&str> = lines.iter().map(|(_, words)| *words).collect();
        let expected = ["gain / dB", "≥ -59.2", "-80", "-100", "-120", "≤ -140"];
        assert_eq!(words, expected);
        let gaps = lines.windows(2).map(|two| two[1].0 - two[0].0);
        assert!(gaps.min_by(f64::total_cmp).unwrap() >= LINE, "{lines:?}");
        let arrows = document
            .descendants()
            .filter(|node| node.attribute("class") == Some("beyond"));
        let tips: Vec<f64> = arrows
            .map(|node| {
                let points = node.attribute("points").unwrap();
                points.rsplit(',').next().unwrap().parse().unwrap()
            })
            .collect();
        assert_eq!(tips, [top + BAR_LENGTH + ARROW, top - ARROW]);
        // The arrows overlap neither the title nor the next element.
        assert!(tips[1] > lines[0].0 && tips[0] < top + BAR_LENGTH + BELOW);
    }
}
