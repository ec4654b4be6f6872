import type { Part } from '@troupe/core/protocol'
import { isToolCall } from './tool-call.ts'

const lineHeight = 24
const lineLength = 160
/** Of what stands around the parts of a message. */
const frameHeight = 64
const cardHeight = 38

/** The last messages that fill a height, by what they take at least; or all of them. */
export function tailOf<Message extends { parts: Part[] }>(messages: Message[], height: number): Message[] {
  let filled = 0
  let first = messages.length
  while (first > 0 && filled < height) filled += heightOf(messages[--first] as Message)
  return first === 0 ? messages : messages.slice(first)
}

function heightOf({ parts }: { parts: Part[] }): number {
  return parts.reduce((sum, part) => sum + partHeight(part), frameHeight)
}

function partHeight(part: Part): number {
  if (part.type === 'text') return Math.ceil(part.text.length / lineLength) * lineHeight
  return isToolCall(part) || part.type === 'reasoning' || part.type === 'file' ? cardHeight : 0
}
