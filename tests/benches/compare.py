#!/usr/bin/env python3
"""Measures launches of kernel-args and its peers, interleaved: one run, one table.

    python3 compare.py --output DIR [--seconds N] [--starts N] [--stand-in LIBRARY] NAME=COMMAND...

Starts every command. Each loads its kernels, prints `ready`, and then waits: for each line on its standard input it times
one batch of 200 launches of each of its variants, and prints the times. A round is one such line for each process, one
after another in random order. All processes therefore run in the same minutes of a shared machine; only one works at a
time. In a round, the launching threads of all programs run on the same processor; in the next round, on the next
processor. After a part of the time all programs are ended and started again, because each process has different addresses
of code, heap and stack. A process that does not start, or that ends early, is reported as missing with its last output.

Writes into DIR: `launch.tsv`, medians and quantiles, from which `chart` makes the tables and the picture; `starts.tsv`, the
median of each start; `samples.tsv`, all results, one line for each variant.

`--stand-in` is a rehearsal: the library replaces libcuda in every process, and the times are not GPU times.
"""

import argparse
import os
import pathlib
import random
import selectors
import shlex
import subprocess
import sys
import tempfile
import time

REHEARSAL = "REHEARSAL on the test driver: there is no GPU, and the times say nothing of one"
# The first rounds of each start are not counted.
WARM_UP = 3
# Compiling Triton's kernels takes longest.
START_SECONDS = 120
ROUND_SECONDS = 60


