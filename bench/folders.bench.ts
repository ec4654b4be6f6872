import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { start } from './scale.bench.ts'

const count = 20
const reads = ['sessions', 'agents', 'tools', 'rules', 'skills', 'mcp', 'commands', 'asks']

const idle = {
  name: `memory of the server: ${count} folders open, each trusted and with a chat, idle`,
  bar: '<= 5 MB each',
  async run() {
    const base = mkdtempSync(path.join(tmpdir(), 'troupe-bench-folders-'))
    const folders = Array.from({ length: count + 1 }, (_, i) => path.join(base, `folder-${i}`))
    for (const folder of folders) fill(folder)
    const [own = '', ...others] = folders
    const running = await start(path.join(base, 'home'), own)
    const use = async (folder: string): Promise<void> => {
      const scope = `?workspace=${encodeURIComponent(folder)}`
      const body = JSON.stringify({ path: folder })
      await (await running.request('/ai/workspaces', { method: 'POST', body })).text()
      const trust = { method: 'PATCH', body: '{"trusted":true}' }
      await (await running.request(`/ai/workspace${scope}`, trust)).text()
      for (const name of reads) await (await running.request(`/ai/${name}${scope}`)).text()
      const message = { id: `m-${path.basename(folder)}`, role: 'user', parts: [{ type: 'text', text: 'repeat: hi' }] }
      const chat = { sessionId: `s-${path.basename(folder)}`, message, workspace: folder }
      await (await running.request('/ai/chat', { method: 'POST', body: JSON.stringify(chat) })).text()
    }
    try {
      // Used several times first, so that what the code itself needs does not count.
      for (let round = 0; round < 3; round++) await use(own)
      await delay(3000)
      const before = running.rssMb()
      for (const folder of others) await use(folder)
      await delay(5000)
      const each = (running.rssMb() - before) / count
      return {
        value: `${each.toFixed(1)} MB each`,
        ok: each <= 5,
        detail: `${before.toFixed(0)} MB with one folder, ${running.rssMb().toFixed(0)} MB with ${count + 1}`,
      }
    } finally {
      await running.stop()
      rmSync(base, { recursive: true, force: true })
    }
  },
}

export const benches = [idle]

function fill(folder: string): void {
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
  write('AGENTS.md', 'Write short sentences.\n')
  write('.troupe/config.json', '{ "permissions": { "allow": ["Bash(npm test)"] } }\n')
  write('.troupe/agents/reviewer.md', '---\ndescription: Reviews.\n---\n\nYou review changes.\n')
  write('.agents/skills/release/SKILL.md', '---\nname: release\ndescription: Releases.\n---\nTag it.\n')
}
