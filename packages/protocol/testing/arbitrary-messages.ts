import fc from 'fast-check'
import { cleanMessage, foldChunks } from '../src/fold.ts'
import type { Message, Part } from '../src/message.ts'
import { anyText } from './arbitrary-json.ts'
import { anyCutLog, urls } from './arbitrary-log.ts'

export type Told = Pick<Message, 'role' | 'parts'>

const anyUserPart: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: anyText.map((text): Part => ({ type: 'text', text })) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('file' as const),
      url: fc.constantFrom(...urls),
      mediaType: fc.constantFrom('image/png', 'application/pdf', '', 'nonsense'),
      filename: anyText,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('data-skill' as const),
      data: fc.record({ name: anyText, path: anyText, scope: anyText, content: anyText }),
    }),
  },
  { weight: 1, arbitrary: anyText.map((text): Part => ({ type: 'data-note', data: text })) },
)
export const anyUserMessage = fc.array(anyUserPart, { maxLength: 3 }).map((parts): Told => ({ role: 'user', parts }))
export const anyAnswer = anyCutLog.map((log): Told => cleanMessage(foldChunks(log), { run: 'ended' }))
const anySystem = anyText.map((text): Told => ({ role: 'system', parts: [{ type: 'text', text }] }))

/** Mostly alternating roles, as in a session; occasionally not, as in an import. */
export const anyHistory = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.tuple(anyUserMessage, anyAnswer), { maxLength: 2 }).map((turns) => turns.flat()),
  },
  { weight: 1, arbitrary: fc.array(fc.oneof(anyUserMessage, anyAnswer, anySystem), { maxLength: 4 }) },
)
