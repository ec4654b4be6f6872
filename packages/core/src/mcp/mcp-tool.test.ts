import type { Tool as ListedTool } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { testToolContext } from '../testing/index.ts'
import { pickListed } from './mcp-server.ts'
import { mcpTool } from './mcp-tool.ts'
import { mcpLimits } from './server-config.ts'

it('fills in required fields with a default, and requires the others', async () => {
  const sent: object[] = []
  const listed: ListedTool = {
    name: 'shoot',
    inputSchema: {
      type: 'object',
      properties: { scale: { type: 'string', default: 'css' }, full: { type: 'boolean', default: false }, to: {} },
      required: ['scale', 'full'],
    },
  }
  const tool = mcpTool(listed, {
    server: 'web',
    trusted: false,
    call(_, input) {
      sent.push(input)
      return Promise.resolve({ content: [] })
    },
  })
  expect(await tool.validate?.({}, testToolContext())).toBeUndefined()
  await tool.execute({}, testToolContext())
  await tool.execute({ scale: 'device', to: 'a' }, testToolContext())
  expect(sent).toEqual([
    { scale: 'css', full: false },
    { scale: 'device', full: false, to: 'a' },
  ])
  const strict = mcpTool(
    { ...listed, inputSchema: { ...listed.inputSchema, required: ['scale', 'to', 'toString'] } },
    { server: 'web', trusted: false, call: () => Promise.reject(new Error('not here')) },
  )
  expect(await strict.validate?.({}, testToolContext())).toMatch('The input is missing "to", "toString"')
})

it('a tool that runs only as a task is not offered, and is named', () => {
  const tool = (name: string, taskSupport?: 'required' | 'optional'): ListedTool => ({
    name,
    inputSchema: { type: 'object' },
    ...(taskSupport !== undefined && { execution: { taskSupport } }),
  })
  const { tools, problems } = pickListed([tool('a'), tool('b', 'required'), tool('c', 'optional')], mcpLimits)
  expect(tools.map(({ name }) => name)).toEqual(['a', 'c'])
  expect(problems).toEqual(['The tool "b" was skipped: it only runs as a task, which is not supported.'])
})
