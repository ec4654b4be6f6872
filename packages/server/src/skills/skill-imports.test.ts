import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSkillImports } from './skill-imports.ts'

test('unpacked files of a killed process are deleted at a start on another day, and recent ones are kept', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'troupe-skill-imports-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const put = (name: string): void => {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
    writeFileSync(path.join(home, name), '---\nname: pdf\ndescription: About pdf.\n---\nDo pdf.')
  }
  put('source/pdf/SKILL.md')
  const killed = createSkillImports(home)
  await killed.stage(path.join(home, 'source'))
  await killed.stage(path.join(home, 'source'))
  const imports = path.join(home, 'imports')
  const [old = '', young = ''] = readdirSync(imports)
  const daysAgo = Date.now() / 1000 - 2 * 86_400
  utimesSync(path.join(imports, old), daysAgo, daysAgo)
  createSkillImports(home)
  expect(readdirSync(imports)).toEqual([young])
})
