import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createSkillFinder, skillList } from '@troupe/core'
import { median } from './measure.ts'

const count = 500

/** Creates 500 skills in one folder, each with all fields of the format and 4 KB of text. */
function makeSkills(): string {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-bench-')))
  process.once('exit', () => rmSync(base, { recursive: true, force: true }))
  for (let i = 0; i < count; i++) {
    const name = `skill-${i}`
    mkdirSync(path.join(base, name))
    const description = `What it is for and when to use it, number ${i}. `.repeat(4).trim()
    const head = `name: ${name}\ndescription: ${description}\nlicense: MIT\nmetadata:\n  author: bench\nallowed-tools: Read Bash(git:*)`
    writeFileSync(path.join(base, name, 'SKILL.md'), `---\n${head}\n---\n\n${'Do this, then that. '.repeat(200)}`)
  }
  return base
}

/** Measures CPU time, to exclude other load. */
function timed(work: () => unknown): number {
  const begun = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}

export const name = '500 skills on disk'
export const bar = 'first look at most 150 ms of CPU, list at most 4,000 tokens'

export async function run(): Promise<{ value: string; ok: boolean; detail: string }> {
  const places = [{ folder: makeSkills(), scope: 'home' as const }]
  // Cold run: nothing is compiled yet, as at program start.
  const find = createSkillFinder()
  const cold = timed(() => find(places))
  const warm = median(Array.from({ length: 5 }, () => timed(() => createSkillFinder()(places))))
  const again = median(Array.from({ length: 20 }, () => timed(() => find(places))))
  const tokens = skillList(find(places).skills).length / 4
  return {
    value: `${cold.toFixed(0)} ms`,
    ok: cold <= 150 && tokens <= 4000,
    detail: `read anew ${warm.toFixed(0)} ms, nothing changed ${again.toFixed(1)} ms, list ${Math.round(tokens)} tokens`,
  }
}
