//! Random conditions of contracts: as the text of `requires`, and as calls of the functions with which a test computes
//! them.

use crate::rng::Rng;
use std::fmt::Write as _;

/// Numbers of the struct that the suite `conditions` declares, and of a launch.
const NUMBERS: [&str; 12] =
    ["p", "q", "r", "s", "t", "x.len()", "y.len()", "grid.x", "block.y", "grid", "block", "self.pair[1]"];
const TRUTHS: [&str; 2] = ["first", "last"];

/// An expression, as text and as calls.
struct Written {
    text: String,
    calls: String,
    /// How strongly its outer operator binds.
    strength: u8,
}

impl Written {
    fn leaf(text: &str, calls: String) -> Self {
        Self { text: text.into(), calls, strength: 10 }
    }

    /// The text as an operand of an operator, in parentheses where Rust needs them, and sometimes where it does not.
    fn operand(&self, at_least: u8, rng: &mut Rng) -> String {
        if self.strength < at_least || rng.chance(5) { format!("({})", self.text) } else { self.text.clone() }
    }
}

fn infix(operator: &str, name: &str, strength: u8, [a, b]: [Written; 2], rng: &mut Rng) -> Written {
    // A comparison has no comparison as an operand.
    let left = if strength == 3 { 4 } else { strength };
    let text = format!("{} {operator} {}", a.operand(left, rng), b.operand(strength + 1, rng));
    Written { text, calls: format!("{name}({}, {})", a.calls, b.calls), strength }
}

/// The leaves that are used go to `used`.
fn number(depth: usize, rng: &mut Rng, used: &mut Vec<&'static str>) -> Written {
    if depth == 0 || rng.chance(20) {
        if rng.chance(30) {
            let literal = rng.pick(&["0", "1", "2", "7", "256", "18_446_744_073_709_551_615"]);
            return Written::leaf(literal, format!("Some({literal})"));
        }
        let place = *rng.pick(&NUMBERS);
        used.push(place);
        return Written::leaf(place, format!("number({place:?})"));
    }
    let mut part = |rng: &mut Rng| number(depth - 1, rng, used);
    match rng.below(10) {
        0 => {
            let of = part(rng);
            let text = format!("-{}", of.operand(9, rng));
            Written { text, calls: format!("sub(Some(0), {})", of.calls), strength: 8 }
        }
        at @ 1..=3 => {
            let (method, both) = (["div_ceil", "min", "max"][at - 1], [part(rng), part(rng)]);
            let [a, b] = both;
            let text = format!("{}.{method}({})", a.operand(9, rng), b.text);
            Written { text, calls: format!("{method}({}, {})", a.calls, b.calls), strength: 9 }
        }
        at => {
            let choices =
                [("+", "add", 5), ("-", "sub", 5), ("*", "mul", 6), ("/", "div", 6), ("%", "rem", 6), ("*", "mul", 6)];
            let (operator, name, strength) = choices[at - 4];
            let both = [part(rng), part(rng)];
            infix(operator, name, strength, both, rng)
        }
    }
}

fn truth(depth: usize, rng: &mut Rng, used: &mut Vec<&'static str>) -> Written {
    match rng.below(10) {
        0 => {
            let place = *rng.pick(&TRUTHS);
            used.push(place);
            Written::leaf(place, format!("truth({place:?})"))
        }
        at @ 1..=4 if depth > 0 => {
            let choices = [("&&", "and", 2), ("||", "or", 1), ("==", "same", 3), ("!=", "differ", 3)];
            let (operator, name, strength) = choices[at - 1];
            let both = [truth(depth - 1, rng, used), truth(depth - 1, rng, used)];
            infix(operator, name, strength, both, rng)
        }
        5 if depth > 0 => {
            let of = truth(depth - 1, rng, used);
            Written { text: format!("!{}", of.operand(9, rng)), calls: format!("not({})", of.calls), strength: 8 }
        }
        _ => {
            let operator = *rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
            let both = [number(2, rng, used), number(2, rng, used)];
            infix(operator, &format!("compare({operator:?})"), 3, both, rng)
        }
    }
}

/// One line for each condition: its text, the values that it uses, and its calls.
#[must_use]
pub fn source(seed: u64, count: usize) -> String {
    let mut lines = String::from("conditions! {\n");
    for i in 0..count {
        let mut rng = Rng::new(seed, i as u64);
        let mut used = Vec::new();
        let condition = truth(3, &mut rng, &mut used);
        used.sort_unstable();
        used.dedup();
        // An error shows up to 12 values.
        if used.is_empty() || used.len() > 12 {
            continue;
        }
        let Written { text, calls, .. } = condition;
        writeln!(lines, "    Condition{i}, {text:?}, {used:?}, |number, truth| {calls};")
            .expect("a String takes any text");
    }
    lines + "}\n"
}
