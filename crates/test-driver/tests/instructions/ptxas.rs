//! What ptxas refuses is refused when a module is loaded, with the same line: statements of the cases and of the
//! repository's kernels, each changed in one place. What ptxas accepts is loaded.
//!
//! `KERNEL_ARGS_FULL=1` compares 5,000 changed statements, `KERNEL_ARGS_SEED=7` makes different changes.
//! `KERNEL_ARGS_PTX=FOLDER` adds the PTX in a folder.

use crate::cases::{self, Random};
use cudarc::driver::{CudaContext, sys};
use kernel_args_test_driver::Control;
use kernel_args_test_generator::tools;
use libtest_mimic::Failed;
use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    ffi::{CStr, CString, c_void},
    fs,
    path::{Path, PathBuf},
    ptr::{null_mut, without_provenance_mut},
};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The share of right answers, of what ptxas refuses and of what it accepts.
const AGREE: f64 = 0.99;
/// Words of no name, and rare words.
const WORDS: &[&str] =
    &["frobnicate", "x3", "f16x2", "bf16", "u8", "b128", "rs", "full", "pred", "tex", "cluster", "v8"];
const CONSTANTS: &[&str] = &["0", "1", "5", "-1", "64", "1000", "0f3F800000", "1.5", "0d3FF0000000000000"];
const OTHERS: &[&str] = &["%tid.x", "%clock64", "%unknown", "unknown", "_", "[%unknown]"];

/// The folder of other PTX: then these trials are the only ones.
pub(crate) fn extra() -> Option<std::ffi::OsString> {
    env::var_os("KERNEL_ARGS_PTX")
}

/// Errors by line.
type Errors = BTreeMap<usize, String>;

/// The errors in a log of ptxas or of the driver, and the line of a fatal error.
fn errors(log: &str) -> (Errors, Option<usize>) {
    let (mut errors, mut fatal) = (Errors::new(), None);
    for entry in log.lines() {
        let Some((place, text)) = entry.split_once("; ") else { continue };
        let line = place.rsplit(' ').next().and_then(|line| line.parse().ok());
        let Some((line, (kind, text))) = line.zip(text.split_once(':')) else { continue };
        match kind.trim() {
            "fatal" => fatal = Some(line),
            "error" => {}
            _ => continue,
        }
        errors.entry(line).or_insert_with(|| text.trim().to_owned());
    }
    (errors, fatal)
}

/// The `sm_90a` of `.target sm_90a`.
fn target(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("\n.target ")?;
    rest.split([',', '\n', ' ']).next().map(str::trim)
}

/// The errors of ptxas, the line of a fatal error, and the exit code, if it did not crash.
fn ptxas(text: &str, file: &Path) -> (Errors, Option<usize>, Option<i32>) {
    let program = tools::path(tools::NVCC).join("bin/ptxas");
    fs::write(file, text).expect("a writable folder");
    let mut command = std::process::Command::new(program);
    command.arg(format!("-arch={}", target(text).unwrap_or("sm_90"))).args(["-c", "--Ofast-compile=max", "-o"]);
    let output = command.arg(file.with_extension("o")).arg(file).output().expect("ptxas starts");
    let log = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let (errors, fatal) = errors(&log);
    (errors, fatal, output.status.code())
}

/// The errors of the test driver.
fn load(text: &str) -> Errors {
    use sys::CUjit_option as Jit;
    let image = CString::new(text).expect("no NUL");
    let mut log = vec![0_u8; 1 << 20];
    let mut options = [Jit::CU_JIT_ERROR_LOG_BUFFER, Jit::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), without_provenance_mut(log.len())];
    let mut module = null_mut();
    // SAFETY: a NUL-terminated string, locals, and two options.
    let code = unsafe {
        sys::cuModuleLoadDataEx(&raw mut module, image.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
    };
    let log = CStr::from_bytes_until_nul(&log).expect("a log ends with NUL").to_string_lossy();
    let (errors, _) = errors(&log);
    assert_eq!(code == sys::CUresult::CUDA_ERROR_INVALID_PTX, !errors.is_empty(), "{code:?} {log}");
    if code == sys::CUresult::CUDA_SUCCESS {
        // SAFETY: the module was loaded above.
        assert_eq!(unsafe { sys::cuModuleUnload(module) }, sys::CUresult::CUDA_SUCCESS);
    }
    errors
}

