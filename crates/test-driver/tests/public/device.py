"""Launches kernels in PTX with the driver, for the programs in Python: arguments are numpy's arrays and numbers. Counts checks."""

import ctypes
import sys

import numpy

SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 0
random = numpy.random.default_rng(SEED)
cuda = ctypes.CDLL("libcuda.so.1")
checks = failures = 0


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(text))
        raise RuntimeError(f"{name}: {(text.value or b'').decode()}")


def start():
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)


class Memory:
    """A copy of an array on the device."""

    def __init__(self, array):
        self.array, self.pointer = array, ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(self.pointer), ctypes.c_size_t(max(array.nbytes, 1)))
        call("cuMemcpyHtoD_v2", self.pointer, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))

    def back(self):
        call("cuMemcpyDtoH_v2", ctypes.c_void_p(self.array.ctypes.data), self.pointer, ctypes.c_size_t(self.array.nbytes))
        call("cuMemFree_v2", self.pointer)


def launch(ptx, name, grid, block, parameters, shared=0):
    """Launches a kernel. A parameter is a number, or the memory of an array, which is copied back."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(ptx.encode()))
    call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
    values = [parameter.pointer if isinstance(parameter, Memory) else numpy.array(parameter) for parameter in parameters]
    pointers = [ctypes.addressof(value) if isinstance(value, ctypes.c_uint64) else value.ctypes.data for value in values]
    sizes = [(*size, 1, 1)[:3] if isinstance(size, tuple) else (size, 1, 1) for size in (grid, block)]
    call("cuLaunchKernel", function, *sizes[0], *sizes[1], shared, None, (ctypes.c_void_p * len(pointers))(*pointers), None)
    call("cuCtxSynchronize")
    for parameter in parameters:
        if isinstance(parameter, Memory):
            parameter.back()
    call("cuModuleUnload", module)


def check(name, got, expected, tolerance=0):
    """Compares a result with the result of the host."""
    global checks, failures
    checks += 1
    got, expected = numpy.asarray(got), numpy.asarray(expected)
    if got.shape == expected.shape and numpy.allclose(got, expected, rtol=tolerance, atol=tolerance):
        return
    failures += 1
    wrong = numpy.argwhere(~numpy.isclose(got, expected, rtol=tolerance, atol=tolerance)) if got.shape == expected.shape else []
    at = tuple(wrong[0]) if len(wrong) else ()
    print(f"FAIL {name}: {len(wrong)} of {got.size} differ, the first at {at}: {got[at]}, expected {expected[at]}")


def finish():
    if not failures:
        print(f"PASS {checks} checks")
    sys.exit(failures != 0)
