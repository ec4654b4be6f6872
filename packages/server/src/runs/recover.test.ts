import { checkTool, defineTool, type Tool } from '@troupe/core'
import type { Script } from '@troupe/core/testing'
import { cleanMessage, foldChunks, type Message, NamedError } from '@troupe/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import {
  createTestSink,
  openTestRuns,
  type TestRuns,
  type TestRunsOptions,
  type TestSink,
} from '../testing/open-runs.ts'
import { numberJump } from './live-log.ts'
import type { StartRun } from './run-types.ts'

const opened: TestRuns[] = []

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function open(script: Script, options: TestRunsOptions = {}): Promise<TestRuns> {
  const test = await openTestRuns(script, options)
  opened.push(test)
  return test
}

function change(events: string[], extra: Partial<Tool> = {}): Tool {
  const base = defineTool({
    description: 'Changes something.',
    input: z.object({ id: z.string() }),
    readOnly: false,
    needsApproval: false,
    group: 'test',
    execute: ({ id }) => Promise.resolve(events.push(id)),
  })
  return checkTool({ ...base, name: 'Change', ...extra }, 'change')
}

function halting(gate: string, text = 'Once upon a time there was a fox.'): Script {
  return { by: 'prompt', turns: [[{ text, chunks: 7 }, { gate }, { text: ' The end.' }]] }
}

/** Stops a run with everything journaled up to the gate, and more events sent after it. */
async function crashAt(
  test: TestRuns,
  gate: string,
): Promise<{ sink: TestSink; runId: string; messageId: string; journalled: number }> {
  const run = await test.ask()
  const sink = createTestSink()
  run.subscribe(sink, {})
  await test.model.reached(gate)
  await run.log.sync()
  return { sink, runId: run.id, messageId: run.messageId, journalled: run.log.number }
}

/** Folds a client's events over all its connections. A stream that restarts replaces the earlier ones. */
function folded(...sinks: TestSink[]): unknown {
  const chunks = sinks.flatMap((sink) => sink.chunks())
  const anew = chunks.findLastIndex(({ type }) => type === 'start')
  return JSON.parse(JSON.stringify(cleanMessage(foldChunks(chunks.slice(anew)), { run: 'ended' })))
}

function plain(message: Message | undefined): unknown {
  return JSON.parse(JSON.stringify(message))
}

