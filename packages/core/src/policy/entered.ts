import { enteredText } from '../model/index.ts'
import type { Subject } from './policy.ts'

/** All the text that a call would enter, what it pastes with it, as far as that is known. */
export const textOf = ({ kind, args, pasted }: Subject): string => enteredText(kind, args) + (pasted?.text ?? '')
