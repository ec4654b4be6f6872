import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAgentState, createPolicy, decide, type Session, type Store, type Tool } from '@troupe/core'
import { type Script, scriptedModel, type ScriptedModel } from '@troupe/core/testing'
import type { Chunk, ModelDefinition } from '@troupe/protocol'
import type { Sink } from '../http/route.ts'
import { createInbox, type Inbox } from '../runs/inbox.ts'
import { createJournal, type Journal } from '../runs/journal.ts'
import { createRunManager, type LiveRun } from '../runs/run-manager.ts'
import type { RunManager } from '../runs/run-types.ts'
import type { RunServices, SessionServices } from '../runs/run-services.ts'
import type { LogEvent } from '../runs/subscriber.ts'
import { createBlobFiles } from '../blobs/blob-files.ts'
import { openSqliteStore } from '../stores/sqlite.ts'

/** An unknown model, so that files of every kind are sent to it. */
const definition: ModelDefinition = {
  id: 'scripted',
  provider: 'test',
  name: 'Scripted',
  familyId: 'test',
  tags: [],
  guessed: true,
}

/** Live runs on a store in a temporary folder. A second one on the same store simulates the next process. */
export interface TestRuns {
  home: string
  runs: RunManager
  store: Store
  inbox: Inbox
  journal: Journal
  model: ScriptedModel
  /** Log lines of level warn or higher. */
  lines: string[]
  session: Session
  ask(text?: string, request?: object): Promise<LiveRun>
  /** Simulates the next process on this store. The current one's runs stay frozen. */
  next(script: Script, options?: TestRunsOptions): TestRuns
  close(): Promise<void>
}

export interface TestRunsOptions extends Partial<Omit<RunServices, 'session'>>, Partial<SessionServices> {
  toolList?: Tool[]
}

export async function openTestRuns(script: Script, options: TestRunsOptions = {}): Promise<TestRuns> {
  const home = mkdtempSync(path.join(tmpdir(), 'troupe-live-'))
  const store = options.store ?? (await openSqliteStore({ home }))
  const workspace = await store.workspaces.open(home)
  const session = await store.sessions.create({ id: 's1', workspaceId: workspace.id })
  const processes: RunManager[] = []
  let questions = 0
  return open(script, { store, ...options })

  function open(played: Script, given: TestRunsOptions): TestRuns {
    const lines: string[] = []
    const used = given.store ?? store
    const journal = given.journal ?? createJournal(used)
    const inbox = createInbox(used)
    const model = scriptedModel(played)
    const policy = createPolicy()
    const own: SessionServices = {
      workspace,
      tools: () => given.toolList ?? [],
      offers: () => false,
      ready: () => Promise.resolve(undefined),
      agent: (name) => Promise.resolve({ name, description: '', prompt: 'master', tools: ['*'] }),
      agents: () => Promise.resolve([]),
      whyNoAgent: () => Promise.resolve(undefined),
      blocks: () => Promise.resolve([{ name: 'prompt', text: 'Be brief.' }]),
      onStart: () => undefined,
      decide: () => (call, ctx) => decide(call, ctx, policy),
      mode: () => ({ get: () => 'default', set: () => Promise.resolve() }),
      hooks: () => [],
      noteUserHosts: () => undefined,
      state: () => createAgentState({ workspace: home, outputFolder: path.join(home, 'output') }),
      ...given,
    }
    const runs = createRunManager({
      store: used,
      blobs: createBlobFiles(path.join(home, 'blobs')),
      journal,
      inbox,
      logger: ({ level, message, error }) =>
        void (level !== 'debug' && level !== 'info' && lines.push(`${message}: ${String(error)}`)),
      models: {
        resolveChatModel: (id = 'test/scripted') => Promise.resolve({ id, model, definition }),
        learn: () => undefined,
      },
      credentials: () => Promise.resolve(undefined),
      session: () => Promise.resolve(own),
      limits: () => ({}),
      recovery: () => 'continue',
      toolSettings: () => undefined,
      redact: (text) => text,
      dropState: () => Promise.resolve(),
      pickState: () => Promise.resolve(),
      ...given,
    })
    processes.push(runs)
    return {
      home,
      runs,
      store: used,
      inbox,
      journal,
      model,
      lines,
      session,
      async ask(text = 'hello', request = {}) {
        const at = { sessionId: session.id }
        const id = `u${++questions}`
        const parentMessageId = (await store.messages.latestLeaf(at)) ?? null
        await store.messages.add(at, {
          id,
          parentMessageId,
          role: 'user',
          parts: [{ type: 'text', text }],
          createdAt: Date.now(),
        })
        return runs.start({ session, userMessageId: id, request: { model: 'test/scripted', ...request } })
      },
      next(another, more = {}) {
        const { journal: _, ...rest } = given
        return open(another, { ...rest, ...more })
      },
      async close() {
        // `close` would wait several seconds for a stalled write.
        await Promise.allSettled(processes.map((one) => one.stop(session.id)))
        await Promise.all(processes.map((one) => one.close()))
        await journal.close()
        await store.close()
        rmSync(home, { recursive: true, force: true })
      },
    }
  }
}

export interface TestSink extends Sink {
  events: LogEvent[]
  ended: Promise<void>
  isEnded(): boolean
  chunks(): Chunk[]
}

export function createTestSink(): TestSink {
  const events: LogEvent[] = []
  const ended = Promise.withResolvers<void>()
  let isEnded = false
  return {
    events,
    ended: ended.promise,
    isEnded: () => isEnded,
    chunks: () => events.map(({ chunk }) => chunk),
    write(text) {
      events.push(...parseEvents(text))
      return 0
    },
    onDrain: () => undefined,
    cut: () => undefined,
    end() {
      isEnded = true
      ended.resolve()
    },
  }
}

export function parseEvents(text: string): LogEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [id = '', data = ''] = block.split('\n')
      return { number: Number(id.slice('id: '.length)), chunk: JSON.parse(data.slice('data: '.length)) as Chunk }
    })
}
