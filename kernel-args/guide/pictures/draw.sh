#!/bin/sh
# Draws `graph.dot`, the graph of the chapter "graphs", into `graph.md`. It needs Graphviz.
#
# `graph.dot` is the result of `Graph::to_dot`. The suite `graphs` compares it; with KERNEL_ARGS_BLESS=1 the suite writes it:
#     KERNEL_ARGS_BLESS=1 cargo test -p kernel-args-tests --test driver -- graphs::structure
cd "$(dirname "$0")" || exit
{
    printf '# A graph as a picture\n\n'
    printf 'The graph with memory of its own, drawn by Graphviz from `graph.to_dot()?`. Dependencies that follow\nfrom other dependencies are left out (`tred`):\n\n<div>\n'
    # The element alone, without empty lines and comments: rustdoc includes it as HTML.
    tred graph.dot | dot -Tsvg | sed -n '/<svg/,$p' | grep -v -e '^$' -e '^<!--' -e '^<title>'
    printf '</div>\n'
} > graph.md
