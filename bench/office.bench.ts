import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findLibreOffice, type OfficeAction, type OfficeFormat } from '@troupe/core'
import { longestPause } from '@troupe/core/testing'
import { openDocuments } from '@troupe/documents'
import { joinPieces, readZipDirectory, type ZipPiece } from '@troupe/documents/splice-zip'

/**
 * Edits public office files and opens them with LibreOffice. `TROUPE_OFFICE_CORPUS` names a folder of docx, xlsx and
 * pptx files, such as the test data of Apache POI. Files that LibreOffice cannot open before the edit do not count.
 */
const corpus = process.env['TROUPE_OFFICE_CORPUS']
const wanted = Number(process.env['TROUPE_OFFICE_FILES'] ?? 200)
const mostPauseMs = 100
/** One word, because a text on a crowded slide is found in pieces. */
const mark = 'TroupeEdit7391'
const soffice = findLibreOffice()

export const benches = [
  {
    name: 'documents: edit and reopen office files',
    bar: `${wanted} of ${wanted}: opens in LibreOffice, other entries identical, edit present`,
    run,
  },
]

interface Sample {
  format: OfficeFormat
  /** Index in `kinds`. */
  kind: number
  file: string
  edited: string
  /** Parts that are neither in the result as they were nor named as changed. */
  damaged: string[]
}

