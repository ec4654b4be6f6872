import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cpuClock } from '../../../protocol/testing/test-effort.ts'
import { createSkillFinder, type FindSkills, readSkillBody, skillPlaces } from './find-skills.ts'

let base = ''
let find: FindSkills
const at = (...names: string[]): string => path.join(base, ...names)
const put = (name: string, content: string | Uint8Array): string => {
  mkdirSync(path.dirname(at(name)), { recursive: true })
  writeFileSync(at(name), content)
  return at(name)
}
const skill = (name: string, description = `About ${name}.`, more = ''): string =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n\nDo ${name}.\n`
const everywhere = (): ReturnType<FindSkills> =>
  find(
    skillPlaces({
      personHome: at('me'),
      troupeHome: at('me/.troupe'),
      workspace: at('work'),
      projects: [at('work/outer'), at('work/outer/inner')],
    }),
  )

beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-skills-')))
  find = createSkillFinder()
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

describe('skills on the disk', () => {
  it('are found in every place, and the nearer one wins', () => {
    const farthest = put('me/.claude/skills/pdf/SKILL.md', skill('pdf', 'home, claude'))
    const home = put('me/.agents/skills/pdf/SKILL.md', skill('pdf', 'home, agents'))
    put('me/.troupe/skills/own/SKILL.md', skill('own'))
    const workspace = put('work/.claude/skills/pdf/SKILL.md', skill('pdf', 'workspace'))
    const outer = put('work/outer/.agents/skills/pdf/SKILL.md', skill('pdf', 'outer'))
    const inner = put('work/outer/inner/.troupe/skills/pdf/SKILL.md', skill('pdf', 'inner'))
    const { skills, problems } = everywhere()
    expect(problems).toEqual([])
    expect(skills.map(({ name, description, scope }) => [name, description, scope])).toEqual([
      ['own', 'About own.', 'home'],
      ['pdf', 'inner', 'project'],
    ])
    expect(skills[1]).toMatchObject({ path: inner, shadows: [outer, workspace, home, farthest] })
  })

  it('have the fields of the format', () => {
    const more =
      'license: MIT\ncompatibility: needs git\nmetadata:\n  author: me\n  version: 2\nallowed-tools: Bash(git add:*) Read, Grep\nmodel: any\n'
    put('work/.agents/skills/commit/SKILL.md', skill('commit', 'Commits.', more))
    expect(everywhere().skills).toEqual([
      {
        name: 'commit',
        description: 'Commits.',
        path: at('work/.agents/skills/commit/SKILL.md'),
        folder: at('work/.agents/skills/commit'),
        scope: 'workspace',
        license: 'MIT',
        compatibility: 'needs git',
        metadata: { author: 'me', version: '2' },
        allowedTools: ['Bash(git add:*)', 'Read', 'Grep'],
        shadows: [],
      },
    ])
  })

  it('that changed, appeared or disappeared are noticed at the next read', () => {
    const file = put('work/.agents/skills/one/SKILL.md', skill('one', 'first'))
    expect(everywhere().skills[0]?.description).toBe('first')
    writeFileSync(file, skill('one', 'other'))
    utimesSync(file, 1, 1)
    expect(everywhere().skills[0]?.description).toBe('other')
    put('work/.agents/skills/two/SKILL.md', skill('two'))
    expect(everywhere().skills).toHaveLength(2)
    rmSync(at('work/.agents/skills/one'), { recursive: true })
    expect(everywhere().skills.map(({ name }) => name)).toEqual(['two'])
  })

  it('are read on use, without their front matter', () => {
    put('work/.agents/skills/one/SKILL.md', skill('one'))
    const [one] = everywhere().skills
    expect(readSkillBody(one!)).toBe('Do one.')
    rmSync(at('work/.agents'), { recursive: true })
    expect(() => readSkillBody(one!)).toThrow('The skill "one" no longer exists at')
  })

  it('of a project can be links inside it; those of the home can be anywhere', () => {
    put('elsewhere/far/SKILL.md', skill('far'))
    put('work/shared/near/SKILL.md', skill('near'))
    mkdirSync(at('work/.agents/skills'), { recursive: true })
    mkdirSync(at('me/.agents/skills'), { recursive: true })
    symlinkSync(at('elsewhere/far'), at('work/.agents/skills/far'))
    symlinkSync(at('work/shared/near'), at('work/.agents/skills/near'))
    expect(everywhere()).toMatchObject({
      skills: [{ name: 'near' }],
      problems: [{ message: 'it links to something outside the project' }],
    })
    symlinkSync(at('elsewhere/far'), at('me/.agents/skills/far'))
    expect(everywhere().skills.map(({ name }) => name)).toEqual(['far', 'near'])
  })
})

describe('an invalid skill file is listed with its line and reason, and the rest loads', () => {
  const laughs = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
    .split('')
    .map((key, i) => `${key}: &${key} [${`*${'abcdefghij'[i]},`.repeat(8)}*${'abcdefghij'[i]}]`)
    .join('\n')}`
  const nasty: [string, string | Uint8Array, string, number?][] = [
    ['no front matter', '# Hello', '"name" is missing', 1],
    ['nothing at all', '', '"name" is missing', 1],
    ['front matter that never ends', '---\nname: bad\n', '"name" is missing', 1],
    ['dashes within a line', '---\nname: bad\nx: a ---\n', '"name" is missing', 1],
    ['no description', '---\nname: bad\n---\nx', '"description" is missing', 1],
    ['an empty description', '---\nname: bad\ndescription: ""\n---\nx', 'description: Too small', 3],
    ['a description that is too long', skill('bad', 'x'.repeat(8193)), 'description: Too big', 3],
    ['a description that is a list', '---\nname: bad\ndescription: [a]\n---\n', 'description: Invalid input', 3],
    ['another name than its folder', skill('good'), 'it is named "good", but its folder is "bad"', 2],
    ['a name in capitals', skill('Bad'), 'name: of a-z', 2],
    ['a name with two dashes', skill('b--d'), 'name: of a-z', 2],
    ['a name that is a path', skill('../../etc'), 'name: of a-z', 2],
    ['YAML that is none', '---\nname: [bad\ndescription: x\n---\n', 'Flow sequence', 3],
    ['a key that is there twice', '---\nname: bad\nname: bad\ndescription: x\n---\n', 'Map keys must be unique', 3],
    ['a tab as indentation', '---\nmetadata:\n\ta: b\n---\n', 'Tabs are not allowed as indentation', 3],
    ['a list instead of keys', '---\n- a\n- b\n---\n', 'the front matter is not a list of keys', 2],
    ['a text instead of keys', '---\nhello\n---\n', 'the front matter is not a list of keys', 2],
    ['aliases without end', `---\n${laughs}\n---\n`, 'Excessive alias count', 1],
    ['an alias of nothing', '---\nname: *x\n---\n', 'Unresolved alias', 1],
    ['an alias of itself', '---\na: &a [*a]\nname: bad\n---\n', '"description" is missing', 1],
    ['brackets without end', `---\n${'['.repeat(10_000)}\n---\n`, ''],
    ['braces without end', `---\n${'{a: '.repeat(3000)}\n---\n`, ''],
    ['more keys than can be looked at', `---\n${'a: 1\n'.repeat(5000)}---\n`, 'the front matter is longer than'],
    ['many keys', `---\n${Array.from({ length: 1500 }, (_, i) => `k${i}: 1`).join('\n')}\n---\n`, '"name" is missing'],
    ['two documents', '---\nname: bad\n...\n---\ndescription: x\n---\n', '"description" is missing'],
    ['a tag of another language', '---\nname: !!js/function "x"\ndescription: x\n---\n', 'it is named "x"'],
    ['bytes that are no text', new Uint8Array([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]), 'it is not UTF-8 text'],
    ['zeros', `---\nname: bad\0\ndescription: x\n---\n`, ''],
    ['a rule that cannot be read', skill('bad', 'x', 'allowed-tools: "Bash(("\n'), 'allowed-tools:', 4],
    ['a file that is too long', skill('bad') + 'x'.repeat(300_000), 'it is longer than 256 KiB'],
    ['a million dashes', '-\n'.repeat(100_000), '"name" is missing'],
    ['front matter of nothing but new lines', `---\n${'\n'.repeat(16_000)}---\n`, '"name" is missing'],
    ['a prototype', '---\n__proto__: {name: bad, description: x}\n---\n', '"name" is missing'],
  ]

  it.each(nasty)('%s', (_, content, message, line) => {
    put('work/.agents/skills/good/SKILL.md', skill('good'))
    const file = put('work/.agents/skills/bad/SKILL.md', content)
    const spentMs = cpuClock()
    const { skills, problems } = everywhere()
    expect(spentMs()).toBeLessThan(1000)
    expect(skills.map(({ name }) => name)).toEqual(['good'])
    expect(problems).toEqual([
      {
        path: file,
        message: expect.stringContaining(message),
        ...(problems[0]?.line !== undefined && { line: expect.any(Number) }),
      },
    ])
    if (line !== undefined) expect(problems[0]?.line).toBe(line)
  })

  it('a folder where the file should be', () => {
    mkdirSync(at('work/.agents/skills/bad/SKILL.md'), { recursive: true })
    expect(everywhere().problems).toEqual([
      { path: at('work/.agents/skills/bad/SKILL.md'), message: 'it is not a file' },
    ])
  })
})
