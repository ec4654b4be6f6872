import type { LayoutBlock, LayoutParagraph, LayoutTable } from '@troupe/core'
import { expect, test } from 'vitest'
import { makeWord } from '../testing/make-office.ts'
import { madeDocuments } from '../testing/read-made.ts'

const read = madeDocuments()
const png = Buffer.from('iVBORw0KGgo=', 'base64')

async function layout(...given: Parameters<typeof makeWord>) {
  const answer = await read('a.docx', makeWord(...given), { layout: true })
  return { ...answer.layout!, next: answer.next }
}

const paragraph = (block: LayoutBlock | undefined): LayoutParagraph => block as LayoutParagraph
const text = (words: string, properties = ''): string =>
  `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${words}</w:t></w:r>`

test('paragraphs have the formatting of their styles, and then their own', async () => {
  const styles = `<w:styles>
    <w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/><w:rFonts w:ascii="Georgia"/></w:rPr></w:rPrDefault></w:docDefaults>
    <w:style w:type="paragraph" w:styleId="Base"><w:pPr><w:jc w:val="center"/><w:spacing w:after="200"/></w:pPr><w:rPr><w:color w:val="FF0000"/></w:rPr></w:style>
    <w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:basedOn w:val="Base"/><w:rPr><w:b/><w:sz w:val="32"/></w:rPr></w:style>
    <w:style w:type="character" w:styleId="Em"><w:rPr><w:i/></w:rPr></w:style></w:styles>`
  const { blocks } = await layout(
    `<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr>${text('Title')}${text(' soft', '<w:b w:val="0"/><w:rStyle w:val="Em"/>')}</w:p>
     <w:p><w:pPr><w:jc w:val="right"/><w:ind w:left="720" w:hanging="360"/></w:pPr>${text('x', '<w:u w:val="single"/><w:strike/><w:highlight w:val="yellow"/><w:vertAlign w:val="superscript"/>')}</w:p>`,
    { 'word/styles.xml': styles },
    [['r1', 'styles', 'styles.xml']],
  )
  expect(blocks[0]).toEqual({
    kind: 'paragraph',
    number: 1,
    heading: 1,
    align: 'center',
    after: 10,
    runs: [
      { text: 'Title', isBold: true, size: 16, font: 'Georgia', color: '#ff0000' },
      { text: ' soft', isBold: false, isItalic: true, size: 16, font: 'Georgia', color: '#ff0000' },
    ],
  })
  expect(blocks[1]).toMatchObject({ number: 2, align: 'end', indent: 36, firstLine: -18 })
  expect(paragraph(blocks[1]).runs[0]).toMatchObject({
    isUnderlined: true,
    isStruck: true,
    shade: '#ffff00',
    script: 'super',
  })
})

