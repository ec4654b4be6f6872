import { expect, test } from 'vitest'
import type { ModelInfo } from '../api/models.ts'
import { modelExamples, suggestForFolder } from './suggestions.ts'

const model = (common: unknown): ModelInfo => ({ ref: 'a/b', capabilities: { common } }) as unknown as ModelInfo

test('a model’s examples may be texts or have an icon and a detail, and other values are skipped', () => {
  const full = { text: 'Draw', detail: 'a chart', icon: 'chart' }
  expect(modelExamples(model({ examples: ['Hello', full, 7, null, { text: '' }] }))).toEqual([
    { text: 'Hello', detail: '', icon: 'write' },
    full,
  ])
  expect(modelExamples(model(undefined))).toEqual([])
  expect(modelExamples(undefined, 'zh')).toEqual([])
  expect(modelExamples(model({ examples: ['1', '2', '3', '4', '5'] }))).toHaveLength(4)
})

test('a model’s examples are in the user’s language if it has them', () => {
  const demo = model({ examples: ['Hello'], examplesZh: ['你好'] })
  expect(modelExamples(demo).map(({ text }) => text)).toEqual(['Hello'])
  expect(modelExamples(demo, 'zh').map(({ text }) => text)).toEqual(['你好'])
  expect(modelExamples(demo, 'fr').map(({ text }) => text)).toEqual(['Hello'])
})

test.each([
  ['code with tests', ['package.json', 'src/', 'README.md'], ['Explain this project', 'Find and fix a failing test']],
  ['code without tests', ['Makefile', 'main.c'], ['Explain this project', 'Review my latest changes']],
  ['documents', ['offer.pdf', 'notes.txt'], ['Summarize these documents', 'Suggest how to organize this folder']],
  ['data', ['sales 2026.csv'], ['Chart the data in sales 2026.csv', 'Suggest how to organize this folder']],
  ['nothing', [], ['Plan my week', 'Research a topic on the web']],
])('suggestions fit a folder with %s', (_, names, first) => {
  const suggested = suggestForFolder(names)
  expect(suggested.map(({ text }) => text).slice(0, 2)).toEqual(first)
  expect(suggested).toHaveLength(4)
  expect(new Set(suggested.map(({ text }) => text)).size).toBe(4)
})
