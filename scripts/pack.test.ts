import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as agent from '@troupe/agent'
import * as json from '@troupe/agent/json'
import * as client from '@troupe/client'
import * as commandPolicy from '@troupe/command-policy'
import * as core from '@troupe/core'
import * as mcp from '@troupe/core/mcp'
import * as permission from '@troupe/core/permission'
import * as coreRun from '@troupe/core/run'
import * as testing from '@troupe/core/testing'
import * as tool from '@troupe/core/tool'
import * as protocol from '@troupe/protocol'
import * as error from '@troupe/protocol/error'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { full } from '../packages/protocol/testing/test-effort.ts'
import { buildPackages, published } from './lib/build-packages.mjs'
import { tsc } from './lib/tsc.mjs'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const sources: Record<string, object> = {
  '@troupe/protocol': protocol,
  '@troupe/protocol/error': error,
  '@troupe/command-policy': commandPolicy,
  '@troupe/core': core,
  '@troupe/core/testing': testing,
  '@troupe/core/run': coreRun,
  '@troupe/core/tool': tool,
  '@troupe/core/permission': permission,
  '@troupe/core/mcp': mcp,
  '@troupe/agent': agent,
  '@troupe/agent/json': json,
  '@troupe/client': client,
}
interface Manifest {
  exports: Record<string, unknown>
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}
const manifests = Object.fromEntries(
  published.map((name) => [
    name,
    JSON.parse(readFileSync(path.join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest,
  ]),
)
const needed = (name: string): string[] =>
  Object.keys({ ...manifests[name]?.dependencies, ...manifests[name]?.peerDependencies })
const packed = (name: string): string => path.join(project, 'node_modules', '@troupe', name)
const filesOf = (name: string): string[] => readdirSync(packed(name), { recursive: true, encoding: 'utf8' })
let project: string

/** Creates an empty project with exactly what npm would install: the packed packages and their dependencies. */
beforeAll(async () => {
  project = mkdtempSync(path.join(tmpdir(), 'troupe-pack-'))
  // `npm run check` checks the types of the sources, and the last test those that are built.
  const flags = full ? [] : ['--noCheck']
  await buildPackages(process.execPath, published, { flags })
  const workspaces = published.flatMap((name) => ['--workspace', `packages/${name}`])
  // The scripts of the packages would build each of them again.
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', project, ...workspaces], {
    cwd: root,
  })
  for (const name of published) {
    mkdirSync(packed(name), { recursive: true })
    const tarball = path.join(project, `troupe-${name}-0.1.0.tgz`)
    await run('tar', ['-xzf', tarball, '-C', packed(name), '--strip-components=1'])
  }
  for (const name of new Set([...published.flatMap(needed), '@types/node'])) {
    const link = path.join(project, 'node_modules', name)
    if (name.startsWith('@troupe/')) continue
    mkdirSync(path.dirname(link), { recursive: true })
    symlinkSync(path.join(root, 'node_modules', name), link)
  }
  writeFileSync(path.join(project, 'package.json'), '{"private": true, "type": "module"}')
}, 240_000)

afterAll(() => rmSync(project, { recursive: true, force: true }))

test.each(published)('%s contains the build, the sources, README and license, and no tests', (name) => {
  expect(readdirSync(packed(name)).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'src'])
  const files = filesOf(name)
  expect(files.filter((file) => /\.test\.|test-workspace|test-shell|fixtures/.test(file))).toEqual([])
  const built = files.filter((file) => /^dist\/.*\.js$/.test(file)).map((file) => file.slice(5, -3))
  const written = files.filter((file) => /^src\/.*\.ts$/.test(file)).map((file) => file.slice(4, -3))
  expect(built.toSorted()).toEqual(written.toSorted())
})

