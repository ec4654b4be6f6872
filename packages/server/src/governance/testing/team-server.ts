import { type Browser, type TestTeam, testTeam } from '../../team/testing/test-team.ts'
import { type Chat, readChat, type TestServerOptions, userMessage } from '../../testing/test-server.ts'

const people = {
  owner: ['Olga', 'owner'],
  admin: ['Adam', 'admin'],
  ann: ['Ann', 'member'],
  bob: ['Bob', 'member'],
} as const
type Who = keyof typeof people

interface Person {
  request: Browser['request']
  json<T = { error: { name: string } }>(...given: Parameters<Browser['request']>): Promise<{ status: number; body: T }>
  chat(sessionId: string, message: string | object, more?: object): Promise<Chat>
}

export interface TeamServer extends TestTeam {
  /** Sends requests as this person, who joins with the first one. */
  as(who: Who): Person
  idOf(who: Who): Promise<string>
}

/** A server in team mode on SQLite, with people who join when they are needed. */
export async function teamServer(options: TestServerOptions = {}): Promise<TeamServer> {
  const server = await testTeam({ server: { testApproval: undefined, ...options } })
  const joined = new Map<Who, Promise<Browser>>([['owner', Promise.resolve(server.owner)]])
  const browserOf = (who: Who): Promise<Browser> => {
    const [name, role] = people[who]
    const known = joined.get(who) ?? server.join(name, role)
    joined.set(who, known)
    return known
  }
  return {
    ...server,
    async idOf(who) {
      const { body } = await (await browserOf(who)).json<{ person: { id: string } }>('/ai/me')
      return body.person.id
    },
    as(who) {
      const request: Browser['request'] = async (...given) => (await browserOf(who)).request(...given)
      return {
        request,
        async json(...given) {
          const { status, body } = await (await browserOf(who)).json(...given)
          return { status, body: body as never }
        },
        async chat(sessionId, message, more = {}) {
          const sent = typeof message === 'string' ? userMessage(message) : message
          return readChat(await request('/ai/chat', { body: { sessionId, message: sent, ...more } }))
        },
      }
    },
  }
}
