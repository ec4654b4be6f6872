import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { full } from '../packages/protocol/testing/test-effort.ts'
import { testServer } from '../packages/server/src/testing/test-server.ts'
import { findTexts } from './lib/find-texts.mjs'
import { tsc } from './lib/tsc.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Example {
  file: string
  code: string
}

/** Code in the guides whose first line names its file. */
const examples: Example[] = globSync('docs/guides/*.md', { cwd: root }).flatMap((guide) =>
  [
    ...readFileSync(path.join(root, guide), 'utf8').matchAll(/^```tsx?\n(\/\/ ((?:packages|~)\/\S+)\n[\s\S]*?)^```$/gm),
  ].map(([, code = '', file = '']) => ({ file, code })),
)
const pageFiles = examples.filter(({ file }) => file.startsWith('packages/web/'))
const ownFile = (name: string): string => examples.find(({ file }) => file === `~/.troupe/${name}`)?.code ?? ''

test('the guides have a file for each thing to add', () => {
  expect(examples.map(({ file }) => file).toSorted()).toEqual([
    'packages/protocol/src/http/word-count.ts',
    'packages/server/src/providers/acme.ts',
    'packages/server/src/sessions/word-count-routes.test.ts',
    'packages/server/src/sessions/word-count-routes.ts',
    'packages/web/src/cards/word-count.tsx',
    'packages/web/src/panels/kinds/commands-run.tsx',
    'packages/web/src/settings/sections/weather.tsx',
    '~/.troupe/hooks/no-secrets.ts',
    '~/.troupe/tools/word-count.ts',
  ])
})

