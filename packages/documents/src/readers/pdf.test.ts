import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { DocumentPart, DocumentText } from '@troupe/core'
import { deflateSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { full } from '../../../protocol/testing/test-effort.ts'
import { openDocuments } from '../open-documents.ts'
import { makePdf, type PdfOptions, type PdfPage, stream, text } from '../testing/make-pdf.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'pdf-'))
// Without PATH there is no text recognition.
const documents = openDocuments({ env: {} })
afterAll(() => {
  documents.close()
  rmSync(folder, { recursive: true, force: true })
})

let files = 0

function save(bytes: Uint8Array): string {
  const file = path.join(folder, `${++files}.pdf`)
  writeFileSync(file, bytes)
  return file
}

function read(pages: readonly PdfPage[], part: DocumentPart = {}, options?: PdfOptions): Promise<DocumentText> {
  return documents.read({ path: save(makePdf(pages, options)), name: 'a.pdf' }, part)
}

const line = (y: number, words: string, size?: number): string => text(72, y, words, size)
const page = (...content: string[]): PdfPage => ({ content: content.join('') })

describe('text', () => {
  test('is read in words at any angle', async () => {
    const turned = (angle: number, words: string, x = 200, y = 400): string => {
      const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)].map((n) => n.toFixed(4))
      return `BT /F1 14 Tf ${cos} ${sin} -${sin} ${cos} ${x} ${y} Tm (${words}) Tj 0 -18 Td (second line below) Tj ET\n`.replaceAll(
        '--',
        '',
      )
    }
    for (const angle of [45, 30, -12, 3.4, 2, 60, 90, 135, 180, 200, 270, -45, 359])
      for (const rotate of [0, 90]) {
        const answer = await read([
          {
            content: `${line(760, 'Upright words stay first here')}${turned(angle, 'CONFIDENTIAL draft of May')}`,
            rotate,
          },
        ])
        expect([angle, rotate, answer.text.replaceAll('# ', '')]).toEqual([
          angle,
          rotate,
          expect.stringMatching(/CONFIDENTIAL +draft of May\n+second line below/),
        ])
        expect(answer.text).toContain('Upright words stay first here')
      }
  })

  test('on an arc is read in words', async () => {
    // Helvetica letters of 20 points, each turned by four degrees more, on a circle.
    const widths: Record<string, number> = { o: 556, f: 278, c: 500, i: 222, a: 556, l: 222 }
    let [x, y, angle] = [150, 400, 40]
    const letters = Array.from('official', (letter) => {
      const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)]
      const drawn = `BT /F1 20 Tf ${cos.toFixed(5)} ${sin.toFixed(5)} ${(-sin).toFixed(5)} ${cos.toFixed(5)} ${x.toFixed(3)} ${y.toFixed(3)} Tm (${letter}) Tj ET\n`
      x += (widths[letter]! / 50) * cos
      y += (widths[letter]! / 50) * sin
      angle -= 4
      return drawn
    })
    expect((await read([page(...letters)])).text).toContain('official')
  })

  test('is read by page with facts', async () => {
    const answer = await read([page(line(700, 'Hello world')), page(line(700, 'Second page'))], {}, { title: 'Two' })
    expect(answer).toMatchObject({ format: 'pdf', facts: '2 pages, Letter, title "Two"', next: undefined, notes: [] })
    expect(answer.text).toBe('[p. 1]\nHello world\n\n[p. 2]\nSecond page')
  })

  test('columns are read one after the other, below a title over both', async () => {
    const lines = [1, 2, 3, 4, 5]
    const answer = await read([
      page(
        text(150, 740, 'A title over both of the columns', 20),
        ...lines.map((n) => text(50, 720 - n * 14, `left column, line number ${n} of its text`)),
        ...lines.map((n) => text(330, 720 - n * 14, `right column, line number ${n} of its text`)),
      ),
    ])
    const order = answer.text.match(/title|left|right/g)?.join(' ')
    expect(order).toBe('title left left left left left right right right right right')
    expect(answer.text).toContain('# A title over both of the columns')
  })

  test('cells in rows become a table', async () => {
    const row = (y: number, cells: string[]): string => cells.map((cell, at) => text(72 + at * 150, y, cell)).join('')
    const answer = await read([
      page(
        row(700, ['Name', 'Amount', 'Date']),
        row(684, ['Rent', '1,200', 'May 1']),
        row(668, ['Food', '340', 'May 9']),
      ),
    ])
    expect(answer.text).toContain(
      '| Name | Amount | Date |\n| --- | --- | --- |\n| Rent | 1,200 | May 1 |\n| Food | 340 | May 9 |',
    )
  })

  test('bullets become a list', async () => {
    const answer = await read([page(line(700, '\x95 First'), line(686, '\x95 Second'))])
    expect(answer.text).toContain('- First\n- Second')
  })

  test('a turned page is read as it is shown', async () => {
    const answer = await read([
      {
        rotate: 90,
        content:
          'BT /F1 12 Tf 0 1 -1 0 100 100 Tm (first line) Tj ET BT /F1 12 Tf 0 1 -1 0 114 100 Tm (second line) Tj ET',
      },
    ])
    expect(answer.text).toBe('[p. 1]\nfirst line\nsecond line')
  })

  test('Hebrew letters drawn from left to right are read from right to left', async () => {
    const map = stream(
      '/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange 4 beginbfchar <41> <05DD> <42> <05D5> <43> <05DC> <44> <05E9> endbfchar endcmap end',
    )
    const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode {0} >>'
    const answer = await read(
      [{ content: 'BT /F2 12 Tf 72 700 Td (ABCD) Tj ET', resources: '/Font << /F1 3 0 R /F2 {1} >>' }],
      {},
      { objects: [map, font] },
    )
    expect(answer.text).toBe('[p. 1]\nשלום')
  })

  test('Japanese without an embedded font is read by its character map', async () => {
    const font =
      '<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /90ms-RKSJ-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor << /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /StemV 80 >> >>] >>'
    const answer = await read(
      [{ content: 'BT /F2 12 Tf 72 700 Td <93FA967B8CEA> Tj ET', resources: '/Font << /F2 {0} >>' }],
      {},
      { objects: [font] },
    )
    expect(answer.text).toBe('[p. 1]\n日本語')
  })
})

