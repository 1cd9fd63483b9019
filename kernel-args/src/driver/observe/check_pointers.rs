use super::LauncherEvent;
use crate::driver::{
    api::api,
    context::with_current,
    error::Error,
    pointers::{self, PointerCheck, Runs},
};

impl LauncherEvent<'_> {
    pub(super) fn check_pointers(&self) -> Result<(), Error> {
        let api = api()?;
        let check = |runs| {
            pointers::check(&PointerCheck {
                api,
                kernel: self.name,
                runs,
                code: self.code,
                lengths: self.lengths,
                values: self.values,
            })
        };
        match self.context {
            // A launch makes its context current. The record of one does not.
            Some(context) if self.is_recorded => with_current(context, || check(Runs::Now))?,
            _ => check(Runs::On(self.handle)),
        }
    }
}
