import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { getBuiltinTools, pickTools, unknownTools } from '../tool/tool-set.ts'
import {
  agentKey,
  type AgentEntry,
  arrangeAgents,
  getBuiltinAgents,
  loadAgents,
  promptIn,
  promptNote,
} from './load-agents.ts'

const tools = getBuiltinTools()
const shipped = arrangeAgents([getBuiltinAgents()], tools)

it('includes the built-in agents, each in two languages and short', () => {
  const expected = ['browser', 'calendar', 'coder', 'document', 'email', 'explore', 'master', 'plan', 'project', 'shell', 'widget'] // prettier-ignore
  expect(shipped.map(({ name }) => name)).toEqual(expected)
  for (const entry of shipped) {
    expect(promptIn(entry, 'zh'), `${entry.name}`).not.toBe(entry.prompt)
    expect(promptNote(entry.prompt)).toBeUndefined()
    expect(promptNote(promptIn(entry, 'zh'))).toBeUndefined()
    expect(promptIn(entry, 'fr')).toBe(entry.prompt)
    const tellsToCallTogether = /together in one step/.test(entry.prompt)
    expect(tellsToCallTogether, `${entry.name}`).toBe(true)
  }
})

it('names only existing tools and groups, except for agents that wait for theirs', () => {
  const enabled = shipped.filter((entry) => entry.enabled && entry.name !== 'master')
  expect(enabled.flatMap((entry) => unknownTools(entry.tools, tools))).toEqual([])
  const waiting = shipped.filter((entry) => !entry.enabled)
  expect(waiting.filter(({ note }) => note?.includes('do not exist yet') !== true)).toEqual([])
})

it('gives every tool to some agent by its name or its group', () => {
  const named = new Set(
    shipped.flatMap((entry) =>
      pickTools(
        entry.tools.filter((name) => name !== '*'),
        tools,
      ),
    ),
  )
  expect(tools.filter((tool) => !named.has(tool)).map(({ name }) => name)).toEqual([])
})

it('explore and plan can change nothing', () => {
  for (const name of ['explore', 'plan']) {
    const entry = shipped.find((agent) => agent.name === name) as AgentEntry
    const writers = pickTools(entry.tools, tools).filter((tool) => tool.touches !== undefined && !tool.readOnly)
    expect(writers.map((tool) => tool.name)).toEqual([])
  }
})

it('finds names regardless of case, separators and common endings', () => {
  for (const name of ['browser', 'Browser', 'BrowserSubAgent', 'browser-agent', 'BROWSER_SUB_AGENT'])
    expect(agentKey(name)).toBe('browser')
  expect(agentKey('general-purpose')).toBe('coder')
  expect(agentKey('agent')).toBe('agent')
  expect(agentKey('测试')).toBe('测试')
})

it('reports problems in a file by line, and loads the others', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-agents-'))
  const files: Record<string, string> = {
    'good.md':
      '---\ndescription: good\ntools: Read, Grep\nbudget: { tokens: 5, seconds: 2 }\nagents: []\n---\nDo good.\n',
    'good.zh.md': '好',
    'bom.md': '\uFEFF---\r\ndescription: bom\r\n---\r\nHello\r\n',
    'bad-yaml.md': '---\ndescription: "x\ntools: [\n---\nHi',
    'no-description.md': '---\ntools: [Read]\n---\nHi',
    'no-body.md': '---\ndescription: x\n---\n',
    'unknown-key.md': '---\ndescription: x\ncolour: red\n---\nHi',
    'a b.md': '---\ndescription: x\n---\nHi',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  const { entries, problems } = loadAgents(folder, 'home')
  expect(entries.map(({ name }) => name)).toEqual(['bom', 'good'])
  expect(entries[1]).toMatchObject({
    tools: ['Read', 'Grep'],
    budget: { tokens: 5, ms: 2000 },
    allowedSubAgents: [],
    prompts: { zh: '好' },
    prompt: 'Do good.',
  })
  const said = problems.map((problem) => `${path.basename(problem.path)}: ${problem.message}`)
  expect(said).toHaveLength(5)
  expect(said.find((line) => line.startsWith('bad-yaml'))).toMatch(/line \d/)
  expect(said.find((line) => line.startsWith('unknown-key'))).toContain('colour')
  expect(said.find((line) => line.startsWith('a b'))).toContain('not a valid agent name')
  expect(loadAgents(path.join(folder, 'nowhere'), 'home')).toEqual({ entries: [], problems: [] })
})

it('keeps the first of a name and shows the others as shadowed', () => {
  const entry = (name: string, source: AgentEntry['source'], more: Partial<AgentEntry> = {}): AgentEntry => ({
    name,
    description: '',
    prompt: 'x',
    tools: [],
    source,
    enabled: true,
    ...more,
  })
  const arranged = arrangeAgents(
    [
      [entry('explore', 'built-in')],
      [entry('mine', 'database'), entry('off', 'database', { enabled: false })],
      [entry('Mine', 'home'), entry('Explore', 'home'), entry('odd', 'home', { tools: ['NoSuch'] })],
      [entry('off', 'project'), entry('long', 'project', { prompt: 'word '.repeat(2000) })],
    ],
    tools,
  )
  expect(arranged.map(({ name, source, enabled }) => `${name} ${source} ${enabled}`)).toEqual([
    'explore built-in true',
    'mine database true',
    'off database false',
    'Mine home false',
    'Explore home false',
    'odd home false',
    'off project false',
    'long project true',
  ])
  expect(arranged[3]?.note).toContain('database')
  expect(arranged[5]?.note).toContain('NoSuch')
  expect(arranged[7]?.note).toContain('tokens')
})
