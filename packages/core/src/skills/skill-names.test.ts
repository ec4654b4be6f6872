import { expect, it } from 'vitest'
import { findSkill, skillNames } from './find-skills.ts'

it.each([
  ['/skill/pdf', ['pdf']],
  ['use /skill/pdf and (/skill/web-search), then /skill/pdf again.', ['pdf', 'web-search']],
  ['/skill/[pdf|Reading PDF files] please', ['pdf']],
  ['/skill/[pdf]/skill/web', ['pdf', 'web']],
  ['/Skill/PDF', ['pdf']],
  ['用/skill/pdf做', ['pdf']],
  ['see https://example.org/skill/pdf', []],
  ['./skill/pdf and a/skill/pdf and /skill/pdf/SKILL.md', []],
  ['/skill/ and /skills/pdf', []],
  ['/skill/z /skill/a', ['z', 'a']],
])('%j names %j', (text, names) => {
  expect(skillNames(text)).toEqual(names)
})

it('finds a skill with or without "-skill" at its end, the exact name first', () => {
  const skills = [{ name: 'pdf-skill' }, { name: 'web' }, { name: 'web-skill' }]
  expect(findSkill('pdf', skills)?.name).toBe('pdf-skill')
  expect(findSkill('web', skills)?.name).toBe('web')
  expect(findSkill('web-skill', skills)?.name).toBe('web-skill')
  expect(findSkill('we', skills)).toBeUndefined()
})
