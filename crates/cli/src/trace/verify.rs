//! Compares what the driver records about each kernel with what its image contains.

use super::{kernels::Found, protocol::Launch};
use crate::{
    escape::terminal,
    style::{Paint, joined},
};
use std::{
    collections::HashSet,
    io::{self, Write},
};

/// That are kept, and counted.
const DIFFERENCES: usize = 100;

#[derive(Default)]
pub(super) struct Verified {
    kernels: HashSet<String>,
    launches: u64,
    bytes: usize,
    /// Built-in kernels of the driver, which no image has.
    unread: HashSet<String>,
    /// Without parameters from the driver, or with launches that it has refused.
    unrecorded: HashSet<String>,
    differences: Vec<String>,
}

impl Verified {
    pub(super) fn launch(&mut self, launch: &Launch, found: &Found<'_>) {
        let Some(values) = &launch.values else {
            self.unrecorded.insert(launch.symbol.clone());
            return;
        };
        match (found.kernel, found.different) {
            (Some(_), _) => {
                self.launches += 1;
                self.bytes += values.iter().map(|value| value.bytes.len()).sum::<usize>();
                self.kernels.insert(launch.symbol.clone());
            }
            (None, Some(kernel)) => {
                let text = format!(
                    "{}: the driver records {}, the image has {}",
                    terminal(&launch.symbol),
                    list(values.iter().map(|value| (Some(value.offset), value.bytes.len()))),
                    list(kernel.parameters().iter().map(|parameter| (parameter.offset, parameter.size))),
                );
                if self.differences.len() < DIFFERENCES && !self.differences.contains(&text) {
                    self.differences.push(text);
                }
            }
            (None, None) => {
                self.unread.insert(launch.symbol.clone());
            }
        }
    }

    pub(super) fn write(&self, to: &mut dyn Write, paint: Paint) -> io::Result<bool> {
        for difference in &self.differences {
            writeln!(to, "{}: {difference}", paint.bad("difference"))?;
        }
        let reasons = [
            (&self.unread, "no image with it was loaded while the program was traced"),
            (
                &self.unrecorded,
                "the driver does not say what its parameters are: a driver older than CUDA 12.4, or a launch that it has refused",
            ),
        ];
        for (symbols, why) in reasons {
            let mut symbols: Vec<&String> = symbols.iter().collect();
            symbols.sort();
            for symbol in symbols {
                writeln!(to, "not compared: `{}`: {why}", terminal(symbol))?;
            }
        }
        writeln!(
            to,
            "kernels: {}, launches: {}, bytes of parameters: {}, differences: {}",
            self.kernels.len(),
            self.launches,
            self.bytes,
            self.differences.len(),
        )?;
        Ok(!self.differences.is_empty())
    }
}

/// `4 bytes at 0, 8 bytes at 8`
fn list(each: impl Iterator<Item = (Option<usize>, usize)>) -> String {
    let each = each.map(|(offset, size)| match offset {
        Some(offset) => format!("{size} bytes at {offset}"),
        None => format!("{size} bytes"),
    });
    let list = joined(each, ", ");
    if list.is_empty() { "no parameters".to_owned() } else { list }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::protocol::Event;
    use kernel_args_abi::Parameter;
    use kernel_args_image::ParameterList;

    fn launch(values: &str) -> Launch {
        let line = format!("launch\t1\t1000\t50\t0\twork\t4 1 1\t256 1 1\t0\tarray\t0\t{values}\t");
        match Event::parse(&line) {
            Some(Event::Launch(launch)) => launch,
            other => panic!("{other:?}"),
        }
    }

    fn text(found: &Found<'_>, values: &str) -> (bool, String) {
        let mut verified = Verified::default();
        verified.launch(&launch(values), found);
        let mut text = Vec::new();
        let differs = verified.write(&mut text, Paint(false)).unwrap();
        (differs, String::from_utf8(text).unwrap())
    }

    #[test]
    fn a_difference_is_reported() {
        let kernel = crate::kernel::Kernel {
            symbol: "work".into(),
            parameters: ParameterList::new(&[Parameter::record(0, 4), Parameter::record(8, 8)]),
            ..Default::default()
        };
        let found = Found { different: Some(&kernel), ..Found::default() };
        let (differs, text) = text(&found, "0 4 00000000,4 4 00000000");
        assert!(differs);
        assert!(text.starts_with(
            "difference: work: the driver records 4 bytes at 0, 4 bytes at 4, the image has 4 bytes at 0, 8 bytes at 8\n"
        ), "{text}");
    }

    #[test]
    fn what_cannot_be_compared_is_listed() {
        for (values, why) in [("0 4 00000000", "no image"), ("?", "the driver does not say")] {
            let (differs, text) = text(&Found::default(), values);
            assert!(!differs && text.contains(&format!("not compared: `work`: {why}")), "{text}");
            assert!(text.ends_with("kernels: 0, launches: 0, bytes of parameters: 0, differences: 0\n"));
        }
    }
}
