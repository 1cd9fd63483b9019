//! `kernel-args trace` with a program that attacks it. Each attack has a budget of time and of memory: the test fails
//! if the command line tool exceeds it. Python plays the program; without Python these tests are ignored.

#[allow(dead_code, reason = "standard input is another suite's")]
mod common;

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(target_os = "linux")]
mod linux {
    use super::common::{Folder, bytes, program, with};
    use kernel_args_test_generator::tools::{self as tools, PYTHON};
    use std::{
        fs,
        process::{Child, Command, ExitCode, Stdio},
        thread,
        time::{Duration, Instant},
    };

    /// The budget of each attack. A tool without optimization needs less than half of it, on a machine with two cores.
    const TIME: Duration = Duration::from_secs(30);
    /// The largest resident memory of the tool, in KiB.
    const MEMORY: u64 = 256 << 10;

    pub(super) fn main() -> ExitCode {
        let tests: [(&str, fn()); 12] = [
            // First, because it waits for 20 seconds.
            ("a_busy_process_does_not_outlive_the_trace", a_busy_process_does_not_outlive_the_trace),
            ("a_full_disk_is_an_error_of_the_file", a_full_disk_is_an_error_of_the_file),
            ("a_trace_without_launches_says_why", a_trace_without_launches_says_why),
            ("an_image_is_a_file_of_the_session", an_image_is_a_file_of_the_session),
            ("an_image_is_a_regular_file", an_image_is_a_regular_file),
            ("recorded_memory_is_in_regular_files", recorded_memory_is_in_regular_files),
            ("sums_of_large_numbers_do_not_overflow", sums_of_large_numbers_do_not_overflow),
            ("a_long_line_ends_its_connection", a_long_line_ends_its_connection),
            ("long_lines_wait_in_limited_memory", long_lines_wait_in_limited_memory),
            ("names_of_kernels_take_limited_memory", names_of_kernels_take_limited_memory),
            ("connections_are_limited", connections_are_limited),
            ("a_silent_process_does_not_outlive_the_trace", a_silent_process_does_not_outlive_the_trace),
        ];
        with(&[PYTHON], &tests)
    }

