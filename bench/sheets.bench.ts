import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openDocuments } from '@troupe/documents'
import { makeZip } from '../packages/documents/src/testing/make-zip.ts'
import { median } from './measure.ts'

const rounds = 5
const rowCount = 100_000
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A workbook of 100,000 rows and 10 columns. Each row has one shared string. */
function makeWorkbook(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const rows: string[] = []
  const strings: string[] = []
  for (let row = 1; row <= rowCount; row++) {
    strings.push(`<si><t>Customer number ${row}</t></si>`)
    const figures = Array.from(
      'BCDEFGHIJ',
      (column, index) => `<c r="${column}${row}"><v>${(row * 7919 * (index + 1)) % 9973}.25</v></c>`,
    )
    rows.push(`<row r="${row}"><c r="A${row}" t="s"><v>${row - 1}</v></c>${figures.join('')}</row>`)
  }
  const file = path.join(folder, 'million.xlsx')
  const relation = (id: number, type: string, target: string): string =>
    `<Relationship Id="rId${id}" Type="${office}/${type}" Target="${target}"/>`
  writeFileSync(
    file,
    makeZip({
      '_rels/.rels': `<Relationships>${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
      'xl/workbook.xml': `<workbook xmlns:r="${office}"><sheets><sheet name="Data" r:id="rId1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships>${relation(1, 'worksheet', 'worksheets/sheet1.xml')}${relation(2, 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`,
      'xl/sharedStrings.xml': `<sst>${strings.join('')}</sst>`,
    }),
  )
  return file
}

/** Most memory that a child process of this one had, in MB. Linux only. */
function childMemory(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ')
  const peaks = children.map((pid) =>
    Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
  )
  return Math.max(...peaks) / 1024
}

const readRange = {
  name: 'Read a range of an xlsx with 1,000,000 cells',
  bar: 'under 2 s, reader under 300 MB, no pause above 100 ms',
  async run() {
    const file = makeWorkbook()
    const documents = openDocuments({ processes: 1 })
    const delay = monitorEventLoopDelay({ resolution: 5 })
    try {
      const spent: number[] = []
      delay.enable()
      for (let round = 0; round < rounds; round++) {
        const begun = performance.now()
        const { text } = await documents.read({ path: file }, { range: 'A99000:J99016' })
        spent.push(performance.now() - begun)
        if (!text.includes('Customer number 99016')) throw new Error(`unexpected: ${text.slice(0, 300)}`)
      }
      delay.disable()
      const [first = 0] = spent
      const memory = childMemory()
      const pause = delay.max / 1e6
      return {
        value: `${(first / 1000).toFixed(2)} s`,
        ok: first < 2000 && memory < 300 && pause < 100,
        detail: `${Math.round(median(spent))} ms warm, reader ${Math.round(memory)} MB, longest pause ${Math.round(pause)} ms`,
      }
    } finally {
      documents.close()
    }
  },
}

export const benches = [readRange]