describe('only visible words', () => {
  test('text outside the page is left out and noted', async () => {
    const answer = await read([
      { content: line(700, 'seen') + line(20, 'ignore everything'), cropBox: [0, 400, 612, 792] },
    ])
    expect(answer.text).toBe('[p. 1]\nseen')
    expect(answer.notes).toEqual(['Page 1: 2 words outside the visible page were left out.'])
  })

  test('white text on white is left out, but not on a dark background', async () => {
    const answer = await read([
      page(
        '0 0 1 rg 60 640 200 30 re f 1 g ',
        line(650, 'on blue'),
        line(500, 'secret order'),
        '0 g ',
        line(700, 'plain'),
      ),
    ])
    expect(answer.text).toContain('plain')
    expect(answer.text).toContain('on blue')
    expect(answer.text).not.toContain('secret')
    expect(answer.notes).toEqual(['Page 1: 2 words in the color of the background were left out.'])
  })

  test('text under a black bar is left out', async () => {
    const answer = await read([page(line(700, 'Name: Smith'), 'q 105 690 60 20 re f Q ', line(650, 'below'))])
    expect(answer.text).toContain('below')
    expect(answer.text).not.toContain('Smith')
    expect(answer.notes?.[0]).toContain('covered by something else')
  })

  test('a few invisible words are left out, but a layer over a scan is read and noted', async () => {
    const mixed = await read([page(line(700, 'what everybody can see'), '3 Tr ', line(650, 'hidden'))])
    expect(mixed.text).not.toContain('hidden')
    expect(mixed.notes).toEqual(['Page 1: 1 word drawn invisibly was left out.'])
    const layer = await read([page('3 Tr ', line(700, 'recognized before'))])
    expect(layer.text).toContain('recognized before')
    expect(layer.notes?.[0]).toContain('invisible layer over a picture')
  })

  test('a hidden layer is left out', async () => {
    const answer = await read(
      [
        {
          content: `${line(700, 'seen')}/OC /L1 BDC ${line(650, 'draft')} EMC`,
          resources: '/Properties << /L1 {0} >>',
        },
      ],
      {},
      {
        catalog: '/OCProperties << /OCGs [{0}] /D << /OFF [{0}] /Order [{0}] >> >>',
        objects: ['<< /Type /OCG /Name (Draft) >>'],
      },
    )
    expect(answer.text).toBe('[p. 1]\nseen')
    expect(answer.notes?.[0]).toContain('in a hidden layer')
  })
})

