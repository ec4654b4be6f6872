import { isRecord } from '../displays/parts/read-fields.ts'

/** What the page in the frame may say. Its content can send anything at all, so nothing else is heard. */
export type FrameMessage =
  | { type: 'ready' }
  | { type: 'shown' }
  | { type: 'height'; height: number }
  | { type: 'blocked'; count: number }
  | { type: 'error'; text: string }
  | { type: 'answer'; id: number; value: string }
  | { type: 'answer'; id: number; error: string }

/** The longest picture that is taken from a frame, in characters. */
const longestAnswer = 20_000_000

export function readFrameMessage(data: unknown): FrameMessage | undefined {
  if (!isRecord(data)) return undefined
  switch (data['type']) {
    case 'ready':
    case 'shown':
      return { type: data['type'] }
    case 'height':
      return isCount(data['height'], 100_000) ? { type: 'height', height: data['height'] } : undefined
    case 'blocked':
      return isCount(data['count'], 100) ? { type: 'blocked', count: data['count'] } : undefined
    case 'error':
      return isText(data['text'], 500) ? { type: 'error', text: data['text'] } : undefined
    case 'answer': {
      const { id, value, error } = data
      if (!isCount(id, Number.MAX_SAFE_INTEGER)) return undefined
      if (isText(value, longestAnswer)) return { type: 'answer', id, value }
      return isText(error, 500) ? { type: 'answer', id, error } : undefined
    }
    default:
      return undefined
  }
}

function isCount(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= most
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most
}
