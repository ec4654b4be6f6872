import type { TreeMessage } from '@troupe/core'

/** The tree of a session, ready to be walked. */
export interface TreeIndex {
  messages: ReadonlyMap<string, TreeMessage>
  /** In the order in which they came. Messages whose parent is lost stand with the roots. */
  children: ReadonlyMap<string | null, readonly TreeMessage[]>
  /** How many messages hang on each, itself included. */
  weights: ReadonlyMap<string, number>
  leaves: number
}

export function indexTree(messages: readonly TreeMessage[]): TreeIndex {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const children = new Map<string | null, TreeMessage[]>()
  for (const message of messages) {
    const parent =
      message.parentMessageId !== null && byId.has(message.parentMessageId) ? message.parentMessageId : null
    const beside = children.get(parent)
    if (beside === undefined) children.set(parent, [message])
    else beside.push(message)
  }
  const weights = new Map<string, number>()
  // A message comes after the one it hangs on, so from the end on everything below is counted already.
  for (const { id } of messages.toReversed()) {
    const below = children.get(id) ?? []
    weights.set(
      id,
      below.reduce((sum, child) => sum + (weights.get(child.id) ?? 0), 1),
    )
  }
  const leaves = messages.filter(({ id }) => !children.has(id)).length
  return { messages: byId, children, weights, leaves }
}

/** From the root down to this message. */
export function pathToMessage({ messages }: Pick<TreeIndex, 'messages'>, id: string | undefined): TreeMessage[] {
  const way = new Set<TreeMessage>()
  let message = id === undefined ? undefined : messages.get(id)
  while (message !== undefined && !way.has(message)) {
    way.add(message)
    message = message.parentMessageId === null ? undefined : messages.get(message.parentMessageId)
  }
  return [...way].toReversed()
}

/** The end of the newest branch through this message. */
export function newestLeaf(tree: TreeIndex, id: string): string {
  let newest = id
  let order = -1
  const places = new Map([...tree.messages.keys()].map((key, index) => [key, index]))
  const open = [id]
  const seen = new Set<string>()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    const below = tree.children.get(next) ?? []
    const place = places.get(next) ?? 0
    if (below.length === 0 && place > order) {
      newest = next
      order = place
    }
    for (const child of below) open.push(child.id)
  }
  return newest
}

/** Where two branches part: what they share, and what each has alone. */
export function forkPoint(
  tree: TreeIndex,
  left: string,
  right: string,
): { fork: TreeMessage | undefined; left: TreeMessage[]; right: TreeMessage[] } {
  const [one, other] = [pathToMessage(tree, left), pathToMessage(tree, right)]
  let shared = 0
  while (shared < one.length && one[shared]?.id === other[shared]?.id) shared++
  return { fork: one[shared - 1], left: one.slice(shared), right: other.slice(shared) }
}
