import { expect, test } from 'vitest'
import { mcpServer, mcpTool } from '../testing/mcp-server.ts'
import { pickTool } from './server-row.tsx'
import { needsUser, serverStatus } from './server-status.ts'

test('a server’s status fits in a line', () => {
  const tools = [mcpTool('read'), mcpTool('write', { enabled: false })]
  expect(serverStatus(mcpServer({ tools, tokens: 1200 }))).toBe('1 of 2 tools · about 1.2k tokens per model call')
  expect(serverStatus(mcpServer({ state: 'needs-trust', trust: { what: 'command', fingerprint: 'f' } }))).toBe(
    'not trusted yet',
  )
  expect(serverStatus(mcpServer({ state: 'needs-trust', trust: { what: 'tools', fingerprint: 'f' } }))).toContain(
    'tools',
  )
  expect(serverStatus(mcpServer({ state: 'failed', error: 'It ended.' }))).toBe('It ended.')
  expect(serverStatus(mcpServer({ state: 'failed', error: '401', login: 'needed' }))).toBe('login required')
  expect(serverStatus(mcpServer({ state: 'disabled', login: 'needed' }))).toBe('off')
})

test('servers that wait for the user are distinguished from failing ones', () => {
  expect(needsUser(mcpServer({ state: 'needs-trust' }))).toBe(true)
  expect(needsUser(mcpServer({ state: 'failed', login: 'needed' }))).toBe(true)
  expect(needsUser(mcpServer({ state: 'failed' }))).toBe(false)
  expect(needsUser(mcpServer({ state: 'disabled', enabled: false, login: 'needed' }))).toBe(false)
})

test('selecting all tools stores no list, so that new ones count, too', () => {
  const tools = [mcpTool('read'), mcpTool('write', { enabled: false })]
  expect(pickTool(tools, 'write', true)).toBeNull()
  expect(pickTool(tools, 'read', false)).toEqual([])
  expect(pickTool([mcpTool('a'), mcpTool('b')], 'a', false)).toEqual(['b'])
})