test.each(published)('%s imports only its dependencies', (name) => {
  const files = filesOf(name).filter((file) => /^dist\/.*\.js$/.test(file))
  const imports = /^(?:import|export|\}) ?[^'"\n;]*\bfrom ['"]([^'"]+)['"]|\bimport(?: |\()['"]([^'"]+)['"]/gm
  const imported = files.flatMap((file) =>
    [...readFileSync(path.join(packed(name), file), 'utf8').matchAll(imports)].map(
      ([, from, alone]) => from ?? alone ?? '',
    ),
  )
  const foreign = imported.filter((each) => !each.startsWith('.') && !isBuiltin(each))
  const packages = foreign.map((each) => /^(@[^/]+\/)?[^/]+/.exec(each)?.[0] ?? each)
  expect(packages.filter((each) => !needed(name).includes(each))).toEqual([])
})

test('versions are left to the project that installs them, and it has one copy of zod', () => {
  const zod = published.map((name) => manifests[name]?.peerDependencies?.['zod'])
  expect(zod).toEqual(['^4.2.0', undefined, '^4.2.0', '^4.2.0', '^4.2.0'])
  const pinned = published.flatMap((name) =>
    Object.entries(manifests[name]?.dependencies ?? {}).filter(
      ([each, version]) => !version.startsWith('^') && !each.startsWith('@troupe/'),
    ),
  )
  // Its next version needs a package that some registries lack.
  expect(pinned).toEqual([['linkedom', '0.18.12']])
})

test('every export exists in an empty project, with every built-in tool and agent', async () => {
  const names = published.flatMap((name) =>
    Object.keys(manifests[name]?.exports ?? {}).map((entry) => entry.replace('.', `@troupe/${name}`)),
  )
  expect(names).toEqual(Object.keys(sources))
  const program = `
    import { getBuiltinAgents, getBuiltinTools } from '@troupe/core'
    const names = {}
    for (const name of ${JSON.stringify(names)}) names[name] = Object.keys(await import(name)).sort()
    console.log(JSON.stringify({ names, tools: getBuiltinTools().map((tool) => tool.name), agents: getBuiltinAgents().map((agent) => agent.name) }))`
  const found = JSON.parse(await runProgram('every.mjs', program)) as {
    names: unknown
    tools: string[]
    agents: string[]
  }
  expect(found.names).toEqual(
    Object.fromEntries(names.map((name) => [name, Object.keys(sources[name] ?? {}).toSorted()])),
  )
  expect(found.tools).toEqual(core.getBuiltinTools().map((tool) => tool.name))
  expect(found.agents).toEqual(core.getBuiltinAgents().map((agent) => agent.name))
})

test('the README’s example runs unchanged', async () => {
  const example = /```ts\n(.*?)```/s.exec(readFileSync(path.join(packed('core'), 'README.md'), 'utf8'))?.[1] ?? ''
  expect(await runProgram('example.ts', example)).toContain('That is the time.')
})

const turnProgram = `
  import { chatSession, createAgent } from '@troupe/agent'
  import { scriptedModel } from '@troupe/core/testing'
  import { z } from 'zod'
  const model = scriptedModel([
    [{ call: { name: 'look', input: {} } }],
    [{ text: '{"title": "Sea", "items": ["a", "b"]}', chunks: 7 }],
  ])
  const agent = createAgent({ name: 'packed', model }).always({ role: 'clerk' }).use(chatSession({ id: 's1' }))
  agent.registerTool({ name: 'look', readOnly: true, execute: () => 'seen' })
  const turn = agent.loadYamlPrompt('input: \${what}', { mappings: { what: 'the sea' } })
  const run = turn.output(z.object({ title: z.string(), items: z.array(z.string()) })).run()
  const title = await run.key('title')
  const { data, toolLogs, attempts } = await run.result()
  console.log(JSON.stringify({ title, data, logs: toolLogs.length, attempts }))`

const turnAnswer = { title: 'Sea', data: { title: 'Sea', items: ['a', 'b'] }, logs: 1, attempts: 1 }

