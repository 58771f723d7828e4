/** How much of each pixel a glyph covers (0..255), and where the block lies seen from the start of the baseline. */
export interface Bitmap {
  left: number
  top: number
  width: number
  coverage: Uint8Array
}

/** Draws a glyph's path at a size in pixels, `shift` (0..1) to the right. */
export function rasterise(path: string, size: number, shift: number): Bitmap {
  const edges = flatten(path, size, shift)
  if (!edges.length) return { left: 0, top: 0, width: 0, coverage: new Uint8Array() }
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [ax, ay, bx, by] of edges) {
    x0 = Math.min(x0, ax, bx)
    x1 = Math.max(x1, ax, bx)
    y0 = Math.min(y0, ay, by)
    y1 = Math.max(y1, ay, by)
  }
  const left = Math.floor(x0)
  const top = Math.floor(y0)
  const width = Math.ceil(x1) - left + 1
  const height = Math.ceil(y1) - top + 1
  const sums = new Float64Array(width * height + 1)
  for (const [ax, ay, bx, by] of edges) addEdge(sums, width, ax - left, ay - top, bx - left, by - top)
  const coverage = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    let sum = 0
    for (let x = 0; x < width; x++) {
      sum += sums[y * width + x] ?? 0
      coverage[y * width + x] = Math.min(255, Math.round(Math.abs(sum) * 255))
    }
  }
  return { left, top, width, coverage }
}

type Edge = [number, number, number, number]

/** Adds the signed area that lies right of an edge, row by row; summing a row from the left then gives the coverage. */
function addEdge(sums: Float64Array, width: number, ax: number, ay: number, bx: number, by: number): void {
  if (ay === by) return
  const sign = ay < by ? 1 : -1
  const [x0, y0, x1, y1] = ay < by ? [ax, ay, bx, by] : [bx, by, ax, ay]
  const slope = (x1 - x0) / (y1 - y0)
  for (let y = Math.floor(y0); y < y1; y++) {
    const from = Math.max(y, y0)
    const to = Math.min(y + 1, y1)
    const height = (to - from) * sign
    const [xa, xb] = [x0 + (from - y0) * slope, x0 + (to - y0) * slope]
    const [l, r] = xa < xb ? [xa, xb] : [xb, xa]
    const first = Math.floor(l)
    const last = Math.floor(r)
    const row = y * width
    const put = (x: number, amount: number): void => void (sums[row + x] = (sums[row + x] ?? 0) + amount)
    if (first === last) {
      const covered = first + 1 - (l + r) / 2
      put(first, height * covered)
      put(first + 1, height * (1 - covered))
      continue
    }
    let before = 0
    let told = 0
    for (let x = first; x <= last; x++) {
      const [p, q] = [Math.max(l, x), Math.min(r, x + 1)]
      const share = (q - p) / (r - l)
      const covered = before + share * (x + 1 - (p + q) / 2)
      put(x, height * (covered - told))
      told = covered
      before += share
    }
    put(last + 1, height * (1 - told))
  }
}

/** Turns a path into short straight edges, in pixels with y downwards. */
function flatten(path: string, size: number, shift: number): Edge[] {
  const edges: Edge[] = []
  let [start, at]: [Point, Point] = [ORIGIN, ORIGIN]
  for (const [, command, numbers = ''] of path.matchAll(/([mlqz])([^mlqz]*)/g)) {
    const from = at
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = (numbers.match(/-?\d+/g) ?? []).map(Number)
    const first = { x: from.x + x1, y: from.y + y1 }
    const last = { x: from.x + x2, y: from.y + y2 }
    at = command === 'z' ? start : command === 'q' ? last : first
    if (command === 'm') start = at
    else if (command === 'q') curve(place(from), place(first), place(last), edges)
    else edges.push(edge(place(from), place(at)))
  }
  return edges

  function place({ x, y }: Point): Point {
    return { x: (x * size) / 1000 + shift, y: (-y * size) / 1000 }
  }
}

interface Point {
  x: number
  y: number
}
const ORIGIN: Point = { x: 0, y: 0 }
const edge = (a: Point, b: Point): Edge => [a.x, a.y, b.x, b.y]

function curve(a: Point, b: Point, c: Point, edges: Edge[]): void {
  const bend = Math.hypot(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y)
  const steps = Math.max(1, Math.min(16, Math.ceil(Math.sqrt(bend * 4))))
  let from = a
  for (let i = 1; i <= steps; i++) {
    const t = i / steps
    const u = 1 - t
    const to = { x: u * u * a.x + 2 * u * t * b.x + t * t * c.x, y: u * u * a.y + 2 * u * t * b.y + t * t * c.y }
    edges.push(edge(from, to))
    from = to
  }
}
