import { expect, it } from 'vitest'
import { parseClaudeAgent } from './load-agents.ts'

const file = (matter: string, body = 'You review.'): string => `---\n${matter}\n---\n${body}`

it.each<[string, string, object]>([
  ['no tools are all of them', 'name: a\ndescription: d', { name: 'a', tools: ['*'] }],
  ['the name of the file stands in for a missing one', 'description: d', { name: 'from-file' }],
  [
    'tools have their names here',
    'name: a\ndescription: d\ntools: Read, LS, Bash(git log:*, git diff), MultiEdit,Edit, mcp__gh__list, mcp__gh',
    { tools: ['Read', 'ListDir', 'Bash', 'Edit', 'mcp__gh_list', 'mcp:gh'] },
  ],
  ['tools may be a list', 'name: a\ndescription: d\ntools: [Read, Grep]', { tools: ['Read', 'Grep'] }],
  ['other keys are passed over', 'name: a\ndescription: d\ncolor: red\npermissionMode: plan', { name: 'a' }],
  ['a model of ours is one', 'name: a\ndescription: d\nmodel: acme/large', { model: 'acme/large' }],
])('%s', (_, matter, expected) => {
  const { problem, ...agent } = parseClaudeAgent(file(matter), 'from-file')
  expect(problem).toBeUndefined()
  expect(agent).toMatchObject({ description: 'd', prompt: 'You review.', ...expected })
})

it('names a model that is only known there', () => {
  const agent = parseClaudeAgent(file('name: a\ndescription: d\nmodel: sonnet'), 'a')
  expect(agent.model).toBeUndefined()
  expect(agent.problem).toContain('"sonnet"')
})

it.each([
  ['name: a b\ndescription: d', 'x', 'is not a valid agent name'],
  ['name: a', 'x', '"description" is missing'],
  ['name: a\ndescription: d', '', 'there is no prompt'],
])('refuses %j', (matter, body, message) => {
  expect(() => parseClaudeAgent(file(matter, body), 'a')).toThrow(message)
})
