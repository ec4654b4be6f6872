import type { TreeMessage } from '@troupe/core'
import { pathToMessage, type TreeIndex } from './tree-index.ts'

/** One line of the map: a message, or a stretch without forks that is folded away. */
export interface MapRow {
  key: string
  message: TreeMessage
  /** How many messages it stands for; 0 where it is one. */
  hidden: number
  /** Every lane to the left of its own is passed by a line. */
  lane: number
  /** Where its line comes from: its own lane, the one to the left, or nowhere. */
  from: 'above' | 'left' | null
  /** Its line goes on below. */
  continues: boolean
  isOnBranch: boolean
  /** The branch in sight passes by, in the first lane. */
  isBesideBranch: boolean
}

export interface LayoutOptions {
  /** The end of the branch in sight: it runs straight down at the left. */
  leaf: string | undefined
  /** Stretches that are unfolded, by the first message that would be hidden. */
  unfolded: ReadonlySet<string>
  /** Never hidden. */
  shown?: string
}

/** Shorter stretches are not worth a fold. */
const leastHidden = 3
/** What stays of a stretch: how it begins, and how it ends. */
const [keptHead, keptTail] = [1, 2]

/**
 * The tree from top to bottom. The branch in sight, and beside it the longest, goes straight on in its lane; others come
 * before it, one lane to the right. So the picture is as wide as forks are nested, not as there are branches.
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
  return rows.map((row, index) => (index > first && index < last ? { ...row, isBesideBranch: !row.isOnBranch } : row))

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
        isBesideBranch: false,
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

/** The messages from this one down to where the tree forks or ends. */
function stretchFrom({ children }: TreeIndex, message: TreeMessage): TreeMessage[] {
  const stretch = [message]
  for (let below = children.get(message.id); below?.length === 1 && below[0] !== undefined;) {
    stretch.push(below[0])
    below = children.get(below[0].id)
  }
  return stretch
}
