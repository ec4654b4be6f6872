import { createHash } from 'node:crypto'
import type { NodeInfo } from './nodes.ts'
import type { Cluster } from './open-cluster.ts'

/** Says which node has terminals. Undefined for this one. */
export interface TerminalPlaces {
  /** All terminals of a person in a folder are on one node. */
  ofPerson(at: PersonPlace): Promise<NodeInfo | undefined>
  /** Commands of a chat are where the chat is. */
  ofSession(sessionId: string): Promise<NodeInfo | undefined>
  /** Tells the other nodes whose terminals are here. */
  announce(places: readonly PersonPlace[]): Promise<void>
}

interface PersonPlace {
  workspaceId: string
  ownerId: string | null
}

interface TerminalPlacesOptions {
  cluster: Pick<Cluster, 'nodes' | 'leases'>
  /** Names the disk with the folder of a workspace. */
  placeOf(workspaceId: string): Promise<string | undefined>
}

export function createTerminalPlaces({ cluster, placeOf }: TerminalPlacesOptions): TerminalPlaces {
  const { nodes, leases } = cluster
  const unlessSelf = (node: NodeInfo | undefined): NodeInfo | undefined =>
    node === undefined || node.id === nodes.self.id ? undefined : node
  return {
    async ofPerson(at) {
      const fact = factOf(at)
      if (nodes.self.labels.includes(fact)) return undefined
      await nodes.refresh()
      const all = nodes.list()
      const known = all.find(({ labels }) => labels.includes(fact))
      if (known !== undefined) return unlessSelf(known)
      // Every node chooses the same, so that two requests at a time do not begin on two nodes.
      const place = (await placeOf(at.workspaceId)) ?? nodes.self.place
      const able = all.filter((node) => node.place === place && !node.draining)
      return unlessSelf(able.toSorted((one, other) => (rank(one, fact) < rank(other, fact) ? -1 : 1))[0])
    },
    async ofSession(sessionId) {
      const holder = await leases.holder(sessionId)
      return holder === undefined ? undefined : unlessSelf(nodes.find(holder))
    },
    announce: (places) => nodes.tell('terminals', [...new Set(places.map(factOf))]),
  }
}

function factOf({ workspaceId, ownerId }: PersonPlace): string {
  return `terminals:${workspaceId}/${ownerId ?? ''}`
}

function rank({ id }: NodeInfo, fact: string): string {
  return createHash('sha256').update(`${id} ${fact}`).digest('hex')
}
