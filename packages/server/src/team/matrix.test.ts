import {
  contract,
  type Endpoint,
  type EndpointAccess,
  NamedError,
  type SessionRight,
  sessionRights,
  type WorkspaceRight,
  workspaceRights,
} from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampled } from '../../../protocol/testing/test-effort.ts'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import { isOperator, operatorHeader } from './operator.ts'
import { sample } from './testing/sample.ts'
import { type Browser, publicUrl, secretKey, type TestTeam, testTeam } from './testing/test-team.ts'

/**
 * Every route, for every kind of caller, on own, shared and foreign objects. Handlers do not run: what counts is whether
 * a request reaches one. What callers may do is written here by hand, apart from the code under test.
 */

const endpoints = Object.entries(contract as Record<string, Endpoint>).filter(([key]) => !key.includes(' /ai/auth'))

type Folder = 'team' | 'closed' | 'granted'
type Chat = 'private' | 'read' | 'comment' | 'write' | 'approve' | 'visible' | 'away'

interface Allowed {
  folders: Record<Folder, WorkspaceRight | null>
  chats: Record<Chat, SessionRight | null>
  manages: boolean
}

const folders = (team: WorkspaceRight, closed: WorkspaceRight | null, granted: WorkspaceRight | null) => ({
  team,
  closed,
  granted,
})
/** The same right on every chat, except on some. */
const chats = (right: SessionRight | null, except: Partial<Allowed['chats']> = {}): Allowed['chats'] => ({
  private: right,
  read: right,
  comment: right,
  write: right,
  approve: right,
  visible: right,
  away: right,
  ...except,
})

const manager: Allowed = {
  folders: folders('manage', 'manage', 'manage'),
  chats: chats(null, { visible: 'approve' }),
  manages: true,
}
// Without a right on its folder, her own chat can only be read and commented on.
const ownChats = chats('manage', { away: 'comment' })

/** Callers and what each may do with the objects of Mia. */
const callers = {
  owner: manager,
  admin: manager,
  'owner token admin': manager,
  'owner token write': {
    folders: folders('write', 'write', 'write'),
    chats: chats(null, { visible: 'write' }),
    manages: false,
  },
  'owner token read': {
    folders: folders('read', 'read', 'read'),
    chats: chats(null, { visible: 'read' }),
    manages: false,
  },
  mia: { folders: folders('write', null, 'manage'), chats: ownChats, manages: false },
  'mia token write': { folders: folders('write', null, 'write'), chats: ownChats, manages: false },
  'mia token read': { folders: folders('read', null, 'read'), chats: chats('read'), manages: false },
  colleague: {
    folders: folders('write', null, 'read'),
    chats: chats('comment', { private: null, read: 'read', write: 'write', approve: 'approve', visible: 'write' }),
    manages: false,
  },
  stranger: { folders: folders('write', null, null), chats: chats(null, { visible: 'write' }), manages: false },
  viewer: {
    folders: folders('read', null, null),
    chats: chats('comment', { private: null, read: 'read', visible: 'read', away: null }),
    manages: false,
  },
} satisfies Record<string, Allowed>
type Caller = keyof typeof callers

const folderNames: Folder[] = ['team', 'closed', 'granted']
const chatNames: Chat[] = ['private', 'read', 'comment', 'write', 'approve', 'visible', 'away']
/** All chats are in the team's folder, except this one. */
const folderOf = (chat: Chat): Folder => (chat === 'away' ? 'closed' : 'team')
const callerNames = Object.keys(callers) as Caller[]
const isToken = (caller: Caller): boolean => caller.includes('token')
const isReader = (caller: Caller): boolean => caller === 'viewer' || caller.endsWith('token read')

let team: TestTeam
let isStopped = false
const headers = new Map<Caller | 'link', Record<string, string>>()
const workspaces = new Map<Folder, string>()
const blob = 'b'.repeat(64)

