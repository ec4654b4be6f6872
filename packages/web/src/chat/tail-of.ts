import type { Part } from '@troupe/core/protocol'
import { isToolCall } from './tool-call.ts'

const lineHeight = 24
const lineLength = 110
/** Of a line that Markdown may put behind the one before it. */
const leastOfLine = 0.6
/** Of what stands around the parts of a message. */
const frameHeight = 64
const cardHeight = 38

/** The last messages that fill a height, by what they take about at least; or all of them. */
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
  if (part.type === 'text') return linesIn(part.text) * lineHeight
  return isToolCall(part) || part.type === 'reasoning' || part.type === 'file' ? cardHeight : 0
}

function linesIn(text: string): number {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.reduce((sum, line) => sum + Math.max(line.length / lineLength, leastOfLine), 0)
}
