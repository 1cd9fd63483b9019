//! Draws the chart: nanoseconds per launch against the number of parameters, for this crate and every peer.

use crate::{
    measured::Measured,
    scale::{Scale, thousands},
    ways,
};
use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};
use std::error::Error;

const SIZE: (u32, u32) = (1120, 520);
/// Text and lines on an opaque white background, to be readable on any page.
const INK: RGBColor = RGBColor(0x24, 0x29, 0x2f);
const FAINT: RGBColor = RGBColor(0x57, 0x60, 0x6a);
const GRID: RGBColor = RGBColor(0xe4, 0xe7, 0xeb);
const FONT: &str = "sans-serif";
/// The space for the labels of the lines, right of a panel.
const LABELS: i32 = 190;
/// The minimum distance between the baselines of two labels.
const LABEL_HEIGHT: i32 = 16;

/// A line of a panel.
struct Series {
    way: &'static str,
    label: &'static str,
    colour: RGBColor,
    width: u32,
}

const fn series(way: &'static str, label: &'static str, colour: (u8, u8, u8)) -> Series {
    let (red, green, blue) = colour;
    Series { way, label, colour: RGBColor(red, green, blue), width: 2 }
}

/// The colours of Okabe and Ito, which colour-blind readers can distinguish. They are darker here, because labels use
/// them too.
const OURS: Series = Series { width: 4, ..series(ways::OURS, "kernel-args, launch!", (0xc8, 0x52, 0x00)) };
const CHEVRONS: Series = series(ways::CHEVRONS, "C++ <<<>>>", (0x1f, 0x4e, 0x9e));
const CUDARC: Series = series(ways::CUDARC, "cudarc", (0x00, 0x80, 0x5d));

/// Compiled languages, on a linear scale.
const COMPILED: &[Series] = &[
    OURS,
    CHEVRONS,
    series(ways::RUNTIME_EX, "C++ cudaLaunchKernelExC", (0x2b, 0x86, 0xbf)),
    series(ways::C_PARAMS, "C cuLaunchKernel", (0x6e, 0x6e, 0x6e)),
    CUDARC,
];
/// With Python, on a logarithmic scale.
const ALL: &[Series] = &[
    OURS,
    CHEVRONS,
    CUDARC,
    series(ways::CUDA_CORE, "Python, cuda.core", (0xb0, 0x4a, 0x86)),
    series(ways::CUPY, "Python, CuPy", (0xa8, 0x71, 0x00)),
    series(ways::TRITON, "Python, Triton", (0x5b, 0x4b, 0x9e)),
];

/// Draws the chart as SVG.
///
/// # Errors
/// If none of its cases was measured.
pub fn draw(measured: &Measured) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        root.draw(&Text::new("Host time of one launch, by the number of 8-byte parameters", (20, 14), text(25, INK)))?;
        let machine = measured.settings.iter().take(2).map(String::as_str);
        root.draw(&Text::new(
            format!("{}. Medians of one interleaved run.", machine.collect::<Vec<_>>().join("; ")),
            (20, 42),
            text(17, FAINT),
        ))?;
        let (_, below) = root.split_vertically(66);
        let (left, right) = below
            .split_evenly((1, 2))
            .into_iter()
            .fold((None, None), |(left, _), area| (left.or(Some(area.clone())), Some(area)));
        if let (Some(left), Some(right)) = (left, right) {
            panel(&root, &left, measured, COMPILED, Scale::Linear)?;
            panel(&root, &right, measured, ALL, Scale::Logarithmic)?;
        }
        root.present()?;
    }
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A pair of axes with its lines, each with its label at its right end.
fn panel<'a>(
    root: &Area<'a>,
    area: &Area<'a>,
    measured: &Measured,
    series: &[Series],
    scale: Scale,
) -> Result<(), Box<dyn Error>> {
    let lines: Vec<(&Series, Vec<(f64, f64)>)> = series
        .iter()
        .map(|series| (series, points(measured, series.way)))
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let values = || lines.iter().flat_map(|(_, points)| points.iter().map(|point| point.1));
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    if lines.is_empty() {
        return Err("none of the ways of the chart was measured".into());
    }
    let ticks: Vec<f64> = scale.ticks(low, high).into_iter().map(|tick| scale.place(tick)).collect();
    let (bottom, top) = (ticks[0], ticks[ticks.len() - 1]);
    let columns = ways::COUNTS.iter().filter(|(_, count)| *count != 64);
    let columns = columns.map(|(_, count)| f64::from(*count).log2()).collect::<Vec<_>>();
    let last = columns[columns.len() - 1];

    let mut chart = ChartBuilder::on(area)
        .margin_top(26)
        .margin_bottom(52)
        .margin_left(64)
        .margin_right(LABELS)
        .build_cartesian_2d(0.0..last, bottom..top)?;
    let at = |x, y| chart.backend_coord(&(x, y));
    axes(root, &at, &columns, &ticks, scale)?;

    let mut labels = Vec::new();
    for (series, points) in &lines {
        let line: Vec<_> = points.iter().map(|(count, ns)| (count.log2(), scale.place(*ns))).collect();
        if let Some(end) = line.last() {
            labels.push((chart.backend_coord(end), *series));
        }
        let style = series.colour.stroke_width(series.width);
        chart.draw_series(LineSeries::new(line.clone(), style))?;
        let dot = |point| Circle::new(point, series.width + 1, series.colour.filled());
        chart.draw_series(line.into_iter().map(dot))?;
    }
    labels.sort_by_key(|((_, y), _)| *y);
    let heights = apart(labels.iter().map(|((_, y), _)| *y).collect());
    let edge = chart.backend_coord(&(last, bottom)).0;
    for (((x, y), series), height) in labels.into_iter().zip(heights) {
        let leader = [(x + 6, y), (edge + 14, height)];
        root.draw(&PathElement::new(leader, series.colour.stroke_width(1)))?;
        let style = text(16, series.colour).pos(Pos::new(HPos::Left, VPos::Center));
        root.draw(&Text::new(series.label, (edge + 18, height), style))?;
    }
    Ok(())
}

