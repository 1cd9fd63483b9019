"""NVRTC, NVIDIA's runtime compiler, called in this process: PTX and cubins without nvcc.

`compile(source, name, target)` returns the PTX for a target such as "compute_75", and the
cubin for a target such as "sm_90". It needs no GPU and no host compiler.
"""

import ctypes

import toolchain


class CompileError(Exception):
    """The compiler rejected a source. The text is its log."""


_library = None


def _nvrtc():
    global _library
    if _library is None:
        compiler, builtins = toolchain.nvrtc_libraries()
        try:
            # NVRTC opens its builtins by file name only: it finds them because they are already loaded.
            ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
            library = ctypes.CDLL(str(compiler))
        except OSError as error:
            raise toolchain.Unavailable(f"nvrtc: it cannot be loaded here: {error}") from error
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        _library = library
    return _library


def version():
    """NVRTC's version as (major, minor)."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def compile(source, name, target, headers=None, options=()):
    """The bytes of the PTX ("compute_NN") or cubin ("sm_NN") made from `source`.

    `name` is the name of the source in messages. `headers` maps the names that `#include` uses
    to their texts. Raises `CompileError` with the log, and `toolchain.Unavailable`.
    """
    headers = headers or {}
    texts = (ctypes.c_char_p * len(headers))(*[text.encode() for text in headers.values()])
    names = (ctypes.c_char_p * len(headers))(*[name.encode() for name in headers])
    program = ctypes.c_void_p()
    _check(
        "nvrtcCreateProgram",
        ctypes.byref(program),
        source.encode(),
        name.encode(),
        len(headers),
        texts,
        names,
    )
    try:
        flags = [f"--gpu-architecture={target}", *options]
        flags = (ctypes.c_char_p * len(flags))(*[flag.encode() for flag in flags])
        code = _nvrtc().nvrtcCompileProgram(program, len(flags), flags)
        if code != 0:
            log = _output("ProgramLog", program).rstrip(b"\0").decode(errors="replace").strip()
            reason = _nvrtc().nvrtcGetErrorString(code).decode()
            raise CompileError(f"{name} for {target}: {reason}\n{log}".rstrip())
        if target.startswith("compute_"):
            # A C string: its size includes the NUL at the end.
            return _output("PTX", program).rstrip(b"\0")
        return _output("CUBIN", program)
    finally:
        _nvrtc().nvrtcDestroyProgram(ctypes.byref(program))


def _output(what, program):
    size = ctypes.c_size_t()
    _check(f"nvrtcGet{what}Size", program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    _check(f"nvrtcGet{what}", program, buffer)
    return buffer.raw


def _check(function, *arguments):
    code = getattr(_nvrtc(), function)(*arguments)
    if code != 0:
        reason = _nvrtc().nvrtcGetErrorString(code).decode()
        raise CompileError(f"{function}: {reason}")
