import type { Session, Store } from '@troupe/core'
import {
  type Comment,
  commentEndpoints,
  NamedError,
  sessionRights,
  type Sharing,
  sharingEndpoints,
} from '@troupe/protocol'
import { isAdmin, personIdOf, type Principal, type Rights } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import type { RunManager } from '../runs/run-manager.ts'
import type { Tables } from '../stores/sql/tables.ts'
import { caller } from './account-routes.ts'
import { forbidden } from './authorize.ts'
import { linkInvalid } from './forward.ts'
import type { Limits } from './limits.ts'
import { memberNotFound, type Names } from './member-routes.ts'
import type { CheckedTeamOptions } from './options.ts'
import type { People } from './people.ts'
import { includes } from './rights.ts'
import type { SharingStore } from './sharing.ts'
import type { TeamAccess } from './team-access.ts'

export interface SharingServices {
  team: CheckedTeamOptions
  store: Store
  runs: Pick<RunManager, 'all'>
  people: People
  sharing: SharingStore
  access: TeamAccess
  limits: Limits
  names: Names
  rightsOf(principal: Principal): Rights
  /** A member as the caller of requests, to see what they may do. */
  principalOf(personId: string): Promise<Principal | undefined>
  recheck(): Promise<void>
}

export function sharingRoutes(services: SharingServices): Route[] {
  const { team, store, people, sharing, access, limits, names, recheck } = services

  async function shown(session: Session, rights: Rights, principal: Principal): Promise<{ sharing: Sharing }> {
    const own = (await rights.session(session)) ?? 'read'
    const [shares, links] = await Promise.all([sharing.shares(session.id), sharing.links(session.id)])
    const known = await names([
      session.ownerId,
      ...shares.map(({ personId }) => personId),
      ...links.map((link) => link.created_by),
    ])
    return {
      sharing: {
        owner: known.get(session.ownerId ?? '') ?? null,
        visibility: session.visibility,
        shares: shares.flatMap(({ personId, right }) => {
          const person = known.get(personId)
          return person === undefined ? [] : [{ person, right }]
        }),
        links: own === 'manage' ? links.map((link) => shownLink(link, known)) : [],
        own,
        remember: await rememberable(session, rights, principal),
      },
    }
  }

  /** Those who manage the folder remember for it in their own chats, and those who manage the team for all folders. */
  async function rememberable(session: Session, rights: Rights, principal: Principal): Promise<Sharing['remember']> {
    if (personIdOf(principal) !== session.ownerId) return ['session']
    const isFolder = (await rights.workspace(session.workspaceId)) === 'manage'
    return [
      'session',
      ...(isFolder ? (['project'] as const) : []),
      ...(isAdmin(principal) ? (['always'] as const) : []),
    ]
  }

  return implement(sharingEndpoints, {
    'GET /ai/sessions/:id/sharing': async ({ principal, params, workspaceId, rights }) =>
      shown(await findSession(store, params.id, workspaceId), rights, principal),
    'PATCH /ai/sessions/:id/sharing': async ({ principal, params, body, workspaceId, rights }) => {
      const { id } = await findSession(store, params.id, workspaceId)
      const session = await store.sessions.update(id, { visibility: body.visibility })
      await recheck()
      return shown(session, rights, principal)
    },
    'PUT /ai/sessions/:id/shares': async ({ principal, params, body: { personId, right }, workspaceId, rights }) => {
      const session = await findSession(store, params.id, workspaceId)
      if (right !== null && (await people.role(personId)) === undefined) throw memberNotFound()
      await sharing.share(session.id, personId, right)
      await recheck()
      return shown(session, rights, principal)
    },
    'POST /ai/sessions/:id/links': async ({ principal, params, body, workspaceId }) => {
      const { id } = await findSession(store, params.id, workspaceId)
      const { link, token } = await sharing.createLink(id, caller(principal).id, body.expiresInDays)
      return { link: shownLink(link, await names([link.created_by])), url: `${team.origin}/#share=${token}` }
    },
    'DELETE /ai/sessions/:id/links/:linkId': async ({ params, workspaceId }) => {
      const { id } = await findSession(store, params.id, workspaceId)
      if (!(await sharing.revoke(id, params.linkId)))
        throw new NamedError('LinkNotFound', 'This link does not exist.', { status: 404 })
      await recheck()
      return { deleted: params.linkId }
    },
    'POST /ai/share': async ({ body: { token } }, c) => {
      const found = await sharing.linkByToken(token)
      if (found === undefined) {
        await limits.count({ address: access.address(c) })
        throw linkInvalid()
      }
      const linkId = `l.${found.link.id}`
      return {
        sessionId: found.session.id,
        title: found.session.title,
        expiresAt: found.link.expires_at,
        linkId,
        linkKey: access.linkKey(linkId),
      }
    },
    'GET /ai/shared-sessions': async ({ principal }) => {
      const found = await sharing.sharedWith(caller(principal).id)
      const owners = await names(found.map(({ session }) => session.ownerId))
      return {
        sessions: found.map(({ session, right }) => ({
          ...session,
          owner: owners.get(session.ownerId ?? '') ?? null,
          right,
        })),
      }
    },
  })
}

