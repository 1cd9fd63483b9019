//! A launch of a list of arguments.

use super::{call::LaunchCall, explain};
use crate::{
    driver::{config::Form, error::Error},
    marshal::{ArgList, DecodedArgs},
};
use std::string::{String, ToString};

impl<N: Fn() -> String + Copy> LaunchCall<'_, N> {
    /// As [`with`](Self::with), for a list.
    ///
    /// # Safety
    /// As [`launch`](super::launch()); and the kernel takes arguments of these types.
    pub(crate) unsafe fn with_list(self, args: &mut ArgList<'_>) -> Result<(), Error> {
        // SAFETY: the caller's promise is the same one.
        unsafe { self.check_attributes() }?;
        let layout = args.types().layout();
        let form = self.form(Form::of_parameters(args.len(), &layout));
        let launched = if form == Form::KernelParams || layout.depends_on_gpu() {
            args.marshal_params(self.launch_stream, |types, params| {
                let arguments = || {
                    types.with_parameters(|parameters| {
                        // SAFETY: `marshal_params` has filled one pointer for each parameter, valid until this closure returns.
                        unsafe { DecodedArgs::params_list(parameters, params) }.to_string()
                    })
                };
                // SAFETY: as above; the caller vouches for the rest.
                unsafe { self.call_params(params, explain::foreign_argument, arguments) }
            })
        } else {
            args.marshal_packed(self.launch_stream, |types, buffer| {
                let arguments = || {
                    types.with_parameters(|parameters| {
                        // SAFETY: `marshal_packed` has filled the buffer, which is valid until this closure returns.
                        unsafe { DecodedArgs::packed_list(parameters, buffer) }.to_string()
                    })
                };
                let (size, foreign) = (layout.size(), explain::foreign_argument);
                // SAFETY: the packed buffer and its unpadded size; the caller vouches for the rest.
                unsafe { self.call_packed(buffer, size, foreign, arguments) }
            })
        };
        self.finish(launched)
    }
}
