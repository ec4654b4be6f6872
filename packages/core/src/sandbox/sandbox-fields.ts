import { z } from 'zod'

/** What a call that runs a command may say about the sandbox. */
export const sandboxFields = {
  writes: z
    .boolean()
    .describe(
      'It has to change files, which may not be plain to see. Set it when the command failed because the workspace could not be written',
    )
    .optional(),
  outside_sandbox: z
    .boolean()
    .describe('Run it without the sandbox; the person is asked. Only for what needs the network or files elsewhere')
    .optional(),
  dangerouslyDisableSandbox: z.boolean().describe('The same as outside_sandbox').optional(),
}

export const sandboxText = `Where the machine can, commands run in a sandbox: they reach no network, also not servers of other commands, see no files but the workspace and installed programs, and may not be able to write unless "writes" is set. Try without "outside_sandbox" first; installing packages, git fetch and push, and servers that the person or another command should reach need it.`

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
