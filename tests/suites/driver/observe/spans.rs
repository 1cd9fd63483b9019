//! Spans of the crate `tracing`.

use crate::observe::seen::Outcome;
use kernel_args::{
    DevicePointer, DevicePointerMut, Kernel, KernelArgs, launch,
    observe::{self, Tracing},
};
use kernel_args_tests::driver::{context, trial};
use libtest_mimic::Trial;
use std::{
    collections::BTreeMap,
    fmt::Debug,
    mem,
    sync::{Arc, Mutex, PoisonError},
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::with_default,
};

/// A call of a subscriber, and the fields that it recorded.
type Line = (String, BTreeMap<&'static str, String>);

/// What a subscriber saw.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<Line>>>);

#[derive(Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl Lines {
    fn push(&self, what: String, record: impl FnOnce(&mut Fields)) {
        let mut fields = Fields::default();
        record(&mut fields);
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push((what, fields.0));
    }

    fn take(&self) -> Vec<Line> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "kernel_args"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let name = span.metadata().name();
        self.push(format!("new {name}"), |fields| span.record(fields));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        self.push("record".to_owned(), |fields| values.record(fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let level = event.metadata().level();
        self.push(format!("event {level}"), |fields| event.record(fields));
    }

    fn enter(&self, _: &Id) {
        self.push("enter".to_owned(), |_| ());
    }

    fn exit(&self, _: &Id) {
        self.push("exit".to_owned(), |_| ());
    }
}

#[derive(Clone, Copy, KernelArgs)]
struct Saxpy {
    n: i32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}

const NOTHING: Saxpy = Saxpy { n: 0, alpha: 2.0, x: DevicePointer::NULL, y: DevicePointerMut::NULL };

fn a_launch_is_a_span_with_fields() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let typed = include_str!("../../../../ptx/saxpy_typed.ptx");
    let lines = Lines::default();
    let _installed = observe::install(Tracing);
    with_default(lines.clone(), || -> Outcome {
        let kernel: Kernel<Saxpy> = Kernel::from_image(&ctx, typed, "saxpy")?;
        let loaded = lines.take();
        let names: Vec<_> = loaded.iter().map(|(what, _)| what.as_str()).collect();
        assert_eq!(names, ["new load", "enter", "exit"]);
        assert_eq!(loaded[0].1["bytes"], (typed.len() + 1).to_string());
        // SAFETY: `n` is 0, so the kernel accesses nothing.
        unsafe { launch!(kernel, (2, 3), 64, NOTHING, stream = &stream, priority = -1)? };
        let mut launched = lines.take();
        let fields: BTreeMap<_, _> = launched.iter_mut().flat_map(|(_, fields)| mem::take(fields)).collect();
        let expected = [
            ("arguments", "n = 0, alpha = 2.0, x = null, y = null".to_owned()),
            ("attributes", "priority = -1".to_owned()),
            ("block", "(64, 1, 1)".to_owned()),
            ("demangled", "saxpy(int, float, float const*, float*)".to_owned()),
            ("grid", "(2, 3, 1)".to_owned()),
            ("is_recorded", "false".to_owned()),
            ("kernel", "_Z5saxpyifPKfPf".to_owned()),
            ("shared_memory", "0".to_owned()),
            ("stream", format!("{:p}", stream.cu_stream())),
        ];
        assert_eq!(fields, BTreeMap::from(expected));
        let names: Vec<_> = launched.iter().map(|(what, _)| what.as_str()).collect();
        assert_eq!((names[0], names[names.len() - 2]), ("new launch", "enter"));
        assert_eq!(names.last(), Some(&"exit"));
        let raw = kernel.cu_function();
        // SAFETY: the driver rejects the launch.
        let error = unsafe { launch!(raw, 1, 4096, NOTHING, stream = &stream) }.expect_err("the driver rejects it");
        let failed = lines.take();
        let event = failed.iter().find(|(what, _)| what == "event ERROR");
        let (_, fields) = event.ok_or("no event")?;
        assert_eq!(fields["error"], error.to_string());
        Ok(())
    })
}

pub(super) fn trials() -> Vec<Trial> {
    vec![trial("a_launch_is_a_span_with_fields", a_launch_is_a_span_with_fields)]
}
