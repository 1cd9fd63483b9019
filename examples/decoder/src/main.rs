//! A decoder of a language model, written as an engine is, whose step is enqueued in several ways: see `README.md`.

#![allow(unreachable_pub, reason = "the modules of a program export nothing from it")]

mod blas;
mod chart;
mod device;
mod kernels;
mod measure;
mod model;
mod options;
mod reference;
mod tensor;

use device::Mode;
use kernel_args_test_driver::{Control, Settings, interpret_without_gpu};
use measure::{Measured, measure};
use model::{BEGIN, Config};
use options::Options;
use reference::Reference;
use std::fs;

/// An error of a launch, of the driver, of cuBLAS, or of the shapes of an operation.
type Error = Box<dyn std::error::Error>;

type Result<T = ()> = std::result::Result<T, Error>;

/// A logit of the host's that is smaller than the largest one by at most this is as good: `bf16` has 8 significant
/// bits.
const TOLERANCE: f32 = 0.06;

fn main() -> Result {
    interpret_without_gpu(&Settings::new())?;
    let ctx = kernel_args::context(0)?;
    let gpu = ctx.name()?;
    // Also if this was started with `kernel-args-test-driver decoder`.
    let options = Options::parse(Control::attach().is_some())?;
    // SAFETY: the library's initializers have no precondition.
    let blas = !options.kernel_gemm && unsafe { cudarc::cublas::sys::is_culib_present() };
    let by = if blas { "cuBLAS" } else { "a kernel of this example" };
    println!("On {gpu}, matrices are multiplied by {by}.");
    if !blas && !options.kernel_gemm {
        println!("cuBLAS (`libcublas.so`, `libcublas.so.13` or `libcublas.so.12`) is not on this machine.");
    }
    let each = options.sizes.iter().flat_map(|size| options.caches.iter().map(move |cache| (size, *cache)));
    let mut charts = Vec::new();
    for (&(name, mut config), cache) in each {
        config.rounding = options.rounding.unwrap_or(config.rounding);
        config = cache.apply(config);
        println!("\n{name}, {cache:?}: {config:?}, {} tokens after {}", options.tokens, options.warm_up);
        println!("{}", Measured::HEADER);
        let mut all = Vec::new();
        for &run in &options.runs {
            let measured = measure(&ctx, config, run, blas, &options)?;
            println!("{measured}");
            all.push(measured);
        }
        let right: Vec<_> = all.iter().filter(|measured| measured.run.mode != Mode::Captured).collect();
        if let [first, rest @ ..] = &*right {
            compare_modes(first, rest)?;
            if name == "small" {
                compare_with_host(config, &first.tokens)?;
            }
        }
        charts.push((format!("{name}, {cache:?}").to_lowercase(), all));
    }
    if let Some(file) = &options.chart {
        fs::write(file, chart::svg(&charts))?;
    }
    Ok(())
}

/// All modes have the same tokens.
fn compare_modes(first: &Measured, rest: &[&Measured]) -> Result {
    if let Some(different) = rest.iter().find(|measured| measured.tokens != first.tokens) {
        return Err(format!("`{}` and `{}` have different tokens", first.run, different.run).into());
    }
    if rest.is_empty() {
        return Ok(());
    }
    let mut distinct = first.tokens.clone();
    distinct.sort_unstable();
    distinct.dedup();
    println!("the modes have the same {} tokens, {} of them different", first.tokens.len(), distinct.len());
    Ok(())
}

/// Each token is the host's choice, or as good.
fn compare_with_host(config: Config, tokens: &[u32]) -> Result {
    let mut reference = Reference::random(config)?;
    let (mut token, mut same) = (BEGIN, 0);
    for (i, &next) in tokens.iter().enumerate() {
        let logits = reference.step(token);
        let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let chosen = logits.get(next as usize).copied().unwrap_or(f32::NAN);
        // Also an error for NaN.
        if (largest - chosen).is_nan() || largest - chosen > TOLERANCE {
            return Err(format!("token {i} is {next}: the host computes {chosen} for it, at most {largest}").into());
        }
        same += usize::from(chosen.total_cmp(&largest).is_eq());
        token = next;
    }
    println!("the host chooses the same token {same} times of {}, otherwise one that is as good", tokens.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::iter;

    #[test]
    fn a_wrong_token_is_an_error() {
        let config = options::SMALL.1;
        let mut reference = Reference::random(config).unwrap();
        let mut token = BEGIN;
        let next = || {
            let logits = reference.step(token);
            token = (0_u32..).zip(&logits).max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
            token
        };
        let right: Vec<u32> = iter::repeat_with(next).take(8).collect();
        compare_with_host(config, &right).unwrap();
        for i in 0..right.len() {
            let mut wrong = right[..=i].to_vec();
            for token in [(wrong[i] + 1) % config.vocabulary, config.vocabulary] {
                wrong[i] = token;
                compare_with_host(config, &wrong).unwrap_err();
            }
        }
    }
}
