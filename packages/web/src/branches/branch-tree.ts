import type { TreeMessage } from '@troupe/core'

export interface TreeIndex {
  messages: ReadonlyMap<string, TreeMessage>
  /** In creation order. Messages with a missing parent count as roots. */
  children: ReadonlyMap<string | null, readonly TreeMessage[]>
  /** Size of each subtree, including the message itself. */
  weights: ReadonlyMap<string, number>
  leaves: number
}

export function indexTree(messages: readonly TreeMessage[]): TreeIndex {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const children = new Map<string | null, TreeMessage[]>()
  for (const message of messages) {
    const parent =
      message.parentMessageId !== null && byId.has(message.parentMessageId) ? message.parentMessageId : null
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [message])
    else siblings.push(message)
  }
  const weights = new Map<string, number>()
  // Children come after their parents, so a reverse pass sees every subtree first.
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

export function pathToMessage({ messages }: Pick<TreeIndex, 'messages'>, id: string | undefined): TreeMessage[] {
  const way = new Set<TreeMessage>()
  let message = id === undefined ? undefined : messages.get(id)
  while (message !== undefined && !way.has(message)) {
    way.add(message)
    message = message.parentMessageId === null ? undefined : messages.get(message.parentMessageId)
  }
  return [...way].toReversed()
}

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

/** Row of the map: a message, or a collapsed run of messages without forks. */
export interface MapRow {
  key: string
  message: TreeMessage
  /** Number of collapsed messages. 0 for a single message. */
  hidden: number
  /** Lines pass through every lane to the left of this one. */
  lane: number
  /** Origin of its line: its own lane, the lane to the left, or none. */
  from: 'above' | 'left' | null
  continues: boolean
  isOnBranch: boolean
  /** True if the current branch passes by in the first lane. */
  isNextToBranch: boolean
}

interface LayoutOptions {
  leaf: string | undefined
  /** Expanded runs, by the first message that would be hidden. */
  unfolded: ReadonlySet<string>
  /** Never hidden. */
  shown?: string
}

const leastHidden = 3
const [keptHead, keptTail] = [1, 2]

/**
 * Lays out the tree from top to bottom. The current branch, or else the largest, stays in its lane. Other branches come
 * before it, one lane to the right. So the width depends on how deeply forks nest, not on the number of branches.
 */
export function layOutTree(tree: TreeIndex, { leaf, unfolded, shown }: LayoutOptions): MapRow[] {
  const branch = new Set(pathToMessage(tree, leaf).map(({ id }) => id))
  const rows: MapRow[] = []
  const open: { message: TreeMessage; lane: number; from: MapRow['from'] }[] = []
  for (const root of (tree.children.get(null) ?? []).toReversed()) open.push({ message: root, lane: 0, from: null })
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { lane } = next
    const stretch = stretchFrom(tree, next.message)
    const last = stretch.at(-1) as TreeMessage
    addStretch(stretch, next)
    const below = tree.children.get(last.id) ?? []
    const main = below.find(({ id }) => branch.has(id)) ?? heaviest(below)
    if (main !== undefined) open.push({ message: main, lane, from: 'above' })
    for (const side of below.filter((child) => child !== main).toReversed())
      open.push({ message: side, lane: lane + 1, from: 'left' })
  }
  const first = rows.findIndex((row) => row.isOnBranch)
  const last = rows.findLastIndex((row) => row.isOnBranch)
  return rows.map((row, index) => (index > first && index < last ? { ...row, isNextToBranch: !row.isOnBranch } : row))

  function addStretch(stretch: TreeMessage[], { lane, from }: { lane: number; from: MapRow['from'] }): void {
    const start = keptHead
    const end = stretch.length - keptTail
    const middle = stretch.slice(start, end)
    const [first] = middle
    const folds =
      first !== undefined &&
      middle.length >= leastHidden &&
      !unfolded.has(first.id) &&
      !middle.some(({ id }) => id === shown)
    stretch.forEach((message, index) => {
      if (folds && index > start && index < end) return
      const isFold = folds && index === start
      rows.push({
        key: isFold ? `fold:${message.id}` : message.id,
        message,
        hidden: isFold ? middle.length : 0,
        lane,
        from: index === 0 ? from : 'above',
        continues: index < stretch.length - 1 || (tree.children.get(message.id)?.length ?? 0) > 0,
        isOnBranch: branch.has(message.id),
        isNextToBranch: false,
      })
    })
  }

  function heaviest(messages: readonly TreeMessage[]): TreeMessage | undefined {
    const weight = (message: TreeMessage) => tree.weights.get(message.id) ?? 0
    return messages.reduce<TreeMessage | undefined>(
      (best, message) => (best === undefined || weight(message) >= weight(best) ? message : best),
      undefined,
    )
  }
}

function stretchFrom({ children }: TreeIndex, message: TreeMessage): TreeMessage[] {
  const stretch = [message]
  for (let below = children.get(message.id); below?.length === 1 && below[0] !== undefined;) {
    stretch.push(below[0])
    below = children.get(below[0].id)
  }
  return stretch
}
