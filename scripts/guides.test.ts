import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { findTexts } from './lib/find-texts.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const web = path.join(root, 'packages/web')

/** Code in the guides whose first line names a file of the page. */
const examples = globSync('docs/guides/*.md', { cwd: root }).flatMap((guide) =>
  [
    ...readFileSync(path.join(root, guide), 'utf8').matchAll(
      /^```tsx?\n(\/\/ packages\/web\/src\/(\S+)\n[\s\S]*?)^```$/gm,
    ),
  ].map(([, code = '', file = '']) => ({ file, code })),
)

test('the page files in the guides keep to the rule for texts', () => {
  expect(examples.map(({ file }) => file).toSorted()).toEqual([
    'cards/word-count.tsx',
    'panels/kinds/commands-run.tsx',
    'settings/sections/weather.tsx',
  ])
  expect(examples.flatMap(({ file, code }) => findTexts(file, code))).toEqual([])
})

test('the page files in the guides fit the page as it is', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-guides-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  for (const { file, code } of examples) {
    mkdirSync(path.dirname(path.join(folder, 'src', file)), { recursive: true })
    writeFileSync(path.join(folder, 'src', file), code)
  }
  const config = {
    extends: path.join(web, 'tsconfig.json'),
    // Relative imports of an example resolve to the page's sources.
    compilerOptions: { noEmit: true, rootDirs: ['src', path.join(web, 'src')] },
    include: [],
    files: examples.map(({ file }) => `src/${file}`),
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
  const printed = await new Promise<string>((resolve) => {
    execFile(path.join(root, 'node_modules/.bin/tsc'), ['-p', folder], (_, output) => resolve(output))
  })
  expect(printed).toBe('')
})
