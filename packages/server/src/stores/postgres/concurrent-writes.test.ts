import type { Store } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClearing, createTestDatabase, hasPostgres, query } from '../../testing/postgres.ts'
import { fold } from '../sql/message-text.ts'
import type { SqlStore } from '../sql/sql-store.ts'
import { ask, message } from '../testing/builders.ts'
import { openPostgresStore } from './open-postgres.ts'

const sessions = ['s1', 's2']
const kinds =
  'add add add replace remove takeOut bringBack open answer answerTwice closeRun usage setting rename'.split(' ')
const index = fc.nat({ max: 3 })
const operation = fc.record({
  lane: fc.nat({ max: 8 }),
  session: fc.constantFrom('s1', ...sessions),
  one: index,
  other: index,
  kind: fc.constantFrom(...kinds),
})
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

describe.skipIf(!hasPostgres)('three nodes that write at once', () => {
  let url: string
  let nodes: SqlStore[]
  let clearing: Awaited<ReturnType<typeof createClearing>>
  beforeAll(async () => {
    url = await createTestDatabase()
    nodes = await Promise.all([1, 2, 3].map(() => openPostgresStore({ url, max: 4 })))
    clearing = await createClearing(url)
  })
  afterAll(async () => {
    await Promise.all(nodes.map((store) => store.close()))
    await clearing.end()
  })

  it('leave a store in which everything fits together', async () => {
    expect.hasAssertions()
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 40, maxLength: 80 }), async (operations) => {
        await clearing.clear()
        const workspace = await nodes[0]!.workspaces.open('/tmp/one')
        for (const id of sessions) await nodes[0]!.sessions.create({ id, workspaceId: workspace.id })
        const done = {
          usage: 0,
          settings: 0,
          answers: new Map<string, number>(),
          removals: new Map<string, string[]>(),
        }
        const lanes = Map.groupBy(operations, ({ lane }) => lane)
        await Promise.all(
          Array.from(lanes, async ([lane, own]) => {
            for (const one of own) await run(nodes[lane % nodes.length] as Store, one, done)
          }),
        )
        await check(done)
      }),
      { numRuns: 6, endOnFailure: true },
    )
  })

  interface Done {
    usage: number
    settings: number
    answers: Map<string, number>
    removals: Map<string, string[]>
  }

  async function run(store: Store, { kind, session, one, other }: Operation, done: Done): Promise<void> {
    const at = { sessionId: session }
    const id = `m${one}`
    const parts = [
      { type: 'text' as const, text: `Text ${one} ${other} 数据` },
      { type: 'tool-Look' as const, toolCallId: `c${other}`, state: 'output-available' as const, input: {}, output: 1 },
    ]
    const work: Record<string, () => Promise<unknown>> = {
      add: () => store.messages.add(at, { ...message(id, other === 0 ? null : `m${other}`), parts }),
      replace: () => store.messages.replace(at, { id, parts }),
      remove: () => store.messages.remove(at, id),
      takeOut: async () => {
        const removal = await store.messages.takeOut(at, { below: id })
        done.removals.set(session, [...(done.removals.get(session) ?? []), removal.id])
      },
      bringBack: () => store.messages.bringBack(at, done.removals.get(session)?.at(-1) ?? 'none'),
      open: () => store.asks.open(ask(`${session}k${one}`, session, { runId: `r${other}` })),
      answer: () => answer(`${session}k${one}`),
      answerTwice: () => Promise.all([answer(`${session}k${one}`), answer(`${session}k${other}`)]),
      closeRun: () => store.asks.closeRun(`r${other}`),
      usage: async () => {
        const numbers = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1, cost: 0.5, unpricedTokens: 0 }
        const entry = (model: number) => ({ day: '2026-11-16', model: `m${model}`, folder: '/', ...numbers })
        await store.usage.add([entry(one), entry(other)])
        done.usage += 2
      },
      setting: async () => {
        await store.settings.update('count', (count) => ((count as number | undefined) ?? 0) + 1)
        done.settings++
      },
      rename: () =>
        store.transaction(async (inside) => {
          const { title = '' } = (await inside.sessions.get(session)) ?? {}
          await inside.sessions.update(session, { title: `${title.slice(0, 20)}${one}` })
        }),
    }
    // Others may have removed, added or answered it before: an error with a name, and never one of the database.
    await work[kind]!().catch((error: unknown) => expect(error).toBeInstanceOf(NamedError))

    async function answer(id: string): Promise<void> {
      await store.asks.answer(id, { type: 'approve' })
      done.answers.set(id, (done.answers.get(id) ?? 0) + 1)
    }
  }

  async function check(done: Done): Promise<void> {
    const store = nodes[1] as Store
    for (const id of sessions) {
      const at = { sessionId: id }
      const own = `session_id = '${id}'`
      const rows = await query(url, `select seq from message where ${own} union all select seq from ask where ${own}`)
      const seqs = rows.map(({ seq }) => Number(seq))
      expect(new Set(seqs).size).toBe(seqs.length)
      const [counted] = await query(url, `select seq, message_count from session where id = '${id}'`)
      expect(Number(counted!['seq'])).toBeGreaterThanOrEqual(Math.max(0, ...seqs))
      const { messages } = await store.messages.page(at, { limit: 1000 })
      expect(Number(counted!['message_count'])).toBe(messages.length)
      expect(await store.messages.strays(at)).toEqual([])
      const texts = await query(url, `select message_id, text from message_text where ${own} and message_id <> ''`)
      const found = texts.map(({ message_id, text }) => `${message_id} ${text}`)
      const shown = messages.map(({ id, parts }) => `${id} ${fold((parts[0] as { text: string }).text)}`)
      expect(found.map((text) => text.split(' ').slice(0, 4).join(' ')).toSorted()).toEqual(
        shown.map((text) => text.split(' ').slice(0, 4).join(' ')).toSorted(),
      )
      const calls = await store.calls.ids(id)
      for (const { parts } of messages) expect(calls).toContain((parts[1] as { toolCallId: string }).toolCallId)
    }
    for (const one of await store.asks.list({})) expect(done.answers.get(one.id) ?? 0).toBe(one.answer === null ? 0 : 1)
    const { days } = await store.usage.totals({ from: '2026-11-16' })
    expect([days[0]?.calls ?? 0, days[0]?.cost ?? 0]).toEqual([done.usage, done.usage / 2])
    expect((await store.settings.get('count')) ?? 0).toBe(done.settings)
  }
})
