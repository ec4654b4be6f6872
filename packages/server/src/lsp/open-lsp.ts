import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import {
  childEnvironment,
  type CodeIntelligence,
  isInside,
  type Sandbox,
  shownPath,
  startWarden,
  type Workspace,
} from '@troupe/core'
import type { Logger } from '../util/logger.ts'
import { answerQuestion } from './answer-question.ts'
import type { RpcLimits } from './json-rpc.ts'
import { type LanguageServer, type Problem, startLanguageServer } from './language-server.ts'
import { newProblems, problemsText } from './problems-text.ts'
import { findRoot, type LanguageServerDefinition, type LaunchCommand, loadDefinitions } from './server-definition.ts'

/** `command` replaces the program that would be found. */
export type LanguageServerSettings = Readonly<Record<string, { disabled?: boolean; command?: readonly string[] }>>

export interface LanguageServerState {
  name: string
  title: string
  root: string
  state: 'starting' | 'running' | 'failed'
  /** Reason of a failure. */
  problem?: string
}

export interface Lsp {
  /** Language servers for agents in a folder. Undefined if it is not trusted, because they run its code. */
  of(workspace: Workspace): CodeIntelligence | undefined
  /** Problems of a file with the text of an editor. Undefined if nothing serves the file, or not in time. */
  problems(workspace: Workspace, file: string, text?: string): Promise<Problem[] | undefined>
  states(workspace: Workspace): LanguageServerState[]
  close(): Promise<void>
}

interface LspOptions {
  env: NodeJS.ProcessEnv
  logger: Logger
  settings(): LanguageServerSettings
  /** Language servers run inside it. Without one, programs of the folder are not started: agents can change them. */
  sandbox?: Sandbox | undefined
  /** In team mode: the sandbox of a folder's own programs. */
  sandboxOf?: ((workspace: string) => Sandbox) | undefined
  limits?: RpcLimits
  idleMs?: number
  /** Time that a tool result waits for problems. */
  afterEditMs?: number
}

interface Entry {
  name: string
  definition: LanguageServerDefinition
  root: string
  workspaceId: string
  /** Rejects with the reason it could not start. */
  ready: Promise<LanguageServer>
  ending: AbortController
  server?: LanguageServer
  problem?: string
  usedAt: number
}

const usualAfterEditMs = 2000
/** A first look may load the whole project. */
const firstLookMs = 60_000
const maxServers = 6
const idleMs = 10 * 60_000
const sweepMs = 15_000
/** A server that failed this often is not started again for a while. */
const maxFailures = 3
const failureMs = 10 * 60_000
/** Resident memory of the server's process. */
const maxMemoryBytes = 3 * 2 ** 30

