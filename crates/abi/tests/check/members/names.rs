//! Members of the same type are distinguished by name.

use super::{super::sides::*, *};

/// Only the names distinguish members of the same type.
#[test]
fn exchanged_members_of_one_type_are_found_by_name() {
    let kernel = of(12, xyz());
    let host = |names: [&'static str; 3]| of(12, (0..3).map(|i| at(4 * i, f32(names[i]))).collect());
    differ(host(["y", "x", "z"]), kernel, ("y", "x"), Difference::ParameterName);
    differ(host(["x", "z", "y"]), kernel, ("z", "y"), Difference::ParameterName);
    differ(host(["x", "r#z", "w"]), kernel, ("r#z", "y"), Difference::ParameterName);
    for names in [["a", "b", "c"], ["x", "b", "z"], ["", "", ""], ["0", "1", "2"]] {
        agree(host(names), kernel);
    }
    // The name of a member of another type, or of an enclosing struct, is ignored.
    agree(of(8, vec![at(0, i32("b")), at(4, f32("c"))]), of(8, vec![at(0, i32("a")), at(4, f32("b"))]));
}

/// More members than the index holds.
#[test]
fn exchanged_members_of_a_large_struct_are_found() {
    let struct_of = |names: &[usize]| {
        let members = names.iter().enumerate().map(|(i, name)| {
            let name = format!("m{name}").leak();
            at(4 * i, f32(name))
        });
        of(4 * names.len(), members.collect())
    };
    let right: Vec<_> = (0..1_000).collect();
    let kernel = struct_of(&right);
    agree(struct_of(&right), kernel);
    for (a, b) in [(3, 700), (900, 901), (900, 960)] {
        let mut wrong = right.clone();
        wrong.swap(a, b);
        let names = (&*format!("m{b}"), &*format!("m{a}"));
        differ(struct_of(&wrong), kernel, names, Difference::ParameterName);
    }
}

/// `#[device_type(name = "…")]` on a field.
#[test]
fn a_member_may_say_which_one_it_is() {
    let kernel = of(12, xyz());
    let host = |names: [(&'static str, &'static str); 3]| {
        let members = names.iter().enumerate();
        let members = members.map(|(i, (name, says))| at(4 * i, f32(name).with_kernel_name(says)));
        of(12, members.collect())
    };
    agree(host([("y", "x"), ("x", "y"), ("z", "")]), kernel);
    agree(host([("a", "x"), ("b", ""), ("c", "z")]), kernel);
    for (names, at) in
        [([("x", "y"), ("b", ""), ("z", "")], ("x", "x")), ([("x", ""), ("b", "w"), ("z", "")], ("b", "y"))]
    {
        differ(host(names), kernel, at, Difference::ParameterName);
    }
    // A struct surrounds the intended member, or the members have no names.
    let inner = of(4, vec![at(0, f32("x"))]);
    let kernel = of(4, vec![at(0, Parameter { name: "inner", ..inner })]);
    agree(of(4, vec![at(0, f32("a").with_kernel_name("x"))]), kernel);
    agree(of(4, vec![at(0, f32("a").with_kernel_name("inner"))]), kernel);
    let other = of(4, vec![at(0, f32("a").with_kernel_name("y"))]);
    differ(other, kernel, ("a", "inner.x"), Difference::ParameterName);
    agree(other, of(4, vec![at(0, f32(""))]));
}

/// Vectors of one length over vectors of another length: `x` overlaps `y`, and nothing is exchanged.
#[test]
fn names_of_structs_that_are_shifted_against_each_other_do_not_matter() {
    const NAMES: [&str; 4] = ["x", "y", "z", "w"];
    let vectors = |cpp: &'static str, length: usize| {
        let members = (0..length).map(|i| at(4 * i, f32(NAMES[i]))).collect();
        let vector = structure("v", cpp, 4 * length, Vec::leak(members));
        of(48, vec![at(0, array(vector, (12 / length) as u32))])
    };
    let all = [vectors("float2", 2), vectors("float3", 3), vectors("float4", 4)];
    for host in all {
        for kernel in all {
            agree(host, kernel);
        }
    }
    // Exchanged members are also found in a struct that begins at another offset.
    let pair = |names: [&'static str; 2]| vec![at(0, f32(names[0])), at(4, f32(names[1]))];
    let nested = structure("v", "float2", 8, pair(["x", "y"]).leak());
    let kernel = of(12, vec![at(0, f32("n")), at(4, nested)]);
    let flat = |one, other| of(12, vec![at(0, f32("n")), at(4, f32(one)), at(8, f32(other))]);
    agree(flat("x", "y"), kernel);
    differ(flat("y", "x"), kernel, ("y", "v.x"), Difference::ParameterName);
}
