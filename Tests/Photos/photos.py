"""Photos of labels, as a phone sends them: grey pictures in which a label lies as under a hand-held camera."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import zxingcpp
from PIL import Image, ImageChops, ImageDraw, ImageFilter

WIDTH, HEIGHT = 1200, 900

# What labels say, in the forms that `LabelText` and the families read.
TEXTS = {
    "address": "C47C8D000001",
    "address with colons": "C4:7C:8D:00:00:01",
    "address and serial number": "MAC:C47C8D000001;SN:202611220001",
    "address in a link": "https://example.com/s?mac=C47C8D000001&v=2",
    "EUI-64": "C47C8DFFFE000001",
    "ESP-IDF": '{"ver":"v1","name":"PROV_A1B2C3","pop":"abcd1234","transport":"ble","network":"wifi"}',
    "ESP-IDF in a link": "https://espressif.github.io/esp-jumpstart/qrcode.html?data=%7B%22ver%22%3A%22v1%22%2C%22name%22%3A"
    "%22PROV_A1B2C3%22%2C%22pop%22%3A%22abcd1234%22%2C%22transport%22%3A%22ble%22%7D",
    "Shelly": "shellyplus1-a8032abe54dc",
    "name": "Lamp 4711",
}
SHORT = ["address", "address with colons", "EUI-64", "Shelly", "name"]
# Each symbology with the labels that have it. A bar code is too long for the others.
SYMBOLOGIES = {"QR": list(TEXTS), "DataMatrix": list(TEXTS), "Code 128": SHORT}
FORMATS = {
    "QR": zxingcpp.BarcodeFormat.QRCode,
    "DataMatrix": zxingcpp.BarcodeFormat.DataMatrix,
    "Code 128": zxingcpp.BarcodeFormat.Code128,
}


@dataclass(frozen=True)
class Photo:
    """A picture, and the texts of the codes in it."""

    picture: Image.Image
    texts: frozenset[str]


def code(symbology: str, text: str, module: int) -> Image.Image:
    """A code with its quiet zone, `module` pixels to its smallest bar."""
    made = zxingcpp.create_barcode(text, FORMATS[symbology])
    bits = Image.fromarray(zxingcpp.write_barcode_to_image(made, scale=1, add_quiet_zones=False)).convert("L")
    if symbology == "Code 128":
        bits = bits.resize((bits.width, 40), Image.Resampling.NEAREST)
    quiet = 10 if symbology == "Code 128" else 3
    framed = Image.new("L", (bits.width + 2 * quiet, bits.height + 2 * (quiet if symbology != "Code 128" else 3)), 255)
    framed.paste(bits, (quiet, (framed.height - bits.height) // 2))
    return framed.resize((framed.width * module, framed.height * module), Image.Resampling.NEAREST)


def label(codes: list[tuple[str, str]], module: int) -> Image.Image:
    """A white label with codes side by side (one above the other with a bar code), and what else is printed on one."""
    images = [code(symbology, text, module) for symbology, text in codes]
    gap = 4 * module
    across = all(symbology != "Code 128" for symbology, _ in codes)
    if across:
        width, height = sum(image.width for image in images) + gap * (len(images) - 1), max(image.height for image in images)
    else:
        width, height = max(image.width for image in images), sum(image.height for image in images) + gap * (len(images) - 1)
    sheet = Image.new("L", (max(width, 230) + 40, height + 90), 235)
    x, y = 20, 20
    for image in images:
        sheet.paste(image.point(lambda value: 30 if value < 128 else 235), (x, y))
        x, y = (x + image.width + gap, y) if across else (x, y + image.height + gap)
    draw = ImageDraw.Draw(sheet)
    for line, text in enumerate(["Model RS-2  3 V  CE", "IP20  Made 2026-11  QC PASS"]):
        draw.text((20, sheet.height - 60 + 24 * line), text, fill=40, font_size=18)
    return sheet


def _coefficients(corners: list[tuple[float, float]], width: int, height: int) -> list[float]:
    """The perspective of PIL that brings the corners of a rectangle to these places."""
    rows: list[list[float]] = []
    for (x, y), (u, v) in zip(corners, [(0, 0), (width, 0), (width, height), (0, height)], strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, v])
    for column in range(8):
        pivot = max(range(column, 8), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for row in range(8):
            if row != column:
                factor = rows[row][column]
                rows[row] = [value - factor * of for value, of in zip(rows[row], rows[column], strict=True)]
    return [row[8] for row in rows]


def _housing(chance: random.Random) -> Image.Image:
    """What a label sticks on: a housing with edges, screws and shadows."""
    ground = Image.linear_gradient("L").resize((WIDTH, HEIGHT)).point(lambda value: 120 + value // 4)
    draw = ImageDraw.Draw(ground)
    for _ in range(6):
        x, y, size, shade = (
            chance.randrange(WIDTH),
            chance.randrange(HEIGHT),
            chance.randrange(20, 200),
            chance.randrange(60, 210),
        )
        draw.rectangle((x, y, x + size, y + size // 2), fill=shade)
        draw.ellipse((y, x % HEIGHT, y + size // 4, x % HEIGHT + size // 4), fill=shade // 2)
    return ground


def take(sheet: Image.Image, chance: random.Random, turn: float = 0, tilt: float = 0) -> Image.Image:
    """A photo of a label that is turned by `turn` degrees, one of its sides by `tilt` shorter than the opposite one."""
    ground = _housing(chance)
    half_width, half_height = sheet.width / 2, sheet.height / 2
    side = chance.randrange(4)
    corners = []
    for index, (left, top) in enumerate([(-1, -1), (1, -1), (1, 1), (-1, 1)]):
        short = 1 - tilt if index in (side, (side + 1) % 4) else 1
        x, y = left * half_width * (short if side % 2 == 0 else 1), top * half_height * (short if side % 2 == 1 else 1)
        angle = math.radians(turn)
        corners.append((x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)))
    wide = max(x for x, _ in corners), max(y for _, y in corners)
    scale = min(1.0, (WIDTH / 2 - 10) / wide[0], (HEIGHT / 2 - 10) / wide[1])
    shift = [
        (chance.random() - 0.5) * 2 * max(0.0, size / 2 - 10 - scale * reach) + 0.37
        for size, reach in zip((WIDTH, HEIGHT), wide, strict=True)
    ]
    corners = [(x * scale + WIDTH / 2 + shift[0], y * scale + HEIGHT / 2 + shift[1]) for x, y in corners]
    how = _coefficients(corners, sheet.width, sheet.height)
    # Twice as fine as the camera, so that no pixel is without its share.
    fine = _coefficients([(2 * x, 2 * y) for x, y in corners], sheet.width, sheet.height)
    seen = sheet.transform((2 * WIDTH, 2 * HEIGHT), Image.Transform.PERSPECTIVE, fine, Image.Resampling.BILINEAR)
    mask = Image.new("L", sheet.size, 255).transform((WIDTH, HEIGHT), Image.Transform.PERSPECTIVE, how)
    ground.paste(seen.resize((WIDTH, HEIGHT), Image.Resampling.BOX), (0, 0), mask)
    return ground


def noisy(picture: Image.Image, chance: random.Random, strength: float) -> Image.Image:
    """Adds noise with a standard deviation of about `strength` of 255."""
    size = picture.width * picture.height
    grain = [Image.frombytes("L", picture.size, chance.randbytes(size)) for _ in range(3)]
    # The mean of three uniform values has a standard deviation of 42.
    mean = Image.blend(Image.blend(grain[0], grain[1], 0.5), grain[2], 1 / 3)
    return ImageChops.add(picture, mean.point(lambda value: round(128 + (value - 127.5) * strength / 42)), 1, -128)


def glare(picture: Image.Image, chance: random.Random, size: float) -> Image.Image:
    """A lamp mirrors in the label: white in the middle, fading out."""
    spot = ImageChops.invert(Image.radial_gradient("L")).point(lambda value: min(255, max(0, value - 60) * 2))
    spot = spot.resize((round(WIDTH * size), round(HEIGHT * size)))
    light = Image.new("L", picture.size, 0)
    x, y = (chance.randrange(round(length * (1 - size)) + 1) for length in picture.size)
    light.paste(spot, (x, y))
    return ImageChops.add(picture, light)


Condition = Callable[[Image.Image, random.Random], Image.Image]


def _turned(degrees: float) -> Condition:
    return lambda sheet, chance: take(sheet, chance, degrees)


def _dark(strength: float) -> Condition:
    def shot(sheet: Image.Image, chance: random.Random) -> Image.Image:
        return noisy(take(sheet, chance, 4).point(lambda value: round(value * strength)), chance, 5)

    return shot


def _blurred(radius: float) -> Condition:
    return lambda sheet, chance: take(sheet, chance, 4).filter(ImageFilter.GaussianBlur(radius))


def _by_hand(sheet: Image.Image, chance: random.Random) -> Image.Image:
    picture = take(sheet, chance, chance.uniform(-25, 25), chance.uniform(0, 0.15)).filter(ImageFilter.GaussianBlur(1.2))
    shade = chance.uniform(0.35, 1)
    return noisy(picture.point(lambda value: round(value * shade)), chance, 6)


# Each condition with the pixels of a module of a matrix code and of a bar code, before the camera.
CONDITIONS: dict[str, tuple[int, int, Condition]] = {
    "upright": (6, 3, _turned(0)),
    **{f"turned by {degrees}°": (6, 3, _turned(degrees)) for degrees in (5, 15, 30, 45, 60, 75, 90, 180)},
    "perspective 15 %": (6, 3, lambda sheet, chance: take(sheet, chance, 4, 0.15)),
    "perspective 30 %": (6, 3, lambda sheet, chance: take(sheet, chance, 4, 0.3)),
    "a third of the light": (6, 3, _dark(0.33)),
    "a tenth of the light": (6, 3, _dark(0.1)),
    "noise 10 %": (6, 3, lambda sheet, chance: noisy(take(sheet, chance, 4), chance, 25)),
    "noise 20 %": (6, 3, lambda sheet, chance: noisy(take(sheet, chance, 4), chance, 50)),
    "blurred by 1.5 pixels": (6, 3, _blurred(1.5)),
    "blurred by 3 pixels": (6, 3, _blurred(3)),
    "small: 3 pixels a module, 2 a bar": (3, 2, _turned(4)),
    "small: 2 pixels a module, 1 a bar": (2, 1, _turned(4)),
    "large: 14 pixels a module, 5 a bar": (14, 5, _turned(4)),
    "glare": (6, 3, lambda sheet, chance: glare(take(sheet, chance, 4), chance, 0.5)),
    "by hand": (6, 3, _by_hand),
    "by hand, small": (4, 2, _by_hand),
}


def photo(condition: str, symbology: str, name: str, number: int) -> Photo:
    """One photo, always the same for the same arguments."""
    matrix, bars, shot = CONDITIONS[condition]
    chance = random.Random(f"{condition} {symbology} {name} {number}")
    sheet = label([(symbology, TEXTS[name])], bars if symbology == "Code 128" else matrix)
    return Photo(shot(sheet, chance), frozenset([TEXTS[name]]))


def two_codes(first: str, second: str, number: int) -> Photo:
    """A label with two codes."""
    chance = random.Random(f"two {first} {second} {number}")
    texts = ["C47C8D000001", "SN202611220001"]
    bars = "Code 128" in (first, second)
    sheet = label(list(zip((first, second), texts, strict=True)), 3 if bars else 6)
    return Photo(take(sheet, chance, chance.uniform(-10, 10)), frozenset(texts))


def no_code(number: int) -> Photo:
    """A label without a code."""
    chance = random.Random(f"none {number}")
    sheet = Image.new("L", (500, 260), 235)
    draw = ImageDraw.Draw(sheet)
    for line in range(9):
        draw.text(
            (20, 10 + 26 * line), "".join(chance.choice("0123456789ABCDEF |:.") for _ in range(30)), fill=30, font_size=20
        )
    return Photo(noisy(take(sheet, chance, chance.uniform(-30, 30)), chance, 10), frozenset())
