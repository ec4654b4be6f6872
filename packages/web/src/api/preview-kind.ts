/** What there is a preview for. */
export type PreviewKind = 'html' | 'svg' | 'markdown' | 'csv' | 'xlsx' | 'mermaid' | 'jsx' | 'chart'

const byEnding: Record<string, PreviewKind> = {
  html: 'html',
  htm: 'html',
  svg: 'svg',
  md: 'markdown',
  markdown: 'markdown',
  csv: 'csv',
  tsv: 'csv',
  xlsx: 'xlsx',
  mmd: 'mermaid',
  mermaid: 'mermaid',
}

const byLanguage: Record<string, PreviewKind> = {
  html: 'html',
  svg: 'svg',
  markdown: 'markdown',
  md: 'markdown',
  csv: 'csv',
  tsv: 'csv',
  mermaid: 'mermaid',
  chart: 'chart',
  echarts: 'chart',
}

/** By the name of a file. JSX only where the session has made it to be looked at. */
export function kindOfFile(path: string): PreviewKind | undefined {
  if (/\/sessions\/[\w-]+\/jsx\/[\w-]+\.jsx$/.test(path)) return 'jsx'
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined
}

/** By the language that a fence names. XML that is a drawing counts as one. */
export function kindOfFence(language: string, text: string): PreviewKind | undefined {
  const name = language.toLowerCase()
  if (name === 'xml' && /^\s*(?:<\?xml[^>]*>\s*)?<svg[\s>]/i.test(text)) return 'svg'
  return Object.hasOwn(byLanguage, name) ? byLanguage[name] : undefined
}
