import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { checkTool, defineTool, type Store, type Tool } from '@troupe/core'
import type { Script } from '@troupe/core/testing'
import { cleanMessage, foldChunks, type Message, NamedError } from '@troupe/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createTestSink, openTestRuns, type TestRuns, type TestRunsOptions } from '../testing/open-runs.ts'

const opened: TestRuns[] = []

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function open(script: Script, options: TestRunsOptions = {}): Promise<TestRuns> {
  const test = await openTestRuns(script, options)
  opened.push(test)
  return test
}

function tool(name: string, extra: Partial<Tool> = {}): Tool {
  const base = defineTool({
    description: name,
    input: z.object({ id: z.string().default('x') }),
    readOnly: false,
    group: 'test',
    execute: ({ id }) => Promise.resolve({ id }),
  })
  return checkTool({ ...base, name, ...extra }, name)
}

const approving: Script = {
  by: 'prompt',
  turns: [[{ call: { name: 'Change', input: { id: 'w' }, id: 'c1' } }], [{ text: 'Done.' }]],
}

function withStore(store: Store, change: Partial<Store>): Store {
  return { ...store, ...change }
}

describe('live runs', () => {
  it('are closed before their streams end: at the end, the answer is stored and there is no run', async () => {
    const { runs, store, ask } = await open([[{ text: 'One.' }], [{ text: 'Two.' }]])
    for (const text of ['One.', 'Two.']) {
      const run = await ask()
      const sink = createTestSink()
      const ended = vi.spyOn(sink, 'end').mockImplementation(() => {
        expect(runs.get('s1')).toBeUndefined()
        resolve()
      })
      const { promise, resolve } = Promise.withResolvers<void>()
      run.subscribe(sink, {})
      await promise
      expect(ended).toHaveBeenCalledOnce()
      const stored = await store.messages.get({ sessionId: 's1' }, run.messageId)
      expect(stored?.parts.at(-1)).toMatchObject({ type: 'text', text })
      expect(cleanMessage(foldChunks(sink.chunks()), { run: 'ended' }).parts).toEqual(stored?.parts)
      expect((await store.runs.get(run.id))?.status).toBe('done')
    }
  })

  it('are one per session: of two started together, the second is rejected', async () => {
    const { runs, session, ask } = await open([[{ gate: 'never' }]])
    const first = await ask()
    const request = { model: 'test/scripted' }
    await expect(runs.start({ session, userMessageId: 'u1', request })).rejects.toMatchObject({
      name: 'SessionBusy',
      status: 409,
      data: { runId: first.id },
    })
    await runs.stop('s1')
    const both = await Promise.allSettled([1, 2].map(() => runs.start({ session, userMessageId: 'u1', request })))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await runs.stop('s1')
  })

  it('make room for the next message once their end is known, also if it was taken up before it was closed', async () => {
    const test = await open([[{ text: 'One.' }]])
    const { transaction } = test.store
    let held = Promise.withResolvers<void>()
    let storing = Promise.withResolvers<void>()
    const store = withStore(test.store, {
      async transaction(work) {
        storing.resolve()
        await held.promise
        return transaction(work)
      },
    })
    const { runs, ask, session } = test.next([[{ text: 'One.' }], [{ text: 'Two.' }]], { store })
    const first = await ask()
    const sink = createTestSink()
    first.subscribe(sink, {})
    await storing.promise
    await vi.waitFor(() => expect(sink.chunks().at(-1)?.type).toBe('finish'))
    const next = { session, userMessageId: 'u1', request: { model: 'test/scripted' } }
    const waits = runs.assertFree('s1')
    // The database fails at this moment.
    runs.abandon('s1')
    const never = held
    ;[held, storing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await runs.recover('s1')
    await storing.promise
    never.reject(new Error('The connection ended.'))
    const started = runs.start(next)
    held.resolve()
    await waits
    expect((await (await started).done).parts.at(-1)).toMatchObject({ text: 'Two.' })
    expect((await store.runs.get(first.id))?.status).toBe('done')
  })

  it('that cannot be opened leave nothing behind', async () => {
    const missing = new NamedError('ModelNotFound', 'There is no such model.', { status: 404 })
    const { runs, store, ask } = await open([], {
      models: { resolveChatModel: () => Promise.reject(missing), learn: () => undefined },
    })
    await expect(ask()).rejects.toBe(missing)
    expect(runs.get('s1')).toBeUndefined()
    expect(await store.runs.ofSession('s1')).toEqual([])
    await expect(ask()).rejects.toBe(missing)
  })

  it('are stopped even while they are being opened', async () => {
    const opening = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const { runs, ask } = await open([[{ gate: 'never' }]], {
      blocks: async () => {
        opening.resolve()
        await gate.promise
        return []
      },
    })
    const starting = ask()
    await opening.promise
    const stopping = runs.stop('s1')
    gate.resolve()
    const run = await starting
    expect(await stopping).toMatchObject({ runId: run.id })
    expect((await run.done).metadata).toMatchObject({ aborted: true })
  })

  it('that fail because of a setting report and store its error', async () => {
    const { store, ask, lines } = await open([[{ text: 'never' }]], {
      limits: () => {
        throw new NamedError('BadConfig', 'config.json is not JSON.')
      },
    })
    const run = await ask()
    const message = await run.done
    expect(message.metadata?.error).toMatchObject({ name: 'BadConfig', message: 'config.json is not JSON.' })
    expect((await store.runs.get(run.id))?.status).toBe('failed')
    expect(lines.join()).toContain('a run broke')
  })

  it('rename a call id that the session has used on any branch', async () => {
    const { store, ask } = await open(approving, { toolList: [tool('Change', { needsApproval: false })] })
    const ids = []
    for (let i = 0; i < 2; i++) {
      const { parts } = await (await ask()).done
      ids.push(...parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])))
    }
    expect(ids[0]).toBe('c1')
    expect(ids[1]).not.toBe('c1')
    expect(await store.calls.ids('s1')).toEqual(expect.arrayContaining(ids))
  })

  it('are removed after they have ended', async () => {
    const { runs, store, ask } = await open(() => [{ text: 'x'.repeat(1000) }])
    const ended = await (async () => {
      const run = await ask()
      await run.done
      return new WeakRef(run.log)
    })()
    await (
      await ask()
    ).done
    expect(runs.get('s1')).toBeUndefined()
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    await vi.waitFor(() => {
      collect()
      expect(ended.deref()).toBeUndefined()
    })
    expect(await store.runs.unfinished()).toEqual([])
  })
})