/** Starts language servers on first use, per project folder, and ends those that are idle, too large or too many. */
export function openLsp(options: LspOptions): Lsp {
  const { afterEditMs = usualAfterEditMs } = options
  const { env, logger, settings } = options
  const entries = new Map<string, Entry>()
  const failures = new Map<string, number[]>()
  const mark = `lsp-${randomUUID()}`
  let definitions: ReadonlyMap<string, LanguageServerDefinition> | undefined
  let warden: ReturnType<typeof startWarden> | undefined
  let sweeper: NodeJS.Timeout | undefined

  return {
    of(workspace) {
      if (!workspace.trusted || definitionsNow().size === 0) return undefined
      return bind(workspace)
    },
    async problems(workspace, file, text) {
      const entry = workspace.trusted ? serverOf(workspace, file) : undefined
      const server = await entry?.ready
      return server?.problems(file, { ms: afterEditMs * 5, text })
    },
    states: (workspace) =>
      [...entries.values()]
        .filter(({ workspaceId }) => workspaceId === workspace.id)
        .map(({ name, definition, root, server, problem }) => ({
          name,
          title: definition.title,
          root,
          state: problem !== undefined ? 'failed' : server === undefined ? 'starting' : 'running',
          ...(problem !== undefined && { problem }),
        })),
    async close() {
      clearInterval(sweeper)
      await Promise.all([...entries.keys()].map(stop))
      warden?.dismiss()
    },
  }

  function bind(workspace: Workspace): CodeIntelligence {
    return {
      noteRead(file) {
        const server = serverOf(workspace, file)?.ready
        // Its failure is reported on request.
        void server?.then((ready) => ready.problems(file, { ms: firstLookMs })).catch(() => undefined)
      },
      async problemsAfter(files, signal) {
        const served = files.flatMap((file) => {
          const entry = serverOf(workspace, file)
          return entry === undefined ? [] : [{ file, entry }]
        })
        if (served.length === 0) return undefined
        const limit = AbortSignal.any([signal, AbortSignal.timeout(afterEditMs)])
        const found = await Promise.all(served.map(({ file, entry }) => problemsOf(workspace, entry, file, limit)))
        return problemsText(found.filter((one) => one !== undefined))
      },
      async ask(question, { signal, hides }) {
        const file = question.path
        const entry = file === undefined ? anyServer(workspace) : serverOf(workspace, file)
        if (entry === undefined) throw new Error(whyNone(workspace, file))
        const server = await entry.ready
        return answerQuestion(server, question, { workspace: workspace.path, signal, hides })
      },
    }
  }

  /** Undefined if the file has gone, or its problems are not known in time. */
  async function problemsOf(workspace: Workspace, entry: Entry, file: string, signal: AbortSignal) {
    const before = entry.server?.lastProblems(file)
    try {
      const server = await Promise.race([entry.ready, aborted(signal)])
      server.noteChanges([file])
      const now = await server.problems(file, { ms: afterEditMs, signal })
      if (now === undefined) return undefined
      return {
        file: shownPath(file, workspace.path),
        problems: newProblems(before, now),
        isCompared: before !== undefined,
      }
    } catch {
      return undefined
    }
  }

  function definitionsNow(): ReadonlyMap<string, LanguageServerDefinition> {
    definitions ??= loadDefinitions((message) => logger({ level: 'error', message }))
    return definitions
  }

  function serverOf(workspace: Workspace, file: string): Entry | undefined {
    const extension = path.extname(file)
    for (const [name, definition] of definitionsNow()) {
      if (definition.languages[extension] === undefined) continue
      const real = realInside(file, workspace.path)
      const root = real === undefined ? undefined : findRoot(real, workspace.path, definition.rootMarkers)
      const entry = root === undefined ? undefined : entryOf(workspace, name, definition, root)
      if (entry !== undefined) return entry
    }
    return undefined
  }

  function entryOf(
    workspace: Workspace,
    name: string,
    definition: LanguageServerDefinition,
    root: string,
  ): Entry | undefined {
    const key = `${name}\0${root}`
    const known = entries.get(key)
    if (known !== undefined) {
      known.usedAt = performance.now()
      return known.problem === undefined || !mayStart(key) ? known : start(key, workspace, name, definition, root)
    }
    return start(key, workspace, name, definition, root)
  }

  function mayStart(key: string): boolean {
    const recent = (failures.get(key) ?? []).filter((at) => performance.now() - at < failureMs)
    failures.set(key, recent)
    return recent.length < maxFailures
  }

  function start(
    key: string,
    workspace: Workspace,
    name: string,
    definition: LanguageServerDefinition,
    root: string,
  ): Entry | undefined {
    const launch = launchOf(name, definition, root, workspace.path)
    if (launch === undefined || !mayStart(key)) return undefined
    const sandbox = options.sandboxOf?.(workspace.path) ?? options.sandbox
    makeRoom()
    sweeper ??= setInterval(sweep, sweepMs).unref()
    const ending = new AbortController()
    const entry: Entry = {
      ending,
      name,
      definition,
      root,
      workspaceId: workspace.id,
      usedAt: performance.now(),
      ready: startLanguageServer(definition, {
        launch,
        root,
        env: { ...childEnvironment(env), TROUPE_TASK: `${mark}.${randomUUID()}` },
        warden: (warden ??= startWarden(mark)),
        limits: options.limits,
        signal: ending.signal,
        confined: sandbox === undefined ? undefined : { sandbox, roots: [workspace.path] },
        onEnd: (reason) => fail(key, entry, reason),
      }),
    }
    entries.set(key, entry)
    entry.ready.then(
      (server) => (entry.server = server),
      (error: unknown) => fail(key, entry, (error as Error).message),
    )
    return entry
  }

  function fail(key: string, entry: Entry, reason: string): void {
    if (entry.problem !== undefined) return
    entry.problem = reason
    failures.set(key, [...(failures.get(key) ?? []), performance.now()])
    logger({ level: 'warn', message: `the language server for ${entry.definition.title} ${reason}`, root: entry.root })
  }

  function launchOf(
    name: string,
    definition: LanguageServerDefinition,
    root: string,
    workspace: string,
  ): LaunchCommand | undefined {
    const { disabled = false, command: given } = settings()[name] ?? {}
    if (disabled) return undefined
    const [command, ...args] = given ?? []
    if (command !== undefined) return { command, args }
    const found = definition.find({ root, workspace, env })
    if (found === undefined || (options.sandboxOf ?? options.sandbox) !== undefined) return found
    const isOfFolder = [found.command, realpathSync(found.command)].some((program) => isInside(program, workspace))
    return isOfFolder ? undefined : found
  }

  /** A question about the whole folder goes to the server that was used last. */
  function anyServer(workspace: Workspace): Entry | undefined {
    return [...entries.values()]
      .filter(({ workspaceId, problem }) => workspaceId === workspace.id && problem === undefined)
      .toSorted((one, other) => other.usedAt - one.usedAt)[0]
  }

  function whyNone(workspace: Workspace, file: string | undefined): string {
    if (file === undefined) return 'No language server is running yet. Name a file.'
    const titles = [...definitionsNow().values()]
      .filter(({ languages }) => languages[path.extname(file)] !== undefined)
      .map(({ title }) => title)
    if (titles.length === 0) return `No language server knows files like "${path.basename(file)}". Use Grep instead.`
    const failed = [...entries.values()].find(
      (one) => one.workspaceId === workspace.id && titles.includes(one.definition.title),
    )
    if (failed?.problem !== undefined)
      return `The language server for ${titles[0]} ${failed.problem}. Use Grep instead.`
    return `No language server for ${titles[0]} was found on this machine or in the project. Use Grep instead.`
  }

  function makeRoom(): void {
    const running = [...entries].filter(([, { problem }]) => problem === undefined)
    const oldest = running.toSorted(([, one], [, other]) => one.usedAt - other.usedAt)
    for (const [key] of oldest.slice(0, Math.max(0, running.length - maxServers + 1))) void stop(key)
  }

  function sweep(): void {
    for (const [key, entry] of entries) {
      const { server, usedAt } = entry
      if (server === undefined) continue
      if (performance.now() - usedAt > (options.idleMs ?? idleMs)) void stop(key)
      else if (residentBytes(server.pid) > maxMemoryBytes) {
        fail(key, entry, 'used too much memory')
        void server.close()
      }
    }
  }

  async function stop(key: string): Promise<void> {
    const entry = entries.get(key)
    entries.delete(key)
    entry?.ending.abort()
    await entry?.ready.then((server) => server.close()).catch(() => undefined)
  }
}

/** Zero if the system does not tell. */
function residentBytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

/** The real path if it is in the folder. The file itself may be missing. */
function realInside(file: string, folder: string): string | undefined {
  try {
    const real = existsSync(file)
      ? realpathSync(file)
      : path.join(realpathSync(path.dirname(file)), path.basename(file))
    return isInside(real, folder) ? real : undefined
  } catch {
    return undefined
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
