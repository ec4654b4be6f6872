import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuClock } from '../../../protocol/testing/test-effort.ts'
import { closeOpenMarks, createSplitter } from './split-blocks.ts'

const answer = [
  '# Title',
  '',
  'A paragraph with **bold**, `code` and a [link][1].',
  '',
  '1. one',
  '',
  '2. two',
  '   ```js',
  '   nested()',
  '   ```',
  '- [x] done',
  '',
  '| a | b |',
  '|---|--:|',
  '| 1 | 2 |',
  '',
  '```ts',
  'const x = 1',
  '',
  'const y = 2',
  '```',
  '',
  '> quote',
  '',
  'Setext',
  '======',
  '',
  '[1]: https://example.org/',
  '',
].join('\n')

test('streamed text gives the same blocks as the whole text', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: answer.length }), { maxLength: 20 }), (cuts) => {
      const split = createSplitter()
      for (const cut of cuts.toSorted((a, b) => a - b)) split(answer.slice(0, cut), false)
      expect(split(answer, true)).toEqual(createSplitter()(answer, true))
    }),
  )
})

test('without link definitions, every prefix gives the blocks of the whole text', () => {
  const text = answer.replaceAll(/\[1\].*/g, '')
  const split = createSplitter()
  for (let end = 1; end <= text.length; end++) {
    expect(split(text.slice(0, end), false)).toEqual(createSplitter()(text.slice(0, end), false))
  }
})

test('a block that is complete keeps its identity while others arrive', () => {
  const split = createSplitter()
  const [first] = split('one\n\ntwo\n\nthr', false)
  const later = split('one\n\ntwo\n\nthree\n\nfour', false)
  expect(later[0]).toBe(first)
  expect(later).toHaveLength(4)
  expect(split('one\n\ntwo\n\nthree\n\nfour', true)[0]).toBe(first)
})

test('a link definition at the end applies to earlier text at the end', () => {
  const [block] = createSplitter()('see [it][1]\n\n[1]: https://example.org/', true)
  expect(block).toMatchObject({ kind: 'prose', html: expect.stringContaining('href="https://example.org/"') })
})

test('a fence becomes a code block with the name of its language, without the rest of its info line', () => {
  expect(createSplitter()('```ts title="x"><script>\nlet a\n```', true)).toEqual([
    { kind: 'code', language: 'ts', text: 'let a' },
  ])
})

test('a remote image becomes a link, a local one is kept', () => {
  const [remote, own] = createSplitter()(
    '![cat](https://example.org/cat.png)\n\n![dot](data:image/png;base64,AAAA)',
    true,
  )
  expect(remote).toMatchObject({
    html: expect.stringMatching(/<a href="https:\/\/example.org\/cat.png">cat \(image\)<\/a>/),
  })
  expect(own).toMatchObject({ html: expect.stringContaining('<img src="data:image/png;base64,AAAA" alt="dot">') })
})

test.each([
  ['a **bol', 'a **bol**'],
  ['a **', 'a'],
  ['a `co', 'a `co`'],
  ['a `', 'a '],
  ['a [text](https://exa', 'a text'],
  ['**a *b', '**a *b***'],
  ['done **bold** and `code`', 'done **bold** and `code`'],
  ['snake_case_name', 'snake_case_name'],
  ['2 * 3', '2 * 3'],
  ['escaped \\*star', 'escaped \\*star'],
  ['`**`', '`**`'],
])('open syntax in %j is closed for display', (text, shown) => {
  expect(closeOpenMarks(text)).toBe(shown)
})

describe('formulas', () => {
  const html = (text: string, done = true) =>
    createSplitter()(text, done)
      .map((block) => (block.kind === 'prose' ? block.html.trim() : block.text))
      .join('\n')

  test('are kept unchanged, with any symbols in them', () => {
    expect(html('so $a_1 * b_2 * c < d$ holds')).toBe(
      '<p>so <span class="math-inline">$a_1 * b_2 * c &lt; d$</span> holds</p>',
    )
    expect(html(String.raw`\(a*b*c\) and \[ x_1 \]`)).toBe(
      String.raw`<p><span class="math-inline">\(a*b*c\)</span> and <span class="math-display">\[ x_1 \]</span></p>`,
    )
    expect(html('one\n\n$$\nx\n\\ne\ny\n$$\n\ntwo')).toBe(
      '<p>one</p>\n<p><span class="math-display">$$\nx\n\\ne\ny\n$$</span></p>\n<p>two</p>',
    )
    expect(html('- item $x^2$')).toContain('<span class="math-inline">$x^2$</span>')
  })

  test('do not exist in code, and money is not one', () => {
    expect(html('`$x^2$` and `\\(`')).not.toContain('math')
    expect(html('```\n$$x$$\n```')).toBe('$$x$$')
    expect(html('It costs $5 and not $10, a *real* bargain')).toBe(
      '<p>It costs $5 and not $10, a <em>real</em> bargain</p>',
    )
    expect(html(String.raw`a \* b \[link\]`)).not.toContain('math')
  })

  test('do not leave marks behind while the text is being written', () => {
    expect(html('where $x_{i}$ and $y_{j}$ are', false)).not.toMatch(/_<\/p>/)
    expect(html('where $x_{i}$ **and', false)).toContain('<strong>and</strong>')
  })
})

describe('footnotes', () => {
  const html = (text: string) =>
    createSplitter()(text, true)
      .map((block) => (block.kind === 'prose' ? block.html : `CODE ${block.text}`))
      .join('')
      .replaceAll('\n', '')

  test.each([
    [
      'are numbered as they are referred to, and stand below in that order',
      'One[^b] and[^a], again[^b].\n\n[^a]: Note *A*.\n[^b]: Note B.',
      '<p>One<sup class="footnote-reference">1</sup> and<sup class="footnote-reference">2</sup>, again<sup class="footnote-reference">1</sup>.</p>' +
        '<ol class="footnotes"><li><p>Note B.</p></li><li><p>Note <em>A</em>.</p></li></ol>',
    ],
    [
      'may have lines and blocks of their own',
      'T[^n]\n\n[^n]: First\n  goes on.\n\n    Second.\n\nAfter.',
      '<p>T<sup class="footnote-reference">1</sup></p><p>After.</p><ol class="footnotes"><li><p>Firstgoes on.</p><p>Second.</p></li></ol>',
    ],
    ['that are said nowhere stay text', 'The class [^abc] of `[^1]`.', '<p>The class [^abc] of <code>[^1]</code>.</p>'],
    ['that nobody refers to are left out', 'Text.\n\n[^1]: Nobody.', '<p>Text.</p>'],
    [
      'can bring no markup of their own',
      'X[^1]\n\n[^1]: <img src=x onerror=alert(1)> [l](javascript:alert(1))',
      '<p>X<sup class="footnote-reference">1</sup></p><ol class="footnotes"><li><p>&lt;img src=x onerror=alert(1)&gt; <a href="javascript:alert(1)">l</a></p></li></ol>',
    ],
    [
      'end a paragraph',
      'A[^1]\n[^1]: B\n# C',
      '<p>A<sup class="footnote-reference">1</sup></p><h3>C</h3><ol class="footnotes"><li><p>B</p></li></ol>',
    ],
  ])('%s', (_, text, expected) => {
    expect(html(text)).toBe(expected)
  })

  test('a text of only openings is parsed in linear time', () => {
    const spentMs = cpuClock()
    html('[^a]: x\n'.repeat(4000) + '[^a]'.repeat(4000))
    expect(spentMs()).toBeLessThan(3000)
  })
})
