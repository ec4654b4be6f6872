import { expect, test } from 'vitest'
import type { RuleInfo } from '../api/settings-types.ts'
import { groupRules } from './rules-store.ts'

const rule = (text: string, fields: Partial<RuleInfo> = {}): RuleInfo => ({
  id: text,
  text,
  effect: 'allow',
  layer: 'user',
  file: '/home/config.json',
  editable: true,
  ...fields,
})

test('rules are grouped by file, the widest first, and deny rules come first', () => {
  const groups = groupRules(
    [
      rule('Bash(npm test)'),
      rule('Read(.env)', { effect: 'deny' }),
      rule('Edit(src/**)', { layer: 'session', file: null }),
      rule('Bash(make)', { layer: 'project', file: '/home/rules.json' }),
      rule('Bash(rake)', { layer: 'project', file: '/work/.troupe/config.json', editable: false }),
      rule('Bash(curl *)', { layer: 'managed', file: '/etc/troupe/config.json', editable: false, effect: 'deny' }),
    ],
    [],
    '',
  )
  expect(groups.map(({ title, file, rules }) => [title, file, rules.map(({ text }) => text)])).toEqual([
    ['This computer', '/etc/troupe/config.json', ['Bash(curl *)']],
    ['Always', '/home/config.json', ['Read(.env)', 'Bash(npm test)']],
    ['This folder', '/home/rules.json', ['Bash(make)']],
    ['This folder', '/work/.troupe/config.json', ['Bash(rake)']],
    ['This chat', null, ['Edit(src/**)']],
  ])
})

test('a revoked rule keeps its place, and every word of the search must match', () => {
  const [group] = groupRules([rule('Bash(b)')], [rule('Bash(a)')], '')
  expect(group?.rules.map(({ text, revoked }) => [text, revoked])).toEqual([
    ['Bash(a)', true],
    ['Bash(b)', false],
  ])
  const rules = [rule('Bash(git push *)', { effect: 'ask' }), rule('Bash(git diff *)')]
  expect(groupRules(rules, [], 'GIT ask').flatMap((found) => found.rules.map(({ text }) => text))).toEqual([
    'Bash(git push *)',
  ])
  expect(groupRules(rules, [], 'nothing')).toEqual([])
})
