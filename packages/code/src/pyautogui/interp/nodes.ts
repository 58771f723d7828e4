import type { ExprNode, StmtNode } from 'py-ast'

/** The node types that py-ast has, by the name of the kind. */
export type Expr<K extends ExprNode['nodeType']> = Extract<ExprNode, { nodeType: K }>
export type Stmt<K extends StmtNode['nodeType']> = Extract<StmtNode, { nodeType: K }>
export type FunctionNode = Stmt<'FunctionDef'> | Expr<'Lambda'>
export type ComprehensionNode = Expr<'ListComp'> | Expr<'SetComp'> | Expr<'DictComp'> | Expr<'GeneratorExp'>