class Peer:
    def __init__(self, name, command, environment):
        self.name = name
        self.errors = tempfile.TemporaryFile()
        self.buffer = b""
        self.process = None
        try:
            self.process = subprocess.Popen(
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.errors,
                env=environment,
            )
        except OSError as error:
            self.last_words = str(error)
            return
        os.set_blocking(self.process.stdout.fileno(), False)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)

    def read_until(self, last, seconds):
        """The lines before the line `last`. None if the process has ended, or is too slow: then it is ended."""
        lines, deadline = [], time.monotonic() + seconds
        while True:
            while b"\n" in self.buffer:
                line, self.buffer = self.buffer.split(b"\n", 1)
                line = line.decode(errors="replace")
                if line == last:
                    return lines
                lines.append(line.split("\t"))
            left = deadline - time.monotonic()
            if left <= 0 or not self.selector.select(left):
                return self.end(f"no `{last}` within {seconds} s")
            block = os.read(self.process.stdout.fileno(), 1 << 16)
            if not block:
                return self.end(f"it ended before `{last}`")
            self.buffer += block

    def ask(self):
        """Runs one round."""
        try:
            self.process.stdin.write(b"round\n")
            self.process.stdin.flush()
        except OSError as error:
            return self.end(str(error))
        return self.read_until("done", ROUND_SECONDS)

    def run_on(self, processor):
        """Moves the launching thread to a processor. Threads of the driver or of a library are not moved."""
        try:
            os.sched_setaffinity(self.process.pid, {processor})
        except OSError:
            pass  # It has ended. Reading its answer reports this.

    def end(self, why):
        self.process.kill()
        status = self.process.wait()
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace").strip().splitlines()
        self.last_words = f"{why}, status {status}" + (f": {said[-1][:200]}" if said else "")
        return None

    def stop(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def quantile(ordered, part):
    return ordered[round((len(ordered) - 1) * part)]


def median(samples):
    return quantile(sorted(samples), 0.5)


def write(directory, settings, missing, order, starts):
    """`order` has the variants in the order of the programs; `starts` has the samples of each start, by case and variant."""
    samples = {}
    for of_start in starts:
        for key, of_variant in of_start.items():
            samples.setdefault(key, []).extend(of_variant)
    # The rows of a case are adjacent.
    cases = list(dict.fromkeys(case for case, _ in order))
    keys = sorted((key for key in order if key in samples), key=lambda key: cases.index(key[0]))
    with open(directory / "launch.tsv", "w") as file:
        for setting in settings:
            print(f"# {setting}", file=file)
        for case, way, reason in missing:
            print("# missing", case, way, reason, sep="\t", file=file)
        print("case", "variant", "median_ns", "p10_ns", "p90_ns", "batches", sep="\t", file=file)
        for key in keys:
            ordered = sorted(samples[key])
            numbers = [f"{quantile(ordered, part):.1f}" for part in (0.5, 0.1, 0.9)]
            print(*key, *numbers, len(ordered), sep="\t", file=file)
    with open(directory / "starts.tsv", "w") as file:
        print("case", "variant", *(f"start_{i}" for i in range(1, len(starts) + 1)), sep="\t", file=file)
        for key in keys:
            medians = (f"{median(start[key]):.1f}" if key in start else "" for start in starts)
            print(*key, *medians, sep="\t", file=file)
    with open(directory / "samples.tsv", "w") as file:
        for key in keys:
            print(*key, *(f"{sample:.0f}" for sample in samples[key]), sep="\t", file=file)
    return samples


def start(commands, environment, settings, missing, order):
    """Starts the commands one after another. Returns the processes that are ready."""
    ready = []
    for command in commands:
        name, _, line = command.partition("=")
        peer = Peer(name, line, environment)
        lines = peer.read_until("ready", START_SECONDS) if peer.process else None
        if lines is None:
            note(missing, ("*", name, peer.last_words))
            continue
        for kind, *fields in lines:
            if kind == "setting" and fields[0] not in settings:
                settings.append(fields[0])
            elif kind == "missing":
                note(missing, tuple(fields))
            elif kind == "variant":
                note(order, tuple(fields))
        ready.append(peer)
    return ready


def note(entries, entry):
    """Each start must report the same list."""
    if entry not in entries:
        entries.append(entry)


def measure(peers, seconds, missing):
    """The samples of one start by case and variant, and the number of rounds."""
    samples, begin, turn = {}, time.monotonic(), 0
    processors = sorted(os.sched_getaffinity(0))
    while peers and (turn < WARM_UP + 5 or time.monotonic() - begin < seconds):
        for peer in random.sample(peers, len(peers)):
            peer.run_on(processors[turn % len(processors)])
            lines = peer.ask()
            if lines is None:
                note(missing, ("*", peer.name, f"in round {turn}: {peer.last_words}"))
                peers.remove(peer)
                continue
            # A library may print additional lines.
            for _, case, way, nanoseconds in (line for line in lines if line[0] == "sample"):
                of_variant = samples.setdefault((case, way), [])
                if turn >= WARM_UP:
                    of_variant.append(float(nanoseconds))
        turn += 1
    return {key: of_variant for key, of_variant in samples.items() if of_variant}, turn - WARM_UP


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--starts", type=int, default=4)
    parser.add_argument("--stand-in", type=pathlib.Path)
    parser.add_argument("commands", nargs="+", metavar="NAME=COMMAND")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    environment, settings, missing, order = dict(os.environ), [], [], []
    with tempfile.TemporaryDirectory() as folder:
        if options.stand_in:
            settings.append(REHEARSAL)
            for name in ("libcuda.so", "libcuda.so.1"):
                os.symlink(options.stand_in.resolve(), pathlib.Path(folder) / name)
            paths = [folder, environment.get("LD_LIBRARY_PATH", "")]
            environment["LD_LIBRARY_PATH"] = ":".join(filter(None, paths))
        starts, rounds, names = [], 0, set()
        for _ in range(options.starts):
            peers = start(options.commands, environment, settings, missing, order)
            print("ready:", ", ".join(peer.name for peer in peers) or "nothing", flush=True)
            names |= {peer.name for peer in peers}
            running = list(peers)
            samples, measured = measure(running, options.seconds / options.starts, missing)
            for peer in peers:
                peer.stop()
            starts.append(samples)
            rounds += measured
    settings.append(f"{rounds} rounds of {len(names)} processes, interleaved, in {options.starts} starts")
    samples = write(options.output, settings, missing, order, starts)
    for case, way, reason in missing:
        print(f"missing: {way}, {case}: {reason}")
    print(f"{rounds} rounds; {len(samples)} variants in {options.output / 'launch.tsv'}")
    return 0 if samples else 1


if __name__ == "__main__":
    sys.exit(main())
