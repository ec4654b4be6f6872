import { NamedError, personDataEndpoints } from '@troupe/protocol'
import { isAdmin, type Principal } from '../http/principal.ts'
import { download, implement, type Route } from '../http/route.ts'
import { type Governance, inTeam } from './governance.ts'
import { createPersonData, type DataSubject, type PersonData } from './person-data.ts'

type Services = Omit<Parameters<typeof createPersonData>[0], keyof Governance | 'sources' | 'deleteSession'> & {
  governance?: Governance | undefined
  dropSession(sessionId: string): Promise<void>
  published: { unpublishDeleted(sessionId: string): Promise<unknown> }
}

export function personRoutes(services: Services): Route[] {
  return implement(personDataEndpoints, {
    'GET /ai/people/:id/data': ({ principal, params }) => {
      const data = dataOf()
      return download(`person-${params.id}.jsonl`, data.export(subjectOf(principal, params.id)))
    },
    'DELETE /ai/people/:id/data': async ({ principal, params, query }) => {
      const data = dataOf()
      const person = subjectOf(principal, params.id, query.email)
      await checkOwner(principal, params.id)
      return data.erase(person)
    },
  })

  /** As with roles, only owners decide about owners. */
  async function checkOwner(principal: Principal, id: string): Promise<void> {
    if (principal.kind !== 'person' || principal.person.role === 'owner') return
    const member = services.store.db.selectFrom('member').select('role').where('person_id', '=', id)
    if ((await member.executeTakeFirst())?.role === 'owner')
      throw new NamedError('Forbidden', 'Only owners may do this to an owner.', { status: 403 })
  }

  function dataOf(): PersonData {
    const governance = inTeam(services.governance)
    const { store, blobs, runs, dropSession, published } = services
    return createPersonData({
      ...governance,
      store,
      blobs,
      runs,
      sources: governance.personSources,
      async deleteSession(id) {
        await runs.stop(id)
        await dropSession(id)
        await store.sessions.delete(id)
        await published.unpublishDeleted(id)
      },
    })
  }
}

/** People may have and delete their own data. Throws `Forbidden` (403) for others, except for admins. */
function subjectOf(principal: Principal, id: string, email?: string): DataSubject {
  if (principal.kind === 'person' && principal.person.id === id) return { id, email: principal.person.email }
  if (!isAdmin(principal))
    throw new NamedError('Forbidden', 'You can only do this with your own data.', { status: 403 })
  return { id, ...(email !== undefined && { email }) }
}
