"""Looks into pictures and films: ffmpeg decodes them, we look at the pixels. Knows pwcam's pattern (see pwcam.c)."""

import json
import os
import struct
import subprocess

from session import check, program

BARS = [(255, 255, 255), (255, 255, 0), (0, 255, 255), (0, 255, 0), (255, 0, 255), (255, 0, 0), (0, 0, 255), (0, 0, 0)]


def pixels(path, limit=1000):
    """All decoded frames, as rgb24 bytes."""
    done = subprocess.run([program("ffmpeg"), "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-fps_mode",
                           "passthrough", "-frames:v", str(limit), "-"], capture_output=True, check=False)
    check(done.returncode == 0, f"ffmpeg: {done.stderr.decode()}")
    return done.stdout


def frames(path, width, height, limit=1000):
    """The decoded frames, each as rgb24 bytes."""
    raw, size = pixels(path, limit), width * height * 3
    check(raw and len(raw) % size == 0, f"{path}: {len(raw)} bytes are not frames of {width}x{height}")
    return [raw[i:i + size] for i in range(0, len(raw), size)]


def probe(path):
    """What ffprobe says: {"video": {…}, "audio": {…}, "format": {…}}"""
    done = subprocess.run([program("ffprobe"), "-v", "error", "-show_streams", "-show_format", "-count_packets", "-of", "json", path],
                          capture_output=True, check=False)
    check(done.returncode == 0, f"ffprobe: {done.stderr.decode()}")
    told = json.loads(done.stdout)
    return {"format": told["format"], **{s["codec_type"]: s for s in told["streams"]}}


def pixel(frame, width, x, y):
    at = (y * width + x) * 3
    return tuple(frame[at:at + 3])


def is_near(a, b, tolerance=60):
    return all(abs(x - y) <= tolerance for x, y in zip(a, b))


def check_bars(frame, width, height, pattern):
    """The eight bars, in the order that this pattern gives them."""
    for bar in range(8):
        got = pixel(frame, width, (2 * bar + 1) * width // 16, height * 2 // 3)
        wanted = BARS[(bar + pattern) % 8]
        check(is_near(got, wanted), f"bar {bar} is {got}, wanted {wanted}")


def counter(frame, width, rows):
    """The frame's number, from the blocks in the top rows."""
    number = 0
    for bit in range(16):
        r, g, b = pixel(frame, width, (2 * bit + 1) * width // 32, rows // 2)
        number |= (r + g + b > 384) << bit
    return number


def jpeg_segments(path):
    """The markers before the picture's data."""
    with open(path, "rb") as f:
        data = f.read()
    check(data[:2] == b"\xff\xd8" and data[-2:] == b"\xff\xd9", "not a whole JPEG file")
    at, markers = 2, []
    while data[at + 1] != 0xDA:
        markers.append(data[at + 1])
        at += 2 + struct.unpack(">H", data[at + 2:at + 4])[0]
    return markers


def mp4_boxes(path):
    """The names of the outer boxes, in their order."""
    names, at, size = [], 0, os.path.getsize(path)
    with open(path, "rb") as f:
        while at < size:
            f.seek(at)
            length, name = struct.unpack(">I4s", f.read(8))
            check(length >= 8, f"box {name} at {at} has {length} bytes")
            names.append(name.decode("latin-1"))
            at += length
    return names
