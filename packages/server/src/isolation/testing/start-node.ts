import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ResourceLimits } from '@troupe/core'
import type { NodeAnswer, NodeFacts, NodeRequest } from './team-node.ts'

export interface TestNode extends NodeFacts {
  /** Folder with `alice`, `bob` and `shared`. */
  base: string
  ask(request: NodeRequest): Promise<NodeAnswer>
  bash(person: string, command: string, more?: { folder?: string; timeout?: number }): Promise<NodeAnswer>
  close(): Promise<void>
}

/** The reason these tests cannot run here. Undefined if they can. */
export function whyNoNode(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'they need root on Linux'
  for (const program of ['bwrap', 'setpriv', 'unshare'])
    if (spawnSync(program, ['--version']).status !== 0) return `they need ${program}`
  const mounts = spawnSync('/usr/bin/unshare', ['--mount', 'true'])
  return mounts.status === 0 ? undefined : 'they need a mount namespace'
}

/** Starts a node on which Bob has secrets. They all contain `canary`. */
export async function startTeamNode(limits: Partial<ResourceLimits> = {}): Promise<TestNode> {
  // The folder of the test run is closed to other users.
  const base = mkdtempSync('/tmp/troupe-team-')
  chmodSync(base, 0o755)
  for (const name of ['alice', 'bob', 'shared']) mkdirSync(path.join(base, name))
  writeFileSync(path.join(base, 'bob', 'secret'), 'canary-of-bob')
  const program = path.join(import.meta.dirname, 'team-node.ts')
  const view = ['--mount', '--propagation', 'private', '--']
  const child = spawn(
    '/usr/bin/unshare',
    [...view, process.execPath, '--conditions=troupe-source', program, base, JSON.stringify(limits)],
    {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        TROUPE_LEFT_NAMESPACE: readlinkSync('/proc/self/ns/mnt'),
        TROUPE_DATABASE_URL: 'postgres://canary-of-the-url@127.0.0.1/troupe',
        TROUPE_SECRET_KEY: 'canary-of-the-key',
      },
    },
  )
  let complaints = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  const waiting = new Map<number, (answer: NodeAnswer) => void>()
  let last = 0
  const facts = await new Promise<NodeFacts>((resolve, reject) => {
    child.once('message', (message) => resolve(message as NodeFacts))
    child.once('exit', () => reject(new Error(`The node ended: ${complaints}`)))
  })
  child.on('message', (message) => {
    const answer = message as NodeAnswer
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  const node: TestNode = {
    ...facts,
    base,
    ask: (request) =>
      new Promise((resolve) => {
        const id = ++last
        waiting.set(id, resolve)
        child.send({ id, ...request })
      }),
    bash: (person, command, { folder = person, timeout } = {}) =>
      node.ask({ kind: 'tool', person, folder, tool: 'Bash', input: { command, ...(timeout && { timeout }) } }),
    async close() {
      await node.ask({ kind: 'close' })
      await exited(child)
      rmSync(base, { recursive: true, force: true })
    },
  }
  return node
}

function exited(child: ChildProcess): Promise<void> {
  return child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()))
}