    /// A program that connects to the trace, and sends these lines.
    fn a_trace_without_launches_says_why() {
        let launch = "launch\t1\t1000\t50\t0\tsaxpy\t1 1 1\t1 1 1\t0\tarray\t0\t?\t\n";
        let no_cupti = "libcupti.so cannot be loaded";
        let failed = format!("failed\t{no_cupti}%0ahelp: install it\n");
        let graph = "graph\t1\t0\t0\t0\t0\t0\n";
        let none = "no process of the program loaded the CUDA driver\nhelp: ";
        let no_record = "warning: no launch was recorded: no process launched kernels that match `a*` 1 time\n";
        for (options, lines, expected) in [
            (&[][..], "", format!("warning: 0 launches: {none}")),
            (&["--summary"], "", format!("warning: 0 launches: {none}")),
            (
                &[],
                "process\tp\n",
                "warning: 0 launches: the program loaded the CUDA driver, and launched no kernel\n".into(),
            ),
            (
                &["--json"],
                &format!("process\tp\n{failed}"),
                format!(
                    "error: the program runs without a trace: {no_cupti}\nhelp: install it\n\
                     warning: 0 launches: the program ran without a trace: {no_cupti}\n"
                ),
            ),
            (
                &["--kernel", "a*", "--kernel", "b"],
                &format!("process\tp\n{launch}{launch}"),
                "warning: 0 launches: the program made 2 launches, and no kernel matches `a*`, `b`\n".into(),
            ),
            (&["--record", "a*"], launch, no_record.into()),
            (&["--kernel", "saxpy"], launch, String::new()),
            (&[], graph, String::new()),
        ] {
            let folder = Folder::new();
            let output = folder.path("trace");
            let send = "import os, socket, sys
if sys.argv[1]:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.environ['KERNEL_ARGS_TRACE'] + '/socket')
    connection.sendall(sys.argv[1].encode())
sys.exit(7)";
            let mut command = program();
            command.arg("trace").args(options).arg("-o").arg(&output).arg("--");
            command.arg(tools::path(PYTHON)).args(["-c", send, lines]);
            let ran = command.output().expect("the program starts");
            let errors = String::from_utf8_lossy(&ran.stderr);
            assert_eq!(ran.status.code(), Some(7), "{errors}");
            if expected.ends_with("help: ") {
                assert!(errors.starts_with(&expected) && errors.lines().count() == 2, "{errors}");
            } else {
                assert_eq!(errors, expected, "{options:?}");
            }
            // The trace itself has launches only.
            let trace = fs::read_to_string(output).expect("a trace");
            assert!(!trace.contains("warning") && !trace.contains("error:"), "{trace}");
        }
    }

    /// A limit for the size of files has the effect of a full disk.
    fn a_full_disk_is_an_error_of_the_file() {
        let send = "import os, socket
connection = socket.socket(socket.AF_UNIX)
connection.connect(os.environ['KERNEL_ARGS_TRACE'] + '/socket')
line = 'launch\\t1\\t1000\\t50\\t0\\t' + 'x' * 1000 + '\\t1 1 1\\t1 1 1\\t0\\tarray\\t0\\t?\\t\\n'
try:
    connection.sendall(line.encode() * 10000)
except OSError:
    pass  # The trace has ended. A message of Python would be between the parts of the error.";
        for option in ["-o", "--chrome"] {
            let folder = Folder::new();
            let file = folder.path("file");
            let mut command = Command::new("/bin/sh");
            // 4 MiB, which the tracer fits into.
            command.args(["-c", r#"trap "" XFSZ; ulimit -f 8192; exec "$0" "$@""#]).arg(program().get_program());
            command.args(["trace", "--json", option]).arg(&file).arg("--").arg(tools::path(PYTHON)).args(["-c", send]);
            let ran = command.output().expect("the program starts");
            let errors = String::from_utf8_lossy(&ran.stderr);
            let expected = format!("error: {}: File too large (os error 27)", file.display());
            assert_eq!(ran.status.code(), Some(2), "{}", start(&errors));
            assert_eq!(errors.lines().find(|line| line.starts_with("error")), Some(&*expected), "{}", start(&errors));
        }
    }

    /// Traces an attack. Returns what was written to standard error, and the trace, which contains the last launch of
    /// the program.
    fn trace(attack: &str, options: &[&str]) -> String {
        let folder = Folder::new();
        trace_in(&folder, attack, options)
    }

    fn trace_in(folder: &Folder, attack: &str, options: &[&str]) -> String {
        let own = folder.path("own");
        folder.write("own/saxpy.ptx", bytes("../../ptx/saxpy.ptx"));
        let (output, errors) = (folder.path("trace"), folder.path("errors"));
        let mut command = program();
        command.arg("trace").args(options).arg("-o").arg(&output);
        command.arg("--").arg(tools::path(PYTHON)).args(["tests/hostile_process.py", attack]).arg(&own);
        command.env("TMPDIR", folder.path("")).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(fs::File::create(&errors).expect("a file"));
        let started = Instant::now();
        let mut child = command.spawn().expect("the program starts");
        let memory = watch(&mut child, attack, started);
        let errors = fs::read_to_string(errors).expect("text");
        println!("{attack} {options:?}: {:.1} s, {} MiB", started.elapsed().as_secs_f64(), memory >> 10);
        assert_eq!(child.wait().expect("it has ended").code(), Some(7), "{attack} {options:?}: {errors}");
        let text = String::from_utf8_lossy(&fs::read(output).expect("a trace")).into_owned();
        assert!(text.contains("last"), "{attack} {options:?}: {}", start(&text));
        if options == ["--json"] {
            let other = text.lines().find(|line| !line.starts_with('{') || !line.ends_with('}'));
            assert_eq!(other, None, "a file of JSON: {attack}");
        }
        errors + &text
    }

    /// Waits until the program ends. Returns its largest resident memory in KiB.
    fn watch(child: &mut Child, attack: &str, started: Instant) -> u64 {
        let status = format!("/proc/{}/status", child.id());
        let mut most = 0;
        while child.try_wait().expect("a child").is_none() {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let number = line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|number| number.parse().ok());
            most = number.unwrap_or(most).max(most);
            let time = started.elapsed();
            if most > MEMORY || time > TIME {
                _ = child.kill();
                _ = child.wait();
                panic!("{attack}: {:.1} s and {} MiB exceed the budget", time.as_secs_f64(), most >> 10);
            }
            thread::sleep(Duration::from_millis(5));
        }
        most
    }

    fn start(text: &str) -> String {
        text.chars().take(2000).collect()
    }

    fn an_image_is_a_file_of_the_session() {
        let folder = Folder::new();
        folder.write("broken.cubin", b"\x7fELF\x02\x01\x01");
        let text = trace_in(&folder, "names", &["--json"]);
        check_images(&text);
        assert!(!text.contains("warning"), "{}", start(&text));
    }

    /// The launch of `saxpy` is shown without what its image contains.
    fn check_images(text: &str) {
        let launch = text.lines().find(|line| line.contains(r#""symbol":"saxpy""#));
        assert!(launch.is_none_or(|launch| launch.contains(r#""value":"0x40000000""#)), "{}", start(text));
    }

    fn an_image_is_a_regular_file() {
        for (attack, why) in [("link", "not a regular file"), ("pipe", "not a regular file"), ("sparse", "larger than")]
        {
            let text = trace(attack, &["--json"]);
            let is_said = |line: &str| line.starts_with("warning: an image") && line.contains(why);
            assert!(text.lines().any(is_said), "{attack}: {}", start(&text));
            check_images(&text);
        }
    }

    fn recorded_memory_is_in_regular_files() {
        let names = [
            ("memory_link", "not a regular file"),
            ("memory_pipe", "not a regular file"),
            ("memory_sparse", "larger than"),
        ];
        for (attack, why) in names {
            let folder = Folder::new();
            let file = folder.path("launch").display().to_string();
            let text = trace_in(&folder, attack, &["--record", "saxpy", "--record-file", &file]);
            let is_said = |line: &str| line.starts_with("error: the launch was not recorded") && line.contains(why);
            assert!(text.lines().any(is_said), "{attack}: {}", start(&text));
        }
    }

    fn sums_of_large_numbers_do_not_overflow() {
        let folder = Folder::new();
        let [chrome, file] = ["chrome", "launch"].map(|name| folder.path(name).display().to_string());
        for format in [&["--summary"][..], &["--json"], &[]] {
            let others =
                ["--verify", "--check-pointers", "--chrome", &chrome, "--record", "saxpy", "--record-file", &file];
            trace("sums", &[format, &others].concat());
        }
    }

    fn a_long_line_ends_its_connection() {
        let text = trace("long_line", &[]);
        assert!(text.contains("a line of more than 1 MiB"), "{}", start(&text));
    }

    fn long_lines_wait_in_limited_memory() {
        trace("long_fields", &[]);
    }

    fn names_of_kernels_take_limited_memory() {
        let text = trace("symbols", &["--summary", "--verify"]);
        assert!(text.contains("(further kernels)"), "{}", start(&text));
    }

    fn connections_are_limited() {
        let text = trace("connections", &[]);
        assert_eq!(text.matches("more than 256 processes at the same time").count(), 1, "{}", start(&text));
    }

    fn a_silent_process_does_not_outlive_the_trace() {
        trace("silent", &[]);
    }

    fn a_busy_process_does_not_outlive_the_trace() {
        for attack in ["flood", "drip", "images", "reconnect"] {
            let text = trace(attack, &["--summary"]);
            assert!(text.contains("the program has ended"), "{attack}: {}", start(&text));
        }
    }
}
