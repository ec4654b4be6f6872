import { describe, expect, it } from 'vitest'
import { getBuiltinTools } from '../tool/tool-set.ts'
import { parseRule, ruleWarning } from './parse-rule.ts'

describe('a rule', () => {
  it.each([
    ['Bash', { tool: 'Bash', key: 'bash' }],
    ['  Bash(npm run *)  ', { tool: 'Bash', key: 'bash', pattern: 'npm run *' }],
    ['shell-command(ls)', { key: 'bash', pattern: 'ls' }],
    ['read_file(.env)', { key: 'read', pattern: '.env' }],
    ['Bash( npm test )', { text: 'Bash(npm test)', pattern: 'npm test' }],
    ['Bash(echo (a) b)', { pattern: 'echo (a) b' }],
    ['WebFetch(domain:example.com)', { pattern: 'domain:example.com' }],
    ['mcp__files', { key: 'mcp_files', server: 'files' }],
    ['mcp__files__*', { server: 'files' }],
    ['mcp__Git-Hub_search', { key: 'mcp_git_hub_search', server: 'git_hub_search' }],
    ['mcp__files__read', { key: 'mcp_files_read' }],
  ])('%s is parsed', (text, parts) => {
    expect(parseRule(text)).toMatchObject(parts)
  })

  it('for everything is the same with and without a star', () => {
    for (const text of ['Bash(*)', 'Read(**)', 'Bash(:*)']) expect(parseRule(text)).not.toHaveProperty('pattern')
  })

  it.each([
    ['', 'The rule is empty'],
    ['   ', 'The rule is empty'],
    ['Bash(npm test', 'does not end with ")"'],
    ['Bash(npm test) x', 'does not end with ")"'],
    ['Bash()', 'Write "Bash" to match every call'],
    ['Bash( )', 'Write "Bash" to match every call'],
    ['(npm test)', 'has no tool'],
    ['Bash (npm test)', 'Remove the space'],
    ['Bash)', '")" without a "("'],
    ['!Bash', 'negated with "!"'],
    ['npm test', 'is not a tool name'],
    ['Bash(echo "a)', 'the quote " is not closed'],
    ['Read(../other/**)', '".." is not supported'],
    ['Read(~root/x)', 'only "~/" is supported'],
    ['Edit(!src/**)', 'cannot be excluded with "!"'],
    ['WebFetch(https://example.com)', 'write "domain:" and a host'],
    ['WebFetch(domain:https://example.com)', 'is not a host'],
    ['WebFetch(domain:example.com/path)', 'is not a host'],
    ['WebFetch(domain:example.com:8080)', 'is not a host'],
    ['WebFetch(domain:me@example.com)', 'is not a host'],
    ['WebFetch(domain:exa*le.com)', 'a "*" is only allowed before the whole host'],
    ['WebFetch(domain:com)', 'is not a complete host'],
    ['WebFetch(domain:)', 'is not a host'],
    ['Bash(a\nb)', 'control character'],
    ['Bash(a\u202eb)', 'control character'],
    [`Bash(${'a'.repeat(3000)})`, 'longer than 2000'],
  ])('%j is rejected with the reason', (text, message) => {
    expect(() => parseRule(text)).toThrow(message)
  })

  it('for an unknown tool is accepted, with a warning', () => {
    const tools = getBuiltinTools()
    expect(ruleWarning('Deploy', tools)).toContain('There is no tool "Deploy"')
    for (const text of [
      'Bash(ls)',
      'shell',
      'mcp__files',
      'Task(browser)',
      'Outside(npm ci)',
      'Edit(src/**)',
      'todo_write',
    ])
      expect(ruleWarning(text, tools)).toBeUndefined()
    expect(ruleWarning('TimeNow(x)', tools)).toContain('the pattern never matches')
  })
})