/// A folder for files, and a context on a device that runs code for `text`.
struct Place {
    folder: PathBuf,
    _context: std::sync::Arc<CudaContext>,
}

impl Place {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("kernel-args-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a writable folder");
        Self { folder, _context: CudaContext::new(0).expect("the test driver") }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("module.ptx")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let is_skipped = name == "target" || name == "ui" || name.to_string_lossy().starts_with('.');
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_skipped {
            find(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
    found.sort();
}

/// PTX of the repository and of `KERNEL_ARGS_PTX` for GPUs that `sm_90` runs, and the modules of the cases.
fn corpus(with_cases: bool) -> Vec<(String, String)> {
    let mut files = Vec::new();
    find(Path::new(ROOT), &mut files);
    if let Some(folder) = extra() {
        find(Path::new(&folder), &mut files);
    }
    let read = |path: &PathBuf| Some((path.display().to_string(), fs::read_to_string(path).ok()?));
    let mut corpus: Vec<_> = files.iter().filter_map(read).collect();
    if with_cases {
        let mut roots: BTreeMap<String, Vec<_>> = BTreeMap::new();
        let cases = cases::all();
        for case in &cases {
            roots.entry(case.root.clone()).or_default().push(case);
        }
        corpus.extend(roots.into_iter().map(|(root, cases)| (root, cases::module(&cases))));
    }
    corpus.retain(|(_, text)| match capability(text) {
        (0, _) => false,
        (sm, is_only) => sm <= 90 && !is_only || extra().is_some(),
    });
    corpus
}

/// The compute capability that code for this target needs, and whether it runs on no other.
fn capability(text: &str) -> (u32, bool) {
    let digits = target(text).unwrap_or_default().trim_start_matches("sm_");
    let number = digits.trim_end_matches(['a', 'f']);
    (number.parse().unwrap_or(0), number != digits)
}

/// Sets the device to one that runs `text`. Other trials use the device, so it changes only if these are the only
/// trials.
fn set_device(text: &str) {
    if extra().is_some() {
        let sm = capability(text).0.max(75);
        assert!(Control::attach().is_some_and(|driver| driver.set_sm(sm)), "sm_{sm}");
    }
}

/// No module that ptxas accepts is refused.
pub(crate) fn what_it_accepts_is_loaded() -> Result<(), Failed> {
    let place = Place::new("ptxas-accepts");
    let (mut accepted, mut refused, mut wrong) = (0, 0, Vec::new());
    for (name, text) in corpus(false) {
        set_device(&text);
        let errors = load(&text);
        if errors.is_empty() {
            accepted += 1;
        } else if ptxas(&text, &place.file()).2 == Some(0) {
            wrong.push(format!("{name}: {errors:?}"));
        } else {
            refused += 1;
        }
    }
    println!("{accepted} modules are loaded, {refused} are refused by both");
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// A statement that is alone on its line: what is before the name, the name, and the operands.
struct Statement {
    line: usize,
    before: String,
    name: Vec<String>,
    operands: Vec<String>,
    /// The first registers of each declaration of its function.
    registers: Vec<String>,
}

/// The statements of a text.
fn statements(text: &str) -> Vec<Statement> {
    let (mut statements, mut registers) = (Vec::new(), Vec::new());
    for (line, whole) in text.lines().enumerate() {
        let code = whole.trim();
        if code.contains(".entry") || code.contains(".func") {
            registers.clear();
        }
        if let Some(list) = code.strip_prefix(".reg ").and_then(|rest| rest.strip_suffix(';')) {
            for name in list.split([',', ' ']).filter(|name| name.starts_with('%')) {
                match name.split_once('<') {
                    Some((prefix, _)) => registers.extend((1..3).map(|number| format!("{prefix}{number}"))),
                    None => registers.push(name.to_owned()),
                }
            }
        }
        let Some(code) = code.strip_suffix(';').filter(|code| !code.contains(';')) else { continue };
        let (guard, code) = match code.split_once(char::is_whitespace) {
            Some((guard, code)) if guard.starts_with('@') => (format!("{guard} "), code.trim()),
            _ => (String::new(), code),
        };
        let (name, operands) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '_');
        if !name.starts_with(|c: char| c.is_ascii_lowercase())
            || name.ends_with(':')
            || !name.chars().all(is_name)
            || registers.is_empty()
        {
            continue;
        }
        let (mut list, mut depth) = (vec![String::new()], 0);
        for c in operands.trim().chars() {
            match c {
                '[' | '{' | '(' => depth += 1,
                ']' | '}' | ')' => depth -= 1,
                ',' if depth == 0 => {
                    list.push(String::new());
                    continue;
                }
                _ => {}
            }
            list.last_mut().expect("it has one").push(c);
        }
        let list = list.iter().map(|operand| operand.trim().to_owned()).filter(|operand| !operand.is_empty());
        let name = name.split('.').map(str::to_owned).collect();
        statements.push(Statement {
            line,
            before: guard,
            name,
            operands: list.collect(),
            registers: registers.clone(),
        });
    }
    statements
}

/// The statement with one change.
fn mutant(statement: &Statement, words: &[&str], roots: &[&str], random: &mut Random) -> String {
    let Statement { before, name, operands, registers, .. } = statement;
    let (mut before, mut name, mut operands) = (before.clone(), name.clone(), operands.clone());
    let register = registers[random.below(registers.len())].clone();
    let part = 1 + random.below(name.len().max(2) - 1);
    let operand = random.below(operands.len().max(1));
    let word = if random.below(4) == 0 { random.pick(WORDS) } else { random.pick(words) }.to_owned();
    match random.below(18) {
        0 | 1 if name.len() > 1 => drop(name.remove(part)),
        2 | 3 if name.len() > 1 => name[part] = word,
        4 => name.insert(part.min(name.len()), word),
        5 if name.len() > 1 => name.insert(part, name[part].clone()),
        6 => random.pick(roots).clone_into(&mut name[0]),
        7 => before = format!("@{register} "),
        8 if !operands.is_empty() => drop(operands.remove(operand)),
        9 => operands.insert(operand, operands.get(operand).unwrap_or(&register).clone()),
        10 if !operands.is_empty() => random.pick(CONSTANTS).clone_into(&mut operands[operand]),
        11 if !operands.is_empty() => random.pick(OTHERS).clone_into(&mut operands[operand]),
        _ if operands.is_empty() => operands.push(register),
        _ => {
            // One register of the operand.
            let text = operands[operand].clone();
            let start = text.find('%').unwrap_or(0);
            let length = text[start..].find([',', '}', ']', '|', '+', ' ', ')']).unwrap_or(text.len() - start);
            operands[operand].replace_range(start..start + length, &register);
        }
    }
    format!("{before}{} {};", name.join("."), operands.join(", "))
}

/// Changed statements by their lines.
type Mutants = BTreeMap<usize, String>;

fn changed(text: &str, mutants: &Mutants) -> String {
    let lines = text.lines().enumerate().map(|(number, line)| mutants.get(&(number + 1)).map_or(line, String::as_str));
    lines.collect::<Vec<_>>().join("\n")
}

/// The errors of ptxas. Leaves only mutants that it judges: it reads nothing behind a syntax error, and crashes in rare
/// cases.
fn judged(text: &str, mutants: &mut Mutants, file: &Path) -> Errors {
    loop {
        let (errors, fatal, code) = ptxas(&changed(text, mutants), file);
        match fatal {
            Some(fatal) => {
                let wrong = mutants.range(..=fatal).next_back().map(|(line, _)| *line);
                mutants.remove(&wrong.expect("ptxas accepts the original"));
            }
            None if code.is_none() && mutants.len() > 1 => {
                let middle = *mutants.keys().nth(mutants.len() / 2).expect("it has more than one");
                let mut second = mutants.split_off(&middle);
                let mut errors = judged(text, mutants, file);
                errors.extend(judged(text, &mut second, file));
                mutants.extend(second);
                return errors;
            }
            None if code.is_none() => mutants.clear(),
            None => return errors,
        }
    }
}

/// Changed statements are refused if ptxas refuses them.
pub(crate) fn mutants_are_refused_alike() -> Result<(), Failed> {
    let place = Place::new("ptxas-mutants");
    let wanted = if env::var_os("KERNEL_ARGS_FULL").is_some() { 5000 } else { 400 };
    let corpus = corpus(true);
    let all: Vec<_> = corpus.iter().map(|(_, text)| statements(text)).collect();
    let names = || all.iter().flatten().map(|statement| &statement.name);
    let words: BTreeSet<_> = names().flat_map(|name| &name[1..]).map(String::as_str).collect();
    let roots: BTreeSet<_> = names().map(|name| name[0].as_str()).collect();
    let (words, roots): (Vec<_>, Vec<_>) = (words.into_iter().collect(), roots.into_iter().collect());
    let mut random = Random::new("mutants of statements");
    // Modules with each name a few times, so rare instructions are as frequent as `mov`.
    let mut by_root: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (module, list) in all.iter().enumerate() {
        for (index, statement) in list.iter().enumerate() {
            by_root.entry(&statement.name[0]).or_default().push((module, index));
        }
    }
    let mut chosen: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    let mut count = 0;
    for _ in 0..20 * wanted {
        let (module, index) = {
            let list = &by_root[roots[random.below(roots.len())]];
            list[random.below(list.len())]
        };
        count += usize::from(chosen.entry(module).or_default().insert(all[module][index].line, index).is_none());
        if count == wanted {
            break;
        }
    }
    let (mut agreed, mut total, mut wrong) = ([0_usize; 2], [0_usize; 2], Vec::new());
    for (module, chosen) in chosen {
        let text = &corpus[module].1;
        let mut mutants: Mutants = chosen
            .into_iter()
            .map(|(line, index)| (line + 1, mutant(&all[module][index], &words, &roots, &mut random)))
            .collect();
        let expected = judged(text, &mut mutants, &place.file());
        set_device(text);
        let found = load(&changed(text, &mutants));
        for (line, statement) in &mutants {
            let (expected, found) = (expected.get(line), found.get(line));
            // ptxas reports it without a line, and if nothing else is wrong.
            if found.is_some_and(|text| text.starts_with("32-Bit addressing")) {
                continue;
            }
            let direction = usize::from(expected.is_some());
            total[direction] += 1;
            if expected.is_some() == found.is_some() {
                agreed[direction] += 1;
            } else {
                wrong.push(format!("{statement}\n    ptxas: {expected:?}, here: {found:?}"));
            }
        }
    }
    let shares = [0, 1].map(|direction| agreed[direction] as f64 / total[direction].max(1) as f64);
    println!("accepted: {} of {}, refused: {} of {}", agreed[0], total[0], agreed[1], total[1]);
    println!("{}", wrong.join("\n"));
    if total[0] < wanted / 10 || total[1] < wanted / 3 {
        return Err(format!("{total:?} of {wanted} mutants are compared").into());
    }
    if shares.iter().all(|share| *share >= AGREE) { Ok(()) } else { Err(format!("{shares:?}").into()) }
}
