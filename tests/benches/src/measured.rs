//! The results as a table of tab-separated values: `launch.tsv`.

use std::{error::Error, fmt::Write, fs, path::Path};

/// The first line of a rehearsal's settings.
pub const REHEARSAL: &str = "REHEARSAL on the test driver: there is no GPU, and the times say nothing of one";
const HEADER: &str = "case\tvariant\tmedian_ns\tp10_ns\tp90_ns\tbatches";

/// A run: the machine and the results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// The machine, versions and method. The first line names the GPU and its driver.
    pub settings: Vec<String>,
    /// The rows, case by case.
    pub rows: Vec<Row>,
    /// The cases that could not be measured: case (`*`: any), way and reason.
    pub missing: Vec<[String; 3]>,
}

/// Nanoseconds per launch: quantiles of all batches.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The case.
    pub case: String,
    /// The way to launch.
    pub way: String,
    /// The median.
    pub median: f64,
    /// The 10 % quantile.
    pub p10: f64,
    /// The 90 % quantile.
    pub p90: f64,
    /// The number of batches.
    pub batches: usize,
}

impl Measured {
    /// The median of a way to launch a case.
    #[must_use]
    pub fn median(&self, case: &str, way: &str) -> Option<f64> {
        let row = self.rows.iter().find(|row| row.case == case && row.way == way);
        row.map(|row| row.median)
    }

    /// Whether the run had no GPU.
    #[must_use]
    pub fn is_rehearsal(&self) -> bool {
        self.settings.iter().any(|setting| setting == REHEARSAL)
    }

    /// The cases in order, without duplicates.
    #[must_use]
    pub fn cases(&self) -> Vec<&str> {
        let mut cases: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !cases.contains(&&*row.case) {
                cases.push(&row.case);
            }
        }
        cases
    }

    /// Reads the table.
    ///
    /// # Errors
    /// If the file cannot be read or a line cannot be parsed.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut measured = Self::default();
        for line in text.lines() {
            if line == HEADER || line.is_empty() {
                continue;
            }
            let columns: Vec<&str> = line.split('\t').collect();
            match *columns {
                ["# missing", case, way, reason] => {
                    measured.missing.push([case, way, reason].map(str::to_owned));
                }
                [comment] if comment.starts_with("# ") => {
                    measured.settings.push(comment[2..].to_owned());
                }
                [case, way, median, p10, p90, batches] => {
                    let number = |text: &str| {
                        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
                        number.ok_or_else(|| format!("{text} is not a number, in the line `{line}`"))
                    };
                    measured.rows.push(Row {
                        case: case.to_owned(),
                        way: way.to_owned(),
                        median: number(median)?,
                        p10: number(p10)?,
                        p90: number(p90)?,
                        batches: batches
                            .parse()
                            .map_err(|_| format!("{batches} is not a number, in the line `{line}`"))?,
                    });
                }
                _ => {
                    return Err(format!("the line `{line}` has other columns than `{HEADER}`"));
                }
            }
        }
        Ok(measured)
    }

    /// Writes the table.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::new();
        // Writing to a `String` cannot fail.
        for setting in &self.settings {
            let _ = writeln!(text, "# {setting}");
        }
        for missing in &self.missing {
            let _ = writeln!(text, "# missing\t{}", missing.join("\t"));
        }
        let _ = writeln!(text, "{HEADER}");
        for row in &self.rows {
            let _ = writeln!(
                text,
                "{}\t{}\t{:.1}\t{:.1}\t{:.1}\t{}",
                row.case, row.way, row.median, row.p10, row.p90, row.batches
            );
        }
        text
    }
}

/// Nanoseconds per launch of every batch.
#[derive(Debug, Default)]
pub struct Samples(Vec<(&'static str, &'static str, Vec<f64>)>);

impl Samples {
    /// Adds a batch. A batch that is not counted only reserves the row.
    pub fn add(&mut self, case: &'static str, way: &'static str, nanoseconds: Option<f64>) {
        let of_way = |(other, another, _): &&mut (_, _, _)| (*other, *another) == (case, way);
        match self.0.iter_mut().find(of_way) {
            Some((_, _, samples)) => samples.extend(nanoseconds),
            None => self.0.push((case, way, nanoseconds.into_iter().collect())),
        }
    }

    /// The quantiles; the rows of a case are adjacent.
    #[must_use]
    pub fn measured(self, settings: Vec<String>) -> Measured {
        let mut rows: Vec<Row> = Vec::new();
        for (case, way, mut samples) in self.0 {
            samples.sort_unstable_by(f64::total_cmp);
            let row = Row {
                case: case.to_owned(),
                way: way.to_owned(),
                median: quantile(&samples, 0.5),
                p10: quantile(&samples, 0.1),
                p90: quantile(&samples, 0.9),
                batches: samples.len(),
            };
            let after = rows.iter().rposition(|other| other.case == case);
            rows.insert(after.map_or(rows.len(), |place| place + 1), row);
        }
        Measured { settings, rows, missing: Vec::new() }
    }
}

/// The quantile of sorted values.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "an index of a few thousand, and a part from 0 to 1"
    )]
    let place = (sorted.len().saturating_sub(1) as f64 * part).round() as usize;
    sorted.get(place).copied().unwrap_or(f64::NAN)
}