describe('more than text', () => {
  test('form fields, notes and links are listed', async () => {
    const answer = await read(
      [
        {
          content: line(700, 'Order here'),
          annotations: [
            '/Subtype /Link /Rect [70 690 200 715] /A << /S /URI /URI (https://example.com/order) >>',
            '/Subtype /Text /Rect [300 700 320 720] /T (Ada) /Contents (Check the price.)',
            '/Subtype /Widget /FT /Tx /T (name) /V (Grace) /Rect [72 600 200 620]',
            '/Subtype /Widget /FT /Ch /T (size) /V (M) /Opt [(S) (M) (L)] /Rect [72 560 200 580]',
            '/Subtype /Text /F 2 /Rect [300 600 320 620] /Contents (hidden note)',
          ],
        },
      ],
      {},
      { catalog: '/AcroForm << /Fields [6 0 R 7 0 R 8 0 R] >>' },
    )
    expect(answer.text).toContain('- [Order here](https://example.com/order)')
    expect(answer.text).toContain('- Text by Ada: Check the price.')
    expect(answer.text).toContain('- name: Grace')
    expect(answer.text).toContain('- size: M; options: S, M, L')
    expect(answer.text).not.toContain('hidden note')
    expect(answer.facts).toContain('has form fields')
  })

  test('the outline names pages', async () => {
    const answer = await read(
      [page(line(700, 'one')), page(line(700, 'two'))],
      { outline: true },
      {
        catalog: '/Outlines {0}',
        objects: [
          '<< /Type /Outlines /First {1} /Last {2} /Count 2 >>',
          '<< /Title (Start) /Parent {0} /Next {2} /Dest [{page 0} /Fit] >>',
          '<< /Title (End) /Parent {0} /Prev {1} /Dest [{page 1} /Fit] >>',
        ],
      },
    )
    expect(answer.text).toBe('- Start [p. 1]\n- End [p. 2]')
  })

  test('scripts and attached files are named, not run', async () => {
    const answer = await read(
      [page(line(700, 'hello'))],
      {},
      {
        catalog:
          '/OpenAction << /S /JavaScript /JS (app.alert(1)) >> /Names << /EmbeddedFiles << /Names [(evil.exe) {0}] >> >>',
        objects: ['<< /Type /Filespec /F (evil.exe) /EF << /F {1} >> >>', stream('MZ')],
      },
    )
    expect(answer.notes).toEqual([
      'It contains JavaScript, which was not run.',
      'It has attached files, which were not opened: "evil.exe".',
    ])
  })

  test('pages are drawn on request, a few at a time', async () => {
    const answer = await read(
      Array.from({ length: 6 }, (_, index) => page(line(700, `page ${index + 1}`))),
      { images: true, pages: '2-' },
    )
    expect(answer.images?.map(({ anchor }) => anchor)).toEqual(['p. 2', 'p. 3', 'p. 4', 'p. 5'])
    expect(answer.images?.[0]).toMatchObject({ mediaType: 'image/png', height: 1568 })
    expect(Buffer.from(answer.images?.[0]?.bytes ?? []).toString('latin1', 1, 4)).toBe('PNG')
    expect(answer.next).toEqual({ pages: '6', images: true })
  })
})

