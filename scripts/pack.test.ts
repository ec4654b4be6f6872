import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as core from '@troupe/core'
import * as error from '@troupe/core/error'
import * as protocol from '@troupe/core/protocol'
import * as testing from '@troupe/core/testing'
import * as turn from '@troupe/core/turn'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const sources: Record<string, object> = {
  '@troupe/core': core,
  '@troupe/core/error': error,
  '@troupe/core/protocol': protocol,
  '@troupe/core/testing': testing,
  '@troupe/core/turn': turn,
}
const manifest = JSON.parse(readFileSync(path.join(root, 'packages/core/package.json'), 'utf8')) as {
  exports: Record<string, unknown>
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
}
const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
let project: string
let packed: string

/** An empty project with what npm would install there: the packed library and its dependencies, nothing else. */
beforeAll(async () => {
  project = mkdtempSync(path.join(tmpdir(), 'troupe-pack-'))
  packed = path.join(project, 'node_modules', '@troupe', 'core')
  mkdirSync(packed, { recursive: true })
  await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: path.join(root, 'packages', 'core') })
  const [tarball = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'))
  await run('tar', ['-xzf', path.join(project, tarball), '-C', packed, '--strip-components=1'])
  for (const name of [...needed, '@types/node']) {
    const link = path.join(project, 'node_modules', name)
    mkdirSync(path.dirname(link), { recursive: true })
    symlinkSync(path.join(root, 'node_modules', name), link)
  }
  writeFileSync(path.join(project, 'package.json'), '{"private": true, "type": "module"}')
}, 60_000)

afterAll(() => rmSync(project, { recursive: true, force: true }))

test('the package holds the build, the sources, README and licence, and nothing of the tests', () => {
  expect(readdirSync(packed).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'src'])
  const files = readdirSync(packed, { recursive: true, encoding: 'utf8' })
  expect(files.filter((file) => /\.test\.|test-workspace|open-test-shell/.test(file))).toEqual([])
  const built = files.filter((file) => /^dist\/.*\.js$/.test(file)).map((file) => file.slice(5, -3))
  const written = files.filter((file) => /^src\/.*\.ts$/.test(file)).map((file) => file.slice(4, -3))
  expect(built.toSorted()).toEqual(written.toSorted())
})

test('it imports nothing but its dependencies', () => {
  const files = readdirSync(packed, { recursive: true, encoding: 'utf8' }).filter((file) => /^dist\/.*\.js$/.test(file))
  const imports = /^(?:import|export|\}) ?[^'"\n;]*\bfrom ['"]([^'"]+)['"]|\bimport(?: |\()['"]([^'"]+)['"]/gm
  const imported = files.flatMap((file) =>
    [...readFileSync(path.join(packed, file), 'utf8').matchAll(imports)].map(([, from, alone]) => from ?? alone ?? ''),
  )
  const foreign = imported.filter((name) => !name.startsWith('.') && !isBuiltin(name))
  const packages = foreign.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
  expect(packages).toEqual(expect.arrayContaining(['zod', '@vscode/ripgrep']))
  expect(packages.filter((name) => !needed.includes(name))).toEqual([])
})

test('it leaves versions to the project that installs it, and has its one copy of zod', () => {
  expect(manifest.peerDependencies).toEqual({ zod: '^4.2.0' })
  const pinned = Object.entries(manifest.dependencies).filter(([, version]) => !version.startsWith('^'))
  // Its next version needs a package that some registries do not have.
  expect(pinned).toEqual([['linkedom', '0.18.12']])
})

test('every export is there in an empty project, with every built-in tool and agent', async () => {
  const names = Object.keys(manifest.exports).map((name) => name.replace('.', '@troupe/core'))
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

test('the example of the README runs as it stands', async () => {
  const example = /```ts\n(.*?)```/s.exec(readFileSync(path.join(packed, 'README.md'), 'utf8'))?.[1] ?? ''
  expect(await runProgram('example.ts', example)).toContain('That is the time.')
})

/** A turn with everything that a program would use of it. */
const turnProgram = `
  import { chatSession, createAgent } from '@troupe/core/turn'
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

test('importing turns loads no tool, and nothing that only tools need', async () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    await import('@troupe/core/turn')
    console.log(JSON.stringify(loaded))`
  const loaded = JSON.parse(await runProgram('loaded.mjs', program)) as string[]
  const own = loaded.filter((url) => url.includes('/@troupe/core/')).map((url) => url.replace(/^.*\/dist\//, ''))
  expect(own).toContain('turn/agent.js')
  expect(own.filter((file) => /^(tools|search|web|sandbox|agents)\//.test(file))).toEqual([])
  const foreign = loaded.filter((url) => url.startsWith('file:') && !url.includes('/@troupe/core/'))
  const packages = new Set(foreign.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))
  expect([...packages].filter((name) => name !== 'loaded.mjs').toSorted()).toEqual(['json5', 'yaml', 'zod'])
})

test('a turn works from a bundle, which leaves out what it does not use, whichever way it is imported', async () => {
  const alone = await bundle('turn', turnProgram)
  const ofAll = await bundle('all', turnProgram.replace('@troupe/core/turn', '@troupe/core'))
  for (const [name, modules] of [['turn', alone] as const, ['all', ofAll] as const]) {
    expect(modules).toContain('turn/agent.js')
    expect(modules.filter((file) => /^(tools|web|agents)\//.test(file))).toEqual([])
    expect(JSON.parse(await runProgram(`bundled-${name}/${name}-input.js`))).toEqual(turnAnswer)
  }
  expect(ofAll.length).toBeLessThan(alone.length * 1.2)
})

/** Bundles a program and gives the library's files of which something is in it. */
async function bundle(name: string, program: string): Promise<string[]> {
  const { build } = (await import(path.join(root, 'node_modules', 'rolldown', 'dist', 'index.mjs'))) as {
    build(options: object): Promise<{ output: { modules?: Record<string, { code: string | null }> }[] }>
  }
  const input = path.join(project, `${name}-input.mjs`)
  writeFileSync(input, program)
  const output = { dir: path.join(project, `bundled-${name}`), format: 'esm' }
  const built = await build({ input, cwd: project, platform: 'node', logLevel: 'silent', output })
  return built.output
    .flatMap(({ modules = {} }) => Object.entries(modules))
    .filter(([id, { code }]) => id.includes('/@troupe/core/dist/') && code !== null && code !== '')
    .map(([id]) => id.replace(/^.*\/dist\//, ''))
}

test('its types hold without skipLibCheck, but for what another package leaves out', async () => {
  const imports = Object.keys(sources).map((name, i) => `export * as x${i} from '${name}'\n`)
  writeFileSync(path.join(project, 'types.ts'), imports.join(''))
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--pretty', 'false']
  const settings = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node', 'types.ts']
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const checked = await run(process.execPath, [tsc, ...flags, ...settings], { cwd: project }).catch(
    (failure: unknown) => failure as { stdout: string },
  )
  const complaints = checked.stdout.split('\n').filter((line) => line.includes('error TS'))
  expect(complaints.filter((line) => !/@ai-sdk\/provider\/.*'json-schema'/.test(line))).toEqual([])
})

async function runProgram(name: string, text?: string): Promise<string> {
  if (text !== undefined) writeFileSync(path.join(project, name), text)
  const flags = ['--disable-warning=ExperimentalWarning', name]
  return (await run(process.execPath, flags, { cwd: project, env: { PATH: process.env['PATH'] } })).stdout
}
