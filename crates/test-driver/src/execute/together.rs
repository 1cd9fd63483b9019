//! Instructions that the lanes of a warp, a block or a cluster execute together.

use super::{
    arithmetic::combine,
    checks::What,
    code::{Barrier, Condition, Exchange, Op, SINK, Source, Space},
    decode::{Decoder, run, space},
    machine::State,
    matrix::{Fragment, Product},
    step::{Next, Step, Stop},
    types::{LANES, Lanes, Type, each, extend, low},
    words::Words,
};
use crate::ptx::Operand;

/// An instruction of all lanes, at one place.
fn together(function: impl Fn(&mut Step<'_, '_>) -> Result<(), Stop> + Send + Sync + 'static) -> Option<Op> {
    Some(Op::Together(Box::new(move |step| function(step).map(|()| Next::On))))
}

/// Returns an instruction by which lanes exchange values. With `.sync`, its last operand is their set.
fn exchange<const N: usize>(
    decoder: &mut Decoder<'_, '_>,
    set: Option<Source>,
    (to, valid): (u32, u32),
    (from, of): ([Source; N], Condition),
    meet: impl Fn(&[&Lanes; 3], u32, u32) -> (Lanes, u32) + Send + Sync + 'static,
) -> Option<Op> {
    let mut all = [decoder.zero(); 3];
    all[..N].copy_from_slice(&from);
    Some(Op::Exchange(Box::new(Exchange { set, from: all, of, to, valid, meet: Box::new(meet) })))
}

/// Returns the lanes of a `.sync` instruction, its last operand, and the operands before.
fn lanes_of<'a>(
    decoder: &mut Decoder<'_, '_>,
    words: &Words<'_>,
    operands: &'a [Operand],
) -> Option<(Option<Source>, &'a [Operand])> {
    if !words.has("sync") {
        return Some((None, operands));
    }
    let (last, rest) = operands.split_last()?;
    Some((Some(decoder.from(last, Type::U32)?), rest))
}

/// The destination of an instruction without a result.
const NOWHERE: (u32, u32) = (0, SINK);

/// Returns all lanes or none.
fn mask_of(holds: bool) -> u32 {
    if holds { u32::MAX } else { 0 }
}

pub(super) fn bar(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    if words.has("warp") {
        let mask = Some(decoder.from(operands.first()?, Type::U32)?);
        return exchange(decoder, mask, NOWHERE, ([], Condition::default()), |_, _, _| ([0; LANES], 0));
    }
    if words.has("cluster") {
        return Some(Op::Run(if words.has("arrive") { Box::new(cluster_arrive) } else { Box::new(cluster_wait) }));
    }
    let is_reduction = words.has("red");
    let is_aligned = words.part(0)? == "bar" || words.has("aligned");
    let (rest, of) = match operands.split_last() {
        Some((of, rest)) if is_reduction => (&rest[1..], decoder.condition(of)?),
        _ => (operands, Condition::default()),
    };
    let mut number = |index: usize| decoder.from(rest.get(index).unwrap_or(&Operand::Integer(0)), Type::U32);
    let (id, count) = (number(0)?, number(1)?);
    let mut barrier = Barrier { id, count, waits: !words.has("arrive"), is_aligned, of, finish: Box::new(|_, _| ()) };
    match words.any(&["popc", "and", "or"]).filter(|_| is_reduction) {
        Some("popc") => {
            let (to, _) = decoder.to(&operands[0])?;
            barrier.finish = Box::new(move |step, (.., sum)| step.write(to, &[u64::from(sum); LANES]));
        }
        Some(name) => {
            let (to, is_and) = (decoder.predicate(&operands[0])?, name == "and");
            barrier.finish = Box::new(move |step, (all, any, _)| {
                step.write_predicate(to, mask_of(if is_and { all } else { any }));
            });
        }
        None => {}
    }
    Some(Op::Barrier(Box::new(barrier)))
}

fn cluster_arrive(step: &mut Step<'_, '_>) -> Result<Next, Stop> {
    step.cluster.arrived += step.mask.count_ones();
    // A wait that follows sees this generation.
    step.warp.cluster_generation = step.cluster.generation;
    step.cluster.check_barrier();
    Ok(Next::On)
}

fn cluster_wait(step: &mut Step<'_, '_>) -> Result<Next, Stop> {
    let generation = step.warp.cluster_generation;
    if generation != step.cluster.generation {
        return Ok(Next::On);
    }
    step.group.state = State::Cluster(generation);
    Ok(Next::Waits)
}

