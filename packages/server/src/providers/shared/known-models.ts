import { modelFacts } from './model-facts.ts'

export interface KnownModel {
  contextWindow: number
  maxOutputTokens?: number
  tags: string[]
  /** The maker's price. Absent if only others host the model. */
  price?: { input: number; output: number; cachedInput?: number; cacheWrite?: number }
}

/**
 * Looks up a model by id in any common spelling: `gpt-4o-mini`, `anthropic/claude-sonnet-5.5`, `llama3.1:8b`,
 * `meta-llama/Llama-3.1-8B-Instruct`, `openai/gpt-4o-mini:free`, `us.anthropic.claude-haiku-4-5-20251001-v1:0`.
 */
export function knownModel(id: string): KnownModel | undefined {
  const plain = withoutEndpoint(id)
  for (const spelling of plain === id ? [id] : [id, plain]) {
    const found = spelledModel(spelling)
    if (found !== undefined) return /:free$/i.test(id) ? { ...found, price: { input: 0, output: 0 } } : found
  }
  return undefined
}

function spelledModel(id: string): KnownModel | undefined {
  const known = table()
  const exact = modelKey(id)
  const dated = exact.replace(/(latest|20\d{6})$/, '')
  for (const key of [exact, dated, looseModelKey(id), looseModelKey(`${id}-instruct`)]) {
    const found = known.get(key)
    if (found !== undefined) return found
  }
  return undefined
}

/** Strips what endpoints add to a model's name: OpenRouter's variants, regions and versions of Bedrock and Vertex. */
function withoutEndpoint(id: string): string {
  return id
    .trim()
    .replace(/:(free|nitro|floor|online|exacto|extended|thinking|beta)$/i, '')
    .replace(/(?:-v\d+)?:\d+(?:k)?$/, '')
    .replace(/@(?=20\d{6}$|latest$|default$)/, '-')
    .replace(/^(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|qwen|openai)\./i, '')
}

let cachedTable: Map<string, KnownModel> | undefined

function table(): Map<string, KnownModel> {
  if (cachedTable !== undefined) return cachedTable
  cachedTable = new Map()
  for (const line of modelFacts.trim().split('\n')) {
    const [id = '', window, output, marks = '', input, out, cachedInput, cacheWrite] = line.split(' ')
    const model: KnownModel = {
      contextWindow: Number(window),
      tags: parseTags(marks),
      maxOutputTokens: output === '-' ? undefined : Number(output),
      price:
        input === undefined
          ? undefined
          : { input: Number(input), output: Number(out), ...cachePrices({ cachedInput, cacheWrite }) },
    }
    cachedTable.set(modelKey(id), model)
    const loose = looseModelKey(id)
    if (!cachedTable.has(loose)) cachedTable.set(loose, model)
  }
  return cachedTable
}

function cachePrices(given: Record<string, string | undefined>): Record<string, number> {
  const known = Object.entries(given).filter(([, value]) => value !== undefined && value !== '-')
  return Object.fromEntries(known.map(([key, value]) => [key, Number(value)]))
}

function parseTags(marks: string): string[] {
  return [
    'chat',
    'tools',
    ...(marks.includes('v') ? ['vision'] : []),
    ...(marks.includes('p') ? ['pdf'] : []),
    ...(marks.includes('r') ? ['reasoning'] : []),
  ]
}

/** Strips the maker's name, separators and case. */
function modelKey(id: string): string {
  return (id.split('/').at(-1) ?? '').toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** Also strips tuning, packaging and quantization suffixes. */
function looseModelKey(id: string): string {
  const name = (id.split('/').at(-1) ?? '').toLowerCase()
  return modelKey(
    name.replaceAll(/[-_:.](instruct|it|chat|gguf|awq|gptq|mlx|fp8|fp16|bf16|[48]bit|q\d\w*|latest)\b/g, ''),
  )
}
