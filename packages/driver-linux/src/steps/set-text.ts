import { DeskhandError } from '@deskhand/core/errors'
import { EDITABLE_TEXT, TEXT, offers } from '../atspi/names.ts'
import type { MirrorNode } from '../atspi/node.ts'
import { ROLE } from '../atspi/roles.ts'
import { hasState } from '../atspi/states.ts'
import { incapable, mustBeEnabled } from './refusals.ts'

type Mode = 'insert' | 'replace' | 'append'

/** Writes into an element through its own interface, and reads back what it made of it. */
export async function setText(node: MirrorNode, text: string, mode: Mode): Promise<string> {
  mustBeEnabled(node)
  if (!offers(node.interfaces, EDITABLE_TEXT) || !offers(node.interfaces, TEXT)) throw incapable(node, 'has no text that could be set')
  // Qt does not say of a spin button that it can be edited; whether it takes keys shows when it gets some.
  if (node.role === ROLE.SPIN_BUTTON && !hasState(node, 'editable') && !hasState(node, 'read-only'))
    throw incapable(node, 'does not say whether its text can be set')
  if (!hasState(node, 'editable') || hasState(node, 'read-only')) throw new DeskhandError('NOT_ACTIONABLE', 'the text is read-only')
  const { app, path } = node
  if (app.toolkit.isNarrow && /[\u{10000}-\u{10FFFF}]/u.test(text)) throw incapable(node, 'loses characters beyond U+FFFF')
  const before = await content(node)
  const units = app.toolkit.countsUtf16 ? before.split('') : Array.from(before)
  const at = mode === 'insert' ? await app.get(path, TEXT, 'CaretOffset', 'i') : mode === 'append' ? units.length : 0
  if (mode === 'replace') await app.act(path, EDITABLE_TEXT, 'SetTextContents', 's', [text], 'b')
  // GTK 3 counts the length in bytes: told the number of characters, it would cut the text in the middle and report success.
  else
    await app.act(
      path,
      EDITABLE_TEXT,
      'InsertText',
      'isi',
      [at, text, app.toolkit.countsUtf16 ? text.length : Buffer.byteLength(text)],
      'b',
    )
  if (node.role === ROLE.PASSWORD_TEXT) return 'EditableText'
  const after = await content(node)
  const end = mode === 'insert' ? at + lengthOf(node, text) : lengthOf(node, after)
  // Where a person's would be: the next key goes on behind the text.
  await app.act(path, TEXT, 'SetCaretOffset', 'i', [end], 'b').catch(() => undefined)
  const wanted = mode === 'replace' ? text : [...units.slice(0, at), text, ...units.slice(at)].join('')
  node.text = after
  if (after === wanted) return 'EditableText'
  if (after === before && text !== '') throw incapable(node, 'did not take the text')
  // The application made something else of it, and whether that is right is for the session to tell the caller.
  return 'EditableText'
}

const lengthOf = ({ app }: MirrorNode, text: string): number => (app.toolkit.countsUtf16 ? text.length : Array.from(text).length)

async function content(node: MirrorNode): Promise<string> {
  const [text] = await node.app.call(node.path, TEXT, 'GetText', 'ii', [0, node.app.toolkit.endOfText], 's')
  return text
}
