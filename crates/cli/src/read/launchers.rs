//! Host functions that launch kernels, from the debug information of objects and libraries.

use super::{Files, Skipped, paths};
use crate::{
    error::Error,
    kernel::{Host, Kernel},
};
use kernel_args_image::{Launchers, ParameterList, fatbin::MEMBER_LIMIT};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

/// Returns the functions of each file, in the order of their symbols. A function that Rust cannot call is a warning.
pub(crate) fn read(paths: &[PathBuf]) -> Files {
    let mut skipped = Skipped::default();
    let (named, mut errors) = paths::files(paths, &mut skipped);
    let (mut kernels, mut warnings): (Vec<Kernel>, _) = (Vec::new(), Vec::new());
    for named in named {
        let read = named.open().and_then(|mut input| match input.size {
            size @ ..=MEMBER_LIMIT => input.head(0, size),
            size => Err(std::io::Error::other(format!("{size} bytes, above the limit of {MEMBER_LIMIT}"))),
        });
        let bytes = match read {
            Ok(bytes) if !named.is_direct && !Launchers::is_library(&bytes) => {
                skipped.foreign += 1;
                continue;
            }
            Ok(bytes) => bytes,
            Err(error) if named.is_direct => {
                errors.push(Error::new(&named.name, error));
                continue;
            }
            Err(error) => {
                skipped.cannot_open(&named.name, &error);
                continue;
            }
        };
        let before = kernels.len();
        let launchers = match Launchers::read(&bytes) {
            Ok(launchers) => launchers,
            Err(what) => {
                errors.push(Error::new(&named.name, what));
                continue;
            }
        };
        // Often all have one reason, such as a library without debug information.
        let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (symbol, launcher) in launchers.functions() {
            match launcher {
                Ok(launcher) => {
                    let (prototype, result) = (launcher.prototype(), launcher.result_type());
                    let host = Host { file: Arc::clone(&named.name), prototype, result };
                    let parameters = ParameterList::of_members(launcher.parameters());
                    let symbol = symbol.to_owned();
                    kernels.push(Kernel { symbol, parameters, host: Some(host), ..Kernel::default() });
                }
                Err(what) => reasons.entry(what.to_string()).or_default().push(symbol),
            }
        }
        let unread = launchers.unread().filter(|(_, what)| !reasons.contains_key(&what.to_string()));
        let mut refused: Vec<Error> =
            unread.map(|(place, what)| Error::new(&named.name, format!("{place}: {what}"))).collect();
        for (what, symbols) in reasons {
            let launchers = match symbols.as_slice() {
                [one] => format!("launcher `{one}`"),
                [first, .., last] => format!("{} launchers, `{first}` to `{last}`", symbols.len()),
                [] => continue,
            };
            refused.push(Error::new(&named.name, format!("{launchers}: {what}")));
        }
        if kernels.len() > before {
            warnings.append(&mut refused);
        } else if refused.is_empty() {
            let what = "it exports no `extern \"C\"` function\nhelp: without `--launchers`, its kernels are shown";
            errors.push(Error::new(&named.name, what));
        } else {
            errors.append(&mut refused);
        }
    }
    kernels.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    Files { kernels, errors, warnings, skipped, ..Files::default() }
}
