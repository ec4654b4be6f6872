import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuClock } from '../../../../protocol/testing/test-effort.ts'
import { markdownToHtml } from './markdown-to-html.ts'

const cases: Record<string, string> = {
  '# One\ntwo\nthree': '<h3>One</h3>\n<p>two\nthree</p>',
  '- a\n- **b**\n  more\n\n1. c': '<ul><li>a</li><li><strong>b</strong>\nmore</li></ul>\n<ol><li>c</li></ol>',
  '```js\na < b && `c`\n```\nafter': '<pre><code>a &lt; b &amp;&amp; `c`</code></pre>\n<p>after</p>',
  '~~~~\n```\n~~~~': '<pre><code>```</code></pre>',
  '```\nnever closed': '<pre><code>never closed</code></pre>',
  '> said\n> twice': '<blockquote><p>said\ntwice</p></blockquote>',
  '| a | b |\n|---|:-:|\n| 1 | `2` |':
    '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table>',
  'see [here](https://example.org/?a=1&b=2) *now*':
    '<p>see <a href="https://example.org/?a=1&amp;b=2" rel="noreferrer noopener">here</a> <em>now</em></p>',
  '[x](javascript:alert(1)) <b>"\'': '<p>[x](javascript:alert(1)) &lt;b&gt;&quot;&#39;</p>',
  '![i](https://example.org/x.png)': '<p><a href="https://example.org/x.png" rel="noreferrer noopener">i</a></p>',
  '---': '<hr>',
}
for (const [markdown, html] of Object.entries(cases))
  test(`${JSON.stringify(markdown)} is simple HTML`, () => expect(markdownToHtml(markdown)).toBe(html))

test('any text produces only the few allowed tags, and links lead to the web', () => {
  const bits = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '&',
    '`',
    '*',
    '[',
    '](',
    ')',
    'https://a',
    'javascript:',
    '|',
    '\n',
    '#',
    ' ',
    'x',
    '<script>',
    ' onerror=',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(bits, fc.string({ unit: 'binary' })), { maxLength: 60 }), (pieces) => {
      const html = markdownToHtml(pieces.join(''))
      const known =
        /<\/?(?:p|h[3-6]|ul|ol|li|pre|code|blockquote|table|thead|tbody|tr|th|td|strong|em|hr)>|<a href="https?:\/\/[^\s"<>]*" rel="noreferrer noopener">|<\/a>/g
      expect(html.replace(known, '')).not.toMatch(/[<>"']/)
    }),
    { numRuns: 500 },
  )
})

test('every text is fast', () => {
  const spentMs = cpuClock()
  for (const bit of ['*a ', '[', '[](', '`', '> ', '| ', '- ', '**', '_ ', '#', '~~~ '])
    markdownToHtml(bit.repeat(200_000 / bit.length))
  expect(spentMs()).toBeLessThan(10_000)
})
