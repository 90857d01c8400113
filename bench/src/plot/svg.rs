//! The subset of SVG that the plots need. Colours have medium lightness, and the background is transparent.

use std::fmt::Write as _;

/// Colour of text and axes.
pub(super) const INK: &str = "#7d8590";
/// Colour of grid lines.
pub(super) const FAINT: &str = "#7d859055";
/// Colours of series, in order.
pub(super) const COLOURS: [&str; 6] = ["#2f81f7", "#d97706", "#2da44e", "#c2410c", "#8957e5", "#bf3989"];

/// Alignment of a text at its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture under construction.
pub(super) struct Picture {
    body: String,
    width: f64,
    height: f64,
}

impl Picture {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { body: String::new(), width, height }
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(element);
        self.body.push('\n');
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        self.add(format_args!(
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{colour}" stroke-width="{width}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    /// Draws a semi-transparent rectangle with an outline.
    pub(super) fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), colour: &str) {
        self.add(format_args!(
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" fill="{colour}" fill-opacity="0.25" stroke="{colour}"/>"#,
            corner.0, corner.1, size.0, size.1
        ));
    }

    pub(super) fn dot(&mut self, centre: (f64, f64), colour: &str) {
        self.add(format_args!(
            r#"<circle cx="{:.1}" cy="{:.1}" r="2" fill="{colour}"/>"#,
            centre.0, centre.1
        ));
    }

    /// Draws a line through all points.
    pub(super) fn path(&mut self, points: &[(f64, f64)], colour: &str) {
        let points = joined(points);
        self.add(format_args!(
            r#"<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>"#
        ));
    }

    /// Draws a semi-transparent polygon.
    pub(super) fn area(&mut self, points: &[(f64, f64)], colour: &str) {
        let points = joined(points);
        self.add(format_args!(r#"<polygon points="{points}" fill="{colour}" fill-opacity="0.25"/>"#));
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.add(format_args!(
            r#"<text x="{:.1}" y="{:.1}" text-anchor="{anchor}" fill="{INK}">{text}</text>"#,
            at.0, at.1
        ));
    }

    pub(super) fn finish(self) -> String {
        let Self { body, width, height } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n{body}</svg>\n"
        )
    }
}

fn joined(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        let mut picture = Picture::new(10.0, 20.0);
        picture.text((1.0, 2.0), Anchor::End, "a < b & c");
        let drawn = picture.finish();
        assert!(drawn.contains(">a &lt; b &amp; c</text>") && drawn.ends_with("</svg>\n"), "{drawn}");
    }
}
