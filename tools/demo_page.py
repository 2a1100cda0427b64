#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the page of the demo: a card per job, with its picture, its figures beside the paper's, and
a link to its interactive view. Usage: demo_page.py FOLDER VERSION

Reads the --json results that tools/demo.sh left in the folder. What is not there has no card."""

import html
import json
import sys
from pathlib import Path

STYLE = """
:root { color-scheme: light dark; --paper: #f4f6f9; --card: #fff; --ink: #1c232b; --soft: #5d6875; --line: #e1e5ea;
  --accent: #1f6fd6; --good: #2f8f56; --bad: #c8372c; }
@media (prefers-color-scheme: dark) { :root { --paper: #12161b; --card: #1c2128; --ink: #e7ebf0; --soft: #98a3b1;
  --line: #2e353f; --accent: #5aa2ff; --good: #5dc487; --bad: #f06a5d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, 'DejaVu Sans', sans-serif; }
header, main, footer { max-width: 1240px; margin: 0 auto; padding: 0 28px; }
header { padding-top: 44px; padding-bottom: 22px; }
h1 { margin: 0 0 6px; font-size: 34px; letter-spacing: -0.01em; display: flex; gap: 14px; align-items: center; }
h1 i { width: 30px; height: 30px; border-radius: 8px; background: linear-gradient(90deg, #1f6fd6 0 40%, transparent 40% 58%, #dd8f17 58%); }
header p { margin: 0; color: var(--soft); font-size: 17px; max-width: 68ch; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(370px, 1fr)); gap: 22px; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow: hidden; display: flex; flex-direction: column; }
article > .picture { display: block; background: #f6f8fa; }
article:hover { border-color: var(--accent); }
article img { display: block; width: 100%; aspect-ratio: 3 / 2; object-fit: contain; }
.text { padding: 16px 20px 18px; display: flex; flex-direction: column; flex: 1; }
h2 { margin: 0; font-size: 19px; display: flex; justify-content: space-between; align-items: baseline; }
.time { font-size: 13px; font-weight: 500; color: var(--soft); font-variant-numeric: tabular-nums; }
.job { color: var(--soft); margin: 2px 0 10px; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
th { text-align: left; font-weight: 500; color: var(--soft); }
td, th { padding: 4px 0; border-top: 1px solid var(--line); }
td + td, th + th { text-align: right; padding-left: 12px; font-variant-numeric: tabular-nums; white-space: nowrap; }
.paper { color: var(--soft); }
.links { margin: auto 0 0; padding-top: 14px; display: flex; gap: 16px; align-items: center; font-weight: 600; }
.button { background: var(--accent); color: #fff; border-radius: 8px; padding: 6px 14px; }
.command { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
code { font-size: 12.5px; background: var(--paper); border-radius: 6px; padding: 7px 10px; display: block; margin-top: 12px; overflow-wrap: anywhere; }
footer { color: var(--soft); padding-top: 26px; padding-bottom: 44px; font-size: 13.5px; }
"""


def length(metres):
    return f"{metres:.3g} m" if metres >= 1 else f"{1e3 * metres:.4g} mm"


def clash(r):
    s = r["summary"]
    return "Which parts of an assembly touch?", [
        ("parts, pairs", f"{s['parts']}, {s['pairs']}", ""),
        ("too near / clashes", f"{s['near']} / {s['clash']}", ""),
        ("clearance asked for", length(r["clearance"]), ""),
    ]


def plan(r):
    proof = r.get("proof", {})
    return "Can this part be taken out? A path, proven free over its whole length", [
        ("way, turns", f"{length(r['length']['translation'])}, {57.2958 * r['length']['rotation']:.0f}°", ""),
        ("clearance", f"> {length(proof.get('clearance_lower', 0))}, proven", ""),
        ("a path in", f"{r['seconds']:.1f} s" if r.get("seconds") else "", "19 to 151 s"),
    ]


def fold(r):
    return "A chain against itself, after every turn of a bond", [
        ("residues", r["chain"]["residues"], "57 (1SHG), backbone alone"),
        ("volume tests a step", f"{r['speed']['volume_tests_per_step']:.0f}", "242"),
        ("steps a second", f"{r['speed']['steps_per_second']:,.0f}", ""),
    ]


def snake(r):
    return f"A robot of {r['links']} modules writhes in a pipe: every step is free of the wall and of itself", [
        ("steps, refused", f"{r['steps']:,}, {r['forbidden'] + r['clashed']:,}", ""),
        ("a step takes", f"{1e6 * r['seconds'] / max(1, r['steps']):.0f} µs", ""),
        ("room left in the end", length(r["room"]), ""),
    ]


def probe(r):
    rows = r["configurations"]
    segments, triangles = r["robot"]["segments"], r["mesh"]["triangles"]
    figures = [
        ("segments, triangles", f"{segments}, {triangles:,}", "7, 10,658"),
        ("pairs measured a pose", f"{sum(x['work']['exact'] for x in rows) / len(rows):.0f}", "74,606: all"),
    ]
    if "stream" in r:
        latency = r["stream"]["latency_us"]
        figures.append(("an answer takes", f"{latency['median']:.0f} µs, one core", "1 kHz kept, a GPU"))
    return f"A catheter in a heart, {length(r['summary']['least_distance'] or 0)} from its wall: asked a thousand times a second", figures


def simplify(r):
    return "A part as a few spheres that are proven to hold it", [
        ("spheres", r["spheres"], ""),
        ("error", f"{length(r['error'])}, proven", "by random samples"),
        ("covered", "proven" if r["covered"] else "no", ""),
    ]


def check(r):
    return "Does a robot program run without touching anything?", [
        ("contacts found", len(r["intervals"]), ""),
        ("pairs tested", len(r["pairs"]["tested"]), ""),
        ("between way-points", "proven", "sampled"),
    ]


def grasp(r):
    n = r["counts"]
    return "Every good grasp of a part", [
        ("sampled", f"{n['sampled']:,}", "26,650"),
        ("stable", f"{n['stable']:,}", "15,378"),
        ("robust", f"{n['robust']:,}", "4,284"),
    ]


def pick(r):
    return "Which part of a pile to take, and with which grasp?", [
        ("parts that can be picked", f"{r['valid']} of {r['pile']['parts']}", ""),
        ("grasps tried a part", f"{r['input']['tried']:,}", "428"),
        ("time to decide", f"{r['seconds']:.2f} s", ""),
    ]


CARDS = [
    ("plan", "Plan", plan, "clearance plan examples/latch.json -o plan.json"),
    ("check", "Check", check, "clearance check weld/cell.json weld/program.json --json"),
    ("clash", "Clash", clash, "clearance clash gripper.glb --clearance 0.5mm --json"),
    ("simplify", "Simplify", simplify, "clearance simplify pipe-joint.glb --error 6mm --external 100mm --json"),
    ("fold", "Fold", fold, "clearance fold helix-bundle:60 --steps 20000 --out fold --json"),
    ("snake", "Fold, a robot", snake, "clearance fold snake.json --obstacle pipe.glb --out snake --json"),
    ("probe", "Probe", probe, "clearance probe catheter.json atrium.glb --pose … --json"),
    ("grasp", "Grasp", grasp, "clearance grasp conrod.glb --wire-frame … --json"),
    ("pick", "Pick", pick, "clearance pick rod.stl rod.cgr --simulate 12 --json"),
]


def result_of(folder, name):
    """The result of a job, with what its stream measured."""
    result = json.loads((folder / f"{name}.json").read_text())
    stream = folder / f"{name}_stream.json"
    if stream.exists():
        result["stream"] = json.loads(stream.read_text())
    if name == "plan":
        result["seconds"] = seconds_of(folder, name)
    return result


def seconds_of(folder, name):
    file = folder / f"{name}.seconds"
    return float(file.read_text()) if file.exists() else None


def card(folder, name, title, describe, command):
    words, figures = describe(result_of(folder, name))
    view = f"{name}.html" if (folder / f"{name}.html").exists() else ""
    with_paper = any(paper for _, _, paper in figures)
    rows = "".join(
        f"<tr><td>{html.escape(what)}</td><td>{html.escape(str(ours))}</td>"
        + (f'<td class="paper">{html.escape(paper) or "–"}</td>' if with_paper else "") + "</tr>"
        for what, ours, paper in figures)
    head = "<tr><th></th><th>here</th><th>the paper</th></tr>" if with_paper else ""
    link = f'<a class="button" href="{view}">Open the view</a>' if view else ""
    seconds = seconds_of(folder, name)
    time = f'<span class="time">{seconds:.2f} s</span>' if seconds is not None else ""
    return (f'<article><a class="picture" href="{view or name + ".png"}"><img src="{name}.png" alt="{html.escape(words)}"></a>'
            f'<div class="text"><h2>{title}{time}</h2><p class="job">{html.escape(words)}</p><table>{head}{rows}</table>'
            f'<code>{html.escape(command)}</code><p class="links">{link}<a href="{name}.json">Result as JSON</a></p></div></article>')


def machine():
    """The processor's name, as Linux has it."""
    try:
        names = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                 if line.startswith("model name")]
    except OSError:
        names = []
    return f"{len(names)} cores of {names[0]}" if names else "this machine"


def main():
    folder, version = Path(sys.argv[1]), sys.argv[2]
    cards = [card(folder, *entry) for entry in CARDS if (folder / f"{entry[0]}.json").exists()]
    page = (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
            f'initial-scale=1"><title>Clearance: the demo</title><link rel="icon" href="data:,"><style>{STYLE}</style></head><body>'
            f'<header><h1><i></i>Clearance</h1><p>How close are these things, and can they move without touching? '
            f'Exact, and never wrong in the dangerous direction. Everything below was computed a moment ago '
            f'on {html.escape(machine())}; each view is one file that works offline.</p></header><main>{"".join(cards)}</main>'
            f'<footer>{html.escape(version)}. "The paper" is the publication that a job started from, with its own parts and its own, older machine; '
            f'the whole comparison: <span class="command">clearance reproduce all</span>.</footer></body></html>\n')
    (folder / "index.html").write_text(page)
    for name, title, describe, _ in CARDS:
        if (folder / f"{name}.json").exists():
            _, figures = describe(result_of(folder, name))
            seconds = seconds_of(folder, name)
            time = f"{seconds:6.2f} s  " if seconds is not None else ""
            print(f"  {title:15}{time}" + "; ".join(f"{what}: {ours}" for what, ours, _ in figures))
    print(f"index.html: {len(cards)} cards")


if __name__ == "__main__":
    main()
