export const previewKinds = ['html', 'svg', 'markdown', 'csv', 'xlsx', 'mermaid', 'jsx', 'chart'] as const
export type PreviewKind = (typeof previewKinds)[number]

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

/** Infers the preview kind from a file name. JSX counts only in the session's preview folder. */
export function kindOfFile(path: string): PreviewKind | undefined {
  if (/\/sessions\/[\w-]+\/jsx\/[\w-]+\.jsx$/.test(path)) return 'jsx'
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined
}

/** Infers the preview kind from a code fence's language. XML that contains an SVG counts as SVG. */
export function kindOfFence(language: string, text: string): PreviewKind | undefined {
  const name = language.toLowerCase()
  if (name === 'xml' && /^\s*(?:<\?xml[^>]*>\s*)?<svg[\s>]/i.test(text)) return 'svg'
  return Object.hasOwn(byLanguage, name) ? byLanguage[name] : undefined
}
