//! Random trees of headers: after a change of any file, cargo runs the build script again if the compiler reads another
//! text, and the script writes the image of the new text.
//!
//! `KERNEL_ARGS_FULL=1` tries many more trees; `KERNEL_ARGS_SEED=7` tries one.

use super::{
    Package,
    tree::{Forms, STANDARDS, Tree},
};
use kernel_args_test_generator::tools::{self as tools, GCC};
use std::{
    env, fs,
    path::{Component, Path, PathBuf},
    process::Stdio,
    time::{Duration, SystemTime},
};

/// The settings of a tree, for the build script `tree`.
pub(super) fn kernels() -> kernel_args_build::Kernels {
    let variable = |name| env::var(name).unwrap();
    let flags = variable("DEFINES");
    let flags = flags.lines().map(|define| format!("-D{define}"));
    let kernels = kernel_args_build::Kernels::new().file("src/k.cu");
    let kernels = kernels.include("inc1").include("inc2").arch("sm_75");
    kernels.std(variable("STANDARD")).flags(flags)
}

/// The image and its description, or the compiler's errors.
type Built = Result<[String; 2], ()>;

struct World<'h> {
    compiler: &'h Path,
    tree: Tree,
    /// The build that cargo repeats.
    package: Package,
    /// A build without an earlier result.
    fresh: Package,
}

impl World<'_> {
    /// Runs the script. Returns the image, and the paths that cargo watches.
    fn build(&self, package: &Package) -> (Built, Vec<PathBuf>) {
        // Files that were written just now are always compiled again.
        for path in self.tree.files.keys() {
            let file = fs::File::options().append(true).open(self.tree.root.join(path));
            let past = SystemTime::now() - Duration::from_secs(1000);
            file.unwrap().set_modified(past).unwrap();
        }
        let defines = self.tree.defines.join("\n");
        let variables = [
            ("CUDA_HOME", self.compiler),
            ("DEFINES", Path::new(&defines)),
            ("STANDARD", Path::new(STANDARDS[self.tree.standard])),
        ];
        let ran = package.run("tree", &variables);
        let watched = ran.directives("rerun-if-changed").into_iter();
        let watched = watched.map(|path| spelled(&self.tree.root.join(path)));
        let written = || ["k.ptx", "k.debug.ptx"].map(|name| package.written(name));
        let built = ran.success.then(written).ok_or(());
        (built, watched.collect())
    }

    fn fresh(&self) -> Built {
        let _ = fs::remove_dir_all(&self.fresh.out);
        fs::create_dir_all(&self.fresh.out).unwrap();
        self.build(&self.fresh).0
    }
}

/// The path without `..`.
fn spelled(path: &Path) -> PathBuf {
    let mut spelled = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = spelled.pop(),
            Component::CurDir => {}
            part => spelled.push(part),
        }
    }
    spelled
}

/// How many changes of each kind were tried.
#[derive(Default, Debug)]
struct Count {
    /// The compiler reads another text, and the image is made again.
    noticed: usize,
    /// The compiler reads the same text, and cargo runs the script.
    in_vain: usize,
    /// The compiler reads the same text, and cargo does not run the script.
    unchanged: usize,
    /// The first text does not compile.
    wrong: usize,
}

/// The text that the preprocessor makes of a tree. Both CUDA compilers read the same files as GCC.
fn text(tree: &Tree) -> Option<Vec<u8>> {
    let mut gcc = tools::command(GCC);
    gcc.args(["-E", "-P", "-w", "-x", "c++", "-Iinc1", "-Iinc2", "src/k.cu"])
        .arg(format!("-std={}", STANDARDS[tree.standard]))
        .args(tree.defines.iter().map(|define| format!("-D{define}")))
        .current_dir(&tree.root)
        .stdin(Stdio::null());
    let output = gcc.output().expect("gcc");
    output.status.success().then_some(output.stdout)
}

/// Tries changes of a tree. Compiles after the first `compiled` changes with an effect, and after one without.
fn check(world: &mut World<'_>, mut compiled: usize, count: &mut Count) {
    let (first, watched) = world.build(&world.package);
    if first.is_err() {
        count.wrong += 1;
        return;
    }
    let read = text(&world.tree);
    let mut in_vain = 1;
    for _ in 0..40 {
        let before = world.tree.files.clone();
        let change = world.tree.change();
        let after = &world.tree.files;
        let mut paths = before.keys().chain(after.keys());
        let Some(path) = paths.find(|path| before.get(*path) != after.get(*path)) else {
            world.tree.undo(change);
            continue;
        };
        let place = world.tree.root.join(path);
        // Cargo also runs the script if a watched path does not exist.
        let is_run = watched.iter().any(|path| place.starts_with(path) || !path.exists());
        let is_same = text(&world.tree) == read;
        assert!(is_same || is_run, "the change of {path} is not watched: {watched:#?}\n{}", world.tree);
        match (is_same, is_run) {
            (false, _) => count.noticed += 1,
            (true, true) => count.in_vain += 1,
            (true, false) => count.unchanged += 1,
        }
        let left = if is_same { &mut in_vain } else { &mut compiled };
        if !is_run || *left == 0 {
            world.tree.undo(change);
            if text(&world.tree) != read {
                return;
            }
            continue;
        }
        *left -= 1;
        let now = world.fresh();
        assert!(is_same == (now == first), "GCC reads other files:\n{}", world.tree);
        let (again, _) = world.build(&world.package);
        assert!(again == now, "the image after the change of {path} is stale:\n{}", world.tree);
        world.tree.undo(change);
        if text(&world.tree) != read {
            // The folder of a new file remains, so `folder/../a.h` exists now.
            return;
        }
        let (again, _) = world.build(&world.package);
        assert!(again == first, "the first image is not made again:\n{}", world.tree);
    }
}

pub(super) fn what_the_compiler_reads_is_watched(home: &Path, name: &str) {
    let one = env::var("KERNEL_ARGS_SEED").ok();
    let one: Option<u64> = one.and_then(|seed| seed.parse().ok());
    let is_full = env::var_os("KERNEL_ARGS_FULL").is_some();
    // nvcc takes a second for a text.
    let (trees, compiled) = if name == "nvcc" { (1, 1) } else { (4, 2) };
    let trees = if is_full { trees * 20 } else { trees };
    let mut count = Count::default();
    for seed in one.map_or(0..trees, |seed| seed..seed + 1) {
        let forms = Forms { texts: false, blanks: name == "nvcc" };
        let tree = Tree::new(&format!("build-{name}"), seed, forms);
        let package =
            |part: &str| Package { name: part.into(), root: tree.root.clone(), out: tree.root.with_extension(part) };
        let (package, fresh) = (package("out"), package("fresh"));
        let _ = fs::remove_dir_all(&package.out);
        fs::create_dir_all(&package.out).unwrap();
        let mut world = World { compiler: home, tree, package, fresh };
        check(&mut world, compiled, &mut count);
        for out in [&world.package.out, &world.fresh.out] {
            let _ = fs::remove_dir_all(out);
        }
    }
    println!("{name}: {count:?}");
    let is_enough = count.noticed as u64 > trees && count.wrong as u64 <= trees / 2;
    assert!(one.is_some() || is_enough, "few changes have an effect: {count:?}");
}
