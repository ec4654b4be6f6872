import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fetchPackage } from '../lib/fetch-package.ts'

/** Source of the facts. To refresh them, set a newer version and run `npm run generate`. */
const source = '@earendil-works/pi-ai@1.5.0'
/** Increment when the generated output changes. */
const edition = 2

export const file = 'packages/server/src/providers/shared/model-facts.ts'

const root = path.join(import.meta.dirname, '..', '..')
const mark = `${source}, edition ${edition}`

/** The package is downloaded only if the file has another version. It is not a dependency, because it adds 60 MB. */
export function generate(): string {
  const target = path.join(root, file)
  const known = existsSync(target) ? readFileSync(target, 'utf8') : ''
  if (known.includes(mark)) return known
  return `/**
 * Public facts about models: ${mark} (MIT). Made by \`npm run generate\`; not to be edited.
 * Each line: id, context window, output limit, marks (v vision, p PDF, r reasoning), and USD per million tokens of
 * input, output, cached input and cache writes, as the maker charges.
 */
export const modelFacts = \`
${lines().join('\n')}
\`
`
}

interface Entry {
  id: string
  type?: string
  reasoning?: boolean
  input?: string[]
  contextWindow?: number
  maxTokens?: number
  cost?: { input: number; output: number; cacheRead?: number; cacheWrite?: number }
}

/** Makers know their own models best. Models listed only by resellers get a window but no price. */
const makers = ['anthropic', 'openai', 'google', 'xai', 'deepseek', 'moonshotai', 'mistral', 'zai', 'minimax', 'xiaomi']
const resellers = [
  'openrouter',
  'vercel-ai-gateway',
  'groq',
  'together',
  'fireworks',
  'huggingface',
  'cerebras',
  'opencode',
]

/** Facts from makers' documentation where the package has none, or only the lower-priced part of a window. */
const own = `
gpt-5-6 1050000 128000 vpr 4 20 0.4 5
qwen3-max 262144 65536 r
qwen-flash 1000000 32768 r
qwen3-coder-plus 1000000 65536 - 1 5
moonshot-v1-auto 131072 - -
`

function lines(): string[] {
  const folder = path.join(fetchPackage(source, 'model-facts'), 'dist', 'providers', 'data')
  const found = new Map<string, string>()
  for (const line of own.trim().split('\n')) found.set(line.split(' ')[0] as string, line)
  for (const maker of makers) add(maker, true)
  for (const reseller of resellers) add(reseller, false)
  return [...found.values()].toSorted()

  function add(provider: string, isMaker: boolean): void {
    const data = JSON.parse(readFileSync(path.join(folder, `${provider}.json`), 'utf8')) as Record<
      string,
      Record<string, Entry>
    >
    for (const entry of Object.values(data).flatMap((api) => Object.values(api))) {
      if ((entry.type ?? 'chat') !== 'chat' || entry.contextWindow === undefined) continue
      const id = entry.id.toLowerCase().replace(/:.*$/, '').split('/').at(-1)?.replaceAll('.', '-') ?? ''
      if (found.has(id) || found.has(entry.id) || id === '') continue
      found.set(id, lineOf(id, entry, provider, isMaker))
    }
  }
}

function lineOf(id: string, entry: Entry, provider: string, isMaker: boolean): string {
  const sees = entry.input?.includes('image') === true
  const readsPdf = sees && /^(anthropic|openai|google)$/.test(provider)
  const marks = `${sees ? 'v' : ''}${readsPdf ? 'p' : ''}${entry.reasoning === true ? 'r' : ''}` || '-'
  // There, windows end where the price rises.
  const isTiered = (entry.cost as { tiers?: unknown[] } | undefined)?.tiers !== undefined
  const window = provider === 'openai' && isTiered && entry.contextWindow === 272_000 ? 1_050_000 : entry.contextWindow
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = entry.cost ?? {}
  const price = isMaker && output > 0 ? ` ${input} ${output} ${cacheRead || '-'} ${cacheWrite || '-'}` : ''
  return `${id} ${window} ${entry.maxTokens ?? '-'} ${marks}${price}`
}
