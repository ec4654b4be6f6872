import fc from 'fast-check'
import type { Chunk } from '../src/protocol/message.ts'
import { kinds, play, type Move } from './play-log.ts'
import { anyInput, anyJson, anyJsonObject, anyText } from './arbitrary-json.ts'

export const anyToolName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('Read', 'Bash', 'open-url') },
  { weight: 1, arbitrary: fc.constantFrom('', 'a b/c', 'münze', 'x'.repeat(100), '\ud83d') },
)

/** As providers send it: an object of objects. */
const anyMetadata = fc.dictionary(fc.constantFrom('anthropic', 'openai', 'google'), anyJsonObject, {
  maxKeys: 2,
  noNullPrototype: true,
})

const anyMove: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom(...kinds),
  pick: fc.nat(50),
  flag: fc.boolean(),
  other: fc.boolean(),
  name: anyToolName,
  text: anyText,
  json: anyJson,
  object: anyJsonObject,
  input: anyInput,
  metadata: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anyMetadata }),
})

/**
 * Random logs as runs could write them, each chunk in a place where the AI SDK takes it too. A list of moves is played
 * against the little that has to be known: which texts are open, how far each call is. Moves that do not fit are
 * passed over, so that a failing log shrinks to the few that matter. Logs end anywhere.
 */
export const anyLog: fc.Arbitrary<Chunk[]> = fc.array(anyMove, { maxLength: 80, size: 'max' }).map(play)

/** The same, cut at any chunk. */
export const anyCutLog: fc.Arbitrary<Chunk[]> = fc
  .tuple(anyLog, fc.nat(200))
  .map(([log, length]) => log.slice(0, length))
