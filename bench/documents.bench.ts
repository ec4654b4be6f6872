import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Documents, DocumentPart } from '@troupe/core'
import { longestPause } from '@troupe/core/testing'
import { makePdf, text } from '../packages/documents/src/testing/make-pdf.ts'
import { openDocuments } from '../packages/documents/src/index.ts'
import { median, times } from './measure.ts'

const run = promisify(execFile)
const pageCount = 350

/** A folder with a PDF of 350 pages, removed when the process exits. */
function makeLongPdf(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'long.pdf')
  const words = 'the quick brown fox jumps over the lazy dog and keeps running through the long green field'
  const pages = Array.from({ length: pageCount }, (_, page) => ({
    content: Array.from({ length: 48 }, (_line, line) =>
      text(60, 740 - line * 14, `${page}.${line} ${words}`, 10),
    ).join(''),
  }))
  writeFileSync(file, makePdf(pages))
  return file
}

let long: string | undefined
const longPdf = (): string => (long ??= makeLongPdf())

/** Reads a document to its end, in as many answers as it takes. */
async function readAll(documents: Documents, file: string): Promise<string> {
  const parts: string[] = []
  let part: DocumentPart | undefined = {}
  for (let count = 0; part !== undefined && count < 500; count++) {
    const answer = await documents.read({ path: file }, part)
    parts.push(answer.text)
    part = answer.next
  }
  return parts.join('\n')
}

/** Without text recognition, which reads more than there is text. */
const open = (): ReturnType<typeof openDocuments> => openDocuments({ processes: 1, env: {} })

async function firstPage(): Promise<number> {
  const documents = open()
  try {
    const values: number[] = []
    for (let round = 0; round < 9; round++) {
      // A copy has not been opened before, but the process has read others.
      const copy = `${longPdf()}.${round}.pdf`
      copyFileSync(longPdf(), copy)
      const start = performance.now()
      await documents.read({ path: copy }, { pages: '1' })
      if (round > 1) values.push(performance.now() - start)
    }
    return median(values)
  } finally {
    documents.close()
  }
}

/** Compares CPU time, because other programs may keep the machine busy. */
async function allText(): Promise<{ ours: number; theirs: number; pause: number; memory: number }> {
  const documents = open()
  try {
    await documents.read({ path: longPdf() }, { pages: '1' })
    const ours: number[] = []
    const theirs: number[] = []
    let memory = 0
    let pause = 0
    for (let round = 0; round < 3; round++) {
      const copy = `${longPdf()}.all${round}.pdf`
      copyFileSync(longPdf(), copy)
      const before = cpuOfChildren()
      const { pauseMs } = await longestPause(() => readAll(documents, copy))
      ours.push(cpuOfChildren() - before)
      pause = Math.max(pause, pauseMs)
      memory = Math.max(memory, ...childrenMemory())
      const start = cpuOfChildren()
      await run('pdftotext', ['-layout', copy, '-'], { maxBuffer: 2 ** 28 })
      theirs.push(cpuOfChildren() - start)
    }
    return { ours: median(ours), theirs: median(theirs), pause, memory }
  } finally {
    documents.close()
  }
}

/** CPU time of all child processes, running and ended, in milliseconds. On Linux. */
function cpuOfChildren(): number {
  const running = childPids().map((pid) => ticks(pid, 11))
  return (ticks('self', 13) + sum(running)) * 10
}

/** User and system time from a field of `/proc/<pid>/stat`, counted after the name. */
function ticks(pid: string, field: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[field]) + Number(fields[field + 1])
}

