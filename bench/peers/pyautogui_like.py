"""What PyAutoGUI 0.9.54 does on X11, with python-xlib alone: the same events in the same order, PAUSE = 0.

usage: pyautogui_like.py first          prints the time of its first action, in seconds since 1970
       pyautogui_like.py rate <n>       prints calls per second: <n> moves, then <n> clicks
"""
import sys
import time

from Xlib import X, display
from Xlib.ext.xtest import fake_input

screen = display.Display()


def move(x, y):
    fake_input(screen, X.MotionNotify, x=x, y=y)
    screen.sync()


def click(x, y):
    move(x, y)
    move(x, y)
    fake_input(screen, X.ButtonPress, 1)
    screen.sync()
    move(x, y)
    fake_input(screen, X.ButtonRelease, 1)
    screen.sync()


def rate(call, n):
    start = time.perf_counter()
    for i in range(n):
        call(300 + i % 100, 300)
    return n / (time.perf_counter() - start)


if sys.argv[1] == 'first':
    move(100, 100)
    print(time.time())
else:
    n = int(sys.argv[2])
    print(rate(move, n), rate(click, n))
