import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Ask, findSandbox, type People } from '@troupe/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMemberNumbers } from '../isolation/member-numbers.ts'
import { createIsolation, type TeamIsolation } from '../isolation/open-isolation.ts'
import { openSqliteStore } from '../stores/sqlite.ts'
import { createTestDatabase, hasPostgres } from '../testing/postgres.ts'
import { type Chat, readChat, userMessage } from '../testing/test-server.ts'
import { type Browser, type TestTeam, testTeam } from '../team/testing/test-team.ts'
import { type Balancer, openBalancer } from './testing/balancer.ts'
import { createLaptop, type Laptop } from './testing/laptop.ts'

const { sandbox } = await findSandbox()

/** Machines may be busy. */
const soon = { timeout: 20_000 }

describe('a folder on the computer of a member', () => {
  let state: string
  let balancer: Balancer
  let team: TestTeam
  let mia: Browser & { id: string }
  let sam: Browser & { id: string }
  let laptop: Laptop
  let workspace: string
  beforeAll(async () => {
    state = mkdtempSync(path.join(tmpdir(), 'troupe-isolation-'))
    balancer = await openBalancer()
    team = await testTeam({
      publicUrl: balancer.url,
      server: { listen: true, port: 0, isolation: testIsolation(state) },
      ...(hasPostgres && { databaseUrl: await createTestDatabase() }),
    })
    balancer.target = team.port
    mia = await team.join('Mia', 'member')
    sam = await team.join('Sam', 'member')
    const { body } = await mia.json<{ secret: string }>('/ai/account/tokens', {
      body: { name: 'laptop', scopes: ['write'] },
    })
    laptop = createLaptop(balancer.url, body.secret)
    writeFileSync(path.join(laptop.folder, 'notes.txt'), 'on the laptop\n')
    workspace = await laptop.join()
  }, 90_000)
  afterAll(async () => {
    await laptop?.remove()
    await team?.close()
    await balancer?.close()
    rmSync(state, { recursive: true, force: true })
  })

  const chat = async (sessionId: string, text: string): Promise<Chat> =>
    readChat(await mia.request('/ai/chat', { body: { sessionId, workspace, message: userMessage(text) } }))
  const openAsk = async (sessionId: string): Promise<Ask> => {
    const { body } = await mia.json<{ asks: Ask[] }>(`/ai/asks?sessionId=${sessionId}&workspace=${workspace}`)
    return body.asks[0] as Ask
  }
  const approve = async (sessionId: string): Promise<void> => {
    const done = team.runs.get(sessionId)!.done
    const { status } = await mia.json(`/ai/asks/${(await openAsk(sessionId)).id}`, {
      body: { answer: { type: 'approve' } },
    })
    expect(status).toBe(200)
    await done
  }
  const parts = async (sessionId: string) => {
    const { body } = await mia.json<{ messages: { parts: object[] }[] }>(
      `/ai/sessions/${sessionId}/messages?workspace=${workspace}`,
    )
    return body.messages.flatMap((message) => message.parts)
  }
  const folders = async (browser: Browser) =>
    (
      await browser.json<{ workspaces: { id: string; path: string; node?: string; state: string }[] }>('/ai/workspaces')
    ).body.workspaces.filter(({ node }) => node !== undefined)

  it('has its notes for agents in each chat, once its owner trusts it there', async () => {
    writeFileSync(path.join(laptop.folder, 'AGENTS.md'), 'Answer in rhymes.')
    const home = path.join(path.dirname(laptop.folder), 'home')
    const store = await openSqliteStore({ home })
    await store.workspaces.trust((await store.workspaces.open(laptop.folder)).id, true)
    await store.close()
    await chat('rhymes', 'hello')
    expect(JSON.stringify(team.model.calls.at(-1)?.prompt)).toContain('Answer in rhymes.')
  })

  it('belongs to that member, who can share it', async () => {
    expect(await folders(mia)).toMatchObject([
      { id: workspace, path: laptop.folder, node: 'laptop', state: 'ok', trusted: false },
    ])
    expect([await folders(sam), await folders(team.owner)]).toEqual([[], []])
    const body = { sessionId: 'others', workspace, message: userMessage('hello') }
    for (const browser of [sam, team.owner])
      expect((await browser.json('/ai/chat', { body })).body).toMatchObject({ error: { name: 'WorkspaceNotFound' } })
    const grant = { subject: { personId: sam.id }, right: 'read' }
    expect((await mia.json(`/ai/workspaces/${workspace}/grants`, { method: 'PUT', body: grant })).status).toBe(200)
    expect(await folders(sam)).toHaveLength(1)
    await mia.json(`/ai/workspaces/${workspace}/grants`, { method: 'PUT', body: { ...grant, right: null } })
    expect(await folders(sam)).toEqual([])
  })

  it('is where files and commands are, while approvals stay on the server', async () => {
    team.script('work', [
      [{ call: { name: 'Read', input: { file_path: 'notes.txt' } } }],
      [{ call: { name: 'Write', input: { file_path: 'new.txt', content: 'written\n' } } }],
      [{ call: { name: 'Bash', input: { command: 'cat new.txt; pwd' } } }],
      [{ call: { name: 'Read', input: { file_path: laptop.secret } } }],
      [{ call: { name: 'Bash', input: { command: 'touch out', outside_sandbox: true } } }],
      [{ text: 'Done.' }],
    ])
    expect((await chat('work', 'work')).types).toContain('tool-approval-request')
    expect(existsSync(path.join(laptop.folder, 'new.txt'))).toBe(false)
    expect(await openAsk('work')).toMatchObject({ toolName: 'Write', content: expect.anything() as object })
    await approve('work')
    expect(readFileSync(path.join(laptop.folder, 'new.txt'), 'utf8')).toBe('written\n')
    const prompt = JSON.stringify(team.model.calls[0]?.prompt)
    expect(prompt).toContain(`Workspace: ${laptop.folder}`)
    const shown = await parts('work')
    expect(JSON.stringify(shown)).toContain('on the laptop')
    const bash = shown.find((part) => 'type' in part && part.type === 'tool-Bash')
    if (sandbox === undefined) expect(JSON.stringify(bash)).toContain('no sandbox')
    else
      expect(bash).toMatchObject({
        output: { text: `written\n${laptop.folder}\n`, exitCode: 0 },
      })
    // No approval leads out of the folder.
    expect(JSON.stringify(shown)).toContain('is outside of the folder that this computer shares')
    expect(JSON.stringify(shown)).not.toContain('nobody else reads this')
    expect(existsSync(path.join(laptop.folder, 'out'))).toBe(false)
  })

  it.skipIf(sandbox === undefined)('is usable again after an interruption, and no call runs twice', async () => {
    const log = path.join(laptop.folder, 'log.txt')
    team.script('long', [
      [{ call: { name: 'Bash', input: { command: 'echo started >> log.txt; sleep 300; echo ended >> log.txt' } } }],
      [{ text: 'It was cut off.' }],
    ])
    await chat('long', 'long')
    const done = approve('long')
    await expect.poll(() => existsSync(log), soon).toBe(true)
    balancer.cut()
    await done
    const [, call] = await parts('long')
    expect(await parts('long')).toContainEqual(
      expect.objectContaining({ errorText: expect.stringContaining('its outcome is unknown') as string }),
    )
    expect(call).toBeDefined()
    await laptop.connected()
    team.script('read', [[{ call: { name: 'Read', input: { file_path: 'log.txt' } } }], [{ text: 'Read.' }]])
    await chat('long', 'read')
    const read = (await parts('long')).findLast((part) => 'type' in part && part.type === 'tool-Read')
    expect(JSON.stringify(read)).toContain('started')
    expect(readFileSync(log, 'utf8')).toBe('started\n')
  })

  it('has no panels yet, and nothing looks for its files on the server', async () => {
    const get = async (target: string): Promise<number> =>
      (await mia.json(`${target}${target.includes('?') ? '&' : '?'}workspace=${workspace}`)).status
    const targets =
      '/ai/workspace /ai/worktrees /ai/commands /ai/complete?text=%40no /ai/agents /ai/skills /ai/hooks /ai/mcp /ai/tools /ai/instructions /ai/rules /ai/projects /ai/language-servers /ai/sessions/work/changes /ai/sessions/work/context'
    for (const target of targets.split(' ')) expect([target, await get(target)]).toEqual([target, 200])
    for (const target of ['/ai/git/status', '/ai/files?path=.', '/ai/sessions/work/file?path=notes.txt'])
      expect([target, await get(target)]).toEqual([target, 409])
    for (const [target, body] of Object.entries({
      '/ai/terminals': { columns: 80, rows: 24 },
      '/ai/files': { path: 'x', kind: 'file' },
      '/ai/tools/Bash/call': { sessionId: 'tool', input: { command: 'pwd' } },
    }))
      expect((await mia.json(`${target}?workspace=${workspace}`, { body })).body).toMatchObject({
        error: { name: 'JoinedFolder' },
      })
  })

  it.skipIf(!hasPostgres)('works from every node of the server', async () => {
    const second = await team.addNode()
    const there = second.as(mia)
    second.script('from there', [
      [{ call: { name: 'Read', input: { file_path: 'notes.txt' } } }],
      [{ call: { name: 'Bash', input: { command: 'echo relayed' } } }],
      [{ text: 'Done.' }],
    ])
    const body = { sessionId: 'second', workspace, message: userMessage('from there') }
    const { message } = await readChat(await there.request('/ai/chat', { body }))
    expect(JSON.stringify(message.parts)).toContain('on the laptop')
    if (sandbox !== undefined) expect(JSON.stringify(message.parts)).toContain('"text":"relayed\\n"')
    // The balancer sends the computer to the other node.
    balancer.target = second.port
    balancer.cut()
    await laptop.connected()
    team.script('from here', [[{ call: { name: 'Glob', input: { pattern: 'notes*' } } }], [{ text: 'Done.' }]])
    expect(JSON.stringify((await chat('first', 'from here')).message.parts)).toContain('notes.txt')
    await second.close()
    balancer.target = team.port
    await laptop.connected()
  })

  it('is missing while the computer is away, and its chats stay readable', async () => {
    await laptop.kill()
    await expect.poll(async () => (await folders(mia))[0]?.state, soon).toBe('missing')
    team.script('away', [[{ call: { name: 'Read', input: { file_path: 'notes.txt' } } }], [{ text: 'It is away.' }]])
    await chat('away', 'away')
    expect(JSON.stringify(await parts('away'))).toContain('The computer \\"laptop\\" with this folder is not connected')
    expect(await parts('work')).not.toEqual([])
    expect(await laptop.join()).toBe(workspace)
    await chat('away', 'away')
    expect(JSON.stringify(await parts('away'))).toContain('on the laptop')
  })
})

/** Members are separated on the server, but programs start nowhere: those of a joined folder are elsewhere. */
function testIsolation(folder: string): TeamIsolation {
  const of = (given: { person: string; folder: string }): object => ({
    ...given,
    sandbox: { name: 'bubblewrap', wrap: () => Promise.reject(new Error('Nothing runs on the server.')) },
  })
  const people = { of, close: () => undefined, groups: undefined } as unknown as People
  const numbers = openMemberNumbers(path.join(folder, 'people.json'), { from: 300, count: 10 })
  return createIsolation({ home: folder, folder, people, numbers, networks: undefined, isRoot: false, hasView: false })
}