describe('steering', () => {
  it('is rejected after the turn has decided to end, and applied once however often it is sent', async () => {
    const { runs, model, ask } = await open([[{ text: 'One.' }, { gate: 'here' }], [{ text: 'Two.' }]])
    const run = await ask()
    await model.reached('here')
    await runs.steer('s1', { id: 'st1', text: 'rather two' })
    await runs.steer('s1', { id: 'st1', text: 'rather two' })
    model.open('here')
    const { parts } = await run.done
    expect(parts.filter((part) => part.type === 'steering-message')).toHaveLength(1)
    expect(parts.at(-1)).toMatchObject({ text: 'Two.' })
    await expect(runs.steer('s1', { id: 'st2', text: 'late' })).rejects.toMatchObject({ name: 'NoRun', status: 409 })
  })

  it('during the storing of the end is rejected rather than lost', async () => {
    const storing = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const test = await open([[{ text: 'One.' }]])
    const { transaction } = test.store
    const store = withStore(test.store, {
      async transaction(work) {
        storing.resolve()
        await held.promise
        return transaction(work)
      },
    })
    const { runs, ask } = test.next([[{ text: 'One.' }]], { store })
    const run = await ask()
    await storing.promise
    await expect(runs.steer('s1', { id: 'st1', text: 'late' })).rejects.toMatchObject({ name: 'NoRun' })
    held.resolve()
    await run.done
  })
})

