import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Confinement } from '../access/decision.ts'
import type { ProcessPool } from '../process/process-pool.ts'
import { membersOf, type ProcessInfo } from '../process/processes.ts'
import { createAgentState, disposeAgentState } from '../run/create-agent-state.ts'
import type { AgentState } from '../tool/agent-state.ts'
import type { Sandbox } from '../tool/isolation.ts'
import type { Tool, ToolContext } from '../tool/tool.ts'
import { testToolContext } from './test-tool-context.ts'

export interface TestShell {
  workspace: string
  state: AgentState
  ctx: ToolContext
  /** Calls a tool like a run: parses the input, collects progress, and returns the text for the model. */
  call<Input, Output>(
    tool: Tool<Input, Output>,
    input: unknown,
    given?: Partial<ToolContext>,
  ): Promise<{ output: Output; text: string; progress: string[] }>
  running(): ProcessInfo[]
  /** Ends the session like its owner would and removes its folders. Rejects if a process outlives it. */
  close(): Promise<void>
}

export interface ShellMode {
  confinement: Confinement
  sandbox?: Sandbox | undefined
  pool?: ProcessPool
}

/** `onEnd` is for concurrent tests with a session each. It receives the function that ends this one. */
export function openTestShell(
  { confinement, sandbox, pool }: ShellMode = { confinement: 'none' },
  onEnd?: (end: () => Promise<void>) => void,
): TestShell {
  const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-shell-')))
  const state = createAgentState({
    workspace,
    outputFolder: `${workspace}-output`,
    sandbox,
    pool,
  })
  const granted = { confinement, grants: [], approved: true }
  const ctx = testToolContext({ state, workspace: { id: 'workspace-1', path: workspace }, granted })
  const running = (): ProcessInfo[] => membersOf({ mark: `${state.tasks.mark}.` }, { fresh: true })
  const shell: TestShell = {
    workspace,
    state,
    ctx,
    async call<Input, Output>(tool: Tool<Input, Output>, input: unknown, given: Partial<ToolContext> = {}) {
      const parsed = tool.input.parse(input)
      const progress: string[] = []
      const output = await finish(tool.execute(parsed, { ...ctx, ...given }), progress)
      return { output, text: tool.toModel?.(output, parsed) ?? '', progress }
    },
    running,
    async close() {
      await disposeAgentState(state)
      rmSync(workspace, { recursive: true })
      rmSync(state.outputFolder, { recursive: true, force: true })
      const left = running().map(({ pid }) => pid)
      if (left.length > 0) throw new Error(`These processes outlived their session: ${left.join(', ')}.`)
    },
  }
  onEnd?.(() => shell.close())
  return shell
}

async function finish<Output>(
  running: Promise<Output> | Output | AsyncGenerator<unknown, Output, void>,
  progress: string[],
): Promise<Output> {
  if (typeof running !== 'object' || running === null || !(Symbol.asyncIterator in running)) return running
  for (;;) {
    const step = await running.next()
    if (step.done === true) return step.value
    progress.push(String(step.value))
  }
}