beforeAll(async () => {
  team = await testTeam({
    server: {
      onAllowed: () => {
        if (isStopped) throw new NamedError('Allowed', 'The handler would run now.', { status: 418 })
      },
    },
  })
  const people = {
    admin: await team.join('Ada', 'admin'),
    mia: await team.join('Mia', 'member'),
    colleague: await team.join('Cleo', 'member'),
    stranger: await team.join('Sam', 'member'),
    viewer: await team.join('Vic', 'viewer'),
  }
  const store = team.store as SqlStore
  workspaces.set('team', team.workspace.id)
  for (const name of ['closed', 'granted'] as const)
    workspaces.set(name, (await store.workspaces.open(`/srv/${name}`)).id)
  const grant = (personId: string, right: WorkspaceRight) =>
    team.owner.json(`/ai/workspaces/${workspaces.get('granted')}/grants`, {
      method: 'PUT',
      body: { subject: { personId }, right },
    })
  await grant(people.mia.id, 'manage')
  await grant(people.colleague.id, 'read')
  for (const chat of chatNames) {
    await store.sessions.create({ id: chat, workspaceId: workspaces.get(folderOf(chat))!, ownerId: people.mia.id })
    const data = { kind: 'approval', toolCallId: 'c', toolName: 'Bash', input: {}, agentPath: [] }
    await store.asks.open({
      id: `ask-${chat}`,
      sessionId: chat,
      runId: 'r',
      createdAt: 1,
      closedAt: null,
      answer: null,
      ...data,
    } as never)
  }
  for (const right of ['read', 'comment', 'write', 'approve'] as const)
    for (const person of [people.colleague, people.viewer])
      await people.mia.json(`/ai/sessions/${right}/shares`, { method: 'PUT', body: { personId: person.id, right } })
  await store.db
    .insertInto('session_share')
    .values({ session_id: 'away', person_id: people.colleague.id, right: 'approve', created_at: 1 })
    .execute()
  await store.sessions.update('visible', { visibility: 'workspace' })
  await store.db.insertInto('session_blob').values({ sha256: blob, session_id: 'private' }).execute()
  await store.settings.set('media-tasks', [
    {
      id: 'task',
      kind: 'image',
      model: 'm',
      prompt: 'p',
      status: 'done',
      files: [],
      warnings: [],
      createdAt: 1,
      ownerId: people.mia.id,
    },
  ])
  const token = async (browser: Browser, scope: string) => {
    const { body } = await browser.json<{ secret: string }>('/ai/account/tokens', {
      body: { name: scope, scopes: [scope] },
    })
    return { authorization: `Bearer ${body.secret}` }
  }
  const { body: link } = await people.mia.json<{ url: string }>('/ai/sessions/private/links', { body: {} })
  headers.set('link', { authorization: `Share ${new URL(link.url).hash.slice('#share='.length)}` })
  for (const scope of ['read', 'write', 'admin'])
    headers.set(`owner token ${scope}` as Caller, await token(team.owner, scope))
  for (const scope of ['read', 'write']) headers.set(`mia token ${scope}` as Caller, await token(people.mia, scope))
  const cookie = ({ cookies }: Browser) => ({
    cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
    'x-troupe-page': '1',
  })
  headers.set('owner', cookie(team.owner))
  for (const [name, browser] of Object.entries(people)) headers.set(name as Caller, cookie(browser))
  isStopped = true
})
afterAll(() => team.close())

interface Request {
  chat?: string
  folder?: Folder
  path?: Record<string, string>
  body?: Record<string, unknown>
}

/** Sends a request that would be valid, and says how it was judged. */
async function judge(
  caller: Caller | 'link' | 'nobody' | 'operator',
  key: string,
  { chat, folder = 'team', path = {}, body }: Request = {},
): Promise<string> {
  const endpoint = (contract as Record<string, Endpoint>)[key]!
  const [method = '', pattern = ''] = key.split(' ')
  const target = pattern.replace(
    /:(\w+)/g,
    (_, name: string) => path[name] ?? (isChatParameter(pattern, name) ? (chat ?? 'x') : 'x'),
  )
  const given =
    typeof endpoint.body === 'object'
      ? {
          ...bodies.get(key)!,
          ...(chat !== undefined && key === 'POST /ai/chat' && { sessionId: chat }),
          ...(chat !== undefined && key === 'POST /ai/tools/ack' && { sessionId: chat }),
          ...body,
        }
      : undefined
  const query = new URLSearchParams(endpoint.query === undefined ? {} : (queries.get(key) as Record<string, string>))
  if (endpoint.scoped === true) query.set('workspace', workspaces.get(folder)!)
  const response = await team.app.request(`${publicUrl}${target}?${query.toString()}`, {
    method,
    headers: {
      host: new URL(publicUrl).host,
      origin: publicUrl,
      ...(given !== undefined && { 'content-type': 'application/json' }),
      ...(caller === 'operator'
        ? { authorization: operatorHeader(secretKey, { method, path: target }) }
        : caller === 'nobody'
          ? {}
          : headers.get(caller)),
    },
    ...(given !== undefined ? { body: JSON.stringify(given) } : endpoint.body !== undefined ? { body: 'bytes' } : {}),
  })
  const text = await response.text()
  const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as { error?: { name: string } }
  if (response.status === 418) return 'allowed'
  if (response.status === 400) throw new Error(`${key} was not judged: ${text}`)
  return `${response.status} ${error?.name}`
}

