import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '@troupe/core'
import { cleanMessage, type Message, type StoredMessage } from '@troupe/protocol'
import { openSqliteStore } from '../src/stores/sqlite.ts'
import type { CrashHome } from './open-home.ts'
import type { Played, PlayedTurn } from './play-rounds.ts'

export interface Report {
  problems: string[]
  kills: number
  turns: number
  writes: number
  unknownOutcomes: number
  steered: number
  answered: number
  interrupted: number
  resets: number
  medianStartMs: number
  slowestStartMs: number
}

type CallPart = { type: string; state: string; toolCallId: string; input: { key: string }; errorText?: string }

export async function checkSurvivors(home: CrashHome, played: Played): Promise<Report> {
  const store = await openSqliteStore({ home: home.home })
  try {
    const report = await checkPlayed(store, home.workspace, played)
    checkDatabase(home, report.problems)
    for (const sessionId of new Set(played.turns.map((turn) => turn.sessionId)))
      await checkExport(home, sessionId, store, report.problems)
    return report
  } finally {
    await store.close()
  }
}

/** Checks what holds for every store: nothing acknowledged is lost, and no write ran twice. */
export async function checkPlayed(store: Store, workspace: string, played: Played): Promise<Report> {
  const problems: string[] = []
  const starts = played.starts.map(({ wholeStartMs }) => wholeStartMs).toSorted((a, b) => a - b)
  const report: Report = {
    problems,
    kills: played.kills,
    turns: played.turns.length,
    writes: 0,
    unknownOutcomes: 0,
    steered: 0,
    answered: played.answered.size,
    interrupted: 0,
    resets: 0,
    medianStartMs: starts[starts.length >> 1] ?? 0,
    slowestStartMs: starts.at(-1) ?? 0,
  }
  for (const line of played.lines)
    if (!line.startsWith('{') || /"level":"error"/.test(line)) problems.push(`the server said: ${line}`)
  const written = countLines(path.join(workspace, 'writes.txt'))
  for (const [key, times] of written) if (times > 1) problems.push(`the write ${key} ran ${times} times`)
  report.writes = written.size
  const known = new Set<string>()
  const callIds = new Set<string>()
  for (const turn of played.turns) {
    const message = await checkTurn(turn, store, problems)
    if (message === undefined) continue
    const calls = message.parts.filter((part) => 'toolCallId' in part) as unknown as CallPart[]
    for (const call of calls) {
      known.add(call.input.key)
      if (callIds.has(`${turn.sessionId} ${call.toolCallId}`))
        problems.push(`${turn.sessionId}: two calls have the id ${call.toolCallId}`)
      callIds.add(`${turn.sessionId} ${call.toolCallId}`)
      if (/outcome is unknown/.test(call.errorText ?? '')) report.unknownOutcomes++
      if (call.type.startsWith('tool-Append') && call.state === 'output-available' && !written.has(call.input.key))
        problems.push(`the write ${call.input.key} has a result and did not run`)
      if (call.state === 'output-denied' && written.has(call.input.key))
        problems.push(`the write ${call.input.key} was refused and ran`)
    }
    report.steered += turn.steered.length
    if (message.metadata?.interrupted === true) report.interrupted++
    report.resets += turn.readers.filter((reader) =>
      reader.events.some(({ chunk }) => chunk.type === 'reset-step'),
    ).length
  }
  for (const key of written.keys()) if (!known.has(key)) problems.push(`the write ${key} ran and is in no message`)
  for (const [id, answer] of played.answered) {
    const ask = await store.asks.get(id)
    if (JSON.stringify(ask?.answer) !== JSON.stringify(answer))
      problems.push(`the answer to ${id} is lost: ${JSON.stringify(ask)}`)
  }
  for (const { id, status } of await store.runs.unfinished()) problems.push(`the run ${id} is still ${status}`)
  const runs = new Set<string>()
  for (const { sessionId } of played.turns) for (const { id } of await store.runs.ofSession(sessionId)) runs.add(id)
  for (const pid of leftProcesses(runs)) problems.push(`the process ${pid} was left behind`)
  return report
}

