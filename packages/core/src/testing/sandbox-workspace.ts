import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Confinement, Grant } from '../access/decision.ts'
import { createAgentState, disposeAgentState } from '../run/create-agent-state.ts'
import { findSandbox } from '../sandbox/find-sandbox.ts'
import type { AgentState } from '../tool/agent-state.ts'
import type { ToolContext } from '../tool/tool.ts'
import bash from '../tools/bash.ts'
import { testToolContext } from './test-tool-context.ts'

/**
 * A small simulated machine: a home with secrets and a workspace, other files, a server and a process of the user.
 * Until closed, its home is the home of our process.
 */
export interface SandboxWorkspace {
  folder: string
  home: string
  troupeHome: string
  workspace: string
  state: AgentState
  ctx: ToolContext
  port: number
  connected(): number
  victim: number
  run(command: string, confinement?: Confinement, more?: object, grants?: readonly Grant[]): Promise<SandboxedResult>
  file(name: string, content?: string): string
  /** The same machine with an empty workspace and its own session. Close it before this one. */
  another(name?: string): SandboxWorkspace
  close(): Promise<void>
}

export interface SandboxedResult {
  text: string
  exitCode: number | null
  modelText: string
}

export const canary = 'canary-4711'

export async function openSandboxWorkspace(
  options: { workspace?: (home: string) => string } = {},
): Promise<SandboxWorkspace> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-place-')))
  const home = path.join(folder, 'home')
  const troupeHome = path.join(home, '.troupe')
  const workspace = options.workspace?.(home) ?? path.join(home, 'project')
  const file = (name: string, content = canary): string => {
    const place = path.resolve(folder, name)
    mkdirSync(path.dirname(place), { recursive: true })
    writeFileSync(place, content)
    return place
  }
  for (const name of ['.ssh/id_ed25519', '.aws/credentials', '.bash_history', '.troupe/token', 'notes.txt'])
    file(path.join(home, name))
  file(path.join(troupeHome, 'sessions/other/output/bash-1.txt'))
  file('outside/secret')
  mkdirSync(workspace, { recursive: true })
  const { sandbox, text } = await findSandbox({ home, troupeHome })
  if (sandbox === undefined) throw new Error(text)
  let connections = 0
  let others = 0
  const server = await listening(
    createServer((socket) => void (connections++, socket.end(canary))).listen(0, '127.0.0.1'),
  )
  const victim = spawn('sleep', ['600'], { stdio: 'ignore', env: { SECRET: canary } })
  // Not stubbed: a stub would be reset when the next test starts, which may run concurrently.
  const { HOME, ANTHROPIC_API_KEY } = process.env
  setVariables({ HOME: home, ANTHROPIC_API_KEY: canary })
  return at(workspace, async () => {
    setVariables({ HOME, ANTHROPIC_API_KEY })
    victim.kill('SIGKILL')
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function at(place: string, end: () => Promise<void>): SandboxWorkspace {
    const state = createAgentState({
      workspace: place,
      outputFolder: path.join(troupeHome, 'sessions/own/output'),
      sandbox,
    })
    const ctx = testToolContext({ state, workspace: { id: 'workspace-1', path: place } })
    return {
      folder,
      home,
      troupeHome,
      workspace: place,
      state,
      ctx,
      port: (server.address() as AddressInfo).port,
      connected: () => connections,
      victim: victim.pid as number,
      async run(command, confinement = 'workspace', more = {}, grants = []) {
        const input = bash.input.parse({ command, ...more })
        const granted = { confinement, grants }
        const running = bash.execute(input, { ...ctx, granted }) as AsyncGenerator<
          unknown,
          Parameters<NonNullable<typeof bash.toModel>>[0]
        >
        for (;;) {
          const step = await running.next()
          if (step.done !== true) continue
          const { text: printed, exitCode } = step.value
          return { text: printed, exitCode, modelText: bash.toModel!(step.value, input) }
        }
      },
      file,
      another(name = `project-${++others}`) {
        const empty = path.join(home, name)
        mkdirSync(empty)
        return at(empty, () => rm(empty, { recursive: true, force: true }))
      },
      async close() {
        await disposeAgentState(state)
        await end()
      },
    }
  }
}

function setVariables(variables: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

async function listening(server: Server): Promise<Server> {
  await new Promise((resolve) => server.once('listening', resolve))
  return server
}
