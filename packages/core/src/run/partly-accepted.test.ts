import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call, play, probe, texts } from '../../testing/play-run.ts'
import type { Decision } from '../access/decision.ts'
import type { Answer } from '../tool/asks.ts'
import type { Tool } from '../tool/tool.ts'
import type { RunInput } from './run-input.ts'

const asks: Decision = { decision: 'ask', rule: null, reason: 'It changes things.' }
const decide: RunInput['decide'] = ({ input }) =>
  (input as { words: string[] }).words.includes('forbidden')
    ? { decision: 'deny', rule: 'x', reason: 'The rule "x" says deny.' }
    : asks

/** Its hunks are its words. */
function changing(events: string[], more: Partial<Tool> = {}): Tool {
  return probe('Change', false, events, {
    input: z.object({ words: z.array(z.string()) }),
    reduce: ({ words }: { words: string[] }, accepted: ReadonlySet<string>) => {
      if ([...accepted].some((id) => !words.includes(id))) return Promise.reject(new Error('the file changed.'))
      const rejected = words.filter((word) => !accepted.has(word))
      const input = { words: words.filter((word) => accepted.has(word)) }
      return Promise.resolve({ input, accepted: accepted.size, total: words.length, rejected: `-${rejected.join()}` })
    },
    execute({ words }: { words: string[] }) {
      events.push(words.join(' '))
      return { words }
    },
    ...more,
  })
}

async function answered(answer: Answer, words = ['a', 'b', 'c'], more: Partial<Tool> = {}) {
  const events: string[] = []
  const script = [[{ call: { name: 'Change', input: { words }, id: 'c1' } }], [{ text: 'over' }]]
  const outcome = await play(script, [changing(events, more)], { decide }, () => answer)
  return { events, part: call(outcome, 'c1'), told: JSON.stringify(outcome.model.calls[1]?.prompt ?? ''), outcome }
}

describe('a change that is accepted in part', () => {
  it('runs with the reduced input, and the model reads what was rejected and why', async () => {
    const { events, part, told } = await answered({ type: 'approve', hunks: ['a', 'c'], remark: 'b is wrong' })
    expect(events).toEqual(['a c'])
    expect(part).toMatchObject({
      state: 'output-available',
      input: { words: ['a', 'b', 'c'] },
      toolMetadata: {
        troupe: {
          executedInput: { words: ['a', 'c'] },
          partly: { accepted: 2, total: 3, rejected: '-b', remark: 'b is wrong' },
        },
      },
    })
    expect(told).toContain('The user accepted 2 of 3 changes. These were rejected and not made:\\n-b')
    expect(told).toContain('The user said: b is wrong')
  })

  it('runs as it is if everything is accepted', async () => {
    const { events, part } = await answered({ type: 'approve', hunks: ['a', 'b', 'c'] })
    expect(events).toEqual(['a b c'])
    expect(part).not.toHaveProperty('toolMetadata.troupe.executedInput')
    expect(part).not.toHaveProperty('toolMetadata.troupe.partly')
  })

  it('is denied if nothing is accepted, and the turn ends unless there is a note', async () => {
    const silent = await answered({ type: 'approve', hunks: [] })
    expect(silent.part).toMatchObject({ state: 'output-denied' })
    expect(texts(silent.outcome)).toEqual([])
    const noted = await answered({ type: 'approve', hunks: [], remark: 'not like this' })
    expect(noted.events).toEqual([])
    expect(noted.told).toContain('Denied. The user said: not like this')
  })

  it('does not run if it is no longer what the person saw, and the reason is not theirs', async () => {
    const { events, part, told, outcome } = await answered({ type: 'approve', hunks: ['a', 'other'] })
    expect(events).toEqual([])
    expect(part).toMatchObject({ state: 'output-denied' })
    expect(told).toContain('The user accepted only part of this change, but the file changed.')
    expect(told).not.toContain('The user said')
    expect(texts(outcome)).toEqual(['over'])
  })

  it('is decided again: a rule that denies the reduced input wins', async () => {
    const { events, told } = await answered({ type: 'approve', hunks: ['a'] }, ['a', 'b'], {
      reduce: () => Promise.resolve({ input: { words: ['forbidden'] }, accepted: 1, total: 2, rejected: '' }),
    })
    expect(events).toEqual([])
    expect(told).toContain('says deny')
  })

  it('of a tool that cannot do that does not run', async () => {
    const { events, told } = await answered({ type: 'approve', hunks: ['a'] }, ['a', 'b'], { reduce: undefined })
    expect(events).toEqual([])
    expect(told).toContain('Change can only run as a whole')
  })
})

it('a part accepted while an earlier call waited is checked again when its turn comes', async () => {
  const events: string[] = []
  let isChanged = false
  const tool = changing(events)
  const checking: Tool = {
    ...tool,
    reduce: (input, accepted, ctx) =>
      isChanged ? Promise.reject(new Error('the file changed.')) : tool.reduce!(input, accepted, ctx),
    execute(input, ctx) {
      isChanged = true
      return tool.execute(input, ctx) as Promise<unknown>
    },
  }
  const calls = ['c1', 'c2'].map((id) => ({ call: { name: 'Change', input: { words: ['a', 'b'] }, id } }))
  const waiting = Promise.withResolvers<void>()
  const outcome = await play([calls, [{ text: 'over' }]], [checking], {
    decide,
    asks: {
      together: true,
      async ask({ toolCallId }, _signal, onOpen) {
        onOpen?.()
        if (toolCallId === 'c1') await waiting.promise
        else setTimeout(waiting.resolve, 20)
        return { type: 'approve', hunks: ['a'] }
      },
    },
  })
  expect(events).toEqual(['a'])
  expect(call(outcome, 'c2')).toMatchObject({
    state: 'output-error',
    errorText: 'Not run: The user accepted only part of this change, but the file changed.',
  })
})