test('a turn works from the package', async () => {
  expect(JSON.parse(await runProgram('turn.mjs', turnProgram))).toEqual(turnAnswer)
})

test('importing turns loads no tools and none of their dependencies', async () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    await import('@troupe/agent')
    console.log(JSON.stringify(loaded))`
  const loaded = JSON.parse(await runProgram('loaded.mjs', program)) as string[]
  const own = loaded.filter((url) => url.includes('/@troupe/')).map((url) => url.replace(/^.*\/@troupe\//, ''))
  expect(own).toContain('agent/dist/agent.js')
  expect(own.filter((file) => /^core\/dist\/(tools|web|sandbox)\//.test(file))).toEqual([])
  const foreign = loaded.filter((url) => url.startsWith('file:') && !url.includes('/@troupe/'))
  const packages = new Set(foreign.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))
  expect([...packages].filter((name) => name !== 'loaded.mjs').toSorted()).toEqual(['json5', 'yaml', 'zod'])
})

test('a turn works from a bundle, which omits unused code', async () => {
  const modules = await bundle('turn', turnProgram)
  expect(modules).toContain('agent/dist/agent.js')
  expect(modules.filter((file) => /^core\/dist\/(tools|web)\//.test(file))).toEqual([])
  expect(JSON.parse(await runProgram('bundled-turn/turn-input.js'))).toEqual(turnAnswer)
})

test('the JSON reader bundles for browsers', async () => {
  const program = `
    import { createJsonReader } from '@troupe/agent/json'
    const reader = createJsonReader({})
    for (const piece of ['{"a": [1, ', '2], "b": "x', 'y"}']) reader.write(piece)
    console.log(JSON.stringify(reader.end().value))`
  const modules = await bundle('json', program, 'browser')
  expect(modules.filter((file) => !/^agent\/dist\/json[./]/.test(file))).toEqual([])
  expect(JSON.parse(await runProgram('bundled-json/json-input.js'))).toEqual({ a: [1, 2], b: 'xy' })
})

async function bundle(name: string, program: string, platform = 'node'): Promise<string[]> {
  const { build } = (await import(path.join(root, 'node_modules', 'rolldown', 'dist', 'index.mjs'))) as {
    build(options: object): Promise<{ output: { modules?: Record<string, { code: string | null }> }[] }>
  }
  const input = path.join(project, `${name}-input.mjs`)
  writeFileSync(input, program)
  const output = { dir: path.join(project, `bundled-${name}`), format: 'esm' }
  const built = await build({ input, cwd: project, platform, logLevel: 'silent', output })
  return built.output
    .flatMap(({ modules = {} }) => Object.entries(modules))
    .filter(([id, { code }]) => id.includes('/@troupe/') && code !== null && code !== '')
    .map(([id]) => id.replace(/^.*\/@troupe\//, ''))
}

test.runIf(full)(
  'its types check without skipLibCheck, except for another package’s omissions',
  async () => {
    const imports = Object.keys(sources).map((name, i) => `export * as x${i} from '${name}'\n`)
    writeFileSync(path.join(project, 'types.ts'), imports.join(''))
    const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--skipDefaultLibCheck', '--pretty', 'false']
    const settings = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node', 'types.ts']
    const { output } = await tsc(process.execPath, [...flags, ...settings], { cwd: project })
    const complaints = output.split('\n').filter((line) => line.includes('error TS'))
    expect(complaints.filter((line) => !/@ai-sdk\/provider\/.*'json-schema'/.test(line))).toEqual([])
  },
  120_000,
)

async function runProgram(name: string, text?: string): Promise<string> {
  if (text !== undefined) writeFileSync(path.join(project, name), text)
  const flags = ['--disable-warning=ExperimentalWarning', name]
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return (await run(process.execPath, flags, { cwd: project, env: { PATH, NODE_COMPILE_CACHE } })).stdout
}
