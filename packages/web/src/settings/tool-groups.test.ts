import { getBuiltinTools } from '@troupe/core'
import { expect, test } from 'vitest'
import type { ToolInfo } from '../api/session-types.ts'
import { lateTexts } from '../texts/languages/en/settings.ts'
import { zh } from '../texts/languages/zh.ts'
import { groupTools, includesName, unknownNames, withName } from './tool-groups.ts'

const tool = (name: string, group: string): ToolInfo => ({
  name,
  group,
  description: '',
  status: 'enable',
  readOnly: true,
})
const groups = groupTools([tool('Read', 'file-read'), tool('Bash', 'shell'), tool('Glob', 'file-read')])

test('tools are grouped', () => {
  expect(groups.map(({ name, tools }) => [name, tools.map((one) => one.name)])).toEqual([
    ['file-read', ['Glob', 'Read']],
    ['shell', ['Bash']],
  ])
})

test('names match ignoring case and separators, and are stored once', () => {
  expect(includesName(['FileRead'], 'file-read')).toBe(true)
  expect(withName(['file_read', 'Bash'], 'file-read', true)).toEqual(['Bash', 'file-read'])
  expect(withName(['file_read', 'Bash'], 'file-read', false)).toEqual(['Bash'])
  expect(unknownNames(['bash', 'Gone', '*', 'File-Read'], groups)).toEqual(['Gone'])
})

test('every built-in group has a name in each language', () => {
  const built = [...new Set(getBuiltinTools().map(({ group }) => group))].toSorted()
  expect(built.length).toBeGreaterThan(10)
  for (const { toolGroups } of [lateTexts, zh]) expect(Object.keys(toolGroups)).toEqual(built)
})
