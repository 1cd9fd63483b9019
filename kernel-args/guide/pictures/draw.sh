#!/bin/sh
# Draws the pictures of the guide. It needs Graphviz.
cd "$(dirname "$0")" || exit
# From the library: the suite `pictures` draws the other files, and the suite `graphs` writes `graph.dot`, the result of
# `Graph::to_dot`. Without KERNEL_ARGS_BLESS, both compare what they draw with the files.
export KERNEL_ARGS_BLESS=1
cargo test -p kernel-args-tests --test library pictures:: || exit
cargo test -p kernel-args-tests --test driver graphs::structure || exit
# `graph.dot`, the graph of the chapter "graphs", into `graph.md`.
{
    printf '# A graph as a picture\n\n'
    printf 'The graph with memory of its own, drawn by Graphviz from `graph.to_dot()?`. Dependencies that follow\nfrom other dependencies are left out (`tred`):\n\n<div>\n'
    # The element alone, without empty lines and comments: rustdoc includes it as HTML.
    tred graph.dot | dot -Tsvg | sed -n '/<svg/,$p' | grep -v -e '^$' -e '^<!--' -e '^<title>' |
        sed -e 's/^<svg /<svg role="img" /' -e '/^ viewBox=/a <title>A graph with memory of its own</title>'
    printf '</div>\n'
} > graph.md
