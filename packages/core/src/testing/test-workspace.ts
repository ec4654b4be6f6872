import type { Buffer } from 'node:buffer'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAgentState } from '../run/create-agent-state.ts'
import { type Tool, type ToolContext, unwrapResult } from '../tool/tool.ts'
import { testToolContext } from './test-tool-context.ts'

export interface TestWorkspace {
  root: string
  /** Context of the workspace's only agent. Each access is a new call. */
  ctx: ToolContext
  at(...names: string[]): string
  put(name: string, content: string | Uint8Array): string
  bytes(name: string): Buffer
  text(name: string): string
  exists(name: string): boolean
  /** Calls a tool like a run: applies defaults and separates output from the text for the model. */
  call<Input, Output>(
    tool: Tool<Input, Output>,
    input: object,
    given?: Partial<ToolContext>,
  ): Promise<{ output: Output; text: string }>
  another(): ToolContext
  close(): void
}

export function openTestWorkspace(): TestWorkspace {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-files-')))
  const root = path.join(base, 'workspace')
  mkdirSync(root)
  let calls = 0
  const newContext = (): ToolContext => ({
    ...testToolContext({
      state: createAgentState({
        workspace: root,
        outputFolder: path.join(base, 'output'),
        undoFolder: path.join(base, 'undo'),
      }),
    }),
  })
  const ctx = newContext()
  const at = (...names: string[]): string => path.join(root, ...names)
  return {
    root,
    ctx,
    at,
    put(name, content) {
      mkdirSync(path.dirname(at(name)), { recursive: true })
      writeFileSync(at(name), content)
      return at(name)
    },
    bytes: (name) => readFileSync(at(name)),
    text: (name) => readFileSync(at(name), 'utf8'),
    exists: (name) => existsSync(at(name)),
    async call(tool, input, given = {}) {
      const parsed = tool.input.parse(input)
      const own = { ...ctx, toolCallId: `call-${++calls}`, ...given }
      const complaint = tool.validate === undefined ? undefined : await tool.validate(parsed, own)
      if (typeof complaint === 'string') throw new Error(complaint)
      const { output, modelText } = unwrapResult(await tool.execute(parsed, own))
      return {
        output: output as never,
        text: modelText ?? tool.toModel?.(output as never, parsed) ?? JSON.stringify(output),
      }
    },
    another: newContext,
    close: () => rmSync(base, { recursive: true, force: true }),
  }
}
