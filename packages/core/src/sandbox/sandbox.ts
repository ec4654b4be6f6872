import { z } from 'zod'
import type { Sandbox } from '../tool/isolation.ts'

export interface SandboxFinding {
  /** Undefined if commands cannot be confined. */
  sandbox?: Sandbox
  /** Sentence for the user: the sandbox in use, or the reason there is none. */
  text: string
  fix?: string
}

export const sandboxFields = {
  writes: z
    .boolean()
    .describe('The command has to change files. Set it if the command failed because it could not write')
    .optional(),
  outside_sandbox: z.boolean().describe('Run without the sandbox. The user is asked first').optional(),
  /** Alias used by other programs, hidden from models. */
  dangerouslyDisableSandbox: z.boolean().meta({ hidden: true }).optional(),
}

export const sandboxText = `If there is a sandbox, commands have no network and see only the workspace and installed programs. Try without "outside_sandbox" first. Installing packages, git fetch and push, and servers that others should reach need it.`

interface SandboxInput {
  writes?: boolean | undefined
  outside_sandbox?: boolean | undefined
  dangerouslyDisableSandbox?: boolean | undefined
}

export function sandboxAccess(input: SandboxInput): { outside?: true; writes?: true } {
  return { outside: leavesSandbox(input) || undefined, writes: input.writes || undefined }
}

export function leavesSandbox({ outside_sandbox: outside, dangerouslyDisableSandbox: disable }: SandboxInput): boolean {
  return outside === true || disable === true
}
