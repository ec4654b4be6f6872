import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NamedError } from '../../../protocol/src/error.ts'
import { cleanMessage, foldChunks } from '../../../protocol/src/fold.ts'
import type { Chunk } from '../../../protocol/src/message.ts'
import type { LogItem } from '../../../protocol/src/run-log.ts'
import { patience, runs } from '../../../protocol/testing/test-effort.ts'
import { call, play, type Playing, probe, texts } from '../../testing/play-run.ts'
import type { Script } from '../testing/index.ts'
import type { Tool } from '../tool/tool.ts'
import { readResume } from './resume.ts'
import type { RunInput } from './run-input.ts'

const script: Script = {
  by: 'prompt',
  turns: [
    [
      { text: 'Let me look. ' },
      { call: { name: 'Look', input: { id: 'r' }, id: 'c1' } },
      { call: { name: 'Change', input: { id: 'w', actionName: 'Changing it' }, id: 'c2' } },
    ],
    [{ call: { name: 'Change', input: { id: 'w2' }, id: 'c2' } }],
    [{ reasoning: 'Hm. ' }, { text: 'All done.' }],
  ],
}

function tools(events: string[]): Tool[] {
  return [probe('Look', true, events), probe('Change', false, events)]
}

function goOn(items: LogItem[], events: string[], more: Partial<RunInput> = {}): Promise<Playing> {
  return play(script, tools(events), { ...(items.length > 0 && { resume: readResume(items) }), ...more })
}

/** Finds the call by its input, because a regenerated call may have a new id. */
function callWith(outcome: Playing, id: string): ReturnType<typeof call> {
  const part = outcome.message.parts.find(
    (candidate) => 'input' in candidate && (candidate.input as { id: string }).id === id,
  )
  return part as ReturnType<typeof call>
}

function isSettled(part: ReturnType<typeof call>): boolean {
  return part.state === 'output-available' || /outcome is unknown/.test(part.errorText ?? '')
}

function fold(items: LogItem[]): unknown {
  const chunks = items.filter((item) => !item.type.startsWith('$')) as Chunk[]
  return JSON.parse(JSON.stringify(cleanMessage(foldChunks(chunks), { run: 'ended' })))
}

