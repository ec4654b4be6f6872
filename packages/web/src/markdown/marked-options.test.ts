import { expect, test } from 'vitest'
import { hostileVectors } from '../../e2e/testing/hostile-vectors.ts'
import { createSplitter } from './split-blocks.ts'

const harmless =
  /<\/?[a-z][a-z0-9]*(?: open)?\s*\/?>|<a href="[^"<>]*"(?: title="[^"]*")?>|<img src="[^"<>]*" alt="[^"]*">|<(?:span|sup|ol) class="[\w -]+">|<code class="language-[^"<>]*">|<t[hd] align="\w+">|<ol start="\d+">/gi
const acting = /<\/?(?:script|style|iframe|object|embed|form|input|svg|math|video|audio|link|meta|base|template)\b/i

test('Markdown never produces active markup, for any text', () => {
  const odd = hostileVectors.filter((vector) => {
    const blocks = createSplitter()(`Text.\n\n${vector}`, true)
    const html = blocks.map((block) => (block.kind === 'prose' ? block.html : '')).join('')
    return acting.test(html) || html.replaceAll(harmless, '').includes('<')
  })
  expect(odd).toEqual([])
})
