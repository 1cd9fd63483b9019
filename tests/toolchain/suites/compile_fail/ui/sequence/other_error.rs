use kernel_args::sequence::Sequence;
use std::io;

struct Own;

impl From<io::Error> for Own {
    fn from(_: io::Error) -> Self {
        Self
    }
}

fn of_another_crate(sequence: &mut Sequence, file: &mut impl io::Read) -> Result<(), kernel_args::Error> {
    sequence.run(|_| {
        file.read(&mut [0])?;
        Ok(())
    })
}

fn own(sequence: &mut Sequence, file: &mut impl io::Read) -> Result<(), Own> {
    sequence.try_run(|_| {
        file.read(&mut [0])?;
        Ok(())
    })
}
