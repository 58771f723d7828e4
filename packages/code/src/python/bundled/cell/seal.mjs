/** Runs when the snapshot is made: imports what most scripts import, and an event loop that works without a browser. */
export const PREPARE = `
import argparse, ast, asyncio, base64, bisect, collections, contextlib, copy, csv, dataclasses, datetime, decimal, enum, fractions, functools
import gc, glob, hashlib, heapq, html, io, itertools, json, linecache, locale, logging, math, operator, os, pathlib, pprint, random, re
import select, shutil, signal, sqlite3, statistics, string, struct, sys, tempfile, textwrap, threading, time, traceback, types, typing, unicodedata
import urllib.parse, uuid, xml.etree.ElementTree, zipfile, zlib

def _without_browser():
    from asyncio import base_events, events
    from pyodide import webloop

    class Clock:
        def select(self, timeout=None):
            if timeout is None:
                raise RuntimeError('nothing is left that could wake the event loop')
            if timeout > 0:
                time.sleep(timeout)
            return []

    class EventLoop(base_events.BaseEventLoop):
        def __init__(self):
            super().__init__()
            self._selector = Clock()

        def _process_events(self, events):
            pass

        def _write_to_self(self):
            pass

        def run_in_executor(self, executor, func, *args):
            future = self.create_future()
            try:
                future.set_result(func(*args))
            except Exception as error:
                future.set_exception(error)
            return future

    class Policy(events._BaseDefaultEventLoopPolicy):
        _loop_factory = EventLoop

    def sleep(seconds, /):
        seconds = float(seconds)
        if seconds < 0 or seconds != seconds:
            raise ValueError('sleep length must be non-negative')
        poll, end = select.poll(), time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            poll.poll(min(left, 86400) * 1000)

    asyncio.run = webloop._orig_run
    asyncio.EventLoop = asyncio.SelectorEventLoop = EventLoop
    events._set_running_loop(None)
    events._set_event_loop_policy(Policy())
    time.sleep = sleep

_without_browser()
del _without_browser
`

/** Runs in every cell before it is sealed: removes the rest of the bridge to JavaScript from the interpreter.
 * @param {import('../orders.ts').Orders} orders */
export const sealing = ({ project, scratch, launch }) => `
def _seal():
    import gc, os, posix, random, sys
    from _pyodide import _importhook
    bridge = ('js', 'pyodide_js', 'pyodide', '_pyodide', '_pyodide_core')
    _importhook.jsfinder.jsproxies.clear()
    sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, '__module__', '').startswith(('_frozen_importlib', 'zipimport'))]
    for name in [name for name in sys.modules if name.split('.')[0] in bridge]:
        module = sys.modules.pop(name)
        if type(module) is type(sys):
            vars(module).clear()
    sys.excepthook = sys.__excepthook__
    sys.executable, sys.orig_argv = '', ['python']
    sys.path[:] = [path for path in sys.path if path]
    os.environ.clear()
    posix.environ.clear()
    os.environ.update(HOME='${scratch}', TMPDIR='${scratch}', LANG='C.UTF-8', PWD='${project}')
    os.chdir('${project}')
    random.seed()
    gc.collect()

_seal()
del _seal

${launch}

def _rehearse():
    import linecache, sys
    path, main = sys.path[:], sys.modules['__main__']
    launch({'code': 'print(end="")', 'args': []})
    sys.path[:], sys.argv, sys.modules['__main__'] = path, [''], main
    linecache.clearcache()

_rehearse()
del _rehearse

def _finish(job):
    import atexit, os, sys
    status = launch(job)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    os._exit(status)
`
