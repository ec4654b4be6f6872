import { describe, expect, it } from 'vitest'
import { NamedError } from '../../../protocol/src/error.ts'
import { foldChunks } from '../../../protocol/src/fold.ts'
import type { Chunk } from '../../../protocol/src/message.ts'
import { call, play, type Playing, probe, texts } from '../../testing/play-run.ts'
import { createMemoryAsks, createMemoryLog } from '../store/memory.ts'
import { scriptedModel, type ScriptItem } from '../testing/index.ts'
import { shutdown } from '../tool/abort-reason.ts'
import type { Answer } from '../tool/asks.ts'
import type { ToolContext } from '../tool/tool.ts'
import { readResume } from './resume.ts'
import type { RunInput } from './run-input.ts'

const stopped = new NamedError('Stopped', 'Stopped by the user.')

function steeringQueue(): { push(id: string): boolean; take: NonNullable<RunInput['steering']> } {
  const waiting: { id: string; text: string }[] = []
  let open = true
  return {
    push(id) {
      if (open) waiting.push({ id, text: `do ${id}` })
      return open
    },
    take(ending) {
      if (ending && waiting.length === 0) open = false
      return waiting.splice(0)
    },
  }
}

function steered(outcome: Playing): string[] {
  return outcome.message.parts.flatMap((part) => (part.type === 'steering-message' ? [part.id] : []))
}

function chunksOf(outcome: Playing): Chunk[] {
  return outcome.log.items.filter((item) => !item.type.startsWith('$')) as Chunk[]
}

describe('steering', () => {
  it('during the last step is applied, and none is accepted after the turn has decided to end', async () => {
    const queue = steeringQueue()
    const accepted: boolean[] = []
    const outcome = await play(
      (_prompt, index) => {
        if (index === 0) accepted.push(queue.push('s1'))
        return [{ text: `answer ${index}` }]
      },
      [],
      { steering: queue.take },
    )
    accepted.push(queue.push('s2'))
    expect(accepted).toEqual([true, false])
    expect(texts(outcome)).toEqual(['answer 0', 'answer 1'])
    expect(steered(outcome)).toEqual(['s1'])
  })

  it.each([
    ['a stop', () => ({ signal: AbortSignal.abort(stopped) })],
    ['the limit of steps', () => ({ limits: { steps: 1 } })],
  ])('that was accepted before %s is in the message', async (_what, more) => {
    const queue = steeringQueue()
    queue.push('s1')
    let asked = 0
    const outcome = await play([[{ call: { name: 'Look', input: {}, id: 'c1' } }]], [probe('Look', true, [])], {
      steering: (ending) => (asked++ === 0 && !ending ? [] : queue.take(ending)),
      ...more(),
    })
    expect(steered(outcome)).toEqual(['s1'])
    expect(queue.push('s2')).toBe(false)
  })

  it('that was accepted before a provider error or a denial is in the message', async () => {
    const failing = steeringQueue()
    const failed = await play(
      () => {
        failing.push('s1')
        return [{ text: 'half' }, { reset: true }]
      },
      [],
      { steering: failing.take },
    )
    expect(failed.status).toBe('failed')
    expect(steered(failed)).toEqual(['s1'])
    const refusing = steeringQueue()
    const refused = await play(
      [[{ call: { name: 'Change', input: {}, id: 'c1' } }]],
      [probe('Change', false, [], { needsApproval: true })],
      { steering: refusing.take },
      () => {
        refusing.push('s1')
        return { type: 'deny' }
      },
    )
    expect(refused.message.metadata?.stopped?.reason).toBe('denied')
    expect(steered(refused)).toEqual(['s1'])
  })
})

