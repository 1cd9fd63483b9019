//! A corpus is accepted only for the structs that it was made for.

use kernel_args_test_generator::{corpus, echo};

fn table(seed: u64, count: usize) -> String {
    corpus::table(seed, &echo::signatures(seed, count))
}

#[test]
fn the_corpus_of_the_derived_structs_fits() {
    assert_eq!(corpus::check(&table(1, 20), 1, 20), Ok(()));
    // Kernel `i` is the same in a larger corpus.
    assert_eq!(corpus::check(&table(1, 30), 1, 20), Ok(()));
}

#[test]
fn any_other_corpus_is_refused_in_one_sentence_with_the_command() {
    let changed = table(1, 20).replacen("echo_7\t", "echo_9\t", 1);
    for (text, problem) in [
        (table(2, 20), "it has 20 echo kernels of seed 2"),
        (table(1, 19), "it has 19 echo kernels of seed 1"),
        (table(11, 20), "it has 20 echo kernels of seed 11"),
        (changed, "another version of the generator made it"),
        (String::new(), "it has no known kernels"),
    ] {
        let error = corpus::check(&text, 1, 20).expect_err(problem);
        assert_eq!(
            error,
            format!(
                "the corpus does not fit the 20 derived structs of seed 1: {problem}: \
                 run `cargo run -p kernel-args-test-generator --bin echo_corpus`"
            )
        );
    }
    let error = corpus::check("", 1, 500).expect_err("it is empty");
    assert!(error.contains("`KERNEL_ARGS_FULL=1 cargo run "), "{error}");
}
