//! How a test gets the test driver, and that no other process does.

use std::{panic, process::Command};

use kernel_args_test_driver::{Control, Session, Settings, is_active, locate, within};

const LIBRARY: &str = if cfg!(windows) { "kernel_args_test_driver.dll" } else { "libkernel_args_test_driver.so" };
const DRIVERS: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so", "libcuda.so.1"] };

#[test]
fn the_library_is_next_to_this_binary_under_its_own_name() {
    let library = locate().expect("cargo built it");
    let binary = std::env::current_exe().expect("this binary has a path");
    assert_eq!(library.parent(), binary.parent());
    assert_eq!(library.file_name().and_then(|name| name.to_str()), Some(LIBRARY));
    let beside = std::fs::read_dir(library.parent().expect("a directory")).expect("it can be read");
    let names = beside.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert_eq!(names.filter(|name| DRIVERS.contains(&name.as_str())).count(), 0, "cargo searches this directory");
}

#[test]
fn outside_a_session_no_stand_in_is_found() {
    assert!(!is_active());
    assert!(Control::attach().is_none());
}

#[test]
fn a_failing_body_fails_its_test() {
    let outcome = panic::catch_unwind(|| within(&Settings::new(), |_| panic!("planted")));
    let payload = outcome.expect_err("the body panicked");
    if is_active() {
        panic::resume_unwind(payload);
    }
    let text = payload.downcast_ref::<String>().map_or("", String::as_str);
    assert!(text.contains("planted") && text.contains("a_failing_body_fails_its_test"), "{text}");
}

#[test]
fn an_unknown_entry_point_cannot_be_removed() {
    let error = Session::start(&Settings::new().without("cuNoSuchThing")).expect_err("it is not exported");
    assert!(error.to_string().contains("cuNoSuchThing"), "{error}");
}

#[test]
fn what_a_killed_process_has_left_does_no_harm() {
    let name =
        |number: u32| std::env::temp_dir().join(format!("kernel-args-test-driver-{}-{number}", std::process::id()));
    // Tests of this process start sessions at the same time, so some of the names can be in use.
    let left: Vec<_> = (0..200).map(name).filter(|directory| std::fs::create_dir(directory).is_ok()).collect();
    assert!(left.len() > 100, "{}", left.len());
    let session = Session::start(&Settings::new());
    let is_new = session.as_ref().is_ok_and(|session| !left.iter().any(|directory| directory == session.directory()));
    for directory in &left {
        std::fs::remove_dir(directory).expect("it is empty");
    }
    assert!(is_new, "{:?}", session.err());
}

#[test]
fn a_session_leaves_no_directory() {
    let session = Session::start(&Settings::new()).expect("a session");
    let directory = session.directory().to_owned();
    assert!(DRIVERS.iter().all(|name| directory.join(name).exists()));
    drop(session);
    assert!(!directory.exists());
}

#[test]
fn a_copy_of_binary_and_library_works_in_another_folder() {
    if is_active() {
        assert!(Control::attach().is_some());
        return;
    }
    // This binary and the library in an empty directory, like a copy on another machine.
    let bundle = std::env::temp_dir().join(format!("kernel-args-bundle-{}", std::process::id()));
    std::fs::create_dir(&bundle).expect("a fresh directory");
    let library = locate().expect("cargo built it");
    let binary = std::env::current_exe().expect("this binary has a path");
    let copy = bundle.join(format!("session{}", std::env::consts::EXE_SUFFIX));
    std::fs::copy(&binary, &copy).expect("room");
    std::fs::copy(&library, bundle.join(LIBRARY)).expect("room");
    let output = Command::new(&copy)
        .args(["session::the_driver_names_itself", "--exact", "--nocapture"])
        .env_remove("LD_LIBRARY_PATH")
        .current_dir(&bundle)
        .output();
    std::fs::remove_dir_all(&bundle).expect("it is ours");
    let output = output.expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn the_driver_names_itself() {
    within(&Settings::new(), |_| {
        let context = cudarc::driver::CudaContext::new(0).expect("a device");
        assert_eq!(context.name().ok().as_deref(), Some("kernel-args test driver (no GPU)"));
    });
}
