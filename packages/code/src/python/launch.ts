/** The paths of the lent project and of the writable folder, the same in every engine. */
export const PROJECT = '/project'
export const SCRATCH = '/tmp'

/** The Python that both engines start: `launch(job)` runs one script as `__main__` and returns its exit status. */
export const LAUNCH = `
def launch(job):
    import sys
    def told(tell, always=False):
        try:
            if always or sys.stderr is not None:
                tell()
        except Exception:
            pass
        return 1
    code, name = job.get('code'), job.get('file', '<code>')
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding='utf-8', errors='backslashreplace', line_buffering=True)
    main = type(sys)('__main__')
    main.__builtins__ = __builtins__
    if code is None:
        main.__file__ = name
        sys.path.insert(0, name.rpartition('/')[0])
        with open(name, 'rb') as script:
            code = script.read()
    else:
        import linecache
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        sys.path.append('${PROJECT}')
    sys.argv = [name, *job['args']]
    sys.modules['__main__'] = main
    try:
        exec(compile(code, name, 'exec', dont_inherit=True), main.__dict__)
        return 0
    except SystemExit as stop:
        status = stop.code
        if status is None or isinstance(status, int):
            return (status or 0) & 255 if abs(status or 0) < 2 ** 63 else 255
        return told(lambda: print(status, file=sys.stderr))
    except BaseException as error:
        import errno
        if isinstance(error, OSError) and error.errno == errno.EROFS:
            error.add_note('The project is lent read-only. Write to ${SCRATCH}, which is removed after the run.')
        elif isinstance(error, ModuleNotFoundError) and error.name not in sys.stdlib_module_names:
            error.add_note('The package is not installed here. Use the standard library, or tell the user that it is needed.')
        trace = error.__traceback__ and error.__traceback__.tb_next
        if sys.excepthook is sys.__excepthook__:
            import traceback
            return told(lambda: traceback.print_exception(type(error), error, trace))
        return told(lambda: sys.excepthook(type(error), error.with_traceback(trace), trace), True)
`
