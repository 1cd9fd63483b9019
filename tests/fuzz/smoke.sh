#!/bin/sh
# Runs each fuzz target for a minute (SECONDS_EACH says otherwise). It fails if an input takes more than the memory or the seconds below.
#   sh fuzz/smoke.sh [--plain] [target...]
# --plain builds without cargo-fuzz: the same instrumentation by rustc's flags.
set -eu
cd "$(dirname "$0")"
nightly=${KERNEL_ARGS_NIGHTLY:-nightly}
plain=no
if [ "${1:-}" = --plain ]; then plain=yes; shift; fi
if [ $# = 0 ]; then
    for file in fuzz_targets/*.rs; do set -- "$@" "$(basename "$file" .rs)"; done
fi
host=$(rustc "+$nightly" -vV | sed -n 's/^host: //p')
folder=${CARGO_TARGET_DIR:-../../target}
if [ $plain = yes ]; then
    # A word for each target.
    # shellcheck disable=SC2046
    RUSTFLAGS="--cfg fuzzing -Zsanitizer=address -Cdebug-assertions -Cpasses=sancov-module \
-Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares" \
        cargo "+$nightly" build --release $(printf -- '--bin %s ' "$@") --target "$host"
fi
for target in "$@"; do
    echo "== $target"
    case $target in
        validate | compare | generate | header) seeds="seeds/cubin seeds/fatbin seeds/ptx seeds/debug_info seeds/debug_image" ;;
        bodies) seeds="seeds/bodies seeds/ptx" ;;
        bombs | select | decode | names | symbols) seeds= ;;
        *) seeds=seeds/$target ;;
    esac
    dictionary=
    if [ -f "dictionaries/$target.dict" ]; then dictionary=-dict=dictionaries/$target.dict; fi
    case $target in
        # Small inputs, read in little memory. The memory is that of the fuzzer with its instrumentation, too.
        bodies | recording | trace) megabytes=512 seconds=5 ;;
        *) megabytes=1200 seconds=20 ;;
    esac
    options="-max_total_time=${SECONDS_EACH:-60} -rss_limit_mb=$megabytes -malloc_limit_mb=$((megabytes / 2)) -timeout=$seconds"
    options="$options -print_final_stats=1 $dictionary"
    mkdir -p "corpus/$target"
    # Each of these is a list of words.
    # shellcheck disable=SC2086
    if [ $plain = yes ]; then
        "$folder/$host/release/$target" "corpus/$target" $seeds $options
    else
        # cargo-fuzz stays in the folder that it is called from.
        cargo "+$nightly" fuzz run --fuzz-dir . "$target" "corpus/$target" $seeds -- $options
    fi
done
