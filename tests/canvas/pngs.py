"""PNG files in plain Python: one to draw, and two compared."""

import base64
import struct
import zlib

FAR = 8  # of 255: how much a block of pixels may differ on average
BLOCK = 4  # pixels: a side of such a block


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def pattern(width, height):
    """A data: URL of a picture whose corners, edges and middle can be told apart."""
    left, right = width // 2, width - width // 2
    edge = b"\xff\xff\xff" * width
    top = b"\xff\xff\xff" * 8 + b"\xd1\x49\x5b" * (left - 8) + b"\x2e\x86\xab" * (right - 8) + b"\xff\xff\xff" * 8
    low = b"\xff\xff\xff" * 8 + b"\xed\xae\x49" * (left - 8) + b"\x3c\x91\x5e" * (right - 8) + b"\xff\xff\xff" * 8
    rows = [edge if y < 8 or y >= height - 8 else top if y < height // 2 else low for y in range(height)]
    for y in range(height // 2 - 40, height // 2 + 40):
        rows[y] = rows[y][:3 * (left - 40)] + b"\x22\x22\x33" * 80 + rows[y][3 * (left + 40):]
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + r for r in rows), 9)) +
           chunk(b"IEND", b""))
    return "data:image/png;base64," + base64.b64encode(png).decode()


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def unfilter(kind, line, above, step):
    for i, value in enumerate(line):
        a = line[i - step] if i >= step else 0
        c = above[i - step] if i >= step else 0
        guess = (0, a, above[i], (a + above[i]) // 2, paeth(a, above[i], c) if kind == 4 else 0)[kind]
        line[i] = (value + guess) & 255
    return line


def parts(png):
    """The header's fields, and the filtered rows."""
    at, packed, head = 8, b"", None
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        head = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else head
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    return head, zlib.decompress(packed)


def shrink(png):
    """The same picture in fewer bytes: the canvas packs in a hurry."""
    head, data = parts(png)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", *head)) + chunk(b"IDAT", zlib.compress(data, 9)) +
            chunk(b"IEND", b""))


def decode(png):
    """width, height, rows of brightness: of 8-bit RGB or RGBA, not interlaced, which is what the canvas writes."""
    head, data = parts(png)
    width, height, depth, colour, _, _, interlaced = head
    if depth != 8 or colour not in (2, 6) or interlaced:
        raise ValueError(f"a PNG of depth {depth} and colour type {colour}")
    step = 3 if colour == 2 else 4
    above, rows = bytearray(width * step), []
    for y in range(height):
        start = y * (1 + width * step)
        above = unfilter(data[start], bytearray(data[start + 1:start + 1 + width * step]), above, step)
        rows.append([(above[i] * 3 + above[i + 1] * 6 + above[i + 2]) // 10 for i in range(0, width * step, step)])
    return width, height, rows


def compare(expected, got):
    """Why two pictures are not the same to the eye, or None."""
    if parts(expected) == parts(got):
        return None
    width, height, old = decode(expected)
    now_width, now_height, new = decode(got)
    if width != now_width or abs(height - now_height) > 1:
        return f"was {width} x {height}, is {now_width} x {now_height}"
    height = min(height, now_height)
    for y in range(0, height, BLOCK):
        for x in range(0, width, BLOCK):
            far = [abs(a - b) for r in range(y, min(y + BLOCK, height))
                   for a, b in zip(old[r][x:x + BLOCK], new[r][x:x + BLOCK])]
            if sum(far) > FAR * len(far):
                return f"is another near {x}, {y}: {sum(far) / len(far):.0f} of 255 off"
    return None
