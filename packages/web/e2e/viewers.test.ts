import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { makeWav } from '../../documents/src/testing/make-wav.ts'
import { makeZip } from '../../documents/src/testing/make-zip.ts'
import { axe, oneLook } from './testing/axe.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'viewers (skipped: no Chromium)' : 'viewers'
const patiently = { timeout: 15_000 }
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

describe.skipIf(chromium === undefined || !full)(name, () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', { files: { 'notes.txt': 'hello' } })
    for (const [file, bytes] of Object.entries(samples())) await writeFile(path.join(workspace.folder, file), bytes)
  })
  afterAll(() => workspace?.close())

  test('files that are no text open in viewers, and what is selected there can be asked about', async () => {
    const page = await workspace.open({ viewport: { width: 1400, height: 900 } })
    await page.evaluate(axe)
    await page.keyboard.press('Control+Shift+E')
    const message = page.getByRole('textbox', { name: 'Message', exact: true })

    // PDF: text can be selected and found, and thumbnails lead to their page.
    await open(page, 'paper.pdf')
    const pdf = page.getByRole('document', { name: 'paper.pdf' })
    await pdf.getByText('The second page').waitFor(patiently)
    await pdf.getByText('Hello from the first page').selectText()
    await page.getByRole('button', { name: 'Ask about this' }).click()
    expect(await message.inputValue()).toBe('@paper.pdf (p. 1)\n```\nHello from the first page\n```\n\n')
    await page.getByRole('searchbox', { name: 'Search in this document' }).fill('SECOND page')
    await page.getByText('1 page', { exact: true }).waitFor(patiently)
    await page.getByRole('button', { name: 'Page thumbnails' }).click()
    await page.getByRole('button', { name: 'Page 2' }).click()
    await expect.poll(() => page.getByRole('spinbutton', { name: 'Page' }).inputValue()).toBe('2')
    const problems = await oneLook(page)

    // A sheet: cells are selected with the keyboard, and far rows load when they are reached.
    await open(page, 'book.xlsx')
    const grid = page.getByRole('grid', { name: 'Budget' })
    await grid.getByRole('gridcell', { name: 'Rent', exact: true }).click(patiently)
    await page.keyboard.press('Shift+ArrowRight')
    await message.fill('')
    await page.getByRole('button', { name: 'Ask about this' }).click()
    expect(await message.inputValue()).toBe('@book.xlsx (Budget!A2:B2)\n```\nRent\t900.50 (=450.25*2)\n```\n\n')
    await grid.focus()
    await page.keyboard.press('Control+End')
    await grid.getByRole('gridcell', { name: 'last row', exact: true }).waitFor(patiently)
    problems.push(...(await oneLook(page)))
    await page.getByText('Hidden one (hidden)').click()
    await page.getByRole('gridcell', { name: 'secret', exact: true }).waitFor(patiently)

    // Documents and archives are shown as agents read them.
    await open(page, 'letter.docx')
    await page.getByRole('document', { name: 'letter.docx' }).getByText('Dear reader').waitFor(patiently)
    await open(page, 'files.zip')
    await page.getByRole('document', { name: 'files.zip' }).getByText('inside.txt').waitFor(patiently)
    problems.push(...(await oneLook(page)))

    // Pictures zoom, sound plays.
    await open(page, 'dot.png')
    const picture = page.getByRole('img', { name: 'dot.png' })
    await picture.waitFor(patiently)
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.style.width)).not.toBe('')
    await open(page, 'beep.wav')
    const player = page.locator('audio')
    await expect.poll(() => player.evaluate((audio: HTMLAudioElement) => audio.duration), patiently).toBeGreaterThan(0)
    problems.push(...(await oneLook(page)))
    expect(problems).toEqual([])
    expect(workspace.complaints).toEqual([])
  })

  test('attachments of a sent message open in the viewers', async () => {
    const page = await workspace.open({ viewport: { width: 1400, height: 900 } })
    const mail = 'From: Ann <ann@example.com>\r\nSubject: Lunch\r\n\r\nAt noon?\r\n'
    const files = [
      { name: 'lunch.eml', mimeType: 'message/rfc822', buffer: Buffer.from(mail) },
      ...Object.entries(samples())
        .filter(([file]) => file === 'letter.docx' || file === 'book.xlsx')
        .map(([file, bytes]) => ({ name: file, mimeType: '', buffer: Buffer.from(bytes) })),
    ]
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Here they are.')
    // Sent while they upload: the message waits for them.
    await page.getByLabel('Files to attach').setInputFiles(files)
    await page.getByRole('textbox', { name: 'Message', exact: true }).press('Enter')
    await page.getByRole('link', { name: 'lunch.eml' }).click(patiently)
    await page.getByRole('document', { name: 'lunch.eml' }).getByText('At noon?').waitFor(patiently)
    await page.getByRole('link', { name: 'letter.docx' }).click()
    await page.getByRole('document', { name: 'letter.docx' }).getByText('Dear reader').waitFor(patiently)
    await page.getByRole('link', { name: 'book.xlsx' }).click()
    await page.getByRole('gridcell', { name: 'Rent', exact: true }).waitFor(patiently)
    expect(workspace.complaints).toEqual([])
  })
})

