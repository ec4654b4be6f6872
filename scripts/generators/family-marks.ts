import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fetchPackage } from '../lib/fetch-package.ts'

/** Source of the marks. To refresh them, set a newer version and run `npm run generate`. */
const source = '@lobehub/icons-static-svg@1.95.1'
/** Increment when the generated output changes. */
const edition = 1

export const file = 'packages/web/src/models/family-marks.ts'

const mark = `${source}, edition ${edition}`

/** Makers of models, and providers that serve the models of others. */
const names = [
  'anthropic',
  'azure',
  'bedrock',
  'cerebras',
  'chatglm',
  'claude',
  'codex',
  'cohere',
  'deepseek',
  'fireworks',
  'gemini',
  'gemma',
  'grok',
  'groq',
  'huggingface',
  'kimi',
  'lmstudio',
  'meta',
  'minimax',
  'mistral',
  'moonshot',
  'novita',
  'nvidia',
  'ollama',
  'openai',
  'openrouter',
  'perplexity',
  'qwen',
  'siliconcloud',
  'together',
  'vercel',
  'vllm',
  'xai',
  'zai',
]

/** The package is downloaded only if the file has another version. */
export function generate(): string {
  const target = path.join(import.meta.dirname, '..', '..', file)
  const known = existsSync(target) ? readFileSync(target, 'utf8') : ''
  if (known.includes(mark)) return known
  const folder = path.join(fetchPackage(source, 'family-marks'), 'icons')
  const marks = names.map((name) => {
    const paths = pathsIn(readFileSync(path.join(folder, `${name}.svg`), 'utf8'), name)
    const line = `  ${name}: ['${paths.join("', '")}'],`
    return line.length <= 120 ? line : `  ${name}: [\n${paths.map((d) => `    '${d}',\n`).join('')}  ],`
  })
  return `/**
 * Marks of model makers and providers, as paths in a square of 24: ${mark}
 * (MIT, Copyright (c) LobeHub). Made by \`npm run generate\`; not to be edited. They are trademarks of their owners and
 * identify their models.
 */
export const familyMarks: Readonly<Record<string, readonly string[]>> = {
${marks.join('\n')}
}
`
}

/** One color is enough: the page draws them in that of the text. */
function pathsIn(svg: string, name: string): string[] {
  const elements = svg.match(/<(?!\/|svg|title|path)\w+/g)
  const paths = [...svg.matchAll(/<path [^>]*?\bd="([^"]+)"/g)].map((match) => match[1] as string)
  if (elements !== null || paths.length === 0 || !svg.includes('viewBox="0 0 24 24"'))
    throw new Error(`The icon ${name} consists of more than paths in a square of 24.`)
  return paths
}