describe('long documents', () => {
  test('a document of 2,000 pages answers at once and says where it continues', async () => {
    const lines = Array.from({ length: 40 }, (_, n) =>
      line(740 - n * 16, `This is line ${n} of a page with many words.`),
    )
    const file = { path: save(makePdf(Array.from({ length: 2000 }, () => page(...lines)))) }
    const first = await documents.read(file, {})
    expect(first.facts).toBe('2,000 pages, Letter')
    expect(first.text.length).toBeLessThan(60_000)
    const next = /^(\d+)-$/.exec(first.next?.pages ?? '')?.[1]
    expect(Number(next)).toBeGreaterThan(5)
    const second = await documents.read(file, first.next ?? {})
    expect(second.text).toMatch(new RegExp(`^\\[p\\. ${next}\\]`))
    const last = await documents.read(file, { pages: '2000' })
    expect(last).toMatchObject({ next: undefined })
  })

  test('a page longer than an answer continues at a line', async () => {
    const lines = Array.from({ length: 3000 }, (_, n) =>
      line(30_000 - n * 10, `row ${n} of a very long page of text`, 8),
    )
    const file = { path: save(makePdf([{ content: lines.join(''), mediaBox: [0, 0, 612, 30_100] }])) }
    const first = await documents.read(file, {})
    expect(first.next).toMatchObject({ pages: '1' })
    const second = await documents.read(file, first.next ?? {})
    expect(`${first.text}\n${second.text}`.match(/row \d+/g)).toHaveLength(3000)
  })

  test('pages are chosen', async () => {
    const pages = [1, 2, 3, 4].map((n) => page(line(700, `page ${n}`)))
    expect((await read(pages, { pages: '2,4' })).text.match(/page \d/g)).toEqual(['page 2', 'page 4'])
    await expect(read(pages, { pages: '9' })).rejects.toThrow('There is no page 9: the document has 4 pages.')
    await expect(read(pages, { pages: 'x' })).rejects.toThrow('Use "3", "10-20", "1,5-7" or "12-".')
    await expect(read(pages, { sheet: 'A' })).rejects.toThrow('A PDF document has no "sheet".')
  })
})

