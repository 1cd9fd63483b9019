//! What reaches a driver in either form, byte for byte, without a driver.

mod arguments;
mod derived;
mod forms;
mod lifetimes;
mod pack_at;
mod places;

/// The bytes behind each pointer of the first form.
fn params<A: kernel_args::KernelArgs>(args: A) -> Vec<Vec<u8>> {
    args.with_kernel_params(|params| {
        assert_eq!(params.len(), A::PARAMETERS.len());
        params
            .iter()
            .zip(A::PARAMETERS)
            .map(|(&from, parameter)| {
                // SAFETY: each pointer is valid for the size of its parameter until this closure returns, and all
                // of its bytes are initialised, as the memcheck suite shows.
                unsafe { std::slice::from_raw_parts(from.cast::<u8>(), parameter.size) }.to_vec()
            })
            .collect()
    })
}
