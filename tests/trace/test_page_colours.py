"""The colours of a report's page can be told apart by people with any colour vision: those of activities, of regions, and of both lines."""

import itertools
import os
import re
import unittest

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/trace/report/page")
# What is seen of linear red, green and blue. Machado, Oliveira, Fernandes 2009, "A physiologically-based model for simulation of color vision
# deficiency", severity 1.
VISIONS = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
DISTINCT = 15  # of CIE 1976; 2.3 is what can just be seen side by side


def linear_of(colour):
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour):
    return sum(factor * part for factor, part in zip((0.2126, 0.7152, 0.0722), linear_of(colour)))


def lab(colour, vision):
    linear = linear_of(colour)
    r, g, b = (min(1, max(0, sum(factor * part for factor, part in zip(row, linear)))) for row in vision)
    white = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in white)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one, other, vision):
    return sum((a - b) ** 2 for a, b in zip(lab(one, vision), lab(other, vision))) ** 0.5


def content(name):
    with open(os.path.join(PAGE, name), encoding="utf-8") as file:
        return file.read()


class Colours(unittest.TestCase):
    def test_any_two_differ_for_everybody(self):
        colours = dict(re.findall(r"--(compute|transfer|wait|collective|setup|other): (#[0-9a-f]{6})", content("page.css")))
        self.assertEqual(len(colours), 6)
        timeline = content("timeline.js")
        colours["region"] = re.search(r"region_colour = '(#[0-9a-f]{6})'", timeline)[1]
        colours["arrow"] = re.search(r"strokeStyle = context.fillStyle = '(#[0-9a-f]{6})'", timeline)[1]
        colours["path"] = re.search(r"context.fillStyle = '(#1b1b1b)'", timeline)[1]
        for name, vision in VISIONS.items():
            for one, other in itertools.combinations(colours, 2):
                with self.subTest(f"{one} and {other}, {name}"):
                    self.assertGreater(distance(colours[one], colours[other], vision), DISTINCT)

    def test_names_of_calls_can_be_read_on_their_colours(self):
        colours = dict(re.findall(r"--(compute|transfer|wait|collective|setup|other): (#[0-9a-f]{6})", content("page.css")))
        timeline = content("timeline.js")
        light = re.findall(r"\w+", re.search(r"light_on = \[([^\]]*)\]", timeline)[1])
        colours[""] = re.search(r"region_colour = '(#[0-9a-f]{6})'", timeline)[1]
        for name, colour in colours.items():
            with self.subTest(name):
                behind = luminance(colour) + 0.05
                self.assertGreater(1.05 / behind if name in light else behind / 0.05, 4.5)  # WCAG 2.1, 1.4.3


if __name__ == "__main__":
    unittest.main()