function shownLink(link: Tables['share_link'], known: Awaited<ReturnType<Names>>) {
  const { id, created_at: createdAt, expires_at: expiresAt } = link
  return { id, createdBy: known.get(link.created_by) ?? null, createdAt, expiresAt }
}

export function commentRoutes(services: SharingServices): Route[] {
  const { store, runs, sharing, names, rightsOf, principalOf } = services

  async function shown(rows: Awaited<ReturnType<SharingStore['comments']>>): Promise<Comment[]> {
    const known = await names(rows.flatMap((row) => [row.author_id, ...row.mentions]))
    return rows.map((row) => ({
      id: row.id,
      sessionId: row.session_id,
      messageId: row.message_id,
      author: known.get(row.author_id) ?? null,
      text: row.text,
      mentions: row.mentions.flatMap((id) => known.get(id) ?? []),
      createdAt: row.created_at,
    }))
  }

  async function canRead(personId: string, session: Session): Promise<boolean> {
    const principal = await principalOf(personId)
    return principal !== undefined && (await rightsOf(principal).session(session)) !== undefined
  }

  function announce(sessionId: string, name: string, data: object): void {
    for (const run of runs.all(sessionId))
      run.log.append({ type: 'data-ui-event', data: { name, data }, transient: true })
  }

  return implement(commentEndpoints, {
    'GET /ai/sessions/:id/comments': async ({ params, workspaceId }) => {
      const { id } = await findSession(store, params.id, workspaceId)
      return { comments: await shown(await sharing.comments(id)) }
    },
    'POST /ai/sessions/:id/comments': async ({ principal, params, body, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      if ((await store.messages.get({ sessionId: session.id }, body.messageId)) === undefined)
        throw new NamedError('MessageNotFound', 'This message does not exist.', { status: 404 })
      for (const personId of body.mentions) if (!(await canRead(personId, session))) throw memberNotFound()
      const row = await sharing.comment({ sessionId: session.id, authorId: caller(principal).id, ...body })
      const [comment] = await shown([row])
      announce(session.id, 'session-comment', { sessionId: session.id, messageId: row.message_id, commentId: row.id })
      return { comment: comment! }
    },
    'DELETE /ai/sessions/:id/comments/:commentId': async ({ principal, params, workspaceId, rights }) => {
      const session = await findSession(store, params.id, workspaceId)
      const isManager = includes(sessionRights, await rights.session(session), 'manage')
      const author = isManager ? undefined : caller(principal).id
      if (!(await sharing.uncomment(session.id, params.commentId, author)))
        throw new NamedError('CommentNotFound', 'This comment does not exist, or it is not yours.', { status: 404 })
      return { deleted: params.commentId }
    },
    'GET /ai/mentions': async ({ principal, rights }) => {
      const { comments, seenAt } = await sharing.mentions(caller(principal).id)
      const mentions = []
      for (const comment of await shown(comments)) {
        const session = await store.sessions.get(comment.sessionId)
        // The chat may no longer be shared with them.
        if (session === undefined || (await rights.session(session)) === undefined) continue
        mentions.push({ ...comment, sessionTitle: session.title, seen: comment.createdAt <= seenAt })
        if (mentions.length === 100) break
      }
      return { mentions }
    },
    'POST /ai/mentions/seen': async ({ principal }) => {
      await sharing.seeMentions(caller(principal).id)
      return undefined
    },
    'POST /ai/sessions/:id/presence': async ({ principal, params, body, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      if (principal.kind !== 'person') throw forbidden('This needs an account.')
      const { people, isChanged } = await sharing.watch(session.id, principal.person.id, body.left)
      const known = await names(people.map((one) => one.person_id))
      const watching = people.flatMap((one) => {
        const person = known.get(one.person_id)
        return person === undefined ? [] : [{ ...person, since: one.since }]
      })
      if (isChanged) announce(session.id, 'session-presence', { sessionId: session.id, people: watching })
      return { people: watching }
    },
  })
}
