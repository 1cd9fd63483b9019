//! Analyses the code of kernels in several threads.

use kernel_args_image::{Error, Image, Kernels};
use std::{collections::BTreeSet, num::NonZero, panic, thread};

/// The bytes of a text for each thread: some hundredths of a second without optimization.
const SHARE: usize = 1 << 20;
/// Other processes of the build also need processors.
const MOST_THREADS: usize = 4;

pub(super) fn threads(bytes: usize) -> usize {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    (bytes / SHARE).clamp(1, processors.min(MOST_THREADS))
}

/// Returns the kernels of an image, with what the code of the `wanted` kernels does. Each thread analyses some of them.
pub(super) fn analysed(
    image: &Image<'_>,
    kernels: &Kernels<'static>,
    wanted: &BTreeSet<&str>,
    threads: usize,
) -> Result<Kernels<'static>, Error> {
    let share = |number: usize| {
        let own: BTreeSet<&str> = wanted.iter().copied().skip(number).step_by(threads).collect();
        let mut kernels = kernels.clone();
        image.add_bodies(&mut kernels, |symbol| own.contains(symbol))?;
        Ok(kernels)
    };
    thread::scope(|scope| {
        let spawn = |number| {
            let thread = thread::Builder::new().spawn_scoped(scope, move || share(number));
            (number, thread)
        };
        let others: Vec<_> = (1..threads).map(spawn).collect();
        let mut all: Kernels<'static> = share(0)?;
        for (number, thread) in others {
            let other = match thread.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(other)) => other,
                Ok(Err(panic)) => panic::resume_unwind(panic),
                // The system has no more threads.
                Err(_) => share(number),
            };
            all.add_bodies_of(&other?);
        }
        Ok(all)
    })
}

#[allow(clippy::unwrap_used)]
#[cfg(all(test, feature = "bodies"))]
mod tests {
    use super::{analysed, threads};
    use kernel_args_image::Image;
    use std::{collections::BTreeSet, fmt::Write};

    #[test]
    fn threads_find_the_same() {
        let mut text = String::from(".version 9.0\n.target sm_90\n.address_size 64\n");
        for number in 0..7 {
            let _ = writeln!(
                text,
                ".visible .entry k{number}(.param .u64 p)\n{{\nld.param.u64 %rd1, [p];\nst.global.f32 [%rd1], 0f00000000;\nret;\n}}"
            );
        }
        let image = Image::read(text.as_bytes()).unwrap();
        let kernels = image.kernels().unwrap().into_owned();
        let wanted: BTreeSet<&str> = kernels.symbols().filter(|symbol| *symbol != "k3").collect();
        let found = |threads| {
            let kernels = analysed(&image, &kernels, &wanted, threads).unwrap();
            let of = |kernel: kernel_args_image::Kernel<'_>| format!("{:?}", kernel.parameters());
            kernels.undemangled().map(of).collect::<Vec<_>>()
        };
        let one = found(1);
        assert_eq!(one.iter().filter(|found| found.contains("st.global.f32")).count(), 6);
        for threads in [2, 3, 9] {
            assert_eq!(found(threads), one);
        }
    }

    #[test]
    fn a_small_text_is_analysed_in_this_thread() {
        assert_eq!(threads(0), 1);
        assert_eq!(threads(1 << 20), 1);
    }
}