const isChatParameter = (pattern: string, name: string): boolean =>
  name === 'sessionId' || (name === 'id' && pattern.startsWith('/ai/sessions/'))
const samples = (pick: (endpoint: Endpoint) => Endpoint['query'] | Endpoint['body']) =>
  new Map(
    endpoints.flatMap(([key, endpoint]) => {
      const schema = pick(endpoint)
      return typeof schema === 'object'
        ? [[key, (special[key] ?? sample(schema)) as Record<string, unknown>] as const]
        : []
    }),
  )
/** Bodies whose fields depend on each other. */
const special: Record<string, object> = {}
const bodies = samples((endpoint) => endpoint.body)
const queries = samples((endpoint) => endpoint.query)

const hasSession = (given: SessionRight | null, wanted: SessionRight): boolean =>
  given !== null && sessionRights.indexOf(given) >= sessionRights.indexOf(wanted)
const hasFolder = (given: WorkspaceRight | null, wanted: WorkspaceRight): boolean =>
  given !== null && workspaceRights.indexOf(given) >= workspaceRights.indexOf(wanted)
const on = <On extends EndpointAccess['on']>(what: On): [string, Extract<EndpointAccess, { on: On }>][] =>
  endpoints.filter(([, { access }]) => access.on === what).map(([key, { access }]) => [key, access as never])