describe('a run that waits for a person', () => {
  it('is stored in its current state, ends a stream that asked for that, and continues with the answer', async () => {
    const { runs, store, ask } = await open(approving, { toolList: [tool('Change')] })
    const run = await ask()
    const first = createTestSink()
    run.subscribe(first, { untilWaiting: true })
    await first.ended
    expect(run.status).toBe('waiting')
    expect((await store.runs.get(run.id))?.status).toBe('waiting')
    const waiting = await store.messages.get({ sessionId: 's1' }, run.messageId)
    expect(waiting?.parts.at(-1)).toMatchObject({ state: 'approval-requested' })
    const [asked] = await store.asks.list({ sessionId: 's1', open: true })
    const after = run.log.number
    await runs.answer(asked?.id as string, { type: 'approve' })
    expect(run.status).toBe('running')
    const second = createTestSink()
    run.subscribe(second, { after, untilWaiting: true })
    await second.ended
    const message = await run.done
    expect(cleanMessage(foldChunks([...first.chunks(), ...second.chunks()]), { run: 'ended' })).toEqual(message)
  })

  it('can be left for later, but not once it has its answer', async () => {
    const { runs, store, ask } = await open(approving, { toolList: [tool('Change')] })
    const run = await ask()
    expect(await runs.park('s1')).toBe(false)
    await run.settled()
    const [asked] = await store.asks.list({ sessionId: 's1', open: true })
    const storing = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const also = (): Promise<void> => {
      storing.resolve()
      return held.promise
    }
    const answered = runs.answer(asked?.id as string, { type: 'approve' }, { also })
    await storing.promise
    // The run does not know its answer yet.
    expect([run.status, await runs.park('s1')]).toEqual(['waiting', false])
    held.resolve()
    await answered
    expect(await runs.park('s1')).toBe(false)
    expect((await run.done).parts.at(-1)).toMatchObject({ type: 'text' })
  })

  it('is not taken for stopped if it is left at the same time', async () => {
    const { runs, store, ask } = await open(approving, { toolList: [tool('Change')] })
    const run = await ask()
    await run.settled()
    const parked = runs.park('s1')
    await expect(runs.stop('s1')).rejects.toMatchObject({ name: 'NotHere' })
    expect(await parked).toBe(true)
    expect((await store.runs.get(run.id))?.status).toBe('waiting')
    await runs.recover('s1')
    expect(await runs.stop('s1')).toMatchObject({ runId: run.id })
    expect((await store.runs.get(run.id))?.status).toBe('aborted')
  })

  it('continues when an answer came while it was left', async () => {
    const { runs, store, ask } = await open(approving, { toolList: [tool('Change')] })
    const run = await ask()
    await run.settled()
    const [asked] = await store.asks.list({ sessionId: 's1', open: true })
    const answered = runs.answer(asked?.id as string, { type: 'approve' })
    expect([await runs.park('s1'), runs.all('s1')]).toEqual([true, []])
    await answered
    expect((await store.runs.get(run.id))?.endedAt).toBeNull()
    await runs.recover('s1')
    const message = await runs.get('s1')!.done
    expect(message.parts.filter((part) => part.type === 'tool-Change')).toMatchObject([{ state: 'output-available' }])
  })

  it('accepts an answer while its waiting is being stored', async () => {
    const storing = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const test = await open(approving)
    const { transaction } = test.store
    const store = withStore(test.store, {
      async transaction(work) {
        storing.resolve()
        await held.promise
        return transaction(work)
      },
    })
    const { runs, ask, inbox } = test.next(approving, { store, tools: () => [tool('Change')] })
    const run = await ask()
    const sink = createTestSink()
    run.subscribe(sink, { untilWaiting: true })
    await storing.promise
    const [asked] = await inbox.list({ sessionId: 's1' })
    await runs.answer(asked?.id as string, { type: 'approve' })
    held.resolve()
    await run.done
    await sink.ended
    expect(sink.chunks().at(-1)).toMatchObject({ type: 'finish' })
    expect((await store.runs.get(run.id))?.status).toBe('done')
  })

  it('leaves no ask open when it is stopped', async () => {
    const { runs, store, ask } = await open(approving, { toolList: [tool('Change')] })
    const run = await ask()
    await run.settled()
    const [asked] = await store.asks.list({ sessionId: 's1', open: true })
    await runs.stop('s1')
    expect(await store.asks.list({ sessionId: 's1', open: true })).toEqual([])
    await expect(runs.answer(asked?.id as string, { type: 'approve' })).rejects.toMatchObject({ name: 'AskClosed' })
    expect((await store.runs.get(run.id))?.status).toBe('aborted')
  })

  it('stays unchanged at shutdown, and asks again with the same id', async () => {
    const test = await open(approving, { toolList: [tool('Change')] })
    const run = await test.ask()
    const sink = createTestSink()
    run.subscribe(sink, {})
    await run.settled()
    const [asked] = await test.store.asks.list({ open: true })
    await test.runs.close()
    await sink.ended
    expect(sink.chunks().map(({ type }) => type)).not.toContain('finish')
    expect((await test.store.runs.get(run.id))?.status).toBe('waiting')
    expect(test.lines).toEqual([])

    const next = test.next(approving)
    await next.runs.recover()
    const again = next.runs.get('s1')
    await again?.settled()
    expect(await test.store.asks.list({ open: true })).toMatchObject([{ id: asked?.id }])
    await next.runs.answer(asked?.id as string, { type: 'approve' })
    const message = (await again?.done) as Message
    expect(message.parts.at(-1)).toMatchObject({ text: 'Done.' })
    const replayed = createTestSink()
    again?.subscribe(replayed, { after: sink.events.at(-1)?.number as number })
    await replayed.ended
    expect(cleanMessage(foldChunks([...sink.chunks(), ...replayed.chunks()]), { run: 'ended' })).toEqual(message)
  })

  it('finds the answer that was given while no server ran', async () => {
    const test = await open(approving, { toolList: [tool('Change')] })
    const run = await test.ask()
    await run.settled()
    const [asked] = await test.store.asks.list({ open: true })
    await test.runs.close()
    await test.store.asks.answer(asked?.id as string, { type: 'approve' })
    const next = test.next(approving, { recovery: () => 'wait' })
    await next.runs.recover()
    const message = await next.runs.get('s1')?.done
    expect(message?.parts.at(-1)).toMatchObject({ text: 'Done.' })
    expect((await test.store.runs.get(run.id))?.status).toBe('done')
  })
})

