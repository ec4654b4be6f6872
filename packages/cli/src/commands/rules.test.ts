import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { firstLine, serveHere, start, troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()
const home = (name: string): string => path.join(place.folder, 'home', name)
const work = (...names: string[]): string => path.join(place.folder, 'work', ...names)
const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))

const explain = async (lines: unknown[], flags: string[] = []): Promise<Record<string, unknown>[]> => {
  const input = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
  const { stdout, code } = await troupe(place, ['rules', 'explain', '--jsonl', ...flags], { input })
  expect(code).toBe(0)
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
const bash = (command: string): object => ({ tool: 'Bash', input: { command } })

describe('troupe rules', () => {
  it('adds, lists and removes rules in their files', async () => {
    expect((await troupe(place, ['rules', 'add', 'Bash(npm test)'])).code).toBe(0)
    expect((await troupe(place, ['rules', 'add', '--deny', '--project', 'Read(.env)'])).code).toBe(0)
    expect(json(home('config.json'))).toEqual({ permissions: { allow: ['Bash(npm test)'] } })
    expect(json(home('rules.json'))).toEqual({ [work()]: { deny: ['Read(.env)'] } })
    const listed = await troupe(place, ['rules'])
    expect(listed.stdout).toMatch(/allow {2}Bash\(npm test\) +user, .*config\.json/)
    expect(listed.stdout).toMatch(/deny {3}Read\(\.env\) +project, .*rules\.json/)
    const asJson = JSON.parse((await troupe(place, ['rules', 'list', '--json'])).stdout) as { rules: object[] }
    expect(asJson.rules).toHaveLength(2)
    const removed = await troupe(place, ['rules', 'remove', 'Read(.env)'])
    expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining('removed: deny Read(.env)')])
    expect(json(home('rules.json'))).toEqual({ [work()]: { deny: [] } })
  })

  it('explains an invalid rule, and a rule that cannot be removed', async () => {
    const bad = await troupe(place, ['rules', 'add', 'Bash('])
    expect(bad.code).toBe(1)
    expect(bad.stderr).toMatch(/^troupe: .+\n$/)
    const missing = await troupe(place, ['rules', 'remove', 'Bash'])
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('there is no rule "Bash"')])
    for (const args of [['frobnicate'], ['add'], ['add', 'A', 'B'], ['add', '--deny', '--ask', 'Bash'], ['list', 'x']])
      expect((await troupe(place, ['rules', ...args])).code).toBe(2)
  })

  it('tests a rule on the calls of this folder, through the running server', async () => {
    await serveHere(place)
    const { stdout } = await troupe(place, ['rules', 'test', 'Bash(git *)'])
    expect(stdout).toContain('The last 0 tool calls in this folder')
    const sessionless = await troupe(place, ['rules', 'add', '--session', 'nobody', 'Bash'])
    expect([sessionless.code, sessionless.stderr]).toEqual([1, expect.stringContaining('no chat "nobody"')])
  })
})

