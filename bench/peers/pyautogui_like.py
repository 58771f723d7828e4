"""What PyAutoGUI 0.9.54 does on X11, with python-xlib alone: the same events in the same order, PAUSE = 0.

Its fail-safe is on unless it is switched off: it asks where the pointer is, four times for a moveTo and five times for a click.

usage: pyautogui_like.py first             prints the time of its first action, in seconds since 1970
       pyautogui_like.py rate <n>          prints calls per second: <n> moves, then <n> clicks
       pyautogui_like.py events <n>        the same without asking where the pointer is: the events alone
"""
import sys
import time

from Xlib import X, display
from Xlib.ext.xtest import fake_input

screen = display.Display()
root = screen.screen().root
asks = sys.argv[1] != 'events'


def position():
    if asks:
        at = root.query_pointer()
        return at.root_x, at.root_y


def check():
    if position() == (0, 0):
        raise SystemExit('the pointer is in the corner')


def motion(x, y):
    fake_input(screen, X.MotionNotify, x=x, y=y)
    screen.sync()


def button(event):
    fake_input(screen, event, 1)
    screen.sync()


def glide(x, y):
    position()
    check()
    motion(x, y)
    check()


def move(x, y):
    check()
    glide(x, y)


def click(x, y):
    check()
    glide(x, y)
    check()
    motion(x, y)
    button(X.ButtonPress)
    motion(x, y)
    button(X.ButtonRelease)


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
