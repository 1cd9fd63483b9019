"""Reads the PTX of echo kernels and reports kernels that do not echo every byte.

A compiler may leave out the padding when it copies a struct. The tests with echo kernels are
valid only if the kernel reads every byte of every parameter and writes every byte of the
answer. This module checks the PTX for that.
"""

import re

BYTES = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}

ENTRY = re.compile(r"\.entry\s+(\w+)\s*\(([^)]*)\)[^{]*\{(.*?)^\}", re.DOTALL | re.MULTILINE)
PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.[busf](\d+)\s+(\w+)(?:\[(\d+)\])?")
INSTRUCTION = re.compile(
    r'\.pragma\s+"used_bytes_mask\s+(?P<mask>\w+)"'
    r"|mov\.[bu]64\s+(?P<alias>%\w+),\s*(?P<aliased>\w+_param_\d+);"
    r"|add\.s64\s+(?P<moved>%\w+),\s*(?P=moved),\s*1;"
    r"|setp\.ne\.s32\s+%\w+,\s*%\w+,\s*(?P<limit>\d+);"
    r"|(?P<op>ld\.param|st\.global)(?:\.v(?P<lanes>\d))?\.[busf](?P<bits>\d+)"
    r"\s+(?P<operands>[^;]*?\[(?P<base>[%\w]+)(?:\+(?P<offset>\d+))?\][^;]*);"
)


def gaps(ptx):
    """A line for every echo kernel of `ptx` that leaves out a byte, and the number of echo kernels."""
    faults, count = [], 0
    for name, parameters, body in ENTRY.findall(ptx):
        if name.startswith("echo"):
            count += 1
            sizes = {
                parameter: BYTES[bits] * int(length or 1)
                for bits, parameter, length in PARAMETER.findall(parameters)
            }
            faults += [f"{name}: {fault}" for fault in _gaps_of_entry(sizes, body)]
    return faults, count


def _gaps_of_entry(sizes, body):
    read = {}
    written, alias, moved, limits = set(), {}, set(), []
    loaded_in_loop, mask = set(), None
    for found in INSTRUCTION.finditer(body):
        if found["mask"]:
            mask = int(found["mask"], 0)
        elif found["alias"]:
            alias[found["alias"]] = found["aliased"]
        elif found["moved"]:
            moved.add(found["moved"])
        elif found["limit"]:
            limits.append(int(found["limit"]))
        else:
            width = BYTES[found["bits"]] * int(found["lanes"] or 1)
            offset = int(found["offset"] or 0)
            touched = {offset + i for i in range(width) if mask is None or mask >> i & 1}
            mask = None
            if found["op"] == "st.global":
                written |= touched
            else:
                base = alias.get(found["base"], found["base"])
                read.setdefault(base, set()).update(touched)
                loaded_in_loop.add((base, found["base"]))

    # A loop reads a large parameter, one byte per iteration: the number of iterations is its size.
    looped = {
        base for base, register in loaded_in_loop if register in moved and sizes.get(base) in limits
    }
    answer = 0
    for parameter in list(sizes)[1:]:
        missing = sizes[parameter] - len(read.get(parameter, set()) & set(range(sizes[parameter])))
        if missing and parameter not in looped:
            yield f"{missing} of the {sizes[parameter]} bytes of {parameter} are never read"
        answer += sizes[parameter]
    if not looped and written != set(range(answer)):
        yield f"it writes {len(written)} bytes where its parameters have {answer}"
