import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { NamedError } from '../../../protocol/src/error.ts'
import { call, play, type Playing, probe, texts } from '../../testing/play-run.ts'
import type { Decision } from '../access/decision.ts'
import type { Hook, HookAnswer, HookOccasion } from '../hooks/hook.ts'
import type { Answer, Ask, Asks } from '../tool/asks.ts'
import type { Tool, ToolContext } from '../tool/tool.ts'
import type { RunInput } from './run-input.ts'

const stopped = new NamedError('Stopped', 'Stopped by the user.')
const change = (ids: string[], name = 'Change') => ids.map((id) => ({ call: { name, input: { id }, id } }))
const asks = (reason = 'It changes things.'): Decision => ({ decision: 'ask', rule: null, reason })

/** Denies `bad`, allows `good` and asks for everything else. Each gets a different grant. */
const decide: RunInput['decide'] = ({ input }) => {
  const { id } = input as { id: string }
  if (id === 'bad') return { decision: 'deny', rule: 'Change(bad)', reason: 'The rule "Change(bad)" says deny.' }
  const grants = { confinement: 'workspace' as const, grants: [{ how: 'read' as const, path: `/outside/${id}` }] }
  return id === 'good' ? { decision: 'allow', rule: null, reason: 'fine', ...grants } : { ...asks(), ...grants }
}

function hook(event: Hook['event'], say: (occasion: HookOccasion) => HookAnswer | undefined, more = {}): Hook {
  return { name: 'my hook', event, timeoutMs: 1000, run: (occasion) => Promise.resolve(say(occasion)), ...more }
}

const granted: string[] = []
const tool = (events: string[]) =>
  probe('Change', false, events, {
    input: z.object({ id: z.string(), extra: z.string().default('default') }),
    execute({ id }: { id: string }, ctx: ToolContext) {
      events.push(id)
      granted.push(...(ctx.granted?.grants ?? []).map(({ path }) => path))
      return { id }
    },
  })

describe('an edited input', () => {
  async function edit(input: unknown, more: Partial<RunInput> = {}): Promise<Playing & { events: string[] }> {
    const events: string[] = []
    granted.length = 0
    const outcome = await play([change(['c1']), [{ text: 'over' }]], [tool(events)], { decide, ...more }, () => ({
      type: 'approve',
      input,
    }))
    return { ...outcome, events }
  }

  it('runs with its grants, and is shown with the model’s input', async () => {
    const outcome = await edit({ id: 'other' })
    expect(outcome.events).toEqual(['other'])
    expect(granted).toEqual(['/outside/other'])
    expect(call(outcome, 'c1')).toMatchObject({
      state: 'output-available',
      input: { id: 'c1' },
      toolMetadata: { troupe: { executedInput: { id: 'other' } } },
    })
  })

  it('is denied if a rule denies it, despite the approval, and the turn continues', async () => {
    const outcome = await edit({ id: 'bad' })
    expect(outcome.events).toEqual([])
    expect(call(outcome, 'c1')).toMatchObject({ state: 'output-denied' })
    expect(JSON.stringify(outcome.model.calls[1]?.prompt)).toContain('The rule \\"Change(bad)\\" says deny.')
    expect(texts(outcome)).toEqual(['over'])
  })

  it('is denied if a hook denies it, and no hook can rewrite it', async () => {
    const denying = hook('before-call', (occasion) =>
      'input' in occasion && (occasion.input as { id: string }).id === 'other'
        ? { decision: 'deny', reason: 'not that one' }
        : undefined,
    )
    expect((await edit({ id: 'other' }, { hooks: [denying] })).events).toEqual([])
    const rewriting = hook('before-call', () => ({ input: { id: 'mine' } }))
    expect((await edit({ id: 'other' }, { hooks: [rewriting] })).events).toEqual(['other'])
  })

  it('that is invalid is rejected with the reason', async () => {
    const outcome = await edit({ id: 7 })
    expect(call(outcome, 'c1')).toMatchObject({
      state: 'output-denied',
      approval: { reason: expect.stringMatching(/edited input is invalid.*id/) },
    })
    expect(texts(outcome)).toEqual(['over'])
  })
})

describe('an approval', () => {
  it('has the reason, the rule, the commands and the rules to remember', async () => {
    const seen: Ask[] = []
    const why = {
      ...asks('It is not known to be harmless.'),
      rule: 'Change',
      remember: ['Change(a *)'],
      commands: [{ text: 'a b', note: 'changes files' }],
    }
    const outcome = await play(
      [change(['c1']), [{ text: 'over' }]],
      [tool([])],
      { decide: () => why, client: 'page-1' },
      (ask) => {
        seen.push(ask)
        return { type: 'approve' }
      },
    )
    const { decision: _, ...shown } = why
    expect(seen).toMatchObject([{ ...shown, client: 'page-1', kind: 'approval', input: { id: 'c1' } }])
    const request = outcome.log.items.find((item) => item.type === 'tool-approval-request')
    expect(request).toMatchObject({ approvalDescriptor: { title: 'Change', ...shown }, reason: why.reason })
  })
})

