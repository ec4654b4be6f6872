import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Worktree } from '@troupe/protocol'
import { testServer } from '../packages/server/src/testing/test-server.ts'
import { median } from './measure.ts'

const agents = 8
const files = 20

export const name = '8 agents in worktrees at once'
export const bar = 'no file of another changed; an answer in the main folder at most 3 times as slow'

export async function run(): Promise<{ value: string; ok: boolean; detail: string }> {
  const root = makeRepository()
  const server = await testServer({ workspace: root, env: { PATH: process.env['PATH'] }, allowBypass: true })
  try {
    await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
    const quiet = await answerMs(server, 'quiet')
    const made = await Promise.all(Array.from({ length: agents }, () => create(server)))
    const working = made.map(({ path: folder }, i) => work(server, folder, i))
    const busy = await answerMs(server, 'busy')
    await Promise.all(working)
    const strangers = made.reduce((total, { path: folder }, i) => total + foreign(folder, i), 0)
    const missing = made.reduce((total, { path: folder }) => total + (files - written(folder).length), 0)
    const touched = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
    return {
      value: `${strangers} files`,
      ok: strangers === 0 && missing === 0 && touched === '' && busy <= quiet * 3 + 50,
      detail: `${missing} missing, main folder ${touched === '' ? 'unchanged' : 'changed'}, answer there ${quiet.toFixed(0)} ms alone, ${busy.toFixed(0)} ms meanwhile`,
    }
  } finally {
    await server.close()
    rmSync(root, { recursive: true, force: true })
  }
}

type Bench = Awaited<ReturnType<typeof testServer>>

function makeRepository(): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-bench-')))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: root })
  git('init', '-q', '-b', 'main')
  for (let i = 0; i < 500; i++) writeFileSync(path.join(root, `file-${i}.txt`), `${i}\n`)
  git('add', '-A')
  git('commit', '-qm', 'first')
  return root
}

async function create(server: Bench): Promise<Worktree> {
  return (await server.json<{ worktree: Worktree }>('/ai/worktrees', { body: {} })).body.worktree
}

/** Writes its number into files of the same names as all others. */
async function work(server: Bench, folder: string, i: number): Promise<void> {
  const calls = Array.from({ length: files }, (_, n) => [
    { call: { name: 'Write', input: { file_path: `out-${n}.txt`, content: `${i}\n` } } },
  ])
  server.script(`work ${i}`, [...calls, [{ text: 'done' }]])
  await server.chat(`work-${i}`, `work ${i}`, { workspace: folder, mode: 'bypass' })
  await server.runs.get(`work-${i}`)?.done
}

async function answerMs(server: Bench, id: string): Promise<number> {
  const taken: number[] = []
  for (let i = 0; i < 7; i++) {
    const since = performance.now()
    await server.chat(`${id}-${i}`, 'hello')
    taken.push(performance.now() - since)
  }
  return median(taken)
}

function written(folder: string): string[] {
  return readdirSync(folder).filter((file) => file.startsWith('out-'))
}

function foreign(folder: string, i: number): number {
  return written(folder).filter((file) => readFileSync(path.join(folder, file), 'utf8') !== `${i}\n`).length
}
