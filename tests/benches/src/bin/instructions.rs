//! Counts instructions and heap allocations from a struct of arguments to the driver call, and of whole launches.

use kernel_args_benches::{
    callgrind,
    contracts::CONTRACTS,
    heap::{Counting, allocations},
    launch::Device,
    launched::{LAUNCHED, Launches},
    marshal::{Shape, Variant},
    parts::PAIRS,
    shapes::SHAPES,
    versions,
};
use std::{env, error::Error, process::Command};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> Result<(), Box<dyn Error>> {
    match env::args().nth(1).as_deref() {
        None => {
            println!("{}, {}\n", versions::compilers(), versions::machine());
            marshalling()?;
            println!();
            parts()?;
            println!();
            launching()?;
            println!();
            contracts()
        }
        Some("marshal") => {
            callgrind::calibrate();
            for shape in SHAPES {
                for variant in Variant::ALL {
                    shape.run(variant);
                }
            }
            Ok(())
        }
        Some("parts") => {
            callgrind::calibrate();
            for pair in PAIRS {
                pair.run();
            }
            Ok(())
        }
        // Prints the allocations of each launch to standard output.
        Some("launch") => {
            callgrind::calibrate();
            let mut launches = Launches::new()?;
            for launched in LAUNCHED {
                println!("{}", launched.run(&mut launches, |launch| allocations(launch)));
            }
            Ok(())
        }
        Some("contracts") => {
            callgrind::calibrate();
            let device = Device::first()?;
            CONTRACTS.iter().try_for_each(|contract| contract.run(&device))
        }
        Some(other) => Err(format!("{other}: it takes no arguments").into()),
    }
}

fn marshalling() -> Result<(), Box<dyn Error>> {
    for shape in SHAPES {
        check(shape)?;
    }
    let mut command = Command::new(env::current_exe()?);
    let counts = callgrind::count(command.arg("marshal"))?;
    println!("Instructions from `&mut args` to `cuLaunchKernel` and back");
    println!("| parameters | kernelParams: ours | Rust | C | ours / C | packed: ours | Rust | C | ours / C | heap |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (shape, counts) in SHAPES.iter().zip(counts.chunks_exact(Variant::ALL.len())) {
        let label = match shape.name {
            "mix" => format!("{}, mixed", shape.count()),
            "mixzeroed" => format!("{}, mixed; C and Rust zero padding too", shape.count()),
            _ => shape.count().to_string(),
        };
        print!("| {label} |");
        for form in counts.chunks_exact(3) {
            print!(" {} | {} | {} | {} |", form[0], form[1], form[2], ratio(form[0], form[2]));
        }
        let heap = allocations(|| {
            shape.run(Variant::OursParams);
            shape.run(Variant::OursPacked);
        });
        println!(" {heap} |");
    }
    Ok(())
}

/// Spread and flattened fields next to separate fields.
fn parts() -> Result<(), Box<dyn Error>> {
    let mut command = Command::new(env::current_exe()?);
    let counts = callgrind::count(command.arg("parts"))?;
    println!("Instructions of separate fields, and of the same parameters from fields that are spread or flattened");
    println!("| parameters | kernelParams: separate | parts | packed: separate | parts | heap |");
    println!("|---|---|---|---|---|---|");
    for (pair, counts) in PAIRS.iter().zip(counts.chunks_exact(4)) {
        print!("| {} |", pair.name);
        for count in counts {
            print!(" {count} |");
        }
        println!(" {} |", allocations(|| pair.run()));
    }
    Ok(())
}

fn launching() -> Result<(), Box<dyn Error>> {
    let (counts, heap) = callgrind::count_on_stand_in("launch")?;
    if counts.len() != LAUNCHED.len() || heap.lines().count() != LAUNCHED.len() {
        return Err("some launches were not counted".into());
    }
    println!("Instructions of a launch outside the driver, on the test driver");
    println!("| launch | how | instructions | ours / this | heap |");
    println!("|---|---|---|---|---|");
    let rows: Vec<_> = LAUNCHED.iter().zip(counts).zip(heap.lines()).collect();
    for ((launched, count), heap) in &rows {
        let ours = rows.iter().find(|((other, _), _)| other.case == launched.case && other.variant == "ours");
        let ratio = ours.map_or_else(String::new, |((_, ours), _)| ratio(*ours, *count));
        println!("| {} | {} | {count} | {ratio} | {heap} |", launched.case, launched.variant);
    }
    Ok(())
}

fn contracts() -> Result<(), Box<dyn Error>> {
    let (counts, _) = callgrind::count_on_stand_in("contracts")?;
    if counts.len() != CONTRACTS.len() {
        return Err("some contracts were not counted".into());
    }
    println!("Instructions of a launch with a contract that holds, grid and block known at run time only");
    println!("| contract | instructions | more than without |");
    println!("|---|---|---|");
    for (contract, count) in CONTRACTS.iter().zip(&counts) {
        let without = CONTRACTS.iter().position(|other| other.name == contract.without);
        let more =
            without.map_or_else(String::new, |without| (i128::from(*count) - i128::from(counts[without])).to_string());
        println!("| {} | {count} | {more} |", contract.name);
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn ratio(ours: u64, other: u64) -> String {
    format!("{:.2}", ours as f64 / other as f64)
}

/// Every variant passes the same bytes.
fn check(shape: &Shape) -> Result<(), String> {
    let expected = shape.handed_over(Variant::CPacked);
    for variant in Variant::ALL {
        if shape.handed_over(variant) != expected {
            return Err(format!("{variant:?} of {} hands over other bytes than C", shape.name));
        }
    }
    Ok(())
}
