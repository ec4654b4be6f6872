import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask } from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import { expect, it } from 'vitest'
import { openSqliteStore } from '../src/stores/sqlite.ts'
import { createRandom } from './model-server.ts'
import { type CrashHome, openHome } from './open-home.ts'

const full = process.env['TROUPE_TEST_FULL'] === '1'
const kills = full ? 30 : 2
/** Sub-agents per question: a, its child b, and c in the background. */
const perTurn = 3

it(
  `agents three levels deep survive ${kills} times kill -9: nothing is lost, no write runs twice`,
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-agents-'))
    const seed = Number(process.env['TROUPE_TEST_SEED'] ?? Date.now() % 1_000_000)
    const home = await openHome(folder)
    mkdirSync(path.join(home.home, 'agents'))
    for (const name of ['deep-a', 'deep-b', 'deep-c'])
      writeFileSync(
        path.join(home.home, 'agents', `${name}.md`),
        `---\ndescription: ${name}\ngroups: [crash, agent]\n---\nYou are ${name}.\n`,
      )
    writeFileSync(path.join(home.workspace, 'writes.txt'), '')
    try {
      const { turns, lines } = await play(home, seed)
      const problems = await check(home, turns)
      problems.push(...lines.filter((line) => /"level":"error"/.test(line)))
      expect(problems, `seed ${seed}`).toEqual([])
    } finally {
      await home.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  60_000 + kills * 20_000,
)

async function play(home: CrashHome, seed: number): Promise<{ turns: string[]; lines: string[] }> {
  const random = createRandom(seed)
  const turns: string[] = []
  const lines: string[] = []
  let over = false
  let current = home.start()

  const talks = ['one', 'two'].map(async (sessionId, i) => {
    for (let turn = 0; !over; turn++) {
      const id = `${sessionId}-${turn}`
      turns.push(id)
      const text = `deep:${seed + 1000 * i + turn}x${id.replace('-', 'y')}.`
      for (;;) {
        const done = await attempt(async () => {
          const server = await current
          const body = JSON.stringify({
            sessionId,
            message: { id, role: 'user', parts: [{ type: 'text', text }] },
            responseMode: 'json',
          })
          const response = await server.request('/ai/chat?hold=1', { method: 'POST', body })
          if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
          const { waiting } = (await response.json()) as { waiting?: boolean }
          return waiting !== true
        })
        if (done === true) break
      }
    }
  })
  const answering = (async () => {
    while (!over) {
      await sleep(20)
      await attempt(async () => {
        const server = await current
        const { asks } = (await (await server.request('/ai/asks')).json()) as { asks: Ask[] }
        for (const ask of asks)
          await server.request(`/ai/asks/${ask.id}`, { method: 'POST', body: '{"answer":{"type":"approve"}}' })
        return true
      })
    }
  })()
  for (let kill = 0; kill < kills; kill++) {
    const server = await current
    await sleep(random.between(50, full ? 1500 : 900))
    await server.kill('SIGKILL')
    lines.push(...server.lines)
    current = home.start()
  }
  const server = await current
  await sleep(300)
  const last = Promise.all(talks)
  over = true
  const ending = (async () => {
    let ended = false
    void last.then(() => (ended = true))
    while (!ended) {
      const { asks } = (await (await server.request('/ai/asks')).json()) as { asks: Ask[] }
      for (const ask of asks)
        await server.request(`/ai/asks/${ask.id}`, { method: 'POST', body: '{"answer":{"type":"approve"}}' })
      await sleep(20)
    }
  })()
  await last
  await ending
  await answering
  await server.kill('SIGTERM')
  lines.push(...server.lines)
  return { turns, lines }
}

async function check(home: CrashHome, turns: readonly string[]): Promise<string[]> {
  const problems: string[] = []
  const written = new Map<string, number>()
  for (const line of readFileSync(path.join(home.workspace, 'writes.txt'), 'utf8').split('\n'))
    if (line !== '') written.set(line, (written.get(line) ?? 0) + 1)
  for (const [key, times] of written) if (times > 1) problems.push(`the write ${key} ran ${times} times`)
  const store = await openSqliteStore({ home: home.home })
  try {
    for (const { id, status, agentId } of await store.runs.unfinished())
      problems.push(`the run ${id} of ${agentId} is still ${status}`)
    for (const sessionId of ['one', 'two']) {
      const records = await store.agents.list(sessionId)
      const asked = turns.filter((turn) => turn.startsWith(sessionId)).length
      if (records.length !== asked * perTurn) problems.push(`${sessionId}: ${records.length} agents for ${asked} turns`)
      for (const { agentId, name, status } of records) {
        const { messages } = await store.messages.branch({ sessionId, agentId })
        const where = `${sessionId} ${name} ${agentId}`
        if (status !== 'completed') problems.push(`${where} is ${status}`)
        if (messages.map(({ role }) => role).join() !== 'user,assistant')
          problems.push(`${where} has the messages ${messages.map(({ role }) => role).join()}`)
        checkCalls(messages, written, where, problems)
      }
      const { messages } = await store.messages.branch({ sessionId }, { limit: 500 })
      if (messages.length !== 2 * asked)
        problems.push(`${sessionId} has ${messages.length} messages for ${asked} turns`)
      checkCalls(messages, written, sessionId, problems)
    }
    for (const key of written.keys()) if (!seenKeys.has(key)) problems.push(`the write ${key} ran and is in no message`)
  } finally {
    await store.close()
  }
  return problems
}

const seenKeys = new Set<string>()

function checkCalls(
  messages: readonly StoredMessage[],
  written: ReadonlyMap<string, number>,
  where: string,
  problems: string[],
): void {
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (!('toolCallId' in part) || !('state' in part)) continue
    const { type, state, input, errorText } = part as unknown as {
      type: string
      state: string
      input: { key?: string }
      errorText?: string
    }
    if (input.key !== undefined) seenKeys.add(input.key)
    if (!state.startsWith('output-')) problems.push(`${where}: ${type} is ${state}`)
    if (type === 'tool-Task' && state !== 'output-available') problems.push(`${where}: a Task ended with ${errorText}`)
    if (type.startsWith('tool-Append') && state === 'output-available' && !written.has(input.key ?? ''))
      problems.push(`${where}: the write ${input.key} has a result and did not run`)
    if (type.startsWith('tool-Append') && state === 'output-error' && !/outcome is unknown/.test(errorText ?? ''))
      problems.push(`${where}: the write ${input.key} failed: ${errorText}`)
  }
}

async function attempt(work: () => Promise<boolean>): Promise<boolean | undefined> {
  try {
    return await work()
  } catch {
    await sleep(10)
    return undefined
  }
}
