import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pageHtml, readPage } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { samplePages } from '../../e2e/testing/sample-pages.ts'

test.each(Object.entries(samplePages))('a page as models write it: %s', (_, source) => {
  const { page, problem } = readPage(source)
  expect(problem).toBeUndefined()
  const written = pageHtml(page?.nodes ?? [], () => [])
  expect(written).not.toMatch(/NaN|undefined|\[object|<x-part/)
  expect(written.length).toBeGreaterThan(5)
})

test.each(Object.entries(samplePages))('every prefix can be read while it streams: %s', (_, source) => {
  for (let end = 0; end < source.length; end += 5) {
    const { page, problem: found } = readPage(source.slice(0, end), { partial: true })
    if (page === undefined) expect(found?.message).toEqual(expect.any(String))
  }
  expect(readPage(source, { partial: true }).page?.nodes).toEqual(readPage(source).page?.nodes)
})

test('the examples of the guides are pages without anything left out', () => {
  const guides = ['previews', 'artifacts'].map((name) =>
    readFileSync(path.join(import.meta.dirname, `../../../../docs/guides/${name}.md`), 'utf8'),
  )
  const examples = [...guides.join('').matchAll(/```jsx\n([\s\S]*?)```/g)].map(([, source]) => source ?? '')
  expect(examples.length).toBeGreaterThan(1)
  for (const source of examples) expect(readPage(source).page?.notes).toEqual([])
  // Versions of one artifact have one id.
  expect(examples.slice(-2).map((source) => readPage(source).page?.id)).toEqual(['sales', 'sales'])
})