test('lists, links, pictures, notes, changes and comments are marked', async () => {
  const numbering = `<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1)"/><w:pPr><w:ind w:left="720" w:hanging="360"/></w:pPr></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`
  const list = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>'
  const drawing =
    '<w:r><w:drawing><wp:inline><wp:extent cx="1270000" cy="635000"/><wp:docPr descr="A logo"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="p1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>'
  const { blocks, notes, comments } = await layout(
    `<w:p>${list}${text('one')}</w:p><w:p>${list}${text('two')}</w:p>
     <w:p><w:hyperlink r:id="l1">${text('site')}</w:hyperlink><w:hyperlink r:id="l2">${text('trap')}</w:hyperlink>${drawing}</w:p>
     <w:p><w:ins w:author="Ann">${text('new')}</w:ins><w:del w:author="Bo"><w:r><w:delText>old</w:delText></w:r></w:del></w:p>
     <w:p><w:commentRangeStart w:id="0"/>${text('said')}<w:commentRangeEnd w:id="0"/>${text('.')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>
     <w:p>${text('secret', '<w:vanish/>')}</w:p>`,
    {
      'word/numbering.xml': numbering,
      'word/media/logo.png': png,
      'word/footnotes.xml': `<w:footnotes><w:footnote w:id="2"><w:p>${text('A note')}</w:p></w:footnote><w:footnote w:id="3"><w:p>${text('unused')}</w:p></w:footnote></w:footnotes>`,
      'word/comments.xml': `<w:comments><w:comment w:id="0" w:author="Cy" w:date="2024-02-03T10:00:00Z"><w:p>${text('Why?')}</w:p></w:comment></w:comments>`,
    },
    [
      ['n1', 'numbering', 'numbering.xml'],
      ['p1', 'image', 'media/logo.png'],
      ['f1', 'footnotes', 'footnotes.xml'],
      ['c1', 'comments', 'comments.xml'],
      ['l1', 'hyperlink', 'https://example.com/', true],
      ['l2', 'hyperlink', 'javascript:alert(1)', true],
    ],
  )
  expect(blocks.slice(0, 2).map((block) => paragraph(block).label)).toEqual(['3)', '4)'])
  expect(blocks[0]).toMatchObject({ indent: 36, firstLine: -18 })
  const [site, trap, picture] = paragraph(blocks[2]).runs
  expect([site?.link, trap?.link]).toEqual(['https://example.com/', undefined])
  expect(picture?.picture).toEqual({
    data: `data:image/png;base64,${png.toString('base64')}`,
    alt: 'A logo',
    width: 100,
    height: 50,
  })
  expect(paragraph(blocks[3]).runs).toEqual([
    { text: 'new', change: 'inserted', author: 'Ann' },
    { text: 'old', change: 'deleted', author: 'Bo' },
  ])
  expect(paragraph(blocks[4]).runs).toEqual([
    { text: 'said', comments: ['0'] },
    { text: '.' },
    { text: '2', note: 'footnote 2', script: 'super' },
  ])
  expect(paragraph(blocks[5]).runs).toEqual([])
  expect(notes).toMatchObject([{ id: 'footnote 2', label: '2', blocks: [{ runs: [{ text: 'A note' }] }] }])
  expect(comments).toEqual([{ id: '0', author: 'Cy', date: '2024-02-03', isResolved: false, text: 'Why?' }])
})

test('tables keep their spans, widths, lines and shades', async () => {
  const cell = (words: string, properties = ''): string =>
    `<w:tc><w:tcPr>${properties}</w:tcPr><w:p>${text(words)}</w:p></w:tc>`
  const { blocks } = await layout(
    `<w:tbl><w:tblPr><w:tblBorders><w:top w:val="single"/></w:tblBorders></w:tblPr><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="3000"/></w:tblGrid>
     <w:tr><w:trPr><w:tblHeader/></w:trPr>${cell('A', '<w:gridSpan w:val="2"/><w:shd w:fill="EEEEEE"/>')}</w:tr>
     <w:tr>${cell('B', '<w:vMerge w:val="restart"/>')}${cell('C')}</w:tr><w:tr>${cell('', '<w:vMerge/>')}${cell('D')}</w:tr></w:tbl>`,
  )
  const table = blocks[0] as LayoutTable
  expect(table).toMatchObject({ kind: 'table', number: 1, hasLines: true, widths: [50, 150] })
  expect(table.rows.map(({ cells }) => cells.map(({ columns, rows }) => [columns, rows]))).toEqual([
    [[2, 1]],
    [
      [1, 2],
      [1, 1],
    ],
    [[1, 1]],
  ])
  expect(table.rows[0]).toMatchObject({ isHead: true, cells: [{ shade: '#eeeeee' }] })
})

test('a long document comes in parts, with the numbers that Read cites and lists that continue', async () => {
  const numbering = `<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`
  const item = (index: number): string =>
    `<w:p/><w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>${text(`item ${index}`)}</w:p>`
  const made = makeWord(
    Array.from({ length: 400 }, (_, index) => item(index + 1)).join(''),
    { 'word/numbering.xml': numbering },
    [['n1', 'numbering', 'numbering.xml']],
  )
  const first = await read('long.docx', made, { layout: true })
  expect(first.layout?.blocks).toHaveLength(500)
  const next = first.next?.offset ?? 0
  expect((await read('long.docx', made, { offset: next, limit: 1 })).text).toBe(`[¶ ${next}] ${next}. item ${next}`)
  const second = await read('long.docx', made, { layout: true, offset: next })
  const items = second.layout!.blocks.map(paragraph).filter(({ runs }) => runs.length > 0)
  expect(items[0]).toMatchObject({ number: next, label: `${next}.`, runs: [{ text: `item ${next}` }] })
  expect(items.at(-1)).toMatchObject({ number: 400 })
  expect(second.next).toBeUndefined()
})
