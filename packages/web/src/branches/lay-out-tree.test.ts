import type { TreeMessage } from '@troupe/core'
import { describe, expect, test } from 'vitest'
import { forkPoint, indexTree, layOutTree, newestLeaf } from './branch-tree.ts'

/** `a>b>c` makes each message the parent of the next. Lines share messages of the same name. */
function grow(...lines: string[]): TreeMessage[] {
  const messages = new Map<string, TreeMessage>()
  for (const line of lines) {
    let parent: string | null = null
    for (const id of line.split('>')) {
      if (!messages.has(id))
        messages.set(id, { id, parentMessageId: parent, role: 'user', text: id, createdAt: messages.size })
      parent = id
    }
  }
  return [...messages.values()]
}

const draw = (messages: TreeMessage[], leaf?: string, unfolded: string[] = []) =>
  layOutTree(indexTree(messages), { leaf, unfolded: new Set(unfolded) }).map(
    ({ message, lane, from, hidden, continues, isOnBranch }) =>
      `${'| '.repeat(lane)}${{ above: '', left: '/', null: '^' }[String(from)]}${hidden > 0 ? `+${hidden}` : message.id}${continues ? '' : '.'}${isOnBranch ? '*' : ''}`,
  )

describe('the map of a tree', () => {
  test('draws the current branch straight down, with others next to it where they start', () => {
    const tree = grow('a>b>c>d', 'a>b>x>y', 'a>b>x>z')
    expect(draw(tree, 'd')).toEqual(['^a*', 'b*', '| /x', '| | /y.', '| z.', 'c*', 'd.*'])
    expect(draw(tree, 'y')).toEqual(['^a*', 'b*', '| /c', '| d.', 'x*', '| /z.', 'y.*'])
    expect(draw(tree)).toEqual(['^a', 'b', '| /c', '| d.', 'x', '| /y.', 'z.'])
  })

  test('folds sections without forks and expands them on request', () => {
    const tree = grow('a>b>c>d>e>f>g>h', 'a>b>c>d>e>f>x')
    expect(draw(tree, 'h')).toEqual(['^a*', '+3*', 'e*', 'f*', '| /x.', 'g*', 'h.*'])
    expect(draw(tree, 'h', ['b'])).toEqual(['^a*', 'b*', 'c*', 'd*', 'e*', 'f*', '| /x.', 'g*', 'h.*'])
    const rows = layOutTree(indexTree(tree), { leaf: 'h', unfolded: new Set(), shown: 'c' })
    expect(rows.map(({ message }) => message.id)).toContain('c')
  })

  test('has several roots, including messages with a missing parent', () => {
    const lost = { id: 'l', parentMessageId: 'gone', role: 'user', text: '', createdAt: 9 } as const
    expect(draw([...grow('a>b', 'x'), lost], 'b')).toEqual(['^a*', 'b.*', '^x.', '^l.'])
    expect(draw([])).toEqual([])
  })

  test('stays narrow and fast with 10,000 messages, deep or wide', () => {
    const deep = grow(Array.from({ length: 10_000 }, (_, index) => `m${index}`).join('>'))
    expect(draw(deep, 'm9999')).toHaveLength(4)
    const wide = grow(...Array.from({ length: 5000 }, (_, index) => `a>q${index}>w${index}`))
    const rows = layOutTree(indexTree(wide), { leaf: 'w0', unfolded: new Set() })
    expect(rows).toHaveLength(10_001)
    expect(Math.max(...rows.map(({ lane }) => lane))).toBe(1)
    // A binary tree, as if every turn was regenerated and continued.
    const messages: TreeMessage[] = []
    for (let index = 0; index < 10_000; index++) {
      const parentMessageId = index === 0 ? null : `m${Math.floor((index - 1) / 2)}`
      messages.push({ id: `m${index}`, parentMessageId, role: 'user', text: '', createdAt: index })
    }
    const bushy = layOutTree(indexTree(messages), { leaf: 'm9999', unfolded: new Set() })
    expect(bushy).toHaveLength(10_000)
    expect(Math.max(...bushy.map(({ lane }) => lane))).toBeLessThanOrEqual(15)
  })
})

test('two branches fork after their last shared message', () => {
  const tree = indexTree(grow('a>b>c>d', 'a>b>x', 'q'))
  const ids = (messages: readonly TreeMessage[]) => messages.map(({ id }) => id)
  const parted = forkPoint(tree, 'd', 'x')
  expect([parted.fork?.id, ids(parted.left), ids(parted.right)]).toEqual(['b', ['c', 'd'], ['x']])
  expect(forkPoint(tree, 'd', 'q').fork).toBeUndefined()
  expect(forkPoint(tree, 'd', 'd')).toMatchObject({ left: [], right: [] })
  expect(newestLeaf(tree, 'b')).toBe('x')
  expect(newestLeaf(tree, 'c')).toBe('d')
})