/// The grid lines with their numbers and the unit.
fn axes(
    root: &Area<'_>,
    at: &dyn Fn(f64, f64) -> (i32, i32),
    columns: &[f64],
    ticks: &[f64],
    scale: Scale,
) -> Result<(), Box<dyn Error>> {
    let (bottom, top) = (ticks[0], ticks[ticks.len() - 1]);
    let last = columns[columns.len() - 1];
    for &column in columns {
        let foot = at(column, bottom);
        root.draw(&PathElement::new([foot, at(column, top)], GRID))?;
        let style = text(16, INK).pos(Pos::new(HPos::Center, VPos::Top));
        root.draw(&Text::new(format!("{:.0}", column.exp2()), (foot.0, foot.1 + 8), style))?;
    }
    for &tick in ticks {
        let start = at(0.0, tick);
        root.draw(&PathElement::new([start, at(last, tick)], GRID))?;
        let style = text(16, INK).pos(Pos::new(HPos::Right, VPos::Center));
        root.draw(&Text::new(thousands(scale.value(tick)), (start.0 - 8, start.1), style))?;
    }
    let (corner, foot) = (at(0.0, top), at(last / 2.0, bottom));
    let unit = match scale {
        Scale::Linear => "ns per launch; the axis does not begin at 0",
        Scale::Logarithmic => "ns per launch, logarithmic",
    };
    root.draw(&Text::new(unit, (corner.0 - 44, corner.1 - 24), text(16, FAINT)))?;
    let style = text(16, FAINT).pos(Pos::new(HPos::Center, VPos::Top));
    root.draw(&Text::new("parameters, logarithmic", (foot.0, foot.1 + 28), style))?;
    Ok(())
}

/// Number of parameters and nanoseconds.
fn points(measured: &Measured, way: &str) -> Vec<(f64, f64)> {
    let points = ways::COUNTS.iter().filter_map(|(case, count)| {
        let median = measured.median(case, way)?;
        (median > 0.0).then_some((f64::from(*count), median))
    });
    points.collect()
}

/// Sorts heights and moves labels apart, as little as possible.
fn apart(mut heights: Vec<i32>) -> Vec<i32> {
    for _ in 0..100 {
        for i in 1..heights.len() {
            let missing = LABEL_HEIGHT - (heights[i] - heights[i - 1]);
            if missing > 0 {
                heights[i - 1] -= missing / 2;
                heights[i] += missing - missing / 2;
            }
        }
    }
    heights
}

/// plotters expects the line height: the SVG font size times 1.24.
fn text(size: u32, colour: RGBColor) -> TextStyle<'static> {
    (FONT, size).into_font().color(&colour)
}