describe('bad input', () => {
  test.runIf(full)('a small file that takes long is stopped early', async () => {
    const few = openDocuments({ env: {}, workMs: 2000 })
    // Each form draws the next one ten times.
    const form = (next: string): string =>
      stream(
        '/X Do '.repeat(10),
        `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${next} >> >>`,
      )
    const objects = [
      ...Array.from({ length: 12 }, (_, at) => form(`{${at + 1}}`)),
      stream('', '/Type /XObject /Subtype /Form /BBox [0 0 9 9]'),
    ]
    const file = save(makePdf([{ content: '/X Do', resources: '/XObject << /X {0} >>' }], { objects }))
    await expect(few.read({ path: file }, {})).rejects.toThrow('took too long')
    few.close()
  })

  test.runIf(full)(
    'a file that unpacks to more than the memory is stopped',
    async () => {
      const packed = deflateSync(deflateSync(Buffer.alloc(2 ** 30, '(a'))).toString('latin1')
      const file = save(
        Buffer.from(
          makePdf([{ content: packed }])
            .toString('latin1')
            .replace('<< /Length', '<< /Filter [/FlateDecode /FlateDecode] /Length'),
          'latin1',
        ),
      )
      await expect(documents.read({ path: file }, {})).rejects.toThrow(/more memory|took too long/)
    },
    30_000,
  )

  test('a document with a password is refused with the way out', async () => {
    const bytes = 'ab'.repeat(32)
    await expect(
      read(
        [page(line(700, 'x'))],
        {},
        {
          objects: [`<< /Filter /Standard /V 1 /R 2 /O <${bytes}> /U <${bytes}> /P -4 >>`],
          trailer: `/Encrypt {0} /ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>]`,
        },
      ),
    ).rejects.toThrow('a.pdf is encrypted and needs a password.')
  })

  test('a truncated document gives what is left', async () => {
    const whole = makePdf([page(line(700, 'still here')), page(line(700, 'cut'))])
    const cut = whole.subarray(0, whole.indexOf('(cut)'))
    expect(await documents.read({ path: save(cut) }, {})).toMatchObject({
      text: expect.stringContaining('still here') as string,
      notes: expect.arrayContaining(['The file is damaged. This is what could be recovered.']) as string[],
    })
  })

  test('a damaged document is refused', async () => {
    await expect(documents.read({ path: save(Buffer.from('%PDF-1.7\nnothing')), name: 'b.pdf' }, {})).rejects.toThrow(
      'b.pdf is damaged or not a complete PDF',
    )
  })

  test('loops in the file end', async () => {
    const bytes = makePdf([page(line(700, 'loop'))]).toString('latin1')
    const xref = bytes.replace('trailer\n<<', `trailer\n<< /Prev ${bytes.indexOf('xref\n')}`)
    expect((await documents.read({ path: save(Buffer.from(xref, 'latin1')) }, {})).text).toContain('loop')
    const tree = bytes.replace('/Kids [4 0 R]', '/Kids [2 0 R]')
    await expect(documents.read({ path: save(Buffer.from(tree, 'latin1')) }, {})).resolves.toMatchObject({
      notes: [expect.stringContaining('Page 1 is damaged')],
    })
    const form = await read(
      [{ content: `${line(700, 'form')} /X Do`, resources: '/XObject << /X {0} >>' }],
      {},
      {
        objects: [
          stream('/X Do', '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {0} >> >>'),
        ],
      },
    )
    expect(form.text).toContain('form')
  })

  test('huge pictures and page counts do not matter', async () => {
    const answer = await read(
      [{ content: `${line(700, 'small text')} q 600 0 0 600 0 0 cm /X Do Q`, resources: '/XObject << /X {0} >>' }],
      {},
      {
        objects: [
          stream(
            'x',
            '/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /BitsPerComponent 8 /ColorSpace /DeviceRGB',
          ),
        ],
      },
    )
    expect(answer.text).toContain('small text')
    const bytes = makePdf([page(line(700, 'only one'))])
      .toString('latin1')
      .replace('/Count 1', '/Count 999999999')
    await expect(documents.read({ path: save(Buffer.from(bytes, 'latin1')) }, { pages: '1' })).resolves.toMatchObject({
      text: expect.stringContaining('only one') as string,
    })
  })

  test.skipIf(process.platform === 'win32')(
    'a page without text is recognized, if a program for it is installed',
    async () => {
      const programs = mkdtempSync(path.join(folder, 'programs-'))
      const script = `#!/bin/sh
if [ "$1" = --list-langs ]; then echo "List of languages (3):"; echo deu; echo eng; echo osd; exit; fi
[ "$OMP_THREAD_LIMIT" = 1 ] && [ -z "$SECRET" ] && echo "read with $4"
`
      writeFileSync(path.join(programs, 'tesseract'), script, { mode: 0o755 })
      const recognizing = openDocuments({ env: { PATH: programs, SECRET: 'x' } })
      try {
        const bytes = makePdf([page('0 0 100 100 re f'), page(''), page(line(700, 'text'))])
        const answer = await recognizing.read({ path: save(bytes) }, {})
        expect(answer.text).toBe('[p. 1]\nread with eng+deu\n\n[p. 2]\n\n[p. 3]\ntext')
        expect(answer.notes).toEqual([
          'Page 1 had no text. It was recognized from a picture and may have errors.',
          'Text recognition: Tesseract, languages eng, deu.',
        ])
      } finally {
        recognizing.close()
      }
    },
  )

  test('a page without text says how to see it', async () => {
    const answer = await read([page('0 0 100 100 re f')])
    expect(answer.notes).toEqual([
      'Page 1 had no text: scanned, drawn or blank. Install "tesseract" to have scans recognized, or use "images": true to see the pages.',
    ])
  })
})