test('the guide for routes names everything that an endpoint declares, and every kind of access', () => {
  const guide = readFileSync(path.join(root, 'docs/guides/extending-the-server.md'), 'utf8')
  const source = (name: string): string => readFileSync(path.join(root, 'packages/protocol/src/http', name), 'utf8')
  const declared = /interface Endpoint \{(.*?)\n\}/s.exec(source('endpoint.ts'))?.[1] ?? ''
  const fields = [...declared.matchAll(/^  (\w+)\??:/gm)].map(([, name = '']) => name)
  const table = guide.split('### What an endpoint can declare')[1]?.split('\n###')[0] ?? ''
  const rows = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, names = '']) => names.match(/\w+/g) ?? [])
  expect(rows.toSorted()).toEqual(fields.toSorted())
  const kinds = new Set([...source('access.ts').matchAll(/\bon: '(\w+)'/g)].map(([, kind]) => kind))
  expect(new Set([...guide.matchAll(/`\{ on: '(\w+)'/g)].map(([, kind]) => kind))).toEqual(kinds)
})

test('the page files in the guides keep to the rule for texts', () => {
  expect(pageFiles.flatMap(({ file, code }) => findTexts(file, code))).toEqual([])
})

test('the tool and the hook in the guides load', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'troupe-guides-'))
  mkdirSync(path.join(home, 'hooks'))
  writeFileSync(path.join(home, 'hooks', 'no-secrets.ts'), ownFile('hooks/no-secrets.ts'))
  const server = await testServer({ home, listen: false, tools: { 'word-count': ownFile('tools/word-count.ts') } })
  onTestFinished(async () => {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  })
  server.script('count', [[{ call: { name: 'WordCount', input: { text: 'one two three' } } }], [{ text: 'Three.' }]])
  const { message } = await server.chat('s1', 'count')
  expect(message.parts).toContainEqual(expect.objectContaining({ output: { words: 3 } }))
  const { body } = await server.json<{ hooks: { event: string }[]; problems: unknown[] }>('/ai/hooks')
  expect(body).toMatchObject({ hooks: [{ event: 'after-call' }], problems: [] })
})

test('everything in the guides works in a copy of the checkout', { timeout: 240_000 }, async () => {
  const folder = copyCheckout()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const { file, code } of examples) if (file.startsWith('packages/')) writeFileSync(path.join(folder, file), code)

  // The steps that extending-the-server.md describes in words.
  insert(folder, 'packages/protocol/src/contract.ts', {
    'import ': `import { wordCountEndpoints } from './http/word-count.ts'\nimport `,
    'contract = {': 'contract = { ...wordCountEndpoints,',
  })
  insert(folder, 'packages/protocol/src/index.ts', { 'export ': `export * from './http/word-count.ts'\nexport ` })
  insert(folder, 'packages/server/src/boot/routes.ts', {
    'import ': `import { wordCountRoutes } from '../sessions/word-count-routes.ts'\nimport `,
    'const routes: Route[] = [': 'const routes: Route[] = [...wordCountRoutes(services),',
  })
  writeFileSync(path.join(folder, 'packages/server/src/providers/acme.test.ts'), providerTest)
  // A language is a folder, and a file that combines its texts.
  const languages = path.join(folder, 'packages/web/src/texts/languages')
  cpSync(path.join(languages, 'zh'), path.join(languages, 'fr'), { recursive: true })
  const zh = readFileSync(path.join(languages, 'zh.ts'), 'utf8')
  const fr = zh
    .replace('export const zh', 'export const fr')
    .replace("tag: 'zh'", "tag: 'fr'")
    .replaceAll("'./zh/", "'./fr/")
  writeFileSync(path.join(languages, 'fr.ts'), fr)

  if (!full) skipTypesOfUnchanged(folder)
  const server = examples.flatMap(({ file }) => (/^packages\/(server|protocol)\//.test(file) ? [file] : []))
  // The files of the server also run below.
  if (full) {
    const files = [...server, 'packages/server/src/boot/routes.ts']
    expect(await checkTypes(folder, 'tsconfig.base.json', files)).toBe('')
  }
  const page = [...pageFiles.map(({ file }) => file), 'packages/web/src/texts/languages/fr.ts']
  expect(await checkTypes(folder, 'packages/web/tsconfig.json', page)).toBe('')
  const tests = [
    ...server.filter((file) => file.endsWith('.test.ts')),
    'packages/server/src/providers/acme.test.ts',
    'packages/web/src/texts/languages.test.ts',
  ]
  // Node runs the sources itself, as in the program. Transforming them would take most of the time.
  const flags = ['--project=node', '--project=page-logic', '--maxWorkers=1', '--experimental.viteModuleRunner=false']
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...flags]
  const ran = await runNode(folder, [...vitest, ...tests])
  expect(ran.code === 0 ? '' : ran.output).toBe('')
})

const providerTest = `import { expect, it } from 'vitest'
import { testServer } from '../testing/test-server.ts'

it('lists the new provider', async () => {
  const server = await testServer({ listen: false })
  const { body } = await server.json('/ai/providers')
  expect(body.providers).toContainEqual(expect.objectContaining({ id: 'acme', name: 'Acme' }))
  await server.close()
})
`

/** Sources of every package, with the dependencies of this checkout. */
function copyCheckout(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-guides-'))
  const linked = path.join(folder, 'node_modules', '@troupe')
  mkdirSync(linked, { recursive: true })
  for (const name of readdirSync(path.join(root, 'packages'))) {
    for (const part of ['package.json', 'tsconfig.json', 'src', 'testing']) {
      const from = path.join(root, 'packages', name, part)
      if (existsSync(from)) cpSync(from, path.join(folder, 'packages', name, part), { recursive: true })
    }
    symlinkSync(path.join(folder, 'packages', name), path.join(linked, name))
  }
  for (const name of readdirSync(path.join(root, 'node_modules')))
    if (name !== '@troupe') symlinkSync(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name))
  for (const name of ['package.json', 'tsconfig.base.json', 'vitest.config.ts', 'vitest.setup.ts'])
    cpSync(path.join(root, name), path.join(folder, name))
  return folder
}

/** `npm run check` has checked the types of files that are as in this checkout. */
function skipTypesOfUnchanged(folder: string): void {
  for (const file of globSync('packages/*/{src,testing}/**/*.{ts,tsx}', { cwd: folder })) {
    const text = readFileSync(path.join(folder, file), 'utf8')
    const isUnchanged = existsSync(path.join(root, file)) && readFileSync(path.join(root, file), 'utf8') === text
    if (isUnchanged) writeFileSync(path.join(folder, file), `// @ts-nocheck\n${text}`)
  }
}

/** Replaces the first occurrence of each key. */
function insert(folder: string, name: string, changes: Record<string, string>): void {
  const file = path.join(folder, name)
  let text = readFileSync(file, 'utf8')
  for (const [at, inserted] of Object.entries(changes)) {
    if (!text.includes(at)) throw new Error(`${name} has no "${at}"`)
    text = text.replace(at, inserted)
  }
  writeFileSync(file, text)
}

async function checkTypes(folder: string, config: string, files: readonly string[]): Promise<string> {
  const own = path.join(path.dirname(path.join(folder, config)), 'tsconfig.guides.json')
  const options = {
    extends: `./${path.basename(config)}`,
    compilerOptions: { incremental: false, noEmit: true },
    include: [],
    files: files.map((file) => path.join(folder, file)),
  }
  writeFileSync(own, JSON.stringify(options))
  return (await tsc(process.execPath, ['-p', own], { cwd: folder })).output
}

function runNode(folder: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: stdout + stderr })
    })
  })
}