describe('a run that a crash cut', () => {
  it('resumes automatically, and clients at any id get the same message in the end', async () => {
    const test = await open(halting('here'))
    const { sink, journalled, messageId } = await crashAt(test, 'here')
    const next = test.next(halting('open'))
    next.model.open('open')
    await next.runs.recover()
    const run = next.runs.get('s1')
    expect(run?.messageId).toBe(messageId)
    const sinks: { after: number; sink: TestSink }[] = []
    for (let after = 0; after <= journalled + 40; after++) {
      const again = createTestSink()
      run?.subscribe(again, { after })
      sinks.push({ after, sink: again })
    }
    const message = plain(await run?.done)
    await Promise.all(sinks.map((one) => one.sink.ended))
    for (const { after, sink: again } of sinks) {
      const held = createTestSink()
      held.events.push(...cutAt(sink, after))
      expect(folded(held, again), `after ${after}`).toEqual(message)
    }
  })

  it('starts again if it was stored with its message and had no journal entry yet', async () => {
    const test = await open({ by: 'prompt', turns: [[{ gate: 'here' }, { text: 'Never sent.' }]] })
    const opening = [{ type: 'data-session-title', data: { title: 'Fox' }, transient: true }]
    const start = { session: test.session, userMessageId: 'u1', request: { model: 'test/scripted', opening } as object }
    const record = await test.store.transaction(async (inside) => {
      const parts = [{ type: 'text' as const, text: 'hello' }]
      await inside.messages.add(
        { sessionId: 's1' },
        { id: 'u1', role: 'user', parentMessageId: null, parts, createdAt: 1 },
      )
      return test.runs.store(start as StartRun, inside)
    })
    const run = await test.runs.start({ ...start, record } as StartRun)
    const early = createTestSink()
    run.subscribe(early, {})
    await test.model.reached('here')
    expect(early.chunks().map(({ type }) => type)).toEqual(['data-session-title', 'start', 'start-step'])
    expect(await test.store.frames.read(run.id)).toEqual([])
    const next = test.next({ by: 'prompt', turns: [[{ text: 'A fox.' }]] })
    await next.runs.recover()
    const again = createTestSink()
    next.runs.get('s1')?.subscribe(again, { after: early.events.at(-1)?.number ?? 0 })
    await again.ended
    expect(again.chunks().map(({ type }) => type)).toEqual(expect.arrayContaining(['data-session-title', 'start']))
    expect(again.events[0]?.number).toBeGreaterThan(numberJump)
    const stored = await next.store.messages.get({ sessionId: 's1' }, run.messageId)
    expect(folded(again)).toEqual(
      plain(
        stored && ({ id: stored.id, role: stored.role, parts: stored.parts, metadata: stored.metadata } as Message),
      ),
    )
  })

  it('sends everything again to a client whose id was lost, and reuses no id', async () => {
    const test = await open(halting('here'))
    const { journalled } = await crashAt(test, 'here')
    const second = test.next(halting('there'))
    await second.runs.recover()
    const run = second.runs.get('s1')
    const [lost, kept] = [createTestSink(), createTestSink()]
    run?.subscribe(lost, { after: journalled + 1000 })
    run?.subscribe(kept, { after: journalled })
    await second.model.reached('there')
    await vi.waitFor(() =>
      expect(Math.min(...[lost, kept].map(({ events }) => events.at(-1)?.number ?? 0))).toBe(run?.log.number),
    )
    const numbers = lost.events.map(({ number }) => number)
    expect(lost.chunks()[0]?.type).toBe('start')
    expect(kept.chunks()[0]?.type).toBe('reset-step')
    expect(Math.min(...kept.events.map(({ number }) => number))).toBeGreaterThan(journalled + numberJump)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))

    // The next process skips past the second one's numbers, even if they were never journaled.
    const third = test.next(halting('open'))
    third.model.open('open')
    await third.runs.recover()
    const again = createTestSink()
    third.runs.get('s1')?.subscribe(again, { after: Math.max(...numbers) })
    await again.ended
    const fresh = again.events.slice(again.events.findLastIndex(({ chunk }) => chunk.type === 'reset-step'))
    expect(fresh[0]?.number).toBeGreaterThan(Math.max(...numbers))
  })

  it('reserves its ids before it sends anything, so that two crashes in a row cannot mix them', async () => {
    const test = await open(halting('here'))
    const { runId, journalled } = await crashAt(test, 'here')
    const second = test.next(halting('there'))
    await second.runs.recover()
    await second.model.reached('there')
    const frames = await test.store.frames.read(runId)
    expect(frames.some((frame) => frame.items.some((item) => item.type === '$resume') && frame.from > journalled)).toBe(
      true,
    )
    expect(await test.store.runs.lastNumber('s1')).toBeGreaterThanOrEqual(journalled + numberJump)
  })

  it('is marked as interrupted if it may not continue, with the text so far, and its ids are not reused', async () => {
    const test = await open(halting('here'))
    const { runId, messageId, journalled } = await crashAt(test, 'here')
    const next = test.next([[{ text: 'Another.' }]], { recovery: () => 'wait' })
    await next.runs.recover()
    expect(next.runs.get('s1')).toBeUndefined()
    expect((await test.store.runs.get(runId))?.status).toBe('interrupted')
    const stored = await test.store.messages.get({ sessionId: 's1' }, messageId)
    expect(stored?.metadata).toMatchObject({ interrupted: true })
    expect(stored?.parts.at(-1)).toMatchObject({ text: 'Once upon a time there was a fox.', state: 'done' })
    const run = await next.ask()
    expect(run.log.number).toBeGreaterThanOrEqual(journalled + numberJump)
    await run.done
  })

  it('resolves its model only when needed, and then reports the missing setting', async () => {
    const script: Script = {
      by: 'prompt',
      turns: [[{ call: { name: 'Change', input: { id: 'w' }, id: 'c1' } }], [{ text: 'Done.' }]],
    }
    const test = await open(script, { toolList: [change([], { needsApproval: true })] })
    const run = await test.ask()
    await run.settled()
    const missing = new NamedError('ProviderNotConfigured', 'Set ACME_API_KEY, or choose another model.', {
      status: 400,
    })
    const events: string[] = []
    const next = test.next(script, {
      models: { resolveChatModel: () => Promise.reject(missing), learn: () => undefined },
      tools: () => [change(events, { needsApproval: true })],
    })
    await next.runs.recover()
    const again = next.runs.get('s1')
    await again?.settled()
    expect(again?.status).toBe('waiting')
    const [asked] = await test.store.asks.list({ open: true })
    await next.runs.answer(asked?.id as string, { type: 'approve' })
    const message = await again?.done
    expect(events).toEqual(['w'])
    expect(message?.metadata?.error).toMatchObject({
      name: 'ProviderNotConfigured',
      message: 'Set ACME_API_KEY, or choose another model.',
    })
    expect((await test.store.runs.get(run.id))?.status).toBe('failed')
  })

  it('tells that the outcome of a write is unknown, and runs it not again', async () => {
    const script: Script = {
      by: 'prompt',
      turns: [[{ call: { name: 'Change', input: { id: 'w' }, id: 'c1' } }], [{ text: 'Done.' }]],
    }
    const begun = Promise.withResolvers<void>()
    const hanging = change([], {
      execute: () => {
        begun.resolve()
        return new Promise(() => undefined)
      },
    })
    const test = await open(script, { toolList: [hanging] })
    await test.ask()
    await begun.promise
    const events: string[] = []
    const next = test.next(script, { tools: () => [change(events)] })
    await next.runs.recover()
    const message = await next.runs.get('s1')?.done
    expect(events).toEqual([])
    expect(message?.parts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          state: 'output-error',
          errorText: expect.stringContaining('outcome is unknown') as string,
        }),
      ]),
    )
  })

  it('keeps a steering message accepted before the crash, and treats its repetition as the same', async () => {
    const test = await open(halting('here'))
    await crashAt(test, 'here')
    await test.runs.steer('s1', { id: 'st1', text: 'shorter' })
    const next = test.next((_prompt, index) =>
      index === 0 ? [{ text: 'Once.' }, { gate: 'late' }] : [{ text: 'Short.' }],
    )
    await next.runs.recover()
    await next.model.reached('late')
    await next.runs.steer('s1', { id: 'st1', text: 'shorter' })
    next.model.open('late')
    const message = await next.runs.get('s1')?.done
    expect(message?.parts.filter((part) => part.type === 'steering-message')).toHaveLength(1)
    expect(message?.parts.at(-1)).toMatchObject({ text: 'Short.' })
  })

  it('accepts no steering message once the answer is complete', async () => {
    const test = await open({ by: 'prompt', turns: [[{ text: 'Done.' }]] })
    const run = await test.ask()
    await run.done
    const record = await test.store.runs.get(run.id)
    await test.store.runs.put({ ...(record as NonNullable<typeof record>), status: 'running', endedAt: null })
    const next = test.next({ by: 'prompt', turns: [] })
    await next.runs.recover()
    const again = next.runs.get('s1')
    await expect(next.runs.steer('s1', { id: 'st1', text: 'shorter' })).rejects.toMatchObject({ name: 'NoRun' })
    expect((await again?.done)?.parts.at(-1)).toMatchObject({ text: 'Done.' })
  })

  it('counts usage and time of all its processes, and not the time between them', async () => {
    const script: Script = {
      by: 'prompt',
      turns: [
        [
          { call: { name: 'Change', input: { id: 'w' }, id: 'c1' } },
          { finish: 'tool-calls', usage: { inputTokens: 10, outputTokens: 5 } },
        ],
        [{ gate: 'here' }, { text: 'Done.' }, { finish: 'stop', usage: { inputTokens: 20, outputTokens: 7 } }],
      ],
    }
    const test = await open(script, { toolList: [change([])] })
    await crashAt(test, 'here')
    await new Promise((resolve) => setTimeout(resolve, 300))
    const next = test.next(script)
    next.model.open('here')
    const before = performance.now()
    await next.runs.recover()
    const { usage, elapsedMs } = (await next.runs.get('s1')?.done)?.metadata ?? {}
    expect(usage).toMatchObject({ inputTokens: 30, outputTokens: 12, totalTokens: 42 })
    expect(elapsedMs).toBeLessThan(performance.now() - before + 250)
  })

  it('is closed if a later run of its session is unfinished, too', async () => {
    const test = await open(halting('here'))
    const first = await crashAt(test, 'here')
    // A process that did not resume the first run, as after a failed recovery.
    const second = test.next(halting('there'))
    const later = await crashAt(second, 'there')
    const third = test.next(halting('open'))
    third.model.open('open')
    await third.runs.recover()
    expect((await test.store.runs.get(first.runId))?.status).toBe('interrupted')
    const run = third.runs.get('s1')
    expect(run?.id).toBe(later.runId)
    await run?.done
    expect(await test.store.runs.unfinished()).toEqual([])
  })

  it('that cannot resume does not block the others', async () => {
    const test = await open(halting('here'))
    const { runId } = await crashAt(test, 'here')
    const next = test.next(halting('open'), { blocks: () => Promise.reject(new Error('the prompt is gone')) })
    await next.runs.recover()
    expect(next.lines.join()).toContain('the prompt is gone')
    expect((await test.store.runs.get(runId))?.status).toBe('interrupted')
  })
})

/** Events of a client that kept everything up to a number, with a delta cut at that number. */
function cutAt(sink: TestSink, after: number): TestSink['events'] {
  return sink.events.flatMap(({ number, chunk }) => {
    if (number <= after) return [{ number, chunk }]
    if (chunk.type !== 'text-delta' || number - chunk.delta.length >= after) return []
    return [{ number: after, chunk: { ...chunk, delta: chunk.delta.slice(0, after - (number - chunk.delta.length)) } }]
  })
}
