//! Bodies that were made to take long or much memory: each is analysed, or no claim is made about it.

use super::allocated::peak;
use kernel_args_image::ptx::{Bodies, Module};
use std::time::Instant;

/// A text of any size.
struct Shape {
    name: &'static str,
    head: String,
    /// Each is repeated on its own. `#` is replaced by a number, and `+` after a letter by the next number.
    repeated: Vec<String>,
    tail: String,
}

impl Shape {
    fn new(name: &'static str, head: impl Into<String>, repeated: &[&str], tail: impl Into<String>) -> Self {
        let repeated = repeated.iter().map(|part| (*part).to_owned()).collect();
        Self { name, head: head.into(), repeated, tail: tail.into() }
    }

    fn text(&self, bytes: usize) -> String {
        let of_one: usize = self.repeated.iter().map(|part| part.len() + 4 * part.matches('#').count()).sum();
        let mut text = format!(".version 8.7\n.target sm_90\n.address_size 64\n{}", self.head);
        for part in &self.repeated {
            for number in 0..=bytes / of_one {
                text += &part.replace('#', &number.to_string()).replace('\u{1}', &(number + 1).to_string());
            }
        }
        text + &self.tail
    }
}

const KERNEL: &str = ".entry k(.param .u64 a)\n{\nld.param.u64 %rd1, [a];\n";
const WIDE: &str = ".entry k(.param .align 8 .b8 a[4096])\n{\nmov.u64 %rd1, a;\n";
const END: &str = "ret;\n}\n";

fn shapes() -> Vec<Shape> {
    let vector = (0..4096).map(|number| format!("%r{number}")).collect::<Vec<_>>().join(", ");
    let loads = (0..512).map(|slot| {
        let at = 8 * slot;
        format!("ld.param.u64 %rd{at}, [p+{at}];\nst.u32 [%rd{at}], 0;\nst.param.b64 [r+{at}], %rd{at};\n")
    });
    let head = ".func (.param .align 8 .b8 r[4096]) f(.param .align 8 .b8 p[4096])\n{\n";
    let function = head.to_owned() + &loads.collect::<String>() + END;
    let call = "{\n.param .align 8 .b8 q[4096];\n.param .align 8 .b8 s[4096];\nst.param.b64 [q], %rd1;\n\
                call.uni (s), f, (q);\nld.param.b64 %rd1, [s];\n}\n";
    let next = "{\n.param .b64 q;\nld.param.u64 %rd1, [p];\nst.param.b64 [q], %rd1;\ncall.uni f\u{1}, (q);\n}\n";
    let of_f0 = format!("{KERNEL}{{\n.param .b64 q;\nst.param.b64 [q], %rd1;\ncall.uni f0, (q);\n}}\n{END}");
    let of_one = |calls: usize| format!(".func f#(.param .b64 p)\n{{\n{}{END}", next.repeat(calls));
    let array = format!("{KERNEL}.local .align 8 .b8 d[1000000];\nmov.u64 %rd2, d;\nadd.s64 %rd5, %rd2, %rd9;\n");
    let stored = "st.local.u64 [%rd2+#0], %rd1;\nld.local.u64 %rd3, [%rd5];\nadd.s64 %rd1, %rd3, %rd1;\n";
    let sum = "ld.param.u64 %rd#, [a+#];\nadd.s64 %rd\u{1}, %rd#, %rd1;\nst.u32 [%rd\u{1}], 0;\n";
    let symbol = ".local .align 8 .b8 a#[8];\nmov.u64 %rd2, a#;\nst.u64 [%rd1], %rd2;\n";
    let unknown = format!("{WIDE}ld.param.u64 %rd2, [a];\nadd.s64 %rd3, %rd1, %rd2;\n");
    let shared = format!("{KERNEL}.param .align 8 .b8 q[1000000];\n");
    let range = format!("{KERNEL}{{\n.reg .b64 %rx<100000000>;\n");
    vec![
        Shape::new("stores", KERNEL, &[".local .b8 a#[8];\n", "mov.u64 %rd2, a#;\nst.u64 [%rd2], %rd1;\n"], END),
        Shape::new("slots", unknown, &["ld.u64 %rd4, [%rd3+#];\nst.u64 [%rd4], %rd3;\n"], END),
        Shape::new("sums", WIDE, &[sum], END),
        Shape::new("copies", KERNEL, &["mov.b64 %rd#, %rd\u{1};\n"], END),
        Shape::new("blocks", KERNEL, &["{\n.reg .b64 t;\nmov.b64 t, %rd1;\n", "}\n"], END),
        Shape::new("ranges", range, &["mov.b64 %rx#, %rx\u{1};\n"], format!("}}\n{END}")),
        Shape::new("cells", array, &[stored], END),
        Shape::new("shared cells", shared, &["st.param.b64 [q+#0], %rd1;\ncall.uni g, (q);\n"], END),
        Shape::new("symbols", KERNEL, &[symbol], END),
        Shape::new("vectors", KERNEL, &[&format!("mov.b64 {{{vector}}}, {{{vector}}};\n")], END),
        Shape::new("operands", KERNEL, &[&format!("call ({vector}), g, ({vector});\n")], END),
        Shape::new("calls", function.clone() + KERNEL, &[call], END),
        Shape::new("kernels", function, &[&format!("{}{call}{END}", KERNEL.replace("k(", "k#("))], ""),
        Shape::new("chain of functions", "", &[&of_one(1)], &*of_f0),
        Shape::new("tree of functions", "", &[&of_one(3)], &*of_f0),
        Shape::new("functions with registers", "", &[".func f#(.reg .u32 %a)\n{\nret;\n}\n"], &*of_f0),
        Shape::new("lines", KERNEL, &[".loc # # #\nld.global.u32 %r1, [%rd1];\n"], END),
        Shape::new("comments", KERNEL, &["/* # */ // #\n"], END),
    ]
}

/// 1 MB each with `KERNEL_ARGS_FULL=1`.
#[test]
fn hostile_bodies_take_bounded_time_and_memory() {
    let bytes = if std::env::var_os("KERNEL_ARGS_FULL").is_some() { 1 << 20 } else { 1 << 18 };
    for shape in shapes() {
        let text = shape.text(bytes);
        let start = Instant::now();
        let (known, taken) = peak(|| {
            let module = Module::read(text.as_bytes()).unwrap();
            let mut bodies = Bodies::new(text.as_bytes());
            let entries = module.entries();
            entries.iter().filter(|entry| bodies.kernel(&module, entry.name).is_some()).count()
        });
        let took = start.elapsed();
        println!("{}: {} bytes, {known} known, {took:.2?}, {taken} bytes of memory", shape.name, text.len());
        assert!(taken < 64 << 20, "{}: {taken}", shape.name);
        // The limit suffices for a debug build on a busy machine; quadratic work would take minutes.
        assert!(took.as_secs() < 30, "{}: {took:?}", shape.name);
    }
}