/** Checks that the question has exactly one finished answer, identical byte for byte in every tab. */
async function checkTurn(turn: PlayedTurn, store: Store, problems: string[]): Promise<StoredMessage | undefined> {
  const at = { sessionId: turn.sessionId }
  if ((await store.messages.get(at, turn.userMessageId)) === undefined) {
    problems.push(`the question ${turn.userMessageId} is lost`)
    return undefined
  }
  const leaf = await store.messages.latestLeaf(at, turn.userMessageId)
  const chain = leaf === undefined ? [] : await store.messages.chain(at, leaf)
  const answer = chain[chain.findIndex((message) => message.id === turn.userMessageId) + 1]
  if (answer === undefined) {
    problems.push(`the question ${turn.userMessageId} has no answer`)
    return undefined
  }
  const where = `${turn.userMessageId} (seed ${turn.seed})`
  const runs = await store.runs.ofMessage(turn.sessionId, answer.id)
  const statuses = runs.map(({ status }) => status)
  if (statuses.length !== 1 || !['done', 'aborted', 'interrupted'].includes(statuses[0] as string))
    problems.push(`${where}: runs ${statuses.join(', ')}: ${JSON.stringify(answer.metadata?.error)}`)
  if (turn.stopped && statuses[0] !== 'aborted' && statuses[0] !== 'done')
    problems.push(`${where}: stopped, and then ${statuses[0]}`)
  for (const id of turn.steered) {
    if (!answer.parts.some((part) => part.type === 'steering-message' && part.id === id))
      problems.push(`${where}: the accepted message ${id} is lost`)
  }
  for (const part of answer.parts) {
    if ('toolCallId' in part && 'state' in part && !part.state.startsWith('output-'))
      problems.push(`${where}: the call ${part.toolCallId} is ${part.state}`)
  }
  const stored = json({ id: answer.id, role: answer.role, parts: answer.parts, metadata: answer.metadata } as Message)
  for (const [tab, reader] of turn.readers.entries()) {
    const seen = json(reader.message())
    // The order of keys is no promise.
    if (!isDeepStrictEqual(JSON.parse(seen), JSON.parse(stored)))
      problems.push(`${where}: tab ${tab} holds another message\n${firstDifference(seen, stored)}`)
  }
  if (stored !== json(cleanMessage(answer as Message, { run: 'ended' })))
    problems.push(`${where}: what is stored is not clean`)
  return answer
}

function json({ id, role, parts, metadata }: Message): string {
  return JSON.stringify({ id, role, parts, metadata })
}

function firstDifference(a: string, b: string): string {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return `  tab:    …${a.slice(Math.max(0, i - 80), i + 160)}\n  stored: …${b.slice(Math.max(0, i - 80), i + 160)}`
}

async function checkExport(home: CrashHome, sessionId: string, store: Store, problems: string[]): Promise<void> {
  const folder = path.join(home.home, 'sessions', sessionId)
  for (const file of filesBelow(folder)) {
    const text = readFileSync(file, 'utf8')
    if (file.endsWith('.jsonl') && text !== '' && !text.endsWith('\n')) problems.push(`${file} ends in a torn line`)
    const pieces = file.endsWith('.jsonl') ? text.split('\n').filter((line) => line !== '') : [text]
    for (const piece of pieces)
      if (!isJson(piece)) problems.push(`${file} holds what is no JSON: ${piece.slice(0, 100)}`)
  }
  const lines = readFileSync(path.join(folder, 'messages.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const exported = lines.map((line) => JSON.parse(line) as StoredMessage)
  const leaf = await store.messages.latestLeaf({ sessionId })
  const stored = leaf === undefined ? [] : await store.messages.chain({ sessionId }, leaf)
  const byId = new Map(exported.map((message) => [message.id, message]))
  if (byId.size !== exported.length || byId.size !== stored.length)
    problems.push(`${sessionId}: ${exported.length} lines, ${byId.size} ids, ${stored.length} messages`)
  for (const { id, parentMessageId, role, parts, metadata, createdAt } of stored) {
    const line = byId.get(id)
    const differs =
      JSON.stringify([line?.parentMessageId, line?.role, line?.parts, line?.metadata, line?.createdAt]) !==
      JSON.stringify([parentMessageId, role, parts, metadata, createdAt])
    if (differs) problems.push(`${sessionId}: the line of ${id} differs from the database`)
  }
}

function checkDatabase(home: CrashHome, problems: string[]): void {
  const database = new DatabaseSync(path.join(home.home, 'troupe.db'))
  try {
    const [row] = database.prepare('pragma integrity_check').all() as { integrity_check: string }[]
    if (row?.integrity_check !== 'ok') problems.push(`the database says: ${row?.integrity_check}`)
  } finally {
    database.close()
  }
}

/** Returns processes that carry a tool call marker of these runs. All are over, so none may remain. */
function leftProcesses(runs: ReadonlySet<string>): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    try {
      const run = /(?:^|\0)TROUPE_CALL=([^/]+)\//.exec(readFileSync(`/proc/${entry}/environ`, 'utf8'))?.[1]
      return run !== undefined && runs.has(run) ? [Number(entry)] : []
    } catch {
      return []
    }
  })
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => /\.jsonl?$/.test(file) && statSync(file).isFile())
}

function countLines(file: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of readFileSync(file, 'utf8').split('\n'))
    if (line !== '') counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