describe('asks of several calls', () => {
  function inbox(early: Record<string, Answer> = {}): Asks & { open: Map<string, (answer: Answer) => void> } {
    const open = new Map<string, (answer: Answer) => void>()
    return {
      open,
      ask(ask, signal, onOpen) {
        const answer = early[ask.toolCallId]
        if (answer !== undefined) return Promise.resolve(answer)
        return new Promise((resolve, reject) => {
          const close = (): void => {
            open.delete(ask.toolCallId)
            reject(signal.reason as Error)
          }
          if (signal.aborted) return close()
          signal.addEventListener('abort', close)
          open.set(ask.toolCallId, (given) => {
            open.delete(ask.toolCallId)
            resolve(given)
          })
          onOpen?.()
        })
      },
    }
  }

  const look = (events: string[]) =>
    probe('Look', true, events, {
      needsApproval: true,
      execute({ id }: { id: string }) {
        events.push(id)
        return { id }
      },
    })
  const looks = (ids: string[]) => [change(ids, 'Look'), [{ text: 'over' }]]

  function started(
    more: Partial<RunInput> & { asks: Asks },
    ids: string[],
  ): { events: string[]; waiting: Promise<void>; outcome: Promise<Playing> } {
    const events: string[] = []
    const waits = Promise.withResolvers<void>()
    const outcome = play(looks(ids), [look(events)], {
      ...more,
      onStatus: (status) => void (status === 'waiting' && waits.resolve()),
    })
    return { events, waiting: waits.promise, outcome }
  }

  it('are open in parallel and answered in any order', async () => {
    const own = inbox()
    const { events, waiting, outcome } = started({ asks: own }, ['a', 'b', 'c'])
    await waiting
    expect([...own.open.keys()]).toEqual(['a', 'b', 'c'])
    own.open.get('c')?.({ type: 'approve' })
    own.open.get('a')?.({ type: 'deny', remark: 'no' })
    own.open.get('b')?.({ type: 'approve' })
    expect(texts(await outcome)).toEqual(['over'])
    expect(events.toSorted()).toEqual(['b', 'c'])
  })

  it('take an answer that was there before them, without waiting', async () => {
    const statuses: string[] = []
    const outcome = await play(looks(['a', 'b']), [look([])], {
      asks: inbox({ a: { type: 'approve' }, b: { type: 'deny', remark: 'no' } }),
      onStatus: (status) => void statuses.push(status),
    })
    expect(statuses).toEqual([])
    expect(call(outcome, 'a').state).toBe('output-available')
    expect(call(outcome, 'b').state).toBe('output-denied')
  })

  it('close when the run is stopped', async () => {
    const own = inbox()
    const controller = new AbortController()
    const { waiting, outcome } = started({ asks: own, signal: controller.signal }, ['a', 'b'])
    await waiting
    controller.abort(stopped)
    expect((await outcome).status).toBe('aborted')
    expect(own.open.size).toBe(0)
  })

  it('are withdrawn when an earlier call of the step is denied, and the turn ends', async () => {
    const own = inbox()
    const { events, waiting, outcome } = started({ asks: own }, ['a', 'b', 'c'])
    await waiting
    own.open.get('b')?.({ type: 'deny' })
    await expect.poll(() => [...own.open.keys()]).toEqual(['a'])
    own.open.get('a')?.({ type: 'approve' })
    const ended = await outcome
    expect(events).toEqual(['a'])
    expect(ended.message.metadata?.stopped?.reason).toBe('denied')
    expect(call(ended, 'c').errorText).toBe('Not run: an earlier tool call in this step was denied.')
    expect(texts(ended)).toEqual([])
  })

  it('after a denial are never made', async () => {
    const events: string[] = []
    const asked: string[] = []
    const outcome = await play([change(['a', 'b', 'c']), [{ text: 'never' }]], [tool(events)], { decide }, (ask) => {
      asked.push(ask.toolCallId)
      return ask.toolCallId === 'b' ? { type: 'deny' } : { type: 'approve' }
    })
    expect(asked).toEqual(['a', 'b'])
    expect(events).toEqual(['a'])
    expect(call(outcome, 'c').errorText).toMatch(/earlier tool call in this step was denied/)
    expect(texts(outcome)).toEqual([])
  })

  it('that follow a denial with a remark are asked, and the turn continues', async () => {
    const events: string[] = []
    const outcome = await play([change(['a', 'b']), [{ text: 'over' }]], [tool(events)], { decide }, (ask) =>
      ask.toolCallId === 'a' ? { type: 'deny', remark: 'first b' } : { type: 'approve' },
    )
    expect(events).toEqual(['b'])
    expect(JSON.stringify(outcome.model.calls[1]?.prompt)).toContain('first b')
    expect(texts(outcome)).toEqual(['over'])
  })
})

