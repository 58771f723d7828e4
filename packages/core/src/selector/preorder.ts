/** Visits the nodes and all below them, parents first. Without recursion: a tree may be deeper than the stack. */
export function preorder<N extends { children: readonly N[] }>(nodes: readonly N[], visit: (node: N) => void): void {
  const stack = nodes.toReversed()
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    visit(node)
    for (let c = node.children.length - 1; c >= 0; c--) stack.push(node.children[c] as N)
  }
}
