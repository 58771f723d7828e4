import type { ASTNodeUnion, StmtNode } from 'py-ast'
import type { Source } from './source.ts'

/** Python refuses ambiguous mixtures of tabs and spaces; here a script must use only one of them. */
export function checkIndentation(source: Source, body: readonly StmtNode[]): void {
  if (!source.text.includes('\t')) return
  let mark: string | undefined
  const visit = (node: StmtNode): void => {
    const [indent = ''] = /^[ \t]*/.exec(source.line(node.lineno ?? 1)) ?? []
    if (indent !== '') {
      mark ??= indent[0]
      if (indent !== (mark ?? '').repeat(indent.length)) throw source.reject(node, 'indent with spaces or with tabs, not with both')
    }
    blocks(node).forEach((block) => block.forEach(visit))
  }
  body.forEach(visit)
}

/** The blocks inside a statement. */
function blocks(node: ASTNodeUnion): StmtNode[][] {
  switch (node.nodeType) {
    case 'If':
    case 'For':
    case 'While':
      return [node.body, node.orelse]
    case 'Try':
      return [node.body, ...node.handlers.flatMap(blocks), node.orelse, node.finalbody]
    case 'ExceptHandler':
    case 'With':
    case 'FunctionDef':
    case 'ClassDef':
      return [node.body]
    default:
      return []
  }
}
