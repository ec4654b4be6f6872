import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { cpuClock } from '../../../protocol/testing/test-effort.ts'
import { readPage } from './read-page.ts'
import { stripTags } from './strip-tags.ts'

const signal = new AbortController().signal
const url = 'https://example.com/docs/page'
const words = 'Sentences of the article that make it long enough to be found. '.repeat(12)

test('the main content is converted to Markdown, with full links, tables and code', async () => {
  const html = `<html><head><title> The  title </title></head><body><nav><a href="/">Home of the site</a></nav><article><h2>Part</h2>
    <p>${words}<a href="../other?a=1&amp;b=2">a link</a> <a href="javascript:x()">no link</a></p><p>${words}</p>
    <table><tr><th>Name</th><th>Value</th></tr><tr><td>a|b</td><td>1</td></tr></table>
    <pre><code class="language-ts">const a = 1\n  a++</code></pre><ol><li>one</li><li>two<ul><li>deep</li></ul></li></ol>
    <script>alert('never shown')</script><p>${words}</p></article><footer>Imprint of the site</footer></body></html>`
  const page = await readPage({ html, url, format: 'markdown' }, signal)
  expect(page.title).toBe('The title')
  expect(page.text).toContain('[a link](https://example.com/other?a=1&b=2) no link')
  expect(page.text).toContain('| Name | Value |\n| --- | --- |\n| a\\|b | 1 |')
  expect(page.text).toContain('```ts\nconst a = 1\n  a++\n```')
  expect(page.text).toContain('1. one\n2. two\n   - deep')
  for (const left of ['never shown', 'Home of the site', 'Imprint']) expect(page.text).not.toContain(left)
  const plain = await readPage({ html, url, format: 'text' }, signal)
  expect(plain.text).toContain('a link no link')
  expect(plain.text).not.toContain('](')
})

test('if no part stands out, the whole body is used', async () => {
  const html = '<title>Index</title><body><h1>Index</h1><ul><li><a href="a">A</a></li><li><a href="b">B</a></li></ul>'
  const { text } = await readPage({ html, url, format: 'markdown' }, signal)
  expect(text).toContain('[A](https://example.com/docs/a)')
  expect((await readPage({ html: 'no tags at all', url, format: 'markdown' }, signal)).text).toBe('no tags at all')
  expect(
    (await readPage({ html: '<body><div id="root"></div><script>render()</script>', url, format: 'markdown' }, signal))
      .text,
  ).toBe('')
})

test('a page that takes too long to parse is returned as plain text', async () => {
  const html = `<body>${'<div>'.repeat(100_000)}<script>hidden()</script>deep &amp; down`
  const begun = performance.now()
  const page = await readPage({ html, url, format: 'markdown' }, signal, { ms: 500 })
  expect(page).toEqual({
    title: '',
    text: 'deep & down',
    note: 'The page could not be parsed, so its text was extracted without formatting.',
  })
  expect(performance.now() - begun).toBeLessThan(5000)
})

test('a very long page is returned as plain text', async () => {
  const html = `<title>Long</title><p>${'word '.repeat(400)}</p><p>end`
  const page = await readPage({ html, url, format: 'markdown' }, signal, { length: 1000 })
  expect(page).toMatchObject({
    title: 'Long',
    note: 'The page is very long, so its text was extracted without formatting.',
  })
  expect(page.text).toMatch(/word word\nend$/)
})

test('a stop ends the conversion', async () => {
  const controller = new AbortController()
  const reading = readPage({ html: '<div>'.repeat(100_000), url, format: 'markdown' }, controller.signal)
  controller.abort(new Error('stopped by the person'))
  await expect(reading).rejects.toThrow('stopped by the person')
})

test('pages at once and one after the other each get their own text, also after one that failed', async () => {
  const read = async (word: string) => (await readPage({ html: `<p>${word}`, url, format: 'text' }, signal)).text
  const [a, failed, b] = await Promise.all([
    read('a'),
    readPage({ html: '<div>'.repeat(100_000), url, format: 'markdown' }, signal, { ms: 1 }),
    read('b'),
  ])
  expect([a, failed.note, b]).toEqual(['a', expect.stringContaining('could not be parsed'), 'b'])
  expect([await read('c'), await read('d')]).toEqual(['c', 'd'])
})

test('tags are stripped in linear time', () => {
  expect(stripTags('<p>a<br>b</p><!-- c --><style>d</style><b>e</b> &lt;f&gt; &#65;&#x42; &unknown; 1 < 2 <3')).toBe(
    'a\nb\ne <f> AB &unknown; 1 < 2 <3',
  )
  const spentMs = cpuClock()
  for (const hostile of ['<script', '<!--', '<a ', '<', '</', '&', '\n ', '<script></scrip'])
    stripTags(hostile.repeat(300_000))
  expect(spentMs()).toBeLessThan(3000)
})

test('the worker imports nothing that the main thread would have to load', () => {
  expect(readFileSync(path.join(import.meta.dirname, 'read-page.ts'), 'utf8')).not.toMatch(
    /from '(linkedom|turndown|@mozilla)/,
  )
})
