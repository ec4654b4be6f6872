import { expect, it } from 'vitest'
import { testToolContext } from '../testing/index.ts'
import { getTools } from '../tool-set.ts'
import { inDialect } from '../tool-aliases.ts'
import { checkTool, defineTool, type Tool } from '../tool.ts'
import { z } from 'zod'
import { decide, type PermissionRules } from './decide.ts'

const verdict = async (tool: Tool, rules: PermissionRules): Promise<string> =>
  (await decide({ tool, input: {} }, testToolContext(), rules)).decision

const tool = (name: string, readOnly: boolean, needsApproval?: boolean): Tool =>
  checkTool(
    {
      ...defineTool({
        description: name,
        input: z.object({}),
        readOnly,
        group: 'system',
        ...(needsApproval !== undefined && { needsApproval }),
        execute: () => Promise.resolve(null),
      }),
      name,
    },
    name,
  )

it('lets reading pass and asks for everything else, unless the tool says otherwise', async () => {
  expect(await verdict(tool('Look', true), {})).toBe('allow')
  expect(await verdict(tool('Change', false), {})).toBe('ask')
  expect(await verdict(tool('Look', true, true), {})).toBe('ask')
  expect(await verdict(tool('Change', false, false), {})).toBe('allow')
})

it('goes by deny, then ask, then allow, whatever their order', async () => {
  const change = tool('Change', false)
  expect(await verdict(change, { allow: ['Change'], ask: ['Change'], deny: ['Change'] })).toBe('deny')
  expect(await verdict(change, { allow: ['Change'], ask: ['change'] })).toBe('ask')
  expect(await verdict(change, { allow: ['CHANGE'] })).toBe('allow')
  expect(await verdict(change, { allow: ['Changes', 'Chang'] })).toBe('ask')
})

it('holds a rule on a tool under every name that the tool has', async () => {
  const [bash] = getTools(['Bash'])
  const [shell] = inDialect([bash as Tool], 'openai/codex-large')
  expect(shell?.name).toBe('shell')
  expect(await verdict(shell as Tool, { allow: ['shell'], deny: ['Bash'] })).toBe('deny')
  expect(await verdict(bash as Tool, { deny: ['shell-command'] })).toBe('deny')
  expect(await verdict(tool('shell', false), { deny: ['Bash'] })).toBe('ask')
})
