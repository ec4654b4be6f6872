import type { ModelInfo } from '../api/models.ts'
import { t } from '../texts/t.ts'

/** A request that a click sends. */
export interface Suggestion {
  text: string
  detail: string
  icon: SuggestionIcon
}

export type SuggestionIcon =
  | 'folder'
  | 'command'
  | 'agents'
  | 'chart'
  | 'test'
  | 'review'
  | 'document'
  | 'plan'
  | 'web'
  | 'write'

const shownSuggestions = 4

/** Examples of the model itself, in the language of the tag (`examplesZh`) or else in English. */
export function modelExamples(model: ModelInfo | undefined, tag = 'en'): Suggestion[] {
  const common = model?.capabilities?.common as Record<string, unknown> | undefined
  const examples = common?.[`examples${tag.charAt(0).toUpperCase()}${tag.slice(1)}`] ?? common?.['examples']
  return Array.isArray(examples) ? examples.flatMap(readExample).slice(0, shownSuggestions) : []
}

function readExample(example: unknown): Suggestion[] {
  const given = (typeof example === 'string' ? { text: example } : (example ?? {})) as Partial<Suggestion>
  const { text, detail = '', icon = 'write' } = given
  return typeof text === 'string' && text !== '' ? [{ text, detail, icon }] : []
}

/** Suggests requests that fit the files at the top of the folder. */
export function suggestForFolder(names: readonly string[]): Suggestion[] {
  const { folder } = t.firstRun
  const has = (pattern: RegExp): boolean => names.some((name) => pattern.test(name))
  const data = names.find((name) => /\.(csv|tsv|xlsx|ods|parquet)$/i.test(name))
  const isCode = has(codeMarks)
  const fitting: Suggestion[] = [
    ...(isCode ? [{ ...folder.explain, icon: 'folder' as const }] : []),
    ...(isCode && has(testMarks) ? [{ ...folder.fixTest, icon: 'test' as const }] : []),
    ...(data === undefined
      ? []
      : [{ text: folder.chart.text(data), detail: folder.chart.detail, icon: 'chart' as const }]),
    ...(has(/\.(pdf|docx?|odt|md|txt|epub|pptx)$/i) && !isCode
      ? [{ ...folder.summarize, icon: 'document' as const }]
      : []),
    ...(isCode ? [{ ...folder.review, icon: 'review' as const }] : []),
    ...(names.length > 0 && !isCode ? [{ ...folder.tidy, icon: 'folder' as const }] : []),
    { ...folder.plan, icon: 'plan' },
    { ...folder.research, icon: 'web' },
    { ...folder.write, icon: 'write' },
    { ...folder.compare, icon: 'agents' },
  ]
  return fitting.slice(0, shownSuggestions)
}

const codeMarks =
  /^(package\.json|pyproject\.toml|requirements\.txt|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(\.kts)?|Gemfile|composer\.json|CMakeLists\.txt|Makefile|deno\.json|mix\.exs|Package\.swift|src\/?)$|\.(sln|csproj|xcodeproj)\/?$/
const testMarks =
  /^(tests?|spec|__tests__)\/?$|\.(test|spec)\.\w+$|^(package\.json|pyproject\.toml|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(\.kts)?|mix\.exs)$/
