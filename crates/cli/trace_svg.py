#!/usr/bin/env python3
"""Draws a part of a trace as SVG, for the README.

    kernel-args trace --chrome trace.json -- python3 train.py
    python3 crates/cli/trace_svg.py trace.json FIRST LAST > crates/cli/trace.svg

FIRST and LAST are events, counted from 0. Each thread has a line; each kernel has a colour.
"""

import html
import json
import sys

WIDTH, LINE, TOP = 960, 26, 34
COLORS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#997700", "#555555", "#88ccaa", "#bb5500"]


def short(name):
    """The name without namespaces and template arguments."""
    return name.split("<")[0].split("::")[-1].replace("(anonymous namespace)", "").lstrip(":")


def main():
    events = json.load(open(sys.argv[1], encoding="utf-8"))["traceEvents"][int(sys.argv[2]) : int(sys.argv[3]) + 1]
    begin = min(event["ts"] for event in events)
    end = max(event["ts"] + event["dur"] for event in events)
    threads = sorted({event["tid"] for event in events})
    names = list(dict.fromkeys(short(event["name"]) for event in events))
    height = TOP + LINE * len(threads) + 24 + 18 * len(names)
    scale = (WIDTH - 110) / (end - begin)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12">')
    print('<rect width="100%" height="100%" fill="white"/>')
    for mark in range(6):
        at = (end - begin) * mark / 5
        x = 100 + at * scale
        print(f'<path d="M{x:.1f} 22V{TOP + LINE * len(threads)}" stroke="#ddd"/>')
        print(f'<text x="{x:.1f}" y="16" text-anchor="middle">{at:.0f} µs</text>')
    for event in events:
        name, y = short(event["name"]), TOP + LINE * threads.index(event["tid"])
        width = max(event["dur"] * scale, 1.5)
        color = COLORS[names.index(name) % len(COLORS)]
        title = html.escape(f'{name}, {event["dur"]:.1f} µs, grid {event["args"].get("grid")}, block {event["args"].get("block")}')
        x = 100 + (event["ts"] - begin) * scale
        print(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{LINE - 6}" fill="{color}"><title>{title}</title></rect>')
    for row, thread in enumerate(threads):
        print(f'<text x="8" y="{TOP + LINE * row + 14}">thread {thread}</text>')
    for row, name in enumerate(names):
        y, count = TOP + LINE * len(threads) + 20 + 18 * row, sum(short(event["name"]) == name for event in events)
        print(f'<rect x="100" y="{y - 10}" width="12" height="12" fill="{COLORS[row % len(COLORS)]}"/>')
        print(f'<text x="120" y="{y}">{html.escape(name)} ({count})</text>')
    print("</svg>")


main()
