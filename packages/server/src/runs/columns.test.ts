import { checkTool, defineTool } from '@troupe/core'
import type { Script } from '@troupe/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { streamColumns } from '../chat/column-stream.ts'
import { createTestSink, openTestRuns, type TestRuns } from '../testing/open-runs.ts'
import { columnNumbers } from './live-log.ts'

const opened: TestRuns[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const halting = (gate: string): Script => ({
  by: 'prompt',
  turns: [[{ text: 'Half' }, { gate }, { text: ' and half.' }]],
})

async function startTwo(script: Script, options: Parameters<typeof openTestRuns>[1] = {}) {
  const test = await openTestRuns(script, options)
  opened.push(test)
  const at = { sessionId: 's1' }
  const answers = ['m1', 'm2'].map((messageId) => ({ messageId, model: 'test/scripted' }))
  const runs = await test.store.transaction(async (inside) => {
    await inside.messages.add(at, {
      id: 'u1',
      parentMessageId: null,
      role: 'user',
      parts: [{ type: 'text', text: 'hello' }],
      metadata: { comparison: { answers } },
      createdAt: 1,
    })
    const records = []
    for (const [index, { messageId, model }] of answers.entries()) {
      const request = { model, column: { index, messageId } }
      records.push(await test.runs.store({ session: test.session, userMessageId: 'u1', request, messageId }, inside))
    }
    return records
  })
  for (const record of runs)
    await test.runs.start({ session: test.session, userMessageId: 'u1', request: record.request as never, record })
  return test
}

describe('the runs of compared models', () => {
  it('live beside each other with numbers that do not overlap', async () => {
    const { runs, session, model } = await startTwo(halting('open'))
    expect(runs.all('s1').map(({ messageId }) => messageId)).toEqual(['m1', 'm2'])
    const request = { model: 'test/scripted' }
    await expect(runs.start({ session, userMessageId: 'u1', request })).rejects.toMatchObject({ name: 'SessionBusy' })
    const [first, second] = runs.all('s1').map((run) => {
      const sink = createTestSink()
      run.subscribe(sink, {})
      return sink
    })
    model.open('open')
    await Promise.all([first!.ended, second!.ended])
    const last = first!.events.at(-1)!.number
    expect(second!.events[0]!.number - last).toBeGreaterThan(columnNumbers / 2)
    expect(runs.all('s1')).toEqual([])
  })

  it('all resume after a crash, and a client at any of their numbers misses nothing', async () => {
    const test = await startTwo(halting('here'))
    const held = test.runs.all('s1').map((run) => {
      const sink = createTestSink()
      run.subscribe(sink, {})
      return sink
    })
    // The gate is reached with the first of them.
    await expect.poll(() => held.every((sink) => sink.chunks().some(({ type }) => type === 'text-delta'))).toBe(true)
    for (const run of test.runs.all('s1')) await run.log.sync()
    for (const run of test.runs.all('s1')) await (run as unknown as { freeze(): Promise<void> }).freeze()
    const next = test.next(halting('open'))
    next.model.open('open')
    await next.runs.recover()
    const live = next.runs.all('s1')
    expect(live.map(({ messageId }) => messageId)).toEqual(['m1', 'm2'])
    expect(live.every(({ isCompared }) => isCompared)).toBe(true)
    const after = held.flatMap(({ events }) => events.at(-1)?.number ?? [])
    const sinks = live.map((run) => {
      const sink = createTestSink()
      run.subscribe(sink, { after })
      return sink
    })
    await Promise.all(live.map((run) => run.done))
    await Promise.all(sinks.map((sink) => sink.ended))
    const numbers = sinks.map(({ events }) => events.map(({ number }) => number))
    expect(Math.max(...numbers[0]!)).toBeLessThan(Math.min(...numbers[1]!))
    for (const id of ['m1', 'm2']) {
      const answer = await next.store.messages.get({ sessionId: 's1' }, id)
      expect(answer?.parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')).toBe('Half and half.')
    }
  })

  it('are streamed from their start, also those that ended before the stream opened', async () => {
    const test = await startTwo({ by: 'prompt', turns: [[{ text: 'Done.' }]] })
    const started = [...test.runs.all('s1')]
    await Promise.all(started.map((run) => run.done))
    expect(test.runs.all('s1')).toEqual([])
    let text = ''
    const ended = Promise.withResolvers<void>()
    const sink = {
      write: (more: string) => (text += more).length,
      onDrain: () => undefined,
      cut: () => undefined,
      end: ended.resolve,
    }
    const { store, runs } = test
    streamColumns(
      { sessionId: 's1', userMessageId: 'u1', started, after: [], untilWaiting: false },
      { store, runs },
    )(sink)
    await ended.promise
    for (const id of ['m1', 'm2'])
      expect(text).toMatch(new RegExp(`"messageId":"${id}","chunk":\\{"type":"text-delta".*"Done\\."`))
  })

  it('are not compared any more once the user continued with one, also after a crash', async () => {
    const test = await startTwo(halting('here'))
    await test.model.reached('here')
    const question = (await test.store.messages.get({ sessionId: 's1' }, 'u1'))!
    const comparison = { ...question.metadata!.comparison!, picked: 'm1' }
    await test.store.messages.replace({ sessionId: 's1' }, { ...question, metadata: { comparison } })
    await test.runs.pick('s1', 'm1', ['m2'])
    expect(test.runs.all('s1').map(({ messageId, isCompared }) => [messageId, isCompared])).toEqual([['m1', false]])
    for (const run of test.runs.all('s1')) await (run as unknown as { freeze(): Promise<void> }).freeze()
    const next = test.next(halting('there'))
    await next.runs.recover()
    expect(next.runs.all('s1').map(({ messageId, isCompared }) => [messageId, isCompared])).toEqual([['m1', false]])
  })

  it('an answered ask wakes only its own column', async () => {
    const change = checkTool(
      {
        ...defineTool({
          description: 'Change',
          input: z.object({}),
          readOnly: false,
          group: 'test',
          execute: () => Promise.resolve('ok'),
        }),
        name: 'Change',
      },
      'Change',
    )
    const script: Script = {
      by: 'prompt',
      turns: [[{ call: { name: 'Change', input: {}, id: 'c' } }], [{ text: 'Done.' }]],
    }
    const { runs, inbox } = await startTwo(script, { toolList: [change] })
    await Promise.all(runs.all('s1').map((run) => run.settled()))
    const asks = await inbox.list({ sessionId: 's1' })
    expect(new Set(asks.map(({ toolCallId }) => toolCallId)).size).toBe(2)
    const [first, second] = runs.all('s1')
    await runs.answer(asks.find(({ runId }) => runId === first!.id)!.id, { type: 'approve' })
    await first!.done
    expect(second!.status).toBe('waiting')
    await runs.stop('s1', 'm2')
  })
})
