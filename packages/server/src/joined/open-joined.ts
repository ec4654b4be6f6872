import { createHmac } from 'node:crypto'
import type { Cluster } from '../cluster/open-cluster.ts'
import { createTickets } from '../http/tickets.ts'
import type { JoinedNodesOptions } from './joined-nodes.ts'

/** Opens the folders on members' computers. Only a team's server loads their code. */
export async function openJoined(
  options: Pick<JoinedNodesOptions, 'store' | 'people' | 'logger'>,
  cluster: Pick<Cluster, 'nodes'> | undefined,
  secret: string | undefined,
) {
  const [{ createJoinedNodes }, { createJoinedTools }, { createOtherNodes, joinPlaceSchema }] = await Promise.all([
    import('./joined-nodes.ts'),
    import('./joined-tools.ts'),
    import('./relay.ts'),
  ])
  const key = secret === undefined ? undefined : createHmac('sha256', secret).update('join tickets').digest()
  const tickets = createTickets(joinPlaceSchema, { secret: key })
  const nodes = await createJoinedNodes({ ...options, others: cluster && createOtherNodes(cluster.nodes, tickets) })
  return { nodes, tools: createJoinedTools(nodes), tickets }
}
