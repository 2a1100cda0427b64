#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
"""clearance probe --stream from outside: lines and datagrams in, answers out, bad lines, the end.
No test asserts a time."""

import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

import jsonschema

from cli_test import PROGRAM, ROOT, run, validated
from probe_test import ARM, ProbeCase

ANSWER = jsonschema.Draft202012Validator(
    json.loads((ROOT / "schema" / "probe-answer.schema.json").read_text(encoding="utf-8")))
FRAME = jsonschema.Draft202012Validator(
    json.loads((ROOT / "schema" / "probe-frame.schema.json").read_text(encoding="utf-8")))


def piped(text, *arguments):
    return subprocess.run([PROGRAM, "probe", *map(str, arguments), "--stream"], input=text,
                          capture_output=True, text=True, check=False, timeout=120)


def answers_of(text):
    """The lines of a stream, each checked against the schema."""
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        if line.get("schema") != "clearance.probe-stream":
            ANSWER.validate(line)
    return lines


class Stream(ProbeCase):
    def test_each_line_gets_an_answer_with_direction_and_force(self):
        frames = ['{"pose": [0, 0, 0.025], "id": 7}',
                  '{"pose": [0, 0, 0.045, 0, 0, 0, 1]}',
                  '{"pose": [0, 0, -0.125]}']
        done = piped("\n".join(frames), self.tube, self.mesh, "--stiffness", 100, "--margin",
                     "30mm")
        self.assertEqual(done.returncode, 0, done.stderr)
        near, far, below = answers_of(done.stdout)
        self.assertEqual((near["id"], near["sequence"]), (7, 0))
        self.assertAlmostEqual(near["distance"], 0.020, places=12)
        for value, expected in zip(near["direction"], (0, 0, 1)):
            self.assertAlmostEqual(value, expected, places=9)
        self.assertAlmostEqual(near["force"][2], 100 * 0.010, places=9)
        self.assertAlmostEqual(near["on_mesh"][2], 0, places=12)
        self.assertNotIn("id", far)
        self.assertEqual(far["force"], [0, 0, 0])
        # The wire at +20 mm is the nearer one from below: 0.125 - 0.021.
        self.assertAlmostEqual(below["distance"], 0.104, places=12)
        self.assertAlmostEqual(below["direction"][2], -1, places=9)
        self.assertIn("3 answers", done.stderr)
        self.assertIn("latency: median", done.stderr)

    def test_contact_keeps_the_direction_and_is_told_by_the_status(self):
        done = piped('{"pose": [0, 0, 0]}\n{"pose": [0, 0, 0.025]}\n{"pose": [0, 0, 0.004]}\n',
                     self.tube, self.mesh, "--stiffness", 100, "--margin", "10mm")
        self.assertEqual(done.returncode, 1, done.stderr)
        first, _, last = answers_of(done.stdout)
        self.assertEqual((first["distance"], first["direction"]), (0, None))
        self.assertEqual(last["distance"], 0)
        self.assertAlmostEqual(last["force"][2], 1.0, places=9)

    def test_bad_lines_are_refused_counted_and_the_stream_goes_on(self):
        bad = ['{"pose": [NaN, 0, 0]}', '{"pose": [0, 0]}', "not JSON", '{"pose": [0, 0, 0, 0, 0, '
               '0, 2]}', '{"joints": [1]}', '{"pose": [1e999, 0, 0]}', '{"nodes": []}',
               '{"pose": [0, 0, 1]} \x00', '{"pose": [0,0,1], "pose": [0,0,1]}', "\xff\xfe"]
        good = '{"pose": [0, 0, 0.025]}'
        text = "\n".join(line for pair in zip(bad, [good] * len(bad)) for line in pair) + "\n\n"
        done = piped(text, self.tube, self.mesh, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        *lines, summary = answers_of(done.stdout)
        self.assertEqual([("error" in line) for line in lines], [True, False] * len(bad))
        self.assertEqual([line["line"] for line in lines[::2]], list(range(1, 2 * len(bad), 2)))
        self.assertIn("expected a number, not 'NaN'", lines[0]["error"])
        self.assertEqual((summary["refused"], summary["answers"]), (len(bad), len(bad)))
        self.assertEqual(summary, validated(json.dumps(summary)))
        self.assertEqual(sum(row["count"] for row in summary["histogram"]), len(bad))

    def test_nothing_but_bad_lines_is_wrong_input(self):
        done = piped("nonsense\n", self.tube, self.mesh)
        self.assertEqual(done.returncode, 2)

    def test_whole_shapes_come_as_nodes(self):
        def shape(height, radius):
            return {"nodes": [[x, 0, z, 1, 0, 0, radius]
                              for x, z in ((-0.03, height), (0, height), (0.03, height),
                                           (-0.03, height + 0.1), (0.03, height + 0.1))]}
        frames = [shape(0.02, 0.005), shape(0.02, 0.015), shape(0.05, 0.001)]
        for frame in frames:
            FRAME.validate(frame)
        opposite = shape(0.02, 0.005)
        opposite["nodes"][1][3] = -1
        equal = shape(0.02, 0.005)
        equal["nodes"][1] = equal["nodes"][0]
        text = "\n".join(map(json.dumps, [*frames, opposite, equal]))
        done = piped(text, self.tube, self.mesh)
        *answers, turned, twice = answers_of(done.stdout)
        for answer, expected in zip(answers, (0.015, 0.005, 0.049)):
            self.assertAlmostEqual(answer["distance"], expected, places=12)
        self.assertIn("nodes/1", turned["error"])
        self.assertIn("nodes/1: is equal to the one before", twice["error"])

    def test_joints_move_an_arm_and_limits_hold(self):
        arm = self.write("arm.urdf", ARM)
        text = '{"joints": [0.5]}\n{"joints": {"elbow": 0}}\n{"joints": [2]}\n{"pose": [0,0,1]}\n'
        done = piped(text, arm, self.mesh, "--pose", "0 0 0.3")
        bent, straight, refused, elsewhere = answers_of(done.stdout)
        self.assertLess(bent["distance"], straight["distance"])
        self.assertIn("elbow", refused["error"])
        self.assertAlmostEqual(elsewhere["distance"] - straight["distance"], 0.7, places=9)

    def test_answers_equal_those_of_a_single_question(self):
        atrium = self.generated("atrium", "atrium.stl")
        catheter = ROOT / "examples" / "catheter.json"
        for pose in ("0.01 0 -0.03", "0 0.01 -0.02"):
            asked = json.loads(run("probe", catheter, atrium, "--pose", pose, "--json").stdout)
            closest = asked["configurations"][0]["closest"]
            line = json.dumps({"pose": [float(x) for x in pose.split()]})
            for method in ("tree", "simd"):
                answer = answers_of(piped(line, catheter, atrium, "--method", method).stdout)[0]
                for name in ("distance", "on_contour", "on_mesh", "triangle", "segment"):
                    self.assertEqual(answer[name], closest[name])


class FixedRate(ProbeCase):
    def test_made_up_lines_at_a_rate_end_after_the_time(self):
        done = run("probe", self.tube, self.mesh, "--stream", "--synthetic", "orbit:5mm", "--rate",
                   200, "--seconds", 0.5, "--pose", "0 0 0.025", "--json", "--spin", "--deadline",
                   10000)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        *lines, summary = answers_of(done.stdout)
        # Ticks that a busy machine passes over are counted, not lost.
        self.assertLessEqual(len(lines), 100)
        self.assertEqual(len(lines), summary["answers"])
        self.assertGreaterEqual(summary["answers"] + summary["missed"], 90)
        self.assertEqual((summary["rate"], summary["deadline_us"]), (200, 1e7))
        for answer in lines:
            self.assertAlmostEqual(answer["distance"], 0.020, places=9)
        self.assertEqual([line["sequence"] for line in lines], list(range(len(lines))))

    def test_newest_line_of_a_tick_counts(self):
        text = "".join('{"pose": [0, 0, %g]}\n' % (0.01 * i) for i in range(1, 31))
        done = piped(text, self.tube, self.mesh, "--rate", 50, "--json", "--deadline", 10000)
        *lines, summary = answers_of(done.stdout)
        self.assertEqual(summary["lines"], 30)
        self.assertEqual(summary["superseded"] + summary["answers"], 30)
        self.assertAlmostEqual(lines[-1]["distance"], 0.295, places=9)

    def test_mesh_that_breathes_changes_the_answers(self):
        # The rate of the mesh goes by answers, so the numbers are the same each time.
        def distances():
            done = piped('{"pose": [0.2, 0, 0.03]}\n' * 200, self.tube, self.mesh, "--move-mesh",
                         "breathing:50mm")
            return [answer["distance"] for answer in answers_of(done.stdout)]
        first = distances()
        self.assertEqual(first, distances())
        self.assertGreater(len(set(first)), 5)

    def test_path_is_walked_to_and_fro(self):
        path = self.write("path.jsonl", "".join('{"pose": [0, 0, %g]}\n' % z
                                                for z in (0.01, 0.02, 0.03)))
        done = run("probe", self.tube, self.mesh, "--stream", "--synthetic", path, "--seconds",
                   0.05)
        heights = [round(answer["distance"], 9) for answer in answers_of(done.stdout)]
        self.assertEqual(heights[:7], [0.005, 0.015, 0.025, 0.025, 0.015, 0.005, 0.015][:len(heights)])

    def test_realtime_is_tried_and_a_refusal_said(self):
        done = run("probe", self.tube, self.mesh, "--stream", "--synthetic", "orbit", "--pose",
                   "0 0 0.1", "--seconds", 0.05, "--realtime")
        self.assertEqual(done.returncode, 0, done.stderr)

    def stream_at_a_rate(self, *options, **kept):
        return subprocess.Popen(
            [PROGRAM, "probe", self.tube, self.mesh, "--stream", "--synthetic", "orbit", "--pose",
             "0 0 0.1", "--json", *map(str, options)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, **kept)

    def summary_of(self, process):
        out, err = process.communicate(timeout=60)
        *lines, summary = answers_of(out)
        self.assertEqual([line["sequence"] for line in lines], list(range(len(lines))))
        self.assertEqual(summary["answers"], len(lines))
        self.assertEqual(sum(summary["missed_because"].values()), summary["missed"])
        return summary, err

    def test_misses_of_our_own_computing_are_told(self):
        # No answer takes less than 100 ns of the processor.
        summary, words = self.summary_of(
            self.stream_at_a_rate("--rate", 100, "--seconds", 0.3, "--deadline", 0.0001))
        self.assertGreater(summary["answers"], 0)
        self.assertGreaterEqual(summary["missed"], summary["answers"])
        self.assertEqual(summary["missed_because"]["computing"], summary["missed"])
        self.assertGreater(summary["processor_us"]["median"], 0.1)
        self.assertIn(" by computing)", words)

    def test_misses_of_a_machine_that_stops_us_are_told(self):
        process = self.stream_at_a_rate("--rate", 100, "--seconds", 1.2)
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        process.send_signal(signal.SIGCONT)
        out, words = process.communicate(timeout=60)
        summary = answers_of(out)[-1]
        # A pause of 50 ticks; what else happens on a busy machine is no computing of ours either.
        self.assertGreaterEqual(summary["missed_because"]["machine"], 40)
        self.assertEqual(summary["missed_because"]["computing"], 0)
        self.assertIn(" while the machine did something else", words)

    def test_slow_reader_holds_up_the_loop_unless_another_thread_writes(self):
        def output_misses(*options):
            read_end, write_end = os.pipe()
            fcntl.fcntl(write_end, 1031, 4096)  # F_SETPIPE_SZ: room for ten answers
            process = subprocess.Popen(
                [PROGRAM, "probe", self.tube, self.mesh, "--stream", "--synthetic", "orbit",
                 "--pose", "0 0 0.1", "--json", "--rate", "500", "--seconds", "0.8", *options],
                stdout=write_end, stderr=subprocess.DEVNULL)
            os.close(write_end)
            time.sleep(0.6)
            with open(read_end, encoding="utf8") as answers:
                *lines, summary = answers_of(answers.read())
            process.wait(timeout=60)
            self.assertEqual(summary["answers"], len(lines))
            return summary["missed_because"]["output"]
        self.assertGreater(output_misses(), 0)
        self.assertEqual(output_misses("--realtime"), 0)

    def test_ctrl_c_ends_with_a_summary(self):
        for options in ([], ["--rate", "100"]):
            process = subprocess.Popen(
                [PROGRAM, "probe", self.tube, self.mesh, "--stream", "--json", *options],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            process.stdin.write('{"pose": [0, 0, 0.025]}\n')
            process.stdin.flush()
            self.assertAlmostEqual(json.loads(process.stdout.readline())["distance"], 0.02,
                                   places=12)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
            self.assertIn(process.returncode, (0, 1), err)  # 1: a tick was missed
            self.assertGreaterEqual(json.loads(out.splitlines()[-1])["answers"], 1)

    def test_reader_that_goes_away_ends_the_stream(self):
        process = subprocess.Popen(
            [PROGRAM, "probe", self.tube, self.mesh, "--stream", "--synthetic", "orbit", "--pose",
             "0 0 0.1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.readline()
        process.stdout.close()
        words = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 2)
        self.assertIn("nobody reads the answers any more", words)


class Udp(ProbeCase):
    def test_answers_go_to_the_sender(self):
        for options in ([], ["--rate", "500"]):
            process = subprocess.Popen(
                [PROGRAM, "probe", self.tube, self.mesh, "--stream", "--udp", "0", "--json",
                 *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.kill)
            port = int(re.search(r"127\.0\.0\.1:(\d+)", process.stderr.readline()).group(1))
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.settimeout(60)
                for height, number in ((0.025, 1), (0.045, 2)):
                    frame = json.dumps({"pose": [0, 0, height], "id": number})
                    sender.sendto(frame.encode(), ("127.0.0.1", port))
                    while True:  # at a rate the old pose may be answered once more
                        answer = json.loads(sender.recv(65536))
                        ANSWER.validate(answer)
                        if answer["id"] == number:
                            break
                    self.assertAlmostEqual(answer["distance"], height - 0.005, places=12)
                sender.sendto(b"nonsense\n", ("127.0.0.1", port))
                while "error" not in answer:
                    answer = json.loads(sender.recv(65536))
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
            summary = validated(out)
            self.assertEqual((summary["lines"], summary["refused"]), (3, 1), err)

    def test_wrong_addresses_and_taken_ports_are_named(self):
        done = run("probe", self.tube, self.mesh, "--stream", "--udp", 5005, "--bind", "here")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--bind: 'here' is not an IP address", done.stderr)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", 0))
            port = other.getsockname()[1]
            done = run("probe", self.tube, self.mesh, "--stream", "--udp", port)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"--udp {port}", done.stderr)


class BadOptions(ProbeCase):
    def test_are_refused_with_the_reason(self):
        for arguments, words in [
            (["--rate", "0"], "--rate"),
            (["--synthetic", "orbit:wide"], "'wide' is no length"),
            (["--synthetic", "nowhere.csv"], "nowhere.csv"),
            (["--synthetic", "sway"], "no joints to sway"),
            (["--synthetic", "orbit", "--udp", "0"], "exclude each other"),
            (["--move-mesh", "shaking:1mm"], "is not breathing:AMPLITUDE"),
            (["--move-mesh", "breathing"], "is not breathing:AMPLITUDE"),
            (["--path", "a.csv"], "a stream brings its own poses"),
            (["--map", "a.ply"], "are not for --stream"),
            (["--udp", "70000"], "--udp"),
            (["--margin", "-1"], "--margin"),
        ]:
            done = run("probe", self.tube, self.mesh, "--stream", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (arguments, done.stderr))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
