import { openSqliteStore } from '../sqlite.ts'

/** Writes to the store at `argv[2]` forever. Prints one line per acknowledged write. */
const [home, round] = process.argv.slice(2) as [string, string]
const store = await openSqliteStore({ home })
const { id: workspaceId } = await store.workspaces.open('/tmp/one')

async function write(worker: number): Promise<void> {
  const sessionId = `s${worker}`
  if (!(await store.sessions.get(sessionId))) await store.sessions.create({ id: sessionId, workspaceId })
  const runId = `r${round}_${worker}`
  let parent = (await store.messages.latestLeaf({ sessionId })) ?? null
  const run = {
    userMessageId: 'u',
    messageId: 'a',
    status: 'running' as const,
    request: {},
    fromNumber: 0,
    endedAt: null,
  }
  await store.runs.put({ id: runId, sessionId, agentId: null, createdAt: Date.now(), ...run })
  for (let i = 1; ; i++) {
    const id = `m${round}_${i}`
    const text = `${id} ${'x'.repeat((i * 997) % 40_000)}`
    const at = { id, parentMessageId: parent, role: 'user' as const, createdAt: i }
    await store.messages.add({ sessionId }, { ...at, parts: [{ type: 'text', text }] })
    acknowledge(`message ${sessionId} ${id} ${text.length}`)
    if (i % 3 === 0) {
      await store.messages.replace({ sessionId }, { id, parts: [{ type: 'text', text: `${text}!` }] })
      acknowledge(`message ${sessionId} ${id} ${text.length + 1}`)
    }
    await store.frames.append([
      { runId, seq: i, from: i - 1, to: i, items: [{ type: 'text-delta', id: '0', delta: 'x' }] },
    ])
    acknowledge(`frame ${runId} ${i}`)
    parent = id
  }
}

function acknowledge(line: string): void {
  process.stdout.write(`${line}\n`)
}

await Promise.all([write(1), write(2), write(3)])
