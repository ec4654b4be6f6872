import { expect, test } from 'vitest'
import { makeSlides, relationshipsXml } from '../testing/make-office.ts'
import { madeDocuments } from '../testing/read-made.ts'

const read = madeDocuments()
const shape = (type: string, ...lines: string[]): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:nvPr>${type === '' ? '' : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${lines.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`
const slide = (shapes: string, attributes = ''): string =>
  `<p:sld${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`

const chart = `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>2026</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt><c:pt idx="1"><c:v>South</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>5</c:v></c:pt><c:pt idx="1"><c:v>7</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`

const deck = makeSlides(
  [
    slide(shape('body', 'first', 'second') + shape('title', 'Goals')),
    slide(
      `${shape('title', 'Numbers')}<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></p:graphicFrame><p:pic><p:nvPicPr><p:cNvPr name="Picture 1" descr="A boat"/></p:nvPicPr><p:blipFill><a:blip r:embed="rId2"/></p:blipFill></p:pic>`,
      ' show="0"',
    ),
  ],
  {
    'ppt/slides/_rels/slide2.xml.rels': relationshipsXml([
      ['rId1', 'chart', '../charts/chart1.xml'],
      ['rId2', 'image', '../media/image1.png'],
      ['rId3', 'notesSlide', '../notesSlides/notesSlide1.xml'],
      ['rId4', 'comments', '../comments/comment1.xml'],
    ]),
    'ppt/charts/chart1.xml': chart,
    'ppt/notesSlides/notesSlide1.xml': `<p:notes><p:cSld><p:spTree>${shape('body', 'Say hello')}</p:spTree></p:cSld></p:notes>`,
    'ppt/commentAuthors.xml': '<p:cmAuthorLst><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>',
    'ppt/comments/comment1.xml':
      '<p:cmLst><p:cm authorId="0" dt="2026-03-04T00:00:00"><p:text>Source?</p:text></p:cm></p:cmLst>',
  },
)

test('slides have titles, lists, charts as tables, pictures, notes and comments', async () => {
  const answer = await read('deck.pptx', deck)
  expect(answer).toMatchObject({ format: 'pptx', facts: '2 slides, 1 hidden', notes: ['Hidden slides: 2.'] })
  expect(answer.text.split('\n')).toEqual([
    '## [slide 1] Goals',
    '- first',
    '- second',
    '',
    '## [slide 2] Numbers (hidden)',
    '[barChart: Sales]',
    '|  | 2026 |',
    '|---|---|',
    '| North | 5 |',
    '| South | 7 |',
    '![A boat](ppt/media/image1.png)',
    'Notes: Say hello',
    '[comment by Ann, 2026-03-04: Source?]',
  ])
})

test('slides are chosen by number, and long decks continue', async () => {
  expect((await read('deck.pptx', deck, { pages: '2' })).text).toMatch(/^## \[slide 2]/)
  await expect(read('deck.pptx', deck, { pages: '3' })).rejects.toThrow(
    'There is no slide 3: the document has 2 slides.',
  )
  await expect(read('deck.pptx', deck, { range: 'A1' })).rejects.toThrow('A PowerPoint presentation has no "range"')
  const long = makeSlides(
    Array.from({ length: 8 }, () => slide(shape('', ...Array<string>(100).fill('word '.repeat(20))))),
  )
  const first = await read('long.pptx', long)
  expect(first.next).toEqual({ pages: '5-8' })
  expect((await read('long.pptx', long, first.next)).next).toBeUndefined()
  const huge = makeSlides([
    slide(shape('', ...Array.from({ length: 900 }, (_, index) => `line ${index} ${'word '.repeat(20)}`))),
  ])
  const start = await read('huge.pptx', huge)
  expect(start.next).toMatchObject({ pages: '1' })
  expect((await read('huge.pptx', huge, start.next)).text).toMatch(/line 899 /)
})