describe('a stop', () => {
  it('in mid-answer leaves no calls that could run later', async () => {
    const events: string[] = []
    const controller = new AbortController()
    const change = probe('Change', false, events)
    const outcome = await play(
      [
        [
          { call: { name: 'Change', input: { id: 'w' }, id: 'c1' } },
          { delayMs: 2 },
          { text: 'and' },
          { gate: 'never' },
        ],
      ],
      [change],
      {
        signal: controller.signal,
        reserveCallId: () => (setTimeout(() => controller.abort(stopped), 15), Promise.resolve(true)),
      },
    )
    expect(outcome.status).toBe('aborted')
    expect(outcome.log.items.map((item) => item.type)).not.toContain('$model-end')
    expect(readResume(outcome.log.items.slice(0, -3)).phase).toBe('model')
    expect(call(outcome, 'c1').errorText).toMatch(/Stopped by the user/)
    expect(events).toEqual([])
  })

  it('ends streaming texts, so that the folded stream equals the stored message', async () => {
    const begun = (type: 'text' | 'reasoning', delta: string): ScriptItem[] => [
      { part: { type: `${type}-start`, id: '0' } },
      { part: { type: `${type}-delta`, id: '0', delta } },
    ]
    const controller = new AbortController()
    const playing = play([[...begun('reasoning', 'Hm'), ...begun('text', 'half an ans'), { gate: 'never' }]], [], {
      signal: controller.signal,
    })
    setTimeout(() => controller.abort(stopped), 20)
    const outcome = await playing
    expect(texts(outcome)).toEqual(['half an ans'])
    expect(foldChunks(chunksOf(outcome))).toEqual(outcome.message)
    const failed = await play([[...begun('text', 'half an ans'), { reset: true }]], [])
    expect(texts(failed)).toEqual(['half an ans'])
    expect(foldChunks(chunksOf(failed))).toEqual(failed.message)
  })
})

describe('a model call that fails', () => {
  it('aborts the calls that it had started, even one that waits for a person', async () => {
    const asks = createMemoryAsks(() => new Promise<Answer>(() => undefined))
    const look = probe('Look', true, [], { needsApproval: true })
    const outcome = await play(
      [[{ call: { name: 'Look', input: {}, id: 'c1' } }, { delayMs: 5 }, { reset: true }]],
      [look],
      { asks },
    )
    expect(outcome.status).toBe('failed')
    expect(call(outcome, 'c1').errorText).toMatch(/^Canceled: /)
  })

  it('keeps the results of the calls that had ended', async () => {
    const log = createMemoryLog()
    const model = scriptedModel([
      [{ call: { name: 'Look', input: {}, id: 'c1' } }, { gate: 'result' }, { reset: true }],
    ])
    log.subscribe(({ type }) => type === 'tool-output-available' && model.open('result'))
    const outcome = await play([], [probe('Look', true, [])], { log, model: { id: 'test/scripted', model } })
    expect(outcome.status).toBe('failed')
    expect(call(outcome, 'c1').state).toBe('output-available')
  })
})

describe('a shutdown', () => {
  it('lets the current write finish and starts nothing more', async () => {
    const events: string[] = []
    const controller = new AbortController()
    const change = probe('Change', false, events, {
      async execute(_input: unknown, ctx: ToolContext) {
        events.push('begun')
        controller.abort(shutdown)
        await new Promise((resolve) => setTimeout(resolve, 20))
        events.push(ctx.signal.aborted ? 'aborted' : 'finished')
        return 'written'
      },
    })
    const outcome = await play(
      [['a', 'b'].map((id) => ({ call: { name: 'Change', input: { id }, id } })), [{ text: 'never' }]],
      [change],
      { signal: controller.signal },
    )
    expect(events).toEqual(['begun', 'finished'])
    expect(call(outcome, 'a').output).toBe('written')
    expect(call(outcome, 'b').errorText).toMatch(/server was stopped/)
    expect(outcome.status).toBe('interrupted')
    expect(outcome.message.metadata).toMatchObject({ interrupted: true })
    expect(outcome.message.metadata).not.toHaveProperty('aborted')
  })

  it('ends a read-only call and a model call at once', async () => {
    const controller = new AbortController()
    const deaf = probe('Deaf', true, [], {
      execute: () => new Promise(() => setTimeout(() => controller.abort(shutdown), 5)),
    })
    const outcome = await play([[{ call: { name: 'Deaf', input: {}, id: 'c1' } }, { gate: 'never' }]], [deaf], {
      signal: controller.signal,
    })
    expect(outcome.status).toBe('interrupted')
    expect(call(outcome, 'c1').errorText).toMatch(/server was stopped/)
  })
})