describe('calls that wait for an approval', () => {
  /** Holds the first ask until the others are open, then answers all in this order. */
  async function together(
    ids: string[],
    answers: [string, Answer][],
    more: Partial<RunInput> & { tools?: Tool[] } = {},
  ): Promise<Playing & { events: string[]; asked: string[] }> {
    const events: string[] = []
    const asked: string[] = []
    const open = new Map<string, (answer: Answer) => void>()
    const { tools = [tool(events)], ...rest } = more
    const outcome = await play([change(ids), [{ text: 'over' }]], tools, {
      decide,
      asks: {
        together: true,
        ask(ask, signal, onOpen) {
          asked.push(ask.toolCallId)
          const { promise, resolve, reject } = Promise.withResolvers<Answer>()
          signal.addEventListener('abort', () => reject(signal.reason as Error))
          open.set(ask.toolCallId, resolve)
          onOpen?.()
          return promise
        },
      },
      onStatus(status) {
        events.push(status)
        if (status === 'waiting') for (const [id, answer] of answers.splice(0)) open.get(id)?.(answer)
      },
      ...rest,
    })
    return { ...outcome, events: events.filter((event) => event !== 'running'), asked }
  }

  it('ask before the run counts as waiting, and run in the order of the model', async () => {
    const approve: Answer = { type: 'approve' }
    const outcome = await together(
      ['a', 'good', 'b', 'bad'],
      [
        ['b', approve],
        ['a', approve],
      ],
    )
    expect(outcome.asked).toEqual(['a', 'b'])
    expect(outcome.events).toEqual(['waiting', 'a', 'good', 'b'])
    expect(call(outcome, 'good')).toMatchObject({ approval: { isAutomatic: true, approved: true } })
    expect(call(outcome, 'bad').state).toBe('output-denied')
    expect(texts(outcome)).toEqual(['over'])
  })

  it('run if a later one is denied, do not if an earlier one is, and either ends the turn', async () => {
    const refusedLater = await together(
      ['a', 'b', 'c'],
      [
        ['b', { type: 'deny' }],
        ['c', { type: 'approve' }],
        ['a', { type: 'approve' }],
      ],
    )
    expect(refusedLater.events).toEqual(['waiting', 'a'])
    expect(call(refusedLater, 'c').errorText).toMatch(/earlier tool call in this step was denied/)
    expect(texts(refusedLater)).toEqual([])
    const refusedFirst = await together(
      ['a', 'good', 'b'],
      [
        ['b', { type: 'approve' }],
        ['a', { type: 'deny' }],
      ],
    )
    expect(refusedFirst.events).toEqual(['waiting'])
    for (const id of ['good', 'b'])
      expect(call(refusedFirst, id).errorText).toMatch(/earlier tool call in this step was denied/)
    expect(texts(refusedFirst)).toEqual([])
  })

  it('end before the turn does, also if an earlier one is denied', async () => {
    const withdrawn: string[] = []
    const later = Promise.withResolvers<void>()
    await play([change(['a', 'b'])], [tool([])], {
      decide,
      asks: {
        together: true,
        ask(ask, signal, onOpen) {
          onOpen?.()
          if (ask.toolCallId === 'a') return later.promise.then(() => ({ type: 'deny' }))
          const { promise, reject } = Promise.withResolvers<Answer>()
          signal.addEventListener('abort', () =>
            setTimeout(() => {
              withdrawn.push(ask.toolCallId)
              reject(signal.reason as Error)
            }, 50),
          )
          later.resolve()
          return promise
        },
      },
    })
    expect(withdrawn).toEqual(['b'])
  })

  it('are checked against the state after the earlier calls', async () => {
    const events: string[] = []
    const made = new Set<string>()
    const needy = {
      ...tool(events),
      validate: ({ id }: { id: string }) => (id === 'a' || made.has('a') ? true : 'There is no a.'),
      execute({ id }: { id: string }) {
        made.add(id)
        events.push(id)
        return { id }
      },
    } as Tool
    const approve: [string, Answer][] = [
      ['a', { type: 'approve' }],
      ['b', { type: 'approve' }],
    ]
    await together(['a', 'b'], [...approve], { tools: [needy] })
    expect(events).toEqual(['a', 'b'])

    events.length = 0
    made.clear()
    const moving: RunInput['decide'] = ({ input }) =>
      asks((input as { id: string }).id === 'b' && made.has('a') ? 'It leaves the workspace.' : 'It changes things.')
    const outcome = await together(['a', 'b'], [...approve], { tools: [needy], decide: moving })
    expect(events).toEqual(['a'])
    expect(call(outcome, 'b').errorText).toContain('It leaves the workspace.')
    expect(texts(outcome)).toEqual(['over'])
  })
})

describe('without a person', () => {
  it('tool calls that would ask are denied with the reason, and the turn continues', async () => {
    const outcome = await play([change(['c1']), [{ text: 'over' }]], [tool([])], { decide, headless: true })
    expect(call(outcome, 'c1')).toMatchObject({
      state: 'output-denied',
      approval: { reason: 'It changes things. Nobody is available to approve it, so it did not run.' },
    })
    expect(texts(outcome)).toEqual(['over'])
  })
})
