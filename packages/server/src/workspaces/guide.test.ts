import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parseConfig, unknownKeys } from '../config/config.ts'
import { testServer } from '../testing/test-server.ts'

const guide = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/guides/folders.md'), 'utf8')
const block = (language: string): string => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? ''

it('the examples of the guide to folders work', async () => {
  const config = parseConfig(block('json'), 'config.json')
  expect([config.roots, unknownKeys(config)]).toEqual([['~/work', '/srv/projects'], []])
  const server = await testServer({ listen: true, port: 0 })
  const folder = path.join(server.homePath, '..', 'elsewhere')
  mkdirSync(path.join(folder, 'app'), { recursive: true })
  const file = path.join(folder, 'example.mjs')
  writeFileSync(file, `export default async (base, token, folder) => { ${block('js')} }`)
  const { default: run } = (await import(/* @vite-ignore */ file)) as {
    default: (...given: string[]) => Promise<{ id: string }>
  }
  const project = await run(`http://127.0.0.1:${server.port}`, server.token, folder)
  expect(project).toMatchObject({ name: 'The app', path: path.join(folder, 'app'), parentProjectId: null })
  expect((await server.store.sessions.get('first'))?.projectId).toBe(project.id)
  await server.close()
})