async function run(): Promise<{ value: string; ok: boolean; detail: string }> {
  if (corpus === undefined || soffice === undefined)
    return {
      value: 'skipped',
      ok: true,
      detail: 'set TROUPE_OFFICE_CORPUS to a folder of office files, and install LibreOffice',
    }
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-office-bench-'))
  const documents = openDocuments()
  try {
    const refused = new Map<string, number>()
    const samples: Sample[] = []
    const { pauseMs } = await longestPause(async () => {
      for (const file of candidates(corpus)) {
        // A few more, because LibreOffice cannot open every file before the edit.
        if (samples.length >= wanted * 1.05) break
        const sample = await editOne(documents, file, folder, samples.length).catch((error: unknown) => {
          const { message } = error as Error
          const reason = message.replace(/^.*nothing was changed: /, '').slice(0, 80)
          refused.set(reason, (refused.get(reason) ?? 0) + 1)
          if (process.env['TROUPE_OFFICE_VERBOSE']) console.error(path.basename(file), message)
          return undefined
        })
        if (sample !== undefined) samples.push(sample)
      }
    })
    const before = await texts(samples, ({ file }) => file, path.join(folder, 'before'))
    const counted = samples.filter((_, index) => before[index] !== undefined).slice(0, wanted)
    const after = await texts(counted, ({ edited }) => edited, path.join(folder, 'after'))
    const failed = counted.flatMap(({ file, kind, damaged }, index) => {
      const text = after[index]
      const name = `${path.basename(file)} (kind ${kind})`
      if (text === undefined) return [`${name} does not open`]
      if (damaged.length > 0) return [`${name} has other entries: ${damaged.join(', ')}`]
      return text.includes(mark) ? [] : [`${name} does not show the edit`]
    })
    for (const line of failed) console.error(line)
    const good = counted.length - failed.length
    const no = [...refused].map(([reason, count]) => `${count} × ${reason}`).join('; ')
    return {
      value: `${good} of ${counted.length}, longest pause ${Math.round(pauseMs)} ms`,
      ok: good === counted.length && counted.length >= wanted && pauseMs <= mostPauseMs,
      detail: `${samples.length} edited, ${samples.length - before.filter((text) => text !== undefined).length} not opened by LibreOffice before; refused: ${no}`,
    }
  } finally {
    documents.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A mix of the formats, always in the same order. */
function candidates(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(docx|xlsx|pptx|docm|xlsm|pptm)$/i.test(name),
  )
  const order = (name: string): string => createHash('sha256').update(path.basename(name)).digest('hex')
  return files
    .toSorted((a, b) => order(a).localeCompare(order(b)))
    .map((name) => path.join(folder, name))
    .slice(0, wanted * 2)
}

/** Edits of different kinds, each of which leaves the mark. `words` are two neighbors in the text of the file. */
const kinds: Record<OfficeFormat, readonly ((words: string) => OfficeAction[])[]> = {
  docx: [
    (find) => [{ action: 'replace_text', find, replace: mark }],
    (find) => [{ action: 'replace_text', find, replace: mark, tracked: true }],
    (find) => [{ action: 'add_comment', find, text: mark }],
    () => [{ action: 'insert', markdown: `| a | b |\n|---|---|\n| ${mark} | 2 |`, where: 'end' }],
    (find) => [{ action: 'add_footnote', find, text: mark }],
    () => [{ action: 'insert', markdown: mark, where: 'start' }],
  ],
  xlsx: [
    () => [{ action: 'set_cells', cell: 'A1', values: [[`="TroupeEdit"&"7391"`]] }],
    () => [
      { action: 'insert_rows', row: 1 },
      { action: 'set_cells', cell: 'A1', values: [[mark]] },
    ],
    () => [
      { action: 'add_sheet', name: 'Added by Troupe' },
      { action: 'set_cells', sheet: 'Added by Troupe', cell: 'B2', values: [[mark, 1]] },
    ],
    () => [
      { action: 'insert_columns', column: 'B' },
      { action: 'set_cells', cell: 'B1', values: [[mark]] },
      { action: 'format_cells', range: 'B1', bold: true, fill: 'ffee00' },
    ],
    () => [{ action: 'set_cells', cell: 'Z1', values: [[mark]] }],
  ],
  pptx: [
    () => [
      { action: 'add_slide', title: mark },
      { action: 'move_slide', slide: 1, to: 2 },
    ],
    () => [{ action: 'fill_placeholder', slide: 1, placeholder: 'title', markdown: mark }],
    (find) => [{ action: 'replace_text', find, replace: mark }],
    () => [{ action: 'set_notes', slide: 1, text: mark }],
    () => [{ action: 'add_table', slide: 1, rows: [[mark]] }],
    () => [{ action: 'add_slide', title: mark }],
  ],
}

/** The kinds take turns. If a file has no place for one, such as no title to fill, the next one is tried. */
async function editOne(
  documents: ReturnType<typeof openDocuments>,
  file: string,
  folder: string,
  index: number,
): Promise<Sample> {
  const format = path.extname(file).slice(1).toLowerCase().replace('m', 'x') as OfficeFormat
  const words = await someWords(documents, file)
  let last: unknown
  for (let turn = 0; turn < kinds[format].length; turn++) {
    const kind = (index + turn) % kinds[format].length
    const list = kinds[format][kind]!(words)
    try {
      const edit = await documents.edit!({ format, file: { path: file }, actions: list, date: '2026-01-01T00:00:00Z' })
      const source = readFileSync(file)
      const result = joinPieces(source, edit.pieces as ZipPiece[])
      const edited = path.join(folder, `${index}.${format}`)
      writeFileSync(edited, result)
      return { format, kind, file, edited, damaged: changedEntries(source, result, new Set(edit.parts)) }
    } catch (error) {
      last = error
    }
  }
  throw last
}

/** Two neighboring words, which are often in two runs. */
async function someWords(documents: ReturnType<typeof openDocuments>, file: string): Promise<string> {
  const { text } = await documents.read({ path: file }, {})
  const line = text.split('\n').find((each) => /^\[¶ \d+\] [\p{L} ,]+$/u.test(each) && each.includes(' ', 9)) ?? text
  return /\p{L}{2,} \p{L}{2,}/u.exec(line.replace(/^\[¶ \d+\] /, ''))?.[0] ?? 'no words'
}

function changedEntries(source: Buffer, result: Buffer, parts: ReadonlySet<string>): string[] {
  const rawOf = (zip: Buffer): Map<string, string> =>
    new Map(
      readZipDirectory(zip).records.map(({ name, start, end }) => [name, zip.subarray(start, end).toString('latin1')]),
    )
  const after = rawOf(result)
  return [...rawOf(source)].filter(([name, raw]) => !parts.has(name) && after.get(name) !== raw).map(([name]) => name)
}

/** Formats with everything that LibreOffice read in one file: all sheets, notes, comments. */
const convertTo: Record<OfficeFormat, string> = { docx: 'fodt', xlsx: 'fods', pptx: 'fodp' }

/** Text that LibreOffice reads from each file. Undefined if it does not open. */
async function texts(
  samples: readonly Sample[],
  fileOf: (sample: Sample) => string,
  folder: string,
): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = samples.map(() => undefined)
  for (const format of ['docx', 'xlsx', 'pptx'] as const) {
    const own = samples.map((sample, index) => ({ sample, index })).filter(({ sample }) => sample.format === format)
    for (let at = 0; at < own.length; at += 20) {
      const batch = own.slice(at, at + 20)
      await convert(batch, format, fileOf, path.join(folder, `${format}${at}`), found)
      // A file that crashes the program takes the rest of its batch along.
      for (const one of batch.filter(({ index }) => found[index] === undefined))
        await convert([one], format, fileOf, path.join(folder, `${format}-${one.index}`), found)
    }
  }
  return found
}

async function convert(
  batch: readonly { sample: Sample; index: number }[],
  format: OfficeFormat,
  fileOf: (sample: Sample) => string,
  folder: string,
  found: (string | undefined)[],
): Promise<void> {
  const [input, output] = [path.join(folder, 'in'), path.join(folder, 'out')]
  mkdirSync(input, { recursive: true })
  for (const { sample, index } of batch)
    writeFileSync(path.join(input, `${index}.${format}`), readFileSync(fileOf(sample)))
  const child = spawn(
    soffice!,
    [
      `-env:UserInstallation=file://${path.join(folder, 'profile')}`,
      '--headless',
      '--norestore',
      '--convert-to',
      convertTo[format],
      '--outdir',
      output,
      ...batch.map(({ index }) => path.join(input, `${index}.${format}`)),
    ],
    { detached: true, stdio: 'ignore' },
  )
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 60_000 + 10_000 * batch.length)
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  for (const { index } of batch) {
    const made = path.join(output, `${index}.${convertTo[format]}`)
    if (existsSync(made)) found[index] = readFileSync(made, 'utf8')
  }
}