describe('a server that shuts down', () => {
  it('interrupts runs, lets a write finish, and rejects new requests', async () => {
    const writing = Promise.withResolvers<void>()
    const slow = tool('Change', {
      needsApproval: false,
      async execute() {
        writing.resolve()
        await new Promise((resolve) => setTimeout(resolve, 30))
        return 'written'
      },
    })
    const { runs, store, session, ask } = await open(approving, { toolList: [slow] })
    const run = await ask()
    const sink = createTestSink()
    run.subscribe(sink, {})
    await writing.promise
    await runs.close()
    const stored = await store.messages.get({ sessionId: 's1' }, run.messageId)
    expect(stored?.parts.at(-1)).toMatchObject({ output: 'written' })
    expect(stored?.metadata).toMatchObject({ interrupted: true })
    expect((await store.runs.get(run.id))?.status).toBe('interrupted')
    await sink.ended
    expect(sink.chunks().slice(-2)).toMatchObject([{ type: 'abort' }, { type: 'finish' }])
    const late = runs.start({ session, userMessageId: 'u1', request: { model: 'x/y' } })
    await expect(late).rejects.toMatchObject({ name: 'ShuttingDown', status: 503 })
  })
})

describe('a store that can no longer be written', () => {
  it('fails the run with a clear error, and finished answers are stored when there is space again', async () => {
    const test = await open([[{ text: 'One.' }]])
    let full = false
    const { transaction } = test.store
    const store = withStore(test.store, {
      transaction: (work) => (full ? Promise.reject(new Error('database or disk is full')) : transaction(work)),
    })
    const { runs, model, ask, lines } = test.next([[{ text: 'One.' }, { gate: 'here' }], [{ text: 'Two.' }]], { store })
    const run = await ask()
    const sink = createTestSink()
    run.subscribe(sink, {})
    await model.reached('here')
    full = true
    model.open('here')
    await sink.ended
    expect(sink.chunks().at(-1)).toMatchObject({ type: 'error', errorText: 'database or disk is full' })
    expect(run.status).toBe('failed')
    await expect(run.done).rejects.toThrow('disk is full')
    expect(runs.get('s1')).toBeUndefined()
    expect(lines.join()).toContain('a run was not stored')

    full = false
    const second = await ask()
    await second.done
    const { fromNumber } = (await store.runs.get(second.id)) ?? { fromNumber: 0 }
    expect(fromNumber).toBeGreaterThanOrEqual(sink.events.at(-1)?.number as number)
    expect((await store.messages.get({ sessionId: 's1' }, run.messageId))?.parts.at(-1)).toMatchObject({ text: 'One.' })
    expect(await store.runs.unfinished()).toEqual([])
  })

  it('fails the run at its first step, with advice, when only the journal is broken', async () => {
    const test = await open([])
    const full = Object.assign(new Error('database or disk is full'), { errcode: 13 })
    const frames = { ...test.store.frames, append: () => Promise.reject(full) }
    const { ask, lines } = test.next([[{ text: 'never' }]], { store: withStore(test.store, { frames }) })
    const run = await ask()
    const sink = createTestSink()
    run.subscribe(sink, {})
    await sink.ended
    // Nobody awaits the end yet, and its failure must not crash the process.
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
    await expect(run.done).rejects.toMatchObject({ name: 'NotStored' })
    const message =
      'The run stopped because it could not be saved. The disk is full, so this was not saved. Free some space, then try again.'
    expect(sink.chunks().filter(({ type }) => type === 'message-metadata' || type === 'error')).toMatchObject([
      { messageMetadata: { error: { name: 'NotStored', message } } },
      { errorText: message },
      { errorText: message },
    ])
    expect(await test.store.runs.get(run.id)).toBeUndefined()
    expect(lines.join()).toContain('a run was not stored')
  })
})
