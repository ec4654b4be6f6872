import { expect, test } from 'vitest'
import type { ContextInfo } from '../api/session-types.ts'
import { cacheOutlook } from './context-dialog.tsx'

const info = (cache: Partial<ContextInfo['cache']>): ContextInfo => ({
  model: 'm',
  window: 1000,
  total: { tokens: 165 },
  pieces: [
    { kind: 'tool', name: 'Read', tokens: 100 },
    { kind: 'instructions', name: 'prompt of master', tokens: 40 },
    { kind: 'instructions', name: 'plan mode', tokens: 20 },
    { kind: 'message', name: 'plan mode', tokens: 5 },
  ],
  cache: { lastCallAt: 1, modelChanged: false, brokenBy: null, ...cache },
})

test('everything before the first change can come from the cache', () => {
  expect(cacheOutlook(info({ brokenBy: 'plan mode' }))).toEqual({ state: 'broken', by: 'plan mode', kept: 140 })
  expect(cacheOutlook(info({ brokenBy: 'tools' }))).toMatchObject({ state: 'broken', kept: 0 })
  expect(cacheOutlook(info({ brokenBy: 'a piece that is gone' }))).toMatchObject({ state: 'broken', kept: 0 })
  expect(cacheOutlook(info({}))).toEqual({ state: 'same' })
})

test('another model has its own cache, and without a call there is none', () => {
  expect(cacheOutlook(info({ modelChanged: true, brokenBy: 'plan mode' }))).toEqual({ state: 'other-model' })
  expect(cacheOutlook(info({ lastCallAt: null }))).toEqual({ state: 'no-call' })
})
