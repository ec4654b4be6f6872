import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()
const put = (name: string, content: string): void => {
  const file = path.join(place.folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
}
const skill = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\nDo ${name}.`

describe('troupe skills', () => {
  test('lists skills, overridden skills and problems', async () => {
    put('.agents/skills/pdf/SKILL.md', skill('pdf'))
    put('home/skills/pdf/SKILL.md', skill('pdf'))
    put('home/skills/bad/SKILL.md', skill('good'))
    const { code, stdout, stderr } = await troupe(place, ['skills'])
    expect(code).toBe(0)
    expect(stdout).toBe(
      [
        'pdf: About pdf.',
        `  home, ${path.join(place.folder, 'home/skills/pdf/SKILL.md')}`,
        `  overrides ${path.join(place.folder, '.agents/skills/pdf/SKILL.md')}`,
        '1 skill, 1 problem',
        '',
      ].join('\n'),
    )
    expect(stderr).toContain('bad/SKILL.md, line 2: it is named "good", but its folder is "bad"')
    const { stdout: json } = await troupe(place, ['skills', '--json'])
    expect(JSON.parse(json)).toMatchObject({ skills: [{ name: 'pdf' }], problems: [{ line: 2 }] })
  })

  test('shows the skills in an archive, and imports them with --trust', async () => {
    put('repo/skills/pdf/SKILL.md', skill('pdf'))
    put('repo/skills/pdf/notes.md', 'x')
    const shown = await troupe(place, ['skills', 'import', '../repo'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toContain('  notes.md (1 bytes)\nNothing has been imported yet.')
    expect(existsSync(path.join(place.folder, 'home/skills'))).toBe(false)
    const done = await troupe(place, ['skills', 'import', '../repo', '--trust'])
    expect(done.stdout).toContain(`imported to ${path.join(place.folder, 'home/skills/pdf')}`)
    expect(readdirSync(path.join(place.folder, 'home/imports'))).toEqual([])
    const again = await troupe(place, ['skills', 'import', '../repo', '--trust'])
    expect(again.code).toBe(1)
    expect(again.stderr).toContain('a skill "pdf" already exists')
  })

  test('reports incorrect usage', async () => {
    expect((await troupe(place, ['skills', 'import'])).code).toBe(2)
    expect((await troupe(place, ['skills', 'frobnicate'])).code).toBe(2)
    const { code, stderr } = await troupe(place, ['skills', 'import', '/nowhere/at/all'])
    expect([code, stderr]).toEqual([1, 'troupe: /nowhere/at/all does not exist.\n'])
  })
})

test('a hint for the user is printed to stderr, not in the answer', async () => {
  const { code, stdout, stderr } = await troupe(place, ['-p', 'use /skill/none'])
  expect(code).toBe(0)
  expect(stdout).not.toContain('There is no skill')
  expect(stderr).toContain('There is no skill "none".')
  const { stdout: json, stderr: quiet } = await troupe(place, ['-p', '/hepl', '--output-format', 'json'])
  expect(JSON.parse(json)).toMatchObject({ error: null })
  expect(quiet).not.toContain('There is no command')
})
