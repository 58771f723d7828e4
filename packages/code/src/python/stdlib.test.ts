import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundledPython, createPython, type Python } from './index.ts'

/** Each module is used, and its result compared with CPython's. */
const USES: Record<string, [code: string, answer: string]> = {
  json: ['print(json.dumps({"a": [1, None, "ü"]}, ensure_ascii=False), json.loads("[1e3]"))', '{"a": [1, null, "ü"]} [1000.0]'],
  csv: [
    'import io\nw = io.StringIO(); csv.writer(w).writerow(["a,b", 1]); print(repr(w.getvalue()), list(csv.DictReader(["x,y", "1,2"])))',
    `'"a,b",1\\r\\n' [{'x': '1', 'y': '2'}]`,
  ],
  re: ['print(re.findall(r"(\\w+)@(\\w+)", "a@b c@d"), re.sub("(?i)X", "y", "xX"))', "[('a', 'b'), ('c', 'd')] yy"],
  math: ['print(math.isqrt(10**20), round(math.sin(1), 6), math.comb(50, 3))', '10000000000 0.841471 19600'],
  datetime: ['print(datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC) + datetime.timedelta(days=366))', '2025-03-01 00:00:00+00:00'],
  zoneinfo: ['print(len(zoneinfo.TZPATH) >= 0)', 'True'],
  calendar: ['print(calendar.isleap(2024), calendar.monthrange(2023, 2)[1])', 'True 28'],
  sqlite3: [
    'c = sqlite3.connect("/tmp/x.db"); c.execute("create table t(a, b)"); c.executemany("insert into t values (?, ?)", [(i, i * i) for i in range(5)]); c.commit(); print(c.execute("select sum(b) from t where a > ?", (2,)).fetchone())',
    '(25,)',
  ],
  asyncio: [
    `async def work(n):
    await asyncio.sleep(0.01 * (3 - n)); return n
async def main():
    queue = asyncio.Queue(); asyncio.get_running_loop().call_later(0.01, queue.put_nowait, "late")
    async with asyncio.timeout(5):
        print(await asyncio.gather(*map(work, range(3))), await queue.get(), await asyncio.to_thread(len, "abc"))
    try: await asyncio.wait_for(asyncio.sleep(9), 0.01)
    except TimeoutError: print("timeout")
    async with asyncio.TaskGroup() as group: a = group.create_task(work(1))
    print(a.result())
asyncio.run(main()); asyncio.run(main())`,
    '[0, 1, 2] late 3\ntimeout\n1\n[0, 1, 2] late 3\ntimeout\n1',
  ],
  decimal: ['decimal.getcontext().prec = 30; print(decimal.Decimal(1) / 7)', '0.142857142857142857142857142857'],
  fractions: ['print(fractions.Fraction(1, 3) + fractions.Fraction("0.25"))', '7/12'],
  statistics: ['print(statistics.median([3, 1, 2]), statistics.stdev([1, 2, 3]), statistics.NormalDist(0, 1).cdf(0))', '2 1.0 0.5'],
  itertools: [
    'print(list(itertools.batched("abcde", 2)), sum(1 for _ in itertools.permutations(range(5))))',
    "[('a', 'b'), ('c', 'd'), ('e',)] 120",
  ],
  functools: ['print(functools.reduce(lambda a, b: a * b, range(1, 6)), functools.cache(len)("ab"))', '120 2'],
  collections: [
    'print(collections.Counter("banana").most_common(1), collections.deque([1, 2, 3], 2), collections.ChainMap({"a": 1})["a"])',
    "[('a', 3)] deque([2, 3], maxlen=2) 1",
  ],
  heapq: ['print(heapq.nsmallest(2, [5, 1, 4]))', '[1, 4]'],
  bisect: ['print(bisect.bisect([1, 3, 5], 3))', '2'],
  zipfile: [
    'import io\nb = io.BytesIO()\nwith zipfile.ZipFile(b, "w", zipfile.ZIP_DEFLATED) as z: z.writestr("a.txt", "x" * 1000)\nprint(len(zipfile.ZipFile(b).read("a.txt")))',
    '1000',
  ],
  tarfile: [
    'import io\nb = io.BytesIO(); t = tarfile.open(fileobj=b, mode="w:gz"); i = tarfile.TarInfo("a"); i.size = 3; t.addfile(i, io.BytesIO(b"abc")); t.close(); b.seek(0); print(tarfile.open(fileobj=b).extractfile("a").read())',
    "b'abc'",
  ],
  gzip: ['print(gzip.decompress(gzip.compress(b"abc")))', "b'abc'"],
  bz2: ['print(bz2.decompress(bz2.compress(b"abc")))', "b'abc'"],
  lzma: ['print(lzma.decompress(lzma.compress(b"abc")))', "b'abc'"],
  zlib: ['print(zlib.crc32(b"abc"))', '891568578'],
  hashlib: [
    'print(hashlib.sha256(b"abc").hexdigest()[:16], hashlib.md5(b"").hexdigest()[:8], hashlib.blake2b(b"").hexdigest()[:8])',
    'ba7816bf8f01cfea d41d8cd9 786a02f7',
  ],
  hmac: ['print(hmac.new(b"k", b"m", "sha256").hexdigest()[:8])', 'b60090e3'],
  secrets: ['print(len(secrets.token_hex(8)), secrets.token_hex(8) != secrets.token_hex(8))', '16 True'],
  random: ['random.seed(1); print(random.randint(1, 100), random.sample(range(9), 3))', '18 [1, 4, 0]'],
  uuid: ['print(uuid.uuid5(uuid.NAMESPACE_DNS, "x"), uuid.uuid4() != uuid.uuid4())', '05b16a01-46c6-56dd-bd6e-c6dfb4a1427a True'],
  textwrap: ['print(textwrap.fill("aaa bbb ccc", 7))', 'aaa bbb\nccc'],
  string: ['print(string.Template("$a!").substitute(a=1), string.capwords("a b"))', '1! A B'],
  difflib: ['print(difflib.get_close_matches("appel", ["ape", "apple"]))', "['apple', 'ape']"],
  unicodedata: ['print(unicodedata.normalize("NFC", "u\\u0308"), unicodedata.name("€"))', 'ü EURO SIGN'],
  struct: ['print(struct.pack("<IH", 1, 2), struct.unpack("<H", b"\\x01\\x00"))', "b'\\x01\\x00\\x00\\x00\\x02\\x00' (1,)"],
  base64: ['print(base64.b64encode(b"abc"), base64.urlsafe_b64decode("YWJj"))', "b'YWJj' b'abc'"],
  pickle: ['class A:\n  def __init__(self): self.x = 1\nprint(pickle.loads(pickle.dumps(A())).x)', '1'],
  copy: ['print(copy.deepcopy([[1]]))', '[[1]]'],
  dataclasses: [
    '@dataclasses.dataclass(order=True)\nclass P:\n  x: int\n  y: int = 2\nprint(P(1), P(1) < P(2), dataclasses.asdict(P(3)))',
    "P(x=1, y=2) True {'x': 3, 'y': 2}",
  ],
  enum: ['class C(enum.StrEnum):\n  A = enum.auto()\nprint(C.A, list(C))', "a [<C.A: 'a'>]"],
  typing: ['class P(typing.NamedTuple):\n  x: int\nprint(P(1), typing.get_type_hints(P))', "P(x=1) {'x': <class 'int'>}"],
  contextlib: ['with contextlib.suppress(KeyError): {}[1]\nprint("on")', 'on'],
  pathlib: [
    'p = pathlib.Path("/tmp/d/e"); p.mkdir(parents=True); (p / "f.txt").write_text("x"); print([str(q) for q in pathlib.Path("/tmp/d").rglob("*.txt")])',
    "['/tmp/d/e/f.txt']",
  ],
  os: [
    'os.makedirs("/tmp/m"); open("/tmp/m/a", "w").close(); print(os.listdir("/tmp/m"), os.path.getsize("/tmp/m/a"), os.getcwd(), len(os.urandom(4)))',
    "['a'] 0 /project 4",
  ],
  posix: ['print(posix.umask(0o77), posix.umask(0), posix.getuid(), posix.uname().sysname)', '18 63 65534 Emscripten'],
  shutil: [
    'os = __import__("os"); os.makedirs("/tmp/s/t"); shutil.copytree("/tmp/s", "/tmp/s2"); shutil.rmtree("/tmp/s"); print(os.listdir("/tmp/s2"))',
    "['t']",
  ],
  glob: ['open("/tmp/g.gl", "w").close(); print(glob.glob("/tmp/*.gl"))', "['/tmp/g.gl']"],
  tempfile: ['with tempfile.TemporaryDirectory() as d: print(d.startswith("/tmp/"))', 'True'],
  io: ['print(io.TextIOWrapper(io.BytesIO("ü".encode("latin1")), "latin1").read())', 'ü'],
  time: [
    'a = time.monotonic(); time.sleep(0.05); print(0.04 < time.monotonic() - a < 5, time.strftime("%Y", time.gmtime(0)))',
    'True 1970',
  ],
  logging: ['import sys\nlogging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s"); logging.warning("w")', 'WARNING w'],
  argparse: ['p = argparse.ArgumentParser(); p.add_argument("--n", type=int); print(p.parse_args(["--n", "3"]))', 'Namespace(n=3)'],
  configparser: ['c = configparser.ConfigParser(); c.read_string("[a]\\nb = 1"); print(c["a"].getint("b"))', '1'],
  tomllib: ['print(tomllib.loads("a = 1.5"))', "{'a': 1.5}"],
  html: ['print(html.escape("<a>"), html.unescape("&eacute;"))', '&lt;a&gt; é'],
  'xml.etree.ElementTree': ['print([e.get("x") for e in xml.etree.ElementTree.fromstring("<a><b x=\\"1\\"/></a>")])', "['1']"],
  'urllib.parse': ['print(urllib.parse.urlsplit("http://h:1/p?q=%20").port, urllib.parse.quote("ü"))', '1 %C3%BC'],
  'email.message': ['m = email.message.EmailMessage(); m["Subject"] = "ü"; m.set_content("x"); print(m["Subject"])', 'ü'],
  ast: ['print(ast.literal_eval("{1: [2]}"), ast.unparse(ast.parse("a+b")))', '{1: [2]} a + b'],
  inspect: ['print(inspect.signature(lambda a, *, b=1: 0))', '(a, *, b=1)'],
  traceback: ['try: 1 / 0\nexcept Exception: print(traceback.format_exc().splitlines()[-1])', 'ZeroDivisionError: division by zero'],
  unittest: [
    'import io\nclass T(unittest.TestCase):\n  def test(self): self.assertEqual(1, 1)\nprint(unittest.TextTestRunner(io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(T)))',
    '<unittest.runner.TextTestResult run=1 errors=0 failures=0>',
  ],
  doctest: ['print(doctest.testmod())', 'TestResults(failed=0, attempted=0)'],
  timeit: ['print(timeit.timeit("1", number=1) >= 0)', 'True'],
  queue: ['q = queue.Queue(); q.put(1); print(q.get())', '1'],
  threading: ['with threading.Lock(): print(threading.current_thread().name)', 'MainThread'],
  contextvars: ['v = contextvars.ContextVar("v", default=1); print(v.get())', '1'],
  weakref: ['class A: pass\na = A(); r = weakref.ref(a); del a; print(r())', 'None'],
  operator: ['print(operator.itemgetter(1)([1, 2]))', '2'],
  pprint: ['pprint.pprint({"b": 1, "a": 2})', "{'a': 2, 'b': 1}"],
  shlex: ['print(shlex.split("a \'b c\'"))', "['a', 'b c']"],
  fnmatch: ['print(fnmatch.filter(["a.py", "b"], "*.py"))', "['a.py']"],
  ipaddress: ['print(ipaddress.ip_network("10.0.0.0/30").num_addresses)', '4'],
  colorsys: ['print(colorsys.rgb_to_hsv(1, 0, 0))', '(0.0, 1.0, 1)'],
  graphlib: ['print(list(graphlib.TopologicalSorter({"b": ["a"]}).static_order()))', "['a', 'b']"],
  locale: ['print(locale.getpreferredencoding().lower())', 'utf-8'],
  platform: ['print(platform.python_implementation())', 'CPython'],
  select: ['print(select.poll().poll(1))', '[]'],
  mmap: ['open("/tmp/mm", "wb").write(b"abc"); f = open("/tmp/mm", "r+b"); print(mmap.mmap(f.fileno(), 3)[:])', "b'abc'"],
}

let root: string
let python: Python
let answers: Record<string, string>

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'deskhand-stdlib-'))
  python = createPython({ engines: [bundledPython({ prewarm: false })], projectRoot: root })
  const uses = Object.entries(USES).map(([name, [code]]) => [name, `import ${name}\n${code}`])
  const code = `import contextlib, io, json, sys, traceback
answers = {}
for name, code in json.loads(${JSON.stringify(JSON.stringify(uses))}):
    out = io.StringIO()
    sys.modules['__main__'].__dict__.update(__name__='__main__')
    with contextlib.redirect_stdout(out):
        try: exec(code, globals())
        except BaseException: traceback.print_exc(file=out)
    answers[name] = out.getvalue()
print(json.dumps(answers))`
  const result = await python.run({ code })
  if (!result.ok || result.exitCode !== 0) throw new Error(JSON.stringify(result))
  answers = JSON.parse(result.stdout)
})
afterAll(async () => {
  await python.close()
  await rm(root, { recursive: true })
})

test.each(Object.entries(USES))('%s works', (name, [, answer]) => {
  expect(answers[name]).toBe(`${answer}\n`)
})
