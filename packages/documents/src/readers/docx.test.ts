import { expect, test } from 'vitest'
import { makeWord } from '../testing/make-office.ts'
import { makeZip } from '../testing/make-zip.ts'
import { madeDocuments } from '../testing/read-made.ts'

const read = madeDocuments()
const text = (words: string): string => `<w:r><w:t xml:space="preserve">${words}</w:t></w:r>`
const paragraph = (words: string): string => `<w:p>${text(words)}</w:p>`

test('headings, numbered lists, links and formatting become Markdown with anchors', async () => {
  const body = `
    <w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr>${text('Plan')}</w:p>
    <w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Bo</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>ld</w:t></w:r>${text(' and ')}<w:hyperlink r:id="rId9">${text('site')}</w:hyperlink></w:p>
    ${[0, 1, 1, 0].map((level) => `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="5"/></w:numPr></w:pPr>${text('item')}</w:p>`).join('')}`
  const answer = await read(
    'plan.docx',
    makeWord(
      body,
      {
        'word/styles.xml': '<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>',
        'word/numbering.xml': `<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
      },
      [
        ['rId1', 'styles', 'styles.xml'],
        ['rId2', 'numbering', 'numbering.xml'],
        ['rId9', 'hyperlink', 'https://example.com/', true],
      ],
    ),
  )
  expect(answer).toMatchObject({ format: 'docx', title: 'a Word document', facts: '6 paragraphs' })
  expect(answer.text.split('\n')).toEqual([
    '# [¶ 1] Plan',
    '[¶ 2] **Bold** and [site](https://example.com/)',
    '[¶ 3] III. item',
    '[¶ 4]   III.a) item',
    '[¶ 5]   III.b) item',
    '[¶ 6] IV. item',
  ])
})

test('merged cells, notes, comments, tracked changes, hidden text and text boxes are shown', async () => {
  const cell = (words: string, properties = ''): string =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(words)}</w:tc>`
  const body = `
    <w:tbl><w:tr>${cell('wide', '<w:gridSpan w:val="2"/>')}</w:tr><w:tr>${cell('tall', '<w:vMerge w:val="restart"/>')}${cell('a | b')}</w:tr><w:tr>${cell('', '<w:vMerge/>')}${cell('c')}</w:tr></w:tbl>
    <w:p>${text('Text')}<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:commentReference w:id="7"/></w:r></w:p>
    <w:p><w:ins w:author="Ann">${text('new')}</w:ins><w:del w:author="Bob"><w:r><w:delText>old</w:delText></w:r></w:del></w:p>
    <w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>
    <w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>${paragraph('boxed')}</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>${paragraph('boxed')}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>
    <w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></w:p>`
  const answer = await read(
    'review.docx',
    makeWord(
      body,
      {
        'word/footnotes.xml': `<w:footnotes><w:footnote w:id="0" w:type="separator"/><w:footnote w:id="2">${paragraph('See page 4')}</w:footnote></w:footnotes>`,
        'word/comments.xml': `<w:comments><w:comment w:id="7" w:author="Ann" w:date="2026-01-02T10:00:00Z">${paragraph('Check this')}</w:comment></w:comments>`,
        'word/header1.xml': `<w:hdr>${paragraph('Confidential')}</w:hdr>`,
        'word/vbaProject.bin': 'no project',
      },
      [
        ['rId1', 'footnotes', 'footnotes.xml'],
        ['rId2', 'comments', 'comments.xml'],
        ['rId3', 'header', 'header1.xml'],
        ['rId4', 'attachedTemplate', 'file://server/template.dotm', true],
      ],
    ),
  )
  expect(answer.text.split('\n')).toEqual([
    '[¶ 1]',
    '| wide | ← |',
    '|---|---|',
    '| tall | a \\| b |',
    '| ↑ | c |',
    '[¶ 2] Text[^2]',
    '[^2]: See page 4',
    '[comment 7 by Ann, 2026-01-02: Check this]',
    '[¶ 3] {++new++}{--old--}',
    '[¶ 4] [hidden: secret]',
    '[¶ 5] [text box] boxed',
    '[¶ 6] $\\frac{a}{b}$',
    '[¶ 7] [header] Confidential',
  ])
  expect(answer.facts).toBe('7 paragraphs, 1 table, tracked changes, 1 note, 1 comment')
  expect(answer.notes).toEqual([
    'Tracked changes by Ann, Bob: {++inserted++}, {--deleted--}.',
    'Text marked [hidden: …] is hidden in the document.',
    'The document has macros in word/vbaProject.bin. They were not run.',
    'The document refers to files outside of it, which were not loaded: attachedTemplate file://server/template.dotm.',
  ])
})

test('a long document starts with its outline and says where to continue', async () => {
  const heading = `<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr>${text('Chapter')}</w:p>`
  const made = makeWord(Array.from({ length: 30 }, () => heading + paragraph('word '.repeat(800))).join(''))
  const first = await read('long.docx', made)
  expect(first.text).toMatch(/^Outline:\n- \[¶ 1] Chapter\n- \[¶ 3] Chapter/)
  expect(first.text.length).toBeLessThan(60_000)
  const { offset = 0 } = first.next ?? {}
  const second = await read('long.docx', made, { offset, limit: 2 })
  expect(second.text).toContain(`[¶ ${offset}]`)
  expect(second.next).toEqual({ offset: offset + 2 })
  await expect(read('long.docx', made, { offset: 61 })).rejects.toThrow('has 60 paragraphs; there is none at offset 61')
  await expect(read('long.docx', made, { sheet: 'Sheet1' })).rejects.toThrow(
    'A Word document has no "sheet". Use "offset" and "limit", which count paragraphs.',
  )
})

test('damaged documents say what is wrong', async () => {
  const made = makeWord(paragraph('text'))
  await expect(read('half.docx', made.subarray(0, made.length / 2))).rejects.toThrow(
    'half.docx is damaged or incomplete',
  )
  const types = '<Types><Override ContentType="x.wordprocessingml.document.main+xml"/></Types>'
  await expect(read('bare.docx', makeZip({ '[Content_Types].xml': types }))).rejects.toThrow('has no word/document.xml')
  await expect(read('deep.docx', makeWord('<w:sdt>'.repeat(1000)))).rejects.toThrow('nested too deeply')
  await expect(read('bomb.docx', makeWord(paragraph('a'.repeat(3_000_000))))).rejects.toThrow(
    'would expand to more than',
  )
})
