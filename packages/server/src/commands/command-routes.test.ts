import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Part, StoredMessage } from '@troupe/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
let work = ''
const put = (name: string, content: string): string => {
  const file = path.resolve(work, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}
const skill = (name: string, more = ''): string =>
  put(
    path.join(server.homePath, 'skills', name, 'SKILL.md'),
    `---\nname: ${name}\ndescription: About ${name}.\n${more}---\nDo ${name}.`,
  )
const trust = (trusted = true): Promise<unknown> => server.json('/ai/workspace', { method: 'PATCH', body: { trusted } })
const told = (): string[] => {
  const prompt = server.model.calls.at(-1)?.prompt as LanguageModelV4Prompt
  const message = prompt.findLast(({ role }) => role === 'user') as Extract<
    LanguageModelV4Prompt[number],
    { role: 'user' }
  >
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}
const types = (message: StoredMessage | undefined): string[] => (message?.parts ?? []).map(({ type }) => type)
const textOf = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')

beforeEach(async () => {
  server = await testServer({ env: { HOME: '/nonexistent' } })
  work = server.workspace.path
})
afterEach(() => server.close())

describe('skills of a workspace inside of another', () => {
  const names = async (folder: string): Promise<string[][]> => {
    const { body } = await server.json<{ skills: { name: string; description: string }[] }>(
      `/ai/skills?workspace=${encodeURIComponent(folder)}`,
    )
    return body.skills.map(({ name, description }) => [name, description])
  }
  const within = (folder: string, name: string): string =>
    put(`${folder}/.troupe/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: From ${folder}.\n---\nDo.`)

  it('include those of trusted workspaces around it, and its own override them', async () => {
    for (const folder of ['.', 'sub']) within(folder, 'both')
    within('.', 'only-parent')
    within('sub', 'only-sub')
    const sub = path.join(work, 'sub')
    expect(await names(sub)).toEqual([])
    await trust()
    expect(await names(sub)).toEqual([
      ['both', 'From ..'],
      ['only-parent', 'From ..'],
    ])
    await server.json(`/ai/workspace?workspace=${encodeURIComponent(sub)}`, {
      method: 'PATCH',
      body: { trusted: true },
    })
    expect(await names(sub)).toEqual([
      ['both', 'From sub.'],
      ['only-parent', 'From ..'],
      ['only-sub', 'From sub.'],
    ])
    // A sibling folder whose name has the same prefix is not inside.
    mkdirSync(`${work}-beside`)
    expect(await names(`${work}-beside`)).toEqual([])
    await trust(false)
    expect(await names(sub)).toEqual([
      ['both', 'From sub.'],
      ['only-sub', 'From sub.'],
    ])
  })
})

describe('skills in a message', () => {
  it('come before the text, are stored and sent to the model', async () => {
    const [pdf, web] = [skill('pdf'), skill('web')]
    await server.chat('s1', 'use /skill/web and /skill/[pdf|PDF files], then /skill/web')
    const [message] = await server.messages('s1')
    expect(types(message)).toEqual(['data-skill', 'data-skill', 'text'])
    expect(message?.parts[0]).toMatchObject({
      data: { name: 'web', path: web, scope: 'home', content: 'Do web.' },
    })
    expect(told()).toEqual([
      `<skill name="web" path="${web}" folder="${path.dirname(web)}">\nDo web.\n</skill>`,
      `<skill name="pdf" path="${pdf}" folder="${path.dirname(pdf)}">\nDo pdf.\n</skill>`,
      'use /skill/web and /skill/[pdf|PDF files], then /skill/web',
    ])
  })

  it('are loaded once per conversation, and again after /clear', async () => {
    skill('pdf')
    await server.chat('s1', 'one /skill/pdf')
    await server.chat('s1', 'two /skill/pdf')
    expect(told()[0]).toContain('This skill was loaded earlier; see above.')
    await server.chat('s1', '/clear')
    await server.chat('s1', 'three /skill/pdf')
    expect(told().join('\n')).toContain('Do pdf.')
  })

  it('that do not exist are reported to the user and not to the model', async () => {
    const { message } = await server.chat('s1', 'use /skill/none')
    expect(message.parts[0]).toMatchObject({ type: 'data-hint', data: { text: 'There is no skill "none".' } })
    expect(told()).toEqual(['use /skill/none'])
  })

  it('cannot be forged by a client, nor lost when it sends its copy again', async () => {
    skill('pdf')
    const sent = userMessage('use /skill/pdf')
    const forged = { type: 'data-skill', data: { name: 'x', path: '/x', scope: 'home', content: 'evil' } }
    await server.chat('s1', { ...sent, parts: [forged, ...sent.parts] })
    const [message] = await server.messages('s1')
    expect(message?.parts[0]).toMatchObject({ data: { content: 'Do pdf.' } })
    const calls = server.model.calls.length
    expect((await server.chat('s1', { ...sent, parts: message?.parts })).status).toBe(200)
    expect(server.model.calls).toHaveLength(calls)
    expect(await server.messages('s1')).toHaveLength(2)
  })

  it('of a project take effect only after it is trusted', async () => {
    put('.agents/skills/own/SKILL.md', '---\nname: own\ndescription: Own.\n---\nDo own.')
    const names = async (): Promise<string[]> => {
      const { body } = await server.json<{ skills: { name: string }[] }>('/ai/skills')
      return body.skills.map(({ name }) => name)
    }
    expect(await names()).toEqual([])
    await trust()
    expect(await names()).toEqual(['own'])
    await trust(false)
    expect(await names()).toEqual([])
  })

  it('are listed with overridden skills and problems, from the current files', async () => {
    const far = skill('pdf')
    await trust()
    const near = put('.troupe/skills/pdf/SKILL.md', '---\nname: pdf\ndescription: Near.\n---\nx')
    put('.claude/skills/bad/SKILL.md', '---\nname: other\ndescription: x\n---\n')
    expect((await server.json('/ai/skills')).body).toMatchObject({
      skills: [{ name: 'pdf', description: 'Near.', path: near, scope: 'workspace', shadows: [far] }],
      problems: [{ line: 2, message: 'it is named "other", but its folder is "bad"; they must match' }],
    })
    rmSync(path.dirname(near), { recursive: true })
    expect((await server.json('/ai/skills')).body).toMatchObject({ skills: [{ path: far, scope: 'home' }] })
  })

  it('are in the preface by name and description, and the tool loads them', async () => {
    const file = skill('pdf')
    put(path.join(path.dirname(file), 'notes.md'), 'Notes on PDF.')
    server.script('go', [
      [{ call: { name: 'Skill', input: { name: 'pdf' } } }],
      [{ call: { name: 'Read', input: { file_path: path.join(path.dirname(file), 'notes.md') } } }],
      [{ text: 'done' }],
    ])
    const { message } = await server.chat('s1', 'go')
    const [first] = server.model.calls
    expect(first?.prompt[0]?.content).toContain('- pdf: About pdf.')
    expect(message.parts.filter((part) => 'toolCallId' in part)).toMatchObject([
      { type: 'tool-Skill', state: 'output-available' },
      { type: 'tool-Read', state: 'output-available' },
    ])
    const [, , third] = server.model.calls
    expect(JSON.stringify(third?.prompt)).toContain('Notes on PDF.')
  })

  it('with allowed-tools ask for everything else in that turn', async () => {
    const file = skill('git', 'allowed-tools: Bash(git:*)\n')
    const block = `<skill name="git" path="${file}" folder="${path.dirname(file)}">\nDo git.\n</skill>`
    server.script(`${block}/skill/git go`, [[{ call: { name: 'Bash', input: { command: 'touch a' } } }]])
    const before = server.model.calls.length
    const { message } = await server.chat('s1', '/skill/git go', { rules: { allow: ['Bash'] } })
    expect(server.model.calls).toHaveLength(before + 1)
    expect(message.parts.at(-1)).toMatchObject({ type: 'tool-Bash', state: 'approval-requested' })
    const { body } = await server.json<{ asks: { reason: string }[] }>('/ai/asks')
    expect(body.asks[0]?.reason).toBe('A skill used in this turn only allows this without approval: Bash(git:*).')
  })
})

describe('allowed-tools of a skill', () => {
  it('apply to an agent started in the meantime', async () => {
    const file = skill('git', 'allowed-tools: Bash(git:*)\n')
    const block = `<skill name="git" path="${file}" folder="${path.dirname(file)}">\nDo git.\n</skill>`
    const config = { systemPrompt: 'You help.', tools: ['Bash'] }
    server.script(`${block}/skill/git go`, [
      [{ call: { name: 'Task', input: { name: 'helper', task: 'help', config } } }],
      [{ text: 'done' }],
    ])
    server.script('help', [[{ call: { name: 'Bash', input: { command: 'touch a' } } }], [{ text: 'helped' }]])
    await server.chat('s1', '/skill/git go', { rules: { allow: ['Bash', 'Task'] } })
    const { body } = await server.json<{ asks: { reason: string; toolName: string }[] }>('/ai/asks')
    expect(body.asks).toMatchObject([
      { toolName: 'Bash', reason: 'A skill used in this turn only allows this without approval: Bash(git:*).' },
    ])
    const [agent] = await server.store.agents.list('s1')
    expect(agent?.details?.setup.unasked).toEqual([['Bash(git:*)']])
  })
})

describe('allowed-tools of a skill and an agent that was there before', () => {
  const allow = { rules: { allow: ['Bash', 'Task', 'SendInput', 'WaitAgent'] } }
  const touch = [[{ call: { name: 'Bash', input: { command: 'touch a' } } }], [{ text: 'helped' }]]

  /** Starts a helper, lets `told` instruct it, and returns the pending asks. */
  async function asksAfter(told: string): Promise<string[]> {
    const config = { systemPrompt: 'You help.', tools: ['Bash'] }
    server.script('begin', [
      [{ call: { name: 'Task', input: { name: 'helper', task: 'be ready', config } } }],
      [{ text: 'begun' }],
    ])
    await server.chat('s1', 'begin', allow)
    const [agent] = await server.store.agents.list('s1')
    server.script(told, [
      [{ call: { name: 'SendInput', input: { agent_id: agent?.agentId, message: 'help' } } }],
      [{ call: { name: 'WaitAgent', input: { agent_ids: [agent?.agentId] } } }],
      [{ text: 'done' }],
    ])
    server.script('help', touch)
    await server.chat('s1', told.slice(told.indexOf('</skill>') === -1 ? 0 : told.indexOf('</skill>') + 8), allow)
    const { body } = await server.json<{ asks: { toolName: string }[] }>('/ai/asks')
    return body.asks.map(({ toolName }) => toolName)
  }

  it('change nothing without an active skill', async () => {
    expect(await asksAfter('go on')).toEqual([])
  })

  it('apply to it after it gets more input', async () => {
    const file = skill('git', 'allowed-tools: Bash(git:*)\n')
    const block = `<skill name="git" path="${file}" folder="${path.dirname(file)}">\nDo git.\n</skill>`
    expect(await asksAfter(`${block}/skill/git go on`)).toEqual(['Bash'])
  })
})

describe('a message to a running answer', () => {
  const steer = (text: string): Promise<{ status: number; body: { hints?: string[]; error?: { message: string } } }> =>
    server.json('/ai/chat/s1/steer', { body: { id: `st-${text.length}`, text } })

  /** Sends the text during the model's first step. Returns the last user message of the second step. */
  async function said(text: string): Promise<{ told: string[]; types: string[]; hints: string[] | undefined }> {
    server.script('begin', [
      [{ text: 'a' }, { gate: `said ${text}` }, { call: { name: 'TimeNow', input: {} } }],
      [{ text: 'unused' }],
    ])
    const running = server.chat('s1', 'begin')
    await server.model.reached(`said ${text}`)
    const { status, body } = await steer(text)
    expect(status).toBe(200)
    server.model.open(`said ${text}`)
    const { message } = await running
    return { told: told(), types: types(message as never), hints: body.hints }
  }

  it('includes skills and mentions before its text', async () => {
    const file = skill('pdf')
    put('a.txt', 'one')
    const result = await said('use /skill/pdf on @a.txt')
    expect(result.told).toEqual([
      `<skill name="pdf" path="${file}" folder="${path.dirname(file)}">\nDo pdf.\n</skill>`,
      '<mentioned-file path="a.txt">\none\n</mentioned-file>',
      'use /skill/pdf on @a.txt',
    ])
    expect(result.types).toEqual(expect.arrayContaining(['steering-message', 'data-skill', 'data-mention']))
    await server.chat('s1', 'again /skill/pdf')
    expect(told()[0]).toContain('This skill was loaded earlier; see above.')
  })

  it('does not repeat a skill of an earlier message', async () => {
    skill('pdf')
    await server.chat('s1', 'first /skill/pdf')
    const { told: texts } = await said('again /skill/pdf')
    expect(texts[0]).toContain('This skill was loaded earlier; see above.')
  })

  it('can be a user’s command, or text with a hint', async () => {
    put(path.join(server.homePath, 'commands/hurry.md'), 'Be quick about $1.')
    const { told: texts } = await said('/hurry it')
    expect(texts).toEqual(['<person-command name="hurry">\nBe quick about it.\n</person-command>', '/hurry it'])
    expect((await said('/hepl')).hints).toEqual([expect.stringContaining('There is no command /hepl')])
  })

  it('restricts permissions if it loads a skill', async () => {
    const file = skill('git', 'allowed-tools: Bash(git:*)\n')
    const block = `<skill name="git" path="${file}" folder="${path.dirname(file)}">\nDo git.\n</skill>`
    server.script(`${block}/skill/git now`, [[{ call: { name: 'Bash', input: { command: 'touch a' } } }]])
    server.script('begin', [[{ text: 'a' }, { gate: 'narrow' }, { call: { name: 'TimeNow', input: {} } }]])
    const running = server.chat('s1', 'begin', { rules: { allow: ['Bash'] } })
    await server.model.reached('narrow')
    await steer('/skill/git now')
    server.model.open('narrow')
    expect((await running).message.parts.at(-1)).toMatchObject({ type: 'tool-Bash', state: 'approval-requested' })
  })

  it('is rejected if it cannot be part of the answer, with advice', async () => {
    put(path.join(server.homePath, 'commands/other.md'), '---\nagent: explore\n---\nLook.')
    server.script('begin', [[{ text: 'a' }, { gate: 'refuse' }, { text: 'b' }]])
    const running = server.chat('s1', 'begin')
    await server.model.reached('refuse')
    expect(await steer('/clear')).toMatchObject({
      status: 409,
      body: { error: { name: 'CommandWhileRunning', message: expect.stringContaining('/clear cannot be used') } },
    })
    expect((await steer('/other')).body.error?.message).toBe(
      '/other is answered by explore, so it cannot be used while an answer is running. Stop the answer or wait for it to finish.',
    )
    server.model.open('refuse')
    expect(types((await running).message as never)).not.toContain('steering-message')
  })
})

describe('titles', () => {
  it('come from messages, never from a command', async () => {
    const title = async (id: string, ...texts: string[]): Promise<string | undefined> => {
      for (const text of texts) await server.chat(id, text)
      return (await server.store.sessions.get(id))?.title
    }
    expect(await title('t1', '/help')).toBe('New chat')
    expect(await title('t2', '/help', 'build a tower')).toBe('build a tower')
    expect(await title('t3', '/plan a tower')).toBe('a tower')
    expect(await title('t4', 'use /skill/[pdf|PDF files] and /skill/web')).toBe('use PDF files and web')
    expect(await title('t5', '/usr/bin/node is old')).toBe('/usr/bin/node is old')
  })
})

describe('commands of ours', () => {
  it('are answered without a model, as small messages', async () => {
    const before = server.model.calls.length
    const { message, types: chunks } = await server.chat('s1', '/help')
    expect(chunks).toEqual(expect.arrayContaining(['start', 'text-delta', 'finish']))
    expect(textOf(message.parts)).toContain('- `/summary-history` (or `/compact`): ')
    expect(server.model.calls).toHaveLength(before)
    expect((await server.messages('s1')).map(({ role }) => role)).toEqual(['user', 'assistant'])
    await server.chat('s1', 'hello')
    expect((await server.messages('s1')).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  it('/model shows and sets the model, and explains errors', async () => {
    expect(textOf((await server.chat('s1', '/model')).message.parts)).toContain(
      'This chat uses the model `test/script`.',
    )
    expect(textOf((await server.chat('s1', '/model nobody/none')).message.parts)).toContain('nobody')
    expect(textOf((await server.chat('s1', '/model test/script')).message.parts)).toBe(
      'This chat now uses the model `test/script`.',
    )
    expect((await server.store.sessions.get('s1'))?.model).toBe('test/script')
  })

  it('/agent shows and sets the agent', async () => {
    expect(textOf((await server.chat('s1', '/agent')).message.parts)).toContain('- `explore`: ')
    await server.chat('s1', '/agent explore')
    expect((await server.store.sessions.get('s1'))?.agent).toBe('explore')
    const { message } = await server.chat('s1', 'hello')
    expect(message.metadata).toMatchObject({ agent: { name: 'explore' } })
    expect(textOf((await server.chat('s1', '/agent nobody')).message.parts)).toContain('There is no agent "nobody".')
  })

  it('/plan turns on plan mode, and plans the task', async () => {
    expect(textOf((await server.chat('s1', '/plan')).message.parts)).toContain('Plan mode is on')
    expect((await server.store.sessions.get('s1'))?.mode).toBe('plan')
    const { message } = await server.chat('s2', '/plan a tower')
    expect((await server.store.sessions.get('s2'))?.mode).toBe('plan')
    expect(textOf(message.parts)).toBe('You said: /plan a tower')
  })

  it('/clear hides earlier messages from the model, and keeps them', async () => {
    await server.chat('s1', 'my name is Ada')
    await server.chat('s1', '/clear')
    await server.chat('s1', 'who am I?')
    expect(JSON.stringify(server.model.calls.at(-1)?.prompt)).not.toContain('Ada')
    expect(await server.messages('s1')).toHaveLength(6)
  })

  it('/compact summarizes with its own model call, and the next answer continues from it', async () => {
    await server.chat('s1', 'my name is Ada')
    await server.chat('s1', 'and I like towers')
    const { message } = await server.chat('s1', '/compact')
    expect(types(message as never)).toContain('data-compaction')
    expect(textOf(message.parts)).toContain('Earlier messages are now summarized')
    await server.chat('s1', 'go on')
    expect(JSON.stringify(server.model.calls.at(-1)?.prompt)).toContain('<conversation-summary>')
    expect(await server.messages('s1')).toHaveLength(8)
  })

  it('/summary-title has the model make a title', async () => {
    await server.chat('s1', 'my name is Ada')
    const { message, events } = await server.chat('s1', '/summary-title short')
    const { title = '' } = (await server.store.sessions.get('s1')) ?? {}
    expect(title).not.toBe('my name is Ada')
    expect(textOf(message.parts)).toBe(`The title is now “${title}”.`)
    expect(events.map(({ chunk }) => chunk)).toContainEqual({
      type: 'data-session-title',
      data: { title },
      transient: true,
    })
    const asked = JSON.stringify(server.model.calls.at(-1)?.prompt)
    expect(asked).toContain('Person: my name is Ada')
    expect(asked).toContain('short')
  })

  it('/undo puts the files of the last turn back', async () => {
    put('a.txt', 'before')
    server.script('change', [
      [{ call: { name: 'Read', input: { file_path: 'a.txt' } } }],
      [{ call: { name: 'Write', input: { file_path: 'a.txt', content: 'after' } } }],
      [{ text: 'done' }],
    ])
    await server.chat('s1', 'change', { mode: 'accept-edits' })
    expect(readFileSync(path.join(work, 'a.txt'), 'utf8')).toBe('after')
    const { message } = await server.chat('s1', '/undo')
    expect(textOf(message.parts)).toContain('`a.txt`')
    expect(readFileSync(path.join(work, 'a.txt'), 'utf8')).toBe('before')
    expect(textOf((await server.chat('s1', '/undo')).message.parts)).toContain('nothing to undo')
  })

  it('are carried out again when their answer is regenerated, and not when it is retried', async () => {
    const sent = userMessage('/help')
    await server.chat('s1', sent)
    await server.chat('s1', sent)
    expect(await server.messages('s1')).toHaveLength(2)
    const before = server.model.calls.length
    const { message } = await server.chat('s1', sent, { trigger: 'regenerate-message' })
    expect(textOf(message.parts)).toContain('**Commands**')
    expect(server.model.calls).toHaveLength(before)
  })

  it('that do not exist are sent as text, with a hint', async () => {
    const { message } = await server.chat('s1', '/hepl me')
    expect(message.parts[0]).toMatchObject({ type: 'data-hint', data: { text: expect.stringContaining('/help') } })
    expect(textOf(message.parts)).toBe('You said: /hepl me')
    const { message: plain } = await server.chat('s1', '/usr/bin/node is old')
    expect(types(plain as never)).not.toContain('data-hint')
  })
})

describe("the user's own commands", () => {
  it('are sent with their arguments, with their own agent and model', async () => {
    const file = put(
      path.join(server.homePath, 'commands/git/review.md'),
      '---\ndescription: Reviews.\nagent: explore\nmodel: test/script\n---\nReview $1 for "$ARGUMENTS".',
    )
    const { message } = await server.chat('s1', '/git:review a.ts now')
    const [question] = await server.messages('s1')
    expect(question?.parts).toMatchObject([
      { type: 'data-command', data: { name: 'git:review', path: file, content: 'Review a.ts for "a.ts now".' } },
      { type: 'text', text: '/git:review a.ts now' },
    ])
    expect(told()).toEqual([
      '<person-command name="git:review">\nReview a.ts for "a.ts now".\n</person-command>',
      '/git:review a.ts now',
    ])
    expect(message.metadata).toMatchObject({ agent: { name: 'explore' } })
    expect((await server.store.sessions.get('s1'))?.agent).toBeNull()
  })

  it('that name a missing agent change nothing', async () => {
    put(path.join(server.homePath, 'commands/bad.md'), '---\nagent: nobody\n---\nx')
    const { status, error } = await server.chat('s1', '/bad')
    expect([status, error?.name]).toEqual([404, 'AgentNotFound'])
    expect(await server.store.sessions.get('s1')).toBeUndefined()
  })

  it('of a project take effect only after it is trusted', async () => {
    put('.claude/commands/own.md', 'Do own.')
    const names = async (): Promise<string[]> => {
      const { body } = await server.json<{ commands: { name: string; scope: string }[] }>('/ai/commands')
      return body.commands.filter(({ scope }) => scope !== 'built-in').map(({ name }) => name)
    }
    expect(await names()).toEqual([])
    await trust()
    expect(await names()).toEqual(['own'])
  })
})

describe('mentions', () => {
  it('include files, lines, folders and agents', async () => {
    put('src/a.ts', 'one\ntwo\nthree')
    await server.chat('s1', 'see @src/a.ts:2-3, @src/ and @explore; mail me@example.org, @nobody')
    const texts = told()
    expect(texts.slice(0, 3)).toEqual([
      '<mentioned-file path="src/a.ts" lines="2-3">\ntwo\nthree\n</mentioned-file>',
      '<mentioned-folder path="src/">\na.ts\n</mentioned-folder>',
      expect.stringContaining('<mentioned-agent name="explore">'),
    ])
    expect(texts).toHaveLength(4)
  })

  it('of secrets, outside files and denied files are rejected with the reason', async () => {
    put('.env', 'KEY=secret-1')
    put('../outside.txt', 'secret-2')
    put('private/a.txt', 'secret-3')
    await server.json('/ai/rules', { body: { text: 'Read(private/**)', effect: 'deny', scope: 'always' } })
    await server.chat('s1', '@.env @../outside.txt @private/a.txt')
    const sent = JSON.stringify(server.model.calls.at(-1)?.prompt)
    expect(sent).not.toMatch(/secret-\d/)
    expect(told().filter((text) => text.includes('was not included'))).toHaveLength(3)
    expect(told()[0]).toBe(
      '<mentioned-file path=".env">\n.env was not included. It reads ".env": files like this contain keys and passwords.\n</mentioned-file>',
    )
  })

  it('and commands are completed', async () => {
    put('src/composer.tsx', '')
    put('docs/a b.md', '')
    skill('pdf')
    const complete = async (text: string): Promise<string[]> => {
      const { body } = await server.json<{ items: { insert: string }[] }>(
        `/ai/complete?text=${encodeURIComponent(text)}`,
      )
      return body.items.map(({ insert }) => insert)
    }
    expect((await complete('@comp'))[0]).toBe('@src/composer.tsx ')
    expect(await complete('@src')).toEqual(['@src/', '@src/composer.tsx '])
    expect(await complete('@src/')).toEqual(['@src/composer.tsx '])
    expect(await server.json('/ai/complete?text=@&most=1')).toMatchObject({ body: { items: [{}], more: 4 } })
    expect((await complete('@a b'))[0]).toBe('@"docs/a b.md" ')
    expect((await complete('@expl'))[0]).toBe('@explore ')
    expect(await complete('@test')).toEqual([])
    expect(await complete('/comp')).toEqual(['/compact '])
    expect(await complete('/su')).toEqual(['/summary-title ', '/summary-history '])
    expect(await complete('/skill/')).toEqual(['/skill/pdf '])
    expect(await complete('/pd')).toEqual(['/skill/pdf '])
    expect(await complete('hello')).toEqual([])
  })
})
