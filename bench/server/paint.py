"""Draws on an X server what it is told, one line each: `fill <n>`, `type`, `scroll`, `video`; answers `done` when X has it."""
import random
import sys
import time

from Xlib import X, display

d = display.Display()
screen = d.screen()
window = screen.root.create_window(
    100, 100, 480, 360, 0, screen.root_depth, override_redirect=1, background_pixel=screen.white_pixel
)
window.map()
font = d.open_font('fixed')
gc = window.create_gc(foreground=screen.black_pixel, background=screen.white_pixel, font=font)
d.sync()


def fill(n):
    gc.change(foreground=n)
    window.fill_rectangle(gc, 0, 0, 64, 64)


def letters(i):
    gc.change(foreground=screen.black_pixel)
    window.draw_text(gc, 80 + 7 * (i % 50), 40 + 14 * (i // 50), b'abcdefghij'[i % 10:i % 10 + 1])


def scroll(i):
    window.copy_area(gc, window, 80, 114, 400, 246, 80, 100)
    gc.change(foreground=screen.white_pixel)
    window.fill_rectangle(gc, 80, 346, 400, 14)
    gc.change(foreground=screen.black_pixel)
    window.draw_text(gc, 84, 357, b'line %d of a long text that scrolls by' % i)


def video(_):
    for x in range(0, 320, 16):
        for y in range(0, 240, 16):
            gc.change(foreground=random.randrange(1 << 24))
            window.fill_rectangle(gc, 100 + x, 80 + y, 16, 16)


for line in sys.stdin:
    word, *rest = line.split()
    if word == 'fill':
        fill(int(rest[0]))
        d.sync()
    else:
        paint, count, pause = {'type': (letters, 50, 0.1), 'scroll': (scroll, 100, 0.05), 'video': (video, 125, 0.04)}[word]
        begun = time.monotonic()
        for i in range(count):
            paint(i)
            d.sync()
            time.sleep(max(0, begun + (i + 1) * pause - time.monotonic()))
    print('done', flush=True)
