import type { WireTurn } from '../src/testing/wire-formats/wire-turn.ts'
import { createRandom, type Random } from './random.ts'

const words = 'the quick brown fox jumps over a lazy dog 狐 🦊 — and says "what\'s next?"\n'.split(' ')

/** What the model does for one question: the same in every process that asks. Call ids are used again in every step. */
export function scriptFor(seed: number): WireTurn[] {
  const random = createRandom(seed)
  const steps = random.between(2, 5)
  return Array.from({ length: steps + 1 }, (_, step) => ({
    ...(random.chance(0.4) && { reasoning: sentence(random, 10) }),
    text: `Step ${step}. ${sentence(random, 40)}`,
    ...(step < steps && {
      calls: Array.from({ length: random.between(1, 3) }, (_, i) => randomCall(random, `${seed}-${step}-${i}`, i)),
    }),
  }))
}

function randomCall(random: Random, key: string, index: number): NonNullable<WireTurn['calls']>[number] {
  const name = random.pick(['Append', 'Append', 'AppendAsked', 'Look', 'Look', 'Launch'])
  const input = {
    key,
    beforeMs: random.between(0, 25),
    afterMs: random.between(0, 40),
    ...(name === 'Launch' && { orphaned: random.chance(0.3) }),
  }
  return { id: `call_${index}`, name, input }
}

function sentence(random: Random, most: number): string {
  return Array.from({ length: random.between(3, most) }, () => random.pick(words)).join(' ')
}