describe('a run that is resumed', () => {
  it('ends with the same message at any point of its journal, and no write runs twice', async () => {
    const whole = await play(script, tools([]))
    for (let cut = 0; cut <= whole.log.items.length; cut++) {
      const kept = whole.log.items.slice(0, cut)
      const events: string[] = []
      const outcome = await goOn(kept, events)
      expect(outcome.status, `cut at ${cut}`).toBe('done')
      expect(texts(outcome), `cut at ${cut}`).toEqual(['Let me look. ', 'All done.'])
      const begunBefore = kept.flatMap((item) => (item.type === '$call' ? [(item.input as { id: string }).id] : []))
      expect(events.filter((event) => begunBefore.some((id) => event === `+${id}`))).toEqual([])
      for (const id of ['w', 'w2']) expect(isSettled(callWith(outcome, id)), `cut at ${cut}: ${id}`).toBe(true)
      expect(fold([...kept, ...outcome.log.items]), `cut at ${cut}`).toEqual(
        JSON.parse(JSON.stringify(outcome.message)),
      )
    }
  })

  it(
    'survives crash after crash',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 5 }),
          async (cuts) => {
            const events: string[] = []
            let items: LogItem[] = []
            for (const cut of cuts) {
              const { log } = await goOn(items, events)
              items = [...items, ...log.items.slice(0, Math.floor(cut * (log.items.length + 1)))]
              // The journal does not know about truncated events, but a started write is in it.
              const begun = new Set(
                items.flatMap((item) => (item.type === '$call' ? [`+${(item.input as { id: string }).id}`] : [])),
              )
              events.splice(0, events.length, ...events.filter((event) => begun.has(event)))
            }
            const last = await goOn(items, events)
            expect(last.status).toBe('done')
            expect(texts(last)).toEqual(['Let me look. ', 'All done.'])
            const writes = events.filter((event) => event.startsWith('+w'))
            expect(new Set(writes).size).toBe(writes.length)
            const ids = last.message.parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []))
            expect(new Set(ids).size).toBe(ids.length)
            expect(fold([...items, ...last.log.items])).toEqual(JSON.parse(JSON.stringify(last.message)))
          },
        ),
        runs(30),
      )
    },
    patience,
  )

  it('records this in the journal before it sends anything', async () => {
    const whole = await play(script, tools([]))
    const outcome = await goOn(whole.log.items.slice(0, 6), [])
    expect(outcome.log.items[0]).toEqual({ type: '$resume', attempt: 2 })
  })

  it('continues counting its working time', async () => {
    const resume = readResume([
      { type: 'start', messageId: 'a1' },
      { type: 'start-step' },
      { type: '$step', step: 1, attempt: 1, elapsedMs: 5000 },
    ])
    const outcome = await play(script, tools([]), { resume })
    expect(outcome.message.metadata?.elapsedMs).toBeGreaterThanOrEqual(5000)
    expect(outcome.message.metadata?.elapsedMs).toBeLessThan(10_000)
  })

  it('generates its last step again although the limit of steps is reached with it', async () => {
    const whole = await play(script, tools([]))
    const last = whole.log.items.findLastIndex((item) => item.type === '$step')
    const outcome = await goOn(whole.log.items.slice(0, last + 1), [], { limits: { steps: 3 } })
    expect(texts(outcome)).toEqual(['Let me look. ', 'All done.'])
    expect(outcome.message.metadata?.stopped).toBeUndefined()
  })

  it('keeps the status that the turn ended with when only the storing was missed', async () => {
    const controller = new AbortController()
    controller.abort(new NamedError('Stopped', 'Stopped by the user.'))
    const stopped = await play(script, tools([]), { signal: controller.signal })
    expect((await goOn(stopped.log.items, [])).status).toBe('aborted')
    const failed = await play([[{ error: { message: 'no', statusCode: 400 } }]], [])
    const again = await play([], [], { resume: readResume(failed.log.items) })
    expect(again.status).toBe('failed')
    expect(again.error).toEqual(failed.error)
  })

  it('keeps the phrase that the model gave a call', async () => {
    const whole = await play(script, tools([]))
    const end = whole.log.items.findIndex((item) => item.type === '$model-end')
    const outcome = await goOn(whole.log.items.slice(0, end + 1), [])
    expect(callWith(outcome, 'w')).toMatchObject({ toolMetadata: { troupe: { actionName: 'Changing it' } } })
  })

  it('tells the model that a tool no longer exists, and continues', async () => {
    const whole = await play(script, tools([]))
    const end = whole.log.items.findIndex((item) => item.type === '$model-end')
    const outcome = await play(script, [probe('Look', true, [])], {
      resume: readResume(whole.log.items.slice(0, end + 1)),
    })
    expect(callWith(outcome, 'w').errorText).toBe('The tool Change is no longer available.')
    expect(outcome.status).toBe('done')
  })

  it('gives a regenerated call another id, so that no answer to the first one applies', async () => {
    const whole = await play(script, tools([]))
    const made = whole.log.items.findIndex((item) => item.type === 'tool-input-available')
    const outcome = await goOn(whole.log.items.slice(0, made + 1), [])
    expect(outcome.log.items[1]).toEqual({ type: 'reset-step' })
    expect(call(outcome, 'c1')).toBeUndefined()
    expect(callWith(outcome, 'r').state).toBe('output-available')
  })

  it('asks again under the same id', async () => {
    const asked: string[] = []
    const asking = [probe('Look', true, []), probe('Change', false, [], { needsApproval: true })]
    const first = await play(script, asking, {}, (ask) => {
      asked.push(ask.id)
      return { type: 'approve' }
    })
    const request = first.log.items.findIndex((item) => item.type === 'tool-approval-request')
    await play(script, asking, { resume: readResume(first.log.items.slice(0, request + 1)) }, (ask) => {
      asked.push(ask.id)
      return { type: 'approve' }
    })
    expect(asked).toHaveLength(4)
    expect(asked[2]).toBe(asked[0])
  })

  it('and may not continue is closed as interrupted, with the text so far', async () => {
    const whole = await play(script, tools([]))
    const cut = whole.log.items.findIndex((item) => item.type === 'text-delta') + 1
    const controller = new AbortController()
    controller.abort(new NamedError('Interrupted', 'The process ended.'))
    const outcome = await goOn(whole.log.items.slice(0, cut), [], { signal: controller.signal })
    expect(outcome.status).toBe('interrupted')
    expect(outcome.message.metadata).toMatchObject({ interrupted: true })
    expect(texts(outcome)).toEqual(['Let me look. '])
    expect(outcome.model.calls).toHaveLength(0)
    const chunks = [...whole.log.items.slice(0, cut), ...outcome.log.items].filter(
      (item) => !item.type.startsWith('$'),
    ) as Chunk[]
    expect(foldChunks(chunks)).toEqual(outcome.message)
  })
})