pub(super) fn vote(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (mask, rest) = lanes_of(decoder, words, operands)?;
    let [to, of] = rest else { return None };
    let of = decoder.condition(of)?;
    let holds: fn(u32, u32) -> bool = match words.any(&["all", "any", "uni", "ballot"])? {
        "all" => |held, mask| held == mask,
        "any" => |held, _| held != 0,
        "uni" => |held, mask| held == mask || held == 0,
        _ => {
            let (to, _) = decoder.to(to)?;
            return exchange(decoder, mask, (to, SINK), ([], of), |_, of, set| ([u64::from(of & set); LANES], 0));
        }
    };
    let to = (0, decoder.predicate(to)?);
    exchange(decoder, mask, to, ([], of), move |_, of, set| ([0; LANES], mask_of(holds(of & set, set))))
}

/// `shfl` (PTX ISA, 9.7.9.6): for a mode, the lane that a lane reads, and whether it is in range.
pub(super) fn shuffle(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (mask, rest) = lanes_of(decoder, words, operands)?;
    let [to, value, by, clamp] = rest else { return None };
    // Of the lane, the distance, the lowest and the highest lane.
    let source: fn(u32, u32, u32, u32) -> (u32, bool) = match words.any(&["up", "down", "bfly", "idx"])? {
        "up" => |lane, by, _, most| (lane.wrapping_sub(by), lane.wrapping_sub(by).cast_signed() >= most.cast_signed()),
        "down" => |lane, by, _, most| (lane + by, lane + by <= most),
        "bfly" => |lane, by, _, most| (lane ^ by, lane ^ by <= most),
        _ => |_, by, least, most| (least | by, least | by <= most),
    };
    let is_index = words.has("idx");
    let to = decoder.pair(to)?;
    let [value, by, clamp] = [value, by, clamp].map(|operand| decoder.from(operand, Type::U32));
    let from = [value?, by?, clamp?];
    exchange(decoder, mask, to, (from, Condition::default()), move |[values, by, clamps], _, set| {
        let (mut result, mut all_valid) = (**values, 0u32);
        for at in each(set) {
            let (lane, clamp) = (at as u32, clamps[at] as u32);
            let (limit, segment) = (clamp & 31, clamp >> 8 & 31);
            let by = by[at] as u32 & 31 & if is_index { !segment } else { 31 };
            let (from, is_valid) = source(lane, by, lane & segment, lane & segment | limit & !segment);
            if is_valid {
                result[at] = values[from as usize % LANES];
                all_valid |= 1 << at;
            }
        }
        (result, all_valid)
    })
}

pub(super) fn matching(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (mask, rest) = lanes_of(decoder, words, operands)?;
    let [to, value] = rest else { return None };
    let (kind, is_all) = (words.kind()?, words.has("all"));
    let to = decoder.pair(to)?;
    let value = decoder.from(value, kind)?;
    exchange(decoder, mask, to, ([value], Condition::default()), move |[values, ..], _, set| {
        let values = values.map(|value| value & low(kind.bits()));
        let (mut result, mut same) = ([0; LANES], 0);
        for at in each(set) {
            let equal = each(set).filter(|other| values[*other] == values[at]);
            let equal = equal.fold(0u32, |equal, lane| equal | 1 << lane);
            same |= u32::from(equal == set) << at;
            result[at] = u64::from(if is_all && equal != set { 0 } else { equal });
        }
        (result, same)
    })
}

pub(super) fn redux(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (mask, rest) = lanes_of(decoder, words, operands)?;
    let [to, value] = rest else { return None };
    let kind = words.kind().filter(|kind| !kind.is_float())?;
    let combine = combine(words.any(&["add", "min", "max", "and", "or", "xor"])?)?;
    let (value, (to, _)) = (decoder.from(value, kind)?, decoder.to(to)?);
    exchange(decoder, mask, (to, SINK), ([value], Condition::default()), move |[values, ..], _, set| {
        let mut lanes = each(set);
        let first = lanes.next().map_or(0, |lane| values[lane]);
        let result = lanes.fold(first, |sum, lane| combine(kind, sum, values[lane], 0));
        ([extend(result, kind) & low(kind.bits()); LANES], 0)
    })
}

pub(super) fn activemask(decoder: &mut Decoder<'_, '_>, _: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (to, _) = decoder.to(operands.first()?)?;
    run(move |step| step.write(to, &[u64::from(step.mask); LANES]))
}

pub(super) fn elect(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let (mask, rest) = lanes_of(decoder, words, operands)?;
    let to = decoder.pair(rest.first()?)?;
    exchange(decoder, mask, to, ([], Condition::default()), |_, _, set| {
        let first = set.trailing_zeros();
        ([u64::from(first); LANES], 1u32.checked_shl(first).unwrap_or(0))
    })
}

