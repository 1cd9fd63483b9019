//! The axis of the chart for nanoseconds.

/// Converts nanoseconds to positions on the axis.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    Logarithmic,
}

impl Scale {
    /// Converts nanoseconds to a position.
    pub(crate) fn place(self, nanoseconds: f64) -> f64 {
        match self {
            Self::Linear => nanoseconds,
            Self::Logarithmic => nanoseconds.log10(),
        }
    }

    /// Converts a position to nanoseconds.
    pub(crate) fn value(self, place: f64) -> f64 {
        match self {
            Self::Linear => place,
            Self::Logarithmic => 10_f64.powf(place),
        }
    }

    /// Round numbers that enclose the values.
    pub(crate) fn ticks(self, low: f64, high: f64) -> Vec<f64> {
        match self {
            Self::Linear => {
                let rough = 10_f64.powf(((high - low).max(1.0) / 5.0).log10().floor());
                let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * rough);
                let step = steps.into_iter().find(|step| (high - low) / step <= 7.0).unwrap_or(rough);
                let (mut tick, mut ticks) = ((low / step).floor() * step, Vec::new());
                while tick < high + step {
                    ticks.push(tick);
                    tick += step;
                }
                ticks
            }
            Self::Logarithmic => {
                let decades = (0..=9).map(|decade| 10_f64.powi(decade));
                let ticks: Vec<f64> = decades.flat_map(|decade| [decade, 2.0 * decade, 5.0 * decade]).collect();
                let first = ticks.iter().rposition(|tick| *tick <= low).unwrap_or(0);
                let last = ticks.iter().position(|tick| *tick >= high).unwrap_or(ticks.len() - 1);
                ticks[first..=last].to_vec()
            }
        }
    }
}

/// `12 500`: with a narrow no-break space.
pub(crate) fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let (front, back) = digits.split_at(digits.len().saturating_sub(3));
    if front.is_empty() { digits } else { format!("{front}\u{202f}{back}") }
}
