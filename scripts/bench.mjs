import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { findChromium, installChromium } from './lib/chromium.mjs'
import { relaunch } from './lib/relaunch.mjs'
import { Failure, main, root, say } from './lib/run.mjs'

/**
 * `npm run bench [-- --only <name>]`: prints one table, exits with 1 if a bar is missed. `--minutes 20` sets the
 * duration of a soak. Each `bench/*.bench.ts` exports `name`, `bar` (in words) and `run(options): Promise<{ value, ok,
 * detail }>`, or `benches`, a list of such objects. `npm run bench:web` runs those of `bench/web`, which measure the
 * page in Chromium.
 */
await main(async () => {
  await relaunch()
  const { values } = parseArgs({
    options: { only: { type: 'string' }, web: { type: 'boolean', default: false }, minutes: { type: 'string' } },
  })
  const options = values.minutes === undefined ? {} : { minutes: Number(values.minutes) }
  if (values.web) await provideChromium()
  const benches = (await load(values.web ? 'bench/web' : 'bench')).filter(({ name, file }) => {
    return values.only === undefined || name.includes(values.only) || file.includes(values.only)
  })
  if (benches.length === 0) throw new Failure(`no bench is called "${values.only ?? ''}"`)
  const rows = []
  for (const bench of benches) {
    say(`measuring: ${bench.name}`)
    const {
      value,
      ok,
      detail = '',
    } = await bench.run(options).catch((error) => {
      console.error(error)
      return { value: 'threw', ok: false, detail: error.message }
    })
    say(`${ok ? 'ok' : 'MISSED'}: ${value}. ${detail}`)
    rows.push([ok ? 'ok' : 'MISSED', bench.name, String(value), bench.bar, detail])
  }
  printTable(['', 'what', 'measured', 'bar', 'detail'], rows)
  process.exit(rows.every(([verdict]) => verdict === 'ok') ? 0 : 1)
})

async function provideChromium() {
  const found = (await findChromium()) ?? (await installChromium(process.execPath))
  if (found === undefined) throw new Failure('no Chromium: install one, or set CHROMIUM_PATH')
  process.env.CHROMIUM_PATH = found
}

async function load(from) {
  const folder = path.join(root, from)
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.bench.ts')) : []
  const benches = []
  for (const file of files.sort()) {
    const module = await import(pathToFileURL(path.join(folder, file)).href)
    for (const bench of module.benches ?? [module]) {
      if (typeof bench.name !== 'string' || typeof bench.run !== 'function') {
        throw new Failure(`${from}/${file} must export "name", "bar" and "run", or "benches"`)
      }
      benches.push({ file, name: bench.name, bar: bench.bar, run: bench.run })
    }
  }
  return benches
}

function printTable(head, rows) {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)))
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  console.log(line(head))
  console.log(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`)
  for (const row of rows) console.log(line(row))
}
