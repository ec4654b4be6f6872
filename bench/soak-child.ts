import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { scriptedModel, type ScriptTurn } from '@troupe/core/testing'
import { startServer } from '@troupe/server'
import type { Figures } from './soak-process.ts'

/** The measured server. A separate process, so that files, processes and memory are its own. */
const home = mkdtempSync(path.join(tmpdir(), 'troupe-soak-'))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))
const server = await startServer({
  home,
  workspace: mkdtempSync(path.join(home, 'workspace-')),
  port: 0,
  probe: false,
  allowBypass: true,
  models: { 'soak/one-command': scriptedModel(oneCommand, options()), 'soak/tools': scriptedModel(tools, options()) },
  log: () => undefined,
  ...(process.argv[2] !== undefined && { idleMs: Number(process.argv[2]) }),
})

process.on('disconnect', () => void server.close().then(() => process.exit()))
process.on('message', () => process.send?.(figures()))
process.send?.({ port: server.port, token: server.token })

function options() {
  return { by: 'prompt', record: false } as const
}

function oneCommand(_prompt: unknown, step: number): ScriptTurn {
  return step === 0 ? [{ call: { name: 'Bash', input: { command: 'echo ready' } } }] : [{ text: 'Done.' }]
}

/** Scripts some files, searches and commands, some in the background, and a longer answer. */
function tools(_prompt: unknown, step: number): ScriptTurn {
  const name = 'file.txt'
  const turns: ScriptTurn[] = [
    [
      {
        call: {
          name: 'Bash',
          input: { command: `seq 1 200 > ${name}; cd /tmp; export A=${step}; tail -n 3 $OLDPWD/${name}` },
        },
      },
    ],
    [
      { call: { name: 'Grep', input: { pattern: '19', path: server.workspace.path } } },
      { call: { name: 'Read', input: { file_path: path.join(server.workspace.path, name) } } },
    ],
    [{ call: { name: 'Bash', input: { command: 'sleep 0.2; echo later', run_in_background: true } } }],
    [{ text: 'A sentence of an ordinary answer. '.repeat(60), chunks: 100 }],
  ]
  return turns[step] ?? [{ text: 'Done.' }]
}

function figures(): Figures {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const { size: journal } = statSync(path.join(home, 'troupe.db-wal'), { throwIfNoEntry: false }) ?? { size: 0 }
  return { files: readdirSync('/proc/self/fd').length, processes: children(), heap: heapUsed, rss, journal }
}

function children(): number {
  const parents = readdirSync('/proc').flatMap((entry) => {
    try {
      return Number.isInteger(Number(entry))
        ? readFileSync(`/proc/${entry}/stat`, 'latin1').replace(/^.*\) . /s, '')
        : []
    } catch {
      return []
    }
  })
  return parents.filter((text) => text.startsWith(`${process.pid} `)).length
}
