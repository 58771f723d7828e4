"""Looks for a picture in another as PyScreeze, which PyAutoGUI locates with, does: OpenCV's matchTemplate on the pictures that PIL gives.
Pictures are opened before; what is timed is what locate() does with them. One line of JSON asks, one answers."""

import json
import sys
import time

import cv2
import numpy
from PIL import Image

pictures = {}


def opened(path):
    if path not in pictures:
        pictures[path] = Image.open(path).convert("RGB")
        pictures[path].load()
    return pictures[path]


def as_cv2(image):
    array = numpy.array(image)
    return array[:, :, ::-1].copy()


def locate(needle, haystack, confidence):
    small, large = as_cv2(needle), as_cv2(haystack)
    result = cv2.matchTemplate(large, small, cv2.TM_CCOEFF_NORMED)
    match_indices = numpy.arange(result.size)[(result > confidence).flatten()]
    matches = numpy.unravel_index(match_indices[:10000], result.shape)
    if len(matches[0]) == 0:
        return None
    return [int(matches[1][0]), int(matches[0][0])]


for line in sys.stdin:
    try:
        ask = json.loads(line)
        needle, haystack = opened(ask["needle"]), opened(ask["haystack"])
        times = []
        for _ in range(ask["runs"]):
            start = time.perf_counter()
            found = locate(needle, haystack, ask["confidence"])
            times.append((time.perf_counter() - start) * 1000)
        answer = {"ok": {"ms": sorted(times)[len(times) // 2], "result": found}}
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer), flush=True)