/** Peak memory of child processes in MB. On Linux. */
function childrenMemory(): number[] {
  return childPids().map(
    (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
  )
}

function childPids(): string[] {
  return readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
}

let measured: ReturnType<typeof allText> | undefined
const measure = (): ReturnType<typeof allText> => (measured ??= allText())

/** Words as sets with counts, without marks that only direct the layout. */
function countWords(content: string): Map<string, number> {
  const counts = new Map<string, number>()
  const plain = content.normalize('NFKC').replace(/[^\P{C}\s]/gu, '')
  for (const word of plain.split(/\s+/)) if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Words that pdftotext finds inside the crop box. Undefined if it fails. */
async function referenceWords(file: string): Promise<Map<string, number> | undefined> {
  const options = { timeout: 20_000, maxBuffer: 2 ** 28 }
  try {
    const { stdout: boxes } = await run('pdfinfo', ['-box', '-l', '99999', file], options)
    const found = [
      ...boxes.matchAll(/Page\s+(\d+) (?:Media|Crop)Box:\s+([-\d.]+)\s+([-\d.]+)\s+([-\d.]+)\s+([-\d.]+)/g),
    ]
    const pages = new Map<string, number[][]>()
    for (const [, page = '', ...box] of found) pages.set(page, [...(pages.get(page) ?? []), box.map(Number)])
    const isCropped = [...pages.values()].some(([media, crop]) => String(media) !== String(crop))
    if (!isCropped) return countWords((await run('pdftotext', ['-layout', file, '-'], options)).stdout)
    const texts: string[] = []
    for (const [page, [media = [], crop = []]] of pages) {
      const [left = 0, , , top = 0] = media
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = crop
      const box = ['-x', x0 - left, '-y', top - y1, '-W', x1 - x0, '-H', y1 - y0].map((value) =>
        typeof value === 'number' ? String(Math.round(value)) : value,
      )
      texts.push((await run('pdftotext', ['-layout', '-f', page, '-l', page, ...box, file, '-'], options)).stdout)
    }
    return countWords(texts.join('\n'))
  } catch {
    return undefined
  }
}

async function recall(folder: string): Promise<{ pooled: number; good: number; files: number; failed: string[] }> {
  const documents = open()
  const failed: string[] = []
  let [hits, words, good, files] = [0, 0, 0, 0]
  try {
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.pdf'))) {
      const file = path.join(folder, name)
      const wanted = await referenceWords(file)
      const ours = countWords(await readAll(documents, file).catch((error: unknown) => fail(name, error as Error)))
      const count = wanted === undefined ? 0 : sum(wanted.values())
      if (wanted === undefined || count < 5) continue
      files++
      const found = sum(wanted.entries().map(([word, times]) => Math.min(times, ours.get(word) ?? 0)))
      // Long documents count as much as 2,000 words.
      const weight = Math.min(2000, count)
      hits += (found / count) * weight
      words += weight
      if (found / count >= 0.97) good++
    }
  } finally {
    documents.close()
  }
  return { pooled: hits / Math.max(1, words), good, files, failed }

  /** A clear refusal is an answer. A crash or a hang is not. */
  function fail(name: string, { message }: Error): string {
    if (/stopped|more memory/.test(message)) failed.push(`${name}: ${message}`)
    return ''
  }
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}

const pdfs = process.env['TROUPE_BENCH_PDFS']
let scored: ReturnType<typeof recall> | undefined
const score = (folder: string): ReturnType<typeof recall> => (scored ??= recall(folder))
const skipped = { value: 'skipped', ok: true, detail: 'set TROUPE_BENCH_PDFS to a folder of PDFs' }

export const benches = [
  {
    name: `documents: first page of a PDF with ${pageCount} pages, warm`,
    bar: 'under 200 ms',
    async run() {
      const ms = await firstPage()
      return { value: `${ms.toFixed(0)} ms`, ok: ms < 200 }
    },
  },
  {
    name: `documents: all text of a PDF with ${pageCount} pages`,
    bar: 'at most 4x the CPU time of pdftotext',
    async run() {
      const { ours, theirs } = await measure()
      const detail = `${ours.toFixed(0)} ms, pdftotext ${theirs.toFixed(0)} ms`
      return { value: times(ours / theirs), ok: ours <= theirs * 4, detail }
    },
  },
  {
    name: 'documents: memory of the process that reads it',
    bar: 'under 300 MB',
    async run() {
      const { memory } = await measure()
      return { value: `${memory.toFixed(0)} MB`, ok: memory < 300 }
    },
  },
  {
    name: 'documents: longest pause of the event loop meanwhile',
    bar: 'at most 100 ms of CPU time',
    async run() {
      const { pause } = await measure()
      return { value: `${pause.toFixed(0)} ms`, ok: pause <= 100 }
    },
  },
  {
    name: 'documents: visible words of public PDFs that pdftotext finds, pooled',
    bar: 'at least 96 %',
    async run() {
      if (pdfs === undefined) return skipped
      const { pooled, files, failed } = await score(pdfs)
      const detail = [`${files} files`, ...failed].join('; ')
      return { value: `${(pooled * 100).toFixed(2)} %`, ok: pooled >= 0.96 && failed.length === 0, detail }
    },
  },
  {
    name: 'documents: public PDFs with at least 97 % of their words',
    bar: 'at least 240 of 303',
    async run() {
      if (pdfs === undefined) return skipped
      const { good, files } = await score(pdfs)
      return { value: `${good} of ${files}`, ok: good >= (files * 240) / 303 }
    },
  },
]
