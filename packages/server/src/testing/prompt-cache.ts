import { createHash } from 'node:crypto'

export interface CacheUsage {
  /** All input tokens: cached, written and neither. */
  input: number
  cached: number
  written: number
}

const smallest = 1024
const lookBack = 20
const mostMarks = 4

/**
 * Counts a request like Anthropic: tools, instructions and messages form one sequence of blocks. The prefix up to a
 * marked block is cached. A later request reads the longest cached prefix ending at a mark or within the 20 blocks
 * before it. Prefixes under 1,024 tokens are not cached.
 */
export function createPromptCache(): (body: unknown) => CacheUsage {
  const kept = new Set<string>()
  return (body) => {
    const blocks = blocksOf(body as Body)
    const marks = blocks.flatMap(({ marked }, index) => (marked ? [index] : []))
    if (marks.length > mostMarks) throw new Error(`a maximum of ${mostMarks} blocks may be marked, not ${marks.length}`)
    let cached = 0
    for (const mark of marks) {
      for (let index = mark; index >= Math.max(0, mark - lookBack); index--) {
        const block = blocks[index] as Block
        if (kept.has(block.hash)) {
          cached = Math.max(cached, block.total)
          break
        }
      }
    }
    let written = 0
    for (const mark of marks) {
      const { hash, total } = blocks[mark] as Block
      if (total < smallest) continue
      kept.add(hash)
      written = Math.max(written, total - cached)
    }
    return { input: blocks.at(-1)?.total ?? 0, cached, written }
  }
}

interface Block {
  /** Hash of everything up to and including this block. */
  hash: string
  total: number
  marked: boolean
}

interface Body {
  tools?: object[]
  system?: string | object[]
  messages: { role: string; content: string | object[] }[]
}

function blocksOf({ tools = [], system = [], messages }: Body): Block[] {
  const rows: [string, object][] = [
    ...tools.map((tool) => ['tool', tool] as [string, object]),
    ...list(system).map((block) => ['system', block] as [string, object]),
    ...messages.flatMap(({ role, content }) => list(content).map((block) => [role, block] as [string, object])),
  ]
  const hash = createHash('sha256')
  let total = 0
  return rows.map(([role, given]) => {
    const { cache_control: mark, ...block } = given as { cache_control?: unknown }
    const text = `${role} ${JSON.stringify(block)}`
    hash.update(text)
    total += Math.ceil(text.length / 4)
    return { hash: hash.copy().digest('hex'), total, marked: mark !== undefined }
  })
}

function list(content: string | object[]): object[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
