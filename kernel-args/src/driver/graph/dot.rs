//! Graphs as text for Graphviz.

use super::{Graph, GraphExec, contents::GraphContents, explain, node_text::node_text, structure::ordered};
use crate::driver::{
    api::{GraphRef, NodeId},
    context::make_current,
    error::Error,
};
use core::fmt::Write;
use std::collections::{BTreeMap, BTreeSet};

impl Graph {
    /// Returns the graph in the language DOT: `dot -Tsvg` of Graphviz draws it. Each node shows what it does: a kernel
    /// its name, its grid and its block, an allocation its size. A node is behind the nodes on which it depends.
    ///
    /// # Errors
    /// [`Error::Graph`].
    pub fn to_dot(&self) -> Result<String, Error> {
        make_current(&self.context)?;
        dot(self.driver.as_ref(), &self.contents)
    }
}

impl GraphExec {
    /// Returns the graph from which this graph was instantiated: see [`Graph::to_dot`]. Updates are not shown.
    ///
    /// # Errors
    /// [`Error::Graph`].
    pub fn to_dot(&self) -> Result<String, Error> {
        make_current(&self.context)?;
        dot(self.driver.graph(), &self.contents)
    }
}

fn dot(graph: GraphRef<'_>, contents: &GraphContents) -> Result<String, Error> {
    let (nodes, edges) = (explain::FOUND.check(graph.nodes())?, explain::FOUND.check(graph.edges())?);
    let nodes = ordered(&nodes, &edges);
    let numbers: BTreeMap<NodeId, usize> = nodes.iter().copied().zip(0..).collect();
    let mut text = String::from("digraph {\n    node [shape=box];\n");
    for (number, node) in nodes.into_iter().enumerate() {
        let label = escaped(&label(graph, contents, node));
        let _ = writeln!(text, "    n{number} [label=\"{label}\"];");
    }
    let number = |node: &NodeId| numbers.get(node).copied();
    let edges = edges.iter().map(|(from, to)| (number(from), number(to)));
    for (from, to) in edges.collect::<BTreeSet<_>>() {
        if let (Some(from), Some(to)) = (from, to) {
            let _ = writeln!(text, "    n{from} -> n{to};");
        }
    }
    text.push_str("}\n");
    Ok(text)
}

fn label(graph: GraphRef<'_>, contents: &GraphContents, node: NodeId) -> String {
    let described = node_text(graph, node);
    if let Some(bytes) = contents.memory.bytes_of(node) {
        return format!("{described}\n{bytes} bytes");
    }
    let Some(([gx, gy, gz], [bx, by, bz], shared)) = described.launch else {
        return described.to_string();
    };
    let name = described.kernel.unwrap_or_default();
    let mut label = format!("{name}\ngrid ({gx}, {gy}, {gz}), block ({bx}, {by}, {bz})");
    if shared > 0 {
        let _ = write!(label, "\n{shared} bytes of shared memory");
    }
    label
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