/// `mma` and `wmma.mma`.
fn product(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let [to, a, b, c] = operands else { return None };
    let product = Product::read(words)?;
    let from = [a, b, c].map(|operand| decoder.sources(operand, Type::U64));
    let ([Some(a), Some(b), Some(c)], to) = (from, decoder.slots(to)?) else { return None };
    if !product.fits([a.len(), b.len(), c.len(), to.len()]) {
        return None;
    }
    together(move |step| {
        let [a, b, c] =
            [&a, &b, &c].map(|sources| sources.iter().map(|source| *step.source(*source)).collect::<Vec<Lanes>>());
        for (slot, value) in to.iter().zip(&product.multiply([&a, &b, &c], to.len())) {
            step.write(*slot, value);
        }
        Ok(())
    })
}

/// The registers, the lowest bits in them, and the addresses of a lane's elements.
type Places = Box<dyn Fn(&Lanes, usize, Option<u64>) -> Vec<(usize, u32, u64)> + Send + Sync>;

/// `mma`, `wmma`, and `ldmatrix` and `stmatrix` of 8x8 elements of 16 bits.
pub(super) fn matrix(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, operands: &[Operand]) -> Option<Op> {
    let root = words.part(0)?;
    if root == "mma" || root == "wmma" && words.part(1)? == "mma" {
        return product(decoder, words, operands);
    }
    let is_load = root == "ldmatrix" || words.part(1)? == "load";
    let (values, address) = match operands {
        [values, address, ..] if is_load => (values, address),
        [address, values, ..] => (values, address),
        _ => return None,
    };
    let place = decoder.place(address, space(words).or(Some(Space::Generic)), false)?;
    let (to, from) = match is_load {
        true => (decoder.slots(values)?, Vec::new()),
        false => (Vec::new(), decoder.sources(values, Type::U64)?),
    };
    let count = to.len() + from.len();
    let (places, size, stride): (Places, u32, Option<Source>) = if root == "wmma" {
        let fragment = Fragment::read(words)?;
        let stride = operands.get(2).map(|operand| decoder.from(operand, Type::U32));
        let places =
            move |addresses: &Lanes, lane: usize, stride| fragment.addresses(addresses[lane], lane, count, stride);
        (Box::new(places), fragment.bytes(), if let Some(stride) = stride { Some(stride?) } else { None })
    } else {
        if !words.has("m8n8") || !words.has("b16") {
            return None;
        }
        let transposed = words.has("trans");
        let places = move |addresses: &Lanes, lane: usize, _| {
            let place = |index: usize| {
                let (along, across) = (lane / 4, lane % 4 * 2 + index % 2);
                let (row, column) = if transposed { (across, along) } else { (along, across) };
                let address = addresses[index / 2 * 8 + row].wrapping_add(2 * column as u64);
                (index / 2, 16 * (index % 2) as u32, address)
            };
            (0..2 * count).map(place).collect()
        };
        if count > 4 {
            return None;
        }
        (Box::new(places), 2, None)
    };
    together(move |step| {
        let (addresses, stride) = (step.addresses(place), stride.map(|stride| step.uniform(stride)));
        let mut result = vec![[0; LANES]; to.len()];
        let mut undefined = result.clone();
        for lane in 0..LANES {
            for (register, bit, address) in places(&addresses, lane, stride) {
                if is_load {
                    result[register][lane] |= step.read(place.space, address, size, lane)? << bit;
                    let unwritten = step.check((place.space, address, size, What::Load), lane, false, 0)?;
                    undefined[register][lane] |= unwritten << bit;
                } else {
                    let value = step.source(from[register])[lane] >> bit;
                    step.put(place.space, address, size, lane, value)?;
                    let touched = (place.space, address, size, What::Store);
                    step.check_store(touched, lane, false, (from[register], bit))?;
                }
            }
        }
        for (slot, value) in to.iter().zip(&result) {
            step.write(*slot, value);
        }
        if undefined.iter().any(|bits| *bits != [0; LANES]) {
            let read = to.iter().copied().zip(undefined).collect();
            step.undefine(read, u32::MAX, (place.space, size, &addresses));
        }
        Ok(())
    })
}

pub(super) fn fence(decoder: &mut Decoder<'_, '_>, words: &Words<'_>, _: &[Operand]) -> Option<Op> {
    if words.any(&["gl", "sys", "gpu", "cluster"]).is_some() {
        decoder.is_ordered();
    }
    // Memory is in order anyway.
    run(|step| {
        step.orders();
    })
}
