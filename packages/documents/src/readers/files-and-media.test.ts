import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { makeZip } from '../testing/make-zip.ts'
import { makeWav } from '../testing/make-wav.ts'
import { madeDocuments } from '../testing/read-made.ts'

const read = madeDocuments()

function tarEntry(name: string, content: string, kind = '0', link = ''): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write('0000644\0', 100)
  header.write(`${Buffer.byteLength(content).toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(kind, 156)
  header.write(link, 157)
  header.write('ustar\u000000', 257)
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / 512) * 512)
  body.write(content)
  return Buffer.concat([header, body])
}

test('a zip is a tree with sizes; hostile names are escaped and named', async () => {
  const zip = makeZip({
    'src/a.txt': 'abc',
    'src/deep/b.zip': 'x',
    '../../etc/passwd': 'root',
    'evil\u202Etxt.exe': 'x',
  })
  const answer = await read('all.zip', zip)
  expect(answer.facts).toBe('4 files, 9 bytes unpacked')
  expect(answer.text.split('\n')).toEqual([
    '- ../',
    '  - ../',
    '    - etc/',
    '      - passwd (4 bytes)',
    '- evil\\u202etxt.exe (1 byte)',
    '- src/',
    '  - a.txt (3 bytes)',
    '  - deep/',
    '    - b.zip (1 byte, an archive or document)',
  ])
  expect(answer.notes).toEqual([
    '1 name leads out of the folder the archive is unpacked in, such as ../../etc/passwd. Unpack with care.',
  ])
  expect(await read('all.zip', zip, { offset: 2, limit: 1 })).toMatchObject({ next: { offset: 3 } })
  await expect(read('all.zip', zip, { pages: '1' })).rejects.toThrow('A zip archive has no "pages"')
})

test('tar archives are listed, packed or not', async () => {
  const tar = Buffer.concat([
    tarEntry('a/b.txt', 'hello'),
    tarEntry('link', '', '2', '/etc/passwd'),
    tarEntry('././@LongLink', `${'x'.repeat(150)}\0`, 'L'),
    tarEntry('short', 'y'),
    Buffer.alloc(1024),
  ])
  const lines = ['- a/', '  - b.txt (5 bytes)', '- link (link to /etc/passwd)', `- ${'x'.repeat(150)} (1 byte)`]
  expect((await read('all.tar', tar)).text.split('\n')).toEqual(lines)
  expect((await read('all.tar.gz', gzipSync(tar))).text.split('\n')).toEqual(lines)
  expect(await read('cut.tar', tar.subarray(0, 1500))).toMatchObject({ notes: [expect.stringContaining('cut off')] })
  expect((await read('log.gz', gzipSync('line one\nline two'))).text).toBe('line one\nline two')
  await expect(read('bad.gz', gzipSync('text').subarray(0, 15))).rejects.toThrow('bad.gz is damaged or incomplete')
})

test('an image has its size and the facts of its camera', async () => {
  const made = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
    .withExif({
      IFD0: { Make: 'Acme', Model: 'One' },
      IFD2: { DateTimeOriginal: '2026:01:02 10:11:12' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 0/1', GPSLongitudeRef: 'E', GPSLongitude: '13/1 24/1 0/1' },
    })
    .jpeg()
    .toBuffer()
  const answer = await read('photo.jpg', made)
  expect(answer).toMatchObject({ format: 'image', mediaType: 'image/jpeg' })
  expect(answer.facts).toMatch(/^JPEG, 40 x 30 pixels, /)
  expect(answer.text.split('\n')).toEqual([
    'Taken: 2026-01-02 10:11:12',
    'Camera: Acme One',
    'Place: 52.500000, 13.400000',
  ])
})

/** 64 x 64 pixels, red above blue, encoded as HEVC with a quality of 10. */
const heic =
  'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAUJtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFmAAEAAAAAAAAAIgAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEAAGh2YzEAAAAAwmlwcnAAAACkaXBjbwAAAHhodmNDAQNwAAAAAAAAAAAAHvAA/P34+AAADwMgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQCEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqSSmubgQEDAgAAAMACAAAAwAIQCIAAQAHRAHBcrAiQAAAABRpc3BlAAAAAAAAAEAAAABAAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAoMAAAAqbWRhdAAAAB4oAa8EGPx5OOv/+llP31AXbAyGd/8bdD1Z9/lfR4s='

test('a picture that models do not take is converted for them', async () => {
  const tiff = await sharp({ create: { width: 3000, height: 30, channels: 3, background: 'red' } })
    .tiff()
    .toBuffer()
  const { images = [] } = await read('scan.tif', tiff, { images: true })
  expect(images).toMatchObject([{ mediaType: 'image/png', width: 1568, height: 16 }])
  expect(await read('scan.tif', tiff)).toMatchObject({ notes: ['Read it with "images": true to see the picture.'] })
})

test('pictures of phones are decoded, and damaged ones say so', async () => {
  const bytes = Buffer.from(heic, 'base64')
  expect((await read('IMG_1.HEIC', bytes)).facts).toBe('HEIC, 64 x 64 pixels, 392 bytes')
  const { images = [] } = await read('IMG_1.HEIC', bytes, { images: true })
  expect(images).toMatchObject([{ mediaType: 'image/jpeg', width: 64, height: 64 }])
  const colors = await sharp(images[0]!.bytes).resize(1, 2, { kernel: 'nearest' }).removeAlpha().raw().toBuffer()
  expect([...colors].map((value) => Math.round(value / 255))).toEqual([1, 0, 0, 0, 0, 1])
  const damaged = await read('IMG_2.HEIC', bytes.subarray(0, 370), { images: true })
  expect(damaged).toMatchObject({ notes: [expect.stringContaining('cannot be decoded')] })
})

test('audio has its duration and codec', async () => {
  const answer = await read('tone.wav', makeWav(1))
  expect(answer.facts).toBe('0:01, WAVE, PCM, 8 kHz, mono, 64 kbit/s, 8 KB')
  expect(await read('broken.mp3', Buffer.from('ID3 nothing more'))).toMatchObject({ format: 'audio' })
})

test('content decides what a file is, and a name of another kind is named once', async () => {
  const page = '<html><body><h1>Prices</h1><table><tr><td>Tea</td><td>3</td></tr></table></body></html>'
  const saved = `From: <Saved>\r\nSubject: Tea\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${page}`
  const rows = 'name,price\nTea,3\n"Milk, whole",2\n'
  const xml =
    '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="S"><Table><Row><Cell><Data ss:Type="String">Tea</Data></Cell></Row></Table></Worksheet></Workbook>'
  const cases: [string, string | Uint8Array, string][] = [
    ...['a.doc', 'a.xls', 'a.docx', 'a.pdf', 'a.csv', 'a.eml', 'a.txt'].map((name): [string, string, string] => [
      name,
      page,
      'html',
    ]),
    ['b.xls', '<table><tr><td>Tea</td></tr></table>', 'html'],
    ['c.doc', saved, 'eml'],
    ['c.html', saved, 'eml'],
    ['d.xls', rows, 'csv'],
    ['d.xlsx', Buffer.from(`\uFEFF${rows.replaceAll(',', '\t')}`, 'utf16le'), 'csv'],
    ['e.doc', '{\\rtf1 Tea}', 'rtf'],
    ['e.docx', 'Tea, not coffee.', 'text'],
    ['f.txt', xml, 'xls'],
    ['g.txt', makeZip({ 'Tea.txt': 'x' }), 'zip'],
    [
      'h.docx',
      makeZip({
        mimetype: 'application/vnd.oasis.opendocument.text',
        'content.xml':
          '<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text><text:p>Tea</text:p></office:text></office:body></office:document-content>',
      }),
      'odt',
    ],
    ['i.mp3', 'BEGIN:VCARD\nFN:Tea\nEND:VCARD', 'vcf'],
  ]
  for (const [name, content, format] of cases) {
    const answer = await read(name, content)
    expect([name, answer.format]).toEqual([name, format])
    expect(answer.text).toContain('Tea')
    const extension = name.slice(1)
    expect(answer.notes?.[0]).toMatch(new RegExp(`^The name ends in "\\${extension}", but the content is `))
  }
  expect((await read('d.xls', rows, { offset: 2 })).notes ?? []).not.toContainEqual(expect.stringMatching('The name'))
  expect((await read('page', page)).format).toBe('html')
  expect((await read('page.html', page)).notes ?? []).toEqual([])
  await expect(read('page.vue', page)).rejects.toThrow('not a document')
})

/** Red above blue, 2 x 2 pixels. */
function redAboveBlue(): { bmp: Buffer; psd: Buffer; psdPacked: Buffer; ico: Buffer } {
  const bmp = Buffer.alloc(54 + 16)
  bmp.write('BM')
  for (const [at, value] of [
    [2, 70],
    [10, 54],
    [14, 40],
    [18, 2],
    [22, 2],
  ] as const)
    bmp.writeUInt32LE(value, at)
  bmp.writeUInt16LE(1, 26)
  bmp.writeUInt16LE(24, 28)
  bmp.set([255, 0, 0, 255, 0, 0, 0, 0, 0, 0, 255, 0, 0, 255], 54)
  const icon = Buffer.alloc(22)
  icon.set([0, 0, 1, 0, 1, 0, 2, 2, 0, 0, 1, 0, 24, 0])
  const body = Buffer.concat([bmp.subarray(14), Buffer.alloc(8)])
  body.writeUInt32LE(4, 8)
  icon.writeUInt32LE(body.length, 14)
  icon.writeUInt32LE(22, 18)
  const head = Buffer.alloc(26 + 12)
  head.write('8BPS')
  for (const [at, value] of [
    [4, 1],
    [12, 3],
    [22, 8],
    [24, 3],
  ] as const)
    head.writeUInt16BE(value, at)
  head.writeUInt32BE(2, 14)
  head.writeUInt32BE(2, 18)
  const planes = [255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
  const rows = [255, 0, 0, 0, 0, 255].flatMap((value) => [0xff, value])
  return {
    bmp,
    ico: Buffer.concat([icon, body]),
    psd: Buffer.concat([head, Buffer.from([0, 0, ...planes])]),
    psdPacked: Buffer.concat([head, Buffer.from([0, 1, ...Array<number[]>(6).fill([0, 2]).flat(), ...rows])]),
  }
}

test('pictures of Windows and Photoshop, and drawings are shown to models', async () => {
  const { bmp, psd, psdPacked, ico } = redAboveBlue()
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><rect width="2" height="1" fill="red"/><rect y="1" width="2" height="1" fill="blue"/></svg>'
  for (const [name, content] of Object.entries({
    'a.bmp': bmp,
    'b.psd': psd,
    'c.psd': psdPacked,
    'd.ico': ico,
    'e.svg': svg,
  })) {
    const { facts, images = [] } = await read(name, content, { images: true })
    expect([name, facts]).toEqual([name, expect.stringContaining('2 x 2 pixels')])
    const colors = await sharp(images[0]!.bytes).resize(1, 2, { kernel: 'nearest' }).removeAlpha().raw().toBuffer()
    expect([name, ...colors]).toEqual([name, 255, 0, 0, 0, 0, 255])
  }
  const huge = Buffer.from(bmp)
  huge.writeUInt32LE(60_000, 18)
  huge.writeUInt32LE(60_000, 22)
  for (const [name, content] of Object.entries({ 'f.bmp': huge, 'g.psd': psdPacked.subarray(0, 45) }))
    expect(await read(name, content, { images: true })).toMatchObject({
      notes: [expect.stringContaining('cannot be decoded')],
    })
})

test('an AVI file has its duration and size', async () => {
  const head = Buffer.alloc(200)
  head.write('RIFF', 0)
  head.write('AVI LIST', 8)
  head.write('hdrlavih', 20)
  for (const [at, value] of [
    [32, 40_000],
    [48, 50],
    [64, 320],
    [68, 240],
  ] as const)
    head.writeUInt32LE(value, at)
  expect((await read('clip.avi', head)).facts).toBe('0:02, AVI, 320 x 240 pixels, 200 bytes')
})
