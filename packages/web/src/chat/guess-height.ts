import type { Part } from '@troupe/core/protocol'
import { isToolCall } from './tool-call.ts'

const lineHeight = 24
const lineLength = 110
/** Of a line that Markdown may put behind the one before it. */
const leastOfLine = 0.6
/** Of what stands around the parts of a message. */
const frameHeight = 64
const cardHeight = 38

/** What a message that has not been drawn takes about, rather less than more. */
export function estimateHeight({ parts }: { parts: Part[] }): number {
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
