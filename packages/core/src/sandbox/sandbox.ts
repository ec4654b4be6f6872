import { z } from 'zod'
import type { Sandbox } from '../tool/agent-state.ts'

/** What a look at this machine found. */
export interface SandboxFinding {
  /** Undefined where commands cannot be confined. */
  sandbox?: Sandbox
  /** A sentence for the person: what confines commands, or why nothing does. */
  text: string
  /** What the person can do about it. */
  fix?: string
}

/** What a call that runs a command may say about the sandbox. */
export const sandboxFields = {
  writes: z
    .boolean()
    .describe('It has to change files: set it when a command failed because it could not write')
    .optional(),
  outside_sandbox: z.boolean().describe('Run it without the sandbox; the person is asked').optional(),
  /** What other programs call it; models are not told. */
  dangerouslyDisableSandbox: z.boolean().meta({ hidden: true }).optional(),
}

export const sandboxText = `Where there is a sandbox, commands reach no network and see no files but the workspace and installed programs. Try without "outside_sandbox" first; installing packages, git fetch and push, and servers that others should reach need it.`

interface SandboxInput {
  writes?: boolean | undefined
  outside_sandbox?: boolean | undefined
  dangerouslyDisableSandbox?: boolean | undefined
}

/** What the fields mean for the access that such a call is. */
export function sandboxAccess(input: SandboxInput): { outside?: true; writes?: true } {
  return { ...(leavesSandbox(input) && { outside: true }), ...(input.writes === true && { writes: true }) }
}

/** Whether a call wants to leave the sandbox. */
export function leavesSandbox({ outside_sandbox: outside, dangerouslyDisableSandbox: disable }: SandboxInput): boolean {
  return outside === true || disable === true
}