describe('troupe rules explain --jsonl', () => {
  it('answers each call with decision, reason and rule; invalid lines are reported and skipped', async () => {
    mkdirSync(home(''), { recursive: true })
    writeFileSync(home('config.json'), JSON.stringify({ permissions: { allow: ['Bash(npm test)'] } }))
    const found = await explain([
      bash('npm test'),
      'not json',
      '',
      '[]',
      { tool: 7 },
      bash('rm -rf /'),
      bash('npm run x'),
    ])
    expect(found).toEqual([
      { decision: 'allow', reason: expect.any(String) as string, rule: 'Bash(npm test)' },
      { error: expect.stringContaining('not JSON') as string },
      { error: expect.stringContaining('not a tool call') as string },
      { error: expect.stringContaining('not a tool call') as string },
      { decision: 'deny', reason: expect.any(String) as string, rule: null },
      { decision: 'ask', reason: expect.any(String) as string, rule: null },
    ])
  })

  it('applies other rules, modes and sandboxes', async () => {
    const decisions = async (flags: string[]): Promise<unknown[]> =>
      (
        await explain(
          [bash('npm run x'), bash('git status'), { tool: 'Write', input: { file_path: work('a'), content: '' } }],
          flags,
        )
      ).map(({ decision }) => decision)
    expect(await decisions(['--no-sandbox'])).toEqual(['ask', expect.any(String), 'ask'])
    expect(await decisions(['--no-sandbox', '--allow', 'Bash(npm run *)'])).toEqual([
      'allow',
      expect.any(String),
      'ask',
    ])
    // Without a sandbox nothing prevents a program from editing.
    expect(await decisions(['--no-sandbox', '--allow', 'Bash(npm run *)', '--deny', 'Edit'])).toEqual([
      'ask',
      expect.any(String),
      'deny',
    ])
    expect(await decisions(['--no-sandbox', '--allow', 'Bash(npm *)', '--ask', 'Bash(npm run x)'])).toEqual([
      'ask',
      expect.any(String),
      'ask',
    ])
    expect(await decisions(['--mode', 'accept-edits', '--no-sandbox'])).toEqual(['ask', expect.any(String), 'allow'])
    expect(await decisions(['--mode', 'accept-edits', '--sandbox'])).toEqual(['allow', 'allow', 'allow'])
    expect(await decisions(['--mode', 'plan', '--sandbox'])).toEqual(['deny', 'allow', 'deny'])
    expect(await decisions(['--mode', 'bypass'])).toEqual(['allow', 'allow', 'allow'])
  })

  it('reads the project’s rules only if the user trusts it, even while a server runs', async () => {
    mkdirSync(work('.troupe'))
    writeFileSync(work('.troupe', 'config.json'), JSON.stringify({ permissions: { allow: ['Bash(make)'] } }))
    expect(await explain([bash('make')], ['--no-sandbox'])).toMatchObject([{ decision: 'ask' }])
    await serveHere(place)
    expect((await troupe(place, ['trust'])).stdout).toContain('its rule: allow Bash(make)')
    expect(await explain([bash('make')], ['--no-sandbox'])).toMatchObject([{ decision: 'allow', rule: 'Bash(make)' }])
  })

  it('explains one command to a person', async () => {
    const { stdout, code } = await troupe(place, ['rules', 'explain', '--no-sandbox', 'npm test'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ask: /)
    expect(stdout).toContain('To stop asking, allow: Bash(npm test)')
  })

  it('rejects an invalid mode or rule', async () => {
    for (const flags of [
      ['--mode', 'yolo'],
      ['--allow', 'Bash('],
    ]) {
      const { code, stderr } = await troupe(place, ['rules', 'explain', '--jsonl', ...flags])
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^troupe: .+\n$/)])
    }
    expect((await troupe(place, ['rules', 'explain'])).code).toBe(2)
  })
})

describe('permissions of a run', () => {
  it('are set with -p: rules for this run only, and its mode', async () => {
    const prompt = ['-p', 'Run two commands', '--output-format', 'stream-json']
    expect((await troupe(place, prompt)).stdout).toContain('"tool-output-denied"')
    const allowed = await troupe(place, [...prompt, '--allow', 'Bash'])
    expect(allowed.stdout).not.toContain('"tool-output-denied"')
    const forbidden = await troupe(place, [...prompt, '--allow', 'Bash', '--deny', 'Bash'])
    expect(forbidden.stdout).toContain('"tool-output-denied"')
    const planned = await troupe(place, ['-p', 'hello', '--mode', 'plan', '--output-format', 'json'])
    const { sessionId } = JSON.parse(planned.stdout) as { sessionId: string }
    expect(json(home(`sessions/${sessionId}/session.json`))).toMatchObject({ mode: 'plan' })
    expect((await troupe(place, [...prompt, '--mode', 'bypass', '--allow-bypass'])).stdout).not.toContain(
      'output-denied',
    )
    for (const [flag, value] of [
      ['--mode', 'yolo'],
      ['--mode', 'bypass'],
      ['--allow', 'Bash('],
    ] as const) {
      const refused = await troupe(place, ['-p', 'hello', flag, value])
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^troupe: .+\n$/)])
    }
    const misplaced = await troupe(place, ['--mode', 'plan'])
    expect([misplaced.code, misplaced.stderr]).toEqual([2, expect.stringContaining('--mode requires -p')])
  })

  it('a server that allows bypass prints a warning', async () => {
    const child = start(place, ['serve', '--json', '--port', '0', '--allow-bypass'])
    const told = firstMatch(child.stderr, /BYPASS IS ALLOWED/)
    const { url, port } = JSON.parse(await firstLine(child.stdout)) as { url: string; port: number }
    expect(url).toContain(String(port))
    expect(await told).toContain('never ask for approval')
    const { stdout } = await troupe(place, ['-p', 'Ask me for approval', '--mode', 'bypass', '--output-format', 'json'])
    expect(stdout).toContain('"sessionId"')
  })
})

async function firstMatch(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  for await (const line of createInterface({ input: stream })) if (pattern.test(line)) return line
  return 'it was not said'
}
