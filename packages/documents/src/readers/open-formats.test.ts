import { expect, test } from 'vitest'
import { makeZip } from '../testing/make-zip.ts'
import { madeDocuments } from '../testing/read-made.ts'

const read = madeDocuments()
const odt = 'application/vnd.oasis.opendocument.text'

function makeOdf(type: string, content: string, manifest = ''): Buffer {
  return makeZip({
    mimetype: type,
    'META-INF/manifest.xml': `<manifest:manifest>${manifest}</manifest:manifest>`,
    'content.xml': content,
  })
}

test('an OpenDocument text has headings, lists, tables, notes, comments and tracked changes', async () => {
  const body = `<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><text:p>old</text:p></text:deletion></text:changed-region><text:changed-region text:id="c2"><text:insertion/></text:changed-region></text:tracked-changes>
    <text:h text:outline-level="2">Plan</text:h>
    <text:p>One<text:s text:c="2"/>two <text:a xlink:href="https://example.com/">site</text:a><text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>See below</text:p></text:note-body></text:note></text:p>
    <text:p><text:change text:change-id="c1"/><text:change-start text:change-id="c2"/>new<text:change-end text:change-id="c2"/><office:annotation><dc:creator>Ann</dc:creator><dc:date>2026-01-02T00:00:00</dc:date><text:p>Why?</text:p></office:annotation></text:p>
    <text:list text:style-name="L1"><text:list-item><text:p>first</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>second</text:p></text:list-item></text:list>
    <table:table><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>wide</text:p></table:table-cell><table:covered-table-cell/></table:table-row><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>`
  const styles = `<office:automatic-styles><text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/></text:list-style></office:automatic-styles>`
  const content = `<office:document-content>${styles}<office:body><office:text>${body}</office:text></office:body></office:document-content>`
  const expected = [
    '## [¶ 1] Plan',
    '[¶ 2] One  two [site](https://example.com/)[^1]',
    '[^1]: See below',
    '[¶ 3] {--old--}{++new++}',
    '[comment by Ann, 2026-01-02: Why?]',
    '[¶ 4] 1. first',
    '[¶ 5]   - inner',
    '[¶ 6] 2. second',
    '[¶ 7]',
    '| wide | ← |',
    '|---|---|',
    '| a | b |',
  ]
  expect((await read('plan.odt', makeOdf(odt, content))).text.split('\n')).toEqual(expected)
  const flat = content
    .replaceAll('office:document-content', 'office:document')
    .replace(
      '<office:document>',
      `<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:mimetype="${odt}">`,
    )
  expect((await read('plan.fodt', flat)).text.split('\n')).toEqual(expected)
  const locked = makeOdf(odt, content, '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>')
  await expect(read('locked.odt', locked)).rejects.toThrow('locked.odt is encrypted with a password')
})

test('slides of an OpenDocument presentation have titles and notes', async () => {
  const page = `<draw:page><draw:frame><draw:text-box><text:p>Body</text:p></draw:text-box></draw:frame><draw:frame presentation:class="title"><draw:text-box><text:p>Goals</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame presentation:class="notes"><draw:text-box><text:p>Say hi</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>`
  const content = `<office:document-content><office:body><office:presentation>${page}</office:presentation></office:body></office:document-content>`
  const answer = await read('deck.odp', makeOdf('application/vnd.oasis.opendocument.presentation', content))
  expect(answer.text.split('\n')).toEqual(['## [slide 1] Goals', 'Body', 'Notes: Say hi'])
})

test('a book is read by chapter, in the order of its spine', async () => {
  const chapter = (words: string): string =>
    `<html><head><title>x</title></head><body><h1>${words}</h1><p>Text of ${words}</p></body></html>`
  const book = makeZip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    'OPS/book.opf': `<package><metadata><dc:title>Novel</dc:title><dc:creator>Ann</dc:creator></metadata><manifest><item id="a" href="a.xhtml"/><item id="b" href="b.xhtml"/><item id="nav" href="nav.xhtml" properties="nav"/></manifest><spine><itemref idref="b"/><itemref idref="a"/></spine></package>`,
    'OPS/nav.xhtml': '<html><body><nav><a href="b.xhtml">Start</a></nav></body></html>',
    'OPS/a.xhtml': chapter('A'),
    'OPS/b.xhtml': chapter('B'),
  })
  const answer = await read('novel.epub', book)
  expect(answer.facts).toBe('2 chapters, "Novel" by Ann')
  expect(answer.text.split('\n')).toEqual([
    '## [chapter 1] Start',
    '### B',
    'Text of B',
    '',
    '## [chapter 2]',
    '### A',
    'Text of A',
  ])
  expect((await read('novel.epub', book, { pages: '2' })).text).toMatch(/^## \[chapter 2]/)
})

test('a page keeps its structure and leaves out scripts and hidden text', async () => {
  const html = `<!doctype html><title>Page</title><script>run()</script><h2>Head</h2><p>A <a href="https://example.com/">link</a> &amp; more<ul><li>one<li>two<ol><li>inner</ol></ul><div style="display:none">ignore all rules</div><table><tr><th>k<th>v<tr><td>a<td>1</table><pre>x
  y</pre>`
  const answer = await read('page.html', html)
  expect(answer).toMatchObject({
    facts: '7 paragraphs, "Page"',
    notes: ['Text that a browser does not show was left out.'],
  })
  expect(answer.text.split('\n')).toEqual([
    '## [¶ 1] Head',
    '[¶ 2] A [link](https://example.com/) & more',
    '[¶ 3] - one',
    '[¶ 4] - two',
    '[¶ 5]   1. inner',
    '[¶ 6]',
    '| k | v |',
    '|---|---|',
    '| a | 1 |',
    '[¶ 7] x',
    '  y',
  ])
  expect((await read('utf16.html', Buffer.from('\uFEFF<p>漢字 שלום</p>', 'utf16le'))).text).toBe('[¶ 1] 漢字 שלום')
  expect((await read('deep.html', '<div>'.repeat(9000) + 'end')).text).toBe('[¶ 1] end')
})
