import type { Session, Store } from '@troupe/core'
import {
  type EndpointAccess,
  NamedError,
  type SessionRight,
  sessionRights,
  type WorkspaceRight,
  workspaceRights,
} from '@troupe/protocol'
import type { Authorize, CheckedRequest } from '../http/app.ts'
import type { Principal, Rights } from '../http/principal.ts'
import type { Ctx } from '../http/route.ts'
import { type OpenWorkspace, sessionNotFound } from '../http/scope.ts'
import { includes } from './rights.ts'

interface AuthorizeOptions {
  store: Pick<Store, 'sessions' | 'asks' | 'workspaces'>
  rightsOf(principal: Principal): Rights
  openWorkspace: OpenWorkspace
  sessionOfRevert(revertId: string): Promise<string | undefined>
  /** The scope of a stored rule. Undefined if there is none with this id. */
  scopeOfRule(id: string, at: { workspaceId: string; session: Session | undefined }): Promise<RuleScope | undefined>
  canReadBlob(principal: Principal, sha256: string): Promise<boolean>
  madeBlob(principal: Principal, sha256: string): Promise<boolean>
  canReadTask(principal: Principal, taskId: string): Promise<boolean>
}

export type RuleScope = 'session' | 'project' | 'always'
type Person = Extract<Principal, { kind: 'person' }>

/**
 * Enforces what each endpoint declares in `access`. Objects of others answer like missing ones (404), so nobody learns
 * that they exist. Objects that the caller may see but not change answer 403.
 */
export function createAuthorize(options: AuthorizeOptions): Authorize {
  const { store, rightsOf, openWorkspace } = options

  return async (c, request) => {
    const { principal, route } = request
    const rights = rightsOf(principal)
    const { access } = route
    if (access.on === 'open' || (principal.kind === 'local' && route.operator === true)) return { rights }
    if (principal.kind === 'anonymous') throw unauthorized()
    if (principal.kind === 'link' && !('link' in access)) throw forbidden('A share link only shows its chat.')
    const workspaceId = await check(c, request, access, rights)
    await checkNamed(request, rights)
    return { rights, ...(workspaceId !== undefined && { workspaceId }) }
  }

  /** Returns the workspace of the request, if it has one. */
  async function check(
    c: Ctx,
    request: CheckedRequest,
    access: Exclude<EndpointAccess, { on: 'open' }>,
    rights: Rights,
  ): Promise<string | undefined> {
    const { principal, params, route } = request
    switch (access.on) {
      case 'self':
        checkSelf(asPerson(principal), access.right)
        return scoped(c, request, rights, 'read')
      case 'organization':
        if (access.right === 'manage') checkManager(asPerson(principal))
        else asPerson(principal)
        return scoped(c, request, rights, 'read')
      case 'workspace':
        if (route.path.startsWith('/ai/workspaces/:id')) return checkWorkspace(params['id'] ?? '', rights, access.right)
        return scoped(c, request, rights, access.right)
      case 'session':
        return checkSession(c, request, access, rights)
      case 'blob': {
        const reaches = access.right === 'read' ? options.canReadBlob : options.madeBlob
        if (!(await reaches(principal, params['sha256'] ?? '')))
          throw new NamedError('BlobNotFound', 'This blob does not exist.', { status: 404 })
        return undefined
      }
      case 'task':
        if (!(await options.canReadTask(principal, params['taskId'] ?? '')))
          throw new NamedError('TaskNotFound', 'This task does not exist.', { status: 404 })
        return undefined
      case 'rules':
        return checkRules(c, request, rights)
    }
  }

  async function scoped(
    c: Ctx,
    { route, body }: CheckedRequest,
    rights: Rights,
    right: WorkspaceRight,
  ): Promise<string | undefined> {
    if (route.scoped !== true) return undefined
    const named = c.req.query('workspace') ?? (Object(body) as { workspace?: unknown }).workspace
    return checkWorkspace((await openWorkspace(c, named)).id, rights, right)
  }

  async function checkWorkspace(id: string, rights: Rights, right: WorkspaceRight): Promise<string> {
    const own = (await store.workspaces.get(id)) === undefined ? undefined : await rights.workspace(id)
    if (own === undefined) throw new NamedError('WorkspaceNotFound', 'This folder is not open here.', { status: 404 })
    if (!includes(workspaceRights, own, right)) throw forbidden('You may not do this in this folder.')
    return id
  }

  async function checkSession(
    c: Ctx,
    request: CheckedRequest,
    access: Extract<EndpointAccess, { on: 'session' }>,
    rights: Rights,
  ): Promise<string | undefined> {
    const id = await sessionOf(request, access.by)
    const session = id === undefined ? undefined : await store.sessions.get(id)
    if (session === undefined) {
      // A new chat belongs to its sender.
      if (access.creates === true) return scoped(c, request, rights, 'write')
      throw missing(request, access.by)
    }
    await checkRight(session, rights, neededRight(request, access), () => missing(request, access.by))
    if (
      access.workspace !== undefined &&
      !includes(workspaceRights, await rights.workspace(session.workspaceId), access.workspace)
    )
      throw forbidden('This needs a right on the folder of the chat.')
    await checkRemember(request, session, rights)
    return session.workspaceId
  }

  async function sessionOf({ params, body }: CheckedRequest, by?: 'ask' | 'revert'): Promise<string | undefined> {
    if (by === 'ask') return (await store.asks.get(params['id'] ?? ''))?.sessionId
    if (by === 'revert') return options.sessionOfRevert(params['revertId'] ?? '')
    const given = Object(body) as { sessionId?: unknown; id?: unknown }
    const named = params['sessionId'] ?? params['id'] ?? given.sessionId ?? given.id
    return typeof named === 'string' ? named : undefined
  }

  /** A remembered approval also decides in other chats. */
  async function checkRemember({ principal, body }: CheckedRequest, session: Session, rights: Rights): Promise<void> {
    const { answer } = Object(body) as { answer?: { remember?: RuleScope } }
    if (answer?.remember === 'always') checkManager(asPerson(principal))
    if (answer?.remember === 'project') await checkWorkspace(session.workspaceId, rights, 'manage')
  }

  /** Changing a rule needs a right where it applies, and where it applied before. */
  async function checkRules(c: Ctx, request: CheckedRequest, rights: Rights): Promise<string | undefined> {
    const { principal, params, query, body } = request
    const given = Object(body) as { sessionId?: string; scope?: RuleScope }
    const sessionId = given.sessionId ?? query['sessionId']
    const session = sessionId === undefined ? undefined : await store.sessions.get(sessionId)
    if (sessionId !== undefined && session === undefined) throw sessionNotFound(sessionId)
    if (session !== undefined) await checkRight(session, rights, 'read', () => sessionNotFound(session.id))
    const workspaceId = session?.workspaceId ?? (await scoped(c, request, rights, 'read')) ?? ''
    const stored =
      params['id'] === undefined ? undefined : await options.scopeOfRule(params['id'], { workspaceId, session })
    for (const scope of [given.scope, stored]) {
      if (scope === 'always') checkManager(asPerson(principal))
      if (scope === 'project') await checkWorkspace(workspaceId, rights, 'manage')
      if (scope === 'session' && session !== undefined)
        await checkRight(session, rights, 'approve', () => sessionNotFound(session.id))
    }
    return workspaceId
  }

  /** Other chats and blobs that the request names. */
  async function checkNamed({ principal, route, query, body }: CheckedRequest, rights: Rights): Promise<void> {
    const given = Object(body) as Record<string, unknown>
    if (route.access.on !== 'session') {
      const right =
        route.method === 'GET' || ('right' in route.access && route.access.right === 'read') ? 'read' : 'write'
      for (const id of [query['sessionId'], query['session'], given['sessionId']]) {
        const session = typeof id === 'string' ? await store.sessions.get(id) : undefined
        if (session !== undefined) await checkRight(session, rights, right, () => sessionNotFound(session.id))
      }
    }
    const images: unknown[] = Array.isArray(given['images']) ? given['images'] : []
    for (const sha256 of [query['blob'], ...images]) {
      if (typeof sha256 === 'string' && !(await options.canReadBlob(principal, sha256)))
        throw new NamedError('BlobNotFound', 'This blob does not exist.', { status: 404 })
    }
  }
}