describe('authorization matrix', () => {
  it('covers every endpoint', () => {
    const kinds = ['open', 'self', 'organization', 'session', 'workspace', 'blob', 'task', 'rules'] as const
    expect(kinds.flatMap((kind) => on(kind)).length).toBe(endpoints.length)
    expect(endpoints.length).toBeGreaterThan(200)
  })

  it.each(callerNames)('chats, for %s', async (caller) => {
    const all = on('session')
      .filter(([, access]) => access.by !== 'revert')
      .flatMap(([key, access]) => chatNames.map((chat) => ({ key, access, chat })))
    // Callers take turns: each meets every chat and every endpoint, but not every pair of them.
    const cases = sampled(all, 3, callerNames.indexOf(caller))
    const holes = await together(cases, async ({ key, access, chat }) => {
      const { chats, folders } = callers[caller]
      const right = chats[chat]
      const isAllowed =
        hasSession(right, access.right) &&
        (access.workspace === undefined || hasFolder(folders[folderOf(chat)], access.workspace))
      const missing = access.by === 'ask' ? '404 AskNotFound' : '404 SessionNotFound'
      const wanted = right === null ? missing : isAllowed ? 'allowed' : '403 Forbidden'
      const found = await judge(caller, key, { chat, path: access.by === 'ask' ? { id: `ask-${chat}` } : {} })
      return found === wanted ? [] : [`${caller}: ${key} on ${chat} is ${found}, not ${wanted}`]
    })
    expect(holes).toEqual([])
  })

  it('a chat that does not exist is created only where the caller may write', async () => {
    for (const caller of callerNames)
      for (const folder of folderNames)
        expect([caller, folder, await judge(caller, 'POST /ai/chat', { chat: 'new', folder })]).toEqual([
          caller,
          folder,
          folderVerdict(caller, folder, 'write'),
        ])
  })

  it.each(callerNames)('workspaces, for %s', async (caller) => {
    const all = on('workspace').flatMap(([key, { right }]) => folderNames.map((folder) => ({ key, right, folder })))
    const cases = sampled(all, 4, callerNames.indexOf(caller))
    const holes = await together(cases, async ({ key, right, folder }) => {
      const isNamed = key.includes('/ai/workspaces/:id')
      const wanted = folderVerdict(caller, folder, right)
      const found = await judge(caller, key, isNamed ? { path: { id: workspaces.get(folder)! } } : { folder })
      return found === wanted ? [] : [`${caller}: ${key} in ${folder} is ${found}, not ${wanted}`]
    })
    expect(holes).toEqual([])
  })

  it('the organization and the own account', async () => {
    const holes: string[] = []
    for (const [key, access] of [...on('organization'), ...on('self')])
      for (const caller of callerNames) {
        const isAllowed =
          access.right === 'read' ||
          (access.on === 'organization'
            ? callers[caller].manages
            : access.right === 'write'
              ? !isReader(caller)
              : !isToken(caller))
        const wanted = isAllowed ? 'allowed' : '403 Forbidden'
        const found = await judge(caller, key)
        if (found !== wanted) holes.push(`${caller}: ${key} is ${found}, not ${wanted}`)
      }
    expect(holes).toEqual([])
  })

  it('endpoints of the organization in a folder that the caller may not see', async () => {
    const holes: string[] = []
    for (const [key] of on('organization').filter(([key]) => (contract as Record<string, Endpoint>)[key]!.scoped))
      for (const caller of ['mia', 'stranger', 'viewer', 'mia token write'] as const) {
        const found = await judge(caller, key, { folder: 'closed' })
        if (!/^40[34] /.test(found)) holes.push(`${caller}: ${key} is ${found}`)
      }
    expect(holes).toEqual([])
  })

  it('blobs and tasks', async () => {
    for (const caller of callerNames) {
      const isMia = caller.startsWith('mia')
      const found = [
        await judge(caller, 'GET /ai/blobs/:sha256', { path: { sha256: blob } }),
        await judge(caller, 'DELETE /ai/blobs/:sha256', { path: { sha256: blob } }),
        await judge(caller, 'GET /ai/task/:taskId', { path: { taskId: 'task' } }),
      ]
      // A blob of a chat cannot be deleted by itself.
      const wanted = [
        isMia ? 'allowed' : '404 BlobNotFound',
        '404 BlobNotFound',
        isMia ? 'allowed' : '404 TaskNotFound',
      ]
      expect([caller, ...found]).toEqual([caller, ...wanted])
    }
  })

  it('rules, by the scope that they apply to', async () => {
    const add = (caller: Caller, scope: string, sessionId?: string) =>
      judge(caller, 'POST /ai/rules', { body: { text: 'Bash(ls)', scope, ...(sessionId && { sessionId }) } })
    for (const caller of callerNames) {
      const { manages, folders, chats } = callers[caller]
      const wanted = [
        manages ? 'allowed' : '403 Forbidden',
        hasFolder(folders.team, 'manage') ? 'allowed' : '403 Forbidden',
        chats.write === null ? '404 SessionNotFound' : hasSession(chats.write, 'approve') ? 'allowed' : '403 Forbidden',
      ]
      expect([
        caller,
        await add(caller, 'always'),
        await add(caller, 'project'),
        await add(caller, 'session', 'write'),
      ]).toEqual([caller, ...wanted])
    }
  })

  it('only the owner of a chat remembers an approval beyond it', async () => {
    const answer = (caller: Caller, remember: string) =>
      judge(caller, 'POST /ai/asks/:id', {
        path: { id: 'ask-approve' },
        body: { answer: { type: 'approve', remember } },
      })
    for (const caller of ['mia', 'colleague'] as const) {
      const found = [await answer(caller, 'session'), await answer(caller, 'project'), await answer(caller, 'always')]
      const wanted = caller === 'mia' ? 'allowed' : '403 Forbidden'
      expect([caller, ...found]).toEqual([caller, 'allowed', wanted, wanted])
    }
  })

  it('fields that decide more than the rest of the request', async () => {
    const holes: string[] = []
    for (const [key, access] of on('session'))
      for (const [field, right] of Object.entries(access.fields ?? {}))
        for (const caller of callerNames) {
          const { chats } = callers[caller]
          const value = { mode: 'default', rules: {}, archived: true, trashed: true }[field]
          expect(value, `a value of ${field}`).toBeDefined()
          const wanted = hasSession(chats.write, right)
            ? 'allowed'
            : chats.write === null
              ? '404 SessionNotFound'
              : '403 Forbidden'
          const found = await judge(caller, key, { chat: 'write', body: { [field]: value } })
          if (found !== wanted) holes.push(`${caller}: ${key} with ${field} is ${found}, not ${wanted}`)
        }
    expect(holes).toEqual([])
  })

  it('a message that answers approvals needs the right to approve', async () => {
    const body = { messages: [{ id: 'a', role: 'assistant', parts: [] }] }
    expect(await judge('colleague', 'POST /ai/chat', { chat: 'write', body })).toBe('403 Forbidden')
    expect(await judge('colleague', 'POST /ai/chat', { chat: 'approve', body })).toBe('allowed')
  })

  it('nobody gets in without signing in, except to the few open endpoints', async () => {
    const open = on('open').map(([key]) => key)
    expect(open.toSorted()).toEqual([
      'GET /ai/account/callback/:provider',
      'GET /ai/mcp/callback',
      'GET /ai/me',
      'GET /health',
      'GET /metrics',
      'GET /ready',
      'POST /ai/account/invitation',
      'POST /ai/account/join',
      'POST /ai/account/passkey',
      'POST /ai/account/passkey-options',
      'POST /ai/account/provider',
      'POST /ai/account/second-factor',
      'POST /ai/account/setup',
      'POST /ai/account/sign-in',
      'POST /ai/device',
      'POST /ai/device/token',
      'POST /ai/share',
    ])
    for (const [key] of endpoints)
      expect([key, await judge('nobody', key, { chat: 'visible', path: { sha256: blob } })]).toEqual([
        key,
        open.includes(key) ? 'allowed' : '401 Unauthorized',
      ])
  })

  it('a command on a node does only what operators need', async () => {
    const open = new Set(on('open').map(([key]) => key))
    const found = await Promise.all(
      endpoints.map(async ([key]) => [key, await judge('operator', key, { chat: 'visible', path: { sha256: blob } })]),
    )
    const allowed = found.flatMap(([key = '', verdict]) => (verdict === 'allowed' && !open.has(key) ? [key] : []))
    expect(allowed.toSorted()).toEqual([
      'DELETE /ai/people/:id/data',
      'GET /ai/members',
      'GET /ai/people/:id/data',
      'POST /ai/secrets/rotate',
    ])
    const request = { method: 'POST', path: '/ai/secrets/rotate' }
    const header = operatorHeader(secretKey, request, 0)
    expect([isOperator(header, secretKey, request, 60_000), isOperator(header, secretKey, request, 600_000)]).toEqual([
      true,
      false,
    ])
    expect(isOperator(header, 'another key', request, 0)).toBe(false)
    expect(isOperator(header, secretKey, { ...request, path: '/ai/members' }, 0)).toBe(false)
  })

  it('a share link reads its chat and nothing else', async () => {
    const shown = [
      'GET /ai/chat/:sessionId/stream',
      'GET /ai/sessions/:id',
      'GET /ai/sessions/:id/agents',
      'GET /ai/sessions/:id/agents/:agentId/messages',
      'GET /ai/sessions/:id/agents/:agentId/stream',
      'GET /ai/sessions/:id/matches',
      'GET /ai/sessions/:id/messages',
      'GET /ai/sessions/:id/preview',
      'GET /ai/sessions/:id/tree',
    ]
    for (const [key, { access }] of endpoints) {
      if (access.on === 'open') continue
      const isShown = shown.includes(key)
      const isBlob = key === 'GET /ai/blobs/:sha256'
      const wanted = isBlob
        ? ['allowed', 'allowed']
        : isShown
          ? ['allowed', '404 SessionNotFound']
          : ['403 Forbidden', '403 Forbidden']
      const found = [
        await judge('link', key, { chat: 'private', path: { sha256: blob } }),
        await judge('link', key, { chat: 'visible', path: { sha256: blob } }),
      ]
      expect([key, ...found]).toEqual([key, ...wanted])
    }
    expect(await judge('link', 'GET /ai/blobs/:sha256', { path: { sha256: 'c'.repeat(64) } })).toBe('404 BlobNotFound')
  })

  it('only these endpoints change something although they need no more than to read', () => {
    const weak = endpoints.filter(
      ([key, { access }]) => !key.startsWith('GET ') && 'right' in access && access.right === 'read',
    )
    expect(weak.map(([key]) => key).toSorted()).toEqual([
      'POST /ai/account/sign-out',
      'POST /ai/files/events/:id',
      'POST /ai/git/diff',
      'POST /ai/language-servers/problems',
      'POST /ai/mentions/seen',
      'POST /ai/rules/explain',
      'POST /ai/rules/test',
      'POST /ai/sessions/:id/agents/:agentId/fork',
      'POST /ai/sessions/:id/fork',
      'POST /ai/sessions/:id/presence',
      'POST /ai/tabs',
    ])
  })
})

/** Checks many cases at a time, since most of a request is waiting. */
async function together<T>(cases: readonly T[], check: (one: T) => Promise<string[]>): Promise<string[]> {
  expect(cases.length).toBeGreaterThan(60)
  const holes: string[] = []
  for (let i = 0; i < cases.length; i += 24)
    holes.push(...(await Promise.all(cases.slice(i, i + 24).map(check))).flat())
  return holes
}

function folderVerdict(caller: Caller, folder: Folder, right: WorkspaceRight): string {
  const own = callers[caller].folders[folder]
  if (own === null) return '404 WorkspaceNotFound'
  return hasFolder(own, right) ? 'allowed' : '403 Forbidden'
}
