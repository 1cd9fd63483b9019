# Kernels that cuda.core compiles and launches, with every size of scalar.
import ctypes

import numpy
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
template <typename A, typename B, typename C>
__global__ void sum(A a, double* out, B b, size_t n, C c) {
    size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) out[i] = double(a) + 2 * double(b) + 3 * double(c) + double(i);
}
"""
TYPES = {
    "signed char": numpy.int8, "unsigned char": numpy.uint8, "short": numpy.int16, "unsigned": numpy.uint32, "int": numpy.int32,
    "long long": numpy.int64, "float": numpy.float32, "double": numpy.float64,
}

device = Device()
device.set_current()
stream = device.create_stream()
names = [f"sum<{a}, {b}, {c}>" for a in TYPES for b in TYPES for c in TYPES]
options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
module = Program(SOURCE, code_type="c++", options=options).compile("cubin", name_expressions=names)
N, compared = 100, 0
buffer = device.allocate(N * 8, stream=stream)
host = (ctypes.c_double * N)()
driver = ctypes.CDLL("libcuda.so.1")
for name in names:
    types = [TYPES[part] for part in name[4:-1].split(", ")]
    values = [kind(11 * at + 3) for at, kind in enumerate(types)]
    launch(stream, LaunchConfig(grid=2, block=64), module.get_kernel(name), values[0], buffer, values[1], numpy.uint64(N), values[2])
    stream.sync()
    assert driver.cuMemcpyDtoH_v2(host, ctypes.c_uint64(int(buffer.handle)), ctypes.c_size_t(N * 8)) == 0
    want = sum((at + 1) * float(value) for at, value in enumerate(values)) + numpy.arange(N)
    numpy.testing.assert_array_equal(numpy.array(host), want, err_msg=name)
    compared += 1
print(f"PASS: {compared} results")
