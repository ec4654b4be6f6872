import { globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../../packages/', import.meta.url))

/** The README of every package: its map lists each folder of `src` once, in the order written. */
export const files = readdirSync(packages).map((name) => `packages/${name}/README.md`)

const head = '| Folder | What it does |\n|---|---|\n'

export function generate(file: string): string {
  const source = path.join(packages, path.basename(path.dirname(file)), 'src')
  const readme = readFileSync(path.join(packages, '..', file), 'utf8')
  const start = readme.indexOf(head)
  if (start === -1) throw new Error(`${file} has no map: add a table with the columns "Folder" and "What it does"`)
  const end = readme.indexOf('\n\n', start)
  const rows = readme.slice(start + head.length, end === -1 ? undefined : end).split('\n')
  const described = new Map(
    rows.map((row) => row.split('|').map((cell) => cell.trim())).map((cells) => [cells[1], cells[2]]),
  )
  const folders = sourceFolders(source)
  const missing = [...folders].filter((folder) => (described.get(folder) ?? '') === '')
  if (missing.length > 0) throw new Error(`${file}: describe ${missing.join(', ')} in the map`)
  const lines = [...described].flatMap(([folder = '', about = '']) =>
    folders.has(folder) ? [`| ${folder} | ${about} |`] : [],
  )
  return readme.slice(0, start) + head + lines.join('\n') + (end === -1 ? '\n' : readme.slice(end))
}

function sourceFolders(source: string): Set<string> {
  const files = globSync('**/*.{ts,tsx,md}', { cwd: source }).filter((file) => !/\.test\.tsx?$|fixtures\//.test(file))
  const folders = files.map((file) => path.dirname(file))
  return new Set(folders.map((folder) => `\`src/${folder === '.' ? '' : `${folder}/`}\``))
}
