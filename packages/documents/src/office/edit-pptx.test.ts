import { Buffer } from 'node:buffer'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { OfficeAction, OfficeEdit } from '@troupe/core'
import { afterAll, expect, test } from 'vitest'
import { joinPieces, readZipDirectory } from '../zip/splice-zip.ts'
import { editOffice } from './edit-office.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'troupe-pptx-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const picture = path.join(folder, 'dot.png')
writeFileSync(
  picture,
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
    'base64',
  ),
)
const given = { format: 'pptx', date: '', pictures: { 'dot.png': picture } } as const
let count = 0
const save = (bytes: Buffer): string => {
  const file = path.join(folder, `${count++}.pptx`)
  writeFileSync(file, bytes)
  return file
}
const edit = (file: string, ...actions: OfficeAction[]): OfficeEdit =>
  editOffice({ ...given, file: { path: file }, actions })
const next = (file: string, ...actions: OfficeAction[]): string =>
  save(joinPieces(readFileSync(file), edit(file, ...actions).pieces))

const deck = save(
  joinPieces(
    Buffer.alloc(0),
    editOffice({
      ...given,
      actions: [
        { action: 'add_slide', layout: 'Title Slide', title: 'Plan', markdown: 'A subtitle' },
        { action: 'add_slide', title: 'Goals', markdown: '- one\n  - inner\n- **two**', notes: 'Say hello' },
      ],
    }).pieces,
  ),
)

test('slides are made from layouts with text and notes', () => {
  const { before } = edit(deck, { action: 'delete_slide', slide: 1 })
  expect(before).toContain('Slide 1: Plan\n  A subtitle\nSlide 2: Goals\n  one\n  inner\n  two\n')
  expect(edit(deck, { action: 'add_slide', title: 'End', markdown: 'x' }).after).toContain(
    '  Notes: Say hello\nSlide 3: End\n  x\n',
  )
})

test('slides are moved, duplicated and deleted', () => {
  const file = next(
    deck,
    { action: 'duplicate_slide', slide: 2 },
    { action: 'move_slide', slide: 1, to: 3 },
    { action: 'replace_text', find: 'Plan', replace: 'The end' },
  )
  const { before } = edit(
    file,
    { action: 'delete_slide', slide: 1 },
    { action: 'delete_slide', slide: 2 },
    { action: 'fill_placeholder', slide: 1, placeholder: 'title', markdown: 'Only' },
  )
  expect(before.match(/Slide \d: \w+/g)).toEqual(['Slide 1: Goals', 'Slide 2: Goals', 'Slide 3: The'])
  expect(before.match(/Notes: Say hello/g)).toHaveLength(2)
})

test('pictures, tables and charts are added, the chart with its data', () => {
  const file = next(
    deck,
    { action: 'add_image', slide: 1, path: 'dot.png', width: 3 },
    {
      action: 'add_table',
      slide: 2,
      rows: [
        ['a', 'b'],
        ['1', '2'],
      ],
    },
    { action: 'add_chart', slide: 2, type: 'pie', categories: ['x', 'y'], series: [{ name: 'n', values: [1, 2] }] },
  )
  const names = readZipDirectory(readFileSync(file)).records.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining([
      'ppt/media/image1.png',
      'ppt/charts/chart1.xml',
      'ppt/embeddings/Microsoft_Excel_Sheet1.xlsx',
    ]),
  )
})

test('a wrong slide, layout or placeholder is an error that names what there is', () => {
  expect(() => edit(deck, { action: 'delete_slide', slide: 9 })).toThrow('There is no slide 9; the presentation has 2.')
  expect(() => edit(deck, { action: 'add_slide', layout: 'Title and Contents' })).toThrow(
    'Similar: "Title and Content"',
  )
  expect(() => edit(deck, { action: 'fill_placeholder', slide: 1, placeholder: 'Foot', markdown: 'x' })).toThrow(
    'It has: Title (ctrTitle), Subtitle (subTitle)',
  )
  expect(() => edit(deck, { action: 'add_image', slide: 1, path: 'none.png' })).toThrow('was not found')
})