describe('waiting for a person', () => {
  it('is not reported while the model is still writing', async () => {
    const statuses: string[] = []
    let resolve: (answer: Answer) => void = () => undefined
    const look = probe('Look', true, [], { needsApproval: true })
    const playing = play(
      [
        [{ call: { name: 'Look', input: {}, id: 'c1' } }, { delayMs: 20 }, { text: 'still speaking' }],
        [{ text: 'ok' }],
      ],
      [look],
      {
        onStatus(status, message) {
          statuses.push(`${status}: ${message().parts.some((part) => part.type === 'text')}`)
          if (status === 'waiting') resolve({ type: 'approve' })
        },
      },
      () =>
        new Promise((answer) => {
          resolve = answer
        }),
    )
    expect(texts(await playing)).toEqual(['still speaking', 'ok'])
    expect(statuses).toEqual(['waiting: true', 'running: true'])
  })

  it('counts neither as the time of the run nor as that of the tool', async () => {
    const asking = probe('Ask', true, [], {
      timeout: 800,
      execute: async (_input: unknown, ctx: ToolContext) =>
        (await ctx.ask({ kind: 'question', title: 'What now?' })).type,
    })
    const outcome = await play(
      [[{ call: { name: 'Ask', input: {}, id: 'c1' } }], [{ text: 'ok' }]],
      [asking],
      { limits: { ms: 1000 } },
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 1100))
        return { type: 'answers', answers: {} }
      },
    )
    expect(call(outcome, 'c1').output).toBe('answers')
    const { toolMetadata } = call(outcome, 'c1') as unknown as { toolMetadata?: { troupe: { elapsedMs: number } } }
    expect(toolMetadata?.troupe.elapsedMs ?? 0).toBeLessThan(1000)
    expect(texts(outcome)).toEqual(['ok'])
    expect(outcome.message.metadata?.elapsedMs).toBeLessThan(1000)
  })
})

describe('a tool', () => {
  it('that continues after its time limit is ignored', async () => {
    const late: Promise<unknown>[] = []
    const slow = probe('Slow', true, [], {
      timeout: 10,
      execute: (_input: unknown, ctx: ToolContext) =>
        new Promise(() => {
          setTimeout(() => {
            ctx.emit('late', { much: true })
            late.push(
              ctx.ask({ kind: 'question', title: 'Hello?' }).catch((error: unknown) => (error as Error).message),
            )
          }, 30)
        }),
    })
    const outcome = await play(
      [[{ call: { name: 'Slow', input: {}, id: 'c1' } }], [{ delayMs: 60 }, { text: 'ok' }]],
      [slow],
    )
    expect(await Promise.all(late)).toEqual(['The tool call has ended, so nothing is waiting for this answer.'])
    expect(outcome.log.items.map((item) => item.type)).not.toContain('data-late')
  })

  it('that emits or returns a non-JSON value fails alone, and the log stays JSON', async () => {
    const emitting = probe('Emitting', true, [], {
      execute: (_input: unknown, ctx: ToolContext) => ctx.emit('number', { big: 1n }),
    })
    const returning = probe('Returning', true, [], { execute: () => Promise.resolve({ big: 1n }) })
    const showing = probe('Showing', true, [], {
      execute: () => Promise.resolve('x'),
      display: () => ({ content: 1n }),
    })
    const names = ['Emitting', 'Returning', 'Showing']
    const outcome = await play(
      [names.map((name) => ({ call: { name, input: {}, id: name } })), [{ text: 'ok' }]],
      [emitting, returning, showing],
    )
    for (const name of names) expect(call(outcome, name).errorText).toMatch(/BigInt/)
    expect(() => JSON.stringify(outcome.log.items)).not.toThrow()
    expect(texts(outcome)).toEqual(['ok'])
  })

  it('gets the input transformed by its schema, and the journal keeps the original', async () => {
    const seen: unknown[] = []
    const change = probe('Change', false, [], {
      execute(input: { id: string }) {
        seen.push(input)
        return Promise.resolve('ok')
      },
    })
    const outcome = await play([[{ call: { name: 'Change', input: {}, id: 'c1' } }], [{ text: 'ok' }]], [change])
    expect(seen).toEqual([{ id: 'x' }])
    expect(outcome.log.items.find((item) => item.type === '$call')).toEqual({
      type: '$call',
      toolCallId: 'c1',
      input: {},
    })
  })
})

describe('a log that can no longer be written', () => {
  it('fails the run with the reason, and no write begins', async () => {
    const events: string[] = []
    let syncs = 0
    const full = new NamedError('NotStored', 'The disk is full.')
    const items: unknown[] = []
    const outcome = await play(
      [[{ call: { name: 'Change', input: { id: 'w' }, id: 'c1' } }], [{ text: 'never' }]],
      [probe('Change', false, events)],
      {
        log: {
          append: (chunk) => void items.push(chunk),
          note: (note) => void items.push(note),
          sync: () => (++syncs < 3 ? Promise.resolve() : Promise.reject(full)),
        },
      },
    )
    expect(outcome.status).toBe('failed')
    expect(outcome.error).toMatchObject({ name: 'NotStored', message: 'The disk is full.' })
    expect(events).toEqual([])
  })
})