async function open(page: Page, file: string): Promise<void> {
  const tree: Locator = page.getByRole('tree', { name: 'Files' })
  if (!(await tree.isVisible())) await page.keyboard.press('Control+Shift+E')
  await tree.getByRole('treeitem', { name: file }).click(patiently)
}

function samples(): Record<string, Uint8Array> {
  return {
    'paper.pdf': pdf(['Hello from the first page', 'The second page']),
    'book.xlsx': makeZip({
      '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
      'xl/workbook.xml': `<workbook xmlns:r="${office}"><sheets><sheet name="Budget" r:id="rId1"/><sheet name="Hidden one" state="hidden" r:id="rId2"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': relations(
        ['worksheet', 'worksheets/sheet1.xml'],
        ['worksheet', 'worksheets/sheet2.xml'],
        ['styles', 'styles.xml'],
      ),
      'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="4"/></cellXfs></styleSheet>',
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row r="1">${text('A1', 'Item')}${text('B1', 'Sum')}</row><row r="2">${text('A2', 'Rent')}<c r="B2" s="1"><f>450.25*2</f><v>900.5</v></c></row><row r="900000">${text('B900000', 'last row')}</row></sheetData></worksheet>`,
      'xl/worksheets/sheet2.xml': `<worksheet><sheetData><row r="1">${text('A1', 'secret')}</row></sheetData></worksheet>`,
    }),
    'letter.docx': makeZip({
      '[Content_Types].xml':
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
      '_rels/.rels': relations(['officeDocument', 'word/document.xml']),
      'word/document.xml':
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Dear reader</w:t></w:r></w:p></w:body></w:document>',
    }),
    'files.zip': makeZip({ 'folder/inside.txt': 'x' }),
    'dot.png': Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
    'beep.wav': makeWav(0.1),
  }
}

function text(cell: string, words: string): string {
  return `<c r="${cell}" t="inlineStr"><is><t>${words}</t></is></c>`
}

function relations(...targets: readonly (readonly [type: string, target: string])[]): string {
  const items = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${office}/${type}" Target="${target}"/>`,
  )
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join('')}</Relationships>`
}

/** A PDF with one line on each page. */
function pdf(lines: readonly string[]): Buffer {
  const pages = lines.map((_, index) => `${4 + index * 2} 0 R`)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.join(' ')}] /Count ${lines.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...lines.flatMap((line, index) => {
      const content = `BT /F1 24 Tf 72 700 Td (${line}) Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]
    }),
  ]
  let body = '%PDF-1.4\n'
  const places = objects.map((object, index) => {
    const at = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  return Buffer.from(
    `${body}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
    'latin1',
  )
}
