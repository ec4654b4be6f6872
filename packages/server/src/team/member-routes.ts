import type { Store } from '@troupe/core'
import { grantEndpoints, type Invitation, type Member, memberEndpoints, NamedError, type Role } from '@troupe/protocol'
import type { Principal } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import type { Tables } from '../stores/sql/context.ts'
import { caller } from './account-routes.ts'
import type { Accounts } from './accounts.ts'
import { forbidden } from './authorize.ts'
import type { CheckedTeamOptions } from './options.ts'
import type { People } from './people.ts'

export interface MemberServices {
  team: CheckedTeamOptions
  store: Store
  stopRuns(sessionId: string): Promise<void>
  accounts: Accounts
  people: People
  names: Names
  recheck(): Promise<void>
}

/** Names of people by id. Former members keep theirs. */
export type Names = (ids: Iterable<string | null>) => Promise<Map<string, { id: string; name: string }>>

export function createNames(accounts: Pick<Accounts, 'users'>): Names {
  return async (ids) => {
    const wanted = [...new Set(ids)].filter((id) => id !== null)
    return new Map((await accounts.users(wanted)).map(({ id, name }) => [id, { id, name }]))
  }
}

export function memberRoutes(services: MemberServices): Route[] {
  const { team, store, stopRuns, accounts, people, names, recheck } = services
  return implement(memberEndpoints, {
    'GET /ai/members': async ({ principal }) => {
      const isManager = ['owner', 'admin'].includes(caller(principal).role)
      const members = await list()
      return {
        members: members.map((one) => ({
          ...one,
          email: isManager || one.id === caller(principal).id ? one.email : null,
        })),
      }
    },
    'PATCH /ai/members/:id': async ({ principal, params: { id }, body: { role } }) => {
      const member = await find(id)
      checkOwners(principal, member.role, role)
      await people.setRole(id, role)
      await recheck()
      return { member: { ...member, role } }
    },
    'DELETE /ai/members/:id': async ({ principal, params: { id } }) => {
      const member = await find(id)
      checkOwners(principal, member.role)
      // First, so that nothing new begins.
      await people.remove(id)
      await accounts.lockOut(id)
      // Of another owner, if the caller removes themselves.
      const heir = caller(principal).id === id ? await anotherOwner(id) : caller(principal).id
      const chats = await people.handOver(id, heir)
      await recheck()
      const live = new Set((await store.runs.unfinished()).map(({ sessionId }) => sessionId))
      const own = chats.filter((sessionId) => live.has(sessionId))
      for (const sessionId of own) await stopRuns(sessionId)
      return { removed: id, stopped: own.length, chats: chats.length }
    },
    'GET /ai/invitations': async () => {
      const rows = await people.invitations()
      const inviters = await names(rows.map((row) => row.invited_by))
      return { invitations: rows.map((row) => shownInvitation(row, inviters)) }
    },
    'POST /ai/invitations': async ({ principal, body: { email, role, expiresInDays } }) => {
      checkOwners(principal, role)
      const known = await accounts.userByEmail(email)
      if (known !== undefined && (await people.role(known.id)) !== undefined)
        throw new NamedError('PersonExists', 'This person is already a member.', { status: 409 })
      const invitedBy = caller(principal).id
      const { invitation, token } = await people.invite({ email, role, invitedBy, days: expiresInDays })
      const url = `${team.origin}/#invite=${token}`
      return { invitation: shownInvitation(invitation, await names([invitedBy])), url }
    },
    'DELETE /ai/invitations/:id': async ({ params: { id } }) => {
      if (!(await people.withdraw(id)))
        throw new NamedError('InvitationNotFound', 'This invitation does not exist.', { status: 404 })
      return { deleted: id }
    },
  })

  async function list(): Promise<Member[]> {
    const roles = await people.roles()
    const users = new Map((await accounts.users([...roles.keys()])).map((user) => [user.id, user]))
    return [...roles].flatMap(([id, { role, createdAt }]) => {
      const user = users.get(id)
      if (user === undefined) return []
      const { name, email, twoFactorEnabled } = user
      return [{ id, name, email, role, secondFactor: twoFactorEnabled === true, createdAt }]
    })
  }

  async function find(id: string): Promise<Member> {
    const member = (await list()).find((one) => one.id === id)
    if (member === undefined) throw memberNotFound()
    return member
  }

  async function anotherOwner(id: string): Promise<string> {
    const found = [...(await people.roles())].find(([other, { role }]) => role === 'owner' && other !== id)
    if (found === undefined) throw new NamedError('LastOwner', 'The organization needs an owner.', { status: 409 })
    return found[0]
  }
}

/** Only owners decide about owners. */
function checkOwners(principal: Principal, ...roles: Role[]): void {
  if (roles.includes('owner') && caller(principal).role !== 'owner')
    throw forbidden('Only owners can make, change or remove owners.')
}

export function memberNotFound(): NamedError {
  return new NamedError('MemberNotFound', 'This person is not a member.', { status: 404 })
}

function shownInvitation(row: Tables['invitation'], inviters: Awaited<ReturnType<Names>>): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role as Role,
    invitedBy: inviters.get(row.invited_by ?? '') ?? null,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

export function grantRoutes({ people, names, recheck }: MemberServices): Route[] {
  const list = async (workspaceId: string) => {
    const grants = await people.grants(workspaceId)
    const known = await names(grants.map(({ subject }) => subject.replace(/^person:/, '')))
    return grants.map(({ subject, right }) => {
      const [kind, id = ''] = subject.split(':')
      const who = kind === 'role' ? { role: id as Role } : { personId: id, name: known.get(id)?.name ?? '' }
      return { subject: who, right }
    })
  }
  return implement(grantEndpoints, {
    'GET /ai/workspaces/:id/grants': async ({ params: { id } }) => ({ grants: await list(id) }),
    'PUT /ai/workspaces/:id/grants': async ({ params: { id }, body: { subject, right } }) => {
      if ('personId' in subject && (await people.role(subject.personId)) === undefined) throw memberNotFound()
      await people.grant(id, 'personId' in subject ? `person:${subject.personId}` : `role:${subject.role}`, right)
      await recheck()
      return { grants: await list(id) }
    },
  })
}