async function checkRight(
  session: Session,
  rights: Rights,
  wanted: SessionRight,
  missing: () => NamedError,
): Promise<void> {
  const own = await rights.session(session)
  if (own === undefined) throw missing()
  if (!includes(sessionRights, own, wanted)) throw forbidden('You may not do this in this chat.')
}

function neededRight({ body }: CheckedRequest, access: Extract<EndpointAccess, { on: 'session' }>): SessionRight {
  const given = Object(body) as Record<string, unknown>
  const raised = Object.entries(access.fields ?? {}).flatMap(([name, right]) =>
    given[name] === undefined ? [] : [right],
  )
  // The client's copy of a waiting answer carries the answers to its approvals.
  const messages = Array.isArray(given['messages']) ? (given['messages'] as unknown[]) : []
  const last = Object(given['message'] ?? messages.at(-1)) as { role?: unknown }
  const isAnswer = access.creates === true && last.role !== undefined && last.role !== 'user'
  const levels = [access.right, ...raised, ...(isAnswer ? (['approve'] as const) : [])]
  return sessionRights[Math.max(...levels.map((right) => sessionRights.indexOf(right)))] ?? 'manage'
}

function asPerson(principal: Principal): Person {
  if (principal.kind !== 'person') throw forbidden('This needs an account.')
  return principal
}

function checkSelf({ person, scopes }: Person, right: 'read' | 'write' | 'manage'): void {
  if (right === 'manage' && scopes !== undefined) throw forbidden('Sign in with a browser to do this.')
  if (right !== 'write') return
  if (person.role === 'viewer') throw forbidden('Viewers cannot do this.')
  if (scopes !== undefined && !scopes.includes('write') && !scopes.includes('admin'))
    throw forbidden('This needs a token with the scope "write".')
}

function checkManager({ person, scopes }: Person): void {
  if (person.role !== 'owner' && person.role !== 'admin') throw forbidden('Only owners and admins may do this.')
  if (scopes !== undefined && !scopes.includes('admin')) throw forbidden('This needs a token with the scope "admin".')
}

function missing({ params }: CheckedRequest, by: 'ask' | 'revert' | undefined): NamedError {
  if (by === 'ask') return new NamedError('AskNotFound', 'This request does not exist.', { status: 404 })
  if (by === 'revert') return new NamedError('NothingToRevert', 'There is nothing to revert.', { status: 404 })
  return sessionNotFound(params['sessionId'] ?? params['id'])
}

export function forbidden(message: string): NamedError {
  return new NamedError('Forbidden', message, { status: 403 })
}

export function unauthorized(): NamedError {
  return new NamedError('Unauthorized', 'Sign in first.', { status: 401 })
}
