use kernel_args::{ArgList, KernelArg, args::{Guard, LaunchStream}};

struct Local(u32);

struct Borrowed<'a>(&'a Local);

impl KernelArg for Borrowed<'_> {
    type Device = u32;

    fn lower<'s>(&'s mut self, _: &'s LaunchStream<'_>) -> (u32, Guard<'s>) {
        (self.0.0, Guard::NONE)
    }
}

fn list() -> ArgList<'static> {
    let x = Local(1);
    let mut args = ArgList::new();
    args.push(Borrowed(&x));
    args
}
