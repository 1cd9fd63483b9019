#!/usr/bin/env python3
"""Measures launches in Python: one library per process, one batch of every variant for each line of standard input.

    python3 launch.py cuda.core|cupy|triton launch_cost.ptx

`compare.py` starts it, see tests/benches/README.md. cuda.core and CuPy launch the kernels of the PTX file, on the default
stream. Triton supports only its own kernels: it launches empty kernels with the same number of 8-byte integers. A library that is
not installed, and a variant that fails once, are reported as missing, with the reason.
"""

import importlib
import linecache
import random
import sys
import time

# Launches in one batch: few enough to never fill the driver's queue (1,024 launches).
BATCH = 200
# Batches of a variant that are not timed, before the timed batch.
LEAD = 2
COUNTS = [1, 8, 32, 64, 128, 512]
STRUCTS = [("a struct of 4 KiB", "bytes_4096", 4096), ("a struct of 32 KiB", "bytes_32760", 32760)]


def case(count):
    return f"{count} parameter{'s' if count > 1 else ''}"


def words(count):
    """Integers that need 8 bytes. They are odd, because Triton specializes kernels for multiples of 16."""
    return tuple(2**40 + 2 * i + 1 for i in range(count))


class CudaCore:
    name = "cuda.core"

    def __init__(self, image):
        try:
            core = importlib.import_module("cuda.core")
            core.ObjectCode  # Older packages have only `experimental`.
        except (ImportError, AttributeError):
            core = importlib.import_module("cuda.core.experimental")
        self.core = core
        self.device = core.Device()
        self.device.set_current()
        self.stream = self.device.default_stream
        with open(image, "rb") as file:
            self.module = core.ObjectCode.from_ptx(file.read())
        self.config = core.LaunchConfig(grid=1, block=32)
        self.version = getattr(importlib.import_module("cuda.core"), "__version__", "")

    def launcher(self, entry, arguments):
        launch, stream, config = self.core.launch, self.stream, self.config
        kernel = self.module.get_kernel(entry)
        return lambda: launch(stream, config, kernel, *arguments)

    def words(self, count):
        return self.launcher(f"words_{count}", words(count))

    def struct(self, entry, size):
        return self.launcher(entry, (_structure(size),))

    def synchronize(self):
        self.device.sync()


class CuPy:
    name = "CuPy RawKernel"

    def __init__(self, image):
        self.cupy = importlib.import_module("cupy")
        self.module = self.cupy.RawModule(path=image)
        self.version = self.cupy.__version__

    def launcher(self, entry, arguments):
        kernel, grid, block = self.module.get_function(entry), (1,), (32,)
        return lambda: kernel(grid, block, arguments)

    def words(self, count):
        return self.launcher(f"words_{count}", words(count))

    def struct(self, entry, size):
        return self.launcher(entry, (_structure(size),))

    def synchronize(self):
        self.cupy.cuda.runtime.deviceSynchronize()


class Triton:
    name = "Triton"

    def __init__(self, _image):
        self.triton = importlib.import_module("triton")
        importlib.import_module("triton.language")
        self.torch = importlib.import_module("torch")
        self.torch.cuda.init()
        self.version = self.triton.__version__

    def words(self, count):
        # Triton reads the source of a kernel, so `inspect` must be able to find it.
        name, file = f"words_{count}", f"<words_{count}>"
        source = f"def {name}({', '.join(f'a{i}' for i in range(count))}):\n    pass\n"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        scope = {"__name__": __name__}
        exec(compile(source, file, "exec"), scope)
        kernel, arguments = self.triton.jit(scope[name]), words(count)
        return lambda: kernel[(1,)](*arguments, num_warps=1)

    def struct(self, _entry, _size):
        raise TypeError("a Triton kernel takes no structs of C++")

    def synchronize(self):
        self.torch.cuda.synchronize()


LIBRARIES = {"cuda.core": CudaCore, "cupy": CuPy, "triton": Triton}


def _structure(size):
    """A structure of 8-byte words by value, as a NumPy type."""
    numpy = importlib.import_module("numpy")
    dtype = numpy.dtype([("words", numpy.uint64, (size // 8,))])
    return numpy.zeros(1, dtype)[0]


def say(*fields):
    print(*fields, sep="\t", flush=True)


def reason(error):
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}"


def prepared(library):
    """The variants that work: each is launched once, which also compiles it."""
    wanted = [(case(count), lambda count=count: library.words(count)) for count in COUNTS]
    wanted += [(name, lambda entry=entry, size=size: library.struct(entry, size)) for name, entry, size in STRUCTS]
    variants = []
    for name, prepare in wanted:
        try:
            launch = prepare()
            launch()
            library.synchronize()
            variants.append((name, launch))
        except Exception as error:  # Any exception of a library: the remaining variants are still measured.
            say("missing", name, library.name, reason(error))
    return variants


def timed(launch, library):
    start = time.perf_counter_ns()
    for _ in range(BATCH):
        launch()
    elapsed = time.perf_counter_ns() - start
    library.synchronize()
    return elapsed / BATCH


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in LIBRARIES:
        print(f"usage: launch.py {'|'.join(LIBRARIES)} launch_cost.ptx", file=sys.stderr)
        return 2
    kind = LIBRARIES[arguments[0]]
    variants = []
    try:
        library = kind(arguments[1])
        say("setting", f"{kind.name} {library.version}, Python {sys.version.split()[0]}")
        variants = prepared(library)
    except Exception as error:  # A library that is not installed, or finds no GPU.
        say("missing", "*", kind.name, reason(error))
    for name, _ in variants:
        say("variant", name, kind.name)
    say("ready")
    for _ in sys.stdin:
        for name, launch in random.sample(variants, len(variants)):
            for _ in range(LEAD):
                timed(launch, library)
            say("sample", name, kind.name, f"{timed(launch, library):.1f}")
        say("done")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
